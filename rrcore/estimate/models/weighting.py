"""Weights, strata and clusters of the people whose answers a model is fitted to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.release import Release
from rrcore.estimate.sample import Sample


@dataclass(frozen=True, eq=False)
class Weighting:
    """What each answer stands for, and how totals over people vary.

    Populations are taken as large: a model is about how answers come about, not about the people of one list.

    Parameters
    ----------
    weights : ndarray of shape (n,), above 0, with mean 1
    sample : Sample of these people, or None for a simple random sample: then the inverse information is the covariance
    """

    weights: Floats
    sample: Sample | None

    @property
    def simple(self) -> bool:
        """Whether likelihoods can be compared: people were drawn one by one, all with the same chance."""
        return self.sample is None

    @property
    def freedom(self) -> float:
        """Degrees of freedom of errors: clusters less strata; infinite for a simple random sample."""
        return math.inf if self.sample is None else self.sample.freedom

    @classmethod
    def of(cls, sample: Sample | None, kept: Booleans) -> tuple[Weighting, Booleans]:
        """Of the people ``kept`` (n,) who have a weight above 0; also returns which those are."""
        if sample is None:
            return cls(np.ones(int(kept.sum())), None), kept
        kept = kept & (sample.weights > 0)
        own = sample.take(kept)
        return cls(own.weights / own.weights.mean(), own), kept

    def spread(self, scores: Floats) -> Floats:
        """Covariance of the weighted total of ``scores`` (n, P), shape (P, P): by clusters within strata, or by replicate weights."""
        if self.sample is None:
            centred = scores - scores.mean(axis=0)
            return np.asarray(centred.T @ centred * (len(scores) / max(len(scores) - 1, 1)))
        if self.sample.replicates is not None:
            again = self.sample.replicates
            shares = again.weights / again.weights.sum(axis=0)
            own = self.weights / self.weights.sum()
            moved = (shares - own[:, None]).T @ scores * np.sqrt(again.scales)[:, None] * self.weights.sum()
            return np.asarray(moved.T @ moved)
        return self._linearised(self.sample, scores * self.weights[:, None])

    def _linearised(self, sample: Sample, weighted: Floats) -> Floats:
        if sample.calibrated is not None:  # weights that were made to reach known totals: what those totals explain does not vary
            x = sample.calibrated * self.weights[:, None]
            explained = np.linalg.lstsq(x.T @ sample.calibrated, sample.calibrated.T @ weighted, rcond=None)[0]
            weighted = weighted - x @ explained
        totals = np.zeros((len(sample.unit_strata), weighted.shape[1]))
        np.add.at(totals, sample.units, weighted)
        drawn = np.asarray(sample.drawn, dtype=np.float64)
        means = np.zeros((len(drawn), weighted.shape[1]))
        np.add.at(means, sample.unit_strata, totals)
        means /= np.maximum(drawn, 1)[:, None]
        several = drawn > 1
        alone = 0.0 if sample.lonely == "certain" else 1.0
        scale = np.where(several, drawn / np.maximum(drawn - 1, 1), alone)
        means[~several] = 0.0  # one cluster alone counts by its distance from the total, which is 0 at the solution
        square = (totals * scale[sample.unit_strata, None]).T @ totals - (means * (scale * drawn)[:, None]).T @ means
        return np.asarray((square + square.T) / 2)


def sample_of(releases: Sequence[Release], weights: Any, clusters: Any, strata: Any) -> Sample | None:
    """The sample that columns of weights, clusters and strata make, else the one that the answers bring; None for a simple random sample.

    Raises InputError for columns of another length, weights that are no numbers of at least 0, or both columns and a sample.
    """
    n = sum(release.n for release in releases)
    brought = [release.sample for release in releases]
    if weights is None and clusters is None and strata is None:
        if len(brought) == 1 or all(sample is None for sample in brought):
            return brought[0]
        return _joined([sample or Sample.simple(release.n) for sample, release in zip(brought, releases, strict=True)])
    if any(sample is not None for sample in brought):
        raise InputError("The answers bring their own weights: leave out the weights, clusters and strata given beside them.")
    for name, column in (("weights", weights), ("clusters", clusters), ("strata", strata)):
        if column is not None and np.shape(column) != (n,):
            raise InputError(f"There are {n:,} answers and {name} of shape {np.shape(column)}: give one for each answer.")
    own = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    return Sample(own, strata=_codes(strata), clusters=_codes(clusters))


def _joined(samples: Sequence[Sample]) -> Sample:
    """Groups that were drawn independently of each other, each a stratum of its own at least."""
    if any(sample.replicates is not None for sample in samples):
        raise InputError("Groups with replicate weights cannot be modelled together: give weights, strata and clusters instead.")
    strata: list[Integers] = []
    clusters: list[Integers] = []
    for sample in samples:
        strata.append(sample.stratum_codes + (strata[-1].max() + 1 if strata else 0))
        clusters.append(sample.units + (clusters[-1].max() + 1 if clusters else 0))
    weights = np.concatenate([sample.weights for sample in samples])
    return Sample(weights, strata=np.concatenate(strata), clusters=np.concatenate(clusters), lonely=samples[0].lonely)


def _codes(column: Any) -> Integers | None:
    return None if column is None else np.asarray(np.unique(np.asarray(column), return_inverse=True)[1], dtype=np.int64).ravel()
