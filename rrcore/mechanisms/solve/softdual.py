"""The dual (D) of (P), with floors where there are any, smoothed and made sharp step by step by Newton's method (theory.md 2, 14)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.mechanisms.solve.countgrid import CountGrid, GridPart
from rrcore.mechanisms.solve.floored import ROUNDED, FlooredGrid
from rrcore.mechanisms.solve.interactions import Interactions

DECIDED = 36.0
"""Beyond this |lambda.f| / tau a smoothed phi is 0 or 1 in double precision."""

UNSURE = 3.0
"""Below this |lambda.f| / tau a smoothed phi is within (.05, .95)."""

Rows = CountGrid | FlooredGrid
"""Vectors with the rows of the programme: levels alone, or levels and floors."""

_NEGLIGIBLE = 1e-26  # vectors whose U e^min(x.f, 0) is below this fraction of the largest are left out of a Newton step
_KNOWN = 25.0  # furthest that a step on some vectors moves an x.f: vectors that were left out may not be negligible there
_LINEAR = 200.0  # vectors with x.f above this count as linear in a Newton step
_ENTRIES = 1 << 23  # most entries of the rows of the vectors that are left
_SHARPER = 4.0  # factor from one tau to the next
_SHARPEST = 24  # powers of that factor to the last tau, 4e-15 of the first
_LEAP = 3  # powers at once after a tau that took a single Newton step
_STEPS = 40  # most Newton steps on one choice of vectors
_CHOICES = 12  # most choices of vectors at one tau
_CONVERGED = 1e-4  # A tau is done with once a Newton step would move no x.f further than this
_MET = 1e-2  # the same with floors, where phi is corrected afterwards
_ROUNDING = 1e-11  # relative error of a gradient: once it is known no better than this a step is of no use
_SHORTEST = 1e-6  # shortest step that is tried, as a fraction of the longest
_REACH = 10.0  # longest step, as a multiple of the largest |x_t|
_RIDGE = 1e-12  # added to the scaled Hessian: attributes that never lie where it matters leave it singular
_LARGE = 300.0  # growth of a logarithm beyond which it counts as infinite
_BLOCK = 1 << 14  # vectors summed at a time, so that the work stays in the processor's cache
_LARGEST = 600.0  # ln of the largest factor between two units
_PIVOTS = 60  # most exchanges of floors that bind in one Newton step
_AT_ONCE = 8  # after so many exchanges of several floors one at a time is exchanged
_MANY = 64  # rows from which on bounds are exchanged, not met one after the other
_EAGER = 1e-12  # slope, as a part of the largest, from which on a floor that binds is let go
_SHARP_ENOUGH = 0.3  # gap, in nats, from which on floors are added: nearer Kronecker all of them nearly bind
_ADDITIONS = 12  # times that floors are added at one tau
_FREEDOM = 1.2  # undecided vectors per multiplier that is not 0, below which smoothing is of no more use
_CORRECTIONS = 12  # most corrections of a smoothed phi
_CHEAP = 0.05  # floors whose repair would cost less than this part of the gap are left out
_CHEAPEST = 1e-10  # and in any case less than this, in nats


def log_dual_value(rows: Rows, direction: Floats) -> float:
    """ln of E_U[(x.f)_+] / (x.margin), an upper bound on ln c for any x with nu >= 0 and x.margin > 0; infinite elsewhere."""
    slope = float(direction @ rows.margin)
    if isinstance(rows, FlooredGrid):
        slope -= ROUNDED * float(np.abs(direction) @ np.abs(rows.margin))
    if not slope > 0:
        return np.inf
    tilt = rows.tilt(direction)
    if isinstance(rows, FlooredGrid):
        tilt += rows.rounding(direction)
    positive = tilt > 0
    logs = rows.log_uniform[positive] + np.log(tilt[positive])
    top = logs.max(initial=-np.inf)
    return float(top + np.log(np.exp(logs - top).sum()) - np.log(slope)) if logs.size else np.inf


def sharpened(grid: CountGrid, floors: Interactions | None = None) -> Iterator[tuple[float, DualPoint, DualPoint | None]]:
    """Minimise E_U[tau ln(1 + e^(x.f / tau))] over x.margin = 1 for one tau after the other, each sharper.

    Floors are added where they are violated, once the smoothed optimum is near enough; it ends where so many bind that they leave the
    undecided vectors no freedom.

    Yields
    ------
    How sharp it is, from 0 to 1; the last point, in units of tau, summed over all vectors; and the point after the latest Newton
    step, or None once the tau is done with. The smoothed phi is 1 / (1 + e^-x.f).
    """
    x = grid.levels  # Kronecker: x.f = -ln of its phi, up to a constant
    spread = float((x * np.maximum(grid.lies, 1 - grid.lies)) @ grid.numbers)
    at = DualPoint(grid, x * max(2.0, 10.0 / spread))
    sharpness = 0
    while sharpness < _SHARPEST:
        done, steps = sharpness / _SHARPEST, 0
        for _ in range(_ADDITIONS):
            for _ in range(_CHOICES):
                start = here = at.near()
                for _ in range(_STEPS):
                    moved = here.step()
                    if moved is None:
                        break
                    here, steps = moved, steps + 1
                    yield done, at, here
                if here is start:
                    break
                at = here if here.part is at.part else DualPoint(at.part, here.x)
            more = [] if floors is None else _missing(at, floors)
            if floors is None or not more:
                break
            active = at.part.active if isinstance(at.part, FlooredGrid) else []
            at = DualPoint(FlooredGrid(floors, [*active, *more]), np.r_[at.x, np.zeros(len(more))])
            here = at
        yield done, at, None
        if isinstance(at.part, FlooredGrid) and at.gap < _SHARP_ENOUGH and at.undecided < _FREEDOM * np.count_nonzero(at.x):
            return
        ahead = 1 if steps > 1 else _LEAP
        sharpness, factor = sharpness + ahead, _SHARPER**ahead
        further = (factor - 1) * float(at.x @ at.part.margin)
        along = at.x + further * here.tangent
        along[at.part.free :] = np.maximum(along[at.part.free :], 0.0)
        along *= factor * float(at.x @ at.part.margin) / float(along @ at.part.margin)
        at = min((DualPoint(at.part, x) for x in (factor * at.x, along)), key=lambda point: point.log_value)


def _missing(at: DualPoint, floors: Interactions) -> list[int]:
    """Floors that are violated at ``at`` and no rows yet, the most useful ones."""
    gap = at.gap
    if not (gap < _SHARP_ENOUGH and at.c > 0):
        return []
    c, mass = at.c, float(at.weights.sum())
    factors = floors.factors(at.weights) / (c + mass)
    cost, _ = floors.repair(factors, float(np.logaddexp(0.0, np.log(c) + at.ref) - np.log(c + mass) - at.ref))
    active = at.part.active if isinstance(at.part, FlooredGrid) else []
    return floors.most_useful(factors, cost, active, max(_CHEAP * gap, _CHEAPEST))


class DualPoint:
    """The smoothed dual E = E_U[ln(1 + e^(x.f))] at x: its logarithm, its gradient divided by E, and Newton's step.

    Parameters
    ----------
    part : CountGrid, FlooredGrid or GridPart, the vectors summed over
    x : ndarray of shape (rows,)
    """

    def __init__(self, part: Rows | GridPart, x: Floats) -> None:
        self.part = part
        self.x = x
        self.tilt = part.tilt(x)
        self.weights = np.empty_like(self.tilt)  # U phi, in a unit e^ref in which the largest U e^min(x.f, 0) is 1
        self._small = np.empty_like(self.tilt)  # e^-|x.f|
        self.ref, value = _smooth(part.log_uniform.ravel(), self.tilt.ravel(), self.weights.ravel(), self._small.ravel())
        first = part.first(self.weights)
        if isinstance(part, GridPart):
            linear = part.linear * np.exp(min(part.log_unit - self.ref, _LARGEST))
            value, first = value + float(linear @ x), first + linear
        self._value = value
        self.log_value = self.ref + float(np.log(value)) if value > 0 else np.inf  # too far for "linear"
        self.gradient = first / value

    @property
    def phi(self) -> Floats:
        """The smoothed phi of every vector, shape (R * C,)."""
        decided = np.clip(self.tilt, -DECIDED, DECIDED)
        return np.where(np.abs(self.tilt) < DECIDED, 1 / (1 + np.exp(-decided)), self.tilt > 0).ravel()

    @property
    def undecided(self) -> int:
        """How many vectors have a smoothed phi within (.05, .95)."""
        return int(np.count_nonzero(np.abs(self.tilt) < UNSURE))

    @property
    def c(self) -> float:
        """The c of the smoothed phi where it meets the rows, in units e^ref."""
        return float(self.gradient @ self.x) * self._value / float(self.x @ self.part.margin)

    @property
    def gap(self) -> float:
        """ln of the dual value over that c: the gap, in nats, were phi feasible."""
        slope = float(self.gradient @ self.x) * self._value
        hinge = float((np.where(self.tilt > 0, self.weights * (1 + self._small), 0.0) * self.tilt).sum())
        return float(np.log(hinge / slope)) if slope > 0 and hinge > 0 else np.inf

    def met(self) -> Floats:
        """``phi``, moved a little where it is neither 0 nor 1 until it meets the rows that bind to the last digits."""
        bent = self.bent
        rows = np.flatnonzero(np.r_[np.ones(self.part.free, dtype=np.bool_), self.x[self.part.free :] > 0])
        hessian = self.part.second(bent)[np.ix_(rows, rows)]
        curvature = np.diag(hessian)
        unit = 1 / np.sqrt(np.maximum(curvature, _RIDGE * curvature.max() + 1e-200))
        matrix = hessian * np.multiply.outer(unit, unit) + _RIDGE * np.eye(unit.size)
        weights, wanted = self.weights.copy(), self.c * self.part.margin
        phi, smallest = self.phi.reshape(self.weights.shape), np.inf
        slope = phi * (1 - phi)
        best = phi
        for _ in range(_CORRECTIONS):
            short = (wanted - self.part.first(weights))[rows] * unit
            if not float(np.abs(short).max()) < 0.5 * smallest:
                break
            best, smallest = phi, float(np.abs(short).max())
            move = np.zeros(self.x.size)
            move[rows] = np.linalg.solve(matrix, short) * unit
            tilt = self.part.tilt(move)
            if not np.isfinite(tilt).all():
                break
            phi = np.clip(phi + slope * tilt, 0.0, 1.0)
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                weights = np.where(self.tilt > -DECIDED, phi * np.exp(np.minimum(self.part.log_uniform - self.ref, 600.0)), 0.0)
        return np.asarray(best).ravel()

    def near(self) -> DualPoint:
        """This point with only the vectors that matter, where they are few."""
        if isinstance(self.part, GridPart):
            return self
        linear = self.tilt > _LINEAR
        chosen = np.flatnonzero((self.weights > _NEGLIGIBLE) & ~linear)
        if not 0 < 4 * chosen.size < self.tilt.size or chosen.size * self.x.size > _ENTRIES:
            return self
        return DualPoint(GridPart(self.part, chosen, self.part.first(np.where(linear, self.weights, 0.0)), self.ref), self.x)

    @property
    def bent(self) -> Floats:
        """U phi (1 - phi), in the unit e^ref."""
        bent = self.weights * np.where(self.tilt > 0, self._small, 1.0)
        bent /= 1 + self._small
        return np.asarray(bent)

    @cached_property
    def _solved(self) -> tuple[Floats, Floats, Booleans]:
        """Newton's step within x.margin constant and nu >= 0, how the minimum moves as x.margin grows by 1, and which nu stay 0."""
        hessian = self.part.second(self.bent) / self._value
        curvature = np.diag(hessian)
        unit = 1 / np.sqrt(np.maximum(curvature, _RIDGE * curvature.max() + 1e-200))
        matrix = hessian * np.multiply.outer(unit, unit) + _RIDGE * np.eye(unit.size)
        low = np.r_[np.full(self.part.free, -np.inf), -self.x[self.part.free :]] / unit
        solve = _quadratic if low.size <= _MANY else _exchanged
        step, tangent, held = solve(matrix, self._downhill * unit, self.part.margin * unit, low)
        step, tangent = step * unit, tangent * unit
        return step - float(self.part.margin @ step) * tangent, tangent, held

    @property
    def _downhill(self) -> Floats:
        """The gradient without its part along the margin, which no step may follow: it would drown the rest in rounding."""
        margin = self.part.margin
        return self.gradient - margin * float(self.gradient @ self.x) / float(margin @ self.x)

    @property
    def tangent(self) -> Floats:
        """How the minimum moves as x.margin grows by 1, shape (rows,)."""
        return self._solved[1]

    def step(self) -> DualPoint | None:
        """The point after one damped Newton step within x.margin constant; None where a step is of no use."""
        step, tangent, held = self._solved
        left = np.where(held, 0.0, self.gradient - self.part.margin * float(self.gradient @ tangent))
        close = _CONVERGED if self.part.free == self.x.size else _MET
        furthest = float(np.abs(step) @ self.part.numbers)  # that an x.f moves
        if furthest < close or (np.abs(left) < _ROUNDING * np.abs(self.gradient)).all():
            return None
        slope = abs(float(self._downhill @ step))
        size = longest = min(1.0, _REACH * float(np.abs(self.x).max()) / float(np.abs(step).max()))
        if isinstance(self.part, GridPart):
            size = longest = min(longest, _KNOWN / furthest)
        while size > _SHORTEST * longest:
            moved = self.x + size * step
            moved[self.part.free :] = np.maximum(moved[self.part.free :], 0.0)
            there = DualPoint(self.part, moved)
            growth = float(np.exp(min(_LARGE, there.log_value - self.log_value)))
            if there.log_value < np.inf and float(there._downhill @ step) * growth <= 0.5 * slope:
                return there  # E is convex and its slope along the step is not steep upwards, so it has not risen
            size /= 2
        return None


