"""The dual (D) of (P), smoothed and made sharp step by step by Newton's method (theory.md section 2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats
from rrcore.mechanisms.solve.countgrid import CountGrid
from rrcore.mechanisms.solve.tilted import Tilted, log_sum

UNSURE = 2.3
"""Below this |lambda.f| / tau a smoothed phi is within (.05, .95)."""

_SHARPER = 4.0  # factor from one tau to the next
_SHARPEST = 24  # powers of that factor to the last tau, 4e-15 of the first
_LEAP = 3  # powers at once after a tau that took a single Newton step
_STEPS = 40  # most Newton steps at one tau
_CONVERGED = 1e-4  # A tau is done with once a Newton step would move no x.f further than this
_ROUNDING = 1e-11  # relative error of a gradient: once it is known no better than this a step is of no use
_SHORTEST = 1e-6  # shortest step that is tried, as a fraction of the longest
_REACH = 10.0  # longest step, as a multiple of the largest |x_t|
_FAR = 25.0  # about the furthest that a step moves one x_t: beyond, what decays with it is of another size
_RIDGE = 1e-12  # added to the scaled Hessian: attributes that never lie where it matters leave it singular
_LARGE = 300.0  # growth of a logarithm beyond which it counts as infinite
_LN2 = float(np.log(2.0))


def log_dual_value(grid: CountGrid, direction: Floats) -> float:
    """ln of E_U[(x.f)_+] / (x.margin), an upper bound on ln c for any x with x.margin > 0; infinite elsewhere."""
    slope = float(direction @ grid.margin)
    return Tilted(grid, direction).log_hinge - float(np.log(slope)) if slope > 0 else np.inf


def sharpened(grid: CountGrid) -> Iterator[tuple[float, DualPoint, bool]]:
    """Minimise E_U[tau s(x.f / tau)], s(z) = (z)_+ + e^-|z| / 2, over x.margin = 1 for one tau after the other, each sharper.

    Yields
    ------
    How sharp it is, from 0 to 1; the point after the latest Newton step, in units of tau; and whether the tau is done with. The smoothed
    phi is s'(x.f): e^(x.f) / 2 below 0 and 1 - e^(-x.f) / 2 above.
    """
    x = grid.levels  # Kronecker: x.f = -ln of its phi, up to a constant
    spread = float((x * np.maximum(grid.lies, 1 - grid.lies)) @ grid.numbers)
    at = DualPoint(grid, x * max(2.0, 10.0 / spread))
    sharpness = 0
    while sharpness < _SHARPEST:
        done, steps = sharpness / _SHARPEST, 0
        while steps < _STEPS and (moved := at.step()) is not None:
            at, steps = moved, steps + 1
            yield done, at, False
        yield done, at, True
        ahead = 1 if steps > 1 else _LEAP
        sharpness, factor = sharpness + ahead, _SHARPER**ahead
        further = (factor - 1) * float(at.x @ grid.margin)
        along = at.x + further * at.tangent
        along *= factor * float(at.x @ grid.margin) / float(along @ grid.margin)
        at = min((DualPoint(grid, x) for x in (factor * at.x, along)), key=lambda point: point.log_value)


class DualPoint:
    """The smoothed dual E = E_U[s(x.f)] at x: its logarithm, its gradient divided by E, and Newton's step.

    Parameters
    ----------
    grid : CountGrid, the vectors summed over
    x : ndarray of shape (T,)
    """

    def __init__(self, grid: CountGrid, x: Floats) -> None:
        self.grid, self.x = grid, x
        self.tilted = Tilted(grid, x)
        sides = self.tilted.rows, self.tilted.cols
        fading = [side.log_fading() for side in sides]
        self.log_value = float(np.logaddexp(self.tilted.log_hinge, log_sum(np.logaddexp(*fading[0])) - _LN2))
        with np.errstate(over="ignore"):  # too far for a step: infinite
            self.bent = [(np.exp(above - self.log_value) + np.exp(below - self.log_value)) / 2 for above, below in fading]
            """Sums of U s''(x.f) / E over each row, (R,), and each column, (C,)."""
            weights = [
                np.exp(side.log_mass() - self.log_value) + (np.exp(below - self.log_value) - np.exp(above - self.log_value)) / 2
                for side, (above, below) in zip(sides, fading, strict=True)
            ]
        self.gradient = grid.sums(*weights)

    @property
    def phi(self) -> Floats:
        """The smoothed phi of every vector, shape (R * C,)."""
        tilt = self.grid.tilt(self.x).ravel()
        fading = np.exp(-np.abs(tilt)) / 2
        return np.where(tilt > 0, 1 - fading, fading)

    @property
    def undecided(self) -> int:
        """How many vectors have a smoothed phi within (.05, .95)."""
        return self.tilted.count(UNSURE)

    @property
    def gap(self) -> float:
        """ln of the dual value over the c of the smoothed phi: the gap, in nats, were phi feasible."""
        slope = float(self.gradient @ self.x)
        return float(self.tilted.log_hinge - self.log_value - np.log(slope)) if slope > 0 else np.inf

    @property
    def curvature(self) -> Floats:
        """Sum of U s''(x.f) / E times the outer product of f with itself, shape (T, T)."""
        rows, cols = self.grid.rows, self.grid.cols
        of_rows, of_cols = self.bent
        lying = sum(np.exp(each - self.log_value) for each in self.tilted.rows.log_fading(self.grid.log_lying)) / 2
        cross = rows.T @ (np.multiply.outer(of_rows, self.grid.expected_lies) - lying)
        return np.asarray(np.block([[(rows.T * of_rows) @ rows, cross], [cross.T, (cols.T * of_cols) @ cols]]))

    @cached_property
    def _solved(self) -> tuple[Floats, Floats]:
        """Newton's step within x.margin constant, and how the minimum moves as x.margin grows by 1."""
        hessian, margin = self.curvature, self.grid.margin
        hessian[np.diag_indices_from(hessian)] += np.abs(self._downhill) / _FAR
        curvature = np.diag(hessian)
        unit = 1 / np.sqrt(np.maximum(curvature, _RIDGE * curvature.max() + 1e-200))
        matrix = hessian * np.multiply.outer(unit, unit) + _RIDGE * np.eye(unit.size)
        along, across = (np.linalg.solve(matrix, np.column_stack([margin, self._downhill]) * unit[:, None]) * unit[:, None]).T
        tangent = along / float(margin @ along)
        return float(margin @ across) * tangent - across, tangent

    @property
    def _downhill(self) -> Floats:
        """The gradient without its part along the margin, which no step may follow: it would drown the rest in rounding."""
        margin = self.grid.margin
        return self.gradient - margin * float(self.gradient @ self.x) / float(margin @ self.x)

    @property
    def tangent(self) -> Floats:
        """How the minimum moves as x.margin grows by 1, shape (T,)."""
        return self._solved[1]

    def step(self) -> DualPoint | None:
        """The point after one damped Newton step within x.margin constant; None where a step is of no use."""
        step, tangent = self._solved
        left = self.gradient - self.grid.margin * float(self.gradient @ tangent)
        furthest = float(np.abs(step) @ self.grid.numbers)  # that an x.f moves
        if furthest < _CONVERGED or (np.abs(left) < _ROUNDING * np.abs(self.gradient)).all():
            return None
        slope = abs(float(self._downhill @ step))
        size = longest = min(1.0, _REACH * float(np.abs(self.x).max()) / float(np.abs(step).max()))
        while size > _SHORTEST * longest:
            there = DualPoint(self.grid, self.x + size * step)
            growth = float(np.exp(min(_LARGE, there.log_value - self.log_value)))
            if there.log_value < np.inf and float(there._downhill @ step) * growth <= 0.5 * slope:
                return there  # E is convex and its slope along the step is not steep upwards, so it has not risen
            size /= 2
        return None
