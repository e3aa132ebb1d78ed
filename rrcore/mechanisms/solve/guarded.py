"""(P_w): the least total with levels and accuracy floors, and how far it may be from the least, at every moment (theory.md section 14)."""

from __future__ import annotations

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.mechanisms.solve.countgrid import CountGrid
from rrcore.mechanisms.solve.floored import FlooredRows
from rrcore.mechanisms.solve.interactions import Interactions
from rrcore.mechanisms.solve.interior import Interior
from rrcore.mechanisms.solve.programme import UNSOLVED
from rrcore.mechanisms.solve.softdual import log_dual_value, sharpened
from rrcore.progress import Report

_BLUNT = 0.5  # nats, gap of the smoothed dual of levels alone from which its multipliers are a start
_SHARE = 0.05, 0.3  # of the multipliers that floors have at the start: for each member of the widest, and at most
_STEPS = 200  # most steps with one choice of floors
_ROUNDS = 8  # most choices of floors
_WORK = 2.5e12  # most operations on the matrices of all steps together, cubes of their rows: half a minute of a processor
_AT_ONCE = 4200  # floors that are rows at first, where there are more
_ADDED = 800  # most floors that become rows at a time
_CLOSE = 0.1  # of what the floors that are no rows cost to lift, the gap from which on they are made rows
_CHEAP = 0.2  # of the gap asked for, what a floor costs that is left to be lifted at the end
_NOTABLE_GAP = 1.0  # nats, gap from which on it is told
_EXACT, _WORTHWHILE = (
    1e-9,
    0.3,
)  # nats, and as a part of what it was before: a gap that is good enough is made smaller while that is quick
_SNAPPED = 1e-9, 1e-7  # a phi that is nearer to 0 or 1 than this is rounded, where that costs nothing


def solve_guarded(floors: Interactions, *, gap: float, report: Report) -> tuple[Floats, float]:
    """The mechanism over count vectors with exactly the levels and the floors, where ``gap`` nats above the bound will do.

    Returns
    -------
    log_gains : ndarray of shape ``grid.shape``, ln of how much more probable an output is than under a uniform record
    bound : float, certified lower bound on the total, nats

    Raises
    ------
    InputError
        Where no point with the levels was found, as with floors that nothing keeps.
    """
    grid, best = floors.grid, Incumbent(floors)
    direction, log_scale = _levels_alone(grid)
    active = floors.wanted[floors.order[floors.wanted] <= floors.together]
    if active.size > _AT_ONCE:
        active = active[np.argsort(-floors.order[active], kind="stable")[:_AT_ONCE]]  # wide ones bind most often
    rows = FlooredRows(floors, active)
    for _ in range(_ROUNDS):
        log_scale = min(log_scale, best.log_bound)
        with np.errstate(all="ignore"):  # at extreme levels some numbers leave the range: such a point is not taken
            factors, cost = _follow(best, rows, Interior(rows, _spread_out(rows, direction), log_scale), gap, report)
        more = floors.most_useful(factors, cost, rows.active, _CHEAP * gap, _ADDED) if cost.size else active[:0]
        if best.gap <= gap or best.work > _WORK / 2 or not more.size:  # another choice takes about as much again
            break
        rows = FlooredRows(floors, np.r_[rows.active, more])
        direction = np.r_[best.direction, np.zeros(rows.margin.size - best.direction.size)]
    if not best.total < np.inf:
        raise InputError(UNSOLVED)
    report(0.95, "holding levels and floors to the last digit")
    log_gains = floors.lifted(grid.with_levels(best.log_gains))
    return log_gains, float(np.logaddexp(0.0, -best.certified))


def _levels_alone(grid: CountGrid) -> tuple[Floats, float]:
    """Multipliers of the levels alone, with x.gamma = 1, and ln of the bound on c that they give."""
    for _, at, done in sharpened(grid):
        if done and at.gap < _BLUNT:
            break
    log_scale = log_dual_value(grid, at.x)
    if not np.isfinite(log_scale):
        raise InputError(UNSOLVED)
    return at.x * grid.margin / float(at.x @ grid.margin), log_scale


def _spread_out(rows: FlooredRows, direction: Floats) -> Floats:
    """Multipliers near ``direction``, above 0 for every floor."""
    prices = 1 / (1 + rows.floors.spread[rows.active])
    share = min(_SHARE[0] * rows.floors.width, _SHARE[1]) if prices.size else 0.0
    prices *= share / max(1e-300, float(prices @ rows.floors.gamma[rows.active]))
    start = np.r_[direction, np.zeros(rows.margin.size - direction.size)]
    start = (1 - share) * start / float(start @ rows.margin) + np.r_[prices @ rows.counts, prices]
    return start / float(start @ rows.margin)


