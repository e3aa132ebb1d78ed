"""Spike and slab: the density against integration and scipy, and what many pairs say about one."""

import numpy as np
import pytest
from scipy.stats import chi2, ncx2

from rrcore.association.spike_and_slab import SIZES, log_density, posterior


@pytest.mark.parametrize("freedom", [1, 2, 4, 21.9, 22, 60, 137.5])
def test_the_density_is_scipys_where_scipy_has_one(freedom):
    x = np.array([0.3, 1.0, 0.7, 1.4]) * freedom
    centres = np.array([0.0, 0.5, 3.0, 40.0, 500.0])
    found = log_density(x, np.full(4, float(freedom)), np.tile(centres, (4, 1)))
    with np.errstate(divide="ignore"):
        known = np.where(centres > 0, ncx2.logpdf(x[:, None], freedom, centres), chi2.logpdf(x[:, None], freedom))
    live = np.isfinite(known) & (known > -600)
    assert live.sum() >= 15
    np.testing.assert_allclose(found[live], known[live], rtol=0, atol=2e-4)


def people(rng, own, freedom=30.0, per_size=20_000.0):
    return rng.noncentral_chisquare(freedom, per_size * own**2), np.full(len(own), freedom), np.full(len(own), per_size)


def means(weights):
    return weights @ SIZES


def test_pairs_without_anything_of_their_own_are_read_as_none():
    """One V of 0.05 makes a chi-square of 50: 300 pairs of noise alone are worth less than 0.01 each."""
    found = means(posterior(*people(np.random.default_rng(1), np.zeros(300))))
    assert found.mean() < 0.004
    assert found.max() < 0.04


def test_spike_and_scale_come_from_all_pairs():
    """The same pair is believed more among strong pairs than among pairs of nothing; means are nearer the truth than single guesses."""
    rng = np.random.default_rng(2)
    own = np.where(rng.random(300) < 0.6, 0.0, np.abs(rng.normal(0, 0.12, 300)))
    statistic, freedom, per_size = people(rng, own)
    mixed = means(posterior(statistic, freedom, per_size))
    alone = np.sqrt(np.maximum(0.0, statistic - freedom) / per_size)
    assert np.sqrt(np.mean((mixed - own) ** 2)) < 0.85 * np.sqrt(np.mean((alone - own) ** 2))
    assert abs(np.mean(mixed - own)) < 0.01
    nothing = np.append(people(rng, np.zeros(299))[0], 45.0)
    strong = np.append(people(rng, np.full(299, 0.1))[0], 45.0)
    among_nothing, among_strong = (means(posterior(each, freedom, per_size))[-1] for each in (nothing, strong))
    assert among_nothing < 0.5 * among_strong


def test_probabilities_sum_to_one_without_information():
    found = posterior(np.array([np.nan, 5.0, 1e9]), np.array([4.0, 4.0, 4.0]), np.array([1e-3, 100.0, 1e9]))
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert means(found)[2] == pytest.approx(1, abs=0.05)
    alone = posterior(np.array([np.nan]), np.array([4.0]), np.array([1.0]))
    assert alone.shape == (1, len(SIZES))
    assert alone.min() >= 0
