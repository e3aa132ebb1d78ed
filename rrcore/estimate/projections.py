"""Estimates that are probabilities: projections of a raw one, always shown beside it, and maximum likelihood by EM, on any mechanism."""

from collections.abc import Callable
from math import fsum

import numpy as np

from rrcore.arrays import Booleans, Floats


def clip_and_rescale(shares: Floats) -> Floats:
    """Negative shares become 0 and the rest are divided by their sum (Multi-Dimensional RR, section 2.1, "proper" distribution)."""
    clipped = np.maximum(shares, 0.0)
    return np.asarray(clipped / clipped.sum())


def simplex(shares: Floats) -> Floats:
    """The probability distribution nearest to ``shares`` in Euclidean distance (Held, Wolfe and Crowder 1974).

    Subtract the one number that makes the positive part sum to 1. O(M log M).
    """
    ordered = np.sort(shares, axis=None)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, ordered.size + 1)
    positive = int(np.flatnonzero(ordered > excess)[-1]) + 1
    return np.maximum(shares - (fsum(ordered[:positive]) - 1) / positive, 0.0)


def simplex_of_each(tables: Floats) -> Floats:
    """``simplex`` of every table of shares along the last axis, in one go."""
    flat = tables.reshape(-1, tables.shape[-1])
    ordered = -np.sort(-flat, axis=0)
    excess = (np.cumsum(ordered, axis=0) - 1) / np.arange(1, len(flat) + 1)[:, None]
    last = np.count_nonzero(ordered > excess, axis=0) - 1
    return np.maximum(flat - excess[last, np.arange(flat.shape[1])], 0.0).reshape(tables.shape)


def project_onto_possible(shares: Floats, impossible: Booleans) -> Floats:
    """``shares`` with 0 in cells that are ``impossible``; the others are multiplied so that the sum stays. As they are where none is.

    Examples
    --------
    >>> project_onto_possible(np.array([0.2, 0.5, 0.3]), np.array([True, False, False])).tolist()
    [0.0, 0.625, 0.375]
    """
    if not impossible.any():
        return shares
    kept = np.where(impossible, 0.0, shares)
    return np.asarray(kept * (shares.sum() / kept.sum()))


PROJECTIONS: dict[str, Callable[[Floats], Floats]] = {"clip-and-rescale": clip_and_rescale, "simplex": simplex}
"""Name on the command line and in files -> projection."""


def count_outside(shares: Floats) -> int:
    """How many shares lie outside [0, 1], as raw estimates may."""
    return int(np.count_nonzero((shares < 0) | (shares > 1)))
