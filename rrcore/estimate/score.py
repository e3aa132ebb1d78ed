"""Score intervals: which true shares of a cell the released answers do not contradict (theory.md section 15)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import gammainccinv, gammaincinv, ndtr, ndtri, stdtrit

from rrcore.arrays import Booleans, Floats
from rrcore.channel import Channel
from rrcore.errors import InputError

_TRUST = 5.0
"""Relative variance by which the released counts' own second moment loses half its weight to the projected one: 1 / _TRUST."""
_SKEWED = 0.5
"""Skewness above which a normal law no longer serves: about that of a Poisson count of 4."""
_MOST_SKEWED = 30.0
"""Skewness beyond which a cell's law is as good as one rare report; keeps gamma quantiles finite."""
_COARSE = 0.35
"""Step of an estimate, in standard deviations, up to which its discreteness moves coverage by less than two points."""
_SMALLEST = 1e-12
"""Least variance of what one record adds, of its second moment: below, rounding is all there is."""
_HALVINGS = 45


def normal_point(confidence: float) -> float:
    """z of a two-sided normal interval. Raises InputError for a ``confidence`` that is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise InputError(f"The confidence is {confidence:g}: give a number between 0 and 1, for example 0.95.")
    return float(ndtri((1 + confidence) / 2))


def two_sided_point(confidence: float, freedom: float = math.inf) -> float:
    """The same of Student's t with ``freedom`` degrees of freedom, where a variance was read from few clusters."""
    z = normal_point(confidence)
    return z if math.isinf(freedom) else float(stdtrit(freedom, (1 + confidence) / 2))


