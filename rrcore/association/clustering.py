"""Clusters of dependent attributes (Multi-Dimensional RR, section 4)."""

import math
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats

Cluster = tuple[int, ...]


def cluster_attributes(dependence: Floats, sizes: Sequence[int], *, max_cells: int, min_dependence: float) -> tuple[Cluster, ...]:
    """Merge the two most dependent clusters while their dependence and combinations allow it.

    The dependence of two clusters is the largest dependence between any attribute of one and any attribute of the other. A pair with
    too many combinations is skipped. Ties are broken by the order of the attributes. Pairs wait on a heap:
    a pair that was skipped cannot fit later, because neither of its clusters has changed.

    Parameters
    ----------
    dependence : ndarray of shape (k, k)
        Symmetric, in [0, 1]. NaN counts as 0.
    sizes : sequence of int
        Numbers of categories.
    max_cells : int
        T_v, the maximum number of combinations of categories in a cluster.
    min_dependence : float
        T_d, the smallest dependence at which clusters are merged.

    Returns
    -------
    tuple of tuples of int
        Positions in increasing order. Clusters are sorted by their first position.
    """
    k = len(sizes)
    known = np.nan_to_num(dependence, nan=0.0)
    alive: set[Cluster] = {(i,) for i in range(k)}
    waiting = _pairs(combinations(sorted(alive), 2), known, min_dependence)
    heapify(waiting)
    while waiting:
        _, left, right = heappop(waiting)
        if left not in alive or right not in alive:
            continue
        if math.prod(sizes[i] for i in (*left, *right)) > max_cells:
            continue
        alive -= {left, right}
        union = tuple(sorted((*left, *right)))
        for pair in _pairs(((min(union, other), max(union, other)) for other in alive), known, min_dependence):
            heappush(waiting, pair)
        alive.add(union)
    return tuple(sorted(alive))


def _pairs(pairs: Iterable[tuple[Cluster, Cluster]], dependence: Floats, least: float) -> list[tuple[float, Cluster, Cluster]]:
    """Return the pairs that are dependent enough as (-dependence, left, right). The smallest comes first."""
    found = ((float(dependence[np.ix_(left, right)].max()), left, right) for left, right in pairs)
    return [(-strength, left, right) for strength, left, right in found if strength >= least]
