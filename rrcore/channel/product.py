"""Independent channels side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel.base import Channel
from rrcore.channel.factors import outer
from rrcore.channel.liesets import LieSets


@dataclass(frozen=True, eq=False)
class ProductChannel(Channel):
    """Independent channels over disjoint attributes of one marginal.

    Parameters
    ----------
    sizes : tuple of w ints
    parts : Channel each
    axes : for every part the axes of the marginal that it is over, in the order of the part
    """

    sizes: tuple[int, ...]
    parts: tuple[Channel, ...]
    axes: tuple[tuple[int, ...], ...]

    @property
    def report_sizes(self) -> tuple[int, ...]:
        return _in_order([part.report_sizes for part in self.parts], self.axes)

    @property
    def independent(self) -> bool:
        return all(part.independent for part in self.parts)

    @property
    def uniform_variance(self) -> float:
        squares = [part.uniform_variance + 1 / float(np.prod(part.sizes, dtype=np.float64)) for part in self.parts]
        return float(np.prod(squares) - 1 / np.prod(self.sizes, dtype=np.float64))

    @property
    def alone(self) -> ProductChannel:
        return ProductChannel(self.sizes, tuple(part.alone for part in self.parts), self.axes)

    @property
    def relative_factors(self) -> Floats:
        return self._together([part.relative_factors for part in self.parts])

    def _together(self, tables: Sequence[Floats]) -> Floats:
        """The product of a table of every part, the axes in the order of the marginal."""
        return outer(tables).transpose(np.argsort([axis for axes in self.axes for axis in axes]))

    def _each(self, table: Floats, operation: Callable[[Channel, Floats], Floats]) -> Floats:
        """``table`` after ``operation(part, table)`` for every part, the axes of the part standing first."""
        for part, axes in zip(self.parts, self.axes, strict=True):
            front = tuple(range(len(axes)))
            table = np.moveaxis(operation(part, np.moveaxis(table, axes, front)), front, axes)
        return np.ascontiguousarray(table)

    def push(self, table: Floats) -> Floats:
        return self._each(table, lambda part, inner: part.push(inner))

    def pull(self, table: Floats) -> Floats:
        return self._each(table, lambda part, inner: part.pull(inner))

    def invert(self, table: Floats) -> Floats:
        return self._each(table, lambda part, inner: part.invert(inner))

    def invert_back(self, weights: Floats) -> Floats:
        return self._each(weights, lambda part, inner: part.invert_back(inner))

    def marginal(self, axes: Sequence[int]) -> Channel:
        kept = [[axis for axis in axes if axis in own] for own in self.axes]
        parts = [
            part.marginal([own.index(a) for a in mine])
            for part, own, mine in zip(self.parts, self.axes, kept, strict=True)
            if mine
        ]
        return product_channel(parts, [[list(axes).index(axis) for axis in mine] for mine in kept if mine])

    def top(self, released: Floats) -> Floats:
        return self._each(released, lambda part, inner: part.top(inner))

    @property
    def top_lost(self) -> bool:
        return any(part.top_lost for part in self.parts)

    @property
    def top_squares(self) -> Floats:
        return self._together([part.top_squares for part in self.parts])

    def top_alike(self, table: Floats) -> Floats:
        return self._each(table, lambda part, inner: part.top_alike(inner))

    def top_moment(self, released: Floats, along: Sequence[Floats]) -> Floats:
        own = ([along[axis] for axis in axes] for axes in self.axes)  # of every part, in the order in which they come
        return self._each(released, lambda part, inner: part.top_moment(inner, next(own)))

    @property
    def uniform_top(self) -> float:
        rooms = [math.prod(1 - 1 / size for size in part.sizes) for part in self.parts]
        return math.prod(part.uniform_top + room for part, room in zip(self.parts, rooms, strict=True)) - math.prod(rooms)

    def inverse_moment(self, released: Floats, power: int) -> Floats:
        return self._each(released, lambda part, inner: part.inverse_moment(inner, power))

    def own_moment(self, power: int) -> Floats:
        return self._together([part.own_moment(power) for part in self.parts])

    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        parts = zip(self.parts, self.axes, strict=True)
        return [tuple(axes[i] for i in inner) for part, axes in parts for inner in part.lost(threshold=threshold)]

    def estimable(self, axis: int) -> tuple[tuple[int, ...], ...]:
        return next(part.estimable(axes.index(axis)) for part, axes in zip(self.parts, self.axes, strict=True) if axis in axes)


def product_channel(parts: Sequence[Channel], axes: Sequence[Sequence[int]]) -> Channel:
    """Independent channels as one: lie sets where all parts are, so that everything known about those applies.

    Parameters
    ----------
    parts, axes : as in ``ProductChannel``; the axes are 0..w-1, each in one part
    """
    symmetric = [part for part in parts if isinstance(part, LieSets)]
    if len(symmetric) == len(parts):
        return LieSets.together(symmetric, axes)
    if len(parts) == 1:
        return parts[0]
    return ProductChannel(_in_order([part.sizes for part in parts], axes), tuple(parts), tuple(map(tuple, axes)))


def _in_order(sizes: Sequence[Sequence[int]], axes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The sizes of all parts, by axis."""
    found = {axis: size for own, group in zip(sizes, axes, strict=True) for axis, size in zip(group, own, strict=True)}
    return tuple(found[axis] for axis in range(len(found)))
