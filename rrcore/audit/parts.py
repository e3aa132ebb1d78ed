"""What a claimed way to randomise says about single outputs: how likely they are, and which true answers they point to.

One signature: attributes that share lie sets, one attribute with a matrix of its own, and counts of lies in ``countpart``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Codes, Floats, Integers
from rrcore.audit.observer import Observer, observe
from rrcore.audit.trials import Record
from rrcore.errors import InputError
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms import Listed, Mechanism
from rrcore.promise.certificate import Ratio, nats


def nats_of(ratio: Ratio) -> float:
    """A ratio of a certificate in nats, rounded up; inf for None."""
    return math.inf if ratio is None else float(nats(ratio))


@dataclass(frozen=True, eq=False)
class SymmetricPart:
    """What is alike in all parts in which a false answer is any other category, each equally likely."""

    mechanism: Mechanism

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories, one per attribute."""
        return self.mechanism.sizes

    def answer_rows(self, i: int, first: int, second: int) -> Floats:
        """Probabilities of every released answer of attribute ``i`` for two true ones, shape (2, a)."""
        lie, size = float(self.mechanism.lies[i]), self.sizes[i]
        rows = np.full((2, size), lie / (size - 1))
        rows[(0, 1), (first, second)] = 1 - lie
        return rows

    def answer_matrix(self, i: int) -> Floats:
        """How the answers of attribute ``i`` are reported, row x, column y: x as y. Two answers stand for all where all are alike."""
        return self.answer_rows(i, 0, 1)[:, :2]

    def extremes(self, i: int) -> tuple[int, int]:
        """Two true answers of attribute ``i`` that the claim allows to be told apart best."""
        return 0, 1

    def guess_alone(self, i: int, answers: Codes) -> Codes:
        """The likeliest true answer of attribute ``i``, all equally likely beforehand, after its released answer."""
        told = self.mechanism.lies[i] <= 1 - 1 / self.sizes[i]
        return answers if told else self._another(i, answers)

    def _another(self, i: int, answers: Codes) -> Codes:
        return (answers + np.int32(1)) % np.int32(self.sizes[i])

    def formula(self, i: int) -> Observer:
        """How often those guesses are right, computed."""
        return observe(self.mechanism, i, np.full(self.sizes[i], 1 / self.sizes[i]))


@dataclass(frozen=True, eq=False)
class LiePart(SymmetricPart):
    """Attributes that are randomised by one distribution over lie sets.

    Parameters
    ----------
    mechanism : Listed, over these m attributes
    """

    mechanism: Listed

    @classmethod
    def from_mechanism(cls, mechanism: Mechanism) -> LiePart:
        """The part that a planned mechanism describes, in floating point. Raises InputError where 2^k lie sets are too many."""
        if mechanism.k > MAX_OPTIMAL_ATTRIBUTES:
            raise InputError(
                f"This mechanism has {mechanism.k} attributes: at most {MAX_OPTIMAL_ATTRIBUTES} are audited before a mechanism file is "
                "made, so make the file and audit that."
            )
        return cls(Listed(mechanism.sizes, *mechanism.listing()))

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self.mechanism.lying @ self._bits)

    @cached_property
    def keys(self) -> Integers:
        """Listed lie sets as binary numbers, the first attribute in the highest place; increasing."""
        return np.asarray((self.mechanism.lying @ self._bits)[self._order])

    @cached_property
    def logs(self) -> Floats:
        """ln of the probability of one particular output with each of them."""
        return self.mechanism.log_outputs[self._order]

    @property
    def floor(self) -> float:
        """The same for every other lie set."""
        return self.mechanism.log_floor

    @cached_property
    def _bits(self) -> Integers:
        return np.int64(1) << np.arange(len(self.sizes))[::-1].astype(np.int64)

    def far_apart(self) -> tuple[Record, Record]:
        """Two true records between which some output moves the odds by the whole total: they differ where one output, seen from the
        first, has a likeliest lie set and, seen from the second, a least likely one."""
        m = len(self.sizes)
        full = 2**m - 1
        likeliest = int(self.keys[int(np.argmax(self.logs))]) if self.logs.size and self.logs.max() > self.floor else 0
        differ = likeliest ^ self._least_likely(full & ~likeliest)
        return (0,) * m, tuple(differ >> (m - 1 - i) & 1 for i in range(m))

    def _least_likely(self, near: int) -> int:
        """A lie set whose outputs are the least likely: of those without a weight of their own one close to ``near``."""
        m, known = len(self.sizes), set(self.keys.tolist())
        if len(known) == 1 << m:
            ties = np.flatnonzero(self.logs <= self.logs.min() + 1e-12)
            return min((int(self.keys[tie]) for tie in ties), key=lambda lie: (lie ^ near).bit_count())
        flips = (sum(chosen) for w in range(m + 1) for chosen in combinations([1 << i for i in range(m)], w))
        return next(near ^ flip for flip in flips if near ^ flip not in known)

    def log_likelihood(self, true: NDArray, released: Codes) -> Floats:
        """ln P(released | true) of every row; ``true`` is one record or one per row."""
        return self._log_of((released != true) @ self._bits)

    def _log_of(self, lies: Integers) -> Floats:
        if not self.keys.size:
            return np.full(lies.shape, self.floor)
        place = np.minimum(np.searchsorted(self.keys, lies), self.keys.size - 1)
        return np.where(self.keys[place] == lies, self.logs[place], self.floor)

    def guess_knowing(self, i: int, true: Codes, released: Codes) -> Codes:
        """The same for someone who sees the whole released record and knows all true answers except that of attribute ``i``."""
        others = (released != true) @ self._bits & ~self._bits[i]
        told = self._log_of(others) >= self._log_of(others | self._bits[i])
        return np.where(told, released[:, i], self._another(i, released[:, i]))


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
