"""A channel of which a share of the people did not follow the instructions: what they report is drawn from a law of its own."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel.base import Channel, WrappedChannel
from rrcore.channel.factors import onto_axes, top_interaction
from rrcore.errors import InputError, check_number


def without_mixed(table: Floats, other: Floats, share: float) -> Floats:
    """What is left of a mixture ``table`` = (1 - share) rest + share ``other``: the rest."""
    check_number("The share", share, 0, 1)
    return np.asarray((table - share * other) / (1 - share))


@dataclass(frozen=True, eq=False)
class MixedChannel(WrappedChannel):
    """``whole`` for those who follow the instructions; a ``share`` of the people report by ``law`` whatever is true.

    lambda = (1 - share) C' pi + share law, pi being the shares among those who follow them (theory.md sections 24 and 29). Tables of shares
    sum to 1, so that what is taken off is a multiple of that sum, and the channel stays linear.

    Parameters
    ----------
    whole : Channel
    share : float, from 0 to below 1
    law : ndarray of shape ``whole.report_sizes``, summing to 1

    Examples
    --------
    >>> import rrcore as rr
    >>> whole = rr.build("kronecker", (2,), [2.0]).marginal_channel((0,))
    >>> clicked = MixedChannel(whole, 0.1, whole.push(whole.even))  # one of ten clicks at random
    >>> clicked.invert(clicked.push(np.array([0.8, 0.2]))).round(12).tolist()
    [0.8, 0.2]
    >>> whole.invert(clicked.push(np.array([0.8, 0.2]))).round(12).tolist()
    [0.77, 0.23]
    """

    share: float
    law: Floats

    def __post_init__(self) -> None:
        if not 0 <= self.share < 1:
            raise InputError(f"the share is {self.share}, expected 0 to below 1")
        if self.law.shape != self.whole.report_sizes or not abs(self.law.sum() - 1) <= 1e-9:
            raise InputError(
                f"the law has shape {self.law.shape} and sum {self.law.sum()}, expected {self.whole.report_sizes} and 1"
            )

    @property
    def independent(self) -> bool:
        return self.w == 1

    @property
    def uniform_variance(self) -> float:
        return float((self.squared_inverse(self.push(self.even)) - self.even**2).mean())

    @cached_property
    def inverted_law(self) -> Floats:
        """What one person who does not follow the instructions adds to the inversion of ``whole``, ndarray of shape ``sizes``."""
        return self.whole.invert(self.law)

    def _times(self, fixed: Floats, numbers: Floats) -> Floats:
        """``fixed`` for each of ``numbers``, which stand on further axes."""
        return np.multiply.outer(fixed, numbers)

    def _total(self, table: Floats) -> Floats:
        return np.asarray(table.sum(axis=tuple(range(self.w))))

    def push(self, table: Floats) -> Floats:
        return (1 - self.share) * self.whole.push(table) + self.share * self._times(self.law, self._total(table))

    def pull(self, table: Floats) -> Floats:
        said = np.tensordot(self.law, table, axes=self.w)
        return (1 - self.share) * self.whole.pull(table) + self.share * self._times(np.ones(self.sizes), said)

    def invert(self, table: Floats) -> Floats:
        return without_mixed(self.whole.invert(table), self._times(self.inverted_law, self._total(table)), self.share)

    def invert_back(self, weights: Floats) -> Floats:
        said = np.tensordot(self.inverted_law, weights, axes=self.w)
        return without_mixed(self.whole.invert_back(weights), self._times(np.ones(self.report_sizes), said), self.share)

    def marginal(self, axes: Sequence[int]) -> Channel:
        return MixedChannel(self.whole.marginal(axes), self.share, onto_axes(self.law, axes))

    def _moment(self, moment: Callable[[int], Floats], power: int) -> Floats:
        """The mean of (kappa - share kappa_law)^power over (1 - share)^power, where ``moment`` gives that of powers of kappa."""
        shift = -self.share * self.inverted_law
        found = moment(power)
        shift = shift.reshape(*self.sizes, *[1] * (found.ndim - self.w))
        for left in range(1, power + 1):
            found = found + math.comb(power, left) * shift**left * moment(power - left)
        return np.asarray(found / (1 - self.share) ** power)

    def inverse_moment(self, released: Floats, power: int) -> Floats:
        ones, total = np.ones(self.sizes), self._total(released)
        return self._moment(lambda p: self.whole.inverse_moment(released, p) if p else self._times(ones, total), power)

    def own_moment(self, power: int) -> Floats:
        own = self._moment(lambda p: self.whole.own_moment(p) if p else np.ones(self.sizes), power)
        return (1 - self.share) * own + self.share * self.inverse_moment(self.law, power)

    @property
    def top_lost(self) -> bool:
        return self.whole.top_lost

    @cached_property
    def _top_of_law(self) -> Floats:
        return top_interaction(self.inverted_law, self.w)

    def top(self, released: Floats) -> Floats:
        fixed = self._times(self._top_of_law, self._total(released))
        return without_mixed(self.whole.top(released), fixed, self.share)

    @property
    def top_squares(self) -> Floats:
        fixed = self.share * self._top_of_law
        return (self.whole.top_squares - 2 * self.whole.invert_back(fixed) + (fixed**2).sum()) / (1 - self.share) ** 2

    def top_alike(self, table: Floats) -> Floats:
        if np.abs(self._top_of_law).max() > 1e-12:
            return super().top_alike(table)
        return self.whole.top_alike(table) / (1 - self.share) ** 4
