"""Independent blocks of attributes, each with a mechanism of its own: RR-Clusters, and the simple fallback for many attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrcore.arrays import Booleans, Floats
from rrcore.channel.liesets import LieSets
from rrcore.errors import InputError
from rrcore.limits import MAX_BLOCK_ATTRIBUTES
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.closed_form import Joint
from rrcore.mechanisms.optimal import Optimal
from rrcore.progress import Report, quiet

_BLOCK = 10  # attributes of one block


@dataclass(frozen=True, eq=False)
class Blocks(Mechanism):
    """Blocks of attributes that are randomised independently of each other; the record costs the sum.

    Parameters
    ----------
    sizes : tuple of k ints
    parts : Mechanisms, one per block
    members : tuple of tuples of positions, the attributes of each block, in the order of its mechanism; every attribute is in one block
    """

    parts: tuple[Mechanism, ...]
    members: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if sorted(i for block in self.members for i in block) != list(range(len(self.sizes))):
            raise ValueError(f"the blocks {self.members} are not a partition of {len(self.sizes)} attributes")
        for part, block in zip(self.parts, self.members, strict=True):
            if part.sizes != tuple(self.sizes[i] for i in block):
                raise ValueError(f"a block over attributes {block} has a mechanism for sizes {part.sizes}")

    @classmethod
    def from_levels(cls, sizes: Sequence[int], levels: ArrayLike, *, width: int = 1, report: Report = quiet) -> Blocks:
        """The optimum of every ten attributes (levels in nats, shape (k,); theory.md section 12). Raises InputError where one
        cannot be solved, and for more than ``MAX_BLOCK_ATTRIBUTES``.

        With ``width`` each block is safe for joint distributions of up to so many attributes, and so is the whole: across blocks
        mu_T is the product over blocks, each at least Kronecker's.
        """
        if len(sizes) > MAX_BLOCK_ATTRIBUTES:
            raise InputError(f"Blocks take at most {MAX_BLOCK_ATTRIBUTES} attributes, got {len(sizes):,}: choose fewer.")
        eps, parts, members = np.asarray(levels, dtype=np.float64), [], []
        for start in range(0, len(sizes), _BLOCK):
            report(start / len(sizes), "solving blocks of attributes")
            block = slice(start, start + _BLOCK)
            parts.append(Optimal.from_levels(sizes[block], eps[block], width=width))
            members.append(tuple(range(len(sizes)))[block])
        return cls(tuple(sizes), tuple(parts), tuple(members))

    @classmethod
    def rr_clusters(cls, sizes: Sequence[int], levels: ArrayLike, members: Sequence[Sequence[int]]) -> Blocks:
        """RR-Clusters: RR-Joint within each cluster, of level eps_C = the sum over the cluster, so that the record costs what it does
        under Kronecker (Multi-Dimensional RR, section 6.3.2). A single answer may then give away more than its level.
        """
        eps = np.asarray(levels, dtype=np.float64)
        blocks = tuple(tuple(cluster) for cluster in members)
        parts = tuple(Joint.from_total([sizes[i] for i in block], float(eps[list(block)].sum())) for block in blocks)
        return cls(tuple(sizes), parts, blocks)

    @property
    def clusters(self) -> tuple[tuple[int, ...], ...]:
        return self.members

    def apart(self) -> list[tuple[tuple[int, ...], Mechanism]]:
        inner = ((block, part.apart()) for part, block in zip(self.parts, self.members, strict=True))
        return [(tuple(block[i] for i in places), own) for block, groups in inner for places, own in groups]

    @property
    def method(self) -> str:
        return f"optima of {len(self.parts)} independent blocks" if len(self.parts) > 1 else self.parts[0].method

    @property
    def lies(self) -> Floats:
        return self._gather([part.lies for part in self.parts])

    @property
    def total_level(self) -> float:
        return float(sum(part.total_level for part in self.parts))

    @property
    def leakage(self) -> Floats:
        return self._gather([part.leakage for part in self.parts])

    def _gather(self, values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """What is known of each block, first axis one entry per attribute, in the order of the attributes."""
        together = np.concatenate(list(values))
        return together[np.argsort([i for block in self.members for i in block])]

    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        parts, places = [], []
        for part, block in zip(self.parts, self.members, strict=True):
            asked = [position for position, i in enumerate(axes) if i in block]
            if asked:
                parts.append(part.marginal_channel([block.index(axes[p]) for p in asked]))
                places.append(asked)
        return LieSets.together(parts, places)

    @property
    def _pair_factors(self) -> Floats:
        pairs = np.multiply.outer(self.retentions, self.retentions)
        for part, block in zip(self.parts, self.members, strict=True):
            pairs[np.ix_(block, block)] = part.pair_factors()
        return pairs

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        return self._gather([part._draw_lies(n, rng) for part in self.parts])
