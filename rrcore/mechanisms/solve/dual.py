"""The dual (D) of (P), smoothed and solved by Newton's method.

The smoothing decreases step by step (theory.md section 2).

x.f of a vector is the sum of a part from its row and a part from its column. Sums over all vectors of functions of x.f therefore
need only rows and columns. If the columns are sorted in descending order of their parts, the vectors with x.f > 0 are the first few
of every row. Because e^-|x.f| is a product of a row part and a column part, sums over R C vectors reduce to R + C running sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.mechanisms.solve.countgrid import CountGrid

_HALVINGS = 60  # of the distance within which vectors are looked for
_MORE = 4  # times as many vectors as are looked for are few enough to be listed
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
    """Return ln of E_U[(x.f)_+] / (x.margin), an upper bound on ln c.

    The bound holds for any x with x.margin > 0. Otherwise, it is infinite.
    """
    slope = float(direction @ grid.margin)
    return Tilted(grid, direction).log_hinge - float(np.log(slope)) if slope > 0 else np.inf


def sharpened(grid: CountGrid) -> Iterator[tuple[float, DualPoint, bool]]:
    """Minimize E_U[tau s(x.f / tau)] subject to x.margin = 1, for decreasing tau.

    Here, s(z) = (z)_+ + e^-|z| / 2.

    Yields
    ------
    The sharpness from 0 to 1, the point after the latest Newton step in units of tau, and whether this tau is finished. The
    smoothed phi is
    s'(x.f), which is e^(x.f) / 2 below 0 and 1 - e^(-x.f) / 2 above.
    """
    x = grid.epsilon  # Kronecker: x.f = -ln of its phi, up to a constant
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
    """The smoothed dual E = E_U[s(x.f)] at a point x.

    It holds the logarithm of E, the gradient divided by E, and the Newton step.

    Parameters
    ----------
    grid : CountGrid, the vectors of the sum
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
        """Return the smoothed phi of every vector, shape (R * C,)."""
        tilt = self.grid.tilt(self.x).ravel()
        fading = np.exp(-np.abs(tilt)) / 2
        return np.where(tilt > 0, 1 - fading, fading)

    @property
    def undecided(self) -> int:
        """Return the number of vectors whose smoothed phi lies within (.05, .95)."""
        return self.tilted.count(UNSURE)

    @property
    def gap(self) -> float:
        """Return ln of the dual value divided by the c of the smoothed phi.

        This would be the duality gap in nats if phi were feasible.
        """
        slope = float(self.gradient @ self.x)
        return float(self.tilted.log_hinge - self.log_value - np.log(slope)) if slope > 0 else np.inf

    @property
    def curvature(self) -> Floats:
        """Return the sum of U s''(x.f) / E times f f', shape (T, T)."""
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
        """Derivative of the minimizer with respect to x.margin, shape (T,)."""
        return self._solved[1]

    def step(self) -> DualPoint | None:
        """Return the point after one damped Newton step with x.margin constant.

        The result is None if a step does not help.
        """
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


