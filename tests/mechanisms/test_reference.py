"""The numbers of theory.md section 11, and certificates of optimality found independently."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrcore.budget import build
from rrcore.mechanisms import Kronecker, Optimal, Safeguards
from rrcore.mechanisms.safeguards import safeguarded
from rrcore.mechanisms.solve.countgrid import CountGrid
from rrcore.mechanisms.solve.dual import log_dual_value
from rrcore.mechanisms.solve.linear_program import Floor
from tests import oracles

# theory.md section 11, all columns, 7 decimals printed: Kronecker, optimum (P), pairwise-preserving (gamma = 1), leakage cap eps_i + 1
REFERENCE = [
    ((2, 2, 2), (0.5,) * 3, 1.5, 1.0716926, 1.1439429, 1.0716926),
    ((5, 5, 5, 5), (1.0,) * 4, 4, 2.2374776, 2.5779761, 2.3455375),
    ((5, 5, 5, 5), (1.0, 2.0, 3.0, 4.0), 10, 6.6633231, 7.3176086, 7.0569295),
    ((16, 7, 15, 6, 5, 2), (1.0,) * 6, 6, 2.7422059, 2.8130529, 2.7650217),
    ((16, 7, 15, 6, 5, 2), (4.0,) * 6, 24, 14.0476886, 14.0751003, 14.5023300),
    ((9, 16, 7, 15, 6, 5, 2, 2), (2.0,) * 8, 16, 6.9275395, 7.8162847, 8.0611907),
]
reference = pytest.mark.parametrize(("sizes", "epsilon", "kronecker", "optimum", "pair_safe", "capped"), REFERENCE)


def dual_bound(sizes, epsilon, direction):
    """A lower bound on the record-level budget, from any lambda with lambda.d > 0 (equation D)."""
    grid = CountGrid(sizes, epsilon, marks=range(len(sizes)))
    of_kinds = np.asarray(direction)[np.argsort(grid.kind)]
    return float(np.logaddexp(0.0, -log_dual_value(grid, of_kinds)))


def checked(mechanism, epsilon, total):
    """mu of the mechanism after everything else was recomputed from its probabilities of sets of changes and compared with ``total``."""
    found, cost, epsilon_informed, mu = oracles.facts(mechanism.channel(range(mechanism.k)).probabilities, mechanism.sizes)
    assert cost == pytest.approx(total, abs=1e-6)
    assert mechanism.epsilon_total == pytest.approx(cost, abs=1e-10)
    np.testing.assert_allclose(found, epsilon, rtol=0, atol=1e-9)
    assert (found <= np.array(epsilon) + 1e-11).all()
    np.testing.assert_allclose(mechanism.epsilon, found, rtol=0, atol=1e-10)
    np.testing.assert_allclose(mechanism.epsilon_informed, epsilon_informed, rtol=0, atol=1e-10)
    for i in range(mechanism.k):
        assert mechanism.retentions[i] == pytest.approx(mu[(i,)], abs=1e-12)
        for j in range(i):
            assert mechanism.pair_factors[i, j] == pytest.approx(mu[(j, i)], abs=1e-12)
    return mu


def kept_by_kronecker(sizes, epsilon):
    """r_i."""
    return [(np.exp(e) - 1) / (np.exp(e) + a - 1) for a, e in zip(sizes, epsilon, strict=True)]


@pytest.mark.slow
@reference
def test_kronecker_and_optimum_of_section_11(sizes, epsilon, kronecker, optimum, pair_safe, capped):
    r = kept_by_kronecker(sizes, epsilon)
    for axes, value in checked(Kronecker.from_epsilon(sizes, epsilon), epsilon, kronecker).items():
        assert value == pytest.approx(np.prod([r[i] for i in axes]), abs=1e-12)
    checked(Optimal.from_epsilon(sizes, epsilon), epsilon, optimum)
    checked(build("optimal", sizes, epsilon), epsilon, optimum)


@pytest.mark.slow
@reference
def test_pair_safe_of_section_11(sizes, epsilon, kronecker, optimum, pair_safe, capped):
    """Every pair stands as well as under Kronecker, and some pair no better: without the floor the total would be lower."""
    r = kept_by_kronecker(sizes, epsilon)
    for mechanism in (
        build("preserving-2", sizes, epsilon),
        safeguarded(sizes, np.array(epsilon), Safeguards(floor=1.0)),
        Optimal.from_epsilon(sizes, epsilon, floors=[Floor(pair, 1.0) for pair in combinations(range(len(sizes)), 2)]),
    ):
        mu = checked(mechanism, epsilon, pair_safe)
        ratios = [mu[i, j] / (r[i] * r[j]) for i, j in combinations(range(len(sizes)), 2)]
        assert 1 - 1e-9 <= min(ratios) <= 1 + 1e-6
        assert mechanism.lower_bound == pytest.approx(pair_safe, abs=1e-6)
    assert pair_safe > optimum + 0.01


@pytest.mark.slow
@reference
def test_leakage_cap_of_section_11(sizes, epsilon, kronecker, optimum, pair_safe, capped):
    """No attribute leaks more than eps_i + 1, and one does leak that much wherever the cap costs anything."""
    caps = np.array(epsilon) + 1
    for mechanism in (
        Optimal.from_epsilon(sizes, epsilon, caps=caps),
        safeguarded(sizes, np.array(epsilon), Safeguards(slacks=(1.0,) * len(sizes))),
    ):
        checked(mechanism, epsilon, capped)
        assert (mechanism.epsilon_informed <= caps + 1e-9).all()
        assert capped == optimum or (mechanism.epsilon_informed > caps - 1e-6).any()
        assert mechanism.lower_bound == pytest.approx(capped, abs=1e-6)


@reference
def test_certificate_of_section_11(sizes, epsilon, kronecker, optimum, pair_safe, capped):
    mechanism = Optimal.from_epsilon(sizes, epsilon)
    assert mechanism.gap <= 1e-9
    assert mechanism.lower_bound == pytest.approx(optimum, abs=1e-6)
    np.testing.assert_allclose(mechanism.epsilon, epsilon, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("sizes", "epsilon"),
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
def test_two_plain_programmes_agree_with_it(sizes, epsilon):
    found = Optimal.from_epsilon(sizes, epsilon).epsilon_total
    assert found == pytest.approx(oracles.plain_optimum(sizes, epsilon), abs=1e-5)
    assert found == pytest.approx(oracles.ratio_optimum(sizes, epsilon), abs=1e-5)


def twelve(seed):
    rng = np.random.default_rng(seed)
    return tuple(int(a) for a in rng.integers(2, 6, 12)), rng.uniform(1, 10, 12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2, 3))])
def test_twelve_attributes_above_14_nats_meet_a_bound_found_without_the_library(seed):
    """Here a plain solver's tolerance is far larger than c = e^-eps_total (section 2, "Numerics that matter")."""
    sizes, epsilon = twelve(seed)
    mechanism = Optimal.from_epsilon(sizes, epsilon)
    assert mechanism.epsilon_total > 14
    direction = oracles.dual_direction(sizes, epsilon)
    bound = dual_bound(sizes, epsilon, direction)
    assert bound == pytest.approx(oracles.dual_value(sizes, epsilon, direction), abs=1e-9)
    assert mechanism.epsilon_total == pytest.approx(bound, abs=1e-6)
    assert mechanism.epsilon_total >= bound - 1e-9
    assert (mechanism.epsilon <= epsilon + 1e-11).all()


@st.composite
def instances(draw):
    k = draw(st.integers(1, 6))
    sizes = tuple(draw(st.lists(st.integers(2, 9), min_size=k, max_size=k)))
    epsilon = draw(st.lists(st.floats(0.05, 6.0), min_size=k, max_size=k))
    direction = draw(st.lists(st.floats(-1.0, 3.0), min_size=k, max_size=k))
    return sizes, np.array(epsilon), np.array(direction)


@pytest.mark.slow
@settings(max_examples=50)
@given(instances())
def test_optimum_is_never_below_a_dual_bound_nor_above_kronecker(instance):
    sizes, epsilon, direction = instance
    mechanism = Optimal.from_epsilon(sizes, epsilon)
    bound = dual_bound(sizes, epsilon, direction)
    assert mechanism.epsilon_total >= bound - 1e-9
    assert mechanism.epsilon_total <= epsilon.sum() + 1e-9
    assert mechanism.gap <= 1e-8
    if direction @ oracles.terms(sizes, epsilon)[2] > 1e-6:
        assert bound == pytest.approx(oracles.dual_value(sizes, epsilon, direction), abs=1e-8)
