"""The exact optimum of (P) for up to 20 attributes, or for many attributes of few kinds (theory.md section 2).

The smoothed dual tells which vectors have phi = 0 or 1; (P) is then solved on the band of vectors nearest lambda.f = 0 with
the others fixed, and the band moved until primal equals dual.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms.solve.approach import BLUNT, approach, approach_floors
from rrcore.mechanisms.solve.band import Band, Solution
from rrcore.mechanisms.solve.countgrid import CountGrid, log_multiplicities
from rrcore.mechanisms.solve.interactions import Interactions
from rrcore.mechanisms.solve.programme import Floor
from rrcore.mechanisms.solve.softdual import sharpened
from rrcore.work import Report, quiet


def solve_banded(
    sizes: Sequence[int],
    levels: ArrayLike,
    *,
    floors: Sequence[Floor] = (),
    width: int = 1,
    gamma: float = 1.0,
    report: Report = quiet,
) -> tuple[Floats, float]:
    """The optimum over all lie sets, symmetric among attributes that share number of categories and level.

    Among mechanisms of the same total it is one whose sum of mu_ij / (r_i r_j) over pairs is large: the largest that the band
    allows (the largest of all up to 12 attributes).

    Parameters
    ----------
    sizes : k <= MAX_OPTIMAL_ATTRIBUTES ints >= 2; levels : k floats, nats
    floors : Floor, any number: each attribute of them is of a kind of its own
    width, gamma : the floor gamma for all sets of 2 to ``width`` attributes, in place of ``floors``
    report : called with how far the work is; may raise to stop it

    Returns
    -------
    q : ndarray of shape (2,) * k, float64, positive, summing to 1; its levels are the requested ones, and no floor is missed
    bound : float, the certified lower bound (D) on the total, nats

    Raises
    ------
    InputError
        Above ``MAX_OPTIMAL_ATTRIBUTES`` attributes, or where primal and dual differ by more than 0.01 nats.
    """
    if len(sizes) > MAX_OPTIMAL_ATTRIBUTES:
        raise InputError(
            f"The optimum over all lie sets takes at most {MAX_OPTIMAL_ATTRIBUTES} attributes and there are {len(sizes)}: "
            "choose fewer attributes or Kronecker."
        )
    grid = CountGrid(sizes, levels, apart=sorted({i for floor in floors for i in floor.axes}))
    wanted = _listed(grid, floors) if floors else Interactions(grid, width, gamma) if width > 1 else None
    return _over_lie_sets(grid, solve_counts(grid, floors=wanted, report=report))


def symmetric_family(floors: Sequence[Floor], k: int) -> tuple[int, float] | None:
    """(w, gamma) where ``floors`` are those of all sets of 2 to w of k attributes at gamma; (1, 1.0) without floors; else None."""
    if not floors:
        return 1, 1.0
    width, gamma = max(len(floor.axes) for floor in floors), floors[0].gamma
    alike = all(floor.gamma == gamma for floor in floors)
    number = sum(comb(k, size) for size in range(2, width + 1))
    whole = len(floors) == number and len({frozenset(floor.axes) for floor in floors}) == number
    return (width, gamma) if alike and whole else None


def _listed(grid: CountGrid, floors: Sequence[Floor]) -> Interactions:
    gammas: dict[tuple[int, ...], float] = {}
    for floor in floors:
        counts = np.zeros(grid.numbers.size, dtype=np.int64)
        counts[grid.kind[list(floor.axes)]] = 1
        key = tuple(int(t) for t in counts)
        gammas[key] = max(floor.gamma, gammas.get(key, 0.0))
    return Interactions(grid, max(len(floor.axes) for floor in floors), gammas)


def solve_at_once(sizes: Sequence[int], levels: ArrayLike, *, report: Report = quiet) -> tuple[Floats, float] | None:
    """What ``solve_banded`` returns, if a jump from the smoothed dual to a vertex proves to be the optimum, else None."""
    grid = CountGrid(sizes, levels)
    band = Band(grid, None)
    for sharp, at, here in sharpened(grid):
        report(sharp, "smoothing the dual")
        if here is None and band.jump(at.x):
            return _over_lie_sets(grid, band.solution(report))
        if sharp > BLUNT:
            break
    return None


def _over_lie_sets(grid: CountGrid, solution: Solution) -> tuple[Floats, float]:
    """q over all lie sets, shape (2,) * k, and the bound."""
    logs = solution.log_gains.ravel() + grid.log_uniform.ravel() - log_multiplicities(grid.numbers).ravel()
    q = grid.expand(np.exp(logs))
    return q / q.sum(), solution.bound


def solve_counts(grid: CountGrid, *, floors: Interactions | None = None, report: Report = quiet) -> Solution:
    """The optimum over count vectors, with exactly the levels and the floors.

    Raises
    ------
    InputError
        Where primal and dual differ by more than 0.01 nats.
    """
    band = Band(grid, floors)
    (approach if floors is None else approach_floors)(band, report)
    return band.solution(report)
