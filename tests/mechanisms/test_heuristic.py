"""The published methods: the formulas for two attributes, the heuristic's own ratios and levels, and the program's matrices as printed."""

from itertools import combinations
from math import comb, exp, log, prod

import numpy as np
import pytest
from scipy.optimize import linprog

from rrcore.limits import MAX_EPSILON, MIN_EPSILON
from rrcore.mechanisms import Optimal
from rrcore.mechanisms.closed_form import ClosedForm
from rrcore.mechanisms.heuristic import Heuristic, published_two_attribute_optimum
from tests import oracles

INSTANCES = {
    "I": [((2, 3), (2.0, 1.0)), ((5, 5), (4.0, 1.5)), ((2, 2), (0.5, 0.01)), ((9, 2), (2.5, 0.02))],
    "II": [((3, 2), (1.0, 2.0)), ((5, 5), (1.5, 4.0)), ((2, 2), (0.01, 0.5)), ((2, 9), (0.02, 2.5))],
    "III": [((5, 5), (0.5, 1.0)), ((3, 9), (0.9, 1.2)), ((8, 4), (0.4, 1.1))],
    "IV": [((5, 5), (1.0, 0.5)), ((9, 3), (1.2, 0.9)), ((4, 8), (1.1, 0.4))],
}
CASES = [pytest.param(case, *instance, id=f"{case}-{i}") for case, many in INSTANCES.items() for i, instance in enumerate(many)]
every_case = pytest.mark.parametrize(("case", "sizes", "epsilon"), CASES)


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


def equalities(sizes, epsilon):
    """A_eq and b_eq of Algorithm 2: every attribute has its epsilon (equation 3)."""
    k = len(sizes)
    sets = [members for count in range(k + 1) for members in combinations(range(k), count)]
    outputs = [prod(sizes[i] - 1 for i in members) for members in sets]
    odds = np.exp(epsilon) / (np.array(sizes) - 1)
    perturbed = np.array([[i in members for members in sets] for i in range(k)])
    rows = np.where(perturbed, -odds[:, None] * outputs, outputs)
    return rows[:, :-1], -rows[:, -1]


def solve_published(sizes, epsilon):
    """The ratios of the dense program as printed, over 2^k - 1 sets of perturbed attributes."""
    k = len(sizes)
    (a_ub, b_ub), (a_eq, b_eq) = algorithm_1(k), equalities(sizes, epsilon)
    cost = np.eye(1, 2**k - 1)[0]
    return linprog(cost, A_ub=a_ub, b_ub=b_ub, A_eq=a_eq, b_eq=b_eq, method="highs").x


@every_case
def test_formulas_solve_the_equations_and_keep_the_order(case, sizes, epsilon):
    """The system (4) of section IV-B1, and which of its inequalities are tight."""
    found = published_two_attribute_optimum(sizes, epsilon)
    (m, n), (x0, x1, x2) = sizes, found.ratios
    assert (x0 + (n - 1) * x2) / (x1 + n - 1) == pytest.approx(exp(epsilon[0]), rel=1e-13)
    assert (x0 + (m - 1) * x1) / (x2 + m - 1) == pytest.approx(exp(epsilon[1]), rel=1e-13)
    assert x0 >= max(x1, x2)
    assert min(x1, x2) >= 1
    tight = {"I": x1 == 1, "II": x2 == 1, "III": x1 == x0, "IV": x2 == x0}
    assert found.case == case
    assert [name for name, holds in tight.items() if holds] == [case]


@every_case
def test_formulas_are_the_optimum_by_both_programs(case, sizes, epsilon):
    found = published_two_attribute_optimum(sizes, epsilon)
    ratios = solve_published(sizes, epsilon)
    assert found.epsilon_total == pytest.approx(log(ratios[0]), abs=1e-9)
    assert found.epsilon_total == pytest.approx(Optimal.from_epsilon(sizes, epsilon).epsilon_total, abs=1e-9)
    np.testing.assert_allclose(ratios, found.ratios, rtol=1e-8)


