"""Products over one half of the kinds of a grid of count vectors: what every row of a programme with floors is put together from.

V_T = v_T / prod of r_i over T is the product of its shares in the two halves of the kinds, and so is V_T V_T' (theory.md section 14).
"""

from functools import cached_property
from math import comb

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.mechanisms.solve.countgrid import CountGrid

_EXPANDED = 16  # up to this many members of a kind V - 1 is added up from products of deviations, beyond it is a difference


class Half:
    """The shares in V_T of some kinds of a grid, for all T that have at most ``width`` attributes among them.

    Parameters
    ----------
    grid : CountGrid
    kinds : slice of its kinds
    width : int
    together : int, most attributes of each of two T whose product is asked for
    """

    def __init__(self, grid: CountGrid, kinds: slice, width: int, together: int) -> None:
        self.kinds, self._together = kinds, together
        each = zip(grid.numbers[kinds], grid.sizes[kinds], grid.retentions[kinds], grid.lies[kinds], strict=True)
        self._above = [_above_one(int(n), min(int(n), width), a, r, lie) for n, a, r, lie in each]
        parts, order = np.zeros((1, 0), dtype=np.int64), np.zeros(1, dtype=np.int64)
        above, bent = np.zeros((1, 1)), np.zeros((1, 1))
        for own in self._above:
            i, t = np.nonzero(np.add.outer(order, np.arange(len(own))) <= width)
            first, second, rest = (
                above[i][:, :, None],
                own[t][:, None, :],
                (own - np.outer(np.arange(len(own)), own[min(1, len(own) - 1)]))[t],
            )
            bent = (first * second + bent[i][:, :, None] + rest[:, None, :]).reshape(i.size, -1)
            above = (first * second + first + second).reshape(i.size, -1)
            parts, order = np.column_stack([parts[i], t]), order[i] + t
        self.parts: Integers = parts
        """Members per kind of every T, shape (P, kinds); the first has none."""
        self.order: Integers = order
        """Members of every T, shape (P,)."""
        self.above: Floats = above
        """V_T - 1, by vectors of counts of lies, shape (P, vectors); nothing cancels where lies are rare."""
        self.bent: Floats = bent
        """V_T - 1 less the sum of V_i - 1 over the members i of T."""

    @cached_property
    def pairs(self) -> tuple[Floats, Integers, Integers]:
        """The products V_T V_T' that differ, in increasing order, of pairs with at most 2 ``together`` members.

        Returns
        -------
        products : ndarray of shape (Q, vectors); order : (Q,), members of both; place : (P, P), which one belongs to T and T'
        """
        code, products, order = np.zeros(1, dtype=np.int64), np.ones((1, 1)), np.zeros(1, dtype=np.int64)
        place = np.zeros((len(self.parts),) * 2, dtype=np.int64)
        for kind, above in enumerate(self._above):
            less, more = np.triu_indices(len(above))
            own, number = (1 + above[less]) * (1 + above[more]), np.zeros((len(above),) * 2, dtype=np.int64)
            number[less, more] = number[more, less] = np.arange(less.size)
            i, j = np.nonzero(np.add.outer(order, less + more) <= 2 * self._together)
            products = (products[i][:, :, None] * own[j][:, None, :]).reshape(i.size, -1)
            code, order = code[i] * less.size + j, order[i] + (less + more)[j]
            counts = self.parts[:, kind]
            place = place * less.size + number[counts[:, None], counts[None, :]]
        ranks = np.argsort(order, kind="stable")
        back = np.argsort(ranks)
        return products[ranks], order[ranks], back[np.searchsorted(code, place)]  # codes are increasing


def most_together(numbers: Integers, split: int, width: int, most: int) -> int:
    """The largest w, at most ``width``, of which the products V_T V_T' of sets of up to w attributes are at most ``most``, on all vectors
    of the first ``split`` kinds, too.
    """
    vectors = int(np.prod(numbers[:split] + 1))
    found, left = np.ones(1), np.ones(1)
    for kind, number in enumerate(numbers):
        less, more = np.triu_indices(min(int(number), width) + 1)
        found = np.convolve(found, np.bincount(less + more))
        left = found if kind == split - 1 else left
    few = (np.cumsum(found) <= most) & (np.cumsum(np.r_[left, np.zeros(found.size - left.size)]) * vectors <= most)
    return max(1, min(width, (int(few.sum()) - 1) // 2))


def _above_one(number: int, most: int, size: float, kept: float, lie: float) -> Floats:
    """V - 1 for 0 to ``most`` of ``number`` attributes of a kind, averaged over the lie sets with m lies; row t, column m."""
    truth = lie * size / (size - 1)  # v - r without cancellation
    above = mean_products(number, most, 1 / kept, -1 / ((size - 1) * kept)) - 1
    deviations = mean_products(number, min(most, _EXPANDED), truth / kept, (truth - size / (size - 1)) / kept)
    for t in range(min(most, _EXPANDED) + 1):
        above[t] = np.sum([comb(t, j) * deviations[j] for j in range(1, t + 1)], axis=0)
    return above


def mean_products(number: int, most: int, truth: float, lie: float) -> Floats:
    """Mean over sets of t of ``number`` attributes of the product of ``truth`` or ``lie`` by attribute, m of them lying; row t, column m."""
    m = np.arange(number + 1)
    rows = np.ones((most + 1, m.size))
    ways = np.ones((1, m.size))  # how likely j of the t members lie, row j: no difference of rounded numbers enters
    for t in range(1, most + 1):
        among = np.arange(t)[:, None]
        drawn = np.zeros((t + 1, m.size))
        drawn[:-1] += ways * np.maximum(number - m - (t - 1 - among), 0) / (number - t + 1)
        drawn[1:] += ways * np.maximum(m - among, 0) / (number - t + 1)
        ways = drawn
        j = np.arange(t + 1)
        rows[t] = (truth ** (t - j) * lie**j) @ ways
    return rows
