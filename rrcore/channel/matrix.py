"""One attribute randomised by a matrix of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel.base import Channel


@dataclass(frozen=True, eq=False)
class MatrixChannel(Channel):
    """One attribute randomised by any stochastic matrix.

    Parameters
    ----------
    matrix : ndarray of shape (a, a), float64; row x, column y: the probability that the true answer x is reported as y; rows sum to 1

    Examples
    --------
    >>> forced = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 3, 2 / 3]]))
    >>> forced.invert(forced.push(np.array([0.7, 0.3]))).round(12)
    array([0.7, 0.3])
    """

    matrix: Floats

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or self.matrix.shape[0] != self.matrix.shape[1]:
            raise ValueError(f"the matrix has shape {self.matrix.shape}, expected (a, a)")
        if (self.matrix < 0).any() or np.abs(self.matrix.sum(axis=1) - 1).max() > 1e-9:
            raise ValueError("rows of the matrix must be non-negative and sum to 1")

    @property
    def sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The number of categories, as a tuple of one."""
        return (len(self.matrix),)

    @property
    def independent(self) -> bool:
        return True

    @property
    def uniform_variance(self) -> float:
        released = self.matrix.mean(axis=0)
        return float(self.squared_inverse(released).mean() - 1 / len(released))

    @property
    def alone(self) -> MatrixChannel:
        return self

    @property
    def relative_factors(self) -> Floats:
        return np.ones(2)

    @cached_property
    def inverse(self) -> Floats:
        """Entry (v, u): the weight of a reported u in the estimated share of v."""
        return np.asarray(np.linalg.inv(self.matrix.T))

    @cached_property
    def weakest(self) -> float:
        """Smallest singular value of the matrix: the factor by which the worst estimable contrast survives."""
        return float(np.linalg.svd(self.matrix, compute_uv=False).min())

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
