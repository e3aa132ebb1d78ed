"""The published programme: its matrices as printed, and the same optimum as (P)."""

from itertools import combinations
from math import comb, exp, prod

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.mechanisms import Optimal
from rrcore.mechanisms.published import MAX_PUBLISHED, equalities, order_constraints, solve_published_programme
from tests import oracles

THREE = [
    [-1, 1, 0, 0, 0, 0, 0],
    [-1, 0, 1, 0, 0, 0, 0],
    [-1, 0, 0, 1, 0, 0, 0],
    [0, -1, 0, 0, 1, 0, 0],
    [0, -1, 0, 0, 0, 1, 0],
    [0, 0, -1, 0, 1, 0, 0],
    [0, 0, -1, 0, 0, 0, 1],
    [0, 0, 0, -1, 0, 1, 0],
    [0, 0, 0, -1, 0, 0, 1],
    [0, 0, 0, 0, -1, 0, 0],
    [0, 0, 0, 0, 0, -1, 0],
    [0, 0, 0, 0, 0, 0, -1],
]
"""A_ub of section IV-A1."""


def algorithm_1(k):
    """Line by line, with its search over all pairs of sets."""
    sets = [list(combinations(range(1, k + 1), h)) for h in range(k + 1)]
    p = [1 + sum(comb(k, i) for i in range(1, h + 1)) for h in range(k + 1)]
    r, g = 0, 1
    a_ub, b_ub = np.zeros((k * 2 ** (k - 1), 2**k - 1)), np.zeros(k * 2 ** (k - 1))
    for h in range(1, k + 1):
        a_ub[r, 0], a_ub[r, h] = -1, 1
        r += 1
    for h in range(1, k - 1):
        for i in range(comb(k, h)):
            for j in range(comb(k, h + 1)):
                if set(sets[h][i]) < set(sets[h + 1][j]):
                    a_ub[r, g], a_ub[r, p[h] + j] = -1, 1
                    r += 1
            g += 1
    for h in range(k):
        a_ub[r + h, p[k - 2] + h] = -1
    b_ub[-k:] = -1
    return a_ub, b_ub


def in_paper_order(values, k):
    """Values over lie sets, shape (2,) * k, as the vector x_0, ..., x_{2^k-1}."""
    order = [members for count in range(k + 1) for members in combinations(range(k), count)]
    return np.array([values[tuple(int(i in members) for i in range(k))] for members in order])


def test_three_attributes_as_printed():
    a_ub, b_ub = order_constraints(3)
    np.testing.assert_array_equal(a_ub, THREE)
    np.testing.assert_array_equal(b_ub, [0] * 9 + [-1] * 3)
    (a1, a2, a3), (e1, e2, e3) = (2, 5, 4), (exp(0.4), exp(1.3), exp(2.2))
    printed = [
        [1, 1, 1],
        [-e1, a1 - 1, a1 - 1],
        [a2 - 1, -e2, a2 - 1],
        [a3 - 1, a3 - 1, -e3],
        [-(a2 - 1) * e1, -(a1 - 1) * e2, (a1 - 1) * (a2 - 1)],
        [-(a3 - 1) * e1, (a1 - 1) * (a3 - 1), -(a1 - 1) * e3],
        [(a2 - 1) * (a3 - 1), -(a3 - 1) * e2, -(a2 - 1) * e3],
    ]
    a_eq, b_eq = equalities((2, 5, 4), (0.4, 1.3, 2.2))
    np.testing.assert_allclose(a_eq.T, printed, rtol=1e-14)
    np.testing.assert_allclose(b_eq, [(a2 - 1) * (a3 - 1) * e1, (a1 - 1) * (a3 - 1) * e2, (a1 - 1) * (a2 - 1) * e3], rtol=1e-14)


@pytest.mark.parametrize("k", range(2, 7))
def test_order_constraints_are_those_of_algorithm_1_line_by_line(k):
    for found, expected in zip(order_constraints(k), algorithm_1(k), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("sizes", "levels"), [((2, 3), (0.5, 2.0)), ((5, 2, 3, 4), (1.0, 0.3, 2.5, 4.0))])
def test_kronecker_is_feasible_and_other_levels_are_not(sizes, levels):
    k = len(sizes)
    ratios = np.array([prod(exp(e) for e, lie in zip(levels, s, strict=True) if not lie) for s in oracles.lie_sets(k)])
    x = in_paper_order(ratios.reshape((2,) * k), k)[:-1]
    a_ub, b_ub = order_constraints(k)
    assert (a_ub @ x <= b_ub).all()
    a_eq, b_eq = equalities(sizes, levels)
    np.testing.assert_allclose(a_eq @ x, b_eq, rtol=1e-13)
    a_eq, b_eq = equalities(sizes, np.array(levels) + 0.01)
    assert (np.abs(a_eq @ x / b_eq - 1) > 0.005).all()


@pytest.mark.slow
def test_same_optimum_as_the_programme_over_lie_sets():
    rng = np.random.default_rng(60)
    for _ in range(40):
        k = int(rng.integers(3, 7))
        sizes = tuple(int(a) for a in rng.integers(2, 7, k))
        levels = rng.uniform(0.2, float(rng.choice([1.0, 3.0, 8.0])), k)
        found = solve_published_programme(sizes, levels)
        assert found.total_level == pytest.approx(Optimal.from_levels(sizes, levels).total_level, abs=1e-8), (sizes, levels)
        assert found.ratios.shape == (2**k - 1,)
        assert found.ratios[0] >= found.ratios.max() - 1e-9
        assert found.ratios.min() >= 1 - 1e-6


def test_reference_numbers():
    """theory.md section 11."""
    assert solve_published_programme((2, 2, 2), (0.5,) * 3).total_level == pytest.approx(1.0716926, abs=1e-7)
    assert solve_published_programme((5,) * 4, (1, 2, 3, 4)).total_level == pytest.approx(6.6633231, abs=1e-7)
    assert solve_published_programme((16, 7, 15, 6, 5, 2), (4.0,) * 6).total_level == pytest.approx(14.0476886, abs=1e-7)


def test_limit_on_attributes_on_both_sides():
    assert MAX_PUBLISHED == 10
    a_ub, b_ub = order_constraints(10)
    assert a_ub.shape == (5120, 1023)
    assert b_ub.shape == (5120,)
    for k in (1, 11):
        expected = rf"^The published programme takes 2 to 10 attributes and there are {k}: choose the optimum or Kronecker\.$"
        for call in (lambda k=k: order_constraints(k), lambda k=k: equalities((2,) * k, (1.0,) * k)):
            with pytest.raises(InputError, match=expected):
                call()


def test_levels_beyond_the_solver_are_said_to_be():
    with pytest.raises(
        InputError,
        match=r"^The published programme could not be solved for these levels: lower them, or choose the optimum\.$",
    ):
        solve_published_programme((3, 3, 3), (100.0, 100.0, 100.0))
