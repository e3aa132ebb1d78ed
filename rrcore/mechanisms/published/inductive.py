"""The published heuristic: k attributes from k - 1 (Privacy-Optimized RR, section IV-B3, Algorithm 3; theory.md section 4).

The paper's ratios x_j grow like the number of cells. Here each is held as the probability that its lie set has beyond a
uniform record's share: the induction leaves those of the earlier attributes alone, and so works for any k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.channel.levels import lie_probability
from rrcore.mechanisms.listed import Listed
from rrcore.mechanisms.published.two_attributes import two_attribute_optimum

EXCEEDED = 1e-9
"""A level counts as exceeded when the achieved one is larger by more than this, in nats."""


@dataclass(frozen=True, eq=False)
class Published(Listed):
    """The published heuristic as printed. Its result depends on the order of the attributes.

    It solves the first two attributes exactly and adds the others one by one. Where an attribute cannot be added with its
    level, the paper's repair gives it another level instead, which may be above the requested one: see ``violations``.

    Parameters
    ----------
    sizes, uniform, lying, probabilities : as in ``Listed``
    requested : ndarray of shape (k,); the levels asked for, in nats; ``levels`` holds the achieved ones
    repaired : tuple of int, positions of the attributes whose level was replaced (lines 8 to 11 of Algorithm 3)
    """

    requested: Floats
    repaired: tuple[int, ...]

    @classmethod
    def from_levels(cls, sizes: Sequence[int], levels: ArrayLike) -> Published:
        """Algorithm 3 for the requested levels (nats, shape (k,)), in the order given; one attribute is randomised plainly."""
        a, requested = np.asarray(sizes, dtype=np.float64), np.asarray(levels, dtype=np.float64)
        loss = lie_probability(requested, sizes) * a / (a - 1)  # 1 - r_i
        single = np.zeros(a.size)
        if a.size == 1:
            return cls.at_most_one(sizes, float(loss[0]), single, requested=requested, repaired=())
        x0, *x = two_attribute_optimum(tuple(sizes[:2]), tuple(requested[:2].tolist())).ratios
        others = a[:2] - 1
        counts = x0 + float(others @ x) + float(others.prod())  # 1 / X_{2,3}
        uniform, keep = float(a[:2].prod()) / counts, (x0 - 1) / counts
        single[:2] = others * np.maximum(np.array(x) - 1, 0.0) / counts  # rounding can put a ratio of 1 below it
        largest = float((single[:2] / others).max())
        repaired = []
        for i in range(2, a.size):
            share = (loss[i] - uniform) / a[i]  # of one output with a lie at i only
            if share < 0 or keep - (a[i] - 1) * share < max(largest, share):
                repaired.append(i)
                continue
            single[i] = (a[i] - 1) * share
            keep, largest = keep - single[i], max(largest, share)
        return cls.at_most_one(sizes, uniform, single, requested=requested, repaired=tuple(repaired))

    @property
    def method(self) -> str:
        return f"first two attributes solved exactly, the others added in order; {len(self.repaired)} of {self.k} levels replaced"

    @property
    def excess(self) -> Floats:
        """Achieved minus requested levels in nats, shape (k,)."""
        return np.asarray(self.levels - self.requested)

    @property
    def violations(self) -> tuple[int, ...]:
        """Positions of the attributes whose achieved level exceeds the requested one by more than ``EXCEEDED``."""
        return tuple(np.flatnonzero(self.excess > EXCEEDED).tolist())
