"""Groups of respondents, each randomised in its own way, read as one release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Floats
from rrcore.channel.base import Channel
from rrcore.channel.factors import onto_axes
from rrcore.channel.matrix import MatrixChannel
from rrcore.channel.product import product_channel
from rrcore.errors import InputError
from rrcore.limits import MAX_MATRIX_CELLS


@dataclass(frozen=True, eq=False)
class StackedChannel(Channel):
    """The channel of G groups of people with designs of their own, the sizes of the groups being given.

    A report of attribute i is the pair of a group and what was reported there: codes 0..b_1i-1 for the first group, then those of the
    second, and so on. P(g, report | truth) = shares[g] P_g(report | truth); two attributes of one person are never of two groups.

    Shares are estimated by generalised least squares over all groups together, as in ``MatrixChannel``: unbiased, and of the least variance
    where all true cells are equally frequent. Groups need not be identifiable alone. To every weight of a group the same number may be
    added where the sum of these over all groups is 0, since the sizes of the groups are fixed: the estimate stays what it is. They are
    chosen so that the mean weight is the same in all groups when the true shares are ``centre``; then sums of squares of weights count the
    variance within groups only, which is all there is (theory.md section 20).

    Parameters
    ----------
    parts : tuple of G Channels over the same categories
    shares : ndarray of shape (G,), summing to 1: the groups' parts of all people; 0 for a group that nobody is in
    centre : ndarray of shape ``sizes``, true shares as far as they are known; None for equal ones

    Raises
    ------
    InputError
        Where anything is inverted, above ``MAX_MATRIX_CELLS`` true cells.

    Examples
    --------
    Two decks: neither half tells three categories apart, both together do:

    >>> first = MatrixChannel(np.array([[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]))
    >>> second = MatrixChannel(np.array([[0.5, 0.5], [0.9, 0.1], [0.3, 0.7]]))
    >>> both = StackedChannel((first, second), np.array([0.5, 0.5]))
    >>> first.lost(), second.lost(), both.lost(), both.report_sizes
    (((0,),), ((0,),), (), (4,))
    >>> both.invert(both.push(np.array([0.5, 0.3, 0.2]))).round(12)
    array([0.5, 0.3, 0.2])
    """

    parts: tuple[Channel, ...]
    shares: Floats
    centre: Floats | None = None

    def __post_init__(self) -> None:
        if not self.parts or self.shares.shape != (len(self.parts),):
            raise InputError(f"there are {len(self.parts)} parts and shares of shape {self.shares.shape}")
        if any(part.sizes != self.parts[0].sizes for part in self.parts):
            raise InputError("the parts are over different categories")
        if not (self.shares >= 0).all() or abs(self.shares.sum() - 1) > 1e-9:
            raise InputError("shares must be non-negative and sum to 1")

    @property
    def sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of categories, the same in every group."""
        return self.parts[0].sizes

    @property
    def report_sizes(self) -> tuple[int, ...]:
        return tuple(map(sum, zip(*(part.report_sizes for part in self.parts), strict=True)))

    @property
    def first_report(self) -> Floats:
        found = np.zeros(math.prod(self.report_sizes))
        found[self.places[[0, *self.ends]]] = self.shares
        return found.reshape(self.report_sizes)

    @property
    def independent(self) -> bool:
        return self.w == 1

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """Where in a raveled table of reports the reports of the first group stand, then those of the second, and so on."""
        start, found = [0] * self.w, []
        for part in self.parts:
            ranges = [np.arange(first, first + size) for first, size in zip(start, part.report_sizes, strict=True)]
            found.append(np.ravel_multi_index(np.ix_(*ranges), self.report_sizes).ravel())
            start = [first + size for first, size in zip(start, part.report_sizes, strict=True)]
        return np.concatenate(found)

    @cached_property
    def ends(self) -> list[int]:
        """Where in ``places`` the reports of each group but the last one end."""
        return np.cumsum([math.prod(part.report_sizes) for part in self.parts])[:-1].tolist()

    @cached_property
    def _flat(self) -> MatrixChannel:
        """All cells as one attribute, all reports of all groups as its reports."""
        cells = math.prod(self.sizes)
        if cells > MAX_MATRIX_CELLS:
            raise InputError(
                f"Designs that differ between groups are read together for at most {MAX_MATRIX_CELLS:,} combinations, and there are "
                f"{cells:,}: choose fewer attributes, or read the groups one by one."
            )
        unit = np.eye(cells).reshape(*self.sizes, cells)
        blocks = [share * part.push(unit).reshape(-1, cells).T for part, share in zip(self.parts, self.shares, strict=True)]
        return MatrixChannel(np.hstack(blocks))

    @cached_property
    def inverse(self) -> Floats:
        """Entry (v, u): the weight in the estimated share of cell v of a report u, reports standing as in ``places``."""
        centre = np.full(len(self._flat.matrix), 1 / len(self._flat.matrix)) if self.centre is None else self.centre.ravel()
        expected = np.split(self._flat.push(centre), self.ends)
        blocks = np.split(self._flat.inverse, self.ends, axis=1)
        means = [block @ part / max(part.sum(), np.finfo(np.float64).tiny) for block, part in zip(blocks, expected, strict=True)]
        return np.hstack([block - (mean - centre)[:, None] for block, mean in zip(blocks, means, strict=True)])

    @property
    def uniform_variance(self) -> float:
        even = StackedChannel(self.parts, self.shares)
        cells = math.prod(self.sizes)
        return float(even.squared_inverse(even.push(np.full(self.sizes, 1 / cells))).mean() - 1 / cells)

    @property
    def alone(self) -> Channel:
        return product_channel([self.marginal([i]) for i in range(self.w)], [(i,) for i in range(self.w)])

    @property
    def relative_factors(self) -> Floats:
        """The root mean square of those of the groups, by their shares."""
        squares = (share * part.relative_factors**2 for part, share in zip(self.parts, self.shares, strict=True))
        return np.asarray(np.sqrt(sum(squares)))

    def push(self, table: Floats) -> Floats:
        extra = table.shape[self.w :]
        out = np.zeros((math.prod(self.report_sizes), *extra))
        pushed = [share * part.push(table).reshape(-1, *extra) for part, share in zip(self.parts, self.shares, strict=True)]
        out[self.places] = np.concatenate(pushed)
        return out.reshape(*self.report_sizes, *extra)

    def pull(self, table: Floats) -> Floats:
        blocks = np.split(self._listed(table), self.ends)
        extra = table.shape[self.w :]
        pulled = (
            share * part.pull(block.reshape(*part.report_sizes, *extra))
            for part, share, block in zip(self.parts, self.shares, blocks, strict=True)
        )
        return np.asarray(sum(pulled))

    def _listed(self, table: Floats) -> Floats:
        """Reports in the order of ``places``, shape (reports, ...)."""
        return table.reshape(-1, *table.shape[self.w :])[self.places]

    def _weighed(self, weights: Floats, table: Floats) -> Floats:
        return np.tensordot(weights, self._listed(table), axes=1).reshape(*self.sizes, *table.shape[self.w :])

    def invert(self, table: Floats) -> Floats:
        return self._weighed(self.inverse, table)

    def invert_back(self, weights: Floats) -> Floats:
        extra = weights.shape[self.w :]
        out = np.zeros((math.prod(self.report_sizes), *extra))
        out[self.places] = np.tensordot(self.inverse.T, weights.reshape(-1, *extra), axes=1)
        return out.reshape(*self.report_sizes, *extra)

    def marginal(self, axes: Sequence[int]) -> StackedChannel:
        centre = None if self.centre is None else onto_axes(self.centre, axes)
        return StackedChannel(tuple(part.marginal(axes) for part in self.parts), self.shares, centre)

    def inverse_moment(self, released: Floats, power: int) -> Floats:
        return self._weighed(self.inverse**power, released)

    def own_moment(self, power: int) -> Floats:
        return np.asarray((self._flat.matrix * self.inverse**power).sum(axis=1)).reshape(self.sizes)

    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        """The smallest sets of attributes whose joint distribution cannot be estimated."""
        if self._flat.weakest >= threshold:
            return []
        found: list[tuple[int, ...]] = []
        for size in range(1, self.w + 1):
            for axes in combinations(range(self.w), size):
                if not any(set(known) <= set(axes) for known in found) and self.marginal(axes)._flat.weakest < threshold:
                    found.append(axes)
        return found

    def estimable(self, axis: int) -> tuple[tuple[int, ...], ...]:
        return self.marginal([axis])._flat.estimable(0)
