"""Mechanisms given by a list: report a uniform record, or lie about exactly one of the listed sets of attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rrcore.channel.liesets import LieSets
from rrcore.mechanisms.base import Floats, Mechanism

__all__ = ["Listed"]


@dataclass(frozen=True, eq=False)
class Listed(Mechanism):
    """A uniform record with probability ``uniform``, else false answers to exactly the attributes of one of the listed sets.

    Any symmetric randomized response can be written this way; few sets are enough for many (Kronecker of one attribute, RR-Joint and the
    closed form need no more than one a lie set of at most one attribute), also where the 2^k lie sets are too many to list.

    Parameters
    ----------
    sizes : tuple of k ints
    uniform : float in (0, 1]
    lying : ndarray of shape (m, k), bool
        Row s: the attributes reported falsely when set s is drawn; no two rows are equal.
    probabilities : ndarray of shape (m,), float64, positive; with ``uniform`` they sum to 1
    known_leakage : ndarray of shape (k,), nats, computed where the list was made
    known_total : float, nats, likewise
    """

    uniform: float
    lying: NDArray[np.bool_]
    probabilities: Floats
    known_leakage: Floats
    known_total: float

    @property
    def lies(self) -> Floats:
        return np.asarray(self.uniform * (1 - 1 / np.asarray(self.sizes, dtype=np.float64)) + self.probabilities @ self.lying)

    @property
    def total_level(self) -> float:
        return self.known_total

    @property
    def leakage(self) -> Floats:
        return self.known_leakage

    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        chosen = list(axes)
        sizes = tuple(self.sizes[i] for i in chosen)
        q = self.uniform * LieSets.product(sizes, 1 - 1 / np.asarray(sizes, dtype=np.float64)).probabilities
        np.add.at(q, tuple(self.lying[:, chosen].T.astype(np.intp)), self.probabilities)
        return LieSets(sizes, q / q.sum())

    @cached_property
    def _pair_factors(self) -> Floats:
        values = np.where(self.lying, -1 / (np.asarray(self.sizes, dtype=np.float64) - 1), 1.0)
        pairs = values.T @ (self.probabilities[:, None] * values)
        np.fill_diagonal(pairs, self.retentions**2)
        return np.asarray(pairs)

    def pair_factors(self) -> Floats:
        return self._pair_factors

    def _draw_lies(self, n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        ends = np.cumsum(self.probabilities)
        drawn = np.searchsorted(ends, rng.random(n), side="right")
        lying = np.vstack([self.lying, np.zeros((1, self.k), dtype=np.bool_)])  # the last row stands for uniform records
        chance = 1 - 1 / np.asarray(self.sizes, dtype=np.float64)
        at_random = rng.random((self.k, n)) < chance[:, None]
        return np.where(drawn < len(ends), lying[drawn].T, at_random)
