"""Synthetic records that say of every pair of attributes what weighted ones say: an even draw, and exchanges that bring pairs closer.

Theory section 25. One systematic draw (Madow 1949) gives each record as many people as its share comes to, rounded. Where most shares come to
less than one person that leaves chance in every marginal; a few exchanges for other records drawn by the same shares take most of it away.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from rrcore.arrays import Codes, Floats, Integers

_ROUNDS = 100
_LOOKED = 16  # one of so many people is looked at in a round
_TAKEN = 50  # of those one of so many is exchanged at most
_CELLS = 1 << 18  # most cells of pairs looked at in a round


def systematic_rows(weights: Floats, n: int, *, rng: np.random.Generator) -> Integers:
    """``n`` positions in random order: each as often as its part of ``weights`` comes to, rounded up or down at random.

    Examples
    --------
    >>> import numpy as np
    >>> np.bincount(systematic_rows(np.array([0.5, 0.3, 0.2]), 10, rng=np.random.default_rng(0))).tolist()
    [5, 3, 2]
    """
    return _rows(np.cumsum(weights), (rng.random() + rng.permutation(n)) / n)


def even_rows(records: Codes, weights: Floats, sizes: Sequence[int], n: int, *, rng: np.random.Generator) -> Integers:
    """``n`` positions whose pairs of attributes are close to those of all ``records`` with their ``weights``.

    A systematic draw; where there are more records than people, some of these are exchanged for records drawn independently, those that bring
    the sum over pairs of squared differences, each over the root of the expected number, down most.

    Parameters
    ----------
    records : ndarray of shape (m, k), codes 0..sizes[i]-1
    weights : ndarray of shape (m,), non-negative
    sizes : categories of the k attributes
    n : number of positions
    """
    rows, pairs = systematic_rows(weights, n, rng=rng), list(combinations(range(len(sizes)), 2))
    if len(weights) <= n or not pairs:
        return rows
    left, right = np.array(pairs).T
    width = np.array(sizes, dtype=np.int64)
    starts = np.cumsum(np.r_[0, width[left] * width[right]])

    def cells(chosen: Integers) -> Integers:
        """Where the pairs of records stand among all cells of all pairs, shape (chosen, pairs)."""
        codes = records[chosen].astype(np.int64)
        return np.asarray(codes[:, left] * width[right] + codes[:, right] + starts[:-1])

    wanted, found = (
        np.concatenate([_pair(codes, i, j, width, shares) for i, j in pairs])
        for codes, shares in ((records, weights * (n / weights.sum())), (records[rows], None))
    )
    scale, looked = np.maximum(wanted, 1.0) ** -0.5, min(max(n // _LOOKED, 1), max(_CELLS // len(pairs), 1))
    ends = np.cumsum(weights)
    for _ in range(_ROUNDS):
        places, others = rng.choice(n, looked, replace=False), _rows(ends, rng.random(looked))
        old, new = cells(rows[places]), cells(others)
        excess = (found - wanted) * scale
        gain = np.where(old == new, 0.0, excess[new] - excess[old] + (scale[new] + scale[old]) / 2).sum(axis=1)
        best = np.argsort(gain, kind="stable")[: max(1, looked // _TAKEN)]
        best = best[gain[best] < 0]
        rows[places[best]] = others[best]
        found += np.bincount(new[best].ravel(), minlength=found.size) - np.bincount(old[best].ravel(), minlength=found.size)
    return rows


def _pair(codes: Codes, i: int, j: int, width: Integers, weights: Floats | None) -> Floats:
    """Counts of two attributes, or sums of ``weights``, row by row."""
    numbers = codes[:, i].astype(np.int64) * width[j] + codes[:, j]
    return np.bincount(numbers, weights, int(width[i] * width[j])).astype(np.float64)


def _rows(ends: Floats, places: Floats) -> Integers:
    """The records at ``places``, 0 to 1, of the way along all of their weights, whose sums up to each are ``ends``."""
    return np.minimum(np.searchsorted(ends, places * ends[-1], side="right"), len(ends) - 1)
