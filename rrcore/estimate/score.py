"""Score intervals: which true shares the released answers do not contradict, one by one and all at once (theory.md section 15)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.channel import Channel
from rrcore.estimate.sample import Spread
from rrcore.estimate.uncertainty import two_sided_point

_TRUST = 5.0
"""Relative variance by which the released counts' own second moment loses half its weight to the projected one: 1 / _TRUST."""
_MOST_SKEWED = 30.0
"""Skewness beyond which a cell's law is as good as one rare report; keeps gamma quantiles finite."""
_COARSE = 0.35
"""Step of an estimate, in standard deviations, up to which its discreteness moves coverage by less than two points."""
_LEAST = 0.25
"""Least variance of what one record adds, of the projected one."""
_SMALLEST = 1e-12
"""Least variance of what one record adds, of its second moment: below, rounding is all there is."""
_NO_SPREAD = 1e-14  # what rounding leaves of a variance of 0, where nothing is randomised
_STEPS, _CLOSE = 60, 1e-13  # at most so many towards an end, which then moves by less; some 10 are taken
_NODES, _FINE = 1500, 0.1  # of the table of gamma quantiles: evenly spaced in skewness up to _FINE, in its logarithm above


@dataclass(frozen=True, eq=False)
class ShareLaws:
    """For every cell the law of its estimated share, as a function of the share x that it might truly have.

    The other cells keep their estimated proportions and share 1 - x: the moments of what one record adds are then linear in x,
    ``others + x * (own - others)``. Its second moment is also read from the released records themselves. Made by ``share_laws``.

    Parameters
    ----------
    shares : ndarray of shape ``channel.sizes`` (and any further axes of repeated releases), estimates that intervals are made from
    raw, seen : ndarrays of that shape, the unbiased estimates and the released records' own second moment of kappa, which go together
    trust : ndarray of that shape, weight of ``seen``, 0 to 1
    others_square, others_cube : ndarrays of that shape, second and third moment of kappa in the other cells
    own_square, own_cube : ndarrays of that shape, second and third moment in this cell
    n : number of respondents
    population : as in ``cell_variance``
    effect : ndarray of that shape or (), what the sample's design multiplies the variance by: n / effect people drawn at random tell as much
    """

    shares: Floats
    raw: Floats
    seen: Floats
    trust: Floats
    others_square: Floats
    others_cube: Floats
    own_square: Floats
    own_cube: Floats
    n: int
    population: bool
    effect: Floats = field(default_factory=lambda: np.ones(()))
    _intervals: dict[float, tuple[Floats, Floats]] = field(default_factory=dict, init=False, repr=False)

    def deviation(self, x: Floats) -> Floats:
        """Standard deviation of the estimates if the true shares were ``x``, cut off to [0, 1]: outside no share can lie."""
        return np.sqrt(self._moments(np.minimum(np.maximum(x, 0.0), 1.0))[0] * self._per_person)

    def skewness(self, x: Floats) -> Floats:
        """Skewness of the estimates if the true shares were ``x`` in [0, 1]: sum kappa^3, centred, over n^(1/2) sd^3."""
        return self._skewness(x, *self._moments(x))

    def limits(self, x: Floats, z: float) -> tuple[Floats, Floats]:
        """How many standard deviations an estimate may lie below and above ``x`` in [0, 1]; ``z`` each where the law is normal.

        Quantiles of the gamma law with the same three moments, on its long side at least ``z``; on its short side they go back to ``z``
        where it is so skewed that no report at all would be rejected. Against these people an estimate moves in steps, and near certain
        answers the steps are wide: part of a step is added.
        """
        return self._limits(x, z, *self._moments(x))

    def interval(self, z: float) -> tuple[Floats, Floats]:
        """All x with -below <= (estimate - x) / deviation(x) <= above, (low, high): not cut off at 0 and 1; the deviation is.

        Infinite from one person out of a population.
        """
        if self.n <= self.population:
            return np.full_like(self.shares, -np.inf), np.full_like(self.shares, np.inf)
        if z not in self._intervals:  # figures, tables and sentences ask for the same one
            self._intervals[z] = self._ends(z)
        low, high = self._intervals[z]
        return low.copy(), high.copy()

    @cached_property
    def within(self) -> ShareLaws:
        """These laws with estimates outside [0, 1] moved to the nearer end."""
        return replace(self, shares=np.clip(self.shares, 0.0, 1.0))

    def _ends(self, z: float) -> tuple[Floats, Floats]:
        """The x that solve x = share + sign * reach(x), by the Illinois method (Dowell & Jarratt 1971): secants that keep x enclosed.

        Of both signs at once, low and high: for few cells a step costs what its calls cost.
        """
        both = (2, *self.shares.shape)
        per_person = self._per_person

        def over(x: Floats) -> Floats:
            spread, third = self._moments(x)
            below, above = self._limits(x, z, spread, third)
            deviation = np.sqrt(spread * per_person)
            return np.stack([self.shares - above[0] * deviation[0], self.shares + below[1] * deviation[1]])

        zero, one = np.zeros(both), np.ones(both)
        at_zero, at_one = over(zero), over(one)
        first, over_first, last, over_last = zero, np.maximum(at_zero, _CLOSE), one, np.minimum(at_one - 1, -_CLOSE)
        for _ in range(_STEPS):
            root = last - over_last * (last - first) / (over_last - over_first)
            over_root = over(root) - root
            crossed = over_root * over_last < 0
            first, over_first = np.where(crossed, last, first), np.where(crossed, over_last, over_first / 2)
            near = bool((np.abs(root - last) < _CLOSE).all())
            last, over_last = root, over_root
            if near:
                break
        low, high = np.where(at_zero <= 0, at_zero, np.where(at_one >= 1, at_one, last))
        return low, high

    @property
    def _per_person(self) -> Floats:
        """effect / n; effect / (n - 1) against a population, since the spread comes from the same people."""
        return self.effect / (self.n - self.population) if self.n > self.population else np.full_like(self.effect, np.inf)

    def _moments(self, x: Floats) -> tuple[Floats, Floats]:
        """Variance of what one record adds, if the share is ``x`` in [0, 1], and its third moment.

        The variance is projected, and seen less what of it the estimate explains: at least a part of the projected one, since what is
        explained is known near the estimate only.
        """
        projected = self.others_square + x * (self.own_square - self.others_square)
        third, centre = self.others_cube + x * (self.own_cube - self.others_cube), self._centre(x)
        least = np.maximum(projected - centre, _SMALLEST * np.maximum(projected, 1.0))
        explained = (third - x * (projected if self.population else self.own_square)) / least
        second = (1 - self.trust) * projected + self.trust * (self.seen - explained * (self.raw - x))
        return np.maximum(second - centre, _LEAST * least), third

    def _centre(self, x: Floats) -> Floats:
        """What the second moment is more than the variance."""
        return x**2 if self.population else x

    def _skewness(self, x: Floats, spread: Floats, third: Floats) -> Floats:
        third = third - (x * (3 * spread + x**2) if self.population else x * (3 * self.own_square - 2))
        found = third / (spread * np.sqrt(spread * self.n / self.effect))
        return np.minimum(np.maximum(found, -_MOST_SKEWED), _MOST_SKEWED)

    def _limits(self, x: Floats, z: float, spread: Floats, third: Floats) -> tuple[Floats, Floats]:
        skewness = self._skewness(x, spread, third)
        size = np.abs(skewness)
        short, long = _gamma_points(size, z)
        # skewness of a Poisson count that is 0 as seldom as a normal law is below -z
        rare = 1 / math.sqrt(-math.log(scipy.special.ndtr(-z)))
        short = short + (z - short) * np.minimum(np.maximum(2 * size / rare - 1, 0.0), 1.0)
        long = np.maximum(long, z)
        below, above = np.where(skewness > 0, short, long), np.where(skewness > 0, long, short)
        if not self.population:
            extra = np.maximum(self._step(x, spread, third) - _COARSE, 0.0) / 3
            below, above = below + extra, above + extra
        return below, above

    def _step(self, x: Floats, spread: Floats, third: Floats) -> Floats:
        """How far one report moves an estimate, in standard deviations: the ratio of the third moment to the second stands for it."""
        return np.asarray(np.abs(third) / (spread + self._centre(x)) / np.sqrt(spread * self.n / self.effect))


