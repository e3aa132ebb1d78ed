"""Integer weights, of which a mechanism file consists (theory.md section 8)."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans
from rrcore.channel import MatrixChannel, SubsetChannel, subsets_of_counts
from rrcore.errors import InputError
from rrcore.limits import (
    MAX_FILE_COUNTS,
    MAX_FILE_SETS,
    MAX_MATRIX_CATEGORIES,
    MAX_RECORD_BITS,
    MAX_WEIGHT_BITS,
    MIN_FACTOR,
)
from rrcore.wording import count_text, counted
from rrcore.wording.short import Short, some

_ALL_ZERO = "All weights are 0. Use at least one positive weight."
Exact = tuple[tuple[Fraction, ...], ...]


class _SharedLies(Short, ABC):
    """Shared methods of weights by sets and by counts of changes.

    A changed answer is any other category, each equally likely.
    """

    rows: ClassVar[None] = None
    """A matrix stands here where there is one."""

    sizes: tuple[int, ...]

    def _summary(self) -> str:
        return f"{counted(len(self.sizes), 'attribute', 'attributes')} of {some(self.sizes)} categories"

    @property
    @abstractmethod
    def whole(self) -> int:
        """The sum of weights. Draws are uniform in 0..whole-1."""

    @property
    def report_sizes(self) -> tuple[int, ...]:
        """Numbers of possible reports, which are the numbers of categories."""
        return self.sizes

    @abstractmethod
    def kept(self, i: int) -> Fraction:
        """Return the probability that the answer to attribute ``i`` is unchanged."""

    def truth(self, i: int) -> tuple[Fraction, Fraction]:
        """Return the range of the probability that answer ``i`` is unchanged.

        The range is over the true answers.
        """
        share = self.kept(i)
        return share, share

    def matrix(self, i: int) -> Exact:
        """Return the matrix of attribute ``i``.

        The entry in row x, column y is the probability that the true answer x is reported as y.
        """
        size, kept = self.sizes[i], self.kept(i)
        return tuple(tuple(kept if x == y else (1 - kept) / (size - 1) for y in range(size)) for x in range(size))


@dataclass(frozen=True)
class LieWeights(_SharedLies):
    """Weights of uniform records and of the sets of attributes that change together.

    With probability ``uniform / whole``, every answer is drawn from all its categories. With probability ``weight / whole``, exactly
    the attributes of a set of changes get a category other than the true one. These categories are equally likely.

    Parameters
    ----------
    sizes : tuple of m ints >= 2, numbers of categories
    uniform : int >= 0
    lies : tuple of (str, int)
        Sets of changes with their weight >= 1, in increasing order. A set has one character per attribute, "1" for a changed answer.

    Raises
    ------
    InputError
        If the weights are not such integers, or are too large.
    """

    sizes: tuple[int, ...]
    uniform: int
    lies: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        if len(self.lies) > MAX_FILE_SETS:
            raise InputError(
                f"Expected at most {MAX_FILE_SETS:,} sets of changed answers, got {len(self.lies):,}. Choose another mechanism."
            )
        names = [name for name, _ in self.lies]
        if names != sorted(set(names)) or any(len(name) != len(self.sizes) or set(name) - {"0", "1"} for name in names):
            raise InputError(
                f"Expected sets of {len(self.sizes)} characters, each 0 or 1, in increasing order. Create the file again."
            )
        if self.uniform < 0 or any(weight < 1 for _, weight in self.lies):
            raise InputError("A set of changed answers has a weight below 1, or uniform is below 0. Create the file again.")
        _check_whole(self.whole)

    @cached_property
    def whole(self) -> int:
        """The sum of all weights. Draws are uniform in 0..whole-1."""
        return self.uniform + sum(weight for _, weight in self.lies)

    @cached_property
    def lying(self) -> Booleans:
        """Membership of attributes in the sets of changes.

        Row s marks the attributes of set s. The shape is (number of sets, m).
        """
        texts = "".join(name for name, _ in self.lies).encode("ascii")
        return (np.frombuffer(texts, dtype=np.uint8) == ord("1")).reshape(len(self.lies), len(self.sizes))

    def channel(self, axes: Sequence[int]) -> SubsetChannel:
        """Return the floating-point channel of the marginal over ``axes``.

        The axes are positions within the group, in the desired order.
        """
        shares = np.array([weight / self.whole for _, weight in self.lies])
        chosen = list(axes)
        return SubsetChannel.listed([self.sizes[i] for i in chosen], self.uniform / self.whole, self.lying[:, chosen], shares)

    def kept(self, i: int) -> Fraction:
        kept = sum(weight for name, weight in self.lies if name[i] == "0")
        return (kept + Fraction(self.uniform, self.sizes[i])) / self.whole

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the group in a mechanism file."""
        return {"uniform": str(self.uniform), "lies": {name: str(weight) for name, weight in self.lies}}


