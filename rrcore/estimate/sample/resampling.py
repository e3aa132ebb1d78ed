"""Replicate weights of one's own, from the strata and clusters of a sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rrcore.errors import InputError
from rrcore.estimate.sample.replicates import Replicates
from rrcore.estimate.sample.sample import Sample

_MOST = 1 << 27  # numbers in a table of replicate weights


def jackknife(sample: Sample) -> Sample:
    """The sample with one replicate for every cluster, which leaves it out and weighs the others of its stratum more (Wolter 2007, ch. 4).

    Where there are no clusters, everybody is left out in turn: meant for clusters, of which there are few. A finite population counts by
    the scales. Raises InputError where a stratum has one cluster only, or replicates are too many.

    Examples
    --------
    >>> sample = jackknife(Sample(np.ones(4), clusters=np.array([0, 0, 1, 1])))
    >>> sample.replicates.weights.T.tolist(), sample.replicates.scales.tolist()
    ([[0.0, 0.0, 2.0, 2.0], [2.0, 2.0, 0.0, 0.0]], [0.5, 0.5])
    """
    units, strata, drawn = sample.units, sample.unit_strata, sample.drawn
    _fits(sample, strata.size)
    if (drawn[strata] < 2).any():
        h = int(strata[np.flatnonzero(drawn[strata] < 2)[0]])
        raise InputError(f"The jackknife leaves out one cluster at a time, and {sample.stratum(h)} has no other: merge it first.")
    m = drawn[strata]
    factor = np.where(sample.stratum_codes[:, None] == strata[None, :], (m / (m - 1))[None, :], 1.0)
    factor[np.arange(sample.n), units] = 0.0
    scales = (1 - sample.fractions[strata]) * (m - 1) / m
    return replace(sample, replicates=Replicates(sample.weights[:, None] * factor, scales))


def bootstrap(sample: Sample, replicates: int, *, rng: np.random.Generator) -> Sample:
    """The sample with ``replicates`` bootstrap weights: of m clusters of a stratum m - 1 are drawn with replacement (Rao and Wu 1988).

    Raises InputError for fewer than two replicates, a stratum of one cluster, or a finite population, for which the jackknife is right.
    """
    if replicates < 2:
        raise InputError(f"The number of replicates is {replicates}: give at least 2.")
    _fits(sample, replicates)
    if sample.fractions.any():
        raise InputError("The bootstrap takes the population to be large: leave the population sizes out, or use the jackknife.")
    if (sample.drawn[sample.unit_strata] < 2).any():
        raise InputError("The bootstrap needs at least two clusters in every stratum: merge the strata that have one.")
    taken = np.zeros((sample.unit_strata.size, replicates))
    for h in np.unique(sample.unit_strata):
        own = np.flatnonzero(sample.unit_strata == h)
        m = own.size
        taken[own] = rng.multinomial(m - 1, np.full(m, 1 / m), size=replicates).T * (m / (m - 1))
    return replace(sample, replicates=Replicates.of("bootstrap", sample.weights[:, None] * taken[sample.units]))


def _fits(sample: Sample, replicates: int) -> None:
    if sample.times is not None and sample.clusters is None:
        raise InputError("Everybody is drawn anew, and these rows stand for several people each: name clusters, or give records.")
    if sample.n * replicates > _MOST:
        raise InputError(
            f"{replicates:,} replicates of {sample.n:,} records are too many: use strata and clusters as they are, without replicate weights."
        )
