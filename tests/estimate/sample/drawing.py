"""Samples drawn from populations, and the slow way to the variance of a weighted estimate: one person after the other."""

from dataclasses import dataclass

import numpy as np

from rrcore.channel import MatrixChannel
from rrcore.estimate.estimate import invert_tally
from rrcore.estimate.sample import tally

FORCED = MatrixChannel(np.array([[0.8, 0.2], [0.2, 0.8]]))  # forced response, p1 = p2 = 0.2
THREE = MatrixChannel(np.array([[0.7, 0.2, 0.1], [0.15, 0.7, 0.15], [0.1, 0.1, 0.8]]))


def estimate(reported, sample, channel=FORCED):
    """The Estimate of one attribute from the reports of a sample."""
    return invert_tally(tally(np.asarray(reported)[:, None], channel.report_sizes, sample), channel)


def slow_variance(reported, sample, channel=FORCED):
    """Covariance matrix of the estimated shares by its definition: residuals by person, sums by cluster, spread around their stratum.

    What a finite population makes certain comes back as the randomization of each person, estimated from the report.
    """
    w = sample.weights / sample.weights.sum()
    rows = channel.inverse.T[reported]
    residual = w[:, None] * (rows - w @ rows)
    strata, clusters = sample.stratum_codes, np.arange(sample.n) if sample.clusters is None else sample.clusters
    total = np.zeros((rows.shape[1],) * 2)
    for h in np.unique(strata):
        own = [residual[(strata == h) & (clusters == c)].sum(axis=0) for c in np.unique(clusters[strata == h])]
        m = len(own)
        centre = np.mean(own, axis=0)
        f = 0.0 if sample.populations is None else m / sample.populations[h]
        for one in own:
            total += (1 - f) * m / (m - 1) * np.outer(one - centre, one - centre)
        for i in np.flatnonzero(strata == h):
            total += f * w[i] ** 2 * (np.outer(rows[i], rows[i]) - np.diag(rows[i]))
    return total


@dataclass(frozen=True)
class Population:
    """People in strata and clusters with a true answer each, which differs between both."""

    answers: np.ndarray
    strata: np.ndarray
    clusters: np.ndarray

    @classmethod
    def invent(cls, rng, clusters=(40, 60, 50), size=12):
        """The given number of clusters of ``size`` people in each stratum, alike within clusters and different between strata."""
        strata = np.repeat(np.arange(len(clusters)), np.multiply(clusters, size))
        unit = np.arange(strata.size) // size
        level = np.array([0.15, 0.3, 0.5])[strata] + rng.normal(0, 0.12, unit.max() + 1)[unit]
        return cls((rng.random(strata.size) < level).astype(np.int64), strata, unit)

    @property
    def truth(self):
        return float(self.answers.mean())


def report(answers, channel, rng):
    """Randomized answers."""
    return (rng.random(np.shape(answers))[..., None] > channel.matrix.cumsum(axis=1)[answers][..., :-1]).sum(axis=-1)


def functional_error(weights, estimate, population):
    """Standard error of the estimated sum of ``weights * shares`` by the sample's design."""
    added = estimate.channel.invert_back(weights)
    return float(np.sqrt(max(estimate.spread.variance(added, estimate.channel, population=population), 0.0)))
