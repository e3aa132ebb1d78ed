"""The linear program (P) over count vectors, with accuracy floors and leakage caps as further rows (theory.md sections 2 and 5).

The variables are psi = U phi / e^log_upper and c' = c / e^log_upper, and every row is divided by its own size: the entries stay near 1
however small U or 1 - p_i are, and a solver's tolerance means the same at every total. If there are more than 4,096 vectors, only
those nearest lambda.f = 0 are variables. The smoothed dual determines whether phi is 0 or 1 for each of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.mechanisms.solve.countgrid import CountGrid
from rrcore.mechanisms.solve.dual import log_dual_value, sharpened
from rrcore.mechanisms.solve.floors import FlooredRows, Interactions
from rrcore.progress import Report, quiet

if TYPE_CHECKING:
    from scipy import sparse

_WHOLE = 4096  # most vectors that are all variables: those of 12 unlike attributes
_BAND = 1024  # of more, most vectors in the band nearest lambda.f = 0
_VIOLATORS = 256  # most vectors added to the band because their phi is on the wrong side
_UNDECIDED = 256  # the band takes over once fewer vectors than this have a smoothed phi within (.05, .95)
_TIES = 0.9  # however many vectors are undecided, they are taken for ties once their number falls no faster than to this part
_ROUNDS = 6  # most times the band is moved or the program scaled before the dual is made sharper
_ATTEMPTS = 5  # most points of the smoothed dual from which the band is tried
_TIE = 1e-10  # vectors with |x.f| below this fraction of the largest are tied: any phi will do
_GAP = 3e-10  # nats to which primal and dual totals must agree
_MAX_GAP = 0.01  # largest gap, in nats, with which a solution is given out
_WELL_SCALED = -4.0  # least ln c' at which the solver's tolerances are small compared with the solution
_SLACKS = (
    1e-10,
    1e-9,
    1e-8,
)  # relative part of c given up for the choice among mechanisms of the same total: the first that works
_LOG_CAP = 34.0  # ln of the largest bound on a variable: far above what any takes, and within the solver's range
_NO_CAP = 600.0  # a cap above this, in nats, is none: nothing leaks that much
_MARGIN = 1e-9  # relative amount by which the slacks of caps are asked for lower, so that rounding does not break them

PIVOTS = 20_000
"""Most iterations on one linear program: the most that the tests took is 3,700, and a limit by the clock would depend on the machine."""

UNSOLVED = (
    "The lowest total ε could not be found within the precision of the solver. Reduce the largest values of ε, or choose "
    "independent randomization."
)


@dataclass(frozen=True)
class Floor:
    """A floor on the accuracy of the interaction of the attributes ``axes``.

    The floor requires mu_T >= gamma prod r_i: the interaction survives at least ``gamma`` times as well as under Kronecker.

    Parameters
    ----------
    axes : tuple of two or more distinct positions
    gamma : float > 0
    """

    axes: tuple[int, ...]
    gamma: float


@dataclass(frozen=True, eq=False)
class CountOptimum:
    """An optimum over count vectors.

    Parameters
    ----------
    log_gains : ndarray of shape ``grid.shape``
        Log ratio of the probability of an output with this count vector to its probability under a uniform record.
    bound : float, certified lower bound (D) on the epsilon of the record, in nats
    """

    log_gains: Floats
    bound: float


def solve_counts(grid: CountGrid, *, report: Report = quiet) -> CountOptimum:
    """Find a mechanism with the smallest total ε that has exactly the given levels.

    Among the mechanisms with that total, the function chooses one that preserves pairs well.

    Raises
    ------
    InputError
        If primal and dual differ by more than 0.01 nats.
    """
    program = Program(grid)
    if program.phi.size <= _WHOLE:
        report(0.0, "solving the linear program")
        program.settle(program.phi, np.arange(program.phi.size))
        return program.solution(report)
    attempts, undecided = 0, program.phi.size
    for sharp, at, done in sharpened(grid):
        report(0.5 * sharp, "smoothing the dual")
        if not done:
            continue
        before, undecided = undecided, at.undecided
        if _UNDECIDED < undecided < _TIES * before:
            continue
        report(0.5 + 0.4 * sharp, "solving the linear program")
        program.lower(at.x)
        attempts += 1
        if program.settle(at.phi, at.tilted.nearest(_BAND)) or attempts == _ATTEMPTS:
            break
    return program.solution(report)


def solve_capped(grid: CountGrid, floors: Interactions | None, caps: Floats | None, *, report: Report = quiet) -> CountOptimum:
    """Return the lowest epsilon of the record with ``floors`` and ``caps``.

    The caps are in nats, by kind. All vectors are variables.

    Raises
    ------
    InputError
        If floors and caps cannot be met together, or if the solver fails.
    """
    from scipy import sparse  # heavy

    most = float(grid.numbers @ grid.epsilon) if floors is None or floors.gamma.max() <= 1 else _NO_CAP
    capped = [] if caps is None else [int(t) for t in np.flatnonzero(caps < most)]
    rows = [] if floors is None else [sparse.csr_array(_floor_rows(floors))]
    rows += [_cap_rows(grid, t, float(caps[t]), reverse=False) for t in capped if caps is not None]
    reversed_: list[int] = []
    while True:
        report(0.3, "solving the linear program with floors and caps")
        program = Program(grid, sparse.vstack(rows, format="csr") if rows else None)
        program.settle(program.phi, np.arange(program.phi.size))
        if program.log_c == -np.inf:
            raise InputError(UNSOLVED if floors is None else floors.impossible)
        found = program.solution(report)
        broken = [
            t
            for t in capped
            if caps is not None and t not in reversed_ and np.abs(np.diff(found.log_gains, axis=t)).max() > caps[t]
        ]
        if not broken:
            return found
        reversed_ += broken  # a lie that is too likely: seldom, so these rows are added where they are needed
        rows += [_cap_rows(grid, t, float(caps[t]), reverse=True) for t in broken if caps is not None]


def _floor_rows(floors: Interactions) -> Floats:
    """Rows of (psi, c') that are at most 0 where every floor is kept."""
    rows = FlooredRows(floors)
    grid = floors.grid
    unit = np.minimum(1.0, np.exp(floors.summed(np.log(np.sqrt(grid.lies * (1 - grid.lies)) / grid.retentions))))[floors.wanted]
    return np.column_stack([-rows.written()[rows.free :], rows.margin[rows.free :]]) / unit[:, None]


def _cap_rows(grid: CountGrid, kind: int, cap: float, *, reverse: bool) -> sparse.csr_array:
    """X_m <= e^cap X_m' for every m, m' having one more lie of this kind; ``reverse``: X_m' <= e^cap X_m."""
    from scipy import sparse  # heavy

    level = float(grid.epsilon[kind])
    odds = float(np.exp(level + (cap - level) * (1 - _MARGIN)))
    of_truth, of_lie = (-odds, 1.0) if reverse else (1.0, -odds)
    places = np.moveaxis(np.arange(grid.log_uniform.size).reshape(grid.shape), kind, 0)
    truth, lie = places[:-1].ravel(), places[1:].ravel()
    logs = grid.log_uniform.ravel()
    u, others = np.exp(logs[truth]), np.exp(logs[truth] - logs[lie])
    data = np.concatenate([np.full(truth.size, of_truth), of_lie * others, (of_truth + of_lie) * u])
    data /= np.tile(np.maximum(abs(of_truth), abs(of_lie) * others) * u**0.25, 3)
    columns = np.concatenate([truth, lie, np.full(truth.size, logs.size)])
    return sparse.csr_array((data, (np.tile(np.arange(truth.size), 3), columns)), shape=(truth.size, logs.size + 1))


class Program:
    """(P) with phi free on a band of vectors and fixed elsewhere.

    It also holds the best known bounds on its optimum from both sides.

    Parameters
    ----------
    grid : CountGrid
    rows : sparse array of shape (n, vectors + 1), optional
        Rows of (psi, c') that must be at most 0. With rows, every vector is a variable.
    """

    def __init__(self, grid: CountGrid, rows: sparse.csr_array | None = None) -> None:
        self.grid, self.rows = grid, rows
        self.log_uniform = grid.log_uniform.ravel()
        self.log_upper = np.inf
        """ln of an upper bound on c."""
        for direction in np.eye(grid.numbers.size):
            self.lower(direction)
        self.log_c = -np.inf
        self.phi = np.zeros(self.log_uniform.size)
        self.direction = np.zeros(grid.numbers.size)

    @property
    def gap(self) -> float:
        """Primal epsilon minus dual bound, in nats."""
        return _total(self.log_c) - _total(self.log_upper)

    def lower(self, direction: Floats) -> None:
        """Adopt the bound (D) of a direction if it is the lowest so far."""
        self.log_upper = min(self.log_upper, log_dual_value(self.grid, direction))

    def settle(self, phi: Floats, band: Integers) -> bool:
        """Solve on the band around x.f = 0, then move the band and the scale.

        These steps are repeated. The result is True if primal and dual meet.
        """
        for _ in range(_ROUNDS):
            scale = self.log_upper
            found = self._solve(band, phi, np.r_[np.zeros(band.size), 1.0])
            if found is None:
                return False
            phi = found.phi
            if found.log_c > self.log_c:
                self.log_c, self.phi = found.log_c, phi
            fractional = band[(phi[band] > 0) & (phi[band] < 1)]
            if self.rows is None:
                self.direction = min((found.direction, self._level_with(fractional)), key=lambda x: log_dual_value(self.grid, x))
                self.lower(self.direction)
            else:
                self.log_upper = min(self.log_upper, found.log_bound)
            if self.gap <= _GAP and found.log_c - scale > _WELL_SCALED:
                return True
            if band.size == phi.size:
                continue
            tilt = self.grid.tilt(self.direction).ravel()
            weights = np.exp(np.minimum(self.log_uniform - self.log_upper, _LOG_CAP))
            wrong = np.where(tilt > 0, 1 - phi, phi) * np.abs(tilt) * weights
            phi = np.where(np.abs(tilt) <= _TIE * np.abs(tilt).max(), phi, tilt > 0)
            band = np.unique(np.r_[_nearest(np.abs(tilt), _BAND), _nearest(-wrong, _VIOLATORS), fractional])
        return False

    def solution(self, report: Report) -> CountOptimum:
        """Return the best mechanism found.

        Among those with the same epsilon, it is the one that preserves pairs best.
        """
        if not self.gap <= _MAX_GAP:
            raise InputError(UNSOLVED)
        report(0.95, "choosing among equals")
        log_c, phi = self._best_for_pairs() if self.rows is None else (self.log_c, self.phi)
        log_gains = np.where(phi == 1, np.logaddexp(0.0, -log_c), 0.0)
        fractional = (phi > 0) & (phi < 1)
        log_gains[fractional] = np.logaddexp(0.0, np.log(phi[fractional]) - log_c)
        return CountOptimum(self.grid.with_levels(log_gains.reshape(self.grid.shape)), _total(self.log_upper))

    def _best_for_pairs(self) -> tuple[float, Floats]:
        """ln c and phi of about the same total that the pairs survive best under: only tied vectors leave a choice."""
        tilt = np.abs(self.grid.tilt(self.direction).ravel())
        tied = np.flatnonzero((tilt <= _TIE * tilt.max()) | ((self.phi > 0) & (self.phi < 1)))[:_WHOLE]
        if tied.size > self.grid.numbers.size:
            gain = self.grid.pair_gain.ravel()[tied]
            gain = np.r_[gain / max(1.0, float(np.abs(gain).max(initial=0.0))), 0.0]  # nothing for c'
            for slack in _SLACKS:
                kind = self._solve(tied, self.phi, gain, at_least=float(np.exp(self.log_c - self.log_upper)) * (1 - slack))
                if kind is not None:
                    return kind.log_c, kind.phi
        return self.log_c, self.phi

    def _solve(self, band: Integers, phi: Floats, gain: Floats, *, at_least: float = 0.0) -> _Vertex | None:
        """Maximize ``gain`` over (psi on the band, c' >= at_least), psi counted from ``phi``; None where the solver found none."""
        from scipy.optimize import linprog  # heavy

        weights = np.zeros_like(phi)
        positive = np.flatnonzero(phi)
        weights[positive] = np.exp(self.log_uniform[positive] + np.log(phi[positive]) - self.log_upper)
        start, unit = weights[band], self.grid.unit
        upper = np.maximum(start, np.exp(np.minimum(self.log_uniform[band] - self.log_upper, _LOG_CAP)))
        low, high = np.r_[-start, at_least], np.r_[upper - start, 2.0]
        equal = np.column_stack([self.grid.columns(band), -self.grid.margin]) / unit[:, None]
        result = linprog(
            -gain,
            A_ub=self.rows,
            b_ub=None if self.rows is None else -(self.rows[:, :-1] @ weights),
            A_eq=equal,
            b_eq=-self.grid.first(weights.reshape(self.grid.log_uniform.shape)) / unit,
            bounds=np.column_stack([low, high]),
            method="highs-ds",
            options={
                "presolve": False,
                "primal_feasibility_tolerance": 1e-10,
                "dual_feasibility_tolerance": 1e-10,
                "maxiter": PIVOTS,
            },
        )
        if not result.success or not result.x[-1] > 0:
            return None
        moved = phi.copy()
        share = np.clip((start + result.x[:-1]) * np.exp(np.minimum(self.log_upper - self.log_uniform[band], _LOG_CAP)), 0.0, 1.0)
        moved[band] = np.select([result.x[:-1] <= low[:-1], result.x[:-1] >= high[:-1]], [0.0, 1.0], share)
        return _Vertex(
            moved, float(np.log(result.x[-1])) + self.log_upper, result.eqlin.marginals / unit, self._certified(result, equal)
        )

    def _certified(self, result: Any, equal: Floats) -> float:
        """ln of a bound on c by weak duality from the solver's multipliers, whatever their error, where there are further rows."""
        if self.rows is None:
            return np.inf
        slope = result.eqlin.marginals @ equal + np.minimum(result.ineqlin.marginals, 0.0) @ self.rows
        value = float(np.maximum(slope[:-1], 0.0) @ np.exp(self.log_uniform))
        return float(np.log(value) - np.log(-slope[-1])) if slope[-1] < 0 < value else np.inf

    def _level_with(self, chosen: Integers) -> Floats:
        """The x with x.margin = 1 that is nearest to x.f = 0 on the chosen vectors: more exact than the solver's own."""
        grid = self.grid
        rows = np.vstack([grid.columns(chosen).T, grid.margin]) / grid.unit
        return np.asarray(np.linalg.lstsq(rows, np.r_[np.zeros(chosen.size), 1.0])[0] / grid.unit)


@dataclass(frozen=True, eq=False)
class _Vertex:
    """A solution of (P), with the bound that it proves.

    It consists of phi of every vector, ln c, the multipliers of the solver, and the ln of the bound on c.
    """

    phi: Floats
    log_c: float
    direction: Floats
    log_bound: float


def _total(log_c: float) -> float:
    """eps_total = ln(1 + 1/c), nats."""
    return float(np.logaddexp(0.0, -log_c))


def _nearest(distance: Floats, number: int) -> Integers:
    """Positions of the ``number`` smallest distances, or all."""
    if number >= distance.size:
        return np.arange(distance.size)
    return np.asarray(np.argpartition(distance, number)[:number])