def test_random_instances_of_all_cases_against_the_closed_form():
    """k = 2 is always covered by theory.md section 3, which knows no cases."""
    rng = np.random.default_rng(61)
    seen = dict.fromkeys(["I", "II", "III", "IV"], 0)
    for _ in range(400):
        sizes, epsilon = tuple(int(a) for a in rng.integers(2, 12, 2)), rng.uniform(0.01, 4, 2)
        found = published_two_attribute_optimum(sizes, epsilon)
        seen[found.case] += 1
        assert found.epsilon_total == pytest.approx(ClosedForm.from_epsilon(sizes, epsilon).epsilon_total, abs=1e-11), (
            sizes,
            epsilon,
        )
    assert min(seen.values()) >= 30


def test_cases_meet_where_they_change():
    """3 x 3 at ln 2 each: exp(eps_1 + eps_2) = (m - 1)(n - 1) and both orders are equal, so all four cases meet at x_0 = 4."""
    totals, cases = [], set()
    for step_1, step_2 in ((1e-9, 0), (0, 1e-9), (-1e-9, 0), (0, -1e-9)):
        found = published_two_attribute_optimum((3, 3), (log(2) + step_1, log(2) + step_2))
        totals.append(found.epsilon_total)
        cases.add(found.case)
    assert cases == {"I", "II", "III", "IV"}
    np.testing.assert_allclose(totals, log(4), rtol=0, atol=1e-8)


WITHOUT = ((2, 2, 3), (3.0, 4.0, 3.5))
"""No level replaced."""

BELOW = ((2, 3, 4), (1.0, 2.0, 3.0))
"""The third attribute replaced by a lower level."""

ABOVE = ((4, 4, 4, 4), (3.0, 2.5, 1.0, 0.5))
"""The last level of 0.5 replaced by 3, the highest one."""


def algorithm_3(sizes, epsilon):
    """Line by line in the paper's ratios; returns (x_k0, ..., x_kk), the achieved levels and the replaced positions."""
    x, achieved, repaired = list(published_two_attribute_optimum(sizes[:2], epsilon[:2]).ratios), list(epsilon), []
    for i in range(3, len(sizes) + 1):
        a, odds = sizes[i - 1], exp(epsilon[i - 1])
        earlier = [a * x[j] - a + 1 for j in range(1, i)]
        big_a = sum((sizes[h] - 1) * earlier[h] for h in range(i - 1))
        big_b = prod(sizes[: i - 1]) - sum(sizes[: i - 1]) + i - 2
        big_c = prod(sizes[: i - 1]) - 1
        first, last = np.linalg.solve([[1, a - 1], [1, -odds]], [a * x[0], -big_a - big_b + odds * big_c])
        if first < 1 or last < 1 or any(first < other for other in [*earlier, last]):
            first, last = a * x[0] - a + 1, 1.0
            achieved[i - 1] = log((first + big_a + big_b) / (last + big_c))
            repaired.append(i - 1)
        x = [first, *earlier, last]
    return x, achieved, repaired


def random_instance(seed, k, low=1.0, high=10.0):
    """As in section V-C: categories 2 to 5, levels uniform."""
    rng = np.random.default_rng([seed, k])
    return tuple(int(a) for a in rng.integers(2, 6, k)), rng.uniform(low, high, k)


@pytest.mark.parametrize(("low", "high"), [(0.05, 1.0), (0.5, 3.0), (1.0, 10.0)])
@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_same_as_the_algorithm_in_its_own_ratios(k, low, high):
    for seed in range(40):
        sizes, epsilon = random_instance(seed, k, low, high)
        x, achieved, repaired = algorithm_3(sizes, epsilon)
        found = Heuristic.from_epsilon(sizes, epsilon)
        assert found.epsilon_total == pytest.approx(log(x[0]), abs=1e-9)
        np.testing.assert_allclose(found.epsilon, achieved, rtol=0, atol=1e-9)
        assert found.repaired == tuple(repaired)


