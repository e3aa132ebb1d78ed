"""Shares within groups: against Bayes' rule, and their errors against simulation and a closed form."""

import numpy as np
import pytest

from rrcore.channel import MatrixChannel, side_by_side
from rrcore.channel.liesets import LieSets
from rrcore.estimate import conditional_shares, estimate_marginal
from rrcore.mechanisms import build

SHARES = np.array([[0.28, 0.12, 0.1], [0.05, 0.25, 0.2]])


def channels():
    pair = build("pair-safe", (2, 3, 2), [1.5, 1.8, 1.0]).marginal_channel([0, 1])
    forced = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 3, 2 / 3]]))
    return {"coupled": pair, "mixed": side_by_side([forced, LieSets.product((3,), np.array([0.3]))], [[0], [1]])}


@pytest.mark.parametrize("name", ["coupled", "mixed"])
def test_shares_follow_bayes_rule_and_add_up(name):
    channel = channels()[name]
    n = 10**9
    counts = np.round(n * channel.push(SHARES)).astype(np.int64)
    found = conditional_shares(estimate_marginal(counts, channel), [0])
    np.testing.assert_allclose(found.shares, SHARES / SHARES.sum(axis=1, keepdims=True), atol=1e-7)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(found.group, SHARES.sum(axis=1), atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coupled", "mixed"])
@pytest.mark.parametrize("given", [(0,), (1,)])
def test_standard_errors_are_the_spread_of_simulated_surveys(name, given):
    """2,000 surveys: the ratio of variances lies within 1 +- 5 sqrt(2 / 2000) but for one run in 10^5 (6 cells).

    The shares of all come from the inverse as a matrix; standard errors, which hardly vary, from the first 200, whose shares are the same.
    """
    channel, rng, n = channels()[name], np.random.default_rng(5), 4000
    released = channel.push(SHARES).ravel()
    surveys = rng.multinomial(n, released, 2000)
    inverse = np.stack([channel.invert(unit.reshape(SHARES.shape)).ravel() for unit in np.eye(SHARES.size)])
    joint = (surveys / n @ inverse).reshape(-1, *SHARES.shape)
    shares = joint / joint.sum(axis=1 + (1 - given[0]), keepdims=True)
    runs = [conditional_shares(estimate_marginal(counts.reshape(SHARES.shape), channel), given) for counts in surveys[:200]]
    np.testing.assert_allclose(shares[:200], [run.shares for run in runs], rtol=0, atol=1e-10)
    spread = shares.var(axis=0)
    told = np.mean([run.standard_error**2 for run in runs], axis=0)
    np.testing.assert_allclose(told / spread, 1, atol=5 * np.sqrt(2 / 2000))


def test_without_noise_it_is_the_binomial_error_within_the_group():
    channel = LieSets.product((2, 3), np.array([0.0, 0.0]))
    counts = np.array([[60, 30, 10], [5, 25, 70]])
    found = conditional_shares(estimate_marginal(counts, channel), [0])
    share = counts / 100
    np.testing.assert_allclose(found.standard_error**2, share * (1 - share) / 100 * 200 / 199, rtol=1e-12)
    np.testing.assert_allclose(
        conditional_shares(estimate_marginal(counts, channel), [0], population=False).standard_error, 0, atol=1e-12
    )


def test_groups_that_may_be_empty_are_left_out():
    channel = channels()["coupled"]
    counts = np.round(300 * channel.push(np.array([[0.5, 0.3, 0.2], [0.0, 0.0, 0.0]]))).astype(np.int64)
    found = conditional_shares(estimate_marginal(counts, channel), [0])
    assert np.isfinite(found.shares[0]).all()
    assert np.isnan(found.shares[1]).all()
    assert np.isnan(found.interval()[0][1]).all()


def test_people_for_an_error_scales_with_its_square():
    channel = channels()["coupled"]
    counts = np.round(5000 * channel.push(SHARES)).astype(np.int64)
    estimate = estimate_marginal(counts, channel)
    widest = 1.959963984540054 * estimate.standard_error(population=True).max()
    assert abs(estimate.people_for(widest) - estimate.n) <= 1
    assert estimate.people_for(widest / 2) == pytest.approx(4 * estimate.n, abs=2)
