"""Error bars, against the definition of variance on dense matrices and against simulation."""

import numpy as np
import pytest

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


@pytest.mark.parametrize("confidence", ["x", None, 95, 0, float("nan")])
def test_a_confidence_is_a_number_between_0_and_1(confidence):
    with pytest.raises(InputError, match="between 0 and 1"):
        normal_point(confidence)