def test_every_ratio_is_in_the_channel():
    for sizes, epsilon in (WITHOUT, BELOW, ABOVE):
        x, _, _ = algorithm_3(sizes, epsilon)
        q = Heuristic.from_epsilon(sizes, epsilon).channel(range(len(sizes)))
        k = len(sizes)
        weights = np.exp(q.log_weights)
        ratios = weights / weights[(1,) * k]
        assert ratios[(0,) * k] == pytest.approx(x[0], rel=1e-11)
        for i in range(k):
            assert ratios[tuple(int(j == i) for j in range(k))] == pytest.approx(x[i + 1], rel=1e-11)
        many = [s for s in oracles.lie_sets(k) if sum(s) >= 2]
        np.testing.assert_allclose([ratios[s] for s in many], 1, rtol=1e-11)


@pytest.mark.parametrize(
    ("instance", "repaired", "violations"),
    [(WITHOUT, (), ()), (BELOW, (2,), ()), (ABOVE, (3,), (3,))],
    ids=["none", "below", "above"],
)
def test_achieved_levels_and_violations_on_both_sides(instance, repaired, violations):
    """The achieved levels and total are those of the dense matrix: no pair of records exceeds them and some pair reaches them."""
    sizes, epsilon = instance
    found = Heuristic.from_epsilon(sizes, epsilon)
    matrix = oracles.dense_mechanism(found)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-13)
    dense = [oracles.total_of(oracles.marginalise(matrix, sizes, [i])) for i in range(len(sizes))]
    np.testing.assert_allclose(found.epsilon, dense, rtol=0, atol=1e-11)
    assert found.epsilon_total == pytest.approx(oracles.total_of(matrix), abs=1e-11)
    assert found.repaired == repaired
    assert found.violations == violations
    np.testing.assert_allclose(found.excess, np.array(dense) - epsilon, rtol=0, atol=1e-11)
    kept = [i for i in range(len(sizes)) if i not in repaired]
    np.testing.assert_allclose(np.array(dense)[kept], np.array(epsilon)[kept], rtol=0, atol=1e-11)
    assert all(dense[i] > epsilon[i] + 0.1 for i in violations)
    assert all(dense[i] < epsilon[i] - 0.1 for i in repaired if i not in violations)


def test_a_replaced_level_is_the_log_odds_of_keeping_the_record_or_hitting_by_chance():
    """theory.md section 4: r_i = 1 - 1/T, so p_i = 1 - (1 - 1/a_i)/T."""
    sizes, epsilon = random_instance(3, 30)
    found = Heuristic.from_epsilon(sizes, epsilon)
    assert len(found.repaired) >= 5
    for i in found.repaired:
        truth = 1 - found.uniform * (1 - 1 / sizes[i])
        assert found.epsilon[i] == pytest.approx(log(truth / (1 - truth) * (sizes[i] - 1)), abs=1e-9)


def test_the_order_of_the_columns_changes_the_total_and_the_levels():
    """a = 5 each, eps = 1, 2, 3: with the 3 last its level becomes 2 and the total .17 less."""
    last, first = Heuristic.from_epsilon((5, 5, 5), (1.0, 2.0, 3.0)), Heuristic.from_epsilon((5, 5, 5), (3.0, 1.0, 2.0))
    np.testing.assert_allclose(last.epsilon, (1, 2, 2), rtol=0, atol=1e-12)
    np.testing.assert_allclose(first.epsilon, (3, 1, 2), rtol=0, atol=1e-12)
    assert last.epsilon_total == pytest.approx(4.5130884, abs=1e-7)
    assert first.epsilon_total == pytest.approx(4.6835319, abs=1e-7)


