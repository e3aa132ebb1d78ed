"""The numbers of theory.md section 11, and certificates of optimality found independently."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from rrcore.mechanisms import Kronecker, Optimal, dual_bound
from tests import oracles

# theory.md section 11: columns "Kronecker" and "optimum (P)", 7 decimals printed
REFERENCE = [
    ((2, 2, 2), (0.5,) * 3, 1.5, 1.0716926),
    ((5, 5, 5, 5), (1.0,) * 4, 4, 2.2374776),
    ((5, 5, 5, 5), (1.0, 2.0, 3.0, 4.0), 10, 6.6633231),
    ((16, 7, 15, 6, 5, 2), (1.0,) * 6, 6, 2.7422059),
    ((16, 7, 15, 6, 5, 2), (4.0,) * 6, 24, 14.0476886),
    ((9, 16, 7, 15, 6, 5, 2, 2), (2.0,) * 8, 16, 6.9275395),
]
reference = pytest.mark.parametrize(("sizes", "levels", "kronecker", "optimum"), REFERENCE)


@reference
def test_totals_of_section_11(sizes, levels, kronecker, optimum):
    assert Kronecker.from_levels(sizes, levels).total_level == pytest.approx(kronecker, abs=1e-12)
    assert Optimal.from_levels(sizes, levels).total_level == pytest.approx(optimum, abs=1e-6)


@reference
def test_certificate_of_section_11(sizes, levels, kronecker, optimum):
    mechanism = Optimal.from_levels(sizes, levels)
    assert abs(mechanism.gap) <= 1e-9
    assert mechanism.lower_bound == pytest.approx(optimum, abs=1e-6)
    np.testing.assert_allclose(mechanism.levels, levels, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("sizes", "levels"),
    [
        ((2, 2, 2), (0.5, 0.5, 0.5)),
        ((3, 4), (1.0, 2.0)),
        ((5, 2, 3), (0.3, 2.5, 1.0)),
        ((5, 5, 5, 5), (1.0, 2.0, 3.0, 4.0)),
        ((2, 3, 4, 2, 3), (0.2, 0.4, 0.6, 0.8, 1.0)),
        ((16, 7, 15, 6, 5, 2), (1.0,) * 6),
        ((3, 2, 2, 4, 2, 3, 2), (1.5, 0.2, 0.9, 1.0, 2.0, 0.5, 0.7)),
    ],
)
def test_two_plain_programmes_agree_with_it(sizes, levels):
    found = Optimal.from_levels(sizes, levels).total_level
    assert found == pytest.approx(oracles.plain_optimum(sizes, levels), abs=1e-5)
    assert found == pytest.approx(oracles.ratio_optimum(sizes, levels), abs=1e-5)


def twelve(seed):
    rng = np.random.default_rng(seed)
    return tuple(int(a) for a in rng.integers(2, 6, 12)), rng.uniform(1, 10, 12)


@pytest.mark.parametrize("seed", range(4))
def test_twelve_attributes_above_14_nats_meet_a_bound_found_without_the_library(seed):
    """Here a plain solver's tolerance is far larger than c = e^-eps_total (section 2, "Numerics that matter")."""
    sizes, levels = twelve(seed)
    mechanism = Optimal.from_levels(sizes, levels)
    assert mechanism.total_level > 14
    direction = oracles.dual_direction(sizes, levels)
    bound = dual_bound(sizes, levels, direction)
    assert bound == pytest.approx(oracles.dual_value(sizes, levels, direction), abs=1e-9)
    assert mechanism.total_level == pytest.approx(bound, abs=1e-6)
    assert mechanism.total_level >= bound - 1e-9
    assert (mechanism.levels <= levels + 1e-11).all()


def test_smoothed_dual_minimised_by_scipy_agrees():
    """(D) with the positive part replaced by a softplus of falling width, by BFGS, at 6 attributes and 14.05 nats."""
    sizes, levels = REFERENCE[4][:2]
    uniform, f, d = oracles.terms(sizes, levels)

    def log_value(direction, width):
        slope = direction @ d
        if slope <= 0:
            return 1e6
        lean = direction @ f / slope
        return float(np.log(uniform @ (width * np.logaddexp(0, lean / width))))

    direction = 1 / d
    for width in 10.0 ** -np.arange(0, 7):
        direction = minimize(log_value, direction, args=(width,), method="BFGS", options={"gtol": 1e-9}).x
        direction /= direction @ d
    bound = dual_bound(sizes, levels, direction)
    total = Optimal.from_levels(sizes, levels).total_level
    assert bound <= total + 1e-9
    assert bound == pytest.approx(total, abs=1e-3)


@st.composite
def instances(draw):
    k = draw(st.integers(1, 6))
    sizes = tuple(draw(st.lists(st.integers(2, 9), min_size=k, max_size=k)))
    levels = draw(st.lists(st.floats(0.05, 6.0), min_size=k, max_size=k))
    direction = draw(st.lists(st.floats(-1.0, 3.0), min_size=k, max_size=k))
    return sizes, np.array(levels), np.array(direction)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(instances())
def test_optimum_is_never_below_a_dual_bound_nor_above_kronecker(instance):
    sizes, levels, direction = instance
    mechanism = Optimal.from_levels(sizes, levels)
    bound = dual_bound(sizes, levels, direction)
    assert mechanism.total_level >= bound - 1e-9
    assert mechanism.total_level <= levels.sum() + 1e-9
    assert mechanism.gap <= 1e-8
    if direction @ oracles.terms(sizes, levels)[2] > 1e-6:
        assert bound == pytest.approx(oracles.dual_value(sizes, levels, direction), abs=1e-8)


def test_direction_that_points_the_wrong_way_certifies_nothing():
    assert dual_bound((3, 2), (1.0, 1.0), np.array([-1.0, -1.0])) == 0
    assert dual_bound((3, 2), (1.0, 1.0), np.zeros(2)) == 0
