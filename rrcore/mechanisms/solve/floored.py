"""Levels and the accuracy floors that bind as rows of one programme over count vectors (theory.md section 14)."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.mechanisms.solve.interactions import Interactions

_ROUNDED = 1e-14  # relative error of sums of products, as bounds allow for it
_WRITTEN_OUT = 1 << 21  # entries of rows up to which they are written out, where that takes few operations too
_OPERATIONS = 1 << 29


class FlooredRows:
    """Rows over count vectors: V_t - 1 of every kind t, then floors, V_T - gamma_T less the sum of V_i - 1 over their members i.

    V_T = v_T / prod r_i. A phi meets a row where the sum of U phi times the row is at least ``margin`` c; of the kinds, exactly that.

    Parameters
    ----------
    floors : Interactions
    active : positions, in its arrays, of the interactions whose floors are rows
    """

    def __init__(self, floors: Interactions, active: Sequence[int] | Integers) -> None:
        self.floors, self.grid, self.active = floors, floors.grid, np.asarray(active, dtype=np.int64)
        self.free = self.grid.numbers.size
        self.counts = floors.counts(self.active)
        """Members per kind of every floor, shape (floors, T)."""
        gamma = floors.gamma[self.active]
        self.margin = np.r_[np.ones(self.free), gamma - floors.order[self.active]]
        """What the sum of a row is divided by to give c, shape (rows,)."""
        self._constant = 1 - gamma
        self._left, self._right = floors.left, floors.right
        self._rows, self._cols = np.divmod(np.r_[floors.singles, self.active], len(self._right.parts))

    def tilt(self, direction: Floats) -> Floats:
        """x.f of every vector, shape (R, C), for multipliers x of the rows."""
        prices = direction[self.free :]
        sparse = np.zeros(self.floors.shape)
        sparse[self._rows[self.free :], self._cols[self.free :]] = prices
        tilt = self._left.above.T @ (sparse @ self._right.above)
        tilt += (sparse.sum(axis=1) @ self._left.bent)[:, None]
        tilt += sparse.sum(axis=0) @ self._right.bent + float(prices @ self._constant)
        return np.asarray(tilt + self.grid.tilt(direction[: self.free] / self.grid.margin))

    def _rounding(self, direction: Floats) -> Floats:
        """Most by which rounding may put ``tilt`` too low, shape (R, C): large where large multipliers cancel."""
        size, split = np.abs(direction), self.grid.rows.shape[1]
        sparse = np.zeros(self.floors.shape)
        sparse[self._rows[self.free :], self._cols[self.free :]] = size[self.free :]
        tilt = np.abs(self._left.above).T @ (sparse @ np.abs(self._right.above))
        tilt += (sparse.sum(axis=1) @ np.abs(self._left.bent))[:, None]
        tilt += sparse.sum(axis=0) @ np.abs(self._right.bent) + float(size[self.free :] @ np.abs(self._constant))
        each = size[: self.free] / self.grid.margin
        return _ROUNDED * (tilt + np.add.outer(np.abs(self.grid.rows) @ each[:split], np.abs(self.grid.cols) @ each[split:]))

    def values(self, weights: Floats) -> Floats:
        """Sum of ``weights`` (R, C) times every row, shape (rows,)."""
        floors = self.floors.bent(weights)[self.active] + self._constant * float(weights.sum())
        return np.concatenate((self.grid.first(weights) / self.grid.margin, floors))

    def log_bound(self, direction: Floats) -> float:
        """ln of E_U[(x.f)_+] / (x.margin): above ln c of every phi that meets the rows, rounding allowed for; x >= 0 on floors."""
        slope = float(direction @ self.margin) - _ROUNDED * float(np.abs(direction) @ np.abs(self.margin))
        if not slope > 0:
            return np.inf
        tilt = self.tilt(direction) + self._rounding(direction)
        positive = tilt > 0
        logs = self.grid.log_uniform[positive] + np.log(tilt[positive])
        top = logs.max(initial=-np.inf)
        return float(top + np.log(np.exp(logs - top).sum()) - np.log(slope)) if logs.size else np.inf

    def second(self, weights: Floats) -> Floats:
        """Sum of ``weights`` (R, C) times the outer product of the rows with themselves, shape (rows, rows)."""
        if self._written is not None:
            return np.asarray((self._written * weights.ravel()) @ self._written.T)
        (left, order, _), (right, _, _) = self._left.pairs, self._right.pairs
        means = np.empty(self._places[2][-1])
        lengths, starts = self._places[1:]
        for first, end in _runs(order):
            length, wide = lengths[first], left[first:end]
            shorter = (wide @ weights) @ right[:length].T if end - first < length else wide @ (weights @ right[:length].T)
            means[starts[first] : starts[end]] = shorter.ravel()
        found, single = means[self._places[0]], means[self._alone]
        counts = np.vstack([np.zeros((self.free, self.free)), self.counts])  # of members, which are taken away
        linear = found[: self.free].T - counts @ found[: self.free, : self.free] / 2
        single = single - counts @ single[: self.free] - means[0] / 2 * self.margin
        taken = np.column_stack([counts, linear, self.margin, single])
        found -= taken @ np.column_stack([linear, counts, single, self.margin]).T
        return np.asarray(found)

    @cached_property
    def _written(self) -> Floats | None:
        """All rows, shape (rows, vectors), where they are few."""
        number = self._rows.size
        entries = number * self.grid.log_uniform.size
        if entries > _WRITTEN_OUT or entries * number > _OPERATIONS:
            return None
        row, col = self._rows[self.free :], self._cols[self.free :]
        floors = self._left.above[row][:, :, None] * self._right.above[col][:, None, :]
        floors += self._left.bent[row][:, :, None] + self._right.bent[col][:, None, :]
        floors += self._constant[:, None, None]
        kinds = self.grid.columns(np.arange(self.grid.log_uniform.size)) / self.grid.margin[:, None]
        return np.vstack([kinds, floors.reshape(len(row), -1)])

    @cached_property
    def _places(self) -> tuple[Integers, Integers, Integers]:
        """Where the mean of V_T V_T' stands, shape (rows, rows); how many on the right every product on the left meets; from where on."""
        (_, order, left), (_, others, right) = self._left.pairs, self._right.pairs
        lengths = np.searchsorted(others, 2 * self.floors.together - order, side="right")
        starts = np.r_[0, np.cumsum(lengths)]
        places = starts[left[np.ix_(self._rows, self._rows)]]
        places += right[np.ix_(self._cols, self._cols)]
        return places, lengths, starts

    @cached_property
    def _alone(self) -> Integers:
        """Where the mean of V_T stands, shape (rows,)."""
        starts = self._places[2]
        return np.asarray(starts[self._left.pairs[2][self._rows, 0]] + self._right.pairs[2][self._cols, 0])


def _runs(order: Integers) -> list[tuple[int, int]]:
    """First position and end of every run of equal numbers."""
    ends = [0, *(np.flatnonzero(np.diff(order)) + 1), order.size]
    return [(int(first), int(end)) for first, end in pairwise(ends)]
