"""Joint shares of attributes that are taken to be independent of each other, also where combinations cannot be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.estimate.raking import LEAST_DIVISOR, rake


def independent_shares(parts: Sequence[Floats], axes: Sequence[Sequence[int]]) -> Floats:
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


def possible_product(singles: Sequence[Floats], impossible: Booleans) -> Floats:
    """The joint shares of attributes that are as independent as combinations which cannot occur allow (quasi-independence, Goodman 1968).

    Parameters
    ----------
    singles : ndarrays, the shares of each attribute, non-negative
    impossible : ndarray of bool of the shape of the result, or of as many axes of length 1
    """
    product = independent_shares(singles, [(i,) for i in range(len(singles))])
    if not impossible.any():
        return product
    return made_whole(rake(np.where(impossible, 0.0, product), {(i,): single for i, single in enumerate(singles)}), impossible)


def made_whole(shares: Floats, impossible: Booleans) -> Floats:
    """``shares`` times what makes them sum to 1: less is left where marginals have people whom no possible cell has room for.

    Evenly spread over what is possible where nobody is left.
    """
    total = float(shares.sum())
    return shares / total if total > LEAST_DIVISOR else np.where(impossible, 0.0, 1 / np.count_nonzero(~impossible))
