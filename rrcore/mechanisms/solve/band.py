"""(P) on a band of vectors, the others fixed, and what is known of its optimum from both sides (theory.md section 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.mechanisms.solve.countgrid import CountGrid
from rrcore.mechanisms.solve.programme import PIVOTS, UNSOLVED
from rrcore.mechanisms.solve.softdual import DualPoint, log_dual_value
from rrcore.mechanisms.solve.tilted import Tilted
from rrcore.progress import Report

_BAND = 4096  # most vectors in the band nearest x.f = 0
_VIOLATORS = 1024  # most vectors added to the band because their phi is on the wrong side
_NEIGHBOURS = 4  # vectors nearest x.f = 0, as a multiple of the kinds, among which the fractional ones are looked for
_OUTSIDE = 1e-12  # rounding by which a phi may come out of [0, 1]
_WELL_SCALED = -4.0  # least ln c' at which the solver's tolerances are small beside the solution
_TIE = 1e-10  # vectors with |x.f| below this fraction of the largest are tied: any phi will do
_ROUNDS = 6  # most times the band is moved before the dual is made sharper
WORTHWHILE = 0.4  # A move of the band must bring the gap below this fraction of what it was, else the dual is made sharper first
_GAP = 1e-9  # primal and dual totals must agree to this, in nats
_MAX_GAP = 0.01  # largest gap, in nats, with which a solution is given out
_SLACKS = (1e-10, 1e-9, 1e-8)
"""Relative part of c given up for the choice among mechanisms of the same total, as many nats at most: the first that works."""
_LOG_CAP = 34.0  # ln of the largest bound on a variable: far above what any takes, and within the solver's range


@dataclass(frozen=True, eq=False)
class CountOptimum:
    """An optimum over count vectors.

    Parameters
    ----------
    log_gains : ndarray of shape ``grid.shape``
        ln of how much more probable an output with this count vector is than under a uniform record.
    bound : float, certified lower bound (D) on the total, nats
    """

    log_gains: Floats
    bound: float


class Band:
    """(P) with phi free on a band of vectors and fixed elsewhere, and the best bounds found on the total from both sides.

    In the programme the variables are psi = U phi / e^log_upper and c' = c / e^log_upper, and rows are divided by their units: a
    solver's tolerance then means the same at every eps_total.
    """

    def __init__(self, grid: CountGrid) -> None:
        self.grid = grid
        self.log_uniform = grid.log_uniform.ravel()
        self.log_upper = np.inf
        self.total = np.inf
        self.log_c = -np.inf
        self.phi = np.zeros(0)
        self.band = np.arange(0)

    @property
    def gap(self) -> float:
        """Primal total minus dual bound, nats."""
        return self.total - _total(self.log_upper)

    def lower(self, direction: Floats) -> None:
        """Take the bound (D) of a direction where it is the lowest so far."""
        self.log_upper = min(self.log_upper, log_dual_value(self.grid, direction))

    def offer(self, phi: Floats) -> None:
        """Take a phi with c small enough that nobody lies too often, where its total is the least so far."""
        kept = self.grid.first(self._weights(phi)) / self.grid.margin
        if kept.min() > 0:
            self._take(phi, float(np.log(kept.min())) + self.log_upper, np.arange(0))

    def _take(self, phi: Floats, log_c: float, band: Integers) -> None:
        if _total(log_c) < self.total:
            self.total, self.log_c, self.phi, self.band = _total(log_c), log_c, phi, band

    def jump(self, direction: Floats) -> bool:
        """Whether the vertex that ``direction`` points at proves to be an optimum; of several the one whose pairs survive best."""
        near = Tilted(self.grid, direction).nearest(_NEIGHBOURS * direction.size)
        columns = self.grid.columns(near)
        order = np.argsort(np.abs(direction @ columns))
        row = self.grid.unit
        free = near[order][_independent(columns[:, order] / row[:, None], direction.size - 1)]
        direction = _level_with(self.grid, free)
        self.lower(direction)
        tilted = Tilted(self.grid, direction)
        least = _TIE * tilted.furthest
        band = np.union1d(free, tilted.within(least))
        columns = self.grid.columns(free)
        missed = direction @ columns > least  # free though they are not tied
        fixed, log_unit = tilted.above(least)
        fixed *= np.exp(log_unit - self.log_upper)
        fixed -= columns[:, missed] @ np.exp(self.log_uniform[free[missed]] - self.log_upper)
        columns, wanted = np.column_stack([columns, -self.grid.margin]) / row[:, None], -fixed / row
        found = np.linalg.lstsq(columns, wanted)[0]
        found += np.linalg.lstsq(columns, wanted - columns @ found)[0]  # the last digits
        *psi, c = found
        size = np.log(np.abs(psi) + 1e-300) + self.log_upper - self.log_uniform[free]
        share = np.sign(psi) * np.exp(np.minimum(size, _LOG_CAP))
        if not (c > 0 and (share > -_OUTSIDE).all() and (share < 1 + _OUTSIDE).all()):
            return False
        phi = (self.grid.tilt(direction).ravel() > least).astype(np.float64)
        phi[band] = 0.0
        phi[free] = np.clip(share, 0.0, 1.0)
        self._take(phi, float(np.log(c)) + self.log_upper, band if band.size > free.size else band[:0])
        return self.gap <= _GAP

    def settle(self, at: DualPoint, report: Report) -> bool:
        """Solve on the band around x.f = 0, move the band, and so on; whether primal and dual met."""
        phi, band = at.phi, at.tilted.nearest(_BAND)
        for turn in range(_ROUNDS):
            report(0.5 + 0.4 * turn / _ROUNDS, "solving on the band")
            found = self._solve(band, phi, np.r_[np.zeros(band.size), 1.0])
            if found is None:
                return False
            phi, scale, before = found.phi, self.log_upper, self.gap
            fractional = band[(phi[band] > 0) & (phi[band] < 1)]
            multipliers = (found.direction, _level_with(self.grid, fractional))
            direction = min(multipliers, key=lambda each: log_dual_value(self.grid, each))
            self._take(phi, found.log_c, band)
            self.lower(direction)
            if self.gap <= _GAP and found.log_c - scale > _WELL_SCALED:
                return True
            if self.gap > WORTHWHILE * before:
                return False
            tilt = self.grid.tilt(direction).ravel()
            weights = np.exp(np.minimum(self.log_uniform - self.log_upper, _LOG_CAP))
            wrong = np.where(tilt > 0, 1 - phi, phi) * np.abs(tilt) * weights
            tied = np.abs(tilt) <= _TIE * np.abs(tilt).max()
            phi = np.where(tied, phi, tilt > 0)
            band = np.unique(np.r_[_nearest(np.abs(tilt), _BAND), _nearest(-wrong, _VIOLATORS), fractional])
        return False

    def solution(self, report: Report) -> CountOptimum:
        """The best mechanism found; among those of its total that the band allows, the one whose pairs survive best."""
        if not self.gap <= _MAX_GAP:
            raise InputError(UNSOLVED)
        report(0.95, "choosing among equals")
        log_c, phi = self._best_for_pairs()
        with np.errstate(divide="ignore"):
            log_gains = np.logaddexp(0.0, np.log(phi) - log_c)
        logs = log_gains + self.log_uniform
        log_gains -= logs.max() + np.log(np.exp(logs - logs.max()).sum())
        return CountOptimum(self.grid.with_levels(log_gains.reshape(self.grid.shape)), _total(self.log_upper))

    def _best_for_pairs(self) -> tuple[float, Floats]:
        """ln c and phi of about the same total that the pairs survive best under, among those that the band allows."""
        gain = self.grid.pair_gain.ravel()[self.band]
        gain = np.r_[gain / max(1.0, float(np.abs(gain).max(initial=0.0))), 0.0]  # nothing for c'
        for slack in _SLACKS if self.band.size else ():
            least = float(np.exp(self.log_c - self.log_upper)) * (1 - slack)
            kind = self._solve(self.band, self.phi, gain, at_least=least)
            if kind is not None:
                return kind.log_c, kind.phi
        return self.log_c, self.phi

    def _weights(self, phi: Floats) -> Floats:
        """U phi / e^log_upper, shape (R, C)."""
        weights = np.zeros_like(phi)
        positive = np.flatnonzero(phi)
        weights[positive] = np.exp(self.log_uniform[positive] + np.log(phi[positive]) - self.log_upper)
        return weights.reshape(self.grid.log_uniform.shape)

    def _solve(self, band: Integers, phi: Floats, gain: Floats, *, at_least: float = 0.0) -> _Vertex | None:
        """Maximise ``gain`` over (psi on the band, c' >= at_least), psi counted from ``phi``; None where the solver found none."""
        from scipy.optimize import linprog  # heavy

        weights = self._weights(phi)
        start = weights.ravel()[band]
        upper = np.maximum(start, np.exp(np.minimum(self.log_uniform[band] - self.log_upper, _LOG_CAP)))
        low, high = np.r_[-start, at_least], np.r_[upper - start, 2.0]
        unit = self.grid.unit
        result = linprog(
            -gain,
            A_eq=np.column_stack([self.grid.columns(band), -self.grid.margin]) / unit[:, None],
            b_eq=-self.grid.first(weights) / unit,
            bounds=np.column_stack([low, high]),
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10, "maxiter": PIVOTS},
        )
        if not result.success or not result.x[-1] > 0:
            return None
        moved = phi.copy()
        share = np.clip((start + result.x[:-1]) * np.exp(np.minimum(self.log_upper - self.log_uniform[band], _LOG_CAP)), 0.0, 1.0)
        moved[band] = np.select([result.x[:-1] <= low[:-1], result.x[:-1] >= high[:-1]], [0.0, 1.0], share)
        return _Vertex(moved, float(np.log(result.x[-1])) + self.log_upper, result.eqlin.marginals / unit)


@dataclass(frozen=True, eq=False)
class _Vertex:
    """A solution of (P): phi of every vector, ln c, and the solver's multipliers lambda."""

    phi: Floats
    log_c: float
    direction: Floats


def _total(log_c: float) -> float:
    """eps_total = ln(1 + 1/c), nats."""
    return float(np.logaddexp(0.0, -log_c))


def _level_with(grid: CountGrid, chosen: Integers) -> Floats:
    """The lambda with lambda.d = 1 that is nearest to lambda.f = 0 on the chosen vectors: more exact than the solver's own."""
    rows = np.vstack([grid.columns(chosen).T, grid.margin]) / grid.unit
    return np.asarray(np.linalg.lstsq(rows, np.r_[np.zeros(chosen.size), 1.0])[0] / grid.unit)


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
