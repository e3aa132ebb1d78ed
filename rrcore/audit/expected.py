"""What a mechanism file says about lies, from its integers alone: how often which answers are false, and what they then become.

An attribute with a matrix of its own lies at a rate that depends on the true answer. A uniform number drawn between the two ends of the
step that the released answer takes in its row, the true answer's step first, is uniform whatever the true answer is; cutting it gives a
"lie" of one known rate. So every attribute has marks, 0 for truth and 1..b for kinds of lies, whose distribution is the same for all records.
Where reports are more or fewer than the categories, the likeliest report of a true answer takes the place of that answer itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Codes, Floats
from rrcore.audit.liegroups import LieGroup, MatrixGroup, lie_group, plain_reports
from rrcore.promise.mechanism_file import MechanismFile

MOST_MARKS = 12
"""Most kinds of lies of one attribute that are told apart."""

WHOLE_ATTRIBUTES = 12
"""Most attributes of which every lie set is counted."""


@dataclass(frozen=True, eq=False)
class Marks:
    """What releases are compared with the file by.

    Parameters
    ----------
    kinds : ndarray of shape (n, k), int16: 0 for truth, 1..b_i for the kind of lie
    shifts : ndarray of shape (n,), uint64: equal where all answers of two records moved in the same way
    impossible : ndarray of shape (n, k), bool: answers that the file never gives for the true one
    """

    kinds: NDArray[np.int16]
    shifts: NDArray[np.uint64]
    impossible: Booleans

    @cached_property
    def lies(self) -> Booleans:
        """Which answers are false, shape (n, k)."""
        return self.kinds > 0


@dataclass(frozen=True, eq=False)
class Expected:
    """The file, asked for the distribution of lies.

    Parameters
    ----------
    file : MechanismFile

    Examples
    --------
    >>> from rrcore.audit.expected import Expected
    >>> from rrcore.answers import nigeria
    >>> Expected(nigeria().mechanism).lie_sets([0]).round(3).tolist()  # a die: 1 says no, 6 says yes, else the truth
    [0.833, 0.167]
    """

    file: MechanismFile

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories."""
        return self.file.sizes

    @property
    def report_sizes(self) -> tuple[int, ...]:
        """Numbers of reports."""
        return self.file.reports.sizes

    @property
    def k(self) -> int:
        """Number of attributes."""
        return len(self.sizes)

    @property
    def names(self) -> tuple[str, ...]:
        """What the attributes are called."""
        return self.file.schema.names

    @cached_property
    def categories(self) -> list[tuple[str, ...]]:
        """What the categories of each attribute are called."""
        return [attribute.categories for attribute in self.file.schema.attributes]

    def described(self, record: Sequence[int]) -> str:
        """A true record in words."""
        answers = zip(self.names, self.categories, record, strict=True)
        return ", ".join(f"{name} = {labels[x]}" for name, labels, x in answers)

    @cached_property
    def _groups(self) -> tuple[tuple[tuple[int, ...], MatrixGroup | LieGroup], ...]:
        return tuple((places, lie_group(weights)) for places, weights in self.file.groups)

    @cached_property
    def _matrices(self) -> dict[int, MatrixGroup]:
        """Attribute -> its matrix, for those that have one of their own."""
        return {places[0]: group for places, group in self._groups if isinstance(group, MatrixGroup)}

    def matrix(self, i: int) -> Floats | None:
        """Row x, column y: x is reported as y; None where attribute ``i`` shares lie sets."""
        return self._matrices[i].shares if i in self._matrices else None

    def plain(self, records: Codes) -> Codes:
        """What each true record counts as released truthfully as, shape (n, k)."""
        own = self._matrices
        columns = [own[i].plain[records[:, i]] if i in own else records[:, i] for i in range(self.k)]
        return np.asfortranarray(np.column_stack(columns), dtype=np.int32)

    def lie_sets(self, axes: Sequence[int]) -> Floats:
        """Probability of every lie set among ``axes``, shape (2,) * w; 1 stands for a lie."""
        out, order = np.ones(()), list[int]()
        for places, group in self._groups:
            if asked := [i for i in axes if i in places]:
                out = np.multiply.outer(out, group.lie_sets([places.index(i) for i in asked]))
                order += asked
        return np.asarray(out.transpose([order.index(i) for i in axes]))

    @cached_property
    def rates(self) -> Floats:
        """How often each attribute lies, shape (k,)."""
        return np.array([float(self.lie_sets([i])[1]) for i in range(self.k)])

    def kinds(self, i: int) -> Floats:
        """Probability of each mark of attribute ``i`` given that it lies, shape (b_i,); all are positive."""
        size = self.report_sizes[i] - 1
        b = min(size, MOST_MARKS)
        if i in self._matrices:
            return np.full(b, 1 / b)
        return np.bincount(np.arange(size) * b // size, minlength=b) / size

    @cached_property
    def number(self) -> Floats:
        """Probability of each number of lies in a record, shape (k + 1,)."""
        out = np.ones(1)
        for _, group in self._groups:
            out = np.convolve(out, group.number)
        return out

    def truth(self, records: Codes) -> Floats:
        """Probability that each record is released as it is (``plain``), shape (n,)."""
        out = np.ones(len(records))
        for places, group in self._groups:
            out *= group.honest(records[:, places[0]])
        return out

    def false(self, records: Codes) -> Floats:
        """Probability that each answer of each record is released falsely, shape (n, k)."""
        own = self._matrices
        columns = [1 - own[i].kept[records[:, i]] if i in own else np.full(len(records), self.rates[i]) for i in range(self.k)]
        return np.column_stack(columns)

    def becomes(self, i: int, true: NDArray[np.int32], other: NDArray[np.int32]) -> Floats:
        """Probability that answer ``true`` of attribute ``i`` is released as ``other``, elementwise."""
        matrix = self.matrix(i)
        if matrix is not None:
            return np.asarray(matrix[true, other])
        return np.where(true == other, 1 - self.rates[i], self.rates[i] / (self.sizes[i] - 1))

    def same(self, records: Codes) -> Floats:
        """Probability that two releases of each record are equal, shape (n,)."""
        out = np.ones(len(records))
        for places, group in self._groups:
            out *= group.meet(records[:, places[0]])
        return out

    def group_same(self, places: tuple[int, ...]) -> tuple[float, float]:
        """Of a group that shares lie sets: how likely two releases of one record are equal, and how likely its likeliest output is."""
        group = dict(self._groups)[places]
        assert isinstance(group, LieGroup)
        return group.equal, group.likeliest

    @cached_property
    def same_shift(self) -> float:
        """Probability that two records, whichever they are, move in the same way."""
        return math.prod(group.same_shift(self.kinds(places[0])) for places, group in self._groups)

    def marks(self, true: Codes, released: Codes, *, rng: np.random.Generator) -> Marks:
        """Truth or kind of lie of every answer."""
        n = len(true)
        kinds = np.zeros((n, self.k), dtype=np.int16, order="F")
        impossible = np.zeros((n, self.k), dtype=np.bool_, order="F")
        shifts = np.zeros(n, dtype=np.uint64)
        factors = np.random.default_rng(0).integers(1 << 20, 1 << 63, size=self.k, dtype=np.uint64) | np.uint64(1)
        honest = self.plain(true)
        for i, size in enumerate(self.report_sizes):
            shift = (released[:, i] - honest[:, i]) % size
            matrix = self.matrix(i)
            b = self.kinds(i).size
            if matrix is None:
                kinds[:, i] = np.where(shift == 0, 0, 1 + (shift - 1) * b // (size - 1))
                impossible[:, i] = self.becomes(i, true[:, i], released[:, i]) <= 0
            else:
                shift, impossible[:, i] = self._level(i, matrix, true[:, i], shift, rng)
                kinds[:, i] = shift
            with np.errstate(over="ignore"):
                shifts += shift.astype(np.uint64) * factors[i]
        return Marks(kinds, shifts, impossible)

    def _level(
        self, i: int, matrix: Floats, true: NDArray[np.int32], shift: NDArray[np.int32], rng: np.random.Generator
    ) -> tuple[NDArray[np.int32], Booleans]:
        """Marks of an attribute with a matrix of its own, and which answers are impossible."""
        size, b = matrix.shape[1], self.kinds(i).size
        turned = np.array([np.roll(row, -x) for x, row in zip(plain_reports(matrix), matrix, strict=True)])  # column s: true + s
        ends = turned.cumsum(axis=1)
        width = turned[true, shift]
        u = ends[true, shift] - width * rng.random(true.size)
        lie = self.rates[i]
        mark = np.where(u < 1 - lie, 0, 1 + np.minimum(b - 1, (u - (1 - lie)) / max(lie, 1e-300) * b).astype(np.int32))
        return np.clip(mark, 0, min(b, size)).astype(np.int32), width <= 0
