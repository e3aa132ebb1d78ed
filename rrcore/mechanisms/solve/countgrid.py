"""Lie sets by their counts: how many attributes of each kind lie (theory.md section 2, last point under "Numerics that matter").

Attributes that share number of categories and level are of one kind, and an optimum treats them alike: it depends on a lie
set only through its count vector. With every attribute of its own kind the count vectors are the 2^k lie sets.
"""

from collections.abc import Sequence
from functools import cached_property, reduce
from math import prod

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rrcore.arrays import Floats, Integers
from rrcore.channel.factors import margins, outer
from rrcore.channel.levels import lie_from_level, retention_from_level

SHRINK = 1e-12  # relative margin by which lies are more frequent than requested, so that no level is exceeded by rounding
_RARE = 1e-290  # nothing that is computed with numbers as small as this is exact
_SAME = 1e-11  # levels that differ by less than this, in nats, count as one: the smallest of them


def _kinds(sizes: Sequence[int], levels: ArrayLike, apart: Sequence[int] = ()) -> tuple[Floats, Floats, Integers, Integers]:
    """Sizes and levels of the kinds in ascending order, shapes (T,); the kind of each attribute, (k,); attributes per kind, (T,)."""
    a, eps = np.asarray(sizes, dtype=np.float64), np.asarray(levels, dtype=np.float64)
    own = np.zeros(a.size, dtype=np.int64)
    own[list(apart)] = 1 + np.asarray(apart, dtype=np.int64)
    order = np.lexsort((own, eps, a))
    first = np.r_[True, (np.diff(a[order]) != 0) | (np.diff(eps[order]) > _SAME) | (np.diff(own[order]) != 0)]
    kind = np.empty(a.size, dtype=np.int64)
    kind[order] = np.cumsum(first) - 1
    return a[order][first], eps[order][first], kind, np.bincount(kind)


def count_of_vectors(sizes: Sequence[int], levels: ArrayLike) -> int:
    """How many count vectors there are, the product over kinds of (attributes of the kind + 1); exact however large."""
    return prod(int(number) + 1 for number in _kinds(sizes, levels)[3])


def log_multiplicities(numbers: Integers) -> Floats:
    """ln of the number of lie sets with each count vector, shape ``numbers + 1``."""
    each = ((number, np.arange(number + 1, dtype=np.float64)) for number in numbers)
    return outer(
        (
            scipy.special.gammaln(number + 1.0) - scipy.special.gammaln(m + 1) - scipy.special.gammaln(number - m + 1)
            for number, m in each
        ),
        np.add,
    )


def log_uniform(sizes: ArrayLike, numbers: Integers) -> Floats:
    """ln U_m, how likely a uniform output has each count vector, shape ``numbers + 1``; ``sizes`` of the kinds, shape (T,)."""
    total = log_multiplicities(numbers)
    for axis, (size, number) in enumerate(zip(np.asarray(sizes, dtype=np.float64), numbers, strict=True)):
        along = np.arange(number + 1) * np.log(size - 1) - number * np.log(size)
        total = total + along.reshape([-1 if i == axis else 1 for i in range(numbers.size)])
    return total


def positions(kind: Integers, shape: Sequence[int]) -> Integers:
    """Where in a raveled grid of this ``shape`` the counts of every lie set stand, shape ``(2,) * k``; ``kind`` of the attributes, (k,)."""
    strides = np.r_[np.cumprod(shape[:0:-1], dtype=np.int64)[::-1], 1]
    return np.asarray(reduce(np.add.outer, [np.array([0, strides[t]]) for t in kind], np.zeros((), dtype=np.int64)))


