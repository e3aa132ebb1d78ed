"""Inversion, against the dense inverse and the papers' naive one."""

import numpy as np
import pytest

from rrcore.channel import castell, spectral
from rrcore.channel.liesets import LieSets
from rrcore.mechanisms import MECHANISMS, Optimal, build
from tests import oracles

DOMAINS = [((5,), (1.0,)), ((2, 5), (1.0, 1.2)), ((3, 2, 4), (1.6, 1.5, 1.7)), ((2, 2, 3, 2), (2.5, 2.4, 2.6, 2.5))]


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize(("sizes", "levels"), DOMAINS)
def test_equals_the_dense_inverse(name, sizes, levels):
    mechanism = build(name, sizes, levels)
    channel = mechanism.marginal_channel(range(len(sizes)))
    matrix = oracles.dense(channel)
    rng = np.random.default_rng(21)
    released = rng.dirichlet(np.ones(len(matrix))).reshape(sizes)
    np.testing.assert_allclose(channel.invert(released), oracles.dense_estimate(released, matrix), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize(("sizes", "levels"), DOMAINS)
def test_undoes_the_channel_and_keeps_the_sum(name, sizes, levels):
    channel = build(name, sizes, levels).marginal_channel(range(len(sizes)))
    truth = np.random.default_rng(22).dirichlet(np.ones(int(np.prod(sizes)))).reshape(sizes)
    released = (truth.ravel() @ oracles.dense(channel)).reshape(sizes)
    np.testing.assert_allclose(channel.invert(released), truth, rtol=0, atol=1e-12)
    assert channel.invert(released * 1000).sum() == pytest.approx(1000, abs=1e-9)


@pytest.mark.parametrize("name", MECHANISMS)
def test_marginal_of_a_marginal_in_another_order(name):
    sizes, levels = (3, 2, 4), (1.6, 1.5, 1.7)
    mechanism = build(name, sizes, levels)
    matrix = oracles.marginalise(oracles.dense_mechanism(mechanism), sizes, (2, 0))
    released = np.random.default_rng(23).dirichlet(np.ones(12)).reshape(4, 3)
    found = mechanism.marginal_channel((2, 0)).invert(released)
    np.testing.assert_allclose(found, oracles.dense_estimate(released, matrix), rtol=0, atol=1e-10)


@pytest.mark.parametrize(("sizes", "levels"), DOMAINS)
def test_castell_is_spectral_is_naive_for_kronecker(sizes, levels):
    channel = build("kronecker", sizes, levels).marginal_channel(range(len(sizes)))
    released = np.random.default_rng(24).dirichlet(np.ones(int(np.prod(sizes)))).reshape(sizes)
    naive = oracles.dense_estimate(released, oracles.kronecker_matrix(sizes, levels))
    np.testing.assert_allclose(castell(released, channel.retentions), naive, rtol=0, atol=1e-10)
    np.testing.assert_allclose(spectral(released, channel.factors), naive, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(channel.invert(released), castell(released, channel.retentions))


def test_inversion_leaves_its_input_alone():
    channel = build("kronecker", (3, 2), (1.0, 1.0)).marginal_channel((0, 1))
    released = np.full((3, 2), 1 / 6)
    released.flags.writeable = False
    np.testing.assert_allclose(channel.invert(released), 1 / 6, rtol=0, atol=1e-15)


def test_lost_interactions_are_named_smallest_first():
    """P(truth) = 1/2 at attribute 0 erases every interaction with it; attribute 1 always tells the truth."""
    channel = LieSets((2, 3), np.array([[0.5, 0.0], [0.5, 0.0]]))
    assert channel.lost() == ((0,), (0, 1))


def test_lost_interactions_of_the_optimum():
    channel = Optimal.from_levels((2, 2, 2), [0.5] * 3).marginal_channel((0, 1, 2))
    lost = channel.lost()
    small = {axes for axes in lost if len(axes) < 3}
    assert small == {(0, 1), (0, 2), (1, 2)}
    assert list(lost) == sorted(lost, key=lambda axes: (len(axes), axes))


def test_threshold_of_lost_interactions_on_both_sides():
    channel = build("joint", (2, 3), (1.0, 1.0)).marginal_channel((0, 1))
    rho = channel.factors[1, 1]
    assert channel.lost() == ()
    assert channel.lost(threshold=rho * (1 - 1e-9)) == ()
    assert channel.lost(threshold=rho * (1 + 1e-9)) == ((0,), (1,), (0, 1))
