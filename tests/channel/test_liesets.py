"""The distribution over sets of changes, against enumeration and dense matrices; its inversion, against the papers' naive one too."""

from itertools import permutations
from math import fsum

import numpy as np
import pytest

from rrcore.budget import MECHANISMS, build
from rrcore.channel import invert_each_axis
from rrcore.channel.channels import SubsetChannel, log_subset_counts
from rrcore.channel.interactions import apply_factors, factors_of, kernel_from_factors, on_each_axis
from rrcore.mechanisms import Optimal
from tests import oracles

SIZES = [(2,), (5,), (2, 2), (3, 2, 4), (2, 3, 2, 2)]


def random_channel(sizes, seed=0):
    rng = np.random.default_rng(seed)
    return SubsetChannel(sizes, rng.dirichlet(np.ones(2 ** len(sizes))).reshape((2,) * len(sizes)))


def test_on_each_axis_is_einsum():
    rng = np.random.default_rng(1)
    array = rng.random((2, 3, 4))
    p, q, r = rng.random((5, 2)), rng.random((3, 3)), rng.random((2, 4))
    np.testing.assert_allclose(on_each_axis(array, [p, q, r]), np.einsum("abc,xa,yb,zc->xyz", array, p, q, r), rtol=1e-13)


@pytest.mark.parametrize("sizes", SIZES)
def test_log_lie_counts(sizes):
    expected = [np.log(oracles.outputs_with(s, sizes)) for s in oracles.lie_sets(len(sizes))]
    np.testing.assert_allclose(log_subset_counts(sizes).ravel(), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("sizes", SIZES)
def test_factors_are_the_eigenvalues_of_the_dense_channel(sizes):
    channel = random_channel(sizes)
    np.testing.assert_allclose(channel.factors, oracles.factors_of_dense(oracles.dense(channel), sizes), rtol=0, atol=1e-13)
    np.testing.assert_allclose(channel.factors, oracles.factors_by_enumeration(channel), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(channel.factors, factors_of(channel.probabilities, sizes))


@pytest.mark.parametrize("sizes", SIZES)
def test_kernel_of_the_factors_is_the_first_row_of_the_channel(sizes):
    channel = random_channel(sizes)
    np.testing.assert_allclose(kernel_from_factors(channel.factors, sizes), np.exp(channel.log_weights), rtol=0, atol=1e-14)


@pytest.mark.parametrize("sizes", SIZES)
def test_channel_is_the_dense_product(sizes):
    channel = random_channel(sizes)
    table = np.random.default_rng(3).random(sizes)
    expected = (table.ravel() @ oracles.dense(channel)).reshape(sizes)
    np.testing.assert_allclose(channel.push(table), expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(apply_factors(table, channel.factors), expected, rtol=0, atol=1e-13)


def test_apply_factors_of_ones_changes_nothing():
    table = np.random.default_rng(4).random((3, 4, 2))
    np.testing.assert_allclose(apply_factors(table, np.ones((2, 2, 2))), table, rtol=0, atol=1e-14)


@pytest.mark.parametrize("sizes", SIZES)
def test_privacy_numbers(sizes):
    channel = random_channel(sizes)
    matrix = oracles.dense(channel)
    assert channel.w == len(sizes)
    assert channel.epsilon_total == pytest.approx(oracles.total_of(matrix), abs=1e-12)
    np.testing.assert_allclose(channel.epsilon_informed, oracles.leakage_of(matrix, sizes), rtol=0, atol=1e-12)
    for i, a in enumerate(sizes):
        one = oracles.marginalise(matrix, sizes, [i])
        assert channel.lies[i] == pytest.approx(1 - one[0, 0], abs=1e-14)
        assert channel.epsilon[i] == pytest.approx(np.log(one[0, 0] / one[0, a - 1]), abs=1e-12)


def test_the_smallest_level_of_many_attributes_keeps_its_digits():
    """A lie is added up of half a million numbers: an error of 1e-12 in it would be one of a billionth in a level of .001."""
    truthful = np.ones(2**20)
    truthful[0] = 500
    channel = SubsetChannel((2,) * 20, (truthful / truthful.sum()).reshape((2,) * 20))
    exact = [fsum(np.take(channel.probabilities, 1, axis=i).ravel()) for i in (0, 10, 19)]
    np.testing.assert_allclose(channel.lies[[0, 10, 19]], exact, rtol=1e-14)


def test_leakage_counts_a_lie_that_is_likelier_than_the_truth():
    q = np.array([[0.1, 0.4], [0.4, 0.1]])
    np.testing.assert_allclose(SubsetChannel((2, 2), q).epsilon_informed, np.log(4), rtol=0, atol=1e-14)


def test_a_lie_set_that_never_happens_has_no_finite_budget():
    assert SubsetChannel((2, 2), np.array([[0.5, 0.5], [0.0, 0.0]])).epsilon_total == np.inf


def test_marginals_in_every_order():
    sizes = (3, 2, 4)
    channel = random_channel(sizes)
    matrix = oracles.dense(channel)
    for w in (1, 2, 3):
        for axes in permutations(range(3), w):
            marginal = channel.marginal(axes)
            assert marginal.sizes == tuple(sizes[i] for i in axes)
            np.testing.assert_allclose(oracles.dense(marginal), oracles.marginalise(matrix, sizes, axes), rtol=0, atol=1e-14)


def test_product_is_np_kron_and_keeps_its_retentions():
    sizes, epsilon = (3, 2, 4), (0.5, 1.0, 2.0)
    channel = SubsetChannel.product(sizes, np.array(oracles.lie_rates(sizes, epsilon)))
    np.testing.assert_allclose(oracles.dense(channel), oracles.kronecker_matrix(sizes, epsilon), rtol=0, atol=1e-15)
    np.testing.assert_allclose(channel.factors, factors_of(channel.probabilities, sizes), rtol=0, atol=1e-15)
    swapped = channel.marginal((2, 0))
    np.testing.assert_array_equal(swapped.retentions, channel.retentions[[2, 0]])
    np.testing.assert_allclose(swapped.factors, factors_of(swapped.probabilities, swapped.sizes), rtol=0, atol=1e-15)


DOMAINS = [((5,), (1.0,)), ((2, 5), (1.0, 1.2)), ((3, 2, 4), (1.6, 1.5, 1.7)), ((2, 2, 3, 2), (2.5, 2.4, 2.6, 2.5))]


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize(("sizes", "epsilon"), DOMAINS)
def test_equals_the_dense_inverse(name, sizes, epsilon):
    mechanism = build(name, sizes, epsilon)
    channel = mechanism.channel(range(len(sizes)))
    matrix = oracles.dense(channel)
    rng = np.random.default_rng(21)
    released = rng.dirichlet(np.ones(len(matrix))).reshape(sizes)
    np.testing.assert_allclose(channel.invert(released), oracles.dense_estimate(released, matrix), rtol=0, atol=1e-10)


@pytest.mark.parametrize(("sizes", "epsilon"), DOMAINS)
def test_castell_is_spectral_is_naive_for_kronecker(sizes, epsilon):
    channel = build("independent", sizes, epsilon).channel(range(len(sizes)))
    released = np.random.default_rng(24).dirichlet(np.ones(int(np.prod(sizes)))).reshape(sizes)
    naive = oracles.dense_estimate(released, oracles.kronecker_matrix(sizes, epsilon))
    np.testing.assert_allclose(invert_each_axis(released, channel.retentions), naive, rtol=0, atol=1e-10)
    np.testing.assert_allclose(apply_factors(released, 1 / channel.factors), naive, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(channel.invert(released), invert_each_axis(released, channel.retentions))


def test_inversion_leaves_its_input_alone():
    channel = build("independent", (3, 2), (1.0, 1.0)).channel((0, 1))
    released = np.full((3, 2), 1 / 6)
    released.flags.writeable = False
    np.testing.assert_allclose(channel.invert(released), 1 / 6, rtol=0, atol=1e-15)


def test_lost_interactions_are_named_smallest_first():
    """P(truth) = 1/2 at attribute 0 erases every interaction with it; attribute 1 always tells the truth."""
    channel = SubsetChannel((2, 3), np.array([[0.5, 0.0], [0.5, 0.0]]))
    assert channel.lost() == ((0,), (0, 1))


def test_lost_interactions_of_the_optimum():
    channel = Optimal.from_epsilon((2, 2, 2), [0.5] * 3).channel((0, 1, 2))
    lost = channel.lost()
    small = {axes for axes in lost if len(axes) < 3}
    assert small == {(0, 1), (0, 2), (1, 2)}
    assert list(lost) == sorted(lost, key=lambda axes: (len(axes), axes))


def test_threshold_of_lost_interactions_on_both_sides():
    channel = build("joint", (2, 3), (1.0, 1.0)).channel((0, 1))
    rho = channel.factors[1, 1]
    assert channel.lost() == ()
    assert channel.lost(threshold=rho * (1 - 1e-9)) == ()
    assert channel.lost(threshold=rho * (1 + 1e-9)) == ((0,), (1,), (0, 1))
