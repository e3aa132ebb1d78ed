"""Channels on a marginal: what true shares become on average, and the inverse. One for each way an answer may be randomised.

``LieSets`` treats categories symmetrically; ``MatrixChannel`` is any stochastic matrix over one attribute; ``ProductChannel`` puts
independent channels side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rrcore.channel.liesets import LieSets

__all__ = ["Channel", "MatrixChannel", "ProductChannel", "side_by_side"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MatrixChannel:
    """One attribute randomised by any stochastic matrix.

    Parameters
    ----------
    matrix : ndarray of shape (a, a), float64
        Row x, column y: the probability that the true answer x is reported as y. Rows sum to 1.
    """

    matrix: Floats

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or self.matrix.shape[0] != self.matrix.shape[1]:
            raise ValueError(f"the matrix has shape {self.matrix.shape}, expected (a, a)")
        if (self.matrix < 0).any() or np.abs(self.matrix.sum(axis=1) - 1).max() > 1e-9:
            raise ValueError("rows of the matrix must be non-negative and sum to 1")

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of categories, as a tuple of one."""
        return (len(self.matrix),)

    @cached_property
    def inverse(self) -> Floats:
        """Entry (v, u): the weight of a reported u in the estimated share of v."""
        return np.asarray(np.linalg.inv(self.matrix.T))

    @cached_property
    def weakest(self) -> float:
        """Smallest singular value of the matrix: the factor by which the worst estimable contrast survives."""
        return float(np.linalg.svd(self.matrix, compute_uv=False).min())

    def channel(self, table: Floats) -> Floats:
        """The expected released table of a true ``table``, whose first axis is the attribute."""
        return np.tensordot(self.matrix.T, table, axes=1)


@dataclass(frozen=True, eq=False)
class ProductChannel:
    """Independent channels over disjoint attributes of one marginal.

    Parameters
    ----------
    sizes : tuple of w ints
    parts : LieSets or MatrixChannel each
    axes : for every part the axes of the marginal that it is over, in the order of the part
    """

    sizes: tuple[int, ...]
    parts: tuple[LieSets | MatrixChannel, ...]
    axes: tuple[tuple[int, ...], ...]

    @property
    def w(self) -> int:
        """Number of attributes."""
        return len(self.sizes)

    def on_parts(self, table: Floats, operation: Callable[[Floats, LieSets | MatrixChannel], Floats]) -> Floats:
        """``table`` after ``operation(table, part)`` for every part, the axes of the part standing first."""
        for part, axes in zip(self.parts, self.axes, strict=True):
            front = tuple(range(len(axes)))
            table = np.moveaxis(operation(np.moveaxis(table, axes, front), part), front, axes)
        return np.ascontiguousarray(table)

    def channel(self, table: Floats) -> Floats:
        """The expected released table of a true ``table`` of shape ``sizes``."""
        return self.on_parts(table, lambda inner, part: part.channel(inner))


Channel = LieSets | MatrixChannel | ProductChannel
"""Any channel on a marginal."""


def side_by_side(parts: Sequence[LieSets | MatrixChannel], axes: Sequence[Sequence[int]]) -> Channel:
    """Independent channels as one: lie sets where all parts are, so that everything known about those applies.

    Parameters
    ----------
    parts, axes : as in ``ProductChannel``; the axes are 0..w-1, each in one part
    """
    order = [axis for group in axes for axis in group]
    sizes = [size for part in parts for size in part.sizes]
    in_order = tuple(sizes[order.index(axis)] for axis in range(len(order)))
    symmetric = [part for part in parts if isinstance(part, LieSets)]
    if len(symmetric) < len(parts):
        return parts[0] if len(parts) == 1 else ProductChannel(in_order, tuple(parts), tuple(map(tuple, axes)))
    q = np.ones(())
    for part in symmetric:
        q = np.multiply.outer(q, part.probabilities)
    kept = [part.retentions for part in symmetric]
    retentions = None
    if all(r is not None for r in kept):
        retentions = np.concatenate([r for r in kept if r is not None])[np.argsort(order)]
    return LieSets(in_order, np.asarray(q.transpose(np.argsort(order))), retentions)
