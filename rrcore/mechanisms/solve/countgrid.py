"""Sets of changes grouped by the number of changes of each kind.

See theory.md section 2.

Attributes with the same number of categories and the same epsilon are of the same kind. An optimum treats them alike, so it depends
on a set of changes only through its count vector. If every attribute forms its own kind, the count vectors are the 2^k sets of
changes.
"""

from collections.abc import Sequence
from functools import cached_property, reduce
from math import prod

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rrcore.arrays import Floats, Integers, outer
from rrcore.channel.epsilon import lie_from_epsilon, retention_from_epsilon
from rrcore.channel.interactions import margins

SHRINK = 1e-12  # relative margin by which lies are more frequent than requested, so that no level is exceeded by rounding
_RARE = 1e-290  # nothing that is computed with numbers as small as this is exact
_SAME = 1e-11  # levels that differ by less than this, in nats, count as one: the smallest of them


def _kinds(sizes: Sequence[int], epsilon: ArrayLike, marks: ArrayLike = 0) -> tuple[Floats, Floats, Integers, Integers]:
    """Sizes and levels of the kinds in ascending order, shapes (T,); the kind of each attribute, (k,); attributes per kind, (T,)."""
    a, eps = np.asarray(sizes, dtype=np.float64), np.asarray(epsilon, dtype=np.float64)
    own = np.broadcast_to(np.asarray(marks, dtype=np.float64), a.shape)
    order = np.lexsort((own, eps, a))
    first = np.r_[True, (np.diff(a[order]) != 0) | (np.diff(eps[order]) > _SAME) | (np.diff(own[order]) != 0)]
    kind = np.empty(a.size, dtype=np.int64)
    kind[order] = np.cumsum(first) - 1
    return a[order][first], eps[order][first], kind, np.bincount(kind)


def count_of_vectors(sizes: Sequence[int], epsilon: ArrayLike) -> int:
    """Return the exact number of count vectors.

    It is the product over kinds of (number of attributes of the kind + 1).
    """
    return prod(int(number) + 1 for number in _kinds(sizes, epsilon)[3])


def log_multiplicities(numbers: Integers) -> Floats:
    """Return ln of the number of sets with each count vector, shape ``numbers + 1``."""
    each = ((number, np.arange(number + 1, dtype=np.float64)) for number in numbers)
    return outer(
        (
            scipy.special.gammaln(number + 1.0) - scipy.special.gammaln(m + 1) - scipy.special.gammaln(number - m + 1)
            for number, m in each
        ),
        np.add,
    )


def log_uniform(sizes: ArrayLike, numbers: Integers) -> Floats:
    """Return ln U_m, the log probability of each count vector of a uniform record.

    The result has shape ``numbers + 1``. ``sizes`` gives the number of categories of each kind, shape (T,).
    """
    total = log_multiplicities(numbers)
    for axis, (size, number) in enumerate(zip(np.asarray(sizes, dtype=np.float64), numbers, strict=True)):
        along = np.arange(number + 1) * np.log(size - 1) - number * np.log(size)
        total = total + along.reshape([-1 if i == axis else 1 for i in range(numbers.size)])
    return total


def positions(kind: Integers, shape: Sequence[int]) -> Integers:
    """Return the positions of all sets of changes in a raveled grid.

    The result has shape ``(2,) * k``. The grid has this ``shape``, and ``kind`` gives the kind of each attribute, shape (k,).
    """
    strides = np.r_[np.cumprod(shape[:0:-1], dtype=np.int64)[::-1], 1]
    return np.asarray(reduce(np.add.outer, [np.array([0, strides[t]]) for t in kind], np.zeros((), dtype=np.int64)))