@dataclass(frozen=True, eq=False)
class ShareLaws:
    """For every cell the law of its estimated share, as a function of the share x that it might truly have.

    The other cells keep their estimated proportions and share 1 - x: the second moment of what one record adds is then linear in x,
    ``base + slope * x``, and so is the third. Made by ``share_laws``.

    Parameters
    ----------
    shares : ndarray of shape ``channel.sizes`` (and any further axes of repeated releases), raw estimates
    base, slope : ndarrays of that shape, second moment of kappa; ``others`` and ``own`` its third moment in the other cells and in this one
    own_square : ndarray of that shape, second moment in this cell
    n : number of respondents
    population : as in ``cell_variance``
    effect : ndarray of that shape or (), what the sample's design multiplies the variance by: n / effect people drawn at random tell as much
    """

    shares: Floats
    base: Floats
    slope: Floats
    others: Floats
    own: Floats
    own_square: Floats
    n: int
    population: bool
    effect: Floats = field(default_factory=lambda: np.ones(()))

    def deviation(self, x: Floats) -> Floats:
        """Standard deviation of the estimates if the true shares were ``x``, cut off to [0, 1]: outside no share can lie."""
        return np.sqrt(self._spread(np.clip(x, 0.0, 1.0)) * self._per_person)

    def skewness(self, x: Floats) -> Floats:
        """Skewness of the estimates if the true shares were ``x`` in [0, 1]: sum kappa^3, centred, over n^(1/2) sd^3."""
        second, spread = self.base + self.slope * x, self._spread(x)
        if self.population:
            third = (1 - x) * self.others + x * self.own - 3 * x * second + 2 * x**3
        else:
            third = (1 - x) * self.others + x * (self.own - 3 * self.own_square + 2)
        return np.clip(third / (spread * np.sqrt(spread * self.n / self.effect)), -_MOST_SKEWED, _MOST_SKEWED)

    def limits(self, x: Floats, z: float) -> tuple[Floats, Floats]:
        """How many standard deviations an estimate may lie below and above ``x`` in [0, 1]; ``z`` each where the law is near normal.

        Where it is skewed, gamma quantiles of the same three moments where they reach further. Against these people an estimate moves in
        steps, and near certain answers the steps are wide: part of a step is added.
        """
        skewness = self.skewness(x)
        below, above = np.full(skewness.shape, z), np.full(skewness.shape, z)
        skewed = np.abs(skewness) > _SKEWED
        if skewed.any():
            bottom, top = _gamma_points(skewness[skewed], z)
            below[skewed], above[skewed] = np.maximum(z, -bottom), np.maximum(z, top)
        if not self.population:
            extra = np.maximum(self._step(x) - _COARSE, 0.0) / 3
            below, above = below + extra, above + extra
        return below, above

    def accepts(self, x: Floats, z: float) -> Booleans:
        """Whether the shares ``x`` in [0, 1] are in the intervals, without solving for the ends."""
        below, above = self.limits(x, z)
        away = (self.shares - x) / self.deviation(x)
        return np.asarray((-below <= away) & (away <= above))

    def interval(self, z: float) -> tuple[Floats, Floats]:
        """All x with -below <= (estimate - x) / deviation(x) <= above, (low, high): not cut off at 0 and 1; the deviation is.

        Closed form, a quadratic equation, where the limits are ``z``; halving elsewhere. Infinite from one person out of a population.
        """
        if self.n <= self.population:
            return np.full_like(self.shares, -np.inf), np.full_like(self.shares, np.inf)
        half = self.slope - (0 if self.population else 1)
        scale = z**2 * self._per_person
        first, last = self.shares + scale * half / 2, 1 + scale * self.population
        root = np.sqrt(np.maximum(first**2 - last * (self.shares**2 - scale * self.base), 0.0))
        low, high = (self._end(sign, lambda x: z * self.deviation(x), (first + sign * root) / last) for sign in (-1, 1))
        odd = np.zeros(low.shape, dtype=bool)
        for x in (np.zeros_like(low), np.clip(low, 0.0, 1.0), np.clip(self.shares, 0.0, 1.0), np.clip(high, 0.0, 1.0)):
            below, above = self.limits(x, z)
            odd |= (below > z) | (above > z)
        if odd.any():
            part = self._at(odd)
            low[odd] = np.minimum(low[odd], part._end(-1, lambda x: part.limits(x, z)[1] * part.deviation(x)))
            high[odd] = np.maximum(high[odd], part._end(1, lambda x: part.limits(x, z)[0] * part.deviation(x)))
        return low, high

    def within(self) -> ShareLaws:
        """The same laws with estimates outside [0, 1] moved to the nearer end."""
        return replace(self, shares=np.clip(self.shares, 0.0, 1.0))

    def _end(self, sign: int, reach: Callable[[Floats], Floats], root: Floats | None = None) -> Floats:
        """The x that solves x = share + sign * reach(x); ``root`` where it is known for x in [0, 1]."""
        zero, one = np.zeros_like(self.shares), np.ones_like(self.shares)
        at_zero, at_one = self.shares + sign * reach(zero), self.shares + sign * reach(one)
        if root is None:
            for _ in range(_HALVINGS):
                root = (zero + one) / 2
                further = self.shares + sign * reach(root) > root
                zero, one = np.where(further, root, zero), np.where(further, one, root)
            root = (zero + one) / 2
        return np.where(at_zero <= 0, at_zero, np.where(at_one >= 1, at_one, root))

    @property
    def _per_person(self) -> Floats:
        """effect / n; effect / (n - 1) against a population, since the spread comes from the same people."""
        return self.effect / (self.n - self.population) if self.n > self.population else np.full_like(self.effect, np.inf)

    def _spread(self, x: Floats) -> Floats:
        """Variance of what one record adds, if the share is ``x`` in [0, 1]."""
        second = self.base + self.slope * x
        return np.maximum(second - (x**2 if self.population else x), _SMALLEST * np.maximum(second, 1.0))

    def _step(self, x: Floats) -> Floats:
        """How far one report moves an estimate, in standard deviations: the ratio of the third moment to the second stands for it."""
        third = np.abs((1 - x) * self.others + x * self.own)
        return np.asarray(
            third / np.maximum(self.base + self.slope * x, _SMALLEST) / np.sqrt(self._spread(x) * self.n / self.effect)
        )

    def _at(self, cells: Booleans) -> ShareLaws:
        names = ("shares", "base", "slope", "others", "own", "own_square", "effect")
        cut: dict[str, Any] = {name: np.broadcast_to(getattr(self, name), self.shares.shape)[cells] for name in names}
        return replace(self, **cut)


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
    own_square, own = (np.broadcast_to(channel.own_moment(power).reshape(shape), shares.shape) for power in (2, 3))
    certain = projected > 1 - 1e-9  # then the others have no proportions: equal ones stand in
    rest, known = np.where(certain, 1.0, 1 - projected), np.where(certain, 0.0, projected)
    base, others = (second - known * own_square) / rest, (third - known * own) / rest
    if certain.any():
        cells = math.prod(channel.sizes)
        equal = channel.push(np.full(channel.sizes, 1 / cells))
        for moments, mine, power in ((base, own_square, 2), (others, own, 3)):
            even = np.broadcast_to(channel.inverse_moment(equal, power).reshape(shape), shares.shape)
            moments[certain] = (cells * even - mine)[certain] / (cells - 1)
    spread = np.maximum(second - projected**2, np.finfo(np.float64).tiny)
    explained = (third - second * projected) / spread
    unsure = np.maximum(fourth - second**2 - explained**2 * spread, 0.0) * effect / (n * second**2)
    trust = 1 / (1 + _TRUST * unsure)
    seen = np.asarray(channel.inverse_moment(released, 2) - explained * shares)
    slope = (1 - trust) * (own_square - base) + trust * explained
    base, effects = (1 - trust) * base + trust * seen, np.broadcast_to(effect, shares.shape)
    return ShareLaws(shares, base, slope, others, own, own_square, n, population, effects)


def _gamma_points(skewness: Floats, z: float) -> tuple[Floats, Floats]:
    """The points below and above which a standardised gamma law of this skewness has as much as a normal one below -z and above z.

    Interpolated in a table, to a relative 1e-5: |skewness| from _SKEWED to _MOST_SKEWED.
    """
    nodes, bottoms, tops = _gamma_table(z)
    place = np.log(np.abs(skewness))
    bottom, top = np.interp(place, nodes, bottoms), np.interp(place, nodes, tops)
    return np.where(skewness > 0, bottom, -top), np.where(skewness > 0, top, -bottom)


@lru_cache(maxsize=32)
def _gamma_table(z: float) -> tuple[Floats, Floats, Floats]:
    """Logarithms of positive skewnesses, and both points there."""
    nodes = np.linspace(math.log(_SKEWED), math.log(_MOST_SKEWED), 1500)
    shape = 4 / np.exp(2 * nodes)
    tail = float(ndtr(-z))
    bottom, top = ((point(shape, tail) - shape) / np.sqrt(shape) for point in (gammaincinv, gammainccinv))
    return nodes, bottom, top
