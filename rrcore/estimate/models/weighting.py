"""Weights, clusters and strata of the people whose answers a model is fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError


@dataclass(frozen=True, eq=False)
class Weighting:
    """What each answer stands for, and which were drawn together.

    Parameters
    ----------
    weights : ndarray of shape (n,), at least 0, with mean 1
    clusters, strata : ndarray of shape (n,), codes; everybody for himself, and one stratum, where the design has none
    simple : bool, whether it is a simple random sample with equal weights: then the inverse information is the covariance
    """

    weights: Floats
    clusters: Integers
    strata: Integers
    simple: bool

    @classmethod
    def of(cls, n: int, kept: Booleans, weights: Any, clusters: Any, strata: Any) -> tuple[Weighting, Booleans]:
        """Of the answers ``kept`` that have a weight above 0; also returns which those are.

        Raises InputError for weights that are no numbers, or below 0, or columns of another length.
        """
        for name, column in (("weights", weights), ("clusters", clusters), ("strata", strata)):
            if column is not None and np.shape(column) != (n,):
                raise InputError(f"There are {n:,} answers and {name} of shape {np.shape(column)}: give one for each answer.")
        own = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
        if not np.isfinite(own[kept]).all() or (own[kept] < 0).any():
            raise InputError("A weight is missing, infinite or below 0: give every answer a weight of at least 0.")
        kept = kept & (np.nan_to_num(own) > 0)
        if not kept.any():
            raise InputError("No answer has a value of every predictor and a weight above 0: use other predictors.")
        own = own[kept] / own[kept].mean()
        size = len(own)
        stratum = np.zeros(size, dtype=np.int64) if strata is None else _codes(np.asarray(strata)[kept])
        cluster = np.arange(size) if clusters is None else _codes(np.asarray(clusters)[kept])
        cluster = _codes(stratum * (int(cluster.max()) + 1) + cluster)  # a cluster lies in one stratum
        simple = weights is None and clusters is None and strata is None
        return cls(own, cluster, stratum, simple), kept

    def spread(self, scores: Floats) -> Floats:
        """Covariance of a weighted total of ``scores`` (n, P): between clusters within strata (linearisation), shape (P, P)."""
        number = int(self.clusters.max()) + 1
        totals = np.zeros((number, scores.shape[1]))
        np.add.at(totals, self.clusters, scores * self.weights[:, None])
        stratum = np.zeros(number, dtype=np.int64)
        stratum[self.clusters] = self.strata
        size = np.bincount(stratum).astype(np.float64)
        means = np.zeros((len(size), scores.shape[1]))
        np.add.at(means, stratum, totals)
        centred = totals - (means / size[:, None])[stratum]
        factor = np.divide(size, size - 1, out=np.zeros_like(size), where=size > 1)
        return np.asarray((centred * factor[stratum, None]).T @ centred)


def _codes(values: Any) -> Integers:
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64).ravel()
