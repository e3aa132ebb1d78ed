"""Randomization in integers: what a deployable mechanism consists of (theory.md section 8)."""

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

from rrcore.arrays import Booleans, Floats
from rrcore.channel import LieSets, MatrixChannel, lie_sets_of_counts
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

_ALL_ZERO = "All weights are 0: at least one must be positive."
Exact = tuple[tuple[Fraction, ...], ...]


class _SharedLies(Short, ABC):
    """What weights of lie sets and weights by counts of lies have in common: a false answer is any other category, each equally likely."""

    rows: ClassVar[None] = None
    """A matrix stands here where there is one."""

    sizes: tuple[int, ...]

    def _summary(self) -> str:
        return f"{counted(len(self.sizes), 'attribute', 'attributes')} of {some(self.sizes)} categories"

    @property
    @abstractmethod
    def whole(self) -> int:
        """Draws are uniform in 0..whole-1."""

    @property
    def report_sizes(self) -> tuple[int, ...]:
        """Numbers of possible reports: here the categories themselves."""
        return self.sizes

    @abstractmethod
    def kept(self, i: int) -> Fraction:
        """The probability that the answer to attribute ``i`` is reported as it is."""

    @property
    def unit(self) -> int:
        """What ``output`` is a part of: ``whole``, unless a kind of weights says otherwise."""
        return self.whole

    @abstractmethod
    def output(self, lies: Sequence[int]) -> int:
        """The probability, in parts of ``unit``, of one output: one that is false exactly where ``lies``, one entry per attribute, is 1."""

    def truth(self, i: int) -> tuple[Fraction, Fraction]:
        """The least and the largest probability, over the true answers, that the answer to attribute ``i`` is reported as it is."""
        share = self.kept(i)
        return share, share

    def matrix(self, i: int) -> Exact:
        """Row x, column y: the probability that the true answer x to attribute ``i`` is reported as y."""
        size, kept = self.sizes[i], self.kept(i)
        return tuple(tuple(kept if x == y else (1 - kept) / (size - 1) for y in range(size)) for x in range(size))


@dataclass(frozen=True)
class LieWeights(_SharedLies):
    """Attributes randomised together: a uniform record, or false answers to exactly the attributes of one lie set.

    With probability ``uniform / whole`` every answer is drawn afresh from all its categories; with probability ``weight / whole`` exactly the
    attributes of that lie set get another category than the true one, each equally likely.

    Parameters
    ----------
    sizes : tuple of m ints >= 2, numbers of categories
    uniform : int >= 0
    lies : tuple of (str, int)
        Lie sets with their weight >= 1, increasing; one character per attribute, "1" where it is reported falsely.

    Raises
    ------
    InputError
        For weights that are not such integers, or too large.
    """

    sizes: tuple[int, ...]
    uniform: int
    lies: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        _check_integers([self.uniform, *(weight for _, weight in self.lies)])
        if len(self.lies) > MAX_FILE_SETS:
            raise InputError(f"There are {len(self.lies):,} lie sets with a weight: at most {MAX_FILE_SETS:,} are allowed.")
        names = [name for name, _ in self.lies]
        if names != sorted(set(names)):
            raise InputError("The lie sets are not in increasing order, each once: write the file again.")
        for name in names:
            if len(name) != len(self.sizes) or set(name) - {"0", "1"}:
                raise InputError(f"The lie set {name[:60]!r} is not understood: expected {len(self.sizes)} characters 0 or 1.")
        if self.uniform < 0 or any(weight < 1 for _, weight in self.lies):
            raise InputError("A weight is not positive: every lie set needs a weight of at least 1.")
        _check_whole(self.whole)

    @cached_property
    def whole(self) -> int:
        """The sum of all weights: draws are uniform in 0..whole-1."""
        return self.uniform + sum(weight for _, weight in self.lies)

    @cached_property
    def lying(self) -> Booleans:
        """Row s: the attributes of lie set s, shape (number of lie sets, m)."""
        texts = "".join(name for name, _ in self.lies).encode("ascii")
        return (np.frombuffer(texts, dtype=np.uint8) == ord("1")).reshape(len(self.lies), len(self.sizes))

    def channel(self, axes: Sequence[int]) -> LieSets:
        """The channel on the marginal over ``axes`` (positions within the group, in the order wanted), in floating point."""
        shares = np.array([weight / self.whole for _, weight in self.lies])
        chosen = list(axes)
        return LieSets.listed([self.sizes[i] for i in chosen], self.uniform / self.whole, self.lying[:, chosen], shares)

    def kept(self, i: int) -> Fraction:
        kept = sum(weight for name, weight in self.lies if name[i] == "0")
        return (kept + Fraction(self.uniform, self.sizes[i])) / self.whole

    @property
    def unit(self) -> int:
        return self.whole * math.prod(self.sizes) * math.prod(size - 1 for size in self.sizes)

    def output(self, lies: Sequence[int]) -> int:
        """The weight of the lie set is shared by all outputs with these lies, the uniform one by all there are."""
        true = math.prod(size - 1 for size, lie in zip(self.sizes, lies, strict=True) if not lie)
        weight = self._weight_of.get("".join("01"[lie] for lie in lies), 0)
        return weight * math.prod(self.sizes) * true + self.uniform * math.prod(size - 1 for size in self.sizes)

    @cached_property
    def _weight_of(self) -> dict[str, int]:
        return dict(self.lies)

    def to_dict(self) -> dict[str, Any]:
        """What a mechanism file says of the group."""
        return {"uniform": str(self.uniform), "lies": {name: str(weight) for name, weight in self.lies}}