def share_laws(
    released: Floats,
    shares: Floats,
    projected: Floats,
    channel: Channel,
    n: int,
    *,
    population: bool,
    effect: Floats | float = 1.0,
) -> ShareLaws:
    """The laws of all cells of a marginal.

    The moments come from ``projected`` shares, pushed through the channel, where reports are few, and from the released shares where their
    own second moment is known to a few percent; there what of it the estimate itself explains is taken off by regression, so that a cell
    that happened to be estimated too high is not given a wider law for it.

    Parameters
    ----------
    released : ndarray of shape ``channel.report_sizes``, or with one further axis of repeated releases: released shares
    shares, projected : ndarrays of shape ``channel.sizes`` and that axis: their inversion, and its projection onto probabilities
    n : number of respondents
    population : as in ``cell_variance``
    effect : what the sample's design multiplies the variance of every share by, of their shape or one number
    """
    expected = channel.push(projected)
    second, third, fourth = (channel.inverse_moment(expected, power) for power in (2, 3, 4))
    shape = (*channel.sizes, *[1] * (shares.ndim - channel.w))
    own_square, own_cube = (np.broadcast_to(channel.own_moment(power).reshape(shape), shares.shape) for power in (2, 3))
    certain = projected > 1 - 1e-9  # then the others have no proportions: equal ones stand in
    rest, known = np.where(certain, 1.0, 1 - projected), np.where(certain, 0.0, projected)
    others_square, others_cube = (second - known * own_square) / rest, (third - known * own_cube) / rest
    if certain.any():
        cells = math.prod(channel.sizes)
        equal = channel.push(np.full(channel.sizes, 1 / cells))
        for moments, mine, power in ((others_square, own_square, 2), (others_cube, own_cube, 3)):
            even = np.broadcast_to(channel.inverse_moment(equal, power).reshape(shape), shares.shape)
            moments[certain] = (cells * even - mine)[certain] / (cells - 1)
    trust = trust_in(second, third, fourth, projected, effect, n)
    seen = np.asarray(channel.inverse_moment(released, 2))
    effects = np.broadcast_to(effect, shares.shape)
    return ShareLaws(shares, shares, seen, trust, others_square, others_cube, own_square, own_cube, n, population, effects)


