"""The interaction of attributes of which some combinations cannot occur, and the noise in it (theory.md section 27)."""

from __future__ import annotations

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.channel import Channel, top_interaction


def confined_top(
    piece: Floats, channel: Channel, released: Floats, centre: Floats, impossible: Booleans
) -> tuple[Floats, float, float]:
    """``piece`` projected onto what a true one can be, and its noise.

    What is true beyond a centre that has the right marginals and is 0 where nobody can be has neither a mean along any axis nor anything at
    impossible cells. Whatever else was observed is noise.

    Parameters
    ----------
    piece : ndarray of shape ``channel.sizes``, the top interaction of inverted less ``centre``
    channel, released : as in ``Channel.top_noise``
    centre : ndarray of that shape, shares
    impossible : ndarray of bool of that shape

    Returns
    -------
    The projected piece; the energy and the directions of its noise, for one record, as in ``Channel.top_noise``: infinite, and 1, where
    nothing is left of it.
    """
    w, cells, reports = channel.w, impossible.size, released.size
    unit = top_interaction(np.eye(cells).reshape(*channel.sizes, cells), w).reshape(cells, cells)
    empty = impossible.ravel()
    off = unit[empty]  # rows: what of a table without means along the axes stands at each impossible cell
    _, lengths, directions = np.linalg.svd(off, full_matrices=False)
    away = directions[lengths > 1e-9]

    def onto(tables: Floats) -> Floats:
        return tables - away.T @ (away @ tables)

    tops = onto(channel.top(np.eye(reports).reshape(*released.shape, reports)).reshape(cells, reports))
    seen = released.ravel()
    trace = float(seen @ (tops**2).sum(axis=0))
    own = float(centre.ravel() @ (onto(unit) ** 2).sum(axis=0))
    alike = float(seen @ (tops.T @ tops) ** 2 @ seen)
    projected = onto(piece.ravel()).reshape(piece.shape)
    if trace <= np.finfo(np.float64).eps:
        return np.zeros_like(piece), np.inf, 1.0
    return projected, max(trace - own, 0.0), trace**2 / alike
