"""The methods of the Privacy-Optimized RR paper ("Privacy-Optimized Randomized Response") as published, to compare with.

Two attributes have a closed form (section IV-B1). The heuristic gets k attributes from k - 1 (section IV-B3, Algorithm 3; theory.md
section 4): its ratios x_j grow like the number of cells, so each is held here as the probability that its lie set has beyond a uniform
record's share; the induction leaves those of the earlier attributes alone, and so works for any k. The optimum is a dense linear programme
over 2^k - 1 ratios (section IV-A, Algorithms 1 and 2): an oracle of ``Optimal``, which solves the same problem as (P) with k rows instead
of k 2^(k-1) + k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, expm1, log, prod

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.channel.levels import lie_from_level
from rrcore.errors import InputError
from rrcore.limits import MAX_PUBLISHED
from rrcore.mechanisms.listed import Listed


@dataclass(frozen=True)
class TwoAttributeOptimum:
    """The cheapest mechanism for m x n data.

    Parameters
    ----------
    case : "I", "II", "III" or "IV"
        The paper's case: I and II, few lies, with x_1 = 1 or x_2 = 1; III and IV, many lies, with x_1 = x_0 or x_2 = x_0.
    ratios : (x_0, x_1, x_2)
        Probability of an output with no lie, with a lie at the first attribute only, and at the second only, each divided
        by that of an output with two lies.
    """

    case: str
    ratios: tuple[float, float, float]

    @property
    def total_level(self) -> float:
        """Record-level budget ln x_0 in nats."""
        return log(self.ratios[0])


def published_two_attribute_optimum(sizes: Sequence[int], levels: Sequence[float]) -> TwoAttributeOptimum:
    """The published solution for two attributes.

    Parameters
    ----------
    sizes : (m, n); levels : (eps_1, eps_2) in nats

    Returns
    -------
    TwoAttributeOptimum with x_0 >= x_1, x_2 >= 1
    """
    (m, n), (eps_1, eps_2) = sizes, levels
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
        loss = lie_from_level(requested, sizes) * a / (a - 1)  # 1 - r_i
        single = np.zeros(a.size)
        if a.size == 1:
            return cls.at_most_one(sizes, float(loss[0]), single, requested=requested, repaired=())
        x0, *x = published_two_attribute_optimum(tuple(sizes[:2]), tuple(requested[:2].tolist())).ratios
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


@dataclass(frozen=True, eq=False)
class PublishedOptimum:
    """Solution of the published programme.

    Parameters
    ----------
    ratios : ndarray of shape (2^k - 1,)
        x_j = X_j / X_{2^k-1} in the paper's order: lie sets by their number of attributes, then alphabetically.
    """

    ratios: Floats

    @property
    def total_level(self) -> float:
        """ln x_0, in nats: the solver's value, exact only as far as its tolerance."""
        return log(self.ratios[0])


def order_constraints(k: int) -> tuple[Floats, Floats]:
    """A_ub and b_ub of Algorithm 1: a further lie never makes an output likelier.

    Parameters
    ----------
    k : int, 2 to MAX_PUBLISHED

    Returns
    -------
    ndarray of shape (k 2^(k-1), 2^k - 1) and ndarray of shape (k 2^(k-1),), so that A_ub x <= b_ub

    Raises
    ------
    InputError
        For another number of attributes.
    """
    lie_sets = _lie_sets(k)
    place = {lying: column for column, lying in enumerate(lie_sets)}
    a_ub, b_ub = np.zeros((k * 2 ** (k - 1), 2**k - 1)), np.zeros(k * 2 ** (k - 1))
    steps = ((lying, added) for lying in lie_sets for added in range(k) if added not in lying)
    for row, (lying, added) in enumerate(steps):
        larger = tuple(sorted((*lying, added)))
        a_ub[row, place[lying]] = -1
        if len(larger) < k:
            a_ub[row, place[larger]] = 1
        else:
            b_ub[row] = -1  # the last ratio is 1
    return a_ub, b_ub


def equalities(sizes: Sequence[int], levels: ArrayLike) -> tuple[Floats, Floats]:
    """A_eq and b_eq of Algorithm 2: every attribute has its level (equation 3).

    Parameters
    ----------
    sizes : k ints; levels : k floats, nats

    Returns
    -------
    ndarray of shape (k, 2^k - 1) and ndarray of shape (k,), so that A_eq x = b_eq

    Raises
    ------
    InputError
        For fewer than 2 or more than MAX_PUBLISHED attributes.
    """
    k, odds = len(sizes), np.exp(np.asarray(levels, dtype=np.float64))
    others = np.asarray(sizes, dtype=np.float64) - 1
    lie_sets = _lie_sets(k)
    lying = np.array([[i in members for members in lie_sets[:-1]] for i in range(k)])
    outputs = np.array([prod(sizes[i] - 1 for i in members) for members in lie_sets], dtype=np.float64)  # t_j
    a_eq = np.where(lying, -(odds / others)[:, None] * outputs[:-1], outputs[:-1])
    return a_eq, np.asarray(odds * outputs[-1] / others)


def solve_published_programme(sizes: Sequence[int], levels: ArrayLike) -> PublishedOptimum:
    """Minimise x_0 with HiGHS on the dense matrices (end of section IV-A).

    Parameters
    ----------
    sizes : k ints; levels : k floats, nats

    Raises
    ------
    InputError
        For fewer than 2 or more than MAX_PUBLISHED attributes, or where the solver gives up.
    """
    from scipy.optimize import linprog  # heavy

    a_ub, b_ub = order_constraints(len(sizes))
    a_eq, b_eq = equalities(sizes, levels)
    cost = np.zeros(a_ub.shape[1])
    cost[0] = 1.0
    result = linprog(cost, A_ub=a_ub, b_ub=b_ub, A_eq=a_eq, b_eq=b_eq, method="highs")
    if not result.success:
        raise InputError("The published programme could not be solved for these levels: lower them, or choose the optimum.")
    return PublishedOptimum(result.x)


def _lie_sets(k: int) -> list[tuple[int, ...]]:
    """S_0, S_1, ... in the paper's order, as positions of attributes from 0."""
    if not 2 <= k <= MAX_PUBLISHED:
        raise InputError(
            f"The published programme takes 2 to {MAX_PUBLISHED} attributes and there are {k}: choose the optimum or Kronecker."
        )
    return [lying for count in range(k + 1) for lying in combinations(range(k), count)]
