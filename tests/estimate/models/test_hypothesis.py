"""Tests of coefficients whose covariance is estimated from few clusters, against draws of such clusters."""

import numpy as np
import pytest
from scipy.stats import binom, f

from rrcore.estimate.models.hypothesis import Test as HypothesisTest
from rrcore.estimate.models.hypothesis import likelihood_ratio, rao_scott, wald

RUNS = 2_000
OFTEN = binom.ppf([1e-4, 1 - 1e-4], RUNS, 0.05)


@pytest.mark.parametrize(("clusters", "k"), [(4, 1), (5, 3), (30, 2)])
def test_wald_of_few_clusters_has_its_size(clusters, k):
    """Means of k numbers over clusters, of which none differs from 0. False alarms: 2 in 10,000."""
    rng, low = np.random.default_rng(4), 0
    mixed = rng.normal(size=(k, k))
    for own in rng.normal(size=(RUNS, clusters, k)) @ mixed:
        low += wald(own.mean(axis=0), np.cov(own.T).reshape(k, k) / clusters, clusters - 1.0).p_value < 0.05
    assert OFTEN[0] <= low <= OFTEN[1]


def test_rao_scott_of_few_clusters_is_f():
    covariance = np.diag([2.0, 6.0])
    found = rao_scott(likelihood_ratio(-10.0, -20.0, 2), np.eye(2), covariance, 5.0)
    freedom = 64 / 40
    assert found.p_value == pytest.approx(f.sf(20 / 8, freedom, 5 * freedom))
    many = rao_scott(likelihood_ratio(-10.0, -20.0, 2), np.eye(2), covariance, 1e9)
    plain = rao_scott(likelihood_ratio(-10.0, -20.0, 2), np.eye(2), covariance)
    assert (many.statistic, many.p_value) == pytest.approx((plain.statistic, plain.p_value), rel=1e-6)


def test_a_chi_square_stays_one():
    assert wald(np.array([1.96]), np.eye(1)) == HypothesisTest("Wald", pytest.approx(3.8416), 1)