class Tilted:
    """The values x.f of all vectors of a grid.

    Parameters
    ----------
    grid : CountGrid
    x : ndarray of shape (T,)
    """

    def __init__(self, grid: CountGrid, x: Floats) -> None:
        self.grid = grid
        rows, cols = grid.tilts(x)
        self.rows = Side(rows, cols, grid.log_rows, grid.log_cols)
        self.cols = Side(cols, rows, grid.log_cols, grid.log_rows)
        self.furthest = float(max(rows.max() + cols.max(), -rows.min() - cols.min()))
        """The largest |x.f|."""

    @property
    def log_hinge(self) -> float:
        """Return ln E_U[(x.f)_+]."""
        return log_sum(self.rows.log_hinge)

    def above(self, least: float) -> tuple[Floats, float]:
        """Return the sum of U f over vectors with x.f > ``least``, and its log unit.

        The sum has shape (T,) and is given in units of e^log_unit.
        """
        logs = [side.log_mass(least) for side in (self.rows, self.cols)]
        top = float(logs[0].max())
        return self.grid.sums(*(np.exp(each - max(top, -1e300)) for each in logs)), top

    def count(self, distance: float) -> int:
        """Return the number of vectors with |x.f| up to ``distance``."""
        return int((self.rows.above(-distance) - self.rows.above(distance)).sum())

    def within(self, distance: float) -> Integers:
        """Return the positions in the raveled grid of vectors with |x.f| <= ``distance``."""
        start, end = self.rows.above(distance), self.rows.above(-distance)
        row = np.repeat(np.arange(start.size), end - start)
        place = np.arange(row.size) - np.repeat(np.cumsum(end - start) - end, end - start)
        return np.asarray(row * self.rows.order.size + self.rows.order[place])

    def nearest(self, number: int) -> Integers:
        """Return the positions of the ``number`` vectors with the smallest |x.f|.

        The positions are not sorted. If there are fewer vectors, all are returned.
        """
        low, high = 0.0, self.furthest * 1.01
        for _ in range(_HALVINGS):
            if self.count(high) <= _MORE * number:
                break
            middle = (low + high) / 2
            low, high = (low, middle) if self.count(middle) >= number else (middle, high)
        found = self.within(high)
        if found.size <= number:
            return found
        row, col = np.divmod(found, self.rows.order.size)
        return np.asarray(found[np.argpartition(np.abs(self.rows.own[row] + self.cols.own[col]), number)[:number]])


class Side:
    """The rows or the columns of a grid, with sums over the other side.

    Parameters
    ----------
    own, others : parts of x.f, shapes (R,) and (C,)
    log_own, log_others : ln U, with the same shapes
    """

    def __init__(self, own: Floats, others: Floats, log_own: Floats, log_others: Floats) -> None:
        self.order = np.argsort(-others, kind="stable")
        self.own, self._others = own, others[self.order]
        self._log_own, self._log_others = log_own, log_others[self.order]
        self._first = self.above(0.0)

    def above(self, least: float) -> Integers:
        """Return how many of the others, in descending order, have x.f > ``least``."""
        return np.searchsorted(-self._others, self.own - least)

    def log_mass(self, least: float = 0.0) -> Floats:
        """Return ln of the sum of U where x.f > ``least``."""
        return self._log_own + _running(self._log_others)[self.above(least)]

    @property
    def log_hinge(self) -> Floats:
        """Return ln of the sum of U (x.f)_+.

        The sum adds the value at the last positive x.f and the increments before it, so no terms cancel.
        """
        mass, last = _running(self._log_others), self._others[self._first - 1]
        with np.errstate(divide="ignore"):
            before = _running(np.r_[-np.inf, mass[1:-1] + np.log(self._others[:-1] - self._others[1:])])[self._first]
            return self._log_own + np.logaddexp(before, mass[self._first] + np.log(np.maximum(self.own + last, 0.0)))

    def log_fading(self, log_factors: Floats | None = None) -> tuple[Floats, Floats]:
        """Return ln of the sums of U e^-|x.f| where x.f > 0, and where x.f <= 0.

        ``log_factors`` gives the logs of further factors, shape (C, n). The sums then have shape (R, n).
        """
        ends = (slice(None), *[None] * (0 if log_factors is None else 1))
        logs = self._log_others[ends] + (0.0 if log_factors is None else log_factors[self.order])
        own, others, log_own = self.own[ends], self._others[ends], self._log_own[ends]
        above, below = _running(logs - others), _running((logs + others)[::-1])[::-1]
        return log_own + above[self._first] - own, log_own + below[self._first] + own


def _running(logs: Floats) -> Floats:
    """ln of the sums of the first 0, 1, ... all, along the first axis."""
    return np.concatenate([np.full((1, *logs.shape[1:]), -np.inf), np.logaddexp.accumulate(logs)])


def log_sum(logs: Floats) -> float:
    """Return ln of the sum of e^logs."""
    top = float(logs.max(initial=-np.inf))
    return top + float(np.log(np.exp(logs - top).sum())) if top > -np.inf else top
