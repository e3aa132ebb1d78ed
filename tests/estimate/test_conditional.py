"""Shares within groups: against Bayes' rule, and their errors against simulation and a closed form."""

import numpy as np
import pytest

from rrcore.budget import build
from rrcore.channel import MatrixChannel, product_channel
from rrcore.channel.channels import SubsetChannel
from rrcore.errors import InputError
from rrcore.estimate import conditional_shares, invert_counts

SHARES = np.array([[0.28, 0.12, 0.1], [0.05, 0.25, 0.2]])


def channels():
    pair = build("preserving-2", (2, 3, 2), [1.5, 1.8, 1.0]).channel([0, 1])
    forced = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 3, 2 / 3]]))
    return {"coupled": pair, "mixed": product_channel([forced, SubsetChannel.product((3,), np.array([0.3]))], [[0], [1]])}


@pytest.mark.parametrize("name", ["coupled", "mixed"])
def test_shares_follow_bayes_rule_and_add_up(name):
    channel = channels()[name]
    n = 10**9
    counts = np.round(n * channel.push(SHARES)).astype(np.int64)
    found = conditional_shares(invert_counts(counts, channel), [0])
    np.testing.assert_allclose(found.estimate.reshape(2, 3), SHARES / SHARES.sum(axis=1, keepdims=True), atol=1e-7)
    np.testing.assert_allclose(np.reshape(found.columns["group"], (2, 3))[:, 0], SHARES.sum(axis=1), atol=1e-7)


@pytest.mark.parametrize(("name", "given"), [("coupled", (0,)), ("mixed", (1,))])
def test_standard_errors_are_the_spread_of_simulated_surveys(name, given):
    """2,000 surveys: the ratio of variances lies within 1 +- 5 sqrt(2 / 2000) but for one run in 10^5 (6 cells).

    All are inverted at once; the stated standard errors come from every hundredth, whose shares are the same.
    """
    channel, rng, n = channels()[name], np.random.default_rng(5), 4000
    counts = rng.multinomial(n, channel.push(SHARES).ravel(), 2000)
    inverted = channel.invert(counts.T.reshape(2, 3, -1) / n)
    shares = inverted / inverted.sum(axis=1 - given[0], keepdims=True)
    stated = []
    for run in range(0, 2000, 100):  # a stated error varies far less than an estimate
        found = conditional_shares(invert_counts(counts[run].reshape(SHARES.shape), channel), given)
        np.testing.assert_allclose(found.estimate.reshape(2, 3), shares[..., run], rtol=1e-9)
        stated.append(found.std_error.reshape(2, 3) ** 2)
    np.testing.assert_allclose(np.mean(stated, axis=0) / shares.var(axis=-1), 1, atol=5 * np.sqrt(2 / 2000))


def test_without_noise_it_is_the_binomial_error_within_the_group():
    channel = SubsetChannel.product((2, 3), np.array([0.0, 0.0]))
    counts = np.array([[60, 30, 10], [5, 25, 70]])
    found = conditional_shares(invert_counts(counts, channel), [0])
    share = counts / 100
    np.testing.assert_allclose(found.std_error.reshape(2, 3) ** 2, share * (1 - share) / 100, rtol=0.02)
    np.testing.assert_allclose(conditional_shares(invert_counts(counts, channel), [0], population=False).std_error, 0, atol=1e-7)


def test_of_a_group_of_nobody_nothing_is_known():
    channel = channels()["mixed"]
    counts = np.round(300 * channel.push(np.array([[0.5, 0.3, 0.2], [0.0, 0.0, 0.0]]))).astype(np.int64)
    counts[1] = 0
    found = conditional_shares(invert_counts(counts, channel), [0])
    assert np.isfinite(found.estimate[:3]).all()
    assert np.isnan(found.estimate[3:]).all()
    assert (found.conf_low[3:].tolist(), found.conf_high[3:].tolist()) == ([0] * 3, [1] * 3)
    assert (found.columns["n"][3], "0 people" in found.note) == (0, True)


def test_sixty_answers_no_in_two_groups_leave_room_for_a_yes():
    channel = build("independent", (2, 2), [5, 5]).channel([0, 1])
    found = conditional_shares(invert_counts(np.array([[30, 0], [30, 0]]), channel), [0])
    assert found.estimate.tolist() == [1, 0, 1, 0]
    assert (found.conf_low[[1, 3]] == 0).all()
    assert (found.conf_high[[1, 3]] > 0.06).all()
    assert (found.conf_high[[1, 3]] < 0.16).all()  # 3 / 30 where nothing is randomized


def test_people_for_an_error_scales_with_its_square():
    channel = channels()["coupled"]
    counts = np.round(5000 * channel.push(SHARES)).astype(np.int64)
    estimate = invert_counts(counts, channel)
    widest = 1.959963984540054 * estimate.std_error(population=True).max()
    assert abs(estimate.people_for(widest) - estimate.n) <= 1
    assert estimate.people_for(widest / 2) == pytest.approx(4 * estimate.n, abs=2)


@pytest.mark.parametrize("given", [[], [0, 1], [0, 0], [2], [-1]])
def test_groups_by_other_axes_are_refused(given):
    channel = channels()["coupled"]
    with pytest.raises(InputError, match=r"axes"):
        conditional_shares(invert_counts(np.full((2, 3), 100), channel), given)
