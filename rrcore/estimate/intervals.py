"""Confidence intervals of sums of true shares and of ratios of sums.

See theory.md section 30.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from rrcore.arrays import Floats, Integers
from rrcore.channel import Channel
from rrcore.estimate.result import Result
from rrcore.estimate.sample import Spread
from rrcore.estimate.uncertainty import significance

_GRID = 1024  # points on which the law of a statistic is computed
_SPAN = 10.0  # standard deviations that they span to each side
_ALIKE = 3.0  # points within which two values of the statistic count as equal
EQUAL = 5 / 8
"""Part of the probability of an equal estimate that counts: at most 4% of a nominal 2.5% are rejected on either side."""
_NORMAL = 0.05  # the most that one person moves the statistic, in standard deviations, where its law is taken as normal
_MOST = 1 << 21  # cells times reports up to which laws are written out
_AT_ONCE = 1 << 19  # numbers of such laws that are computed together
_STEPS = 60
_NOTHING = 1e-15  # a variance that rounding alone makes


@dataclass(frozen=True, eq=False)
class Functionals:
    """Ratios a'pi / b'pi of true shares pi, or sums a'pi with b = 1.

    The cells of every functional fall into G groups that share the same a and the same b. The null distribution of a value theta tilts the
    estimated shares exponentially until (a - theta b)'pi = 0, which keeps proportions within groups. The statistic is the mean of
    ``u - theta v`` over the reports.

    Parameters
    ----------
    a, b : ndarrays of shape (G,)
    mass : ndarray of shape (F, G), positive estimated shares of the groups
    square, cross, whole : ndarrays of shape (F, G), means of u^2, u v and v^2 over the reports of each group
    found, size : ndarrays of shape (F,), estimates of a'pi and b'pi
    n : ndarray of shape (F,), whole numbers of respondents. Effective sample sizes if people are weighted
    population : if False, only the randomization is random. If True, the respondents are also drawn from a population
    released : ndarray of shape ``channel.report_sizes``, released shares
    freedom : degrees of freedom of variances estimated from clusters
    u, v : ndarrays of shape (F, R), the contribution of a report to the estimates of a'pi and b'pi. None if the table is too large
    laws : ndarray of shape (F, G, R), probabilities of the reports in each group. None if the table is too large
    """

    a: Floats
    b: Floats
    mass: Floats
    square: Floats
    cross: Floats
    whole: Floats
    found: Floats
    size: Floats
    n: Integers
    population: bool
    released: Floats
    freedom: float = math.inf
    u: Floats | None = None
    v: Floats | None = None
    laws: Floats | None = None

    @classmethod
    def of(
        cls,
        groups: Integers,
        a: Floats,
        b: Floats | None,
        released: Floats,
        shares: Floats,
        channel: Channel,
        n: Integers,
        *,
        population: bool,
    ) -> Functionals:
        """Return functionals with arbitrary groups and coefficients.

        Parameters
        ----------
        groups : ndarray of shape ``(*channel.sizes, F)``, the group of every cell, from 0 to G-1
        a, b : ndarrays of shape (G,). If b is None, it is 1
        released : ndarray of shape ``channel.report_sizes``, released shares
        shares : ndarray of shape ``channel.sizes``, the projected estimate, which consists of probabilities
        channel : Channel
        n : ndarray of shape (F,), numbers of respondents
        population : as above
        """
        base, each = _base(shares, int(n.max())), groups.shape[-1]
        u = channel.invert_back(a[groups]).reshape(-1, each).T
        v = np.ones_like(u) if b is None else channel.invert_back(b[groups]).reshape(-1, each).T
        mass, laws = np.empty((each, len(a))), np.empty((each, len(a), u.shape[1]))
        for g in range(len(a)):
            part = base[..., None] * (groups == g)
            mass[:, g] = part.reshape(-1, each).sum(axis=0)
            known = np.where(mass[:, g] > 0, mass[:, g], 1.0)
            laws[:, g] = (channel.push(part).reshape(-1, each) / known).T
        square, cross, whole = (np.einsum("fgr,fr->fg", laws, one) for one in (u * u, u * v, v * v))
        flat, ones = released.ravel(), np.ones(len(a))
        moments = (a, ones if b is None else b, mass, square, cross, whole)
        return cls(*moments, u @ flat, v @ flat, n, population, released, u=u, v=v, laws=laws)

    @classmethod
    def shares(
        cls, released: Floats, raw: Floats, shares: Floats, channel: Channel, n: Integers, *, population: bool
    ) -> Functionals:
        """Return the share of every cell.

        For a large table, the normal approximation is used.
        """
        cells, values = shares.size, np.array([0.0, 1.0])
        if cells * released.size <= _MOST:
            groups = np.eye(cells, dtype=np.int64).reshape(*channel.sizes, cells)
            return cls.of(groups, values, None, released, shares, channel, n, population=population)
        base = _base(shares, int(n.max()))
        own = np.broadcast_to(channel.own_squares, shares.shape)
        rest = (channel.squared_inverse(channel.push(base)) - base * own) / (1 - base)
        mass, square = (np.stack([one.ravel(), other.ravel()], axis=1) for one, other in ((1 - base, base), (rest, own)))
        means = np.broadcast_to(values, mass.shape)
        return cls(
            values, np.ones(2), mass, square, means, np.ones_like(mass), raw.ravel(), np.ones(cells), n, population, released
        )

    def by_design(self, drawn: Spread, channel: Channel) -> Functionals:
        """Return the functionals for a complex sample.

        ``drawn`` describes how the released shares vary. The sample size is that of an equally informative simple random sample.

        If the variance cannot be estimated, only unequal weights are taken into account.
        """
        people = np.full(len(self.n), drawn.kish)
        if self.population:
            simple, added = Spread.simple(self.released, int(self.n.max())), self._added(self.nearest, np.arange(len(self.n)))
            for i, each in enumerate(added.reshape(-1, *self.released.shape)):
                one, other = (spread.variance(each, channel) for spread in (simple, drawn))
                if min(one, other) > _NOTHING:
                    people[i] = self.n[i] * one / other
        return replace(self, n=np.maximum(np.rint(people), 1).astype(np.int64), freedom=drawn.freedom)

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest possible values."""
        possible = self.a[self.b != 0] / self.b[self.b != 0]
        return float(possible.min()), float(possible.max())

    @cached_property
    def estimate(self) -> Floats:
        """Ratios of the estimates, NaN if the denominator is not positive."""
        return np.asarray(np.divide(self.found, self.size, out=np.full_like(self.found, np.nan), where=self.size > 0))

    @cached_property
    def nearest(self) -> Floats:
        """Possible values nearest to the estimates.

        For an undefined estimate, this is the middle of the range.
        """
        return np.clip(np.where(np.isnan(self.estimate), sum(self.bounds) / 2, self.estimate), *self.bounds)

    @cached_property
    def std_error(self) -> Floats:
        """Standard deviation of each estimate if the nearest possible value is the true one."""
        away, shares, second = self._moments(self.nearest, np.arange(len(self.n)))
        variance = (shares * (second if self.population else np.maximum(second - away**2, 0.0))).sum(axis=1) / self.n
        return np.asarray(np.sqrt(variance) / np.where(self.size > 0, self.size, np.nan))

    def chance(
        self,
        theta: Floats,
        *,
        equal: float = 0.5,
        rows: Integers | None = None,
        at: Floats | None = None,
        exact: bool = True,
    ) -> Floats:
        """Return upper tail probabilities of the estimates under values ``theta``.

        Each is the probability of an estimate above the observed one, plus a fraction of the probability of an equal one.

        Parameters
        ----------
        theta : ndarray of shape (rows,)
        equal : the fraction of the probability of an equal estimate
        rows : positions of the functionals, all by default
        at : ndarray of shape (rows,), values that replace the observed ones
        exact : whether to compute the exact distribution if the normal approximation is not accurate enough
        """
        rows = np.arange(len(self.n)) if rows is None else rows
        if exact and self.laws is not None and (most := max(1, _AT_ONCE // (self.laws[0].size + _GRID))) < len(rows):
            cuts = [slice(i, i + most) for i in range(0, len(rows), most)]
            found = [self.chance(theta[cut], equal=equal, rows=rows[cut], at=None if at is None else at[cut]) for cut in cuts]
            return np.concatenate(found)
        weights, deviation, mean = self._null(theta, rows)
        distance = self.found[rows] - theta * self.size[rows] if at is None else (at - theta) * self.size[rows]
        found = scipy.special.ndtr(-distance / np.maximum(deviation, 1e-12))
        distance = distance + mean  # of whole numbers of people the mean is not quite that of the null distribution
        if exact and self.u is not None and self.v is not None:
            reach = (np.abs(self.u[rows]).max(axis=1) + np.abs(theta) * np.abs(self.v[rows]).max(axis=1)) / self.n[rows]
            rough = np.flatnonzero((reach > _NORMAL * deviation) & (deviation > 0))
            if rough.size:
                half = np.maximum.reduce([_SPAN * deviation, 1.1 * np.abs(distance), 1.5 * reach])
                found[rough] = self._by_law(theta[rough], rows[rough], weights[rough], half[rough], distance[rough], equal)
        return np.asarray(found)

    def result(self, confidence: float, *, estimate: Floats | None = None, **about: Any) -> Result:
        """Return estimates with intervals that contain them.

        ``about`` gives further parameters of ``Result``.
        """
        estimate, (low, high) = self.estimate if estimate is None else estimate, self.interval(confidence)
        ends = np.fmin(low, estimate), np.fmax(high, estimate)
        return Result(
            estimate=estimate, std_error=self.std_error, conf_low=ends[0], conf_high=ends[1], confidence=confidence, **about
        )

    def interval(self, confidence: float) -> tuple[Floats, Floats]:
        """Return the ends of the range of values that are not rejected.

        Both ends have shape (F,).
        """
        alpha = significance(confidence, self.freedom if self.population else math.inf)
        (first, last), every = self.bounds, np.arange(len(self.n))
        lowest = self.chance(np.full(len(every), first), equal=1 - EQUAL)
        highest = self.chance(np.full(len(every), last), equal=EQUAL)
        low = self._solve(alpha / 2, EQUAL, np.where(highest < alpha / 2, last, self.estimate), 1)  # never empty
        high = self._solve(1 - alpha / 2, 1 - EQUAL, np.where(lowest > 1 - alpha / 2, first, self.estimate), -1)
        unknown = ~(self.size > 0)
        return np.where(unknown, first, low), np.where(unknown, last, high)

    @cached_property
    def _people(self) -> bool:
        """Whether values are shares of the respondents, which are whole numbers of people."""
        return bool(not self.population and (self.b == 1).all() and np.isin(self.a, (0, 1)).all())

    def _solve(self, level: float, equal: float, at: Floats, inward: int) -> Floats:
        """The values at which ``chance`` is ``level``, or the nearest possible ones.

        Shares of respondents are tested at whole numbers of people. The result is half a person from the last one that is not rejected.
        """
        (first, last), rows = self.bounds, np.flatnonzero(self.size > 0)
        n = self.n[rows]
        target, at = float(scipy.special.ndtri(level)), at[rows]
        answer = np.full(len(self.n), np.nan)
        center = np.clip(at, first, last)
        answer[rows] = center - target * self.std_error[rows]
        for exact in (False, True):

            def distance(theta: Floats, active: Integers, exact: bool = exact) -> Floats:
                theta = np.rint(theta * n[active]) / n[active] if self._people else theta
                chance = self.chance(theta, equal=equal, rows=rows[active], at=at[active], exact=exact)
                return np.asarray(scipy.special.ndtri(np.clip(chance, 1e-15, 1 - 1e-15)) - target)

            answer[rows] = _roots(distance, answer[rows], center, target, (first, last), self._close[rows])
        if self._people:
            people = np.rint(answer[rows] * n)
            for by, wanted in ((inward, False), (-inward, True)):  # to a number that is not rejected, then to the last of them
                active = np.arange(len(rows))
                while (active := active[(people[active] + by >= 0) & (people[active] + by <= n[active])]).size:
                    tested = people[active] + by * wanted
                    active = active[(inward * distance(tested / n[active], active) >= 0) == wanted]
                    people[active] += by
            answer[rows] = np.clip((people - inward / 2) / n, first, last)
        return answer

    @cached_property
    def _close(self) -> Floats:
        """How closely an end is sought."""
        if self._people:
            return np.maximum(1e-4 * self.std_error, 0.4 / self.n)
        return 1e-4 * self.std_error if self.population else np.minimum(1e-4 * self.std_error + 1e-9, 0.2 / self.n)

    def _null(self, theta: Floats, rows: Integers) -> tuple[Floats, Floats, Floats]:
        """The null distribution of ``theta``: shares of the groups (people in them), deviation and mean of the statistic."""
        (away, shares, second), n = self._moments(theta, rows), self.n[rows]
        if self.population:
            return shares, np.sqrt((shares * second).sum(axis=1) / n), np.zeros(len(rows))
        people = _whole_numbers(n, shares)
        variance = (people * np.maximum(second - away**2, 0.0)).sum(axis=1) / n**2
        return people, np.sqrt(variance), (people * away).sum(axis=1) / n

    def _moments(self, theta: Floats, rows: Integers) -> tuple[Floats, Floats, Floats]:
        """``a - theta b`` of every group, its share under the null distribution, and the mean square of what a report adds there."""
        at = theta[:, None]
        away = self.a - at * self.b
        second = self.square[rows] - 2 * at * self.cross[rows] + at**2 * self.whole[rows]
        return away, _tilted(self.mass[rows], away), np.maximum(second, 0.0)

    def _added(self, theta: Floats, rows: Integers) -> Floats:
        """What every report adds to the statistic, shape (rows, R)."""
        assert self.u is not None
        assert self.v is not None
        return np.asarray(self.u[rows] - theta[:, None] * self.v[rows])

    def _by_law(self, theta: Floats, rows: Integers, weights: Floats, half: Floats, distance: Floats, equal: float) -> Floats:
        """``chance`` by the exact law of the statistic, on a circular grid from -``half`` to ``half``.

        A report between two points of the grid is split among three so that mean and variance are kept.
        """
        assert self.laws is not None
        n, values, laws = self.n[rows], self._added(theta, rows), self.laws[rows]
        mixed = np.einsum("fg,fgr->fr", weights, laws)
        origin = np.take_along_axis(values, mixed.argmax(axis=1)[:, None], axis=1)
        values = values - origin  # the two values that matter most lie on points of the grid
        second = np.take_along_axis(values, (mixed * np.abs(values)).argmax(axis=1)[:, None], axis=1)[:, 0]
        step = 2 * half / _GRID
        aligned = np.abs(second) / n / np.maximum(np.floor(np.abs(second) / (n * step)), 1.0)
        step = np.where(aligned > 0, aligned, step)
        places = values / (n * step)[:, None]
        nearest = np.rint(places)
        off = places - nearest
        cells = nearest.astype(np.int64) % _GRID
        start = _GRID * np.arange(len(rows))[:, None]

        def transform(law: Floats) -> Any:
            parts = ((-1, off * (off - 1) / 2), (0, 1 - off**2), (1, off * (off + 1) / 2))
            atoms = sum(
                np.bincount((start + (cells + by) % _GRID).ravel(), (law * part).ravel(), len(rows) * _GRID) for by, part in parts
            )
            return np.fft.rfft(np.reshape(atoms, (len(rows), _GRID)))

        product: Any = np.ones(1)
        if self.population:
            product = _power(transform(mixed), n)
        else:
            for g in np.flatnonzero(weights.any(axis=0)):
                product = product * _power(transform(laws[:, g]), weights[:, g].astype(np.int64))
        points = (np.arange(_GRID) + origin / step[:, None] + _GRID / 2) % _GRID - _GRID / 2
        above = np.clip((points - (distance / step)[:, None]) / (2 * _ALIKE) + equal, 0.0, 1.0)
        return np.asarray((np.fft.irfft(product, _GRID) * above).sum(axis=1))


def _base(shares: Floats, n: int) -> Floats:
    """Probabilities with one more person who is spread evenly: no cell is empty."""
    return (n * shares + 1 / shares.size) / (n + 1)


def _tilted(mass: Floats, away: Floats) -> Floats:
    """Shares in the exponential family through ``mass`` whose mean of ``away`` is 0, both of shape (F, G)."""
    if mass.shape[1] == 2:
        first = away[:, 1] / (away[:, 1] - away[:, 0])
        return np.stack([first, 1 - first], axis=1)
    scale = np.abs(away).max(axis=1, keepdims=True)
    away = away / np.where(scale > 0, scale, 1.0)
    log = np.log(mass)
    low, high = np.full((len(mass), 1), -1e4), np.full((len(mass), 1), 1e4)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        terms = log + middle * away
        shares = np.exp(terms - terms.max(axis=1, keepdims=True))
        above = (shares * away).sum(axis=1, keepdims=True) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _whole_numbers(n: Integers, shares: Floats) -> Floats:
    """``n`` people in groups of these ``shares``, as whole numbers that sum to n."""
    people = n[:, None] * shares
    whole = np.floor(people + 1e-9)
    rank = np.argsort(np.argsort(whole - people, axis=1, kind="stable"), axis=1)
    return np.asarray(whole + (rank < (n - whole.sum(axis=1))[:, None]))


def _power(base: Any, exponents: Integers) -> Any:
    """Every row of ``base`` to the power of its whole number."""
    found, left = np.ones_like(base), exponents[:, None]
    while left.any():
        found = np.where(left & 1, found * base, found)
        base, left = base * base, left >> 1
    return found


def _roots(
    function: Callable[[Floats, Integers], Floats],
    start: Floats,
    center: Floats,
    target: float,
    ends: tuple[float, float],
    close: Floats,
) -> Floats:
    """Where increasing functions cross 0 between two ``ends``: secants that keep the crossing enclosed.

    Parameters
    ----------
    function : of the places and which of the functions
    start, center : ndarrays of shape (F,); at ``center`` the functions are about ``-target``
    close : ndarray of shape (F,), precision
    """
    first, last = ends
    low, high = np.full_like(start, first), np.full_like(start, last)
    point, before, value_before = np.clip(start, first, last), center.copy(), np.full_like(start, -target)
    active = np.arange(len(start))
    for i in range(_STEPS):
        here = point[active]
        value = function(here, active)
        low[active], high[active] = np.where(value < 0, here, low[active]), np.where(value < 0, high[active], here)
        left, right = low[active], high[active]
        with np.errstate(all="ignore"):
            new = here - value * (here - before[active]) / (value - value_before[active])
        # a step beyond an end that was not tried goes to that end
        new = np.where(
            new <= first, np.where(left == first, first, new), np.where(new >= last, np.where(right == last, last, new), new)
        )
        inside = (new >= left) & (new <= right) & (new != here) & (i % 4 != 3)
        new = np.where(inside, new, (left + right) / 2)
        before[active], value_before[active], point[active] = here, value, new
        ended = ((value >= 0) & (here <= first)) | ((value <= 0) & (here >= last))
        point[active] = np.where(ended, here, new)
        active = active[~(ended | (right - left <= close[active]) | (np.abs(new - here) <= close[active]))]
        if not active.size:
            break
    return point
