"""Mechanisms given by a table of the probabilities of all 2^k lie sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.channel.liesets import LieSets, log_lie_set_counts
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.solve.countgrid import log_uniform, positions

_ALIKE = 1e-6  # attributes are of one kind where exchanging them changes no probability by more, relatively: solvers round


@dataclass(frozen=True, eq=False)
class Tabulated(Mechanism):
    """Any symmetric randomized response over few attributes.

    Parameters
    ----------
    sizes : tuple of k ints
    lie_sets : LieSets, q over all 2^k lie sets
    """

    lie_sets: LieSets

    @property
    def lies(self) -> Floats:
        return self.lie_sets.lies

    @property
    def total_level(self) -> float:
        return self.lie_sets.total_level

    @property
    def leakage(self) -> Floats:
        return self.lie_sets.leakage

    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        return self.lie_sets.marginal(list(axes))

    def by_counts(self) -> tuple[Integers, Floats] | None:
        """Attributes are of one kind where exchanging two of them changes no probability of a lie set."""
        q, kind, firsts = self.lie_sets.probabilities, np.empty(self.k, dtype=np.int64), list[int]()
        for i in range(self.k):
            alike = (
                t
                for t, first in enumerate(firsts)
                if self.sizes[first] == self.sizes[i] and np.allclose(q, q.swapaxes(first, i), rtol=_ALIKE, atol=0)
            )
            kind[i] = next(alike, len(firsts))
            if kind[i] == len(firsts):
                firsts.append(i)
        numbers = np.bincount(kind)
        position = positions(kind, (numbers + 1).tolist())
        shares = np.bincount(position.ravel(), q.ravel(), int((numbers + 1).prod())).reshape(numbers + 1)
        with np.errstate(divide="ignore"):
            return kind, np.log(shares) - log_uniform([self.sizes[first] for first in firsts], numbers)

    @cached_property
    def _pair_factors(self) -> Floats:
        pairs = np.diag(self.retentions**2)
        for i, j in combinations(range(self.k), 2):
            pairs[i, j] = pairs[j, i] = self.lie_sets.marginal((i, j)).factors[1, 1]
        return pairs

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        ends = np.cumsum(self.lie_sets.probabilities.ravel())
        drawn = np.searchsorted(ends[:-1], rng.random(n) * ends[-1], side="right")
        return members(drawn, self.k)


def members(lie_sets: NDArray[np.integer], k: int) -> Booleans:
    """Row i tells which of ``lie_sets`` (positions in a raveled ``(2,) * k`` array) contain attribute i; shape (k, n)."""
    return np.asarray(lie_sets & (1 << np.arange(k, dtype=lie_sets.dtype))[::-1, None], dtype=bool)


def hold_caps(q: Floats, sizes: Sequence[int], caps: Floats) -> Floats:
    """``q`` with every output made just likely enough that no leakage is above its cap; only the solver's rounding goes.

    Outputs are only made likelier, and none more than the likeliest, so the total does not grow.

    Parameters
    ----------
    q : ndarray of shape (2,) * k; sizes : k ints; caps : ndarray of shape (k,), nats, infinite where there is none
    """
    counts = np.exp(log_lie_set_counts(sizes))
    weights = q / counts
    for i, cap in enumerate(caps):
        weights = np.maximum(weights, np.exp(-cap) * np.flip(weights, axis=i))
    return np.asarray(weights * counts / (weights * counts).sum())
