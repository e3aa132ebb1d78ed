"""Estimates of a design from a sample that is not simple, where clusters are few."""

import numpy as np
import pytest
from scipy.stats import binom, t

from rrcore.designs import from_sample
from rrcore.estimate.sample import Sample
from tests.designs.catalogue import channel
from tests.designs.test_score import wilson


def test_few_clusters_have_students_interval():
    """Four equal clusters: the error is that of the mean of their four means; t of 3 degrees of freedom goes with as many people alone."""
    design, yes = channel("warner", "3/4"), np.array([10, 11, 12, 9])
    reports = (np.arange(20) < yes[:, None]).astype(int).ravel()
    found = from_sample(design, design.quantities[0], reports, Sample(np.ones(80), clusters=np.repeat(np.arange(4), 20)))
    means, share = (yes / 20 - 0.25) / 0.5, yes.mean() / 20
    assert found.error == pytest.approx(means.std(ddof=1) / 2)
    assert found.freedom == 3
    alone = share * (1 - share) / 0.5**2 / found.error**2
    assert found.interval() == pytest.approx((wilson(share, alone, t.ppf(0.975, 3)) - 0.25) / 0.5, abs=1e-7)


def test_six_clusters_are_covered_by_simulation():
    """Clusters with means of their own: normal intervals hold in 89 % of such surveys. False alarms: 1 in 10,000."""
    design, rng, runs, held = channel("warner", "9/10"), np.random.default_rng(3), 300, 0
    sample = Sample(np.ones(300), clusters=np.repeat(np.arange(6), 50))
    for _ in range(runs):
        true = rng.random((6, 50)) < rng.uniform(0.2, 0.6, (6, 1))
        reports = (true ^ (rng.random((6, 50)) < 0.1)).astype(int).ravel()
        low, high = from_sample(design, design.quantities[0], reports, sample).interval()
        held += low <= 0.4 <= high
    assert binom.ppf(1e-4, runs, 0.94) <= held <= binom.ppf(1 - 1e-4, runs, 0.96)
