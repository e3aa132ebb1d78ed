"""What a claimed way to randomise says about single answers: how they are released, and which true answers releases point to.

One signature: attributes that share lie sets, however these are weighed, and one attribute with a matrix of its own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Codes, Floats
from rrcore.audit.observer import Observer, observe
from rrcore.audit.outputs import CountOutputs, SetOutputs
from rrcore.audit.trials import Record


@dataclass(frozen=True, eq=False)
class LiePart:
    """Attributes that are randomised together, where a false answer is any other category, each equally likely.

    Parameters
    ----------
    outputs : how likely an output is by its false answers
    """

    outputs: SetOutputs | CountOutputs

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories, one per attribute."""
        return self.outputs.mechanism.sizes

    def answer_rows(self, i: int, first: int, second: int) -> Floats:
        """Probabilities of every released answer of attribute ``i`` for two true ones, shape (2, a)."""
        lie, size = float(self.outputs.mechanism.lies[i]), self.sizes[i]
        rows = np.full((2, size), lie / (size - 1))
        rows[(0, 1), (first, second)] = 1 - lie
        return rows

    def answer_matrix(self, i: int) -> Floats:
        """How the answers of attribute ``i`` are reported, row x, column y: x as y. Two answers stand for all where all are alike."""
        return self.answer_rows(i, 0, 1)[:, :2]

    def extremes(self, i: int) -> tuple[int, int]:
        """Two true answers of attribute ``i`` that the claim allows to be told apart best."""
        return 0, 1

    def far_apart(self) -> tuple[Record, Record]:
        """Two true records between which some output moves the odds by the whole total."""
        return (0,) * len(self.sizes), self.outputs.far_apart()

    def log_likelihood(self, true: NDArray, released: Codes) -> Floats:
        """ln P(released | true) of every row; ``true`` is one record or one per row."""
        return self.outputs.log_of(released != true)

    def guess_alone(self, i: int, answers: Codes) -> Codes:
        """The likeliest true answer of attribute ``i``, all equally likely beforehand, after its released answer."""
        truth_likelier = self.outputs.mechanism.lies[i] <= 1 - 1 / self.sizes[i]
        return answers if truth_likelier else self._another(i, answers)

    def guess_knowing(self, i: int, true: Codes, released: Codes) -> Codes:
        """The likeliest true answer of attribute ``i`` for someone who sees the whole released record and knows all other true answers."""
        lies = np.asarray(released != true)
        lies[:, i] = False
        honest = self.outputs.log_of(lies)
        lies[:, i] = True
        return np.where(honest >= self.outputs.log_of(lies), released[:, i], self._another(i, released[:, i]))

    def _another(self, i: int, answers: Codes) -> Codes:
        return (answers + np.int32(1)) % np.int32(self.sizes[i])

    def formula(self, i: int) -> Observer:
        """How often those guesses are right, computed."""
        return observe(self.outputs.mechanism, i, np.full(self.sizes[i], 1 / self.sizes[i]))


@dataclass(frozen=True, eq=False)
class MatrixPart:
    """One attribute randomised by a matrix of its own: row x, column y is the probability that x is reported as y.

    The methods are those of ``LiePart``.
    """

    matrix: Floats

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of categories, as a tuple of one."""
        return (len(self.matrix),)

    def answer_rows(self, i: int, first: int, second: int) -> Floats:
        return self.matrix[[first, second]]

    def answer_matrix(self, i: int) -> Floats:
        return self.matrix

    def extremes(self, i: int) -> tuple[int, int]:
        """The largest and the smallest entry of the column where they are furthest apart, the likelier one first."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.matrix[:, self.matrix.max(axis=0) > 0])
        column = logs[:, int(np.argmax(logs.max(axis=0) - logs.min(axis=0)))]
        return int(np.argmax(column)), int(np.argmin(column))

    def far_apart(self) -> tuple[Record, Record]:
        first, second = self.extremes(0)
        return (first,), (second,)

    def log_likelihood(self, true: NDArray, released: Codes) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.matrix)[np.asarray(true)[..., 0], released[:, 0]])

    def guess_alone(self, i: int, answers: Codes) -> Codes:
        return self.matrix.argmax(axis=0).astype(np.int32)[answers]

    def guess_knowing(self, i: int, true: Codes, released: Codes) -> Codes:
        """The other answers tell nothing about this one."""
        return self.guess_alone(i, released[:, 0])

    def formula(self, i: int) -> Observer:
        size = len(self.matrix)
        right = float(self.matrix.max(axis=0).sum() / size)
        first, second = self.extremes(0)
        seen = self.matrix[first] > 0
        with np.errstate(divide="ignore"):
            level = float(np.max(np.log(self.matrix[first, seen]) - np.log(self.matrix[second, seen])))
        return Observer(level, level, 1 / size, right, right, False)
