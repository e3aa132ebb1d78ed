"""Trade-offs: their ends are known mechanisms, they never turn back, and every point is a plan that gives what it says."""

from dataclasses import replace
from itertools import combinations, pairwise
from math import inf, isinf, isnan

import numpy as np
import pytest

from rrcore.budget import (
    FrontierPoint,
    Plan,
    accuracy_frontier,
    compare,
    frontier_errors_by_width,
    leakage_frontier,
    leakage_frontier_slacks,
    safe_frontier,
    safe_frontier_widths,
)
from rrcore.budget.frontier import error_frontier
from rrcore.estimate import ExpectedErrors, expected_error
from rrcore.limits import MAX_LEVEL
from rrcore.mechanisms import Kronecker, Safeguards
from rrcore.table import load_demo
from rrcore.table.schema import Attribute, Schema
from tests import oracles

SIZES, LEVELS = (5, 5, 5, 5), (1.0, 2.0, 3.0, 4.0)
"""theory.md section 11: Kronecker 10, optimum 6.6633231, pair-safe 7.3176086, leakage cap eps_i + 1 7.0569295."""


def plan(sizes=SIZES, levels=LEVELS, **fields):
    attributes = (Attribute(f"q{i}", tuple(f"c{v}" for v in range(a))) for i, a in enumerate(sizes))
    return Plan(Schema(tuple(attributes)), tuple(levels), 1000, **fields)


def check_plans(points):
    """Every point is what its plan gives when it is built again, or the refusal of that plan."""
    for point in points:
        if point.mechanism is None:
            assert isinf(point.total)
            assert point.refusal
            continue
        assert point.refusal == ""
        again = Plan.from_json(point.plan.to_json()).build()
        assert again.total_level == pytest.approx(point.total, abs=1e-9)
        np.testing.assert_allclose(again.leakage, point.mechanism.leakage, rtol=0, atol=1e-9)


@pytest.mark.slow
def test_leakage_frontier_runs_from_kronecker_to_the_optimum():
    slacks = [0.0, 0.1, 0.3, 0.6, 1.0, 2.0, 3.0, 10.0, inf]
    points = list(leakage_frontier(plan(), slacks))
    totals = [point.total for point in points]
    assert [point.value for point in points] == slacks
    assert totals[0] == pytest.approx(10, abs=1e-6)
    np.testing.assert_allclose(
        points[0].mechanism.marginal_channel(range(4)).probabilities,
        Kronecker.from_levels(SIZES, LEVELS).marginal_channel(range(4)).probabilities,
        rtol=0,
        atol=1e-7,
    )
    assert totals[4] == pytest.approx(7.0569295, abs=1e-6)
    assert totals[-1] == pytest.approx(6.6633231, abs=1e-6)
    assert totals[-2] == pytest.approx(totals[-1], abs=1e-6)
    assert (np.diff(totals) <= 1e-8).all()
    assert (np.diff(totals)[:5] < -0.01).all()
    for point in points:
        leakage = oracles.facts(point.mechanism.marginal_channel(range(4)).probabilities, SIZES)[2]
        assert (leakage <= np.add(LEVELS, point.value) + 1e-8).all()
    check_plans(points)


def test_leakage_frontier_of_chosen_attributes():
    points = list(leakage_frontier(plan(), [0.0, 0.5, 1.0, inf], [0, 2]))
    totals = [point.total for point in points]
    assert (np.diff(totals) <= 1e-8).all()
    assert totals[-1] == pytest.approx(6.6633231, abs=1e-6)
    everyone = [point.total for point in leakage_frontier(plan(), [0.0, 0.5, 1.0])]
    assert (np.array(totals[:3]) < np.array(everyone) - 0.05).all()
    for point in points[:3]:
        caps = [level + point.value if i in (0, 2) else inf for i, level in enumerate(LEVELS)]
        assert point.total == pytest.approx(oracles.guarded_optimum(SIZES, LEVELS, caps=caps), abs=1e-6)
        assert point.plan.safeguards.slacks == (point.value, inf, point.value, inf)
    check_plans(points)


def test_leakage_frontier_keeps_the_floor_of_the_plan():
    floored = plan((3, 2, 4), (0.6, 1.1, 0.8), mechanism="safeguarded", safeguards=Safeguards(0.9, ((0, 1), (1, 2))))
    points = list(leakage_frontier(floored, [0.0, 0.2, 0.5, inf]))
    for point in points:
        caps = None if isinf(point.value) else np.add((0.6, 1.1, 0.8), point.value)
        expected = oracles.guarded_optimum((3, 2, 4), (0.6, 1.1, 0.8), [((0, 1), 0.9), ((1, 2), 0.9)], caps)
        assert point.total == pytest.approx(expected, abs=1e-6)
    check_plans(points)


