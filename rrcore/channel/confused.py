"""Categories that reports do not tell apart: which of their shares, or sums of shares, can be estimated all the same."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.limits import MIN_FACTOR

_MOST_SEARCHED = 10  # categories that are not estimable on their own, all subsets of which are tried


def smallest_sets(matrix: Floats) -> tuple[tuple[int, ...], ...]:
    """The smallest sets of categories whose share together can be estimated without bias, each category's own where that is possible.

    A sum of shares can be estimated if and only if shares that give the same reports agree on it: its indicator is orthogonal to the null
    space of the transposed matrix (estimable functions; Rao 1973, section 4a). All categories together always can.

    Parameters
    ----------
    matrix : ndarray of shape (a, b), row x: what category x is reported as; columns may be scaled

    Returns
    -------
    tuple of increasing tuples of categories, each category in at least one; in the order of their first category

    Examples
    --------
    >>> smallest_sets(np.array([[0.8, 0.2], [0.8, 0.2], [0.1, 0.9]]))
    ((0, 1), (2,))
    >>> smallest_sets(np.array([[0.8, 0.2], [0.4, 0.6], [0.1, 0.9]]))
    ((0, 1, 2),)
    """
    left, values, _ = np.linalg.svd(matrix)
    rank = int((values >= MIN_FACTOR).sum())
    blind = left[:, rank:]  # column: a change of shares that no report shows
    moved = np.flatnonzero(np.abs(blind).max(axis=1, initial=0.0) > MIN_FACTOR)
    found: list[tuple[int, ...]] = [(x,) for x in range(len(matrix)) if x not in moved]
    if len(moved) <= _MOST_SEARCHED:
        candidates = [chosen for size in range(2, len(moved) + 1) for chosen in combinations(moved.tolist(), size)]
    else:
        alike = {tuple(np.flatnonzero(np.abs(matrix - matrix[x]).max(axis=1) < MIN_FACTOR).tolist()) for x in moved.tolist()}
        candidates = [*sorted(alike), tuple(moved.tolist())]
    for chosen in candidates:
        if np.abs(blind[list(chosen)].sum(axis=0)).max() < MIN_FACTOR and not any(set(known) < set(chosen) for known in found):
            found.append(chosen)
    return tuple(sorted(found))
