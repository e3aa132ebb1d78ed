"""Shares within groups: against Bayes' rule, and their errors against simulation and a closed form."""

import numpy as np
import pytest

from rrcore.answers import read_answers
from rrcore.channel import MatrixChannel, product_channel
from rrcore.channel.liesets import LieSets
from rrcore.errors import InputError
from rrcore.estimate import conditional_shares, functional_error, invert_counts, merged_shares
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile
from rrcore.promise.weights import MatrixWeights
from rrcore.table import Attribute, Schema

SHARES = np.array([[0.28, 0.12, 0.1], [0.05, 0.25, 0.2]])


def channels():
    pair = build("pair-safe", (2, 3, 2), [1.5, 1.8, 1.0]).marginal_channel([0, 1])
    forced = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 3, 2 / 3]]))
    return {"coupled": pair, "mixed": product_channel([forced, LieSets.product((3,), np.array([0.3]))], [[0], [1]])}


@pytest.mark.parametrize("name", ["coupled", "mixed"])
def test_shares_follow_bayes_rule_and_add_up(name):
    channel = channels()[name]
    n = 10**9
    counts = np.round(n * channel.push(SHARES)).astype(np.int64)
    found = conditional_shares(invert_counts(counts, channel), [0])
    np.testing.assert_allclose(found.shares, SHARES / SHARES.sum(axis=1, keepdims=True), atol=1e-7)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(found.group, SHARES.sum(axis=1), atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coupled", "mixed"])
@pytest.mark.parametrize("given", [(0,), (1,)])
def test_standard_errors_are_the_spread_of_simulated_surveys(name, given):
    """2,000 surveys: the ratio of variances lies within 1 +- 5 sqrt(2 / 2000) but for one run in 10^5 (6 cells).

    All are inverted at once; the standard errors told come from every tenth, whose shares are the same.
    """
    channel, rng, n = channels()[name], np.random.default_rng(5), 4000
    counts = rng.multinomial(n, channel.push(SHARES).ravel(), 2000)
    inverted = channel.invert(counts.T.reshape(2, 3, -1) / n)
    shares = inverted / inverted.sum(axis=1 - given[0], keepdims=True)
    told = []
    for run in range(0, 2000, 10):  # a told error varies far less than an estimate
        found = conditional_shares(invert_counts(counts[run].reshape(SHARES.shape), channel), given)
        np.testing.assert_allclose(found.shares, shares[..., run], rtol=1e-9)
        told.append(found.standard_error**2)
    np.testing.assert_allclose(np.mean(told, axis=0) / shares.var(axis=-1), 1, atol=5 * np.sqrt(2 / 2000))


def test_without_noise_it_is_the_binomial_error_within_the_group():
    channel = LieSets.product((2, 3), np.array([0.0, 0.0]))
    counts = np.array([[60, 30, 10], [5, 25, 70]])
    found = conditional_shares(invert_counts(counts, channel), [0])
    share = counts / 100
    np.testing.assert_allclose(found.standard_error**2, share * (1 - share) / 100 * 200 / 199, rtol=1e-12)
    np.testing.assert_allclose(
        conditional_shares(invert_counts(counts, channel), [0], population=False).standard_error, 0, atol=1e-12
    )


def test_groups_that_may_be_empty_are_left_out():
    channel = channels()["coupled"]
    counts = np.round(300 * channel.push(np.array([[0.5, 0.3, 0.2], [0.0, 0.0, 0.0]]))).astype(np.int64)
    found = conditional_shares(invert_counts(counts, channel), [0])
    assert np.isfinite(found.shares[0]).all()
    assert np.isnan(found.shares[1]).all()
    assert np.isnan(found.interval()[0][1]).all()


def test_of_one_person_nothing_is_told_of_others():
    """Their own answer is not that of the population: no share within a group, and a share of merged categories without ends."""
    channel = LieSets.product((2, 2), np.array([0.001, 0.001]))
    one = invert_counts(np.array([[1, 0], [0, 0]]), channel)
    assert functional_error(np.eye(2), one, True) == np.inf
    assert np.isnan(conditional_shares(one, [0]).shares).all()
    assert np.isfinite(conditional_shares(one, [0], population=False).shares[0]).all()  # of this person it does say something
    asked = Schema((Attribute("how often", ("never", "seldom", "often")),))
    reported = Schema((Attribute("how often", ("black", "white")),))
    file = MechanismFile(asked, (((0,), MatrixWeights(((8, 2), (8, 2), (1, 9)))),), reports=reported)
    found = merged_shares(read_answers([(b"how often\nblack\n", "a.csv")], file), "how often")
    assert [(each.low, each.high) for each in found] == [(-np.inf, np.inf)] * 2


def test_people_for_an_error_scales_with_its_square():
    channel = channels()["coupled"]
    counts = np.round(5000 * channel.push(SHARES)).astype(np.int64)
    estimate = invert_counts(counts, channel)
    widest = 1.959963984540054 * estimate.standard_error(population=True).max()
    assert abs(estimate.people_for(widest) - estimate.n) <= 1
    assert estimate.people_for(widest / 2) == pytest.approx(4 * estimate.n, abs=2)


@pytest.mark.parametrize("given", [[], [0, 1], [0, 0], [2], [-1]])
def test_groups_by_other_axes_are_refused(given):
    channel = channels()["coupled"]
    with pytest.raises(InputError, match=r"^Shares are asked for within the axes"):
        conditional_shares(invert_counts(np.full((2, 3), 100), channel), given)


def test_one_answer_does_not_say_how_many_would_be_enough():
    channel = build("kronecker", (2,), [1.0]).marginal_channel((0,))
    with pytest.raises(InputError, match=r"^So few people do not show how answers vary: at least two are needed"):
        invert_counts(np.array([0, 1]), channel).people_for(0.01)
