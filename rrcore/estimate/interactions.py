"""Where joint answers are read less accurately than independent ones would be (theory.md sections 5 and 14)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import Channel, Randomization
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.wording import counted, percent, times_text
from rrcore.wording.json_values import finite

WORSE = 1e-6
"""An interaction that survives worse than under Kronecker by less than this, relatively, does so by rounding alone."""

ALIKE = 9
"""Decimals to which interactions that survive equally well are alike: of those the first is told, whoever asks."""

_AS_ACCURATE = 1.005  # errors in this ratio are alike as far as they are printed


@dataclass(frozen=True)
class Weakest:
    """The interaction of a marginal that survives worst beside independent answers with the same levels.

    Parameters
    ----------
    axes : positions, in the marginal, of two or more attributes
    ratio : |mu_S| / product of the |r_i|, S being ``axes``; below 1 it is less accurate than with Kronecker
    width : most attributes of an interaction that is less accurate than with Kronecker; 0 where none is
    error_ratio : standard error of the marginal's shares beside Kronecker's, for uniform shares; infinite where it cannot be read
    """

    axes: tuple[int, ...]
    ratio: float
    width: int
    error_ratio: float

    @property
    def worse(self) -> bool:
        """Whether anything of the marginal is read less accurately than with independent answers."""
        return self.width > 0

    @property
    def text(self) -> str:
        """How the marginal is read beside independent answers, in a few words."""
        if not self.worse:
            return "no less accurate"
        if self.error_ratio > _AS_ACCURATE:
            return "cannot be read" if math.isinf(self.error_ratio) else f"{times_text(self.error_ratio)} less accurate"
        return f"keeps {percent(self.ratio)} of one interaction"

    def sentence(self, names: Sequence[str]) -> str:
        """What a steward should know, ``names`` being those of the marginal's attributes; empty where nothing is worse."""
        if not self.worse:
            return ""
        advice = f"choose a mechanism safe for {counted(self.width, 'attribute', 'attributes')}."
        whole, part = " × ".join(names), " × ".join(names[i] for i in self.axes)
        if math.isinf(self.error_ratio):
            return f"{whole} cannot be read, since what {part} have in common is erased: {advice}"
        if self.error_ratio > _AS_ACCURATE:
            return f"{whole} is read {times_text(self.error_ratio)} less accurately than with independent answers: {advice}"
        return (
            f"{part} keep {percent(self.ratio)} of the interaction that independent answers keep, though on average the shares are read no "
            f"less accurately: if it matters, {advice}"
        )

    def to_dict(self, names: Sequence[str]) -> dict[str, object]:
        """For JSON: the attributes by name, the ratios (None where infinite) and the sentence."""
        return {
            "marginal": list(names),
            "weakest_interaction": [names[i] for i in self.axes],
            "factor_beside_kronecker": self.ratio,
            "error_beside_kronecker": finite(self.error_ratio),
            "less_accurate_than_kronecker": self.worse,
            "safe_for_attributes": self.width,
            "note": self.sentence(names),
        }


def weakest_interaction(channel: Channel) -> Weakest | None:
    """What of a marginal is read worst beside independent answers with the same levels; None for a single attribute.

    Parameters
    ----------
    channel : Channel, what ``marginal_channel(axes)`` of a mechanism or a mechanism file returns

    Examples
    --------
    Either answer may be a lie, but never both:

    >>> import numpy as np
    >>> from rrcore.channel import LieSets
    >>> found = weakest_interaction(LieSets((2, 2), np.array([[0.6, 0.2], [0.2, 0.0]])))
    >>> found.axes, round(found.ratio, 3), found.width
    ((0, 1), 0.556, 2)
    >>> print(found.sentence(("smokes", "drinks")))
    smokes × drinks is read 64 % less accurately than with independent answers: choose a mechanism safe for 2 attributes.
    """
    if channel.w < 2:
        return None
    ratios, order = channel.relative_factors, _orders(channel.w)
    worst = int(np.where(order > 1, ratios, np.inf).argmin())
    axes = tuple(int(i) for i in np.flatnonzero(np.unravel_index(worst, ratios.shape)))
    width = int(np.where(ratios < 1 - WORSE, order, 0).max())
    error_ratio = math.inf
    if not channel.lost():
        own, alone = channel.uniform_variance, channel.alone.uniform_variance
        error_ratio = math.sqrt(own / alone) if own > 0 and alone > 0 else 1.0
    return Weakest(axes, float(ratios.flat[worst]), width, error_ratio)


def weakest_interactions(randomization: Randomization, widest: int) -> tuple[tuple[tuple[int, ...], Weakest], ...]:
    """For 2, 3, ... up to ``widest`` attributes the set whose own interaction survives worst, the first of those that do so alike, and what
    of it is read worst.

    Parameters
    ----------
    randomization : Mechanism or MechanismFile; nothing is returned above ``MAX_OPTIMAL_ATTRIBUTES`` attributes
    """
    k = len(randomization.sizes)
    if not 2 <= k <= MAX_OPTIMAL_ATTRIBUTES:
        return ()
    ratios, order = randomization.marginal_channel(range(k)).relative_factors, _orders(k)
    found = []
    for size in range(2, min(widest, k) + 1):
        alike = np.where(order == size, ratios, np.inf).round(ALIKE).ravel()
        where = np.unravel_index(alike.size - 1 - int(alike[::-1].argmin()), ratios.shape)  # the first attributes count most
        axes = tuple(int(i) for i in np.flatnonzero(where))
        of_set = weakest_interaction(randomization.marginal_channel(axes))
        assert of_set is not None
        found.append((axes, of_set))
    return tuple(found)


def _orders(w: int) -> Floats:
    """Number of attributes of every interaction, shape ``(2,) * w``."""
    return np.asarray(np.indices((2,) * w).sum(axis=0), dtype=np.float64)
