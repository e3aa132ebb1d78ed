"""Sums over all vectors of a grid of functions of x.f, from its rows and columns alone (theory.md section 2).

x.f is a share of the row plus a share of the column. Next to columns in falling order of their shares, those with x.f > 0 are in every row
the first few; and e^-|x.f| is a product of the row's and the column's. So sums over R C vectors come from R + C running sums.
"""

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.mechanisms.solve.countgrid import CountGrid

_HALVINGS = 60  # of the distance within which vectors are looked for
_MORE = 4  # times as many vectors as are looked for are few enough to be listed


class Tilted:
    """x.f of all vectors of a grid.

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
        """ln E_U[(x.f)_+]."""
        return log_sum(self.rows.log_hinge)

    def above(self, least: float) -> tuple[Floats, float]:
        """Sum of U f over the vectors with x.f > ``least``, shape (T,), in a unit e^log_unit, and that log_unit."""
        logs = [side.log_mass(least) for side in (self.rows, self.cols)]
        top = float(logs[0].max())
        return self.grid.sums(*(np.exp(each - max(top, -1e300)) for each in logs)), top

    def count(self, distance: float) -> int:
        """How many vectors have |x.f| up to ``distance``."""
        return int((self.rows.above(-distance) - self.rows.above(distance)).sum())

    def within(self, distance: float) -> Integers:
        """Positions, in the raveled grid, of the vectors with |x.f| up to ``distance``."""
        start, end = self.rows.above(distance), self.rows.above(-distance)
        row = np.repeat(np.arange(start.size), end - start)
        place = np.arange(row.size) - np.repeat(np.cumsum(end - start) - end, end - start)
        return np.asarray(row * self.rows.order.size + self.rows.order[place])

    def nearest(self, number: int) -> Integers:
        """Positions of the ``number`` vectors with the least |x.f|, or of all, in no order."""
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
    """The rows of a grid beside its columns, or the columns beside its rows: sums over the others, for each of its own.

    Parameters
    ----------
    own, others : shares in x.f, shapes (R,) and (C,)
    log_own, log_others : ln U, in the same shapes
    """

    def __init__(self, own: Floats, others: Floats, log_own: Floats, log_others: Floats) -> None:
        self.order = np.argsort(-others, kind="stable")
        self.own, self._others = own, others[self.order]
        self._log_own, self._log_others = log_own, log_others[self.order]
        self._first = self.above(0.0)

    def above(self, least: float) -> Integers:
        """How many of the others, in falling order, have x.f > ``least``."""
        return np.searchsorted(-self._others, self.own - least)

    def log_mass(self, least: float = 0.0) -> Floats:
        """ln of the sum of U where x.f > ``least``."""
        return self._log_own + _running(self._log_others)[self.above(least)]

    @property
    def log_hinge(self) -> Floats:
        """ln of the sum of U (x.f)_+: what it is at the last that is above 0, and what is more before it; nothing cancels."""
        mass, last = _running(self._log_others), self._others[self._first - 1]
        with np.errstate(divide="ignore"):
            before = _running(np.r_[-np.inf, mass[1:-1] + np.log(self._others[:-1] - self._others[1:])])[self._first]
            return self._log_own + np.logaddexp(before, mass[self._first] + np.log(np.maximum(self.own + last, 0.0)))

    def log_fading(self, log_factors: Floats | None = None) -> tuple[Floats, Floats]:
        """ln of the sum of U e^-|x.f|, where x.f > 0 and elsewhere.

        ``log_factors``: ln of what else enters, shape (C, n); the sums are then of shape (R, n).
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
    """ln of the sum of e^logs."""
    top = float(logs.max(initial=-np.inf))
    return top + float(np.log(np.exp(logs - top).sum())) if top > -np.inf else top