def test_leakage_frontier_with_a_pair_safe_floor_starts_at_kronecker():
    """Kronecker leaks nothing beyond the levels and keeps every pair at 1 times its own, so slack 0 is no contradiction."""
    points = list(leakage_frontier(plan(safeguards=Safeguards(1.0)), [0.0, 1e-6, 0.5, inf]))
    assert [point.refusal for point in points] == [""] * 4
    totals = [point.total for point in points]
    assert totals[0] == pytest.approx(10, abs=1e-6)
    assert totals[-1] == pytest.approx(7.3176086, abs=1e-6)
    assert (np.diff(totals) <= 1e-6).all()


def test_accuracy_frontier_rises_with_gamma_and_keeps_its_refusals():
    gammas = [0.0, 0.25, 0.5, 0.8, 1.0, 1.1, 5.0, 50.0]
    points = list(accuracy_frontier(plan(), gammas))
    assert [point.value for point in points] == gammas
    totals = [point.total for point in points]
    assert totals[0] == pytest.approx(6.6633231, abs=1e-6)
    assert totals[4] == pytest.approx(7.3176086, abs=1e-6)
    assert all(later >= earlier - 1e-8 for earlier, later in pairwise(totals))
    assert totals[3] > totals[0] + 0.1
    largest = oracles.largest_gamma(SIZES, LEVELS, list(combinations(range(4), 2)))
    assert [isinf(total) for total in totals] == [gamma > largest for gamma in gammas]
    assert points[-1].refusal.startswith("An accuracy floor of 50 times Kronecker's cannot be kept at these levels: the largest")
    assert points[-1].plan.safeguards == Safeguards(50.0)
    assert points[-1].mechanism is None
    for point in points[1:6]:
        if point.mechanism is not None:
            assert point.mechanism.min_pair_ratio() >= point.value - 1e-8
    check_plans(points)


def test_accuracy_frontier_of_chosen_marginals_keeps_the_caps_of_the_plan():
    sizes, levels = (3, 2, 4), (0.6, 1.1, 0.8)
    capped = plan(sizes, levels, safeguards=Safeguards(0.3, (), (0.4, inf, 0.6)))
    points = list(accuracy_frontier(capped, [0.0, 0.5, 1.0, 1.05], [(0, 1, 2), (1, 2)]))
    caps = [1.0, inf, 1.4]
    for point in points:
        floors = [((0, 1, 2), point.value), ((1, 2), point.value)] if point.value else []
        assert point.total == pytest.approx(oracles.guarded_optimum(sizes, levels, floors, caps), abs=1e-6)
        assert point.plan.safeguards.slacks == (0.4, inf, 0.6)
    check_plans(points)


@pytest.mark.parametrize("population", [False, True])
@pytest.mark.parametrize("mechanism", ["kronecker", "pair-safe", "optimal", "joint", "published"])
def test_error_frontier_gives_the_error_of_each_rebuilt_plan(mechanism, population):
    """Each value is ``expected_error`` of the plan built again; for one pair also from the definition of the variance."""
    sizes, levels = (3, 2, 2), (0.6, 1.1, 0.8)
    points = list(error_frontier(plan(sizes, levels, mechanism=mechanism), (2, 0), [0.5, 1.0, 2.0, 4.0], population=population))
    assert len(points) == 4
    for point, scale in zip(points, (0.5, 1.0, 2.0, 4.0), strict=True):
        np.testing.assert_allclose(point.plan.levels, scale * np.array(levels), rtol=1e-15)
        assert point.plan.mechanism == mechanism
        channel = point.plan.build().marginal_channel((2, 0))
        if isnan(point.value):
            assert np.abs(channel.factors).min() < 1e-6
            continue
        assert point.value == pytest.approx(expected_error(channel, 1000, population=population), rel=1e-9)
        shares = np.full((2, 3), 1 / 6)
        variance = oracles.dense_variance(shares, oracles.dense(channel), 1000, population=population)
        assert point.value == pytest.approx(np.sqrt(variance.mean()), rel=1e-6)
    check_plans(points)
    assert sum(isnan(point.value) for point in points) <= 1
    if mechanism == "kronecker":
        assert (np.diff([point.value for point in points]) < 0).all()
        assert (np.diff([point.total for point in points]) > 0).all()


