"""Clusters of attributes that depend on each other (Multi-Dimensional RR, section 4, Algorithm 1)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats

Cluster = tuple[int, ...]


@dataclass(frozen=True)
class ClusterStep:
    """One look at two clusters.

    Parameters
    ----------
    left, right : positions of their attributes
    dependence : the largest between an attribute of one and an attribute of the other
    cells : combinations of categories the two would have together
    merged : whether they became one cluster
    """

    left: Cluster
    right: Cluster
    dependence: float
    cells: int
    merged: bool


@dataclass(frozen=True)
class Clustering:
    """A partition of the attributes and how it came about.

    Parameters
    ----------
    clusters : tuple of tuples of positions, each in increasing order, sorted by their first
    steps : what was merged, and what was passed over for having too many combinations; in order
    max_cells, min_dependence : the thresholds T_v and T_d
    """

    clusters: tuple[Cluster, ...]
    steps: tuple[ClusterStep, ...]
    max_cells: int
    min_dependence: float


def cluster_attributes(dependence: Floats, sizes: Sequence[int], *, max_cells: int, min_dependence: float) -> Clustering:
    """Merge the two most dependent clusters as long as they are dependent enough and have few enough combinations together.

    The dependence of two clusters is the largest between an attribute of one and an attribute of the other. A pair with too many
    combinations is passed over; after each merge the search starts again from the most dependent pair. Equally dependent pairs are
    looked at in the order of their attributes. Pairs wait on a heap: a pair that was passed over cannot fit later, since neither of
    its clusters has changed, and the dependence of successive merges never increases.

    Parameters
    ----------
    dependence : ndarray of shape (k, k), symmetric, in [0, 1]; NaN counts as 0; the diagonal is not used
    sizes : k numbers of categories
    max_cells : T_v, most combinations of categories in a cluster, >= 2
    min_dependence : T_d, least dependence of clusters that are merged, in [0, 1]
    """
    k = len(sizes)
    known = np.nan_to_num(dependence, nan=0.0)
    alive: set[Cluster] = {(i,) for i in range(k)}
    steps: list[ClusterStep] = []
    waiting = _pairs(combinations(sorted(alive), 2), known, min_dependence)
    heapify(waiting)
    while waiting:
        strength, left, right = heappop(waiting)
        if left not in alive or right not in alive:
            continue
        cells = math.prod(sizes[i] for i in (*left, *right))
        steps.append(ClusterStep(left, right, -strength, cells, cells <= max_cells))
        if cells > max_cells:
            continue
        alive -= {left, right}
        union = tuple(sorted((*left, *right)))
        for pair in _pairs(((min(union, other), max(union, other)) for other in alive), known, min_dependence):
            heappush(waiting, pair)
        alive.add(union)
    return Clustering(tuple(sorted(alive)), tuple(steps), max_cells, min_dependence)


def _pairs(pairs: Iterable[tuple[Cluster, Cluster]], dependence: Floats, least: float) -> list[tuple[float, Cluster, Cluster]]:
    """Those at least so dependent, as (-dependence, left, right): the smallest is the one to look at first."""
    found = ((float(dependence[np.ix_(left, right)].max()), left, right) for left, right in pairs)
    return [(-strength, left, right) for strength, left, right in found if strength >= least]