def test_with_the_most_truthful_attribute_early_and_few_lies_it_is_the_closed_form_and_the_optimum():
    compared = 0
    for seed in range(200):
        k = 2 + seed % 5
        sizes, epsilon = random_instance(seed, k, 2.5, 7.0)
        closest = np.argsort(oracles.lie_rates(sizes, epsilon) / (1 - 1 / np.array(sizes)), kind="stable")
        sizes, epsilon = tuple(np.array(sizes)[closest].tolist()), epsilon[closest]
        found = Heuristic.from_epsilon(sizes, epsilon)
        if sum(oracles.lie_rates(sizes, epsilon)) <= 1 and not found.repaired:
            compared += 1
            assert found.epsilon_total == pytest.approx(ClosedForm.from_epsilon(sizes, epsilon).epsilon_total, abs=1e-10)
            if compared % 10 == 0:
                assert found.epsilon_total == pytest.approx(Optimal.from_epsilon(sizes, epsilon).epsilon_total, abs=1e-8)
    assert compared >= 100


def test_it_never_costs_less_than_the_optimum_of_its_own_levels():
    for seed in range(40):
        sizes, epsilon = random_instance(seed, 3 + seed % 3, 0.2, 4.0)
        found = Heuristic.from_epsilon(sizes, epsilon)
        assert found.epsilon_total >= Optimal.from_epsilon(sizes, found.epsilon).epsilon_total - 1e-8


def test_it_can_exceed_both_the_levels_and_the_total_of_kronecker():
    """12 attributes of 4 categories at eps = 1: ten are given 2.34, and the record costs 15.5 where Kronecker asks 12."""
    found = Heuristic.from_epsilon((4,) * 12, (1.0,) * 12)
    assert found.violations == tuple(range(2, 12))
    np.testing.assert_allclose(found.epsilon, [1.0] * 2 + [2.3402909] * 10, rtol=0, atol=1e-7)
    assert found.epsilon_total == pytest.approx(15.5423615, abs=1e-7)


@pytest.mark.long
@pytest.mark.parametrize(("k", "share", "most"), [(10, 0.259, 9.67), (100, 0.9963, 9.886)])
def test_share_of_data_sets_with_an_exceeded_level(k, share, most):
    """The numbers of theory.md section 4, from 3,000 data sets (standard error 0.8 points at k = 10)."""
    rng = np.random.default_rng(0)
    built = [Heuristic.from_epsilon(tuple(rng.integers(2, 6, k).tolist()), rng.uniform(1, 10, k)) for _ in range(3000)]
    assert np.mean([bool(found.violations) for found in built]) == pytest.approx(share, abs=1e-4)
    assert max(found.excess.max() for found in built) == pytest.approx(most, abs=2e-3)


def single_lies(mechanism):
    """How likely a lie about exactly one attribute is on purpose; the listed sets are those and, last, no lie at all."""
    assert mechanism.lying.sum(axis=1).max() == 1
    return mechanism.probabilities @ mechanism.lying


def test_a_thousand_attributes_without_overflow():
    sizes, epsilon = random_instance(0, 1000)
    found = Heuristic.from_epsilon(sizes, epsilon)
    assert np.isfinite(found.epsilon_total)
    single, keep = single_lies(found), found.probabilities[-1]
    assert keep >= (single / (np.array(sizes) - 1)).max()
    assert keep + found.uniform + single.sum() == pytest.approx(1, abs=1e-12)
    kept = np.setdiff1d(np.arange(1000), found.repaired)
    np.testing.assert_allclose(found.epsilon[kept], epsilon[kept], rtol=0, atol=1e-9)
    first = Heuristic.from_epsilon(sizes[:6], epsilon[:6])
    assert found.uniform == first.uniform
    np.testing.assert_array_equal(single[:6], single_lies(first))
    assert len(found.violations) > 100


def test_a_many_attributes():
    sizes, epsilon = random_instance(0, 10_000)
    found = Heuristic.from_epsilon(sizes, epsilon)
    first = Heuristic.from_epsilon(sizes[:50], epsilon[:50])
    np.testing.assert_array_equal(found.epsilon[:50], first.epsilon)
    assert found.epsilon_informed.max() <= found.epsilon_total < np.inf
    codes = np.zeros((3, 10_000), dtype=np.int32)
    assert found.sample(codes, rng=np.random.default_rng(0)).shape == codes.shape


