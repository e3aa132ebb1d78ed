"""The exact optimum of (P) for up to 20 attributes, or for many attributes of few kinds (theory.md section 2).

The smoothed dual tells which vectors have phi = 0 or 1; (P) is then solved on the band of vectors nearest lambda.f = 0 with
the others fixed, and the band moved until primal equals dual. With floors an interior-point method does all of it.
"""

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms.solve.band import WORTHWHILE, Band, CountOptimum
from rrcore.mechanisms.solve.countgrid import CountGrid, log_multiplicities
from rrcore.mechanisms.solve.guarded import solve_guarded
from rrcore.mechanisms.solve.interactions import Interactions
from rrcore.mechanisms.solve.programme import Floor
from rrcore.mechanisms.solve.softdual import sharpened
from rrcore.progress import Report, quiet

ENOUGH = 5e-7
"""Gap between total and bound, in nats, with which floors are solved in full."""

_UNDECIDED = 2048  # the band may take over once fewer vectors than this have a smoothed phi within (.05, .95)
_SHARP = 0.5  # however many vectors are undecided, they are taken for ties once the dual is this sharp
_BLUNT = 0.3  # before the dual is this sharp only a jump to the vertex it points at is tried
_PROGRESS = 0.05  # A fall of the gap by this much, in nats, is progress too
_PATIENCE = 4  # how often in a row sharpening the dual or moving the band may be of no use


def solve_banded(
    sizes: Sequence[int],
    levels: ArrayLike,
    *,
    floors: Sequence[Floor] = (),
    width: int = 1,
    gamma: float = 1.0,
    gap: float = ENOUGH,
    report: Report = quiet,
) -> tuple[Floats, float]:
    """The optimum over all lie sets, symmetric among attributes that share number of categories and level.

    Without floors, among mechanisms of the same total it is one whose sum of mu_ij / (r_i r_j) over pairs is large: the largest that the band
    allows (the largest of all up to 12 attributes).

    Parameters
    ----------
    sizes : k <= MAX_OPTIMAL_ATTRIBUTES ints >= 2; levels : k floats, nats
    floors : Floor, any number: each attribute of them is of a kind of its own
    width, gamma : the floor gamma for all sets of 2 to ``width`` attributes, in place of ``floors``
    gap : float, nats, with floors: how far above its lower bound the total may be
    report : called with how far the work is; may raise to stop it

    Returns
    -------
    q : ndarray of shape (2,) * k, float64, positive, summing to 1; its levels are the requested ones, and no floor is missed
    bound : float, the certified lower bound (D) on the total, nats

    Raises
    ------
    InputError
        Above ``MAX_OPTIMAL_ATTRIBUTES`` attributes, or as in ``solve_counts``.
    """
    if len(sizes) > MAX_OPTIMAL_ATTRIBUTES:
        raise InputError(
            f"The optimum takes at most {MAX_OPTIMAL_ATTRIBUTES} attributes and there are {len(sizes)}: choose fewer attributes or Kronecker."
        )
    grid = CountGrid(sizes, levels, apart=sorted({i for floor in floors for i in floor.axes}))
    wanted = _listed(grid, floors) if floors else Interactions(grid, width, gamma) if width > 1 else None
    return _over_lie_sets(grid, solve_counts(grid, floors=wanted, gap=gap, report=report))


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
    band = Band(grid)
    for sharp, at, done in sharpened(grid):
        report(sharp, "smoothing the dual")
        if done and band.jump(at.x):
            return _over_lie_sets(grid, band.solution(report))
        if sharp > _BLUNT:
            break
    return None


def _over_lie_sets(grid: CountGrid, solution: CountOptimum) -> tuple[Floats, float]:
    """q over all lie sets, shape (2,) * k, and the bound."""
    logs = solution.log_gains.ravel() + grid.log_uniform.ravel() - log_multiplicities(grid.numbers).ravel()
    q = grid.expand(np.exp(logs))
    return q / q.sum(), solution.bound


def solve_counts(
    grid: CountGrid, *, floors: Interactions | None = None, gap: float = ENOUGH, report: Report = quiet
) -> CountOptimum:
    """The optimum over count vectors, with exactly the levels and the floors; with floors ``gap`` nats above the bound will do.

    Raises
    ------
    InputError
        Without floors, where primal and dual differ by more than 0.01 nats; with floors, where no point with the levels was found.
    """
    if floors is not None:
        return CountOptimum(*solve_guarded(floors, gap=gap, report=report))
    band = Band(grid)
    _approach(band, report)
    return band.solution(report)


def _approach(band: Band, report: Report) -> None:
    """Levels alone: jump to a vertex from every smoothed optimum; once the dual is sharp enough, solve on the band around it too."""
    before, fruitless = np.inf, 0
    for sharp, at, done in sharpened(band.grid):
        report(0.5 * sharp, "smoothing the dual")
        if not done:
            continue
        band.lower(at.x)
        if band.jump(at.x):
            return
        if sharp < _BLUNT:
            continue
        band.offer(at.phi)
        if at.undecided > _UNDECIDED and sharp < _SHARP:
            continue
        if band.settle(at, report):
            return
        fruitless = 0 if band.gap < max(WORTHWHILE * before, before - _PROGRESS) else fruitless + 1
        before = band.gap
        if fruitless > _PATIENCE:
            return