class CountGrid:
    """U_m and f_t(m) of every count vector m, kept as the rows and columns of one matrix so that sums over m are cheap.

    f_t(m) = n_t (1 - p_t) - m_t, the sum of f_i over the kind. The vectors are those of ``np.ndindex(shape)``, read row
    after row as a matrix of shape (R, C).

    Parameters
    ----------
    sizes : k ints >= 2; levels : k floats, nats
    apart : positions of attributes that are each of a kind of its own, whatever is like them
    """

    active: Sequence[int] = ()
    """Floors that are rows: none."""

    def __init__(self, sizes: Sequence[int], levels: ArrayLike, *, apart: Sequence[int] = ()) -> None:
        self.sizes, self.levels, self.kind, self.numbers = _kinds(sizes, levels, apart)
        self.shape = tuple(int(n) + 1 for n in self.numbers)
        self.lies = lie_from_level(self.levels, self.sizes)
        self.retentions = retention_from_level(self.levels, self.sizes)
        self.margin = self.numbers * self.retentions * (1 - 1 / self.sizes)
        lengths = np.cumsum(np.log(self.shape))
        self._split = int(np.argmin(np.abs(lengths - lengths[-1] / 2))) + 1
        self.rows, self.log_rows = self._half(slice(None, self._split))
        self.cols, self.log_cols = self._half(slice(self._split, None))
        self.log_uniform = np.add.outer(self.log_rows, self.log_cols)
        """ln U_m, shape (R, C)."""

    @property
    def free(self) -> int:
        """Rows whose multipliers may have either sign: all."""
        return int(self.numbers.size)

    @property
    def unit(self) -> Floats:
        """What rows are divided by in a programme: the smaller of d and the deviation of the number of lies, shape (T,)."""
        return np.minimum(self.margin, np.sqrt(self.numbers * self.lies * (1 - self.lies)))

    def _half(self, kinds: slice) -> tuple[Floats, Floats]:
        """f over the vectors of some kinds, shape (vectors, kinds), and ln U of each."""
        numbers, sizes = self.numbers[kinds], self.sizes[kinds]
        lying = np.indices(tuple(numbers + 1)).reshape(numbers.size, prod(numbers + 1)).T
        return numbers * self.lies[kinds] - lying, log_uniform(sizes, numbers).ravel()

    def tilt(self, direction: Floats) -> Floats:
        """lambda.f of every vector, shape (R, C)."""
        return np.asarray(np.add.outer(*self.tilts(direction)))

    def tilts(self, direction: Floats) -> tuple[Floats, Floats]:
        """The shares in lambda.f of each row and of each column, shapes (R,) and (C,)."""
        return self.rows @ direction[: self._split], self.cols @ direction[self._split :]

    def first(self, weights: Floats) -> Floats:
        """Sum of ``weights`` (R, C) times f, shape (T,)."""
        return self.sums(weights.sum(axis=1), weights.sum(axis=0))

    def sums(self, of_rows: Floats, of_cols: Floats) -> Floats:
        """Sum of weights times f, shape (T,), from their sums over each row (R,) and each column (C,)."""
        return np.concatenate((of_rows @ self.rows, of_cols @ self.cols))

    @cached_property
    def expected_lies(self) -> Floats:
        """n_t (1 - p_t) of the kinds that columns are made of."""
        return np.asarray(self.numbers[self._split :] * self.lies[self._split :])

    @cached_property
    def log_lying(self) -> Floats:
        """ln of the number of lies of each kind that columns are made of, shape (C, kinds)."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.rint(self.expected_lies - self.cols)))

    def columns(self, chosen: Integers) -> Floats:
        """f of the vectors at positions ``chosen`` of the raveled grid, shape (T, n)."""
        row, col = np.divmod(chosen, self.log_uniform.shape[1])
        return np.hstack([self.rows[row], self.cols[col]]).T

    @cached_property
    def pair_gain(self) -> Floats:
        """Sum over pairs of attributes of v_i v_j / (r_i r_j) for each vector (section 5), shape (R, C)."""
        r, others = self.retentions, self.sizes - 1
        fall = 1 - 1 / others**2  # of v_i^2, by a lie
        linear = self.kind.size + self.tilt(self.sizes / (others * r))  # v_i = r_i + f_i a_i / (a_i - 1)
        squares = float(self.numbers @ ((1 - self.lies * fall) / r**2)) + self.tilt(fall / r**2)
        return np.asarray((linear**2 - squares) / 2)

    def expand(self, values: Floats) -> Floats:
        """``values`` of the vectors, shape ``shape``, as an array over all lie sets, shape ``(2,) * k``."""
        return np.asarray(values.ravel()[positions(self.kind, self.shape)])

    def with_levels(self, log_gains: Floats) -> Floats:
        """``log_gains`` with lies as frequent as requested, whatever a solver left: exactly the levels, to within rounding.

        Lies are added by replacing one attribute of a kind by a uniform draw: post-processing, so no level and no total grows.

        Parameters
        ----------
        log_gains : ndarray of shape ``shape``, ln of how much likelier an output is than under a uniform record
        """
        logs = self.log_uniform.reshape(self.shape) + log_gains
        unit = logs.max()
        unit += np.log(np.exp(logs - unit).sum())
        logs -= unit
        q = np.exp(logs)
        held = hold_levels(q, self.sizes, self.lies * (1 + SHRINK))
        with np.errstate(
            divide="ignore", invalid="ignore"
        ):  # what is too rare for a number stays as it is: it is no part of any sum
            moved = np.where(q > _RARE, np.log(held / q), np.where(held > _RARE, np.log(held) - logs, 0.0))
        return np.asarray(log_gains - unit + moved)  # what is equal stays equal


def hold_levels(q: Floats, sizes: ArrayLike, lies: ArrayLike) -> Floats:
    """``q`` after replacing one attribute of a kind by a uniform draw just often enough that they lie with at least ``lies``.

    This is post-processing, so no level and no total grows; it only removes the solver's rounding.

    Parameters
    ----------
    q : ndarray of shape (n_1 + 1, ..., n_T + 1), how likely each count vector is, in any unit
    sizes, lies : of the kinds, shape (T,)

    Returns
    -------
    ndarray of the shape of ``q``, summing to 1
    """
    held = np.array(q, order="C") / q.sum()
    onto_each = list(margins(held))
    for t, (counts, size, lie) in enumerate(zip(onto_each, np.asarray(sizes), np.asarray(lies), strict=True)):
        number = counts.size - 1
        found = float(counts @ np.arange(number + 1)) / number
        chance = min(1.0, number * (lie - found) / (1 - 1 / size - found))
        if not chance > 0:
            continue
        each = held.reshape(prod(q.shape[:t]), number + 1, -1)
        m = np.arange(number)[:, None]
        rising = each[:, :-1] * (chance * (1 - m / number) * (1 - 1 / size))
        rising -= each[:, 1:] * (chance * (m + 1) / number / size)
        each[:, :-1] -= rising
        each[:, 1:] += rising
    return held