@dataclass(frozen=True)
class MatrixWeights(Short):
    """One attribute of a categories with b possible reports, randomised by any stochastic matrix; methods as in ``LieWeights``.

    Parameters
    ----------
    rows : tuple of a tuples of b ints >= 0
        Row x, column y: the true answer x is reported as y with probability rows[x][y] / whole; every row sums to ``whole``.

    Raises
    ------
    InputError
        For rows that are not such integers, a report that is never given, or a matrix of lower rank than its shape allows: with b >= a one
        that cannot be undone.

    Examples
    --------
    >>> MatrixWeights(((4, 2, 1), (1, 2, 4))).report_sizes  # two categories, three reports
    (3,)
    """

    rows: tuple[tuple[int, ...], ...]

    def _summary(self) -> str:
        return f"{counted(len(self.rows), 'category', 'categories')}, {counted(len(self.rows[0]), 'report', 'reports')}"

    def __post_init__(self) -> None:
        _check_integers([entry for row in self.rows for entry in row])
        size, reports = len(self.rows), len(self.rows[0]) if self.rows else 0
        if not 2 <= size <= MAX_MATRIX_CATEGORIES:
            raise InputError(f"A matrix is over {size} categories: 2 to {MAX_MATRIX_CATEGORIES} are allowed.")
        if not 2 <= reports <= MAX_MATRIX_CATEGORIES:
            raise InputError(f"A matrix has {counted(reports, 'report', 'reports')}: 2 to {MAX_MATRIX_CATEGORIES} are allowed.")
        for number, row in enumerate(self.rows, 1):
            if len(row) != reports:
                raise InputError(
                    f"Row {number} of a matrix has {len(row)} entries: expected {reports}, as many as the first row."
                )
            if any(entry < 0 for entry in row):
                raise InputError(f"Row {number} of a matrix has a negative entry: probabilities cannot be negative.")
            if sum(row) != self.whole:
                raise InputError(
                    f"Row {number} of a matrix sums to {sum(row)}, the first one to {self.whole}: all rows must have the same sum."
                )
        _check_whole(self.whole)
        shares = np.array([[entry / self.whole for entry in row] for row in self.rows])
        if np.linalg.svd(shares, compute_uv=False).min() < MIN_FACTOR:
            raise InputError(
                "A matrix cannot be undone: under it different true answers are reported in the same way, so nothing can be estimated. "
                "Make its rows differ more."
                if reports == size
                else f"A matrix of {size} categories and {reports} reports tells less apart than so many reports could, since some of its "
                "rows or columns are mixtures of others: merge those, or make them differ."
            )
        never = [number for number, column in enumerate(zip(*self.rows, strict=True), 1) if not any(column)]
        if never:
            raise InputError(f"Report {never[0]} of a matrix is never given, whatever the true answer: leave it out.")

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
        """The sum of every row: draws are uniform in 0..whole-1."""
        return sum(self.rows[0])

    def channel(self, axes: Sequence[int]) -> MatrixChannel:
        return MatrixChannel(np.array([[entry / self.whole for entry in row] for row in self.rows]))

    def matrix(self, i: int) -> Exact:
        return tuple(tuple(Fraction(entry, self.whole) for entry in row) for row in self.rows)

    def truth(self, i: int) -> tuple[Fraction, Fraction] | None:
        """As in ``LieWeights``; None with more or fewer reports than categories, since then no report is an answer as it is."""
        if self.report_sizes != self.sizes:
            return None
        diagonal = [row[x] for x, row in enumerate(self.matrix(i))]
        return min(diagonal), max(diagonal)

    def to_dict(self) -> dict[str, Any]:
        return {"matrix": [[str(entry) for entry in row] for row in self.rows]}


