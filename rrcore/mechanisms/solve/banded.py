"""The exact optimum of (P) for up to 20 attributes, or for many attributes of few kinds (theory.md section 2).

The smoothed dual tells which vectors have phi = 0 or 1; (P) is then solved on the band of vectors nearest lambda.f = 0 with
the others fixed, and the band moved until primal equals dual.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms.solve.countgrid import CountGrid, log_multiplicities
from rrcore.mechanisms.solve.programme import UNSOLVED
from rrcore.mechanisms.solve.softdual import DECIDED, log_dual_value, sharpened
from rrcore.progress import Report, quiet

_BAND = 4096  # vectors in the band nearest lambda.f = 0
_VIOLATORS = 1024  # most vectors added to the band because their phi is on the wrong side
_UNDECIDED = 2048  # the band takes over once fewer vectors than this have a smoothed phi within (.05, .95)
_SHARP = 0.5  # however many vectors are undecided, they are taken for ties once the dual is this sharp
_BLUNT = 0.3  # before the dual is this sharp only a jump to the vertex it points at is tried
_NEIGHBOURS = 4  # vectors nearest lambda.f = 0, as a multiple of the kinds, among which the fractional ones are looked for
_OUTSIDE = 1e-12  # rounding by which a phi may come out of [0, 1]
_WELL_SCALED = -4.0  # least ln c' at which the solver's tolerances are small beside the solution
_TIE = 1e-10  # vectors with |lambda.f| below this fraction of the largest are tied: any phi will do
_ROUNDS = 6  # most times the band is moved before the dual is made sharper
_WORTHWHILE = 0.4  # A move of the band must bring the gap below this fraction of what it was, else the dual is made sharper first
_PROGRESS = 0.05  # A fall of the gap by this much, in nats, is progress too
_PATIENCE = 4  # how often in a row sharpening the dual may be of no use
_PIVOTS = 20_000  # most iterations of the solver: many times what a well-scaled band takes
_GAP = 1e-9  # primal and dual totals must agree to this, in nats
_MAX_GAP = 0.01  # largest gap, in nats, with which a solution is given out

_SLACKS = (1e-10, 1e-9, 1e-8)
"""Relative part of c given up for the choice among mechanisms of the same total, as many nats at most: the first that works."""

_LOG_CAP = 34.0  # ln of the largest bound on a variable: far above what any takes, and within the solver's range


@dataclass(frozen=True, eq=False)
class Solution:
    """An optimum over count vectors.

    Parameters
    ----------
    log_gains : ndarray of shape ``grid.shape``
        ln of how much more probable an output with this count vector is than under a uniform record.
    bound : float, certified lower bound (D) on the total, nats
    """

    log_gains: Floats
    bound: float


def solve_banded(sizes: Sequence[int], levels: ArrayLike, *, report: Report = quiet) -> tuple[Floats, float]:
    """The optimum over all lie sets, symmetric among attributes that share number of categories and level.

    Among mechanisms of the same total it is one whose sum of mu_ij / (r_i r_j) over pairs is large: the largest that the band
    allows (the largest of all up to 12 attributes).

    Parameters
    ----------
    sizes : k <= MAX_OPTIMAL_ATTRIBUTES ints >= 2; levels : k floats, nats
    report : called with how far the work is; may raise to stop it

    Returns
    -------
    q : ndarray of shape (2,) * k, float64, positive, summing to 1; its levels are the requested ones up to the solver's rounding
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
    grid = CountGrid(sizes, levels)
    return _over_lie_sets(grid, solve_counts(grid, report=report))


def solve_at_once(sizes: Sequence[int], levels: ArrayLike, *, report: Report = quiet) -> tuple[Floats, float] | None:
    """What ``solve_banded`` returns, if a jump from the smoothed dual to a vertex proves to be the optimum, else None."""
    grid = CountGrid(sizes, levels)
    band = _Band(grid)
    for sharp, x, tilt in sharpened(grid):
        report(sharp, "smoothing the dual")
        if tilt is not None and band.jump(x):
            return _over_lie_sets(grid, band.solution(report))
        if sharp > _BLUNT:
            break
    return None


def _over_lie_sets(grid: CountGrid, solution: Solution) -> tuple[Floats, float]:
    """q over all lie sets, shape (2,) * k, and the bound."""
    logs = solution.log_gains.ravel() + grid.log_uniform.ravel() - log_multiplicities(grid.numbers).ravel()
    q = grid.expand(np.exp(logs))
    return q / q.sum(), solution.bound


