"""Clusters of attributes that depend on each other (seeds/002 section 4, Algorithm 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rrcore.errors import InputError

__all__ = ["Clustering", "Step", "cluster_attributes"]

Floats = NDArray[np.float64]
Cluster = tuple[int, ...]


@dataclass(frozen=True)
class Step:
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
    steps: tuple[Step, ...]
    max_cells: int
    min_dependence: float


def cluster_attributes(dependence: Floats, sizes: Sequence[int], *, max_cells: int, min_dependence: float) -> Clustering:
    """Merge the two most dependent clusters as long as they are dependent enough and have few enough combinations together.

    The dependence of two clusters is the largest between an attribute of one and an attribute of the other. A pair with too many
    combinations is passed over; after each merge the search starts again from the most dependent pair.

    Parameters
    ----------
    dependence : ndarray of shape (k, k), symmetric, in [0, 1]; NaN counts as 0; the diagonal is not used
    sizes : k numbers of categories
    max_cells : T_v, most combinations of categories in a cluster, >= 2
    min_dependence : T_d, least dependence of clusters that are merged, in [0, 1]

    Raises
    ------
    InputError
        If a threshold is out of range.
    """
    if max_cells < 2:
        raise InputError(f"Clusters of at most {max_cells} combinations were asked for: give at least 2.")
    if not 0 <= min_dependence <= 1:
        raise InputError(f"A least dependence of {min_dependence:g} was asked for: give a number from 0 to 1.")
    known = np.nan_to_num(dependence, nan=0.0)
    clusters: list[Cluster] = [(i,) for i in range(len(sizes))]
    steps: list[Step] = []
    refused: set[tuple[Cluster, Cluster]] = set()
    while True:
        merge = None
        for strength, left, right in sorted(_pairs(clusters, known), key=lambda pair: (-pair[0], pair[1], pair[2])):
            if strength < min_dependence:
                break
            cells = math.prod(sizes[i] for i in (*left, *right))
            if cells <= max_cells:
                merge = Step(left, right, strength, cells, True)
                break
            if (left, right) not in refused:
                refused.add((left, right))
                steps.append(Step(left, right, strength, cells, False))
        if merge is None:
            return Clustering(tuple(sorted(clusters)), tuple(steps), max_cells, min_dependence)
        steps.append(merge)
        clusters = sorted(
            [*(c for c in clusters if c not in (merge.left, merge.right)), tuple(sorted((*merge.left, *merge.right)))]
        )


def _pairs(clusters: Sequence[Cluster], dependence: Floats) -> list[tuple[float, Cluster, Cluster]]:
    return [(float(dependence[np.ix_(left, right)].max()), left, right) for left, right in combinations(clusters, 2)]
