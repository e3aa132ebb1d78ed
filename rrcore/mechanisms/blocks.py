"""Mechanisms for independent blocks of attributes.

These are RR-Clusters and the simple fallback for many attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrcore.arrays import Booleans, Floats
from rrcore.channel.channels import SubsetChannel
from rrcore.errors import InputError
from rrcore.limits import MAX_BLOCK_ATTRIBUTES
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.closed_form import Joint
from rrcore.mechanisms.optimal import Optimal
from rrcore.progress import Report, quiet

_BLOCK = 10  # attributes of one block


@dataclass(frozen=True, eq=False)
class Blocks(Mechanism):
    """Randomize blocks of attributes independently of each other.

    The epsilon of the record is the sum over the blocks.

    Parameters
    ----------
    sizes : tuple of k ints
    parts : Mechanisms, one per block
    members : tuple of tuples of positions, the attributes of each block, in the order of its mechanism. Every attribute belongs to
        one block.
    """

    parts: tuple[Mechanism, ...]
    members: tuple[tuple[int, ...], ...]

    @classmethod
    def from_epsilon(cls, sizes: Sequence[int], epsilon: ArrayLike, *, width: int = 1, report: Report = quiet) -> Blocks:
        """Return blocks of ten attributes, each with the optimized mechanism.

        The epsilons have shape (k,) (theory.md section 12). Raises InputError if a block cannot be solved, or if there are more
        than ``MAX_BLOCK_ATTRIBUTES`` attributes.

        With ``width``, each block preserves joint distributions of up to ``width`` attributes. The whole mechanism preserves them
        too: mu_T is the product over the blocks, and each factor is at least that of Kronecker.
        """
        if len(sizes) > MAX_BLOCK_ATTRIBUTES:
            raise InputError(
                f"Expected at most {MAX_BLOCK_ATTRIBUTES} attributes for independent blocks, got {len(sizes):,}. Choose fewer attributes."
            )
        eps, parts, members = np.asarray(epsilon, dtype=np.float64), [], []
        for start in range(0, len(sizes), _BLOCK):
            report(start / len(sizes), "solving blocks of attributes")
            block = slice(start, start + _BLOCK)
            parts.append(Optimal.from_epsilon(sizes[block], eps[block], width=width))
            members.append(tuple(range(len(sizes)))[block])
        return cls(tuple(sizes), tuple(parts), tuple(members))

    @classmethod
    def rr_clusters(cls, sizes: Sequence[int], epsilon: ArrayLike, members: Sequence[Sequence[int]]) -> Blocks:
        """Return RR-Clusters: RR-Joint within each cluster of attributes.

        The epsilon of a cluster is the sum over its attributes, so the record has the same epsilon as under Kronecker
        (Multi-Dimensional RR, section 6.3.2). A single answer can reveal more than its own epsilon.
        """
        eps = np.asarray(epsilon, dtype=np.float64)
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
    def lies(self) -> Floats:
        return self._gather([part.lies for part in self.parts])

    @property
    def epsilon_total(self) -> float:
        return float(sum(part.epsilon_total for part in self.parts))

    @property
    def epsilon_informed(self) -> Floats:
        return self._gather([part.epsilon_informed for part in self.parts])

    def _gather(self, values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """What is known of each block, first axis one entry per attribute, in the order of the attributes."""
        together = np.concatenate(list(values))
        return together[np.argsort([i for block in self.members for i in block])]

    def channel(self, axes: Sequence[int]) -> SubsetChannel:
        parts, places = [], []
        for part, block in zip(self.parts, self.members, strict=True):
            asked = [position for position, i in enumerate(axes) if i in block]
            if asked:
                parts.append(part.channel([block.index(axes[p]) for p in asked]))
                places.append(asked)
        return SubsetChannel.together(parts, places)

    @cached_property
    def pair_factors(self) -> Floats:
        pairs = np.multiply.outer(self.retentions, self.retentions)
        for part, block in zip(self.parts, self.members, strict=True):
            pairs[np.ix_(block, block)] = part.pair_factors
        return pairs

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        return self._gather([part._draw_lies(n, rng) for part in self.parts])