@dataclass(frozen=True)
class CountWeights(_SharedLies):
    """Attributes of few kinds randomised together, those of a kind alike: what counts is how many of each kind are reported falsely.

    One particular released record in which m_t attributes of kind t are false has the probability weight / whole, the weight being that
    of the count vector m. So the count vector is drawn with its weight times the number of such records; then which attributes are
    false, uniformly among the sets with these counts; then the false categories, each equally likely. Methods as in ``LieWeights``.

    Parameters
    ----------
    sizes : tuple of ints >= 2, numbers of categories; the attributes of a kind stand together and have the same number
    kinds : tuple of T ints >= 1, the number of attributes n_t of each kind, in their order
    records : tuple of (n_1 + 1) ... (n_T + 1) ints >= 0, the weight of one record by count vector, the last count running fastest

    Raises
    ------
    InputError
        For weights that are not such integers, or too many or too large ones.
    """

    sizes: tuple[int, ...]
    kinds: tuple[int, ...]
    records: tuple[int, ...]

    def __post_init__(self) -> None:
        _check_integers([*self.kinds, *self.records])
        if min(self.kinds, default=0) < 1 or sum(self.kinds) != len(self.sizes):
            raise InputError(
                f"The kinds have {sum(self.kinds)} attributes and there are {len(self.sizes)}: every attribute is of one kind."
            )
        if any(len(set(self.sizes[start:end])) > 1 for start, end in self.runs):
            raise InputError("Attributes of one kind have different numbers of categories: give them kinds of their own.")
        vectors = math.prod(self.shape)
        if vectors > MAX_FILE_COUNTS:
            raise InputError(f"There are {count_text(vectors)} counts of lies: at most {MAX_FILE_COUNTS:,} are allowed.")
        if len(self.records) != vectors:
            raise InputError(f"There are {len(self.records):,} weights for {vectors:,} counts of lies: each count needs one.")
        if min(self.records) < 0:
            raise InputError("A weight is negative: probabilities cannot be negative.")
        if max(self.records).bit_length() > MAX_RECORD_BITS:
            raise InputError(
                f"A weight has {max(self.records).bit_length()} bits: at most {MAX_RECORD_BITS} are allowed for a single record."
            )
        if not any(self.records):
            raise InputError(_ALL_ZERO)

    @property
    def shape(self) -> tuple[int, ...]:
        """n_t + 1 of every kind."""
        return tuple(number + 1 for number in self.kinds)

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """First position and end of the attributes of each kind."""
        ends = tuple(accumulate(self.kinds))
        return tuple(zip((0, *ends), ends, strict=False))

    @cached_property
    def drawn(self) -> tuple[int, ...]:
        """How often each count vector is drawn: its weight times the number of records that have it."""
        alike: NDArray[Any] = np.array(1, dtype=object)
        for start, end in self.runs:
            n, others = end - start, self.sizes[start] - 1
            alike = np.multiply.outer(alike, np.array([math.comb(n, m) * others**m for m in range(n + 1)], dtype=object))
        return tuple(weight * number for weight, number in zip(self.records, alike.ravel().tolist(), strict=True))

    @cached_property
    def whole(self) -> int:
        """The sum of ``drawn``: draws are uniform in 0..whole-1."""
        return sum(self.drawn)

    @cached_property
    def false(self) -> tuple[int, ...]:
        """Of each kind, the sum over count vectors of how often they are drawn times the number of its attributes that lie."""
        grid = np.array(self.drawn, dtype=object).reshape(self.shape)
        sums = [grid.sum(axis=tuple(u for u in range(grid.ndim) if u != t)) for t in range(grid.ndim)]
        return tuple(sum(m * int(weight) for m, weight in enumerate(np.atleast_1d(own))) for own in sums)

    @property
    def shares(self) -> Floats:
        """How likely each count vector is, shape ``shape``, in floating point."""
        return np.array([weight / self.whole for weight in self.drawn]).reshape(self.shape)

    def channel(self, axes: Sequence[int]) -> LieSets:
        chosen = list(axes)
        kinds = np.repeat(np.arange(len(self.kinds)), self.kinds)[chosen]
        return LieSets(tuple(self.sizes[i] for i in chosen), lie_sets_of_counts(kinds, self.shares))

    def kept(self, i: int) -> Fraction:
        t = next(t for t, (start, end) in enumerate(self.runs) if start <= i < end)
        return 1 - Fraction(self.false[t], self.kinds[t] * self.whole)

    def output(self, lies: Sequence[int]) -> int:
        counts = [sum(lies[start:end]) for start, end in self.runs]
        return self.records[int(np.ravel_multi_index(counts, self.shape))]

    def to_dict(self) -> dict[str, Any]:
        return {"kinds": list(self.kinds), "records": [str(weight) for weight in self.records]}


Weights = LieWeights | MatrixWeights | CountWeights
"""How one group of attributes is randomised.

All have ``sizes``, ``report_sizes``, ``whole``, ``channel(axes)``, ``matrix(i)``, ``truth(i)`` and ``to_dict()``. ``rows`` is
a matrix, or None where attributes share lies; those have ``kept(i)``, and ``output(lies)`` in parts of ``unit``, too.
"""


def _check_integers(weights: Sequence[int]) -> None:
    wrong = [weight for weight in weights if type(weight) is not int]
    if wrong:
        raise InputError(f"The weight {repr(wrong[0])[:40]} is not a whole number: give integers.")


def _check_whole(whole: int) -> None:
    if whole < 1:
        raise InputError(_ALL_ZERO)
    if whole.bit_length() > MAX_WEIGHT_BITS:
        raise InputError(f"The weights sum to a number of {whole.bit_length()} bits: at most {MAX_WEIGHT_BITS} are allowed.")
