"""The published heuristic for attributes with individual epsilons.

The paper is "Privacy-Optimized Randomized Response for Sharing Multi-Attribute Data".

The problem has a closed-form solution for two attributes (section IV-B1). The heuristic extends a solution for k - 1 attributes to k
attributes (section IV-B3, Algorithm 3; theory.md section 4). Its ratios x_j grow with the number of cells, so they are stored here
as probabilities in excess of those of a uniform record. A new attribute does not change the ratios of earlier ones, so the running
time is linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, log

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.channel.epsilon import lie_from_epsilon
from rrcore.mechanisms.base import Listed


@dataclass(frozen=True)
class TwoAttributeOptimum:
    """The mechanism with the lowest epsilon for m x n data.

    Parameters
    ----------
    case : "I", "II", "III" or "IV"
        The case in the paper. Cases I and II have few changes, with x_1 = 1 or x_2 = 1. Cases III and IV have many changes, with
        x_1 = x_0 or x_2 = x_0.
    ratios : (x_0, x_1, x_2)
        Probability of an output without changes, with a change of the first attribute only, and of the second only. Each is divided
        by the probability of an output with two changes.
    """

    case: str
    ratios: tuple[float, float, float]

    @property
    def epsilon_total(self) -> float:
        """Epsilon of the record, ln x_0, in nats."""
        return log(self.ratios[0])


def published_two_attribute_optimum(sizes: Sequence[int], epsilon: Sequence[float]) -> TwoAttributeOptimum:
    """Return the published solution for two attributes.

    Parameters
    ----------
    sizes : (m, n); levels : (eps_1, eps_2) in nats

    Returns
    -------
    TwoAttributeOptimum with x_0 >= x_1, x_2 >= 1
    """
    (m, n), (eps_1, eps_2) = sizes, epsilon
    u, v, u1, v1 = exp(eps_1), exp(eps_2), expm1(eps_1), expm1(eps_2)
    if u * v >= (m - 1) * (n - 1):
        if n * u1 >= m * v1:
            whole = v + n - 1
            x0, x2 = (n * u * v + (m - 1) * (n - 1) * v1) / whole, (n * u - (m - 1) * v1) / whole
            return TwoAttributeOptimum("I", (x0, 1.0, x2))
        whole = u + m - 1
        x0, x1 = (m * u * v + (m - 1) * (n - 1) * u1) / whole, (m * v - (n - 1) * u1) / whole
        return TwoAttributeOptimum("II", (x0, x1, 1.0))
    if (n - m) * u * v - m * (n - 1) * u + (m - 1) * n * v >= 0:
        whole = m * (n - 1) - u1 * v
        x0, x2 = (n - 1) * (u + m - 1) * v / whole, (m * (n - 1) * u + (m - 1) * u1 * v) / whole
        return TwoAttributeOptimum("III", (x0, x0, x2))
    whole = (m - 1) * n - u * v1
    x0, x1 = (m - 1) * u * (v + n - 1) / whole, ((m - 1) * n * v + (n - 1) * u * v1) / whole
    return TwoAttributeOptimum("IV", (x0, x1, x0))


EXCEEDED = 1e-9
"""A level counts as exceeded when the achieved one is larger by more than this, in nats."""


@dataclass(frozen=True, eq=False)
class Heuristic(Listed):
    """Apply the published heuristic as printed.

    The result depends on the order of the attributes.

    The heuristic solves the first two attributes exactly and adds the others one by one. If an attribute cannot be added with its
    epsilon, the paper's repair replaces this epsilon. The new epsilon can exceed the requested one (see ``violations``).

    Parameters
    ----------
    sizes, uniform, lying, probabilities : as in ``Listed``
    requested : ndarray of shape (k,), the requested epsilons in nats. ``epsilon`` holds the achieved ones
    repaired : tuple of int, positions of the attributes whose epsilon was replaced (lines 8 to 11 of Algorithm 3)
    """

    requested: Floats
    repaired: tuple[int, ...]

    @classmethod
    def from_epsilon(cls, sizes: Sequence[int], epsilon: ArrayLike) -> Heuristic:
        """Run Algorithm 3 for the requested epsilons, in the order given.

        The epsilons are in nats, shape (k,). A single attribute is randomized by k-ary randomized response.
        """
        a, requested = np.asarray(sizes, dtype=np.float64), np.asarray(epsilon, dtype=np.float64)
        loss = lie_from_epsilon(requested, sizes) * a / (a - 1)  # 1 - r_i
        single = np.zeros(a.size)
        if a.size == 1:
            return cls.at_most_one(sizes, float(loss[0]), single, requested=requested, repaired=())
        x0, *x = published_two_attribute_optimum(tuple(sizes[:2]), tuple(requested[:2].tolist())).ratios
        others = a[:2] - 1
        counts = x0 + float(others @ x) + float(others.prod())  # 1 / X_{2,3}
        uniform, keep = float(a[:2].prod()) / counts, (x0 - 1) / counts
        single[:2] = others * np.maximum(np.array(x) - 1, 0.0) / counts  # rounding can put a ratio of 1 below it
        largest = float((single[:2] / others).max())
        shares = (loss - uniform) / a  # of one output that differs in this attribute only
        repaired = []
        for i, (share, other) in enumerate(zip(shares[2:].tolist(), (a[2:] - 1).tolist(), strict=True), 2):
            if share < 0 or keep - other * share < max(largest, share):
                repaired.append(i)
                continue
            single[i] = other * share
            keep, largest = keep - other * share, max(largest, share)
        return cls.at_most_one(sizes, uniform, single, requested=requested, repaired=tuple(repaired))

    @property
    def excess(self) -> Floats:
        """Achieved minus requested epsilons in nats, shape (k,)."""
        return np.asarray(self.epsilon - self.requested)

    @property
    def violations(self) -> tuple[int, ...]:
        """Positions of the attributes whose epsilon exceeds the requested one.

        Differences of at most ``EXCEEDED`` do not count.
        """
        return tuple(np.flatnonzero(self.excess > EXCEEDED).tolist())
