"""Exact variance of an inverted marginal and of shares within groups, before or after collection (theory.md sections 7 and 18)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import numpy as np
import scipy

from rrcore.arrays import Booleans, Floats
from rrcore.channel import Channel, LieSets, factors_of, kernel_from_factors, log_lie_set_counts
from rrcore.errors import InputError


def cell_variance(released: Floats, shares: Floats, channel: Channel, n: float, *, population: bool) -> Floats:
    """Variance of every estimated share.

    Parameters
    ----------
    released : ndarray of shape ``channel.report_sizes``, released shares
    shares : ndarray of shape ``channel.sizes``, true shares pi or their estimate
    n : number of respondents
    population : bool
        False: error against the n people at hand, (sum kappa^2 lambda - pi) / n, from the randomization alone.
        True: error against the population they were drawn from, (sum kappa^2 lambda - pi^2) / n.

    Returns
    -------
    ndarray of shape ``channel.sizes``, >= 0 (an estimated variance below 0 by sampling noise is reported as 0)
    """
    own = shares**2 if population else shares
    return np.maximum(channel.squared_inverse(released) - own, 0.0) / n


def margin(standard_error: Floats | float, confidence: float = 0.95, freedom: float = math.inf) -> Floats:
    """Half the width of a normal confidence interval, of Student's with ``freedom`` degrees of freedom where these are finite.

    Raises InputError for a ``confidence`` not between 0 and 1.
    """
    return np.asarray(two_sided_point(confidence, freedom) * standard_error)


@dataclass(frozen=True)
class ShareVariance:
    """The largest variance of one person's part in an estimated share, over all true distributions in which that share is x.

    ``elsewhere + x (own - elsewhere) - x^2`` against the population, ``- x`` against the people themselves.

    Parameters
    ----------
    own : what a person adds whose true answer is the cell itself, sum over u of kappa(u, v)^2 P(u | v)
    elsewhere : the most that one adds whose true answer is another cell

    Examples
    --------
    A coin that is never turned is the classical case, and the cautious share is one half:

    >>> exact = ShareVariance(1.0, 0.0)
    >>> exact.cautious(), round(exact.error(2_401), 6)
    (0.5, 0.010204)
    """

    own: float
    elsewhere: float

    @classmethod
    def of(cls, channel: LieSets) -> ShareVariance:
        """That of every cell of the marginal that ``channel`` randomises; it may erase nothing (``channel.lost()``)."""
        kappa = kernel_from_factors(1 / channel.factors, channel.sizes)
        squared = factors_of(kappa**2 * np.exp(log_lie_set_counts(channel.sizes)), channel.sizes)
        adds = kernel_from_factors(squared * channel.factors, channel.sizes)
        return cls(float(adds.flat[0]), max(0.0, float(adds.ravel()[1:].max())))

    def cautious(self, *, population: bool = True) -> float:
        """The share that is read worst."""
        turn = (self.own - self.elsewhere) / 2 if population else math.copysign(math.inf, self.own - self.elsewhere - 1)
        return min(1.0, max(0.0, turn))

    def variance(self, share: float | None = None, *, population: bool = True) -> float:
        """That of one person's part where the share is ``share`` (0 to 1), by default the one that is read worst."""
        if share is not None and not 0 <= share <= 1:
            raise InputError(f"The expected share is {share:g}: give a number from 0 to 1.")
        x = self.cautious(population=population) if share is None else share
        return max(0.0, self.elsewhere + x * (self.own - self.elsewhere) - (x * x if population else x))

    def error(self, n: int, share: float | None = None, *, population: bool = True) -> float:
        """Standard error of the share from ``n`` people, 0.01 being one point; never more, whatever the other answers are."""
        return float(np.sqrt(self.variance(share, population=population) / n))


def check_confidence(confidence: float) -> None:
    """Raise InputError for what is no number between 0 and 1."""
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
        found = f"{confidence:g}" if isinstance(confidence, Real) else repr(confidence)[:40]
        raise InputError(f"The confidence is {found}: give a number between 0 and 1, for example 0.95.")


def normal_point(confidence: float) -> float:
    """z of a two-sided normal interval. Raises InputError for a ``confidence`` that is not between 0 and 1."""
    check_confidence(confidence)
    return float(scipy.special.ndtri((1 + confidence) / 2))


def two_sided_point(confidence: float, freedom: float = math.inf) -> float:
    """The point of a two-sided interval by Student's t with ``freedom`` degrees of freedom: few where a variance is of few clusters."""
    z = normal_point(confidence)
    return z if math.isinf(freedom) else float(scipy.special.stdtrit(freedom, (1 + confidence) / 2))


def two_sided_chance(distance: Floats, freedom: float = math.inf) -> Floats:
    """How often chance alone takes an estimate as many standard errors from 0 to either side: p-values that go with such intervals."""
    far = -np.abs(distance)
    return np.asarray(2 * (scipy.special.ndtr(far) if math.isinf(freedom) else scipy.special.stdtr(freedom, far)))


def widest_margin(interval: tuple[Floats, Floats]) -> float:
    """Half the length of the widest of the intervals between two arrays of ends."""
    low, high = interval
    return float(np.max(high - low) / 2)


