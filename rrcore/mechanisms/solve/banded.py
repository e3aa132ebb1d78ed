"""The exact optimum of (P) for up to 20 attributes, or for many attributes of few kinds (theory.md section 2).

The smoothed dual tells which vectors have phi = 0 or 1; (P) is then solved on the band of vectors nearest lambda.f = 0 with
the others fixed, and the band moved until primal equals dual.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms.solve.countgrid import CountGrid, Part, log_multiplicities
from rrcore.mechanisms.solve.holding import held
from rrcore.mechanisms.solve.interactions import FlooredGrid, Interactions
from rrcore.mechanisms.solve.programme import UNSOLVED, Floor
from rrcore.mechanisms.solve.softdual import Point, Rows, log_dual_value, sharpened
from rrcore.work import Report, quiet

_BAND = 4096  # most vectors in the band nearest x.f = 0
_NARROW = 256, 4, 8  # least vectors of a band with floors, and vectors per undecided one and per row
_VIOLATORS = 1024  # most vectors added to the band because their phi is on the wrong side
_UNDECIDED = 2048  # the band may take over once fewer vectors than this have a smoothed phi within (.05, .95)
_SHARP = 0.5  # however many vectors are undecided, they are taken for ties once the dual is this sharp
_CHEAP = 1e-9  # nats; floors that cost less than this to lift are no rows
_BLUNT = 0.3  # before the dual is this sharp only a jump to the vertex it points at is tried
_FEW = 1024  # vectors few enough for one programme over all of them
_CLEAR = 0.3  # nats, gap of the smoothed dual from which on that programme takes over
_TIRED = 40  # Newton steps on one tau after which it is of no use
_NEIGHBOURS = 4  # vectors nearest x.f = 0, as a multiple of the kinds, among which the fractional ones are looked for
_OUTSIDE = 1e-12  # rounding by which a phi may come out of [0, 1]
_WELL_SCALED = -4.0  # least ln c' at which the solver's tolerances are small beside the solution
_TIE = 1e-10  # vectors with |x.f| below this fraction of the largest are tied: any phi will do
_ROUNDS = 6  # most times the band is moved before the dual is made sharper
_FLOOR_ROUNDS = 40  # the same with floors, which are added on the way
_WORTHWHILE = 0.4  # A move of the band must bring the gap below this fraction of what it was, else the dual is made sharper first
_PROGRESS = 0.05  # A fall of the gap by this much, in nats, is progress too
_PATIENCE = 4  # how often in a row sharpening the dual or moving the band may be of no use
_SECONDS = 20.0  # after which a programme is given up: most take less than one
_PIVOTS = 20_000  # most iterations of the solver: many times what a well-scaled band takes
_GAP = 1e-9  # primal and dual totals must agree to this, in nats
_ENOUGH = 1e-7, 5e-7  # with floors this will do, for few vectors and for many
_MANY = 1 << 16  # vectors
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
    band = _Band(grid, None)
    for sharp, at, here in sharpened(grid):
        report(sharp, "smoothing the dual")
        if here is None and band.jump(at.x):
            return _over_lie_sets(grid, band.solution(report))
        if sharp > _BLUNT:
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
    band = _Band(grid, floors)
    (_approach if floors is None else _approach_floors)(band, report)
    return band.solution(report)


def _approach(band: _Band, report: Report) -> None:
    """Levels alone: jump to a vertex from every smoothed optimum; once the dual is sharp enough, solve on the band around it too."""
    before, fruitless = np.inf, 0
    for sharp, at, here in sharpened(band.grid):
        report(0.5 * sharp, "smoothing the dual")
        if here is not None:
            continue
        band.lower(band.grid, at.x)
        if band.jump(at.x):
            return
        if sharp < _BLUNT:
            continue
        band.offer(at.phi, band.grid)
        if at.undecided > _UNDECIDED and sharp < _SHARP:
            continue
        if band.settle(at, report):
            return
        fruitless = 0 if band.gap < max(_WORTHWHILE * before, before - _PROGRESS) else fruitless + 1
        before = band.gap
        if fruitless > _PATIENCE:
            return


def _approach_floors(band: _Band, report: Report) -> None:
    """Levels and floors: correct every smoothed optimum; where that brings no more, or vectors are few, solve on the band around it."""
    fruitless, steps, last = 0, 0, np.inf
    best: tuple[float, Point] | None = None
    for sharp, at, here in sharpened(band.grid, band.floors):
        report(0.5 * sharp, "smoothing the dual")
        steps += 1
        if here is not None and (best is None or best[1].gap > _CLEAR or steps % _TIRED):
            continue
        if here is not None:
            at = Point(at.part, here.x)
        assert not isinstance(at.part, Part)
        band.lower(at.part, at.x)
        if isinstance(at.part, CountGrid) and here is None and band.jump(at.x):
            return
        gap = band.offer(at.met(), at.part) if here is None else np.inf
        if band.gap <= band.enough:
            return
        useful, steps = gap < _WORTHWHILE * last, steps if here is not None else 0
        if best is None or gap < best[0]:
            best = gap, at
        last = min(last, gap)
        few = band.log_uniform.size <= _FEW and at.gap < _CLEAR
        if (useful and not few) or (not (useful or few) and last == np.inf):
            continue
        before = band.gap
        if band.settle(best[1] if gap > best[0] else at, report):
            return
        fruitless = 0 if band.gap < max(_WORTHWHILE * before, before - _PROGRESS) else fruitless + 1
        if fruitless > _PATIENCE:
            return
    if best is not None:
        band.settle(best[1], report)


class _Band:
    """(P) with phi free on a band of vectors and fixed elsewhere, and the best bounds found on the total from both sides.

    In the programme the variables are psi = U phi / e^log_upper and c' = c / e^log_upper, and rows are divided by their units: a
    solver's tolerance then means the same at every eps_total.
    """

    def __init__(self, grid: CountGrid, floors: Interactions | None) -> None:
        self.grid, self.floors = grid, floors
        self.enough = _GAP if floors is None else _ENOUGH[grid.log_uniform.size > _MANY]
        self.log_uniform = grid.log_uniform.ravel()
        self.log_upper = np.inf
        self.total = np.inf  # about the total of what is kept, once its floors are lifted
        self.log_c = -np.inf
        self.phi = np.zeros(0)
        self.band = np.arange(0)
        self.rows: Rows = grid

    @property
    def gap(self) -> float:
        """Primal total minus dual bound, nats."""
        return self.total - _total(self.log_upper)

    def lower(self, rows: Rows, direction: Floats) -> None:
        """Take the bound (D) of a direction where it is the lowest so far."""
        self.log_upper = min(self.log_upper, log_dual_value(rows, direction))

    def offer(self, phi: Floats, rows: Rows) -> float:
        """Take a phi with c small enough that nobody lies too often, where its total is the least so far. Returns its gap."""
        kept = self.grid.first(self._weights(phi)) / self.grid.margin
        if not kept.min() > 0:
            return np.inf
        excess = float(kept.max() - kept.min())
        narrow = self.floors is not None and self.floors.width == 2 and phi.size <= _FEW
        band = np.arange(phi.size if narrow else 0)  # all of them, to choose among equals
        return self._take(phi, float(np.log(kept.min())) + self.log_upper, band, rows, excess)

    def _take(self, phi: Floats, log_c: float, band: Integers, rows: Rows, excess: float = 0.0) -> float:
        total = _total(log_c)
        if self.floors is not None:
            total += float(self._cost(phi, log_c, excess)[0].max())
        if total < self.total:
            self.total, self.log_c, self.phi, self.band, self.rows = total, log_c, phi, band, rows
        return total - _total(self.log_upper)

    def _cost(self, phi: Floats, log_c: float, excess: float = 0.0) -> tuple[Floats, Floats]:
        """What it costs to lift every floor, in nats, and mu_T; ``excess`` truth, in units of c', is still to be replaced."""
        assert self.floors is not None
        weights, c = self._weights(phi), float(np.exp(log_c - self.log_upper))
        mass = c + float(weights.sum())
        factors = self.floors.factors(weights) / mass * (1 - min(1.0, self.floors.width * excess / mass))
        truth = np.logaddexp(np.log(phi[0] + 1e-300), log_c) - np.log(mass) - self.log_upper
        return self.floors.repair(factors, float(truth))[0], factors

    def _missing(self, rows: Rows, phi: Floats, log_c: float) -> Rows:
        """``rows`` with the most useful of the violated floors."""
        if self.floors is None:
            return rows
        cost, factors = self._cost(phi, log_c)
        active = rows.active if isinstance(rows, FlooredGrid) else []
        more = self.floors.most_useful(factors, cost, active, _CHEAP)
        return FlooredGrid(self.floors, [*active, *more]) if more else rows

    def jump(self, direction: Floats) -> bool:
        """Whether the vertex that ``direction`` points at proves to be an optimum; of several the one whose pairs survive best."""
        distance = np.abs(self.grid.tilt(direction).ravel())
        near = _nearest(distance, _NEIGHBOURS * direction.size)
        near = near[np.argsort(distance[near])]
        row = self.grid.unit
        free = near[_independent(self.grid.columns(near) / row[:, None], direction.size - 1)]
        direction = _level_with(self.grid, free)
        self.lower(self.grid, direction)
        tilt = self.grid.tilt(direction).ravel()
        tied = np.flatnonzero(np.abs(tilt) <= _TIE * np.abs(tilt).max())
        band = np.union1d(free, tied)
        phi = (tilt > 0).astype(np.float64)
        phi[band] = 0.0
        columns = np.column_stack([self.grid.columns(free), -self.grid.margin]) / row[:, None]
        wanted = -self.grid.first(self._weights(phi)) / row
        found = np.linalg.lstsq(columns, wanted)[0]
        found += np.linalg.lstsq(columns, wanted - columns @ found)[0]  # the last digits
        *psi, c = found
        size = np.log(np.abs(psi) + 1e-300) + self.log_upper - self.log_uniform[free]
        share = np.sign(psi) * np.exp(np.minimum(size, _LOG_CAP))
        if not (c > 0 and (share > -_OUTSIDE).all() and (share < 1 + _OUTSIDE).all()):
            return False
        phi[free] = np.clip(share, 0.0, 1.0)
        self._take(phi, float(np.log(c)) + self.log_upper, band if band.size > free.size else band[:0], self.grid)
        return self.gap <= _GAP

    def _gain(self, band: Integers) -> Floats:
        """What choosing among equals maximises: the pair gain of the vectors in the band, and nothing for c'."""
        gain = self.grid.pair_gain.ravel()[band]
        return np.r_[gain / max(1.0, float(np.abs(gain).max(initial=0.0))), 0.0]

    def settle(self, at: Point, report: Report) -> bool:
        """Solve on the band around x.f = 0, move the band, and so on; whether primal and dual met."""
        assert not isinstance(at.part, Part)
        rows, phi, direction = at.part, at.phi, at.x
        tilt = at.tilt.ravel()
        least, per_undecided, per_row = _NARROW
        size = (
            _BAND
            if self.floors is None or tilt.size <= _FEW
            else min(_BAND, max(least, per_undecided * at.undecided, per_row * rows.margin.size))
        )
        band = _nearest(np.abs(tilt), size)
        most = _ROUNDS if self.floors is None else _FLOOR_ROUNDS
        for turn in range(most):
            report(0.5 + 0.4 * turn / most, "solving on the band")
            found = self._solve(rows, band, phi, np.r_[np.zeros(band.size), 1.0])
            if found is None:
                return False
            phi, scale, before = found.phi, self.log_upper, self.gap
            fractional = band[(phi[band] > 0) & (phi[band] < 1)]
            multipliers = [found.direction]
            if isinstance(rows, CountGrid):
                multipliers.append(_level_with(rows, fractional))
            direction = min(multipliers, key=lambda each: log_dual_value(rows, each))
            self._take(phi, found.log_c, band, rows)
            self.lower(rows, direction)
            if self.gap <= self.enough and found.log_c - scale > _WELL_SCALED:
                return True
            more = self._missing(rows, phi, found.log_c)
            if more is rows and self.gap > _WORTHWHILE * before:
                return False
            direction = np.r_[direction, np.zeros(more.margin.size - rows.margin.size)]
            rows = more
            tilt = rows.tilt(direction).ravel()
            weights = np.exp(np.minimum(self.log_uniform - self.log_upper, _LOG_CAP))
            wrong = np.where(tilt > 0, 1 - phi, phi) * np.abs(tilt) * weights
            tied = np.abs(tilt) <= _TIE * np.abs(tilt).max()
            phi = np.where(tied, phi, tilt > 0)
            band = np.unique(np.r_[_nearest(np.abs(tilt), size), _nearest(-wrong, _VIOLATORS), fractional])
        return False

    def solution(self, report: Report) -> Solution:
        """The best mechanism found; among those of its total that the band allows, the one whose pairs survive best."""
        if not self.gap <= _MAX_GAP:
            raise InputError(UNSOLVED)
        report(0.95, "choosing among equals")
        log_c, phi = self._best_for_pairs()
        with np.errstate(divide="ignore"):
            log_gains = np.logaddexp(0.0, np.log(phi) - log_c)
        logs = log_gains + self.log_uniform
        log_gains -= logs.max() + np.log(np.exp(logs - logs.max()).sum())
        return Solution(held(self.grid, log_gains.reshape(self.grid.shape), self.floors), _total(self.log_upper))

    def _best_for_pairs(self) -> tuple[float, Floats]:
        """ln c and phi of about the same total that the pairs survive best under, among those that the band allows."""
        rows = self.rows
        for slack in _SLACKS if self.band.size else ():
            least = float(np.exp(self.log_c - self.log_upper)) * (1 - slack)
            for _ in range(_FLOOR_ROUNDS):
                kind = self._solve(rows, self.band, self.phi, self._gain(self.band), at_least=least)
                if kind is None:
                    break
                if self.floors is None or float(self._cost(kind.phi, kind.log_c)[0].max()) <= self.enough:
                    return kind.log_c, kind.phi
                more = self._missing(rows, kind.phi, kind.log_c)
                if more is rows:
                    break
                rows = more
        return self.log_c, self.phi

    def _weights(self, phi: Floats) -> Floats:
        """U phi / e^log_upper, shape (R, C)."""
        weights = np.zeros_like(phi)
        positive = np.flatnonzero(phi)
        weights[positive] = np.exp(self.log_uniform[positive] + np.log(phi[positive]) - self.log_upper)
        return weights.reshape(self.grid.log_uniform.shape)

    def _solve(self, rows: Rows, band: Integers, phi: Floats, gain: Floats, *, at_least: float = 0.0) -> _Vertex | None:
        """Maximise ``gain`` over (psi on the band, c' >= at_least), psi counted from ``phi``; None where the solver found none."""
        weights = self._weights(phi)
        start = weights.ravel()[band]
        upper = np.maximum(start, np.exp(np.minimum(self.log_uniform[band] - self.log_upper, _LOG_CAP)))
        low, high = np.r_[-start, at_least], np.r_[upper - start, 2.0]
        unit, free = rows.unit, rows.free
        matrix = np.column_stack([rows.columns(band), -rows.margin]) / unit[:, None]
        wanted = -rows.first(weights) / unit
        result = linprog(
            -gain,
            A_eq=matrix[:free],
            b_eq=wanted[:free],
            A_ub=-matrix[free:],
            b_ub=-wanted[free:],
            bounds=np.column_stack([low, high]),
            method="highs-ds",
            options={
                "primal_feasibility_tolerance": 1e-10,
                "dual_feasibility_tolerance": 1e-10,
                "maxiter": _PIVOTS,
                "time_limit": _SECONDS,
            },
        )
        if not result.success or not result.x[-1] > 0:
            return None
        moved = phi.copy()
        share = np.clip((start + result.x[:-1]) * np.exp(np.minimum(self.log_upper - self.log_uniform[band], _LOG_CAP)), 0.0, 1.0)
        moved[band] = np.select([result.x[:-1] <= low[:-1], result.x[:-1] >= high[:-1]], [0.0, 1.0], share)
        prices = np.r_[result.eqlin.marginals, np.maximum(-result.ineqlin.marginals, 0.0)]
        return _Vertex(moved, float(np.log(result.x[-1])) + self.log_upper, prices / unit)


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
