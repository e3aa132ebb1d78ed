"""What a mechanism file makes of attributes that are randomised together, from its integers alone: how often it lies, and alike."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Codes, Floats
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights


def plain_reports(matrix: Floats) -> NDArray[np.int32]:
    """The report that stands for each true answer, shape (a,): itself with as many reports as answers, else the likeliest one."""
    a, b = matrix.shape
    return np.arange(a, dtype=np.int32) if a == b else matrix.argmax(axis=1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class MatrixGroup:
    """One attribute with a matrix of its own: ``shares``, row x, column y, x is reported as y."""

    shares: Floats

    @cached_property
    def plain(self) -> NDArray[np.int32]:
        """As ``plain_reports`` gives it."""
        return plain_reports(self.shares)

    @cached_property
    def kept(self) -> Floats:
        """Probability that each true answer is released as it is, shape (a,)."""
        return np.asarray(self.shares[np.arange(len(self.shares)), self.plain])

    @cached_property
    def number(self) -> Floats:
        """Probability of truth and of a lie, over all true answers."""
        lie = 1 - float(self.kept.mean())
        return np.array([1 - lie, lie])

    def lie_sets(self, inner: Sequence[int]) -> Floats:
        """Probability of truth and of a lie, shape (2,)."""
        return self.number

    def honest(self, answers: Codes) -> Floats:
        """Probability that each of the true ``answers`` is released as it is."""
        return self.kept[answers]

    def meet(self, answers: Codes) -> Floats:
        """Probability that two releases of each of the true ``answers`` are equal."""
        return np.asarray((self.shares**2).sum(axis=1)[answers])

    def same_shift(self, kinds: Floats) -> float:
        """Probability that two answers, whichever they are, move in the same way; ``kinds``: of each mark of a lie."""
        truth, lie = self.number.tolist()
        return float(truth**2 + lie**2 * float((kinds**2).sum()))


@dataclass(frozen=True, eq=False)
class LieGroup:
    """What attributes that share lie sets make of one record, whichever it is.

    Parameters
    ----------
    weights : LieWeights or CountWeights
    truth : probability that it is released as it is
    equal : probability that two releases of it are equal
    likeliest : probability of its likeliest release
    number : probability of each number of lies, shape (m + 1,)
    """

    weights: LieWeights | CountWeights
    truth: float
    equal: float
    likeliest: float
    number: Floats

    def lie_sets(self, inner: Sequence[int]) -> Floats:
        """Probability of every lie set among the attributes at ``inner``, shape (2,) * w."""
        return self.weights.channel(inner).probabilities

    def honest(self, answers: Codes) -> float:
        return self.truth

    def meet(self, answers: Codes) -> float:
        return self.equal

    def same_shift(self, kinds: Floats) -> float:
        return self.equal


@singledispatch
def lie_group(weights: Any) -> MatrixGroup | LieGroup:
    """What one group of attributes of a mechanism file makes of a record."""
    raise TypeError(f"{type(weights).__name__} is no kind of weights")


@lie_group.register
def _(weights: MatrixWeights) -> MatrixGroup:
    return MatrixGroup(np.array([[entry / weights.whole for entry in row] for row in weights.rows]))


@lie_group.register
def _(weights: LieWeights) -> LieGroup:
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
    return LieGroup(weights, honest, meet, likeliest, number)


@lie_group.register
def _(weights: CountWeights) -> LieGroup:
    """One output with the counts m has its weight over the whole; ``drawn`` is that times the number of such outputs."""
    outputs = np.array([weight / weights.whole for weight in weights.records])
    drawn = weights.shares
    lies = sum(np.meshgrid(*(np.arange(n) for n in drawn.shape), indexing="ij"))
    number = np.bincount(np.ravel(lies), weights=drawn.ravel(), minlength=len(weights.sizes) + 1).astype(np.float64)
    return LieGroup(weights, float(outputs[0]), float(outputs @ drawn.ravel()), float(outputs.max()), number)