def solve_counts(grid: CountGrid, *, report: Report = quiet) -> Solution:
    """The optimum over count vectors.

    Raises
    ------
    InputError
        Where primal and dual differ by more than 0.01 nats.
    """
    band, before, fruitless = _Band(grid), np.inf, 0
    for sharp, x, tilt in sharpened(grid):
        report(0.5 * sharp, "smoothing the dual")
        if tilt is None:
            continue
        band.lower(x)
        if band.jump(x):
            break
        if sharp < _BLUNT:
            continue
        phi = np.where(np.abs(tilt) < DECIDED, 1 / (1 + np.exp(-np.clip(tilt, -DECIDED, DECIDED))), tilt > 0).ravel()
        band.offer(phi)
        if np.count_nonzero(np.abs(tilt) < 3) > _UNDECIDED and sharp < _SHARP:
            continue
        if band.settle(x, phi, report):
            break
        fruitless = 0 if band.gap < max(_WORTHWHILE * before, before - _PROGRESS) else fruitless + 1
        before = band.gap
        if fruitless > _PATIENCE:
            break
    return band.solution(report)


class _Band:
    """(P) with phi free on a band of vectors and fixed elsewhere, and the best bounds found on ln c from both sides.

    In the programme the variables are psi = U phi / e^log_upper and c' = c / e^log_upper, and rows are divided by the smaller
    of d and the deviation of the number of lies: a solver's tolerance then means the same at every eps_total.
    """

    def __init__(self, grid: CountGrid) -> None:
        self.grid = grid
        self.log_uniform = grid.log_uniform.ravel()
        self.row = np.minimum(grid.margin, np.sqrt(grid.numbers * grid.lies * (1 - grid.lies)))
        self.log_upper = np.inf
        self.log_c = -np.inf
        self.phi = np.zeros(0)
        self.band = np.arange(0)

    @property
    def gap(self) -> float:
        """Primal total minus dual bound, nats."""
        return _total(self.log_c) - _total(self.log_upper)

    def lower(self, direction: Floats) -> None:
        """Take the bound (D) of a direction where it is the lowest so far."""
        self.log_upper = min(self.log_upper, log_dual_value(self.grid, direction))

    def offer(self, phi: Floats) -> None:
        """Take a phi with c small enough that nobody lies too often, where that c is the largest so far."""
        kept = self.grid.first(self._weights(phi)) / self.grid.margin
        if kept.min() > 0 and float(np.log(kept.min())) + self.log_upper > self.log_c:
            self.log_c, self.phi, self.band = float(np.log(kept.min())) + self.log_upper, phi, np.arange(0)

    def jump(self, direction: Floats) -> bool:
        """Whether the vertex that ``direction`` points at proves to be an optimum; of several the one whose pairs survive best."""
        distance = np.abs(self.grid.tilt(direction).ravel())
        near = _nearest(distance, _NEIGHBOURS * direction.size)
        near = near[np.argsort(distance[near])]
        free = near[_independent(self.grid.columns(near) / self.row[:, None], direction.size - 1)]
        direction = self._level_with(free)
        self.lower(direction)
        tilt = self.grid.tilt(direction).ravel()
        tied = np.flatnonzero(np.abs(tilt) <= _TIE * np.abs(tilt).max())
        band = np.union1d(free, tied)
        phi = (tilt > 0).astype(np.float64)
        phi[band] = 0.0
        columns = np.column_stack([self.grid.columns(free), -self.grid.margin]) / self.row[:, None]
        wanted = -self.grid.first(self._weights(phi)) / self.row
        found = np.linalg.lstsq(columns, wanted)[0]
        found += np.linalg.lstsq(columns, wanted - columns @ found)[0]  # the last digits
        *psi, c = found
        size = np.log(np.abs(psi) + 1e-300) + self.log_upper - self.log_uniform[free]
        share = np.sign(psi) * np.exp(np.minimum(size, _LOG_CAP))
        if not (c > 0 and (share > -_OUTSIDE).all() and (share < 1 + _OUTSIDE).all()):
            return False
        phi[free], log_c = np.clip(share, 0.0, 1.0), float(np.log(c)) + self.log_upper
        if log_c > self.log_c:
            self.log_c, self.phi, self.band = log_c, phi, band if band.size > free.size else band[:0]
        return self.gap <= _GAP

    def _gain(self, band: Integers) -> Floats:
        """What choosing among equals maximises: the pair gain of the vectors in the band, and nothing for c'."""
        gain = self.grid.pair_gain.ravel()[band]
        return np.r_[gain / max(1.0, float(np.abs(gain).max(initial=0.0))), 0.0]

    def settle(self, direction: Floats, phi: Floats, report: Report) -> bool:
        """Solve on the band around lambda.f = 0, move the band, and so on; whether primal and dual met."""
        tilt = self.grid.tilt(direction).ravel()
        band = _nearest(np.abs(tilt), _BAND)
        for turn in range(_ROUNDS):
            report(0.5 + 0.4 * turn / _ROUNDS, "solving on the band")
            found = self._solve(band, phi, np.r_[np.zeros(band.size), 1.0])
            if found is None:
                return False
            phi, scale = found.phi, self.log_upper
            multipliers = (found.direction, self._level_with(band[(phi[band] > 0) & (phi[band] < 1)]))
            direction = min(multipliers, key=lambda each: log_dual_value(self.grid, each))
            before = self.gap
            if found.log_c > self.log_c:
                self.log_c, self.phi, self.band = found.log_c, phi, band
            self.lower(direction)
            if self.gap <= _GAP and found.log_c - scale > _WELL_SCALED:
                return True
            if self.gap > _WORTHWHILE * before:
                return False
            tilt = self.grid.tilt(direction).ravel()
            undecided = band[(phi[band] > 0) & (phi[band] < 1)]
            weights = np.exp(np.minimum(self.log_uniform - self.log_upper, _LOG_CAP))
            wrong = np.where(tilt > 0, 1 - phi, phi) * np.abs(tilt) * weights
            tied = np.abs(tilt) <= _TIE * np.abs(tilt).max()
            phi = np.where(tied, phi, tilt > 0)
            band = np.unique(np.r_[_nearest(np.abs(tilt), _BAND), _nearest(-wrong, _VIOLATORS), undecided])
        return False

    def solution(self, report: Report) -> Solution:
        """The best mechanism found; among those of its total that the band allows, the one whose pairs survive best."""
        if not self.gap <= _MAX_GAP:
            raise InputError(UNSOLVED)
        report(0.95, "choosing among equals")
        log_c, phi = self.log_c, self.phi
        for slack in _SLACKS if self.band.size else ():
            least = float(np.exp(self.log_c - self.log_upper)) * (1 - slack)
            kind = self._solve(self.band, self.phi, self._gain(self.band), at_least=least)
            if kind is not None:
                log_c, phi = kind.log_c, kind.phi
                break
        with np.errstate(divide="ignore"):
            log_gains = np.logaddexp(0.0, np.log(phi) - log_c)
        logs = log_gains + self.log_uniform
        log_gains -= logs.max() + np.log(np.exp(logs - logs.max()).sum())
        return Solution(log_gains.reshape(self.grid.shape), _total(self.log_upper))

    def _level_with(self, chosen: Integers) -> Floats:
        """The lambda with lambda.d = 1 that is nearest to lambda.f = 0 on the chosen vectors: more exact than the solver's own."""
        rows = np.vstack([self.grid.columns(chosen).T, self.grid.margin]) / self.row
        return np.asarray(np.linalg.lstsq(rows, np.r_[np.zeros(chosen.size), 1.0])[0] / self.row)

    def _weights(self, phi: Floats) -> Floats:
        """U phi / e^log_upper, shape (R, C)."""
        weights = np.zeros_like(phi)
        positive = np.flatnonzero(phi)
        weights[positive] = np.exp(self.log_uniform[positive] + np.log(phi[positive]) - self.log_upper)
        return weights.reshape(self.grid.log_uniform.shape)

    def _solve(self, band: Integers, phi: Floats, gain: Floats, *, at_least: float = 0.0) -> _Vertex | None:
        """Maximise ``gain`` over (psi on the band, c' >= at_least), psi counted from ``phi``; None where the solver found none."""
        weights = self._weights(phi)
        start = weights.ravel()[band]
        upper = np.maximum(start, np.exp(np.minimum(self.log_uniform[band] - self.log_upper, _LOG_CAP)))
        low, high = np.r_[-start, at_least], np.r_[upper - start, 2.0]
        result = linprog(
            -gain,
            A_eq=np.column_stack([self.grid.columns(band), -self.grid.margin]) / self.row[:, None],
            b_eq=-self.grid.first(weights) / self.row,
            bounds=np.column_stack([low, high]),
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10, "maxiter": _PIVOTS},
        )
        if not result.success or not result.x[-1] > 0:
            return None
        moved = phi.copy()
        share = np.clip((start + result.x[:-1]) * np.exp(np.minimum(self.log_upper - self.log_uniform[band], _LOG_CAP)), 0.0, 1.0)
        moved[band] = np.select([result.x[:-1] <= low[:-1], result.x[:-1] >= high[:-1]], [0.0, 1.0], share)
        return _Vertex(moved, float(np.log(result.x[-1])) + self.log_upper, result.eqlin.marginals / self.row)


@dataclass(frozen=True, eq=False)
class _Vertex:
    """A solution of (P): phi of every vector, ln c, and the solver's multipliers lambda."""

    phi: Floats
    log_c: float
    direction: Floats


def _total(log_c: float) -> float:
    """eps_total = ln(1 + 1/c), nats."""
    return float(np.logaddexp(0.0, -log_c))


def _nearest(distance: Floats, number: int) -> Integers:
    """Positions of the ``number`` smallest distances, or all."""
    if number >= distance.size:
        return np.arange(distance.size)
    return np.asarray(np.argpartition(distance, number)[:number])


def _independent(columns: Floats, number: int) -> list[int]:
    """The first ``number`` columns that are linearly independent of those before them."""
    basis = np.zeros((columns.shape[0], 0))
    chosen: list[int] = []
    for position, column in enumerate((columns / np.linalg.norm(columns, axis=0)).T):
        if len(chosen) == number:
            break
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        length = float(np.linalg.norm(rest))
        if length > 1e-6:
            basis, chosen = np.column_stack([basis, rest / length]), [*chosen, position]
    return chosen
