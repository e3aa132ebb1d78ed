"""Unbiased inversion of a released marginal (theory.md section 6).

No matrix over cells is built: castell (seeds/000 section III) works axis by axis where the channel is Kronecker, the
spectral form divides every interaction by its factor otherwise. They agree where both apply. A matrix is inverted as it is.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from rrcore.channel.channels import Channel, MatrixChannel, ProductChannel
from rrcore.channel.liesets import apply_factors
from rrcore.limits import MIN_FACTOR

__all__ = ["castell", "invert", "lost_interactions", "read_back", "spectral"]

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


def invert(table: Floats, channel: Channel) -> Floats:
    """The table whose expected release through ``channel`` is ``table``; sums are kept, negative cells are possible."""
    if isinstance(channel, ProductChannel):
        return channel.on_parts(table, invert)
    if isinstance(channel, MatrixChannel):
        return np.tensordot(channel.inverse, table, axes=1)
    if channel.retentions is not None:
        return castell(table, channel.retentions)
    return spectral(table, channel.factors)


def read_back(weights: Floats, channel: Channel) -> Floats:
    """What one released record adds to the estimate of ``sum(weights * shares)``, by its cell: the transpose of ``invert``.

    Parameters
    ----------
    weights : ndarray of shape ``channel.sizes``
    """
    if isinstance(channel, ProductChannel):
        return channel.on_parts(weights, read_back)
    if isinstance(channel, MatrixChannel):
        return np.tensordot(channel.inverse.T, weights, axes=1)
    return invert(weights, channel)  # lie-set channels are symmetric


def lost_interactions(channel: Channel, *, threshold: float = MIN_FACTOR) -> tuple[tuple[int, ...], ...]:
    """The interactions T that ``channel`` erases, |mu_T| < ``threshold``, each as a tuple of axes; smallest first.

    A matrix erases its attribute where its smallest singular value is below ``threshold``; every interaction with that attribute is
    then lost as well, and only the attribute is named.
    """
    if isinstance(channel, ProductChannel):
        parts = zip(channel.parts, channel.axes, strict=True)
        lost = [tuple(axes[i] for i in inner) for part, axes in parts for inner in lost_interactions(part, threshold=threshold)]
    elif isinstance(channel, MatrixChannel):
        lost = [(0,)] if channel.weakest < threshold else []
    else:
        lost = [
            tuple(i for i, member in enumerate(index) if member)
            for index in product((0, 1), repeat=channel.w)
            if abs(channel.factors[index]) < threshold
        ]
    return tuple(sorted(lost, key=lambda axes: (len(axes), axes)))
