"""Joint shares of attributes that are taken to be independent, and tables multiplied to given margins."""

from collections.abc import Mapping, Sequence

import numpy as np

from rrcore.arrays import Floats

Axes = tuple[int, ...]

_PAIRS, _WIDER = (5_000, 1e-14), (100, 1e-7)  # sweeps at most, and the largest change of a share at which it stops
LEAST_DIVISOR = float(np.finfo(float).tiny)
"""What a share is divided by is above it, since a quotient would overflow."""


def rake(table: Floats, margins: Mapping[Axes, Floats]) -> Floats:
    """``table`` multiplied until it has the ``margins``, ndarrays by axes: iterative proportional fitting (Deming and Stephan 1940).

    Where margins cannot be had together, the mean of the tables of the last sweep, which are off by as little as that may be.
    """
    others = [tuple(i for i in range(table.ndim) if i not in axes) for axes in margins]
    aims = [np.expand_dims(target, away) for away, target in zip(others, margins.values(), strict=True)]
    ratios = [np.empty_like(aim) for aim in aims]
    parts = [np.empty_like(table) for _ in aims]
    most, even = _PAIRS if table.ndim == 2 else _WIDER  # single shares can always be had
    for _ in range(most):
        before = table.copy()  # the first of a sweep, which its parts are written over
        for away, aim, ratio, part in zip(others, aims, ratios, parts, strict=True):
            own = table.sum(axis=away, keepdims=True)
            ratio.fill(0)
            np.divide(aim, own, out=ratio, where=own > LEAST_DIVISOR)
            table = np.multiply(table, ratio, out=part)
        if np.abs(before - table).max() < even:
            return table
    return np.asarray(sum(parts) / len(parts))


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
