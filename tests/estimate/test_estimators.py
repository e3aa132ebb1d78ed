"""The estimators behind the schemes: EM, products, truncation, matrices, hybrid, adjustment, printed bounds."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from rrcore.channel import castell
from rrcore.errors import InputError
from rrcore.estimate import (
    absolute_frequency_error,
    adjust,
    independent_product,
    inversion_pays,
    maximum_likelihood,
    naive,
    published_choice,
    published_independent_bound,
    published_independent_mse,
    published_joint_bound,
    published_thresholds,
    reduced,
    relative_frequency_error,
    truncate,
)
from rrcore.limits import MAX_MATRIX_CELLS
from rrcore.mechanisms import Joint, Kronecker, build
from tests import oracles
from tests.estimate.coverage import draw


def random_table(sizes, rng, alpha=0.5):
    return rng.dirichlet(np.full(int(np.prod(sizes)), alpha)).reshape(sizes)


# matrices


@pytest.mark.parametrize("sizes", [(2,), (3, 4), (2, 3, 5), (4, 2, 3, 2)])
def test_castell_is_reduced_is_naive(sizes):
    rng = np.random.default_rng(sum(sizes))
    table, kept = random_table(sizes, rng), rng.uniform(0.05, 0.95, len(sizes))
    np.testing.assert_allclose(castell(table, kept), naive(table, kept), rtol=0, atol=1e-10)
    np.testing.assert_allclose(castell(table, kept), reduced(table, kept), rtol=0, atol=1e-10)


def test_matrices_refuse_large_tables():
    for invert_slowly in (naive, reduced):
        with pytest.raises(InputError, match=f"at most {MAX_MATRIX_CELLS:,} cells"):
            invert_slowly(np.zeros((MAX_MATRIX_CELLS + 1,)), np.array([0.5]))


# EM


@pytest.mark.parametrize(("name", "levels"), [("kronecker", (1.0, 0.8)), ("pair-safe", (1.0, 0.8)), ("joint", (0.6, 0.6))])
def test_em_equals_a_loop_over_the_dense_channel(name, levels):
    sizes = (3, 4)
    mechanism = build(name, sizes, levels)
    channel, matrix = mechanism.marginal_channel([0, 1]), oracles.dense_mechanism(mechanism)
    released = random_table(sizes, np.random.default_rng(4), 2.0)
    shares = np.full(12, 1 / 12)
    for _ in range(40):
        expected = matrix.T @ shares
        shares = shares * (matrix @ (released.ravel() / expected))
    found = maximum_likelihood(released, channel, tolerance=0, most=40)
    np.testing.assert_allclose(found.shares.ravel(), shares, rtol=0, atol=1e-13)
    assert found.iterations == 40
    assert not found.converged


def test_em_arrives_at_the_inverse_where_that_is_a_distribution():
    channel = Kronecker.from_levels((2, 3), (1.5, 2.0)).marginal_channel([0, 1])
    truth = random_table((2, 3), np.random.default_rng(5), 3.0)
    found = maximum_likelihood(channel.push(truth), channel, tolerance=1e-12, most=5000)
    assert found.converged
    np.testing.assert_allclose(found.shares, truth, rtol=0, atol=1e-8)


@pytest.mark.slow
@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_em_never_loses_likelihood_and_stays_a_distribution(seed):
    rng = np.random.default_rng(seed)
    channel = Joint.from_levels((3, 2, 2), [rng.uniform(0.2, 2)] * 3).marginal_channel([0, 1, 2])
    released = rng.multinomial(60, random_table((3, 2, 2), rng).ravel()).reshape(3, 2, 2) / 60
    found = maximum_likelihood(released, channel, most=100)
    assert (np.diff(found.log_likelihoods) >= -1e-12).all()
    assert found.shares.min() >= 0
    assert found.shares.sum() == pytest.approx(1, abs=1e-12)


# products


def test_products_put_every_axis_in_its_place():
    rng = np.random.default_rng(6)
    pair, single, last = random_table((2, 4), rng), random_table((3,), rng), random_table((5,), rng)
    joint = independent_product([pair, single, last], [(3, 0), (1,), (2,)])
    assert joint.shape == (4, 3, 5, 2)
    for a, b, c, d in product(range(4), range(3), range(5), range(2)):
        assert joint[a, b, c, d] == pytest.approx(pair[d, a] * single[b] * last[c], abs=1e-16)


# truncation


def test_truncation_cell_by_cell():
    sizes = (2, 3, 2)
    mechanism = Kronecker.from_levels(sizes, (0.8, 1.0, 0.9))
    channel = mechanism.marginal_channel([0, 1, 2])
    released = np.random.default_rng(7).multinomial(40, np.full(12, 1 / 12)).reshape(sizes) / 40
    found = truncate(released, channel)
    whole = castell(released, channel.retentions)
    assert (whole < 0).any()
    for cell in product(*(range(a) for a in sizes)):
        limits = [max(0.0, whole[cell])]
        for axes in combinations(range(3), 2):
            gone = ({0, 1, 2} - set(axes)).pop()
            below = castell(released.sum(axis=gone), channel.retentions[list(axes)])
            limits.append(max(0.0, below[tuple(cell[i] for i in axes)]))
        assert found[cell] == pytest.approx(min(limits), abs=1e-14)


def test_truncation_of_one_attribute_keeps_it_between_0_and_1():
    channel = Kronecker.from_levels((3,), [0.5]).marginal_channel([0])
    raw = castell(np.array([0.7, 0.2, 0.1]), channel.retentions)
    assert raw.max() > 1
    assert raw.min() < 0
    np.testing.assert_allclose(truncate(np.array([0.7, 0.2, 0.1]), channel), np.clip(raw, 0, 1), atol=1e-15)


# hybrid


def test_published_thresholds_are_one_inequality_solved_twice():
    """Where n = n*, the level is eps*; w* of Table III (n = 32,561, d = 16) is the printed 1.374."""
    for d, w, eps in [(16, 2, 4.0), (5, 3, 6.0), (7, 4, 20.0)]:
        people = published_thresholds(d, w, n=1000, eps=eps).n
        assert published_thresholds(d, w, n=round(people), eps=eps).eps == pytest.approx(eps, abs=1e-3)
        assert published_choice((d,) * w, (eps / w,) * w, int(people) + 1)
        assert not published_choice((d,) * w, (eps / w,) * w, int(people) - 1)
    assert published_thresholds(16, 2, n=32_561, eps=4.0).w == pytest.approx(1.374, abs=5e-4)
    assert published_thresholds(16, 3, n=100, eps=1.0).eps == np.inf


@pytest.mark.slow
def test_weighing_inversion_against_independence_agrees_with_simulation():
    """Expected sums of squared errors of both estimates of a dependent triple, over 4,000 releases: to 4 %."""
    rng = np.random.default_rng(8)
    sizes, n = (3, 4, 2), 800
    pair = 0.35 * np.eye(3, 4) / 3 + 0.65 / 12
    truth = (pair[:, :, None] * np.array([0.7, 0.3])).astype(float)
    channel = Kronecker.from_levels(sizes, (1.5, 1.5, 1.0)).marginal_channel([0, 1, 2])
    people = np.round(truth * n).astype(int)
    n, runs = people.sum(), 4000
    shares = people / n
    released = draw(channel, shares, n, runs, population=False, rng=rng) / n
    singles = [channel.marginal([i]).invert(released.sum(axis=tuple({0, 1, 2} - {i}))) for i in range(3)]
    products = np.einsum("ar,br,cr->abcr", *singles)
    noise, blind = (np.square(found - shares[..., None]).sum(axis=(0, 1, 2)) for found in (channel.invert(released), products))
    guesses = [inversion_pays(released[..., run], channel, n) for run in range(0, runs, 10)]  # they vary far less than errors
    assert np.mean([guess.noise for guess in guesses]) == pytest.approx(np.mean(noise), rel=0.04)
    assert np.mean([guess.blindness + guess.own_noise for guess in guesses]) == pytest.approx(np.mean(blind), rel=0.04)
    assert all(0 <= guess.weight <= 1 for guess in guesses)


def test_independence_wins_where_there_is_nothing_to_see_and_loses_where_there_is_no_noise():
    channel = Kronecker.from_levels((4, 4), (0.5, 0.5)).marginal_channel([0, 1])
    flat = inversion_pays(np.full((4, 4), 1 / 16), channel, 500)
    assert (flat.pays, flat.weight) == (False, 0.0)
    dependent = inversion_pays(channel.push(np.eye(4) / 4), channel, 10**9)
    assert dependent.pays
    assert dependent.weight == pytest.approx(1, abs=1e-4)


# adjustment


def fitted(table, rows, columns, rounds=20_000):
    """Iterative proportional fitting of a dense table, the textbook way."""
    for _ in range(rounds):
        table = table * (rows / np.maximum(table.sum(axis=1), 1e-300))[:, None]
        table = table * (columns / np.maximum(table.sum(axis=0), 1e-300))[None, :]
    return table


def as_codes(counts):
    cells = np.stack(np.unravel_index(np.arange(counts.size), counts.shape), axis=1)
    return np.repeat(cells, counts.ravel(), axis=0).astype(np.int32)


@pytest.mark.parametrize("seed", range(4))
def test_adjustment_is_iterative_proportional_fitting(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 20, (4, 3))
    rows, columns = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(3))
    codes = as_codes(counts)
    found = adjust(codes, (4, 3), [(0,), (1,)], [rows, columns])
    assert found.converged
    assert "have the estimated marginals" in found.reason
    table = np.zeros((4, 3))
    np.add.at(table, tuple(codes.T), found.weights)
    np.testing.assert_allclose(table, fitted(counts / counts.sum(), rows, columns, 500), rtol=0, atol=1e-9)
    np.testing.assert_allclose(table.sum(axis=1), rows, rtol=0, atol=1e-9)


def test_adjustment_over_clusters_is_fitting_of_their_tables():
    rng = np.random.default_rng(9)
    counts = rng.integers(1, 9, (2, 3, 2))
    pair, single = rng.dirichlet(np.ones(4)).reshape(2, 2), rng.dirichlet(np.ones(3))
    codes = as_codes(counts)
    found = adjust(codes, (2, 3, 2), [(2, 0), (1,)], [pair, single])
    dense = fitted(counts.transpose(2, 0, 1).reshape(4, 3) / counts.sum(), pair.ravel(), single, 500)
    table = np.zeros((2, 3, 2))
    np.add.at(table, tuple(codes.T), found.weights)
    np.testing.assert_allclose(table.transpose(2, 0, 1).reshape(4, 3), dense, rtol=0, atol=1e-9)


def test_the_toy_example_of_the_paper():
    """Example 1 of the Multi-Dimensional RR paper: the two records in the middle lose all weight, the others share what is left."""
    codes = as_codes(np.array([[4, 2], [0, 4]]))
    found = adjust(codes, (2, 2), [(0,), (1,)], [np.array([0.5, 0.5]), np.array([0.5, 0.5])], most=2000)
    np.testing.assert_allclose(found.weights, [1 / 8] * 4 + [0] * 2 + [1 / 8] * 4, rtol=0, atol=2e-3)
    assert not found.converged
    assert found.rounds == 2000 or found.mismatch < 1e-3
    assert "the limit" in found.reason


def test_an_answer_that_nobody_released_cannot_get_weight():
    codes = np.array([[0, 0], [0, 1], [1, 0]], dtype=np.int32)
    found = adjust(codes, (3, 2), [(0,), (1,)], [np.array([0.4, 0.4, 0.2]), np.array([0.5, 0.5])])
    assert not found.converged
    assert found.unreachable == 1
    assert "nobody released" in found.reason
    assert found.weights.sum() == pytest.approx(1)


# printed figures


def test_printed_bounds_by_hand():
    assert published_independent_mse(0.5, 10) == pytest.approx(0.025)
    assert published_independent_bound((2, 2)) == pytest.approx(0.25)
    assert published_independent_bound((3, 16)) == pytest.approx(1 / 16 - 1 / 256)
    by_hand = (1 + 15 / np.exp(2)) ** 2 * 256 / 32_561
    assert published_joint_bound((16, 7), (2.0, 2.0), 32_561) == pytest.approx(by_hand)


def test_the_printed_bound_of_theorem_6_is_none():
    """d = 2, eps = ln 3 each, a million people: the bound is 7.1e-6, the largest error of the median release 0.0014."""
    channel = Kronecker.from_levels((2, 2), [np.log(3)] * 2).marginal_channel([0, 1])
    truth = np.array([[0.4, 0.0], [0.2, 0.4]])
    rng = np.random.default_rng(10)
    n = 10**6
    released = rng.multinomial(n, channel.push(truth).ravel(), size=200).reshape(200, 2, 2) / n
    worst = [np.abs(castell(table, channel.retentions) - truth).max() for table in released]
    assert np.median(worst) > 50 * published_joint_bound((2, 2), [np.log(3)] * 2, n)


def test_frequency_errors_hold_together_with_the_stated_confidence():
    """Eq. (5) of the Multi-Dimensional RR paper at 95 %: over 2,000 multinomial samples no cell is off by more in 95 % (less 3 s.e.)."""
    shares, n, rng = np.array([0.5, 0.3, 0.15, 0.05]), 400, np.random.default_rng(11)
    bound = np.sqrt(chi2.isf(0.05 / 4, 1) * shares * (1 - shares) / n)
    assert absolute_frequency_error(shares, n) == pytest.approx(bound.max())
    assert relative_frequency_error(shares, n) == pytest.approx((bound / shares).max())
    off = np.abs(rng.multinomial(n, shares, size=2000) / n - shares)
    held = (off <= bound).all(axis=1).mean()
    assert 0.95 - 3 * np.sqrt(0.05 * 0.95 / 2000) <= held < 0.995
    assert relative_frequency_error(np.array([0.5, 0.5, 0.0]), 10) == np.inf
