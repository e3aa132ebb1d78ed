"""How precisely a share within a group of people is read, before anything is collected (theory.md section 18)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.channel import LieSets, factors_of, kernel_from_factors, log_lie_set_counts
from rrcore.errors import InputError

_GRID = 1 << 10  # shares among which the one that is read worst is sought before it is refined


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
        if not 0 < len(set(given)) < channel.w:
            raise InputError("Shares within groups need an attribute in question and another one that people are grouped by.")
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
        return {population: self._turn(population) for population in (True, False)}

    def _turn(self, population: bool) -> float:
        from scipy.optimize import minimize_scalar

        shares = np.linspace(0, 1, _GRID + 1)
        best = float(shares[int(np.argmax([self._at(float(x), population) for x in shares]))])
        near = (max(0.0, best - 1 / _GRID), min(1.0, best + 1 / _GRID))
        found = float(minimize_scalar(lambda x: -self._at(float(x), population), bounds=near, method="bounded").x)
        return found if self._at(found, population) > self._at(best, population) else best

    def cautious(self, *, population: bool = True) -> float:
        """The share within the group that is read worst."""
        return self._worst[population]

    def variance(self, share: float | None = None, *, population: bool = True) -> float:
        """That of one person's part where the share within the group is ``share`` (0 to 1), by default the one that is read worst."""
        if share is not None and not 0 <= share <= 1:
            raise InputError(f"The expected share is {share:g}: give a number from 0 to 1.")
        return self._at(self.cautious(population=population) if share is None else share, population)

    def _at(self, x: float, population: bool) -> float:
        moment = self.cell - 2 * x * self.cross + x * x * self.whole
        own, rest = moment.flat[0], moment[self.inside].ravel()[1:].max()
        within = self.group * (x * own + (1 - x) * rest)
        if self.group < 1:
            within += (1 - self.group) * moment[~self.inside].max()
        return max(0.0, float(within) / self.group**2 - (0.0 if population else x * (1 - x) / self.group))

    def error(self, n: int, share: float | None = None, *, population: bool = True) -> float:
        """Standard error of the share within the group from ``n`` people in all, 0.01 being one point."""
        return math.sqrt(self.variance(share, population=population) / n)