def _quadratic(hessian: Floats, gradient: Floats, normal: Floats, low: Floats) -> tuple[Floats, Floats, Booleans]:
    """Minimise s.H.s / 2 + gradient.s over normal.s = 0 and s >= low, where low <= 0: from s = 0 downwards, one bound after the other.

    Returns s, how it moves as normal.s grows by 1, and which bounds bind.
    """
    step, held, slope = np.zeros(low.size), low == 0, gradient
    lowest = -_EAGER * float(np.abs(gradient).max())
    for _ in range(_PIVOTS):
        free = np.flatnonzero(~held)
        plane = normal[free]
        along, across = np.linalg.solve(hessian[free[:, None], free], np.array([plane, slope[free]]).T).T
        tangent = along / float(plane @ along)
        move = float(plane @ across) * tangent - across
        room = np.full(free.size, np.inf)
        np.divide((low - step)[free], move, out=room, where=move < 0)
        first = int(room.argmin())
        step[free] += min(1.0, float(room[first])) * move
        slope = gradient + hessian @ step
        if room[first] < 1:
            step[free[first]], held[free[first]] = low[free[first]], True
            continue
        eager = np.where(held, slope - float(tangent @ slope[free]) * normal, 0.0)
        worst = int(eager.argmin())
        if eager[worst] >= lowest:
            break
        held[worst] = False
    grown = np.zeros(low.size)
    grown[free] = tangent
    return np.maximum(step, low), grown, held


