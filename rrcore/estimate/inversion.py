"""Unbiased inversion of a released marginal (theory.md section 6).

No matrix over cells is built: castell (seeds/000 section III) works axis by axis where the channel is Kronecker, the
spectral form divides every interaction by its factor otherwise. They agree where both apply.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from rrcore.liesets import LieSets, apply_factors
from rrcore.limits import MIN_FACTOR

__all__ = ["castell", "invert", "lost_interactions", "spectral"]

Floats = NDArray[np.float64]


def castell(table: Floats, retentions: Floats) -> Floats:
    """Invert a Kronecker channel one axis at a time: (lambda - mean) / r_i + mean.

    Parameters
    ----------
    table : ndarray of shape (a_1, ..., a_w), released shares or counts
    retentions : ndarray of shape (w,), the r_i
    """
    out = np.array(table, dtype=np.float64)
    for axis, r in enumerate(retentions):
        mean = out.mean(axis=axis, keepdims=True)
        out /= r
        out += mean * (1 - 1 / r)
    return out


def spectral(table: Floats, factors: Floats) -> Floats:
    """Invert any lie-set channel: divide the piece of every interaction T by mu_T.

    Parameters
    ----------
    table : ndarray of shape (a_1, ..., a_w)
    factors : ndarray of shape (2,) * w, the mu_T, none of them 0
    """
    return apply_factors(table, 1 / factors)


def invert(table: Floats, channel: LieSets) -> Floats:
    """The table whose expected release through ``channel`` is ``table``; sums are kept, negative cells are possible."""
    if channel.retentions is not None:
        return castell(table, channel.retentions)
    return spectral(table, channel.factors)


def lost_interactions(channel: LieSets, *, threshold: float = MIN_FACTOR) -> tuple[tuple[int, ...], ...]:
    """The interactions T that ``channel`` erases, |mu_T| < ``threshold``, each as a tuple of axes; smallest first."""
    lost = [
        tuple(i for i, member in enumerate(index) if member)
        for index in product((0, 1), repeat=channel.w)
        if abs(channel.factors[index]) < threshold
    ]
    return tuple(sorted(lost, key=lambda axes: (len(axes), axes)))
