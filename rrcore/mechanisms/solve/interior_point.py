"""An interior-point method for (P_w), with accuracy floors.

It minimizes the epsilon of the record for given epsilons (theory.md section 14).

The variables are psi = U phi / e^log_scale, between 0 and a ceiling, and c' = c / e^log_scale. The slack of a row is its excess
over its bound. Every step solves one system over the rows and yields a mechanism and a bound. The rows compute the matrix of this
system by a transform. Among a million vectors, a step would always push a few beyond their bounds. These are held back
individually, so that they do not shorten the step of the others. The next step repairs the resulting error in the rows.
Complementary products decrease only while the rows are nearly satisfied.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.mechanisms.solve.countgrid import CountGrid
from rrcore.mechanisms.solve.dual import log_dual_value, sharpened
from rrcore.mechanisms.solve.floors import FlooredRows, Interactions
from rrcore.mechanisms.solve.linear_program import UNSOLVED, CountOptimum
from rrcore.progress import Report, quiet

ENOUGH = 5e-7
"""Gap between total and bound, in nats, that will do where floors are kept."""

_BLUNT = 0.5  # nats, gap of the smoothed dual of levels alone from which its multipliers are a start
_SHARE = 0.05, 0.3  # of the multipliers that floors have at the start: for each member of the widest, and at most
_STEPS = 200  # most steps
_WORK = 2.5e12  # most operations on the matrices of all steps together, cubes of their rows: half a minute of a processor
_NOTABLE_GAP = 1.0  # nats, gap below which it is part of the progress
_EXACT = 1e-9  # nats, gap at which steps end in any case
_ROUGH = 1e-6  # nats: no more is done once a larger gap that was asked for is reached
_FELL, _PATIENCE = 0.5, 4  # a gap that is good enough is made smaller while it falls to this part within this number of steps
_SNAPPED = 1e-9, 1e-7  # a phi that is nearer to 0 or 1 than this is rounded, where that costs nothing
_FAR = 2.0  # the path is entered where complementary products are this large compared with the dual value
_LEFT = 0.1  # part of the way to a boundary that is left
_BENT = 1.0  # most that a correction is, as a multiple of the product that it corrects: the first move is no guide beyond
_MET = 10.0  # rows are nearly met where they miss no more than this multiple of the products: these then fall
_FALL = 0.3  # to this part at least
_FINEST = 1e-9  # sum of the products, for a c' of about 1, that is aimed at at least: less is lost in rounding
_RIDGE = 1e-13, 1e-9  # added to the scaled matrix; the second where the first is not enough
_BLOCK = 1 << 15  # vectors worked on at a time, so that the work stays in the processor's cache


def solve_guarded(floors: Interactions, *, gap: float = ENOUGH, report: Report = quiet) -> CountOptimum:
    """Return the mechanism over count vectors with these epsilons and floors.

    The search stops at ``gap`` nats above the bound.

    Raises
    ------
    InputError
        If no point with these epsilons is found, for example because no mechanism meets the floors.
    """
    rows, grid = FlooredRows(floors), floors.grid
    direction, log_scale = _levels_alone(grid)
    best = Incumbent(rows)
    with np.errstate(all="ignore"):  # at extreme levels some numbers leave the range: such a point is not taken
        at, mark, since = Interior(rows, _spread_out(rows, direction), log_scale), np.inf, 0
        for step in range(min(_STEPS, int(_WORK / rows.margin.size**3))):
            best.look(at, gap)
            if best.gap < _FELL * mark:
                mark, since = best.gap, step
            known = f", at most {best.gap:.2g} nats above the least" if best.gap < _NOTABLE_GAP else ""
            report(0.1 + 0.8 * step / _STEPS, f"total {best.total:.4f}{known}" if best.total < np.inf else "looking for a start")
            good = best.gap <= gap and (gap > _ROUGH or step - since >= _PATIENCE)
            if good or best.gap <= _EXACT or not at.step():
                break
    if not best.total < np.inf:
        raise InputError(UNSOLVED)
    report(0.95, "holding levels and floors to the last digit")
    log_gains = grid.with_levels(floors.lifted(grid.with_levels(best.log_gains)))  # what is mixed in rounds rare answers
    return CountOptimum(log_gains, float(np.logaddexp(0.0, -rows.log_bound(best.direction))))


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


class Incumbent:
    """The best mechanism so far and the best bound."""

    def __init__(self, rows: FlooredRows) -> None:
        self.floors = rows.floors
        self.log_bound = np.inf  # ln of a bound on c
        self.total = np.inf
        self.psi, self.c = np.zeros(0), 0.0
        self.direction = np.zeros(rows.margin.size)

    @property
    def bound(self) -> float:
        """Certified lower bound on the whole-record epsilon of every mechanism, in nats."""
        return float(np.logaddexp(0.0, -self.log_bound))

    @property
    def log_gains(self) -> Floats:
        """Log gains of the mechanism, shape ``grid.shape``, in arbitrary units."""
        grid = self.floors.grid
        with np.errstate(divide="ignore"):  # where psi is 0
            return np.asarray(np.logaddexp(np.log(self.c), np.log(self.psi) - grid.log_uniform)).reshape(grid.shape)

    @property
    def gap(self) -> float:
        return self.total - self.bound

    def look(self, at: Interior, gap: float) -> None:
        """Update the incumbent with whatever is better at a point."""
        slope = float(at.rows.margin @ at.direction)
        dual = float((at.ceiling * np.maximum(at.tilt, 0.0)).sum() / slope)
        if not (np.isfinite(dual) and slope > 0):
            return
        if dual <= 0:
            raise InputError(UNSOLVED)  # these multipliers prove that no c above 0 meets the rows
        if np.log(dual) + at.log_scale < self.log_bound:
            self.log_bound, self.direction = np.log(dual) + at.log_scale, at.direction
        if self._offer(at.psi, at.log_scale, bent=at.bent) <= self.bound + gap:
            for close in _SNAPPED:  # decided sets need no weight of their own
                snapped = np.where(at.psi < close * at.ceiling, 0.0, np.where(at.room < close * at.ceiling, at.ceiling, at.psi))
                self._offer(snapped, at.log_scale, self.total + _EXACT)

    def _offer(self, psi: Floats, log_scale: float, most: float = -np.inf, bent: Floats | None = None) -> float:
        """Its total with what floors cost to lift, nats; taken where that is the least or up to ``most``."""
        floors = self.floors
        above = floors.above(psi, bent)
        kept = above[floors.singles]
        c = float(kept.min())
        if not c > 0:
            return np.inf
        mass = c + float(psi.sum())
        excess = (kept.max() - c) / mass
        factors = floors.kronecker * (above + float(psi.sum())) / mass * (1 - min(1.0, floors.width * excess))
        log_none = float(floors.grid.log_uniform.ravel()[0])
        truth = float(np.log(psi.ravel()[0] + c * np.exp(log_none)) - log_none)
        cost = floors.repair(factors, truth - float(np.log(mass)))[0]
        total = float(np.logaddexp(0.0, -np.log(c) - log_scale)) + float(cost.max(initial=0.0))
        if total < self.total or total <= most:
            self.total, self.psi, self.c = total, psi.copy(), c
        return total


class Interior:
    """A point within the bounds of the program, and the steps from it.

    Parameters
    ----------
    rows : FlooredRows
    direction : ndarray of shape (rows,), initial multipliers x, positive for floors, with x.gamma = 1
    log_scale : float, about ln of the largest c
    """

    def __init__(self, rows: FlooredRows, direction: Floats, log_scale: float) -> None:
        self.rows, self.direction, self.log_scale = rows, direction, log_scale
        self.ceiling = np.exp(rows.grid.log_uniform - log_scale)
        self.tilt = rows.tilt(direction)
        size = self.ceiling.size
        self._mean = _FAR * float((self.ceiling * np.maximum(self.tilt, 0.0)).sum()) / size
        share = self._mean / self.ceiling
        both = 2 * share + np.hypot(2 * share, self.tilt)
        large = (both + np.abs(self.tilt)) / 2
        small = share * both / large
        self.high, self.low = np.where(self.tilt > 0, large, small), np.where(self.tilt > 0, small, large)
        self.psi, self.room = self._mean / self.low, self._mean / self.high
        self.c = 1.0
        prices = direction[rows.free :]
        self.bent = rows.floors.bent(self.psi)
        """What ``Interactions.bent`` gives for psi."""
        self._left_over = self._over(rows.values(self.psi, self.bent))
        self.slack = np.maximum(self._left_over[rows.free :], self._mean / prices)
        self._left_over[rows.free :] -= self.slack
        self.number = 2 * size + prices.size

    def _over(self, values: Floats) -> Floats:
        """By how much rows are above what c' asks for."""
        return np.asarray(values - self.rows.margin * self.c)

    def step(self) -> bool:
        """Take one corrected step toward the optimum and return whether it succeeded."""
        free, rows, prices, slack = self.rows.free, self.rows, self.direction[self.rows.free :], self.slack
        weights, far, pulled = (np.empty_like(self.psi) for _ in range(3))
        for psi, room, low, high, _, weight in self._blocks(weights):  # how far psi moves for a tilt that rises by 1
            np.divide(1.0, low / psi + high / room, out=weight)
        solve = self._system(weights)
        if solve is None:
            return False
        along = solve(rows.margin)

        def towards(pulled: Floats, even: Floats) -> tuple[Floats, float]:
            """Return the step of the multipliers and of c' for a given right-hand side.

            The right-hand side consists of the pull on psi times its weight and of slack times price.
            """
            wanted = -self._left_over - rows.values(pulled)
            wanted[free:] += even / prices
            across = solve(wanted)
            more = float((1 - rows.margin @ self.direction - rows.margin @ across) / (rows.margin @ along))
            return across + more * along, more

        move, _ = towards(weights * self.tilt, -slack * prices)
        moved = rows.tilt(move)
        given = -slack * (1 + move[free:] / prices)
        products, left = self._aim(weights, moved, given, move[free:])
        share = left / products
        if np.abs(self._left_over).max() <= _MET * products:
            share = min(share**3, _FALL)
        target = max(share * products, _FINEST) / self.number
        self._correct(weights, moved, target, far, pulled)
        bent = _BENT * slack * prices
        even = target - slack * prices - np.clip(given * move[free:], -bent, bent)
        move, more = towards(pulled, even)
        given = (even - slack * move[free:]) / prices
        change = rows.tilt(move)
        self.tilt += change
        self._go(weights, moved, far, pulled, change)
        self.slack, self.c = np.maximum(slack + given, _LEFT * slack), self.c + more
        held = np.concatenate((np.zeros(free), np.maximum(prices + move[free:], _LEFT * prices) - prices - move[free:]))
        self.direction = self.direction + move + held
        if held.any():
            self.tilt += rows.tilt(held)
        self.bent = rows.floors.bent(self.psi)
        self._left_over = self._over(rows.values(self.psi, self.bent))
        self._left_over[free:] -= self.slack
        return True

    def _blocks(self, *arrays: Floats) -> Iterator[list[Floats]]:
        """psi, room, low, high, tilt and further ``arrays``, some vectors at a time."""
        flat = [each.ravel() for each in (self.psi, self.room, self.low, self.high, self.tilt, *arrays)]
        for start in range(0, self.psi.size, _BLOCK):
            yield [each[start : start + _BLOCK] for each in flat]

    def _aim(self, weights: Floats, moved: Floats, given: Floats, move: Floats) -> tuple[float, float]:
        """Complementary products, and what would be left of them after a step straight at the optimum, as far as bounds allow.

        ``moved``: how the tilt moves, which becomes how psi moves; ``given`` and ``move``: how slack and prices do.
        """
        sums, most = np.zeros(6), np.ones(4)
        for psi, room, low, high, tilt, weight, m in self._blocks(weights, moved):
            m += tilt
            m *= weight
            fall, rise, lost, won = m / psi, m / room, m * low, m * high
            sums += low @ psi, lost.sum(), lost @ fall, high @ room, won.sum(), won @ rise
            most = np.maximum(most, (-fall.min(), rise.max(), 1 + fall.max(), 1 - rise.min()))
        prices = self.direction[self.rows.free :]
        primal = 1 / max(most[0], most[1], float((-given / self.slack).max(initial=0.0)))
        dual = 1 / max(most[2], most[3], float((-move / prices).max(initial=0.0)))
        slope, bend = primal * (1 - dual) - dual, primal * dual
        left = (1 - dual) * (sums[0] + sums[3]) + slope * (sums[1] - sums[4]) - bend * (sums[2] + sums[5])
        left += float((self.slack + primal * given) @ (prices + dual * move))
        return float(sums[0] + sums[3] + self.slack @ prices), max(0.0, float(left))

    def _correct(self, weights: Floats, moved: Floats, target: float, far: Floats, pulled: Floats) -> None:
        """What the prices of the bounds become where psi stays, for products of ``target``, those of the first moves allowed for.

        ``moved``: how psi moved at first, which becomes those of the lower bounds; ``far``: those of the upper ones; ``pulled``: how
        far psi moves for it.
        """
        for psi, room, low, high, tilt, weight, m, h, pull in self._blocks(weights, moved, far, pulled):
            rise = m / room
            np.multiply(high, np.minimum(rise * (rise - 1), _BENT), out=h)
            h += target / room
            m /= psi
            m *= 1 + m
            np.minimum(m, _BENT, out=m)
            m *= low
            m += target / psi
            np.add(tilt, m, out=pull)
            pull -= h
            pull *= weight

    def _go(self, weights: Floats, near: Floats, far: Floats, pulled: Floats, moved: Floats) -> None:
        """Move psi and the prices of its bounds, ``moved`` being how the tilt does; see ``_correct`` for the others."""
        for psi, room, low, high, _, weight, n, h, pull, m in self._blocks(weights, near, far, pulled, moved):
            m *= weight
            m += pull
            n -= low * (m / psi)
            low *= _LEFT
            np.maximum(low, n, out=low)
            h += high * (m / room)
            high *= _LEFT
            np.maximum(high, h, out=high)
            np.clip(m, (_LEFT - 1) * psi, (1 - _LEFT) * room, out=m)
            psi += m
            room -= m

    def _system(self, weights: Floats):  # type: ignore[no-untyped-def]
        """What solves the system over the rows; None where rounding has made it singular."""
        from scipy.linalg.lapack import dpotrf, dpotrs  # heavy; cho_factor and cho_solve take longer than the work on few rows

        free = self.rows.free
        matrix = self.rows.second(weights)
        floors = np.arange(free, len(matrix))
        matrix[floors, floors] += self.slack / self.direction[free:]
        unit = 1 / np.sqrt(np.diag(matrix))
        matrix *= unit[:, None]
        matrix *= unit
        for ridge in _RIDGE:
            matrix.flat[:: len(matrix) + 1] += ridge
            factor, failed = dpotrf(matrix, lower=True, clean=False)
            if not failed:
                return lambda wanted: unit * dpotrs(factor, unit * wanted, lower=True)[0]
        return None
