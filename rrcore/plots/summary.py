"""Which attributes a figure draws when there are too many for it."""

from __future__ import annotations

import numpy as np

from rrcore.arrays import Floats
from rrcore.limits import MAX_DRAWN


def drawn(scores: Floats) -> list[int]:
    """Positions, in their order, of all attributes, or of the ``MAX_DRAWN`` with the largest scores.

    Parameters
    ----------
    scores : ndarray of shape (k,), or (k, k) of pairs, where the largest score of an attribute counts; NaN counts as the smallest
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    each = known if known.ndim == 1 else np.maximum(known.max(axis=0), known.max(axis=1))
    return sorted(np.argsort(-each, kind="stable")[:MAX_DRAWN].tolist())


def drawn_note(k: int, which: str) -> str:
    """A sentence when not every one of k attributes or keys is drawn; empty otherwise.

    Examples
    --------
    >>> drawn_note(60, "attributes with the largest leakage")
    'The figure shows the 40 attributes with the largest leakage of 60.'
    """
    return "" if k <= MAX_DRAWN else f"The figure shows the {MAX_DRAWN} {which} of {k:,}."
