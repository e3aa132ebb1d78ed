"""Accuracy of joint answers relative to independent randomization.

See theory.md sections 5 and 14.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import Channel, Randomizer
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.wording import counted, percent, times_text

WORSE = 1e-6
"""An interaction that survives worse than under Kronecker by less than this, relatively, does so by rounding alone."""

ALIKE = 9
"""Decimals to which interactions that survive equally well count as equal. The first of them is reported."""

_AS_ACCURATE = 1.005  # errors in this ratio are alike as far as they are printed


@dataclass(frozen=True)
class Weakest:
    """The interaction of a marginal with the lowest relative accuracy.

    The accuracy is relative to independent randomization.

    Parameters
    ----------
    axes : positions of two or more attributes in the marginal
    ratio : |mu_S| / product of the |r_i|, where S is ``axes``. Below 1, it is less accurate than with Kronecker
    width : largest number of attributes of an interaction that is less accurate than with Kronecker. 0 if there is none
    error_ratio : standard error of the shares divided by that of independent randomization, for uniform shares. Infinite if erased
    """

    axes: tuple[int, ...]
    ratio: float
    width: int
    error_ratio: float

    @property
    def worse(self) -> bool:
        """True if any part of the marginal is less accurate than under independence."""
        return self.width > 0

    @property
    def text(self) -> str:
        """Brief comparison of accuracy with independent randomization."""
        if not self.worse:
            return "no less accurate"
        if self.error_ratio > _AS_ACCURATE:
            return "cannot be estimated" if math.isinf(self.error_ratio) else f"{times_text(self.error_ratio)} less accurate"
        return f"keeps {percent(self.ratio)} of one interaction"

    def sentence(self, names: Sequence[str]) -> str:
        """Return a sentence for data stewards, empty if nothing is less accurate.

        ``names`` are the names of the attributes of the marginal.
        """
        if not self.worse:
            return ""
        advice = f"Choose a mechanism that preserves {counted(self.width, 'attribute', 'attributes')}"
        whole, part = " × ".join(names), " × ".join(names[i] for i in self.axes)
        if math.isinf(self.error_ratio):
            return f"{whole} cannot be estimated, because the answers carry no information about the association of {part}. {advice}."
        if self.error_ratio > _AS_ACCURATE:
            how = f"{times_text(self.error_ratio)} less accurately than with independent randomization"
            return f"{whole} is estimated {how}. {advice}."
        return (
            f"The interaction of {part} keeps {percent(self.ratio)} of its strength under independent randomization, although the "
            f"proportions are on average no less accurate. {advice} if the interaction matters."
        )


def weakest_interaction(channel: Channel) -> Weakest | None:
    """Return the interaction of a marginal with the lowest relative accuracy.

    The accuracy is relative to independent randomization. The result is None for a single attribute.

    Parameters
    ----------
    channel : Channel, as returned by ``channel(axes)`` of a mechanism or a mechanism file

    Examples
    --------
    Either answer may be replaced, but never both:

    >>> import numpy as np
    >>> from rrcore.channel import SubsetChannel
    >>> found = weakest_interaction(SubsetChannel((2, 2), np.array([[0.6, 0.2], [0.2, 0.0]])))
    >>> found.axes, round(found.ratio, 3), found.width
    ((0, 1), 0.556, 2)
    >>> print(found.sentence(("smokes", "drinks")))
    smokes × drinks is estimated 64% less accurately than with independent randomization. Choose a mechanism that preserves 2 attributes.
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


def weakest_interactions(randomization: Randomizer, widest: int) -> tuple[tuple[tuple[int, ...], Weakest], ...]:
    """Return the least accurate set of each size from 2 to ``widest`` attributes.

    Accuracy is relative to independent randomization. Of equally accurate sets, the first is returned. Each set comes with its
    weakest interaction.

    Accuracy is relative to independent randomization. Of equally accurate sets, the first is returned.

    Parameters
    ----------
    randomization : Mechanism or MechanismFile with at most ``MAX_OPTIMAL_ATTRIBUTES`` attributes. Otherwise, nothing is returned
    """
    k = len(randomization.sizes)
    if not 2 <= k <= MAX_OPTIMAL_ATTRIBUTES:
        return ()
    ratios, order = randomization.channel(range(k)).relative_factors, _orders(k)
    found = []
    for size in range(2, min(widest, k) + 1):
        alike = np.where(order == size, ratios, np.inf).round(ALIKE).ravel()
        where = np.unravel_index(alike.size - 1 - int(alike[::-1].argmin()), ratios.shape)  # the first attributes count most
        axes = tuple(int(i) for i in np.flatnonzero(where))
        of_set = weakest_interaction(randomization.channel(axes))
        assert of_set is not None
        found.append((axes, of_set))
    return tuple(found)


def _orders(w: int) -> Floats:
    """Number of attributes of every interaction, shape ``(2,) * w``."""
    return np.asarray(np.indices((2,) * w).sum(axis=0), dtype=np.float64)
