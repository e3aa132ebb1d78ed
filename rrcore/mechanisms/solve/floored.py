"""A grid of count vectors with the accuracy floors that bind as further rows of the programme (theory.md section 14)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.mechanisms.solve.interactions import Interactions

ROUNDED = 1e-14
"""Relative error of sums of products, as bounds allow for it."""

_SAMPLE = 1 << 14  # least number of vectors drawn to approximate a Hessian
_PER_ROW = 48  # vectors drawn per row


class FlooredGrid:
    """A grid with floors as rows: x = (lambda, nu) with nu >= 0, x.f = lambda.f + sum over floors of nu_T times their row.

    A row is v_T - gamma g_T less what is linear in v_i - r_i, so that its share in the slope x.margin is (gamma - |T|) g_T.

    Parameters
    ----------
    floors : Interactions
    active : positions, in its arrays, of the interactions whose floors are rows
    """

    def __init__(self, floors: Interactions, active: Sequence[int]) -> None:
        grid = floors.grid
        self.grid, self.floors, self.active = grid, floors, list(active)
        self.log_uniform, self.shape, self.kind, self.levels = grid.log_uniform, grid.shape, grid.kind, grid.levels
        own, gamma = floors.kronecker[self.active], floors.gamma[self.active]
        counts = floors.counts(self.active)
        halves = [floors.halves(each) for each in counts]
        left = np.array([half[0] for half in halves]).reshape(-1, grid.log_uniform.shape[0])
        right = np.array([half[1] for half in halves]).reshape(-1, grid.log_uniform.shape[1])
        owner = np.repeat(np.arange(len(self.active)), 3)
        kept = (np.abs(left).max(axis=1, initial=0.0) > 0) & (np.abs(right).max(axis=1, initial=0.0) > 0)
        self._left, self._right, self._owner = left[kept], right[kept], owner[kept]
        self._starts = np.searchsorted(self._owner, np.arange(len(self.active)))
        self._constant = (1 - gamma) * own
        self.margin = np.r_[grid.margin, (gamma - floors.order[self.active]) * own]
        sizes = np.add.reduceat(np.abs(self._left).max(axis=1) * np.abs(self._right).max(axis=1), self._starts)
        self.numbers = np.r_[grid.numbers, sizes + np.abs(self._constant)]
        """About the largest |f| of each row."""
        spread = np.sqrt(grid.numbers * grid.lies * (1 - grid.lies))
        self.unit = np.r_[np.minimum(grid.margin, spread), np.maximum(own, 1e-3 * self.numbers[grid.numbers.size :])]
        """What rows are divided by in a programme."""

    @property
    def free(self) -> int:
        """Rows with multipliers of either sign come first: this many."""
        return self.grid.numbers.size

    def tilt(self, direction: Floats) -> Floats:
        """x.f of every vector, shape (R, C)."""
        tilt = self.grid.tilt(direction[: self.free])
        nu = direction[self.free :]
        used = np.flatnonzero(nu[self._owner])
        if used.size:
            tilt += (self._left[used] * nu[self._owner[used], None]).T @ self._right[used]
        return tilt + float(nu @ self._constant) if self._constant.any() else tilt

    def rounding(self, direction: Floats) -> Floats:
        """Most by which rounding may put ``tilt`` too low, shape (R, C): large where large multipliers cancel."""
        size = np.abs(direction)
        grid, nu = self.grid, size[self.free :]
        split = grid.rows.shape[1]
        tilt = np.add.outer(np.abs(grid.rows) @ size[:split], np.abs(grid.cols) @ size[split : self.free])
        used = np.flatnonzero(nu[self._owner])
        tilt += np.abs(self._left[used] * nu[self._owner[used], None]).T @ np.abs(self._right[used])
        return ROUNDED * (tilt + float(nu @ np.abs(self._constant)))

    def first(self, weights: Floats) -> Floats:
        """Sum of ``weights`` (R, C) times f, shape (rows,)."""
        sums = self._constant * float(weights.sum())
        sums += np.add.reduceat(((self._left @ weights) * self._right).sum(axis=1), self._starts)
        return np.r_[self.grid.first(weights), sums]

    def second(self, weights: Floats) -> Floats:
        """About the sum of ``weights`` (R, C) times the outer product of f with itself: over vectors drawn in proportion to them."""
        number = max(_SAMPLE, _PER_ROW * self.margin.size)
        flat = weights.ravel()
        chosen = np.flatnonzero(flat)
        values = flat[chosen]
        if chosen.size > number:
            ends = np.cumsum(values)
            times = np.bincount(np.searchsorted(ends, (np.arange(number) + 0.5) / number * ends[-1]), minlength=chosen.size)
            chosen, values = chosen[times > 0], times[times > 0] * (ends[-1] / number)
        columns = self.columns(chosen)
        return np.asarray((columns * values) @ columns.T)

    def columns(self, chosen: Integers) -> Floats:
        """f of the vectors at positions ``chosen`` of the raveled grid, shape (rows, n)."""
        row, col = np.divmod(chosen, self.log_uniform.shape[1])
        floors = np.repeat(self._constant[:, None], chosen.size, axis=1)
        floors += np.add.reduceat(self._left[:, row] * self._right[:, col], self._starts, axis=0)
        return np.vstack([self.grid.columns(chosen), floors])
