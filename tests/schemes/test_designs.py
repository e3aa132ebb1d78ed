"""What the mechanisms of schemes spend: the same total, or no level exceeded."""

from itertools import product

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.mechanisms import Kronecker, build
from rrcore.mechanisms.blocks import Blocks
from rrcore.schemes import SCHEMES, SPENDS, design
from tests import oracles

KEYS = ("kronecker", "pair-safe", "joint", "clusters")
INSTANCES = {
    "equal": ((3, 3, 3), (1.0, 1.0, 1.0)),
    "mixed": ((2, 4, 3), (0.4, 2.0, 1.1)),
    "weak": ((2, 3, 2), (5.0, 6.0, 7.0)),
    "one": ((4,), (1.2,)),
}
CLUSTERS = {3: ((2, 0), (1,)), 1: ((0,),)}
CASES = [pytest.param(key, *instance, id=f"{key}-{label}") for key in KEYS for label, instance in INSTANCES.items()]
every_case = pytest.mark.parametrize(("key", "sizes", "levels"), CASES)


def made(key, sizes, levels, spend):
    return design(key, sizes, np.array(levels), spend=spend, clusters=CLUSTERS[len(sizes)] if key == "clusters" else ())


def test_every_mechanism_of_a_scheme_is_tried_here():
    assert {scheme.mechanism for scheme in SCHEMES.values()} == set(KEYS)
    assert set(SPENDS) == {"total", "levels"}


@every_case
def test_equal_totals_are_the_sum_of_the_levels(key, sizes, levels):
    """To 1e-6 nats and not above it by more than 1e-9; the oracle is the dense matrix over records."""
    mechanism = made(key, sizes, levels, "total")
    assert sum(levels) - 1e-6 <= mechanism.total_level <= sum(levels) + 1e-9
    assert oracles.total_of(oracles.dense_mechanism(mechanism)) == pytest.approx(sum(levels), abs=1e-6)


@every_case
def test_equal_levels_are_never_exceeded_and_one_is_met(key, sizes, levels):
    mechanism = made(key, sizes, levels, "levels")
    assert (mechanism.levels <= np.array(levels) + 1e-10).all()
    assert np.abs(mechanism.levels - levels).min() < 1e-8
    matrix = oracles.dense_mechanism(mechanism)
    for i, eps in enumerate(levels):
        assert oracles.total_of(oracles.marginalise(matrix, sizes, [i])) <= eps + 1e-10


@every_case
def test_equal_levels_never_cost_more_than_kronecker(key, sizes, levels):
    assert made(key, sizes, levels, "levels").total_level <= sum(levels) + 1e-9


def test_kronecker_is_the_same_either_way():
    for spend in SPENDS:
        mechanism = made("kronecker", (2, 4, 3), (0.4, 2.0, 1.1), spend)
        assert isinstance(mechanism, Kronecker)
        assert mechanism.levels.tolist() == [0.4, 2.0, 1.1]


def test_pair_safe_spends_the_total_in_the_proportions_of_the_levels():
    levels = np.array([0.4, 2.0, 1.1])
    ratios = made("pair-safe", (2, 4, 3), levels, "total").levels / levels
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-6)
    assert ratios[0] > 1.01
    safe, kronecker = made("pair-safe", (2, 4, 3), levels, "levels"), build("kronecker", (2, 4, 3), levels)
    assert (safe.pair_factors() >= kronecker.pair_factors() - 1e-9).all()


@pytest.mark.parametrize("spend", SPENDS)
def test_clusters_are_joint_within_and_independent_between(spend):
    sizes, levels = (2, 4, 3), (0.4, 2.0, 1.1)
    mechanism = made("clusters", sizes, levels, spend)
    assert isinstance(mechanism, Blocks)
    assert mechanism.members == ((2, 0), (1,))
    pair = mechanism.marginal_channel([2, 0])
    rho = mechanism.retentions[0]
    np.testing.assert_allclose(mechanism.retentions[2], rho, rtol=1e-12)
    keeping = (np.exp(1.5) - 1) / (np.exp(1.5) + 5) if spend == "total" else (np.exp(0.4) - 1) / (np.exp(0.4) + 1)
    assert rho == pytest.approx(keeping, abs=1e-12)
    expected = rho * np.eye(6) + (1 - rho) / 6
    np.testing.assert_allclose(oracles.dense(pair), expected, rtol=0, atol=1e-14)
    single = mechanism.marginal_channel([1]).probabilities
    together = mechanism.marginal_channel([2, 0, 1]).probabilities
    for lies in product((0, 1), repeat=3):
        assert together[lies] == pytest.approx(pair.probabilities[lies[:2]] * single[lies[2:]], abs=1e-15)


@pytest.mark.parametrize("spend", SPENDS)
def test_without_clusters_every_attribute_is_its_own(spend):
    mechanism = design("clusters", (2, 4, 3), np.array([0.4, 2.0, 1.1]), spend=spend)
    np.testing.assert_allclose(mechanism.levels, [0.4, 2.0, 1.1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        oracles.dense_mechanism(mechanism), oracles.kronecker_matrix((2, 4, 3), (0.4, 2.0, 1.1)), rtol=1e-11, atol=0
    )


def test_a_total_that_levels_cannot_reach_is_refused():
    with pytest.raises(InputError, match="nats"):
        design("pair-safe", (2, 2, 2), np.array([30.0, 30.0, 30.0]), spend="total")
    assert made("joint", (2, 2, 2), (30.0, 30.0, 30.0), "total").total_level == pytest.approx(90, abs=1e-6)


def test_a_report_that_raises_stops_the_search_for_levels():
    def stop(fraction, text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        design("pair-safe", (2, 4, 3), np.array([0.4, 2.0, 1.1]), report=stop)
