"""The truncated scheme of Castell: no joint share above any of its marginals (Castell, section III-E, Algorithm 4)."""

from __future__ import annotations

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel.liesets import LieSets


def truncate(released: Floats, channel: LieSets) -> Floats:
    """Invert, replace negative shares by 0, and limit every share by all the (w-1)-way marginals it belongs to.

    Each limit is inverted from its own released table; a negative limit counts as 0, as eq. (25) with |S'| = |S| - 1 asks
    (theory.md section 10). The result need not sum to 1.

    Parameters
    ----------
    released : ndarray of shape ``channel.sizes``, released shares
    channel : LieSets over the same attributes, none of whose factors is 0
    """
    shares = np.maximum(channel.invert(released), 0.0)
    for axis in range(channel.w):
        others = [i for i in range(channel.w) if i != axis]
        below = released.sum(axis=axis, keepdims=True)
        if others:
            below = np.expand_dims(channel.marginal(others).invert(released.sum(axis=axis)), axis)
        shares = np.minimum(shares, np.maximum(below, 0.0))
    return shares