@dataclass(frozen=True)
class MatrixWeights(Short):
    """Weights of one attribute that is randomized by any stochastic matrix.

    The attribute has a categories and b possible reports. Methods are as in ``LieWeights``.

    Parameters
    ----------
    rows : tuple of a tuples of b ints >= 0
        Row x, column y: the true answer x is reported as y with probability rows[x][y] / whole; every row sums to ``whole``.

    Raises
    ------
    InputError
        If rows are not such integers, a report never occurs, or the matrix does not have full rank.

    Examples
    --------
    >>> MatrixWeights(((4, 2, 1), (1, 2, 4))).report_sizes  # two categories, three reports
    (3,)
    """

    rows: tuple[tuple[int, ...], ...]

    def _summary(self) -> str:
        return f"{counted(len(self.rows), 'category', 'categories')}, {counted(len(self.rows[0]), 'report', 'reports')}"

    def __post_init__(self) -> None:
        size, reports = len(self.rows), len(self.rows[0]) if self.rows else 0
        if not (2 <= size <= MAX_MATRIX_CATEGORIES and 2 <= reports <= MAX_MATRIX_CATEGORIES):
            raise InputError(f"Expected a matrix of 2 to {MAX_MATRIX_CATEGORIES} rows and columns, got {size} × {reports}.")
        for number, row in enumerate(self.rows, 1):
            if len(row) != reports or min(row) < 0 or sum(row) != self.whole:
                raise InputError(
                    f"Expected {reports} entries of at least 0 that sum to {self.whole} in row {number} of a matrix, got {len(row)} that "
                    f"sum to {sum(row)}. Create the file again."
                )
        _check_whole(self.whole)
        shares = np.array([[entry / self.whole for entry in row] for row in self.rows])
        if np.linalg.svd(shares, compute_uv=False).min() < MIN_FACTOR:
            raise InputError(
                "A matrix is singular, so nothing can be estimated. Make its rows differ more."
                if reports == size
                else f"A matrix of {size} categories and {reports} reports does not have full rank, because some rows or "
                "columns are mixtures of others. Merge those, or make them differ."
            )
        never = [number for number, column in enumerate(zip(*self.rows, strict=True), 1) if not any(column)]
        if never:
            raise InputError(f"Report {never[0]} of a matrix has probability 0 for every true answer. Leave it out.")

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of categories, as a tuple of one."""
        return (len(self.rows),)

    @property
    def report_sizes(self) -> tuple[int, ...]:
        """The number of reports, as a tuple of one."""
        return (len(self.rows[0]),)

    @cached_property
    def whole(self) -> int:
        """The sum of every row. Draws are uniform in 0..whole-1."""
        return sum(self.rows[0])

    def channel(self, axes: Sequence[int]) -> MatrixChannel:
        return MatrixChannel(np.array([[entry / self.whole for entry in row] for row in self.rows]))

    def matrix(self, i: int) -> Exact:
        return tuple(tuple(Fraction(entry, self.whole) for entry in row) for row in self.rows)

    def truth(self, i: int) -> tuple[Fraction, Fraction] | None:
        """Return the range as in ``LieWeights``.

        None if the numbers of reports and categories differ, because no report is then the true answer.
        """
        if self.report_sizes != self.sizes:
            return None
        diagonal = [row[x] for x, row in enumerate(self.matrix(i))]
        return min(diagonal), max(diagonal)

    def to_dict(self) -> dict[str, Any]:
        return {"matrix": [[str(entry) for entry in row] for row in self.rows]}


@dataclass(frozen=True)
class CountWeights(_SharedLies):
    """Weights by the number of changed attributes of each kind.

    Attributes of one kind are treated alike.

    A single record in which m_t attributes of kind t are changed has the probability weight / whole, where the weight is that of the
    count vector m. The sampler first draws a count vector in proportion to its weight times the number of such records. It then
    draws the changed attributes uniformly among the sets with these counts, and then the new categories uniformly. Methods are as in
    ``LieWeights``.

    Parameters
    ----------
    sizes : tuple of ints >= 2, numbers of categories; attributes of a kind are adjacent and have the same number
    kinds : tuple of T ints >= 1, the number of attributes n_t of each kind, in their order
    records : tuple of (n_1 + 1) ... (n_T + 1) ints >= 0, the weight of one record by count vector, the last count running fastest

    Raises
    ------
    InputError
        If the weights are not such integers, or are too many or too large.
    """

    sizes: tuple[int, ...]
    kinds: tuple[int, ...]
    records: tuple[int, ...]

    def __post_init__(self) -> None:
        if min(self.kinds, default=0) < 1 or sum(self.kinds) != len(self.sizes):
            raise InputError(f"Expected {len(self.sizes)} attributes in all kinds, got {sum(self.kinds)}.")
        if any(len(set(self.sizes[start:end])) > 1 for start, end in self.runs):
            raise InputError("Attributes of one kind have different numbers of categories. Put them into separate kinds.")
        vectors = math.prod(self.shape)
        if vectors > MAX_FILE_COUNTS or len(self.records) != vectors:
            raise InputError(
                f"Expected one weight for each of the {count_text(vectors)} counts of changed answers, and at most "
                f"{MAX_FILE_COUNTS:,}, got {len(self.records):,}."
            )
        if min(self.records) < 0 or max(self.records).bit_length() > MAX_RECORD_BITS:
            raise InputError(
                f"The weight of a record is negative or has more than {MAX_RECORD_BITS} bits. Create the mechanism file again."
            )
        if not any(self.records):
            raise InputError(_ALL_ZERO)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number n_t + 1 for every kind."""
        return tuple(number + 1 for number in self.kinds)

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """First position and end of the attributes of each kind."""
        ends = tuple(accumulate(self.kinds))
        return tuple(zip((0, *ends), ends, strict=False))

    @cached_property
    def drawn(self) -> tuple[int, ...]:
        """Integer weights with which count vectors are drawn.

        A weight is that of one record times the number of records with these counts.
        """
        alike: NDArray[Any] = np.array(1, dtype=object)
        for start, end in self.runs:
            n, others = end - start, self.sizes[start] - 1
            alike = np.multiply.outer(alike, np.array([math.comb(n, m) * others**m for m in range(n + 1)], dtype=object))
        return tuple(weight * number for weight, number in zip(self.records, alike.ravel().tolist(), strict=True))

    @cached_property
    def whole(self) -> int:
        """The sum of ``drawn``. Draws are uniform in 0..whole-1."""
        return sum(self.drawn)

    @cached_property
    def false(self) -> tuple[int, ...]:
        """For each kind, the expected number of changed attributes times ``whole``."""
        grid = np.array(self.drawn, dtype=object).reshape(self.shape)
        sums = [grid.sum(axis=tuple(u for u in range(grid.ndim) if u != t)) for t in range(grid.ndim)]
        return tuple(sum(m * int(weight) for m, weight in enumerate(np.atleast_1d(own))) for own in sums)

    def channel(self, axes: Sequence[int]) -> SubsetChannel:
        chosen = list(axes)
        kinds = np.repeat(np.arange(len(self.kinds)), self.kinds)[chosen]
        shares = np.array([weight / self.whole for weight in self.drawn]).reshape(self.shape)
        return SubsetChannel(tuple(self.sizes[i] for i in chosen), subsets_of_counts(kinds, shares))

    def kept(self, i: int) -> Fraction:
        t = next(t for t, (start, end) in enumerate(self.runs) if start <= i < end)
        return 1 - Fraction(self.false[t], self.kinds[t] * self.whole)

    def to_dict(self) -> dict[str, Any]:
        return {"kinds": list(self.kinds), "records": [str(weight) for weight in self.records]}


Weights = LieWeights | MatrixWeights | CountWeights
"""How one group of attributes is randomized.

All have ``sizes``, ``report_sizes``, ``whole``, ``channel(axes)``, ``matrix(i)``, ``truth(i)`` and ``to_dict()``. ``rows`` is
a matrix, or None where attributes are randomized together. Those have ``kept(i)``, too.
"""


def _check_whole(whole: int) -> None:
    if whole < 1:
        raise InputError(_ALL_ZERO)
    if whole.bit_length() > MAX_WEIGHT_BITS:
        raise InputError(f"The sum of the weights has {whole.bit_length()} bits, but at most {MAX_WEIGHT_BITS} are allowed.")
