"""Ordered attributes: what varies smoothly along their order is kept more than what is rough, as far as the answers show it (theory.md
section 25).
"""

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.estimate.usual import STRENGTHS
from rrcore.table.schema import Attribute

FEWEST = 5
"""Categories that an ordered attribute has at least for its order to be made use of."""

_ROUGH = 0.85  # how likely it is, before anything was seen, that the order says nothing
_POWERS = (2.0, 4.0)  # otherwise squared waves fall off with one of these powers of their number


def ordered_axes(attributes: Sequence[Attribute]) -> tuple[int, ...]:
    """The axes whose order is made use of."""
    return tuple(i for i, each in enumerate(attributes) if each.kind == "ordinal" and each.size >= FEWEST)


def kept_by_wave(
    piece: Floats, axes: Sequence[int], rough: tuple[float, Floats], *, noise: float, room: float, directions: float, law: Floats
) -> Floats:
    """What of the top interaction ``piece`` is kept where its waves along the ordered ``axes`` may have parts of their own.

    Along an order a piece is a sum of cosine waves; where it is smooth, those of small number hold most of it. Rough and smooth are weighed
    by how likely the waves are either way.

    Parameters
    ----------
    piece : ndarray whose mean along every axis is 0
    axes : the ordered ones, at least one
    rough : how likely it is that it is rough, as a logarithm, and what is kept of ``piece`` then
    noise : variance of the squared length of ``piece``
    room, law : its expected value is ``room`` times one of ``STRENGTHS``, which have these probabilities, ndarray of their shape
    directions : in how many directions the noise moves

    Examples
    --------
    >>> import numpy as np
    >>> law = np.full(len(STRENGTHS), 1 / len(STRENGTHS))
    >>> def kept(piece):
    ...     means = STRENGTHS + 0.05
    ...     rough = float(np.log((law * means**-3.5 * np.exp(-3.5 * (piece**2).sum() / means)).sum()))
    ...     found = kept_by_wave(piece, [0], (rough, piece), noise=0.05, room=1.0, directions=7.0, law=law)
    ...     return round(float((found * piece).sum() / (piece**2).sum()), 2)
    >>> kept(np.linspace(-0.3, 0.3, 8)), kept(np.tile([0.2, -0.2], 4))
    (0.93, 1.0)
    """
    waves = scipy.fft.dctn(piece, axes=axes, norm="ortho")
    inner = tuple(slice(1, None) if i in axes else slice(None) for i in range(piece.ndim))
    energy = (waves[inner] ** 2).sum(axis=tuple(i for i in range(piece.ndim) if i not in axes), keepdims=True)
    share = 1 / energy.size  # of the directions, for one wave
    found, logs = [rough[1]], [math.log(_ROUGH) + rough[0]]
    for power in _POWERS:
        falling = reduce(np.multiply.outer, (np.arange(1.0, size) ** -power for size in np.array(piece.shape)[list(axes)]))
        signal = np.multiply.outer(STRENGTHS * room, falling.reshape(energy.shape) / falling.mean())
        means = signal + noise
        likely = -directions * share / 2 * (np.log(means) + energy / share / means).sum(axis=tuple(range(1, means.ndim)))
        chances = law * np.exp(likely - likely.max())
        parts = np.tensordot(chances / chances.sum(), signal / means, axes=1)
        kept = np.zeros_like(waves)
        kept[inner] = parts * waves[inner]
        found.append(scipy.fft.idctn(kept, axes=axes, norm="ortho"))
        logs.append(math.log((1 - _ROUGH) / len(_POWERS)) + float(scipy.special.logsumexp(likely, b=law)))
    return np.asarray(np.tensordot(np.exp(np.array(logs) - scipy.special.logsumexp(logs)), np.array(found), axes=1))
