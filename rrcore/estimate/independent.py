"""The joint distribution as a product of marginals: RR-Independent and RR-Clusters (Multi-Dimensional RR, sections 3.1 and 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rrcore.arrays import Floats


def independent_product(parts: Sequence[Floats], axes: Sequence[Sequence[int]]) -> Floats:
    """The joint shares of attributes whose groups are taken to be independent of each other.

    Parameters
    ----------
    parts : ndarrays, the shares within each group of attributes, one axis per attribute
    axes : for each part, the positions of its attributes in the result; together 0..w-1
    """
    joint = np.ones(())
    for part in parts:
        joint = np.multiply.outer(joint, part)
    order = [axis for group in axes for axis in group]
    return np.asarray(joint.transpose(np.argsort(order)))