_GRID = 1 << 10  # shares among which the one that is read worst is sought before it is refined
_AT_ONCE = 1 << 18  # cells and shares that are looked at together


@dataclass(frozen=True)
class WithinVariance:
    """The largest variance of one person's part in an estimated share *within a group*, over all true distributions with that share.

    With the group's share g and the share x within it, the estimate is linearised: one released record adds (a - x b) / g, where a is
    what it adds to the estimate of the cell and b to that of the group. The second moment is linear in the true distribution, so that the
    worst one puts who is in the group with another answer, and who is outside, on one cell each.

    Parameters
    ----------
    cell, cross, whole : ndarrays of shape (2,) * w, means of a^2, a b and b^2 over what a true cell is released as, by the attributes in
        which it differs from the cell in question
    inside : ndarray of the same shape, bool, whether such a cell is in the group
    group : share of the group, above 0 and at most 1

    Examples
    --------
    Where nothing is randomised the people of the group are a sample of their own:

    >>> from rrcore.channel import LieSets
    >>> exact = WithinVariance.of(LieSets((2, 2), np.array([1.0, 0, 0, 0]).reshape(2, 2)), [1], 0.25)
    >>> exact.cautious(), exact.variance()
    (0.5, 1.0)
    """

    cell: Floats
    cross: Floats
    whole: Floats
    inside: Booleans
    group: float

    @classmethod
    def of(cls, channel: LieSets, given: Sequence[int], group: float | None = None) -> WithinVariance:
        """That of every cell of the marginal that ``channel`` randomises, within groups by the axes ``given``; it may erase nothing.

        Parameters
        ----------
        channel : LieSets, on the attributes in question and those that people are grouped by
        given : axes of the latter, at least one, not all
        group : share of the group; None where all groups are equally common
        """
        share = 1 / math.prod(channel.sizes[i] for i in given) if group is None else group
        if not 0 < share <= 1:
            raise InputError(f"The share of the group is {share:g}: give a number above 0 and at most 1.")
        a = kernel_from_factors(1 / channel.factors, channel.sizes)
        others = tuple(i for i in range(channel.w) if i not in given)
        kept = channel.factors[tuple(slice(0, 1) if i in others else slice(None) for i in range(channel.w))]
        own = kernel_from_factors(1 / kept.reshape((2,) * len(set(given))), tuple(channel.sizes[i] for i in sorted(set(given))))
        b = np.broadcast_to(np.expand_dims(own, others), a.shape)
        counts = np.exp(log_lie_set_counts(channel.sizes))
        cell, cross, whole = (
            kernel_from_factors(factors_of(table * counts, channel.sizes) * channel.factors, channel.sizes)
            for table in (a * a, a * b, b * b)
        )
        inside = np.zeros(a.shape, dtype=bool)
        inside[tuple(slice(None) if i in others else 0 for i in range(channel.w))] = True
        return cls(cell, cross, whole, inside, share)

    @cached_property
    def _worst(self) -> dict[bool, float]:
        """The shares that were found so far: from the population, or not -> which one."""
        return {}

    def _turn(self, population: bool) -> float:
        from scipy.optimize import minimize_scalar

        shares = np.linspace(0, 1, _GRID + 1)
        step = max(1, _AT_ONCE // self.cell.size)
        variances = np.concatenate([self._at(shares[i : i + step], population) for i in range(0, len(shares), step)])
        best = float(shares[int(variances.argmax())])
        near = (max(0.0, best - 1 / _GRID), min(1.0, best + 1 / _GRID))
        found = float(minimize_scalar(lambda x: -self._at(x, population), bounds=near, method="bounded").x)
        return found if self._at(found, population) > self._at(best, population) else best

    def cautious(self, *, population: bool = True) -> float:
        """The share within the group that is read worst."""
        if population not in self._worst:
            self._worst[population] = self._turn(population)
        return self._worst[population]

    def variance(self, share: float | None = None, *, population: bool = True) -> float:
        """That of one person's part where the share within the group is ``share`` (0 to 1), by default the one that is read worst."""
        if share is not None and not 0 <= share <= 1:
            raise InputError(f"The expected share is {share:g}: give a number from 0 to 1.")
        return float(self._at(self.cautious(population=population) if share is None else share, population))

    def _at(self, share: float | Floats, population: bool) -> Floats:
        """For each of the shares within the group."""
        x = np.asarray(share, dtype=float)
        moment = self.cell.reshape(*self.cell.shape, *(1,) * x.ndim) - np.multiply.outer(self.cross, 2 * x)
        moment += np.multiply.outer(self.whole, x * x)
        own, rest = moment[(0,) * self.cell.ndim], moment[self.inside][1:].max(axis=0)
        within = self.group * (x * own + (1 - x) * rest)
        if self.group < 1:
            within += (1 - self.group) * moment[~self.inside].max(axis=0)
        return np.asarray(np.maximum(0.0, within / self.group**2 - (0.0 if population else x * (1 - x) / self.group)))

    def error(self, n: int, share: float | None = None, *, population: bool = True) -> float:
        """Standard error of the share within the group from ``n`` people in all, 0.01 being one point."""
        return math.sqrt(self.variance(share, population=population) / n)