def _follow(best: Incumbent, rows: FlooredRows, at: Interior, gap: float, report: Report) -> tuple[Floats, Floats]:
    """Step towards the optimum, until the gap is reached, or floors that are no rows stand in the way. Returns mu_T and what floors cost."""
    others = np.ones(rows.floors.order.size, dtype=np.bool_)
    others[rows.active] = False
    found = np.zeros(0), np.zeros(0)
    before = np.inf
    for step in range(_STEPS):
        own, factors, cost = best.look(at, gap)
        known = f", at most {best.gap:.2g} nats above the least" if best.gap < _NOTABLE_GAP else ""
        report(0.1 + 0.8 * step / _STEPS, f"total {best.total:.4f}{known}" if best.total < np.inf else "looking for a start")
        if best.gap <= gap and not _EXACT < best.gap < _WORTHWHILE * before:
            break
        before = best.gap
        if cost.size:
            found = factors, cost
            missing = float(cost[others].max(initial=0.0))
            if missing > _CHEAP * gap and own < _CLOSE * min(missing, 1.0):
                break
        best.work += float(rows.margin.size) ** 3
        if best.work > _WORK or not at.step():
            break
    return found


class Incumbent:
    """The best mechanism so far and the best bound."""

    def __init__(self, floors: Interactions) -> None:
        self.floors = floors
        self.work = 0.0
        self.log_bound = np.inf  # ln of a bound on c
        self.total = np.inf
        self.psi, self.c = np.zeros(0), 0.0
        self.direction = np.zeros(0)
        self.rows: FlooredRows | None = None

    @property
    def certified(self) -> float:
        """The bound on ln c, with rounding allowed for."""
        return np.inf if self.rows is None else self.rows.log_bound(self.direction)

    @property
    def bound(self) -> float:
        """Certified lower bound on every total, nats."""
        return float(np.logaddexp(0.0, -self.log_bound))

    @property
    def log_gains(self) -> Floats:
        """Of the mechanism, shape ``grid.shape``, in any unit."""
        grid = self.floors.grid
        with np.errstate(divide="ignore"):  # where psi is 0
            return np.asarray(np.logaddexp(np.log(self.c), np.log(self.psi) - grid.log_uniform)).reshape(grid.shape)

    @property
    def gap(self) -> float:
        return self.total - self.bound

    def look(self, at: Interior, gap: float) -> tuple[float, Floats, Floats]:
        """Take what is better at a point. Returns the gap there but for floors, mu_T, and what each floor costs to lift, nats."""
        slope = float(at.rows.margin @ at.direction)
        dual = float((at.ceiling * np.maximum(at.tilt, 0.0)).sum() / slope)
        if not (np.isfinite(dual) and slope > 0):
            return np.inf, np.zeros(0), np.zeros(0)
        if dual <= 0:
            raise InputError(UNSOLVED)  # these multipliers prove that no c above 0 meets the rows
        if np.log(dual) + at.log_scale < self.log_bound:
            self.log_bound, self.direction, self.rows = np.log(dual) + at.log_scale, at.direction, at.rows
        total, factors, cost = self._offer(at.psi, at.log_scale)
        if total + cost.max(initial=0.0) <= self.bound + gap:
            for close in _SNAPPED:  # decided sets need no weight of their own
                snapped = np.where(at.psi < close * at.ceiling, 0.0, np.where(at.room < close * at.ceiling, at.ceiling, at.psi))
                self._offer(snapped, at.log_scale, self.total + _EXACT)
        return total - self.bound, factors, cost

    def _offer(self, psi: Floats, log_scale: float, most: float = -np.inf) -> tuple[float, Floats, Floats]:
        """Its total but for floors, mu_T and what they cost; taken where it is the best with what they cost."""
        floors = self.floors
        above = floors.above(psi)
        kept = above[floors.singles]
        c = float(kept.min())
        if not c > 0:
            return np.inf, np.zeros(0), np.zeros(0)
        total = float(np.logaddexp(0.0, -np.log(c) - log_scale))
        mass = c + float(psi.sum())
        excess = (kept.max() - c) / mass
        factors = floors.kronecker * (above + float(psi.sum())) / mass * (1 - min(1.0, floors.width * excess))
        truth = float(
            np.log(psi.ravel()[0] + c * np.exp(floors.grid.log_uniform.ravel()[0])) - floors.grid.log_uniform.ravel()[0]
        )
        cost = floors.repair(factors, truth - float(np.log(mass)))[0]
        whole = total + float(cost.max(initial=0.0))
        if whole < self.total or whole <= most:
            self.total = whole
            self.psi, self.c = psi.copy(), c
        return total, factors, cost
