"""Independent blocks of attributes, each with a mechanism of its own: the simple fallback for many attributes (theory.md section 12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrcore.liesets import LieSets
from rrcore.mechanisms.base import Floats, Mechanism
from rrcore.mechanisms.optimal import Optimal
from rrcore.progress import Report, quiet

__all__ = ["Blocks"]

_BLOCK = 10
"""Attributes of one block."""


@dataclass(frozen=True, eq=False)
class Blocks(Mechanism):
    """Attributes in consecutive blocks that are randomised independently of each other; the record costs the sum.

    Parameters
    ----------
    sizes : tuple of k ints
    parts : Mechanisms whose sizes, one after the other, are ``sizes``
    bound : float or None
        Certified lower bound, in nats, on the total of every mechanism with these levels, if one is known.
    """

    parts: tuple[Mechanism, ...]
    bound: float | None = None

    @classmethod
    def from_levels(cls, sizes: Sequence[int], levels: ArrayLike, *, report: Report = quiet) -> Blocks:
        """The optimum of every ten attributes (levels in nats, shape (k,)). Raises InputError where one cannot be solved."""
        eps, parts = np.asarray(levels, dtype=np.float64), []
        for start in range(0, len(sizes), _BLOCK):
            report(start / len(sizes), "solving blocks of attributes")
            block = slice(start, start + _BLOCK)
            parts.append(Optimal.from_levels(sizes[block], eps[block]))
        return cls(tuple(sizes), tuple(parts))

    @property
    def lower_bound(self) -> float | None:
        return self.bound

    @property
    def method(self) -> str:
        return f"optima of {len(self.parts)} independent blocks" if len(self.parts) > 1 else self.parts[0].method

    @property
    def lies(self) -> Floats:
        return np.concatenate([part.lies for part in self.parts])

    @property
    def total_level(self) -> float:
        return float(sum(part.total_level for part in self.parts))

    @property
    def leakage(self) -> Floats:
        return np.concatenate([part.leakage for part in self.parts])

    @property
    def _places(self) -> list[tuple[int, int]]:
        """Block and position inside it of every attribute."""
        return [(block, inside) for block, part in enumerate(self.parts) for inside in range(part.k)]

    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        places = [self._places[i] for i in axes]
        q, order = np.ones(()), []
        for block, part in enumerate(self.parts):
            members = [position for position, (of, _) in enumerate(places) if of == block]
            if members:
                q = np.multiply.outer(q, part.marginal_channel([places[m][1] for m in members]).probabilities)
                order += members
        return LieSets(tuple(self.sizes[i] for i in axes), np.asarray(q.transpose(np.argsort(order))))

    def pair_factors(self) -> Floats:
        pairs = np.multiply.outer(self.retentions, self.retentions)
        start = 0
        for part in self.parts:
            block = slice(start, start + part.k)
            pairs[block, block] = part.pair_factors()
            start += part.k
        return pairs

    def _draw_lies(self, n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        return np.concatenate([part._draw_lies(n, rng) for part in self.parts])
