"""A point estimate between 0 and 1 with an interval that holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rrcore.arrays import Floats

if TYPE_CHECKING:
    from rrcore.estimate.marginal import Estimate


@dataclass(frozen=True, eq=False)
class PointEstimate:
    """Shares that are probabilities, read from the same release as an unbiased estimate.

    Parameters
    ----------
    name : what they are called where they are shown
    shares : ndarray of shape ``estimate.channel.sizes``, non-negative, summing to 1
    estimate : the unbiased Estimate of the same marginal

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> plan = rr.Plan.for_levels(table, 0.5).with_mechanism("pair-safe")
    >>> estimate = rr.perturb(table, plan.build(), rng=np.random.default_rng(0)).estimate(["Class", "Sex", "Survived"])
    >>> blend = estimate.blend()
    >>> low, high = blend.interval()
    >>> bool((estimate.shares < 0).any()), bool(((0 <= low) & (low <= blend.shares) & (blend.shares <= high) & (high <= 1)).all())
    (True, True)
    """

    name: str
    shares: Floats
    estimate: Estimate

    def interval(
        self, confidence: float = 0.95, *, population: bool = False, simultaneous: bool = False
    ) -> tuple[Floats, Floats]:
        """(low, high), between 0 and 1: the shares that the released answers do not contradict, and the point estimate itself.

        ``Estimate.interval`` cut off at 0 and 1 and widened where the point lies outside: a true share is a probability, so cutting off
        loses none, and an interval widened never covers less. Neither depends on the bias of the point, which is not known. Where the
        unbiased estimate lies outside 0 to 1 the interval is that of the nearest possible estimate (Mandelkern 2002), as long as it would
        be had nothing gone wrong, so that an estimate far below 0 is not mistaken for a precise one.
        """
        low, high = self.estimate.interval(confidence, population=population, simultaneous=simultaneous, possible=True)
        low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
        return np.minimum(low, self.shares), np.maximum(high, self.shares)