def test_error_frontier_of_a_pair_that_is_erased_has_no_error():
    """theory.md section 5: a = (2,2,2), eps = .5 each has optimum mu_ij = 0."""
    point = next(iter(error_frontier(plan((2, 2, 2), (0.5,) * 3, mechanism="optimal"), (0, 1), [1.0])))
    assert isnan(point.value)
    assert point.total == pytest.approx(1.0716926, abs=1e-6)
    single = next(iter(error_frontier(plan((2, 2, 2), (0.5,) * 3, mechanism="optimal"), (0,), [1.0])))
    r = np.tanh(0.25)
    assert single.value == pytest.approx(np.sqrt((1 / r**2 - 1) / 4 / 1000), rel=1e-9)  # binary: Var = (1/r^2 - 1) / 4n


def test_error_frontier_leaves_out_levels_beyond_the_limits():
    points = list(error_frontier(plan((2, 3), (1.0, 2.0)), (0,), [1e-4, 1.0, MAX_LEVEL / 2, MAX_LEVEL / 2 * 1.01]))
    assert [point.plan.levels for point in points] == [(1.0, 2.0), (15.0, 30.0)]


def test_error_frontier_keeps_the_refusals():
    points = list(error_frontier(plan(mechanism="closed-form"), (0, 1), [1.0]))
    assert len(points) == 1
    assert isnan(points[0].value)
    assert isinf(points[0].total)
    assert points[0].refusal.startswith("The closed form does not exist")


def test_points_come_one_at_a_time(monkeypatch):
    """A page can stop after any of them: nothing is built before it is asked for."""
    built, build = [], Plan.build
    monkeypatch.setattr(Plan, "build", lambda self: built.append(self) or build(self))
    first = next(iter(leakage_frontier(plan(), iter([0.5, 1.0]))))
    assert len(built) == 1
    assert isinstance(first, FrontierPoint)
    assert first.plan.safeguards.slacks == (0.5,) * 4
    assert replace(first.plan, mechanism="optimal").build().total_level < first.total


def test_slacks_reach_from_kronecker_to_the_optimum():
    sizes = Plan(Schema(tuple(Attribute(f"q{i}", ("a", "b")) for i in range(3))), (1.0, 2.0, 3.0), 100)
    (best,) = compare(sizes, ("optimal",))
    slacks = leakage_frontier_slacks([best])
    assert slacks[0] == 0
    assert slacks[-1] == np.inf
    assert list(slacks) == sorted(set(slacks))
    assert slacks[-2] == pytest.approx(0.9 * best.slack, abs=1e-3)
    assert leakage_frontier_slacks([])[-2] == 0.09  # without an optimum: up to a tenth of a nat


# safe for joint distributions of up to w attributes


def test_the_frontier_of_being_safe_is_that_of_section_14():
    """5,5,5,5 at 1,2,3,4: 6.663323 7.317609 7.387628 7.387628, monotone and below Kronecker's 10."""
    kronecker = plan(mechanism="kronecker", safeguards=Safeguards(0.5))
    assert safe_frontier_widths(4) == (1, 2, 3, 4)
    trade = list(safe_frontier(kronecker, safe_frontier_widths(4)))
    assert [point.value for point in trade] == [1, 2, 3, 4]
    assert [point.plan.mechanism for point in trade] == ["optimal", "pair-safe", "3-safe", "4-safe"]
    assert [point.total for point in trade] == pytest.approx([6.663323, 7.317609, 7.387628, 7.387628], abs=1e-6)
    for point in trade:
        assert point.plan.safeguards == Safeguards()
        assert point.leakage == point.mechanism.leakage.max() >= max(LEVELS)
    check_plans(trade)


def test_many_attributes_are_traced_up_to_triples():
    assert safe_frontier_widths(12) == tuple(range(1, 13))
    assert safe_frontier_widths(13) == safe_frontier_widths(40) == (1, 2, 3)
    assert safe_frontier_widths(1) == (1,)


def test_a_point_without_a_mechanism_has_no_leakage():
    assert FrontierPoint(1.0, inf, plan(), None, "no").leakage == inf


def test_what_a_share_is_off_by_at_every_width():
    plan = Plan.for_levels(load_demo("titanic"), 0.5)
    trade = list(safe_frontier(plan, (1, 2, 4)))
    found = frontier_errors_by_width(trade, (0, 1, 3), population=True)
    assert list(found) == [1.0, 2.0, 4.0]
    for point in trade:
        channel = point.mechanism.marginal_channel((0, 1, 3))
        assert found[point.value] == ExpectedErrors.of(channel, plan.respondents, population=True)