def _exchanged(hessian: Floats, gradient: Floats, normal: Floats, low: Floats) -> tuple[Floats, Floats, Booleans]:
    """``_quadratic`` by exchanging all bounds that are wrong at once, from none on: few solutions of large systems."""
    held = np.zeros(low.size, dtype=np.bool_)
    for turn in range(_PIVOTS):
        free = np.flatnonzero(~held)
        fixed = np.where(held, low, 0.0)
        slope = gradient + hessian @ fixed
        solved = np.linalg.solve(hessian[np.ix_(free, free)], np.column_stack([normal[free], slope[free]]))
        tangent = np.zeros(low.size)
        tangent[free] = solved[:, 0] / (normal[free] @ solved[:, 0])
        step = fixed.copy()
        step[free] = (float(normal[free] @ solved[:, 1]) - float(normal @ fixed)) * tangent[free] - solved[:, 1]
        price = float(tangent @ (slope + hessian @ (step - fixed)))
        short = ~held & (step < low)
        eager = held & (hessian @ step + gradient - price * normal < -1e-12 * np.abs(gradient).max())
        change = short | eager
        if not change.any():
            break
        if turn >= _AT_ONCE:
            change[np.flatnonzero(change)[:-1]] = False  # Murty's rule: ends
        held = held ^ change
    return np.maximum(step, low), tangent, held


def _smooth(log_uniform: Floats, tilt: Floats, weights: Floats, small: Floats) -> tuple[float, float]:
    """Fill ``weights`` with U phi / e^ref and ``small`` with e^-|x.f|; ref, and E_U[ln(1 + e^(x.f))] / e^ref."""
    blocks = [slice(start, start + _BLOCK) for start in range(0, tilt.size, _BLOCK)]
    for block in blocks:
        np.add(log_uniform[block], np.minimum(tilt[block], 0.0), out=weights[block])
    ref, value = float(weights.max()), 0.0
    for block in blocks:
        z, w, e = tilt[block], weights[block], small[block]
        w -= ref
        np.exp(w, out=w)
        np.exp(-np.abs(z), out=e)
        e += 1e-300
        ratio = np.log1p(e)
        ratio /= e
        value += float((w * np.where(z > 0, ratio * e + z, ratio)).sum())  # not @: its threads would wait at every block
        w /= 1 + e
    return ref, value
