"""Levels and the accuracy floors that bind as rows of one programme over count vectors (theory.md section 14)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.mechanisms.solve.interactions import Interactions

_ROUNDED = 1e-14  # relative error of sums of products, as bounds allow for it
_WRITTEN_OUT = 1 << 21  # entries of rows up to which they are written out, where that takes few operations too
_OPERATIONS = 1 << 29
MAX_PAIRS = 1 << 24
"""Most products V_T V_T' whose means are looked at in one step: 128 MB."""


class FlooredRows:
    """Rows V_T - gamma_T over count vectors, V_T = v_T / prod r_i: every kind on its own with gamma 1, then floors.

    A phi meets row T where the sum of U phi (V_T - gamma_T) is at least gamma_T c; of the kinds, exactly that.

    Parameters
    ----------
    floors : Interactions
    active : positions, in its arrays, of the interactions whose floors are rows
    """

    def __init__(self, floors: Interactions, active: Sequence[int] | Integers) -> None:
        self.floors, self.grid, self.active = floors, floors.grid, np.asarray(active, dtype=np.int64)
        self.free = self.grid.numbers.size
        self._chosen = np.r_[floors.singles, self.active]
        self.margin = np.r_[np.ones(self.free), floors.gamma[self.active]]
        """gamma of every row, shape (rows,)."""
        self._left, self._right = floors.left, floors.right
        self._rows, self._cols = np.divmod(self._chosen, len(self._right.parts))

    def tilt(self, direction: Floats) -> Floats:
        """x.f of every vector, shape (R, C), for multipliers x of the rows."""
        return self._sum(direction, self._left.above, self._right.above) + float(direction @ (1 - self.margin))

    def _sum(self, direction: Floats, left: Floats, right: Floats) -> Floats:
        sparse = np.zeros(self.floors.shape)
        np.add.at(sparse, (self._rows, self._cols), direction)
        across = sparse @ right
        tilt = left.T @ across
        tilt += (sparse.sum(axis=1) @ left)[:, None]
        tilt += across.sum(axis=0)
        return np.asarray(tilt)

    def values(self, weights: Floats) -> Floats:
        """Sum of ``weights`` (R, C) times every row, shape (rows,)."""
        return self.floors.above(weights).ravel()[self._chosen] + (1 - self.margin) * float(weights.sum())

    def log_bound(self, direction: Floats) -> float:
        """ln of E_U[(x.f)_+] / (x.gamma): above ln c of every phi that meets the rows, rounding allowed for; x >= 0 on floors."""
        size = np.abs(direction)
        slope = float(direction @ self.margin) - _ROUNDED * float(size @ self.margin)
        if not slope > 0:
            return np.inf
        tilt = self.tilt(direction)
        rounding = self._sum(size, np.abs(self._left.above), np.abs(self._right.above)) + float(size @ np.abs(1 - self.margin))
        tilt += _ROUNDED * rounding
        positive = tilt > 0
        logs = self.grid.log_uniform[positive] + np.log(tilt[positive])
        top = logs.max(initial=-np.inf)
        return float(top + np.log(np.exp(logs - top).sum()) - np.log(slope)) if logs.size else np.inf

    def second(self, weights: Floats) -> Floats:
        """Sum of ``weights`` (R, C) times the outer product of the rows with themselves, shape (rows, rows)."""
        if self._written is not None:
            return np.asarray((self._written * weights.ravel()) @ self._written.T)
        (left, order, _), (right, _, _) = self._left.pairs, self._right.pairs
        across, means = left @ weights, np.empty(self._places[2][-1])
        lengths, starts = self._places[1:]
        for first, end in _runs(order):
            length = lengths[first]
            means[starts[first] : starts[end]] = (across[first:end] @ right[:length].T).ravel()
        found, single = means[self._places[0]], means[self._alone]
        found -= np.multiply.outer(self.margin, single)
        found -= np.multiply.outer(single, self.margin)
        found += np.multiply.outer(self.margin, self.margin) * means[0]
        return np.asarray(found)

    @cached_property
    def _written(self) -> Floats | None:
        """All rows, shape (rows, vectors), where they are few."""
        entries = self._chosen.size * self.grid.log_uniform.size
        if entries > _WRITTEN_OUT or entries * self._chosen.size > _OPERATIONS:
            return None
        left, right = self._left.above[self._rows][:, :, None], self._right.above[self._cols][:, None, :]
        return (left * right + left + right).reshape(self._chosen.size, -1) + (1 - self.margin)[:, None]

    @cached_property
    def _places(self) -> tuple[Integers, Integers, Integers]:
        """Where the mean of V_T V_T' stands, shape (rows, rows); and of every product on the left how many on the right it meets, and from where."""
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
    return [(int(first), int(end)) for first, end in zip(ends[:-1], ends[1:], strict=True)]
