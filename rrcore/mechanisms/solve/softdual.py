"""The dual (D) of (P), smoothed and made sharp step by step by Newton's method (theory.md section 2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats
from rrcore.mechanisms.solve.countgrid import CountGrid, GridPart

DECIDED = 36.0
"""Beyond this |lambda.f| / tau a smoothed phi is 0 or 1 in double precision."""

UNSURE = 3.0
"""Below this |lambda.f| / tau a smoothed phi is within (.05, .95)."""

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
_ROUNDING = 1e-11  # relative error of a gradient: once it is known no better than this a step is of no use
_SHORTEST = 1e-6  # shortest step that is tried, as a fraction of the longest
_REACH = 10.0  # longest step, as a multiple of the largest |x_t|
_RIDGE = 1e-12  # added to the scaled Hessian: attributes that never lie where it matters leave it singular
_LARGE = 300.0  # growth of a logarithm beyond which it counts as infinite
_BLOCK = 1 << 14  # vectors summed at a time, so that the work stays in the processor's cache
_LARGEST = 600.0  # ln of the largest factor between two units


def log_dual_value(grid: CountGrid, direction: Floats) -> float:
    """ln of E_U[(x.f)_+] / (x.margin), an upper bound on ln c for any x with x.margin > 0; infinite elsewhere."""
    slope = float(direction @ grid.margin)
    if not slope > 0:
        return np.inf
    tilt = grid.tilt(direction)
    positive = tilt > 0
    logs = grid.log_uniform[positive] + np.log(tilt[positive])
    top = logs.max(initial=-np.inf)
    return float(top + np.log(np.exp(logs - top).sum()) - np.log(slope)) if logs.size else np.inf


def sharpened(grid: CountGrid) -> Iterator[tuple[float, DualPoint, DualPoint | None]]:
    """Minimise E_U[tau ln(1 + e^(x.f / tau))] over x.margin = 1 for one tau after the other, each sharper.

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
        yield done, at, None
        ahead = 1 if steps > 1 else _LEAP
        sharpness, factor = sharpness + ahead, _SHARPER**ahead
        further = (factor - 1) * float(at.x @ at.part.margin)
        along = at.x + further * here.tangent
        along *= factor * float(at.x @ at.part.margin) / float(along @ at.part.margin)
        at = min((DualPoint(at.part, x) for x in (factor * at.x, along)), key=lambda point: point.log_value)


class DualPoint:
    """The smoothed dual E = E_U[ln(1 + e^(x.f))] at x: its logarithm, its gradient divided by E, and Newton's step.

    Parameters
    ----------
    part : CountGrid or GridPart, the vectors summed over
    x : ndarray of shape (rows,)
    """

    def __init__(self, part: CountGrid | GridPart, x: Floats) -> None:
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
    def _solved(self) -> tuple[Floats, Floats]:
        """Newton's step within x.margin constant, and how the minimum moves as x.margin grows by 1."""
        hessian = self.part.second(self.bent) / self._value
        curvature = np.diag(hessian)
        unit = 1 / np.sqrt(np.maximum(curvature, _RIDGE * curvature.max() + 1e-200))
        matrix = hessian * np.multiply.outer(unit, unit) + _RIDGE * np.eye(unit.size)
        along, across = (
            np.linalg.solve(matrix, np.column_stack([self.part.margin, self._downhill]) * unit[:, None]) * unit[:, None]
        ).T
        tangent = along / float(self.part.margin @ along)
        return float(self.part.margin @ across) * tangent - across, tangent

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
        step, tangent = self._solved
        left = self.gradient - self.part.margin * float(self.gradient @ tangent)
        furthest = float(np.abs(step) @ self.part.numbers)  # that an x.f moves
        if furthest < _CONVERGED or (np.abs(left) < _ROUNDING * np.abs(self.gradient)).all():
            return None
        slope = abs(float(self._downhill @ step))
        size = longest = min(1.0, _REACH * float(np.abs(self.x).max()) / float(np.abs(step).max()))
        if isinstance(self.part, GridPart):
            size = longest = min(longest, _KNOWN / furthest)
        while size > _SHORTEST * longest:
            there = DualPoint(self.part, self.x + size * step)
            growth = float(np.exp(min(_LARGE, there.log_value - self.log_value)))
            if there.log_value < np.inf and float(there._downhill @ step) * growth <= 0.5 * slope:
                return there  # E is convex and its slope along the step is not steep upwards, so it has not risen
            size /= 2
        return None


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