def trust_in(second: Floats, third: Floats, fourth: Floats, projected: Floats, effect: Floats | float, n: int) -> Floats:
    """Weight of the released counts' own second moment: of less, the fewer the reports that it comes from.

    Parameters
    ----------
    second, third, fourth : moments of what one record adds to each share, expected at the ``projected`` ones; all of one shape
    effect, n : as in ``share_laws``
    """
    spread = np.maximum(second - projected**2, _NO_SPREAD)
    explained = (third - second * projected) / spread
    unsure = (
        np.maximum(fourth - second**2 - explained**2 * spread, 0.0)
        * effect
        / (n * np.maximum(second**2, np.finfo(np.float64).tiny))
    )
    return np.asarray(1 / (1 + _TRUST * unsure))


def _gamma_points(skewness: Floats, z: float) -> tuple[Floats, Floats]:
    """How many standard deviations below and above its mean a gamma law has as much as a normal one below -z and above z.

    Interpolated in a table, to a relative 1e-5: skewness from 0 to _MOST_SKEWED.
    """
    nodes, below, above = _gamma_table(z)
    place = np.arcsinh(skewness / _FINE)
    return np.interp(place, nodes, below), np.interp(place, nodes, above)


@lru_cache(maxsize=32)
def _gamma_table(z: float) -> tuple[Floats, Floats, Floats]:
    """Places of skewnesses from 0 on, and both distances there."""
    nodes = np.linspace(0.0, math.asinh(_MOST_SKEWED / _FINE), _NODES)
    shape = 4 / (_FINE * np.sinh(nodes[1:])) ** 2
    tail = float(scipy.special.ndtr(-z))
    below, above = (
        (point(shape, tail) - shape) / np.sqrt(shape) for point in (scipy.special.gammaincinv, scipy.special.gammainccinv)
    )
    return nodes, np.concatenate([[z], -below]), np.concatenate([[z], above])


_DRAWS = 4_000
_MOST = 500  # cells whose covariance is written out; beyond, Sidak's point is used
_SEED = 15  # fixed, so that the same release always gets the same intervals


def joint_point(shares: Floats, channel: Channel, confidence: float, *, population: bool, drawn: Spread | None = None) -> float:
    """z such that all intervals of a marginal hold at once with probability ``confidence``, were all estimates normal; limits do the rest.

    The quantile of the largest |z| of all cells, drawn from the normal law with the covariance of their estimates; never above Sidak's
    point, which is right whatever the covariance (Sidak 1967), and Sidak's where the marginal is too large to write the covariance out.

    Parameters
    ----------
    shares : ndarray of shape ``channel.sizes``, probabilities
    population : as in ``cell_variance``
    drawn : how the released shares vary by the sample's design; None for a simple random sample

    Examples
    --------
    Of a yes/no question both shares are off by the same: nothing has to be widened.

    >>> import rrcore as rr
    >>> channel = rr.build("kronecker", (2,), (1.0,)).marginal_channel((0,))
    >>> abs(joint_point(np.array([0.3, 0.7]), channel, 0.95, population=True) - 1.96) < 0.1
    True
    """
    two_sided_point(confidence)
    freedom = math.inf if drawn is None or not population else drawn.freedom
    sidak = two_sided_point(confidence ** (1 / shares.size), freedom)
    if shares.size > _MOST:
        return sidak
    correlation = _correlation(shares, channel, population, drawn)
    values, vectors = np.linalg.eigh(correlation)
    rng = np.random.default_rng(_SEED)
    deviates = (vectors * np.sqrt(np.maximum(values, 0.0))) @ rng.standard_normal((shares.size, _DRAWS))
    largest = np.abs(deviates).max(axis=0)
    if math.isfinite(freedom):
        largest = largest / np.sqrt(rng.chisquare(freedom, _DRAWS) / freedom)
    return min(sidak, float(np.quantile(largest, confidence)))


def _correlation(shares: Floats, channel: Channel, population: bool, drawn: Spread | None) -> Floats:
    """Correlations of the estimates of all cells (theory.md section 7), shape (M, M)."""
    m, flat = shares.size, shares.ravel()
    reports = math.prod(channel.report_sizes)
    inverse = channel.invert(np.eye(reports).reshape(*channel.report_sizes, reports)).reshape(m, reports)
    if drawn is None:
        covariance = (inverse * channel.push(shares).ravel()) @ inverse.T
        covariance -= np.outer(flat, flat) if population else np.diag(flat)
    else:
        covariance = inverse @ drawn.covariance(channel, population=population) @ inverse.T
    deviation = np.sqrt(np.maximum(np.diag(covariance), np.finfo(np.float64).tiny))
    return np.asarray(covariance / np.outer(deviation, deviation))
