"""Kronecker (RR-Independent): every attribute randomised on its own (Multi-Dimensional RR, 3.1; Privacy-Optimized RR, III)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Booleans, Floats
from rrcore.channel.levels import lie_from_level
from rrcore.channel.liesets import LieSets
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.listed import Listed


@dataclass(frozen=True, eq=False)
class Kronecker(Mechanism):
    """Independent lies with exactly the requested levels; the record costs their sum, and L_i = eps_i.

    Parameters
    ----------
    sizes : tuple of k ints
    requested : ndarray of shape (k,), nats; the levels eps_i
    """

    requested: Floats

    @classmethod
    def from_levels(cls, sizes: Sequence[int], levels: ArrayLike) -> Kronecker:
        """Independent randomization at the requested levels (nats, shape (k,))."""
        return cls(tuple(sizes), np.asarray(levels, dtype=np.float64))

    @property
    def method(self) -> str:
        """Empty where it was asked for; else what was tried before it was all that is left."""
        return f"every answer on its own, since nothing cheaper was found ({' '.join(self.tried)})" if self.tried else ""

    @property
    def lies(self) -> Floats:
        return lie_from_level(self.requested, self.sizes)

    @property
    def levels(self) -> Floats:
        return self.requested

    @property
    def total_level(self) -> float:
        return float(np.sum(self.requested))

    @property
    def leakage(self) -> Floats:
        return self.requested

    def apart(self) -> list[tuple[tuple[int, ...], Mechanism]]:
        halves = zip(self.sizes, self.lies, strict=True)
        alone = (Listed.at_most_one((size,), lie * size / (size - 1), np.zeros(1)) for size, lie in halves)
        return [((i,), own) for i, own in enumerate(alone)]

    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        chosen = list(axes)
        return LieSets.product([self.sizes[i] for i in chosen], self.lies[chosen])

    @property
    def _pair_factors(self) -> Floats:
        return np.asarray(np.multiply.outer(self.retentions, self.retentions))

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        return np.asarray(rng.random((self.k, n)) < self.lies[:, None])
