"""The optimum for attributes of few kinds: how many of each kind lie is drawn, then which ones (theory.md section 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.channel.factors import onto_axes
from rrcore.channel.liesets import LieSets, lie_sets_of_counts
from rrcore.errors import InputError
from rrcore.limits import MAX_COUNT_VECTORS
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.solve.banded import ENOUGH, solve_counts
from rrcore.mechanisms.solve.countgrid import CountGrid, count_of_vectors, log_uniform
from rrcore.mechanisms.solve.interactions import Interactions
from rrcore.mechanisms.solve.programme import UNSOLVED
from rrcore.progress import Report, quiet

_LEVEL_ERROR = 1e-6  # most, in nats, by which an achieved level may stay below the requested one
_MAX_GAP = 0.01  # largest gap, in nats, with which a result is given out at all, its gap shown
_HELD = 1e-9  # relative rounding allowed when floors are checked on the finished mechanism
_ROUNDING = 1e-15  # of a mu_T added up from the probabilities of all count vectors


@dataclass(frozen=True, eq=False)
class Counted(Mechanism):
    """The mechanism of least record-level budget, attributes of one kind (categories and level) being treated alike.

    Parameters
    ----------
    sizes : tuple of k ints
    kind : ndarray of shape (k,), int, the kind 0..T-1 of each attribute; attributes of one kind have equally many categories
    log_gains : ndarray of shape (n_1 + 1, ..., n_T + 1), n_t attributes of kind t
        ln of how much more probable an output is than under a uniform record, by the number of lies of each kind.
    """

    kind: Integers
    log_gains: Floats

    @classmethod
    def from_levels(
        cls,
        sizes: Sequence[int],
        levels: ArrayLike,
        *,
        width: int = 1,
        gamma: float = 1.0,
        gap: float = ENOUGH,
        report: Report = quiet,
    ) -> Counted:
        """Solve (P) over count vectors for the requested levels (nats, shape (k,)), or (P_w) of section 14.

        Parameters
        ----------
        width, gamma : every interaction of 2 to ``width`` attributes is kept at gamma times Kronecker's accuracy
        gap : with those, nats above the certified bound that will do

        Raises
        ------
        InputError
            Above ``MAX_COUNT_VECTORS`` count vectors, where the solver misses the levels or, at width 1, leaves a gap above 0.01 nats.
        """
        vectors = count_of_vectors(sizes, levels)
        if vectors > MAX_COUNT_VECTORS:
            many = f"{vectors:,}" if vectors < 10**12 else "over a million million"
            raise InputError(
                f"These attributes are of so many kinds (numbers of categories and levels) that there are {many} counts "
                f"of lies, and at most {MAX_COUNT_VECTORS:,} can be handled: give more attributes the same level, or choose Kronecker."
            )
        grid = CountGrid(sizes, levels)
        floors = Interactions(grid, width, gamma) if width > 1 else None
        solution = solve_counts(grid, floors=floors, gap=gap, report=report)
        numbers = tuple(int(size) for size in sizes)
        counted = cls(numbers, grid.kind, solution.log_gains, bound=solution.bound)
        requested = np.asarray(levels, dtype=np.float64)
        most = _MAX_GAP if floors is None else math.inf
        if not (np.abs(counted.levels - requested) < _LEVEL_ERROR).all() or counted.total_level - solution.bound > most:
            raise InputError(UNSOLVED)
        if floors is not None:
            factors = floors.factors(counted._probabilities)
            if not (factors >= floors.gamma * floors.kronecker * (1 - _HELD) - _ROUNDING)[floors.wanted].all():
                raise InputError(UNSOLVED)
        return counted

    @property
    def method(self) -> str:
        return "solved over the number of lies of each kind of attribute"

    @cached_property
    def _numbers(self) -> Integers:
        """n_t, shape (T,)."""
        return np.asarray(self.log_gains.shape, dtype=np.int64) - 1

    @cached_property
    def _kind_sizes(self) -> Integers:
        """Numbers of categories of the kinds, shape (T,)."""
        return np.asarray(self.sizes, dtype=np.int64)[np.unique(self.kind, return_index=True)[1]]

    @cached_property
    def _probabilities(self) -> Floats:
        """How likely each count vector is, in the shape of ``log_gains``."""
        logs = log_uniform(self._kind_sizes, self._numbers) + self.log_gains
        q = np.exp(logs - logs.max())
        return np.asarray(q / q.sum())

    @cached_property
    def lies(self) -> Floats:
        rates = [onto_axes(self._probabilities, [t]) @ np.arange(n + 1) / n for t, n in enumerate(self._numbers)]
        return np.array(rates)[self.kind]

    @property
    def total_level(self) -> float:
        return float(self.log_gains.max() - self.log_gains.min())

    @cached_property
    def leakage(self) -> Floats:
        leaks = [float(np.abs(np.diff(self.log_gains, axis=t)).max()) for t in range(self._numbers.size)]
        return np.array(leaks)[self.kind]

    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        chosen = list(axes)
        return LieSets(tuple(self.sizes[i] for i in chosen), lie_sets_of_counts(self.kind[chosen], self._probabilities))

    def by_counts(self) -> tuple[Integers, Floats]:
        return self.kind, self.log_gains

    @cached_property
    def _pair_factors(self) -> Floats:
        numbers, sizes = [int(n) for n in self._numbers], self._kind_sizes.astype(np.float64)
        of_kinds = np.zeros((len(numbers), len(numbers)))
        sums = [n - np.arange(n + 1) * a / (a - 1) for n, a in zip(numbers, sizes, strict=True)]  # of v_i over the kind
        for t, n in enumerate(numbers):
            squares = n - np.arange(n + 1) * (1 - 1 / (sizes[t] - 1) ** 2)
            of_kinds[t, t] = onto_axes(self._probabilities, [t]) @ (sums[t] ** 2 - squares) / max(1, n * (n - 1))
        for t, u in combinations(range(len(numbers)), 2):
            both = onto_axes(self._probabilities, [t, u])
            of_kinds[t, u] = of_kinds[u, t] = sums[t] @ both @ sums[u] / (numbers[t] * numbers[u])
        pairs = of_kinds[np.ix_(self.kind, self.kind)]
        np.fill_diagonal(pairs, self.retentions**2)
        return np.asarray(pairs)

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        ends = np.cumsum(self._probabilities.ravel())
        drawn = np.searchsorted(ends[:-1], rng.random(n) * ends[-1], side="right")
        left = list(np.unravel_index(drawn, self.log_gains.shape))  # lies still to be placed, per kind
        remaining = self._numbers.copy()
        lies = np.empty((self.k, n), dtype=np.bool_)
        for i, t in enumerate(self.kind):
            np.less(rng.random(n) * remaining[t], left[t], out=lies[i])
            left[t] = left[t] - lies[i]
            remaining[t] -= 1
        return lies
