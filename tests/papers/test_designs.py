"""What the mechanisms of schemes spend: the same total, or no level exceeded."""

from itertools import product

import numpy as np
import pytest

from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.mechanisms.blocks import Blocks
from rrcore.papers import OPTIMIZED, SCHEMES, SPENDS, design, find_scheme
from tests import oracles

KEYS = ("independent", "preserving-2", "joint", "clusters")
INSTANCES = {
    "equal": ((3, 3, 3), (1.0, 1.0, 1.0)),
    "mixed": ((2, 4, 3), (0.4, 2.0, 1.1)),
    "weak": ((2, 3, 2), (5.0, 6.0, 7.0)),
    "one": ((4,), (1.2,)),
}
CLUSTERS = {3: ((2, 0), (1,)), 1: ((0,),)}
CASES = [pytest.param(key, *instance, id=f"{key}-{label}") for key in KEYS for label, instance in INSTANCES.items()]
every_case = pytest.mark.parametrize(("key", "sizes", "epsilon"), CASES)


def made(key, sizes, epsilon, spend):
    return design(key, sizes, np.array(epsilon), spend=spend, clusters=CLUSTERS[len(sizes)] if key == "clusters" else ())


def test_every_mechanism_of_a_scheme_is_tried_here():
    assert {find_scheme(name).mechanism for name in (*SCHEMES, *OPTIMIZED)} == {*KEYS, "optimal"}
    assert set(SPENDS) == {"total", "epsilon"}


@every_case
def test_equal_totals_are_the_sum_of_the_levels(key, sizes, epsilon):
    """To 1e-6 nats and not above it by more than 1e-9; the oracle is the dense matrix over records."""
    mechanism = made(key, sizes, epsilon, "total")
    assert sum(epsilon) - 1e-6 <= mechanism.epsilon_total <= sum(epsilon) + 1e-9
    assert oracles.total_of(oracles.dense_mechanism(mechanism)) == pytest.approx(sum(epsilon), abs=1e-6)


@every_case
def test_equal_levels_are_never_exceeded_and_one_is_met(key, sizes, epsilon):
    mechanism = made(key, sizes, epsilon, "epsilon")
    assert (mechanism.epsilon <= np.array(epsilon) + 1e-10).all()
    assert np.abs(mechanism.epsilon - epsilon).min() < 1e-8
    matrix = oracles.dense_mechanism(mechanism)
    for i, eps in enumerate(epsilon):
        assert oracles.total_of(oracles.marginalise(matrix, sizes, [i])) <= eps + 1e-10


def test_preserving_keeps_the_proportions_of_epsilons():
    epsilon = np.array([0.4, 2.0, 1.1])
    ratios = made("preserving-2", (2, 4, 3), epsilon, "total").epsilon / epsilon
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-6)
    assert ratios[0] > 1.01
    preserving, kronecker = made("preserving-2", (2, 4, 3), epsilon, "epsilon"), build("independent", (2, 4, 3), epsilon)
    assert (preserving.pair_factors >= kronecker.pair_factors - 1e-9).all()


@pytest.mark.parametrize("spend", SPENDS)
def test_clusters_are_joint_within_and_independent_between(spend):
    sizes, epsilon = (2, 4, 3), (0.4, 2.0, 1.1)
    mechanism = made("clusters", sizes, epsilon, spend)
    assert isinstance(mechanism, Blocks)
    assert mechanism.members == ((2, 0), (1,))
    pair = mechanism.channel([2, 0])
    rho = mechanism.retentions[0]
    np.testing.assert_allclose(mechanism.retentions[2], rho, rtol=1e-12)
    keeping = (np.exp(1.5) - 1) / (np.exp(1.5) + 5) if spend == "total" else (np.exp(0.4) - 1) / (np.exp(0.4) + 1)
    assert rho == pytest.approx(keeping, abs=1e-12)
    expected = rho * np.eye(6) + (1 - rho) / 6
    np.testing.assert_allclose(oracles.dense(pair), expected, rtol=0, atol=1e-14)
    single = mechanism.channel([1]).probabilities
    together = mechanism.channel([2, 0, 1]).probabilities
    for changed in product((0, 1), repeat=3):
        assert together[changed] == pytest.approx(pair.probabilities[changed[:2]] * single[changed[2:]], abs=1e-15)


@pytest.mark.parametrize("spend", SPENDS)
def test_without_clusters_every_attribute_is_its_own(spend):
    mechanism = design("clusters", (2, 4, 3), np.array([0.4, 2.0, 1.1]), spend=spend)
    np.testing.assert_allclose(mechanism.epsilon, [0.4, 2.0, 1.1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        oracles.dense_mechanism(mechanism), oracles.kronecker_matrix((2, 4, 3), (0.4, 2.0, 1.1)), rtol=1e-11, atol=0
    )


def test_a_total_that_levels_cannot_reach_is_refused():
    with pytest.raises(InputError, match="total ε"):
        design("preserving-2", (2, 2, 2), np.array([30.0, 30.0, 30.0]), spend="total")
    assert made("joint", (2, 2, 2), (30.0, 30.0, 30.0), "total").epsilon_total == pytest.approx(90, abs=1e-6)
