"""Error bars, against the definition of variance on dense matrices and against simulation."""

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.budget import MECHANISMS, build, expected_pair_errors
from rrcore.errors import InputError
from rrcore.estimate import cell_variance, expected_error
from rrcore.estimate.uncertainty import normal_point
from rrcore.mechanisms import Optimal
from tests import oracles

SIZES, LEVELS = (3, 2, 4), (1.6, 1.5, 1.7)


def setup(name, axes=(0, 1, 2), seed=25):
    channel = build(name, SIZES, LEVELS).channel(axes)
    shares = np.random.default_rng(seed).dirichlet(np.ones(int(np.prod(channel.sizes)))).reshape(channel.sizes)
    matrix = oracles.dense(channel)
    return channel, shares, matrix, (shares.ravel() @ matrix).reshape(shares.shape)


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("population", [False, True])
@pytest.mark.parametrize("axes", [(1,), (2, 0), (0, 1, 2)])
def test_variance_is_the_definition(name, population, axes):
    channel, shares, matrix, released = setup(name, axes)
    found = cell_variance(released, shares, channel, 500, population=population)
    expected = oracles.dense_variance(shares, matrix, 500, population=population)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)
    assert found.shape == channel.sizes


@pytest.mark.parametrize("name", MECHANISMS)
def test_squared_inverse_is_the_squared_dense_inverse(name):
    channel, _, matrix, released = setup(name)
    expected = (released.ravel() @ np.linalg.inv(matrix) ** 2).reshape(SIZES)
    np.testing.assert_allclose(channel.squared_inverse(released), expected, rtol=1e-9)


@pytest.mark.parametrize("name", MECHANISMS)
def test_sampling_people_adds_their_multinomial_variance(name):
    channel, shares, _, released = setup(name)
    finite, sampled = (cell_variance(released, shares, channel, 500, population=p) for p in (False, True))
    np.testing.assert_allclose(sampled - finite, shares * (1 - shares) / 500, rtol=0, atol=1e-14)


def test_an_estimated_variance_is_never_negative():
    channel = build("independent", (3,), (8.0,)).channel((0,))
    found = cell_variance(np.array([0.0, 0.5, 0.5]), np.array([1.2, -0.1, -0.1]), channel, 10, population=True)
    assert (found >= 0).all()
    assert found[0] == 0


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("population", [False, True])
def test_expected_error_before_collection(name, population):
    channel, shares, matrix, _ = setup(name)
    uniform = np.full(SIZES, 1 / 24)
    for guess in (None, shares):
        pi = uniform if guess is None else guess
        expected = np.sqrt(oracles.dense_variance(pi, matrix, 800, population=population).mean())
        assert expected_error(channel, 800, shares=guess, population=population) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", MECHANISMS)
def test_errors_of_all_pairs_at_once(name):
    mechanism = build(name, SIZES, LEVELS)
    found = expected_pair_errors(mechanism, 800)
    for i in range(3):
        for j in range(3):
            axes = (i, j) if i != j else (i,)
            assert found[i, j] == pytest.approx(expected_error(mechanism.channel(axes), 800), rel=1e-8)


def test_an_erased_pair_has_no_error():
    found = expected_pair_errors(Optimal.from_epsilon((2, 2, 2), [0.5] * 3), 1000)
    assert np.isnan(found[np.triu_indices(3, 1)]).all()
    assert np.isfinite(np.diag(found)).all()


def test_the_binary_survey_by_hand():
    """Warner: p = 3/4, shares 1/2: Var = p (1 - p) / (n (2p - 1)^2) = 3/4 / n for n people at hand."""
    channel = build("independent", (2,), (np.log(3),)).channel((0,))
    assert expected_error(channel, 300) == pytest.approx(np.sqrt(0.75 / 300), rel=1e-12)
    assert expected_error(channel, 300, population=True) == pytest.approx(np.sqrt(1 / 300), rel=1e-12)


RUNS = 8000
"""Standard deviation of a variance ratio is sqrt(2 / RUNS) = 0.0158 for a near-normal estimate, so 0.9..1.1 is 6.3 standard
deviations: 3e-10 a cell, below 1e-7 for the 24 cells x 4 mechanisms x 2 populations here. The seed is fixed."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("population", [False, True])
def test_variance_is_what_a_simulation_shows(name, population):
    channel, _, matrix, _ = setup(name)
    n = 2000
    rng = np.random.default_rng(26)
    people = rng.multinomial(n, rng.dirichlet(np.full(24, 3.0)))
    shares = people / n
    if population:
        counts = rng.multinomial(n, shares @ matrix, size=RUNS)
    else:
        counts = sum(rng.multinomial(count, row, size=RUNS) for count, row in zip(people, matrix, strict=True))
    estimates = np.moveaxis(channel.invert((counts / n).T.reshape(*SIZES, RUNS)), -1, 0)
    truth = shares.reshape(SIZES)
    stated = cell_variance((shares @ matrix).reshape(SIZES), truth, channel, n, population=population)
    ratios = estimates.var(axis=0, ddof=1) / stated
    assert ratios.min() > 0.9
    assert ratios.max() < 1.1
    worst = float((np.square(estimates.mean(axis=0) - truth) / (stated / RUNS)).max())
    assert worst < chi2.isf(1e-8, 1)  # unbiased: 192 z-tests at 1e-8 each


@pytest.mark.parametrize("confidence", ["x", None, 95, 0, float("nan")])
def test_a_confidence_is_a_number_between_0_and_1(confidence):
    with pytest.raises(InputError, match="between 0 and 1"):
        normal_point(confidence)