class CountGrid:
    """U_m and f_t(m) of every count vector m, stored as rows and columns.

    A single matrix of these rows and columns makes sums over m cheap.

    f_t(m) = n_t (1 - p_t) - m_t is the sum of f_i over the kind. The vectors are those of ``np.ndindex(shape)``, arranged row by
    row as a matrix of shape (R, C).

    Parameters
    ----------
    sizes : k ints >= 2; levels : k floats, nats
    marks : k numbers or one. Attributes with different marks are of different kinds, even if everything else is the same
    """

    def __init__(self, sizes: Sequence[int], epsilon: ArrayLike, *, marks: ArrayLike = 0) -> None:
        self.sizes, self.epsilon, self.kind, self.numbers = _kinds(sizes, epsilon, marks)
        self.shape = tuple(int(n) + 1 for n in self.numbers)
        self.lies = lie_from_epsilon(self.epsilon, self.sizes)
        self.retentions = retention_from_epsilon(self.epsilon, self.sizes)
        self.margin = self.numbers * self.retentions * (1 - 1 / self.sizes)
        lengths = np.cumsum(np.log(self.shape))
        self._split = int(np.argmin(np.abs(lengths - lengths[-1] / 2))) + 1
        self.rows, self.log_rows = self._half(slice(None, self._split))
        self.cols, self.log_cols = self._half(slice(self._split, None))
        self.log_uniform = np.add.outer(self.log_rows, self.log_cols)
        """ln U_m, shape (R, C)."""

    @property
    def unit(self) -> Floats:
        """Divisors of the rows in a program, shape (T,).

        Each is the smaller of d and the deviation of the number of changes.
        """
        return np.minimum(self.margin, np.sqrt(self.numbers * self.lies * (1 - self.lies)))

    def _half(self, kinds: slice) -> tuple[Floats, Floats]:
        """f over the vectors of some kinds, shape (vectors, kinds), and ln U of each."""
        numbers, sizes = self.numbers[kinds], self.sizes[kinds]
        lying = np.indices(tuple(numbers + 1)).reshape(numbers.size, prod(numbers + 1)).T
        return numbers * self.lies[kinds] - lying, log_uniform(sizes, numbers).ravel()

    def tilt(self, direction: Floats) -> Floats:
        """Return lambda.f of every vector, shape (R, C)."""
        return np.asarray(np.add.outer(*self.tilts(direction)))

    def tilts(self, direction: Floats) -> tuple[Floats, Floats]:
        """Return the parts of lambda.f from rows and columns, shapes (R,) and (C,)."""
        return self.rows @ direction[: self._split], self.cols @ direction[self._split :]

    def first(self, weights: Floats) -> Floats:
        """Return the sum of ``weights`` (R, C) times f, shape (T,)."""
        return self.sums(weights.sum(axis=1), weights.sum(axis=0))

    def sums(self, of_rows: Floats, of_cols: Floats) -> Floats:
        """Return the sum of weights times f, shape (T,).

        The weights are given by their sums over each row (R,) and each column (C,).
        """
        return np.concatenate((of_rows @ self.rows, of_cols @ self.cols))

    @cached_property
    def expected_lies(self) -> Floats:
        """Expected number of changes, n_t (1 - p_t), of the kinds that form columns."""
        return np.asarray(self.numbers[self._split :] * self.lies[self._split :])

    @cached_property
    def log_lying(self) -> Floats:
        """Log of the number of changes of each kind that forms columns, shape (C, kinds)."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.rint(self.expected_lies - self.cols)))

    def columns(self, chosen: Integers) -> Floats:
        """Return f of the vectors at positions ``chosen`` of the raveled grid, (T, n)."""
        row, col = np.divmod(chosen, self.log_uniform.shape[1])
        return np.hstack([self.rows[row], self.cols[col]]).T

    @cached_property
    def pair_gain(self) -> Floats:
        """Return the sum over pairs of v_i v_j / (r_i r_j) for each vector, shape (R, C).

        See section 5.
        """
        r, others = self.retentions, self.sizes - 1
        fall = 1 - 1 / others**2  # of v_i^2, by a lie
        linear = self.kind.size + self.tilt(self.sizes / (others * r))  # v_i = r_i + f_i a_i / (a_i - 1)
        squares = float(self.numbers @ ((1 - self.lies * fall) / r**2)) + self.tilt(fall / r**2)
        return np.asarray((linear**2 - squares) / 2)

    def expand(self, values: Floats) -> Floats:
        """Expand ``values`` of the vectors to an array over all sets of changes.

        The values have shape ``shape``, and the result has shape ``(2,) * k``.
        """
        return np.asarray(values.ravel()[positions(self.kind, self.shape)])

    def with_levels(self, log_gains: Floats) -> Floats:
        """Return ``log_gains`` adjusted so that the epsilons are exact.

        Changes become as frequent as requested, up to rounding, regardless of the errors of the solver.

        The adjustment replaces attributes of a kind by uniform draws. This step is post-processing, so no epsilon increases.

        Parameters
        ----------
        log_gains : ndarray of shape ``shape``, log ratio of the probability of an output to its probability under a uniform record
        """
        logs = self.log_uniform.reshape(self.shape) + log_gains
        top = logs.max()
        q = np.exp(logs - top)
        unit = top + np.log(q.sum())
        q /= q.sum()
        held = hold_levels(q, self.sizes, self.lies * (1 + SHRINK))
        usual = q > _RARE  # what is too rare for a number stays as it is: it is no part of any sum
        moved = np.log(np.divide(held, q, out=np.ones_like(q), where=usual))
        rare = ~usual & (held > _RARE)
        moved[rare] = np.log(held[rare]) - logs[rare] + unit
        return np.asarray(log_gains - unit + moved)  # what is equal stays equal


def hold_levels(q: Floats, sizes: ArrayLike, lies: ArrayLike) -> Floats:
    """Return ``q`` after uniform draws raise the change probabilities to ``lies``.

    Each attribute is replaced by a uniform draw just often enough.

    This step is post-processing, so no epsilon increases. It only removes the rounding errors of the solver.

    Parameters
    ----------
    q : ndarray of shape (n_1 + 1, ..., n_T + 1), the relative probabilities of the count vectors
    sizes, lies : values for each kind, shape (T,)

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