@pytest.mark.parametrize("level", [MIN_EPSILON, MAX_EPSILON])
@pytest.mark.parametrize("size", [2, 1000])
def test_extreme_levels(size, level):
    sizes = (size, 3, size, 3)
    found = Heuristic.from_epsilon(sizes, np.full(4, level))
    assert (found.probabilities > 0).all()
    kept = [i for i in range(4) if i not in found.repaired]
    np.testing.assert_allclose(found.epsilon[kept], np.full(len(kept), level), rtol=1e-9)
    assert np.isfinite(found.epsilon_total)


def test_release_lies_as_often_as_the_levels_say():
    """200,000 records; each of the four rates stays within 5 standard errors (false alarm 2e-6)."""
    sizes, epsilon = ABOVE
    found, n = Heuristic.from_epsilon(sizes, epsilon), 200_000
    codes = np.zeros((n, 4), dtype=np.int32)
    rates = (found.sample(codes, rng=np.random.default_rng(62)) != 0).mean(axis=0)
    assert (np.abs(rates - found.lies) < 5 * np.sqrt(found.lies * (1 - found.lies) / n)).all()
    requested = np.array(oracles.lie_rates(sizes, epsilon))
    assert rates[3] < requested[3] - 0.3


def test_says_how_it_was_found_and_claims_no_optimum():
    found = Heuristic.from_epsilon(*ABOVE)
    assert len(found.repaired) == 1
    assert found.lower_bound is None
    assert not found.is_optimal


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


def in_paper_order(values, k):
    """Values over sets of changes, shape (2,) * k, as the vector x_0, ..., x_{2^k-1}."""
    order = [members for count in range(k + 1) for members in combinations(range(k), count)]
    return np.array([values[tuple(int(i in members) for i in range(k))] for members in order])


def test_three_attributes_as_printed():
    a_ub, b_ub = algorithm_1(3)
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


@pytest.mark.parametrize(("sizes", "epsilon"), [((2, 3), (0.5, 2.0)), ((5, 2, 3, 4), (1.0, 0.3, 2.5, 4.0))])
def test_kronecker_is_feasible_and_other_levels_are_not(sizes, epsilon):
    k = len(sizes)
    ratios = np.array([prod(exp(e) for e, lie in zip(epsilon, s, strict=True) if not lie) for s in oracles.lie_sets(k)])
    x = in_paper_order(ratios.reshape((2,) * k), k)[:-1]
    a_ub, b_ub = algorithm_1(k)
    assert (a_ub @ x <= b_ub).all()
    a_eq, b_eq = equalities(sizes, epsilon)
    np.testing.assert_allclose(a_eq @ x, b_eq, rtol=1e-13)
    a_eq, b_eq = equalities(sizes, np.array(epsilon) + 0.01)
    assert (np.abs(a_eq @ x / b_eq - 1) > 0.005).all()


@pytest.mark.slow
def test_same_optimum_as_the_dense_program():
    rng = np.random.default_rng(60)
    for _ in range(40):
        k = int(rng.integers(3, 7))
        sizes = tuple(int(a) for a in rng.integers(2, 7, k))
        epsilon = rng.uniform(0.2, float(rng.choice([1.0, 3.0, 8.0])), k)
        ratios = solve_published(sizes, epsilon)
        assert log(ratios[0]) == pytest.approx(Optimal.from_epsilon(sizes, epsilon).epsilon_total, abs=1e-8), (
            sizes,
            epsilon,
        )
        assert ratios.shape == (2**k - 1,)
        assert ratios[0] >= ratios.max() - 1e-9
        assert ratios.min() >= 1 - 1e-6


def test_reference_numbers():
    """theory.md section 11."""
    assert log(solve_published((2, 2, 2), (0.5,) * 3)[0]) == pytest.approx(1.0716926, abs=1e-7)
    assert log(solve_published((5,) * 4, (1, 2, 3, 4))[0]) == pytest.approx(6.6633231, abs=1e-7)
    assert log(solve_published((16, 7, 15, 6, 5, 2), (4.0,) * 6)[0]) == pytest.approx(14.0476886, abs=1e-7)
