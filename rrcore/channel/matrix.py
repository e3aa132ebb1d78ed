"""One attribute randomised by a matrix of its own, with as many kinds of reports as it likes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel.base import Channel
from rrcore.limits import MIN_FACTOR

_MOST_SEARCHED = 10  # categories that are not estimable on their own, all subsets of which are tried


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
        return float(np.tensordot(self.inverse**2, self.matrix.mean(axis=0), axes=1).mean() - 1 / len(self.matrix))

    @property
    def alone(self) -> Channel:
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

    def _applied(self, matrix: Floats, table: Floats, sizes: tuple[int, ...]) -> Floats:
        """``matrix`` times the cells of ``table``, as a table of these ``sizes``."""
        extra = table.shape[self.w :]
        return np.dot(matrix, table.reshape(matrix.shape[1], math.prod(extra))).reshape(*sizes, *extra)

    def push(self, table: Floats) -> Floats:
        return self._applied(self.matrix.T, table, self.report_sizes)

    def pull(self, table: Floats) -> Floats:
        return self._applied(self.matrix, table, self.sizes)

    def invert(self, table: Floats) -> Floats:
        return self._applied(self.inverse, table, self.sizes)

    def invert_back(self, weights: Floats) -> Floats:
        return self._applied(self.inverse.T, weights, self.report_sizes)

    def marginal(self, axes: Sequence[int]) -> Channel:
        return self  # of one attribute there is no other

    def inverse_moment(self, released: Floats, power: int) -> Floats:
        return self._applied(self.inverse**power, released, self.sizes)

    def own_moment(self, power: int) -> Floats:
        return np.asarray((self.matrix * self.inverse**power).sum(axis=1)).reshape(self.sizes)

    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        return [(0,)] if self.weakest < threshold else []

    def estimable(self, axis: int) -> tuple[tuple[int, ...], ...]:
        return smallest_sets(self._scaled)


def smallest_sets(matrix: Floats) -> tuple[tuple[int, ...], ...]:
    """The smallest sets of categories whose share together can be estimated without bias, each category's own where that is possible.

    A sum of shares can be estimated if and only if shares that give the same reports agree on it: its indicator is orthogonal to the null
    space of the transposed matrix (estimable functions; Rao 1973, section 4a). All categories together always can.

    Parameters
    ----------
    matrix : ndarray of shape (a, b), row x: what category x is reported as; columns may be scaled

    Returns
    -------
    tuple of increasing tuples of categories, each category in at least one; in the order of their first category

    Examples
    --------
    >>> smallest_sets(np.array([[0.8, 0.2], [0.8, 0.2], [0.1, 0.9]]))
    ((0, 1), (2,))
    >>> smallest_sets(np.array([[0.8, 0.2], [0.4, 0.6], [0.1, 0.9]]))
    ((0, 1, 2),)
    """
    left, values, _ = np.linalg.svd(matrix)
    rank = int((values >= MIN_FACTOR).sum())
    blind = left[:, rank:]  # column: a change of shares that no report shows
    moved = np.flatnonzero(np.abs(blind).max(axis=1, initial=0.0) > MIN_FACTOR)
    found: list[tuple[int, ...]] = [(x,) for x in range(len(matrix)) if x not in moved]
    if len(moved) <= _MOST_SEARCHED:
        candidates = [chosen for size in range(2, len(moved) + 1) for chosen in combinations(moved.tolist(), size)]
    else:
        alike = {tuple(np.flatnonzero(np.abs(matrix - matrix[x]).max(axis=1) < MIN_FACTOR).tolist()) for x in moved.tolist()}
        candidates = [*alike, tuple(moved.tolist())]
    for chosen in candidates:
        if np.abs(blind[list(chosen)].sum(axis=0)).max() < MIN_FACTOR and not any(set(known) < set(chosen) for known in found):
            found.append(chosen)
    return tuple(sorted(found))
