"""The published formulas for two attributes against the equations, the programme and (P)."""

from math import exp, log

import numpy as np
import pytest

from rrcore.mechanisms import ClosedForm, Optimal
from rrcore.mechanisms.published import solve_published_programme, two_attribute_optimum

INSTANCES = {
    "I": [((2, 3), (2.0, 1.0)), ((5, 5), (4.0, 1.5)), ((2, 2), (0.5, 0.01)), ((9, 2), (2.5, 0.02))],
    "II": [((3, 2), (1.0, 2.0)), ((5, 5), (1.5, 4.0)), ((2, 2), (0.01, 0.5)), ((2, 9), (0.02, 2.5))],
    "III": [((5, 5), (0.5, 1.0)), ((3, 9), (0.9, 1.2)), ((8, 4), (0.4, 1.1))],
    "IV": [((5, 5), (1.0, 0.5)), ((9, 3), (1.2, 0.9)), ((4, 8), (1.1, 0.4))],
}
CASES = [pytest.param(case, *instance, id=f"{case}-{i}") for case, many in INSTANCES.items() for i, instance in enumerate(many)]
every_case = pytest.mark.parametrize(("case", "sizes", "levels"), CASES)


@every_case
def test_formulas_solve_the_equations_and_keep_the_order(case, sizes, levels):
    """The system (4) of section IV-B1, and which of its inequalities are tight."""
    found = two_attribute_optimum(sizes, levels)
    (m, n), (x0, x1, x2) = sizes, found.ratios
    assert (x0 + (n - 1) * x2) / (x1 + n - 1) == pytest.approx(exp(levels[0]), rel=1e-13)
    assert (x0 + (m - 1) * x1) / (x2 + m - 1) == pytest.approx(exp(levels[1]), rel=1e-13)
    assert x0 >= max(x1, x2)
    assert min(x1, x2) >= 1
    tight = {"I": x1 == 1, "II": x2 == 1, "III": x1 == x0, "IV": x2 == x0}
    assert found.case == case
    assert [name for name, holds in tight.items() if holds] == [case]


@every_case
def test_formulas_are_the_optimum_by_both_programmes(case, sizes, levels):
    found = two_attribute_optimum(sizes, levels)
    programme = solve_published_programme(sizes, levels)
    assert found.total_level == pytest.approx(programme.total_level, abs=1e-9)
    assert found.total_level == pytest.approx(Optimal.from_levels(sizes, levels).total_level, abs=1e-9)
    np.testing.assert_allclose(programme.ratios, found.ratios, rtol=1e-8)


def test_random_instances_of_all_cases_against_the_closed_form():
    """k = 2 is always covered by theory.md section 3, which knows no cases."""
    rng = np.random.default_rng(61)
    seen = dict.fromkeys(["I", "II", "III", "IV"], 0)
    for _ in range(400):
        sizes, levels = tuple(int(a) for a in rng.integers(2, 12, 2)), rng.uniform(0.01, 4, 2)
        found = two_attribute_optimum(sizes, levels)
        seen[found.case] += 1
        assert found.total_level == pytest.approx(ClosedForm.from_levels(sizes, levels).total_level, abs=1e-11), (sizes, levels)
    assert min(seen.values()) >= 30


def test_cases_meet_where_they_change():
    """3 x 3 at ln 2 each: exp(eps_1 + eps_2) = (m - 1)(n - 1) and both orders are equal, so all four cases meet at x_0 = 4."""
    totals, cases = [], set()
    for step_1, step_2 in ((1e-9, 0), (0, 1e-9), (-1e-9, 0), (0, -1e-9)):
        found = two_attribute_optimum((3, 3), (log(2) + step_1, log(2) + step_2))
        totals.append(found.total_level)
        cases.add(found.case)
    assert cases == {"I", "II", "III", "IV"}
    np.testing.assert_allclose(totals, log(4), rtol=0, atol=1e-8)
