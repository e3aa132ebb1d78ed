"""One attribute randomised by a matrix of its own, with as many kinds of reports as it likes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel.base import Channel
from rrcore.channel.confused import smallest_sets
from rrcore.limits import MIN_FACTOR


@dataclass(frozen=True, eq=False)
class MatrixChannel(Channel):
    """One attribute with a categories, reported in b ways, by any stochastic matrix.

    With as many reports as categories there is one unbiased linear estimate. With more there are many, and the one used is that of
    generalised least squares with the weights of the reports expected if all categories were equally frequent: unbiased whatever the shares
    are, and of the least variance when they are equal (Aitken 1936; theory.md section 20). With fewer, or with rows that do not tell the
    categories apart, some shares cannot be estimated: ``lost`` and ``estimable`` say so.

    Parameters
    ----------
    matrix : ndarray of shape (a, b), float64; row x, column y: the probability that the true answer x is reported as y; rows sum to 1

    Examples
    --------
    >>> forced = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 3, 2 / 3]]))
    >>> forced.invert(forced.push(np.array([0.7, 0.3]))).round(12)
    array([0.7, 0.3])

    Two cards drawn from one of two decks, and the number of red ones reported (Kuk 1990); then a device that tells only one answer apart:

    >>> cards = MatrixChannel(np.array([[0.64, 0.32, 0.04], [0.09, 0.42, 0.49]]))
    >>> cards.sizes, cards.report_sizes, cards.invert(cards.push(np.array([0.7, 0.3]))).round(12)
    ((2,), (3,), array([0.7, 0.3]))
    >>> MatrixChannel(np.array([[0.8, 0.2], [0.8, 0.2], [0.1, 0.9]])).estimable(0)
    ((0, 1), (2,))
    """

    matrix: Floats

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or 0 in self.matrix.shape:
            raise ValueError(f"the matrix has shape {self.matrix.shape}, expected (a, b)")
        if (self.matrix < 0).any() or np.abs(self.matrix.sum(axis=1) - 1).max() > 1e-9:
            raise ValueError("rows of the matrix must be non-negative and sum to 1")

    @property
    def sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The number of categories, as a tuple of one."""
        return (len(self.matrix),)

    @property
    def report_sizes(self) -> tuple[int, ...]:
        return (self.matrix.shape[1],)

    @property
    def independent(self) -> bool:
        return True

    @property
    def uniform_variance(self) -> float:
        return float(self.squared_inverse(self.matrix.mean(axis=0)).mean() - 1 / len(self.matrix))

    @property
    def alone(self) -> MatrixChannel:
        return self

    @property
    def relative_factors(self) -> Floats:
        return np.ones(2)

    @cached_property
    def _scaled(self) -> Floats:
        """The matrix over the root of a times what is expected in each column for equal shares, shape (a, b), 0 where nothing is.

        Its singular values are the correlations of truth and report over their canonical variables, the largest being 1.
        """
        root = np.sqrt(self.matrix.sum(axis=0))
        return np.divide(self.matrix, root, out=np.zeros_like(self.matrix), where=root > 0)

    @cached_property
    def inverse(self) -> Floats:
        """Entry (v, u): the weight of a reported u in the estimated share of v; columns sum to 1.

        Where some shares are lost, what it estimates of the others is unbiased.
        """
        root = np.sqrt(self.matrix.sum(axis=0))
        weights = np.full(self.matrix.shape, 1 / len(self.matrix))  # of a report that is never given
        return np.divide(np.linalg.pinv(self._scaled.T, rcond=MIN_FACTOR), root, out=weights, where=root > 0)

    @cached_property
    def weakest(self) -> float:
        """The factor by which the worst contrast between categories survives, 0 to 1: for k-ary response the r of theory.md section 3.

        It is the least canonical correlation of truth and report when all categories are equally frequent; 0 with fewer reports.
        """
        a, b = self.matrix.shape
        return 0.0 if b < a else float(np.linalg.svd(self._scaled, compute_uv=False).min())

    def push(self, table: Floats) -> Floats:
        return np.tensordot(self.matrix.T, table, axes=1)

    def pull(self, table: Floats) -> Floats:
        return np.tensordot(self.matrix, table, axes=1)

    def invert(self, table: Floats) -> Floats:
        return np.tensordot(self.inverse, table, axes=1)

    def invert_back(self, weights: Floats) -> Floats:
        return np.tensordot(self.inverse.T, weights, axes=1)

    def marginal(self, axes: Sequence[int]) -> MatrixChannel:
        return self  # of one attribute there is no other

    def inverse_moment(self, released: Floats, power: int) -> Floats:
        return np.tensordot(self.inverse**power, released, axes=1)

    def own_moment(self, power: int) -> Floats:
        return np.asarray((self.matrix * self.inverse**power).sum(axis=1))

    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        return [(0,)] if self.weakest < threshold else []

    def estimable(self, axis: int) -> tuple[tuple[int, ...], ...]:
        return smallest_sets(self._scaled)
