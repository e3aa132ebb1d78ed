"""Trade-offs: every mark is a plan that can be adopted, what is infinite has its place, and the plan in play has a ring."""

import math
from statistics import NormalDist

import pytest

from rrcore import plots
from rrcore.budget import Plan, frontier_errors_by_width, leakage_frontier, safe_frontier
from rrcore.budget.frontier import error_frontier
from rrcore.mechanisms import Kronecker
from rrcore.table.schema import Attribute, Schema

SCHEMA = Schema((Attribute("a", ("x", "y")), Attribute("b", ("p", "q", "r")), Attribute("c", ("u", "v"))))
PLAN = Plan(SCHEMA, (1.0, 1.0, 1.0), 100)
PALETTES = pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])


@PALETTES
def test_no_cap_stands_one_step_beyond_the_last_cap(palette):
    trade = list(leakage_frontier(PLAN, [0, 0.5, 1.0, math.inf]))
    figure = plots.frontier_figure(trade, palette, axis="leakage", current=(math.inf, 2.0), ends=("Kronecker", "optimum"))
    plans, ring = figure.data
    assert list(plans.x) == [0, 0.5, 1.0, 1.5]
    assert [told[0] for told in plans.customdata] == [0, 1, 2, 3]
    assert (plans.customdata[3][1], figure.layout.xaxis.ticktext[-1]) == ("no cap", "no cap")
    assert (list(ring.x), list(ring.y)) == ([1.5], [2.0])
    assert [note.text for note in figure.layout.annotations] == ["Kronecker", "optimum"]
    assert len(plots.frontier_figure(trade[:2], palette, axis="leakage").data) == 1


@PALETTES
def test_safe_plans_stand_between_the_lines_of_kronecker(palette):
    trade = list(safe_frontier(PLAN, [1, 2, 3]))
    figure = plots.safe_frontier_figure(
        trade, palette, kronecker=Kronecker.from_levels(SCHEMA.sizes, PLAN.levels), current=(2, 2.5)
    )
    whole, one, total, leakage, ring = figure.data
    assert list(whole.y) == [point.total for point in trade]
    assert list(one.y) == [point.leakage for point in trade]
    assert (list(total.y), list(leakage.y)) == ([3.0, 3.0], [1.0, 1.0])
    assert list(whole.x) == [1, 2, 3]
    assert ring.name == "your plan"


@PALETTES
def test_errors_are_in_points_and_carry_the_plan_that_has_them(palette):
    plan = Plan(SCHEMA, (1.0, 1.0, 1.0), 100, "kronecker")
    curve = list(error_frontier(plan, (0, 1), [0.5, 1, 2]))
    figure = plots.frontier_errors_figure({"kronecker": curve}, palette, current=(0.05, 2.0))
    line, ring = figure.data
    half = 100 * NormalDist().inv_cdf(0.975)
    assert list(line.y) == pytest.approx([half * point.value for point in curve])
    assert [told[0] for told in line.customdata] == ["kronecker:0", "kronecker:1", "kronecker:2"]
    assert (list(ring.x), list(ring.y)) == ([2.0], [pytest.approx(half * 0.05)])
    assert figure.layout.yaxis.type == "log"


@PALETTES
def test_errors_by_width_from_weak_to_strong_dependence(palette):
    trade = list(safe_frontier(PLAN, [1, 2, 3]))
    errors = frontier_errors_by_width(trade, (0, 1))
    figure = plots.frontier_errors_by_width_figure(errors, palette, current=2.0)
    unbiased, usual, strong, weak, ring = figure.data
    for line, of in ((unbiased, "unbiased"), (usual, "usual"), (strong, "strong"), (weak, "weak")):
        assert list(line.x) == [1, 2, 3]
        assert list(line.y) == [100 * getattr(one, of) for one in errors.values()]
    assert (list(ring.x), list(ring.y)) == ([2.0], [100 * errors[2.0].usual])
    assert len(plots.frontier_errors_by_width_figure(errors, palette).data) == 4
    assert len(plots.frontier_errors_by_width_figure(errors, palette, current=7.0).data) == 4
