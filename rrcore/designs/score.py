"""Score intervals of a design's quantities: which values the reports do not contradict, also where nobody gave some report."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.designs.exact import NOBODY, DesignChannel, DesignQuantity

_SHORT, _CLOSE = 1e-9, 1e-12  # of the ends of what is possible, and of a root, on the way between these


def scored(channel: DesignChannel, quantity: DesignQuantity, part: Floats, groups: Floats) -> tuple[Floats, Floats]:
    """A quantity by its scores, and those scores less their group's mean.

    Parameters
    ----------
    part : ndarray of shape (..., G, b), which part of each group's people report what
    groups : ndarray of shape (G,), shares of the groups
    """
    scores = channel.scores(quantity, quantity.of, groups)
    value = (scores * part).sum(axis=(-1, -2))
    if quantity.per is not None:
        below = channel.scores(quantity, quantity.per, groups)
        over = (below * part).sum(axis=(-1, -2))
        over = np.where(over > NOBODY * (np.abs(below) * part).sum(axis=(-1, -2)), over, np.nan)
        value = value / over
        scores = (scores - value[..., None, None] * below) / over[..., None, None]
    return value, scores - (part * scores).sum(axis=-1, keepdims=True)


@dataclass(frozen=True, eq=False)
class ScoreLaw:
    """How much an estimate would vary if its quantity were another than it seems, as intervals of marginals ask (theory.md section 15).

    Other values are had by shares of the classes on the way from those that have least of the quantity, by the likeliest, to those that have
    most, each in their proportions: of two classes every value once. Of a ratio people beside it stay as many as they are.

    Parameters
    ----------
    channel, quantity : what was asked, and what is estimated
    shares : ndarray of shape (a,), the likeliest shares of the classes
    people : ndarray of shape (G,), people in each group, at least 2
    effect : float, what the sample's design multiplies the variance by
    """

    channel: DesignChannel
    quantity: DesignQuantity
    shares: Floats
    people: Floats
    effect: float = 1.0

    def interval(self, value: float, z: float) -> tuple[float, float]:
        """All quantities of which ``value`` is within ``z`` standard deviations; beyond what is possible these are as at its end.

        NaN where nobody is of the classes that the quantity is a share of.
        """
        if not math.isfinite(value) or not math.isfinite(self.quantity.at(self.shares)[0]):
            return math.nan, math.nan
        if self._ends[0] == self._ends[1]:  # all people have as much of it
            return value, value
        return self._end(value, -z), self._end(value, z)

    def _end(self, value: float, z: float) -> float:
        """The quantity that is ``value`` plus z of its standard deviations."""
        from scipy.optimize import brentq

        def over(way: float) -> float:
            found, deviation = self._varies(self._on_the_way(way))
            return value + z * deviation - found

        # where nothing varies at an end, the estimate that lies there is no answer: another may be behind it
        if over(_SHORT) <= 0:
            return over(0.0) + self._ends[0]
        if over(1 - _SHORT) >= 0:
            return over(1.0) + self._ends[1]
        return self._varies(self._on_the_way(float(brentq(over, _SHORT, 1 - _SHORT, xtol=_CLOSE))))[0]

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """The least and the largest quantity."""
        least, most = (self.quantity.at(shares)[0] for shares in self._extremes)
        return least, most

    @cached_property
    def _extremes(self) -> tuple[Floats, Floats]:
        """Shares of the classes with least of the quantity and with most, in their proportions; equal ones where they are nobody's."""
        inside, each = self._numbers[1] > 0, self._numbers[0] / np.where(self._numbers[1] > 0, self._numbers[1], 1.0)

        def at(chosen: Booleans) -> Floats:
            kept = np.where(chosen, self.shares, 0.0)
            part = kept / kept.sum() if kept.sum() > NOBODY else chosen / chosen.sum()
            return np.where(inside, part * self.shares[inside].sum(), self.shares)

        least, most = each[inside].min(), each[inside].max()
        return at(inside & (each <= least + NOBODY)), at(inside & (each >= most - NOBODY))

    @cached_property
    def _numbers(self) -> tuple[Floats, Floats]:
        """What a person of each class adds to the quantity, and to what it is divided by: 1 each where it is no ratio."""
        of = np.array([float(one) for one in self.quantity.of])
        return of, np.ones_like(of) if self.quantity.per is None else np.array([float(one) for one in self.quantity.per])

    def _on_the_way(self, way: float) -> Floats:
        """Shares of the classes: from those with least of the quantity at 0 to those with most at 1, the likeliest in their place."""
        (low, high), (least, most) = self._extremes, self._ends
        middle = (self.quantity.at(self.shares)[0] - least) / (most - least)
        if way < middle:
            return np.asarray(low + way / middle * (self.shares - low))
        return np.asarray(high + (1 - way) / max(1 - middle, 1 - way) * (self.shares - high)) if way < 1 else high

    def _varies(self, shares: Floats) -> tuple[float, float]:
        """The quantity where the classes have these shares, and the estimate's standard deviation; n - 1 for n, as where it is estimated."""
        of, per = self._numbers
        value = float(of @ shares) / (1.0 if self.quantity.per is None else float(per @ shares))
        part, (scores, below) = np.einsum("c,gcy->gy", shares, self.channel.matrices), self._scores
        if below is not None:
            scores = (scores - value * below) / float(per @ shares)
        mean = (part * scores).sum(axis=-1)
        spread = np.maximum((part * scores**2).sum(axis=-1) - mean**2, 0.0)
        return value, math.sqrt(self.effect * float((spread / (self.people - 1)).sum()))

    @cached_property
    def _scores(self) -> tuple[Floats, Floats | None]:
        """What each report counts towards the quantity, and towards what it is divided by."""
        groups, asked, per = self.people / self.people.sum(), self.quantity, self.quantity.per
        below = None if per is None else self.channel.scores(asked, per, groups)
        return self.channel.scores(asked, asked.of, groups), below
