"""Estimates that are probabilities: projections against a programme and optimality conditions, EM against loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.optimize import minimize

from rrcore.budget import build
from rrcore.estimate import PROJECTIONS, clip_and_rescale, maximum_likelihood, simplex, simplex_of_each
from rrcore.mechanisms import Joint, Kronecker
from tests import oracles
from tests.estimate.coverage import random_table

tables = arrays(np.float64, array_shapes(min_dims=1, max_dims=3, max_side=6), elements=st.floats(-3, 3, allow_subnormal=False))
estimates = tables.filter(lambda t: t.max() > 1e-3)
"""Raw estimates sum to 1, so some share is positive."""

quick = settings(max_examples=40)


@pytest.mark.parametrize("seed", range(5))
def test_simplex_is_the_nearest_distribution(seed):
    """Against scipy's SLSQP on the quadratic programme itself, no closed form used."""
    shares = np.random.default_rng(seed).normal(0.1, 0.3, 8)
    result = minimize(
        lambda x: float(np.square(x - shares).sum()),
        np.full(8, 1 / 8),
        jac=lambda x: 2 * (x - shares),
        bounds=[(0, None)] * 8,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones(8)},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert result.success
    np.testing.assert_allclose(simplex(shares), result.x, rtol=0, atol=1e-6)


@pytest.mark.slow
@quick
@given(tables)
def test_simplex_meets_its_optimality_conditions(shares):
    """One multiplier: shares - x is the same wherever x > 0 and no larger elsewhere."""
    found = simplex(shares)
    multiplier = (shares - found)[found > 0]
    assert np.ptp(multiplier) < 1e-12
    assert (shares - found <= multiplier.max() + 1e-12).all()


@pytest.mark.slow
@pytest.mark.parametrize("project", PROJECTIONS.values(), ids=PROJECTIONS)
@quick
@given(shares=estimates)
def test_gives_a_distribution_and_leaves_it_alone(project, shares):
    before = shares.copy()
    found = project(shares)
    assert found.shape == shares.shape
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(project(found), found, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(shares, before)


def test_by_hand():
    shares = np.array([0.7, 0.5, -0.2])
    np.testing.assert_allclose(clip_and_rescale(shares), [7 / 12, 5 / 12, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(simplex(shares), [0.6, 0.4, 0], rtol=0, atol=1e-15)


@pytest.mark.slow
@quick
@given(estimates)
def test_clip_and_rescale_keeps_the_ratios_of_positive_shares(shares):
    found = clip_and_rescale(shares)
    assert (found[shares <= 0] == 0).all()
    np.testing.assert_allclose(found * np.maximum(shares, 0).sum(), np.maximum(shares, 0), rtol=0, atol=1e-12)


def test_simplex_of_many_tables_is_simplex_of_each():
    tables = np.random.default_rng(2).normal(0.1, 0.3, (3, 4, 50))
    found = simplex_of_each(tables)
    for run in range(50):
        np.testing.assert_allclose(found[..., run], simplex(tables[..., run]), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("name", "epsilon"), [("independent", (1.0, 0.8)), ("preserving-2", (1.0, 0.8)), ("joint", (0.6, 0.6))])
def test_em_equals_a_loop_over_the_dense_channel(name, epsilon):
    sizes = (3, 4)
    mechanism = build(name, sizes, epsilon)
    channel, matrix = mechanism.channel([0, 1]), oracles.dense_mechanism(mechanism)
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
    channel = Kronecker.from_epsilon((2, 3), (1.5, 2.0)).channel([0, 1])
    truth = random_table((2, 3), np.random.default_rng(5), 3.0)
    found = maximum_likelihood(channel.push(truth), channel, tolerance=1e-12, most=5000)
    assert found.converged
    np.testing.assert_allclose(found.shares, truth, rtol=0, atol=1e-8)


@pytest.mark.slow
@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_em_never_loses_likelihood_and_stays_a_distribution(seed):
    rng = np.random.default_rng(seed)
    channel = Joint.from_epsilon((3, 2, 2), [rng.uniform(0.2, 2)] * 3).channel([0, 1, 2])
    released = rng.multinomial(60, random_table((3, 2, 2), rng).ravel()).reshape(3, 2, 2) / 60
    found = maximum_likelihood(released, channel, most=100)
    assert (np.diff(found.log_likelihoods) >= -1e-12).all()
    assert found.shares.min() >= 0
    assert found.shares.sum() == pytest.approx(1, abs=1e-12)
