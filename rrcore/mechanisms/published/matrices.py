"""The optimum as its paper writes it: a dense linear programme over 2^k - 1 ratios (Privacy-Optimized RR, section IV-A, Algorithms 1 and 2).

An oracle of ``Optimal``, which solves the same problem as (P) with k rows instead of k 2^(k-1) + k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, prod

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from rrcore.arrays import Floats
from rrcore.errors import InputError

MAX_PUBLISHED = 10
"""Most attributes of the dense programme: as far as its paper goes (Table I), and a matrix of 42 MB."""


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
