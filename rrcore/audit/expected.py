"""What a mechanism file says about lies, from its integers alone: how often which answers are false, and what they then become.

An attribute with a matrix of its own lies at a rate that depends on the true answer. A uniform number drawn between the two ends of the
step that the released answer takes in its row, the true answer's step first, is uniform whatever the true answer is; cutting it gives a
"lie" of one known rate. So every attribute has marks, 0 for truth and 1..b for kinds of lies, whose distribution is the same for all records.
Where reports are more or fewer than the categories, the likeliest report of a true answer takes the place of that answer itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Codes, Floats
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights, Weights

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

    @cached_property
    def _plain(self) -> tuple[NDArray[np.int32] | None, ...]:
        """For each attribute the report that stands for each true answer; None where that is the answer itself."""
        found = []
        for i, (a, b) in enumerate(zip(self.sizes, self.report_sizes, strict=True)):
            matrix = self.matrix(i)
            found.append(None if matrix is None or a == b else plain_reports(matrix))
        return tuple(found)

    def plain(self, records: Codes) -> Codes:
        """What each true record counts as released truthfully as, shape (n, k)."""
        columns = [records[:, i] if own is None else own[records[:, i]] for i, own in enumerate(self._plain)]
        return np.asfortranarray(np.column_stack(columns), dtype=np.int32)

    @property
    def k(self) -> int:
        """Number of attributes."""
        return len(self.sizes)

    @cached_property
    def _place(self) -> dict[int, tuple[int, int]]:
        """Attribute -> its group, and its position there."""
        return {i: (g, inner) for g, (places, _) in enumerate(self.file.groups) for inner, i in enumerate(places)}

    def _weights(self, i: int) -> Weights:
        return self.file.groups[self._place[i][0]][1]

    def matrix(self, i: int) -> Floats | None:
        """Row x, column y: x is reported as y; None where attribute ``i`` shares lie sets."""
        weights = self._weights(i)
        if not isinstance(weights, MatrixWeights):
            return None
        return np.array([[entry / weights.whole for entry in row] for row in weights.rows])

    def lie_sets(self, axes: Sequence[int]) -> Floats:
        """Probability of every lie set among ``axes``, shape (2,) * w; 1 stands for a lie."""
        out, order = np.ones(()), list[int]()
        for g, (places, weights) in enumerate(self.file.groups):
            asked = [i for i in axes if self._place[i][0] == g]
            if not asked:
                continue
            if isinstance(weights, MatrixWeights):
                own = np.array([1 - self._matrix_lie(weights), self._matrix_lie(weights)])
            else:
                own = weights.channel([places.index(i) for i in asked]).probabilities
            out = np.multiply.outer(out, own)
            order += asked
        return np.asarray(out.transpose([order.index(i) for i in axes]))

    @staticmethod
    def _matrix_lie(weights: MatrixWeights) -> float:
        shares = _shares(weights)
        return 1 - float(shares[np.arange(len(shares)), plain_reports(shares)].mean())

    def kinds(self, i: int) -> Floats:
        """Probability of each mark of attribute ``i`` given that it lies, shape (b_i,); all are positive."""
        size = self.report_sizes[i] - 1
        b = min(size, MOST_MARKS)
        if self.matrix(i) is not None:
            return np.full(b, 1 / b)
        return np.bincount(np.arange(size) * b // size, minlength=b) / size

    @cached_property
    def number(self) -> Floats:
        """Probability of each number of lies in a record, shape (k + 1,)."""
        out = np.ones(1)
        for _, weights in self.file.groups:
            out = np.convolve(out, self._number_of(weights))
        return out

    def _number_of(self, weights: Weights) -> Floats:
        if isinstance(weights, MatrixWeights):
            return np.array([1 - self._matrix_lie(weights), self._matrix_lie(weights)])
        return _outputs(weights).number

    def truth(self, records: Codes) -> Floats:
        """Probability that each record is released as it is (``plain``), shape (n,)."""
        out = np.ones(len(records))
        for places, weights in self.file.groups:
            if isinstance(weights, MatrixWeights):
                out *= _kept(_shares(weights))[records[:, places[0]]]
            else:
                out *= _outputs(weights).honest
        return out

    def false(self, records: Codes) -> Floats:
        """Probability that each answer of each record is released falsely, shape (n, k)."""
        out = np.empty(records.shape)
        for i in range(self.k):
            matrix = self.matrix(i)
            out[:, i] = float(self.lie_sets([i])[1]) if matrix is None else 1 - _kept(matrix)[records[:, i]]
        return out

    def becomes(self, i: int, true: NDArray[np.int32], other: NDArray[np.int32]) -> Floats:
        """Probability that answer ``true`` of attribute ``i`` is released as ``other``, elementwise."""
        matrix = self.matrix(i)
        if matrix is not None:
            return np.asarray(matrix[true, other])
        lie = float(self.lie_sets([i])[1])
        return np.where(true == other, 1 - lie, lie / (self.sizes[i] - 1))

    def same(self, records: Codes) -> Floats:
        """Probability that two releases of each record are equal, shape (n,)."""
        out = np.ones(len(records))
        for places, weights in self.file.groups:
            if isinstance(weights, MatrixWeights):
                out *= (_shares(weights) ** 2).sum(axis=1)[records[:, places[0]]]
            else:
                out *= _outputs(weights).meet
        return out

    def group_same(self, places: tuple[int, ...]) -> tuple[float, float]:
        """Of a group that shares lie sets: how likely two releases of one record are equal, and how likely its likeliest output is."""
        weights = next(weights for own, weights in self.file.groups if own == places)
        assert not isinstance(weights, MatrixWeights)
        outputs = _outputs(weights)
        return outputs.meet, outputs.likeliest

    @cached_property
    def same_shift(self) -> float:
        """Probability that two records, whichever they are, move in the same way."""
        found = 1.0
        for places, weights in self.file.groups:
            if isinstance(weights, MatrixWeights):
                lie = self._matrix_lie(weights)
                found *= (1 - lie) ** 2 + lie**2 * float((self.kinds(places[0]) ** 2).sum())
            else:
                found *= _outputs(weights).meet
        return found

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
        lie = float(self.lie_sets([i])[1])
        mark = np.where(u < 1 - lie, 0, 1 + np.minimum(b - 1, (u - (1 - lie)) / max(lie, 1e-300) * b).astype(np.int32))
        return np.clip(mark, 0, min(b, size)).astype(np.int32), width <= 0


def plain_reports(matrix: Floats) -> NDArray[np.int32]:
    """The report that stands for each true answer, shape (a,): itself with as many reports as answers, else the likeliest one."""
    a, b = matrix.shape
    return np.arange(a, dtype=np.int32) if a == b else matrix.argmax(axis=1).astype(np.int32)


def _kept(matrix: Floats) -> Floats:
    """Probability that each true answer is released as it is, shape (a,)."""
    return np.asarray(matrix[np.arange(len(matrix)), plain_reports(matrix)])


def _shares(weights: MatrixWeights) -> Floats:
    return np.array([[entry / weights.whole for entry in row] for row in weights.rows])


@dataclass(frozen=True, eq=False)
class _Outputs:
    """What attributes that share lie sets make of one record.

    Parameters
    ----------
    honest : probability that it is released as it is
    meet : probability that two releases of it are equal
    likeliest : probability of its likeliest release
    number : probability of each number of lies, shape (m + 1,)
    """

    honest: float
    meet: float
    likeliest: float
    number: Floats


def _outputs(weights: LieWeights | CountWeights) -> _Outputs:
    return _of_lies(weights) if isinstance(weights, LieWeights) else _of_counts(weights)


def _of_lies(weights: LieWeights) -> _Outputs:
    """A uniform record with probability u and a lie set S with w_S: one output has u / M + w_S / t_S."""
    cells, uniform = math.prod(weights.sizes), weights.uniform / weights.whole
    shares = np.array([weight / weights.whole for _, weight in weights.lies])
    alike = [
        math.prod(size - 1 for size, lie in zip(weights.sizes, lying, strict=True) if lie) for lying in weights.lying.tolist()
    ]
    meet = uniform * uniform / cells + sum(
        2 * uniform * w / cells + w * w / t for w, t in zip(shares.tolist(), alike, strict=True)
    )
    likeliest = uniform / cells + max((w / t for w, t in zip(shares.tolist(), alike, strict=True)), default=0.0)
    honest = uniform / cells + dict(weights.lies).get("0" * len(weights.sizes), 0) / weights.whole
    drawn = np.ones(1)
    for size in weights.sizes:
        drawn = np.convolve(drawn, [1 / size, 1 - 1 / size])
    number = drawn * uniform + np.bincount(weights.lying.sum(axis=1), weights=shares, minlength=drawn.size)
    return _Outputs(honest, meet, likeliest, number)


def _of_counts(weights: CountWeights) -> _Outputs:
    """One output with the counts m has its weight over the whole; ``drawn`` is that times the number of such outputs."""
    outputs = np.array([weight / weights.whole for weight in weights.records])
    drawn = weights.shares
    lies = sum(np.meshgrid(*(np.arange(n) for n in drawn.shape), indexing="ij"))
    number = np.bincount(np.ravel(lies), weights=drawn.ravel(), minlength=len(weights.sizes) + 1).astype(np.float64)
    return _Outputs(float(outputs[0]), float(outputs @ drawn.ravel()), float(outputs.max()), number)
