"""RR-Joint, against its one-line definition."""

from math import exp, log, prod

import numpy as np
import pytest

from rrcore.limits import MAX_LEVEL, MAX_PLANNED_CATEGORIES
from rrcore.mechanisms import Joint, Kronecker
from tests import oracles

SIZES = (3, 2, 4)


@pytest.mark.parametrize("rho", [0.01, 0.5, 0.99])
def test_channel_is_keep_or_randomise(rho):
    mechanism = Joint.with_retention(SIZES, rho)
    m = prod(SIZES)
    expected = rho * np.eye(m) + (1 - rho) / m
    np.testing.assert_allclose(oracles.dense_mechanism(mechanism), expected, rtol=1e-13, atol=0)
    assert mechanism.total_level == pytest.approx(log(1 + m * rho / (1 - rho)), abs=1e-12)
    np.testing.assert_allclose(mechanism.levels, [log(1 + a * rho / (1 - rho)) for a in SIZES], rtol=0, atol=1e-12)
    np.testing.assert_allclose(mechanism.leakage, mechanism.total_level, rtol=0, atol=1e-12)


@pytest.mark.parametrize("rho", [0.01, 0.5, 0.99])
def test_every_interaction_survives_with_rho(rho):
    factors = Joint.with_retention(SIZES, rho).marginal_channel(range(3)).factors.ravel()
    np.testing.assert_allclose(factors, [1] + [rho] * 7, rtol=0, atol=1e-13)


def test_keeping_nothing_reveals_nothing():
    mechanism = Joint.with_retention(SIZES, 0.0)
    assert mechanism.total_level == 0
    np.testing.assert_allclose(mechanism.levels, 0, rtol=0, atol=1e-15)


def test_from_levels_meets_the_strictest_attribute_and_exceeds_none():
    levels = np.array([1.0, 0.4, 2.0])
    mechanism = Joint.from_levels(SIZES, levels)
    assert (mechanism.levels <= levels).all()
    r = [(exp(e) - 1) / (exp(e) + a - 1) for a, e in zip(SIZES, levels, strict=True)]
    strictest = int(np.argmin(r))
    assert mechanism.levels[strictest] == pytest.approx(levels[strictest], abs=1e-11)
    assert mechanism.probabilities[-1] == pytest.approx(min(r), abs=1e-14)


def test_from_levels_never_exceeds_in_many_instances():
    rng = np.random.default_rng(17)
    for _ in range(500):
        k = int(rng.integers(1, 30))
        sizes = tuple(int(a) for a in rng.integers(2, rng.choice([1000, MAX_PLANNED_CATEGORIES + 1]), k))
        levels = 10 ** rng.uniform(-4, np.log10(MAX_LEVEL), k)
        assert (Joint.from_levels(sizes, levels).levels - levels).max() <= 1e-11


@pytest.mark.parametrize("total", [1e-4, 0.5, 4.0, 20.0])
def test_from_total_costs_that_total(total):
    mechanism = Joint.from_total(SIZES, total)
    assert mechanism.total_level == pytest.approx(total, rel=1e-9)
    if total < 10:
        assert oracles.total_of(oracles.dense_mechanism(mechanism)) == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("total", [1600.0, 1609.0, 1620.0])
def test_from_total_with_a_domain_beyond_a_double(total):
    """M = 5^1000 = e^1609.4: at these totals a fair share of the records is kept."""
    mechanism = Joint.from_total((5,) * 1000, total)
    assert mechanism.total_level == pytest.approx(total, abs=1e-9)
    odds = exp(total - 1000 * log(5))  # rho / (1 - rho), up to e^-total
    np.testing.assert_allclose(mechanism.levels, log(1 + 5 * odds), rtol=1e-9)


@pytest.mark.parametrize("total", [1.0, 50.0, 400.0])
def test_from_total_too_small_to_keep_any_record_costs_no_more(total):
    """rho = e^(total - 1609.4) is below the smallest double: nothing is kept, and no warning is raised."""
    mechanism = Joint.from_total((5,) * 1000, total)
    assert 0 <= mechanism.total_level <= total
    np.testing.assert_allclose(mechanism.levels, 0, rtol=0, atol=1e-12)


def test_from_total_of_one_attribute_is_kronecker():
    joint, kronecker = Joint.from_total((6,), 1.7), Kronecker.from_levels((6,), [1.7])
    np.testing.assert_allclose(oracles.dense_mechanism(joint), oracles.dense_mechanism(kronecker), rtol=1e-13)


def test_whole_records_are_kept_or_randomised():
    """4 x 50 categories: a record that lies anywhere is a uniform draw, so nearly all of its answers differ."""
    mechanism = Joint.with_retention((50,) * 4, 0.6)
    codes = np.random.default_rng(18).integers(0, 50, (50_000, 4)).astype(np.int32)
    released = mechanism.perturb(codes, rng=np.random.default_rng(19))
    lies = (released != codes).sum(axis=1)
    kept = float((lies == 0).mean())
    assert abs(kept - 0.6) < 5.1 * np.sqrt(0.6 * 0.4 / 50_000)  # false alarm 4e-7
    randomised = lies[lies > 0]
    deviation = abs(float((randomised != 4).mean()) - (1 - 0.98**4))  # false alarm 4e-7, sets of 0 lies have weight 1.6e-7
    assert deviation < 5.1 * np.sqrt(0.98**4 * (1 - 0.98**4) / randomised.size)
