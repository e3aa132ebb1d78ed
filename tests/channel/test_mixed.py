"""A mixture with people who do not follow the instructions, against its matrix written out."""

import numpy as np
import pytest

from rrcore.channel import MatrixChannel, MixedChannel, StackedChannel
from rrcore.channel.base import Channel
from rrcore.mechanisms import build

CARDS = MatrixChannel(np.array([[0.64, 0.32, 0.04], [0.09, 0.42, 0.49]]))
TWO = StackedChannel(
    (MatrixChannel(np.array([[0.8, 0.2], [0.3, 0.7]])), MatrixChannel(np.array([[0.3, 0.7], [0.8, 0.2]]))), np.array([0.4, 0.6])
)
CHANNELS = {name: build(name, (2, 3), [1.0, 1.2]).marginal_channel((0, 1)) for name in ("kronecker", "pair-safe", "optimal")}
CHANNELS |= {"more reports": CARDS, "two designs": TWO}
LAWS = {"uniform": lambda channel: channel.push(channel.even), "no": lambda channel: channel.first_report}


@pytest.fixture(params=[(name, law) for name in CHANNELS for law in LAWS], ids="-".join)
def mixed(request):
    name, law = request.param
    return MixedChannel(CHANNELS[name], 0.13, LAWS[law](CHANNELS[name]))


def matrices(channel):
    """P(report | truth) and kappa, shapes (true cells, reports), written out."""
    true, reports = int(np.prod(channel.sizes)), int(np.prod(channel.report_sizes))
    pushed = channel.push(np.eye(true).reshape(*channel.sizes, true)).reshape(reports, true).T
    inverse = channel.invert(np.eye(reports).reshape(*channel.report_sizes, reports)).reshape(true, reports)
    return pushed, inverse


def test_it_is_the_mixture_and_its_inverse(mixed):
    pushed, inverse = matrices(mixed)
    plain, _ = matrices(mixed.whole)
    assert np.allclose(pushed, 0.87 * plain + 0.13 * mixed.law.ravel(), atol=1e-12)
    assert np.allclose(inverse @ pushed.T, np.eye(len(pushed)), atol=1e-10)


def test_transposes_and_moments_are_those_of_the_matrices(mixed):
    pushed, inverse = matrices(mixed)
    rng = np.random.default_rng(1)
    weights, table = rng.random(mixed.sizes), rng.random(mixed.report_sizes)
    table /= table.sum()
    assert np.allclose(mixed.pull(table).ravel(), pushed @ table.ravel(), atol=1e-12)
    assert np.allclose(mixed.invert_back(weights).ravel(), inverse.T @ weights.ravel(), atol=1e-9)
    for power in (1, 2, 3, 4):
        assert np.allclose(mixed.inverse_moment(table, power).ravel(), inverse**power @ table.ravel(), rtol=1e-8, atol=1e-8)
        assert np.allclose(mixed.own_moment(power).ravel(), (pushed * inverse**power).sum(axis=1), rtol=1e-8, atol=1e-8)


def test_interactions_are_those_that_any_channel_has(mixed):
    rng = np.random.default_rng(2)
    table = rng.random(mixed.report_sizes)
    table /= table.sum()
    assert np.allclose(mixed.top(table), Channel.top(mixed, table), atol=1e-10)
    assert np.allclose(mixed.top_squares, Channel.top_squares.fget(mixed), rtol=1e-9, atol=1e-9)
    assert np.allclose(mixed.top_alike(table), Channel.top_alike(mixed, table), rtol=1e-9, atol=1e-9)


def test_the_marginal_is_that_of_the_mixture():
    whole = CHANNELS["optimal"]
    mixed = MixedChannel(whole, 0.2, whole.first_report)
    truth = np.random.default_rng(3).dirichlet(np.ones(6)).reshape(2, 3)
    assert np.allclose(mixed.marginal([1]).push(truth.sum(axis=0)), mixed.push(truth).sum(axis=0))


def test_the_first_report_of_two_designs_is_that_of_each():
    assert TWO.first_report.tolist() == [0.4, 0.0, 0.6, 0.0]


def test_a_share_or_a_law_that_cannot_be_is_refused():
    for share, law in ((1.0, TWO.first_report), (-0.1, TWO.first_report), (0.1, np.ones(4)), (0.1, np.array([1.0]))):
        with pytest.raises(ValueError, match="expected"):
            MixedChannel(TWO, share, law)
