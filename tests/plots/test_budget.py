"""Pinned plans as bars: the right lengths in the right rows, and nothing where nothing is known."""

import math
from statistics import NormalDist

import pytest

from rrcore import plots
from rrcore.budget import Pin, Plan, Tradeoff, compare, tradeoff
from rrcore.table.schema import Attribute, Schema

SCHEMA = Schema((Attribute("a", ("0", "1")), Attribute("b", ("0", "1")), Attribute("c", ("0", "1"))))
PALETTES = pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])


def entry(name, mechanism, levels=(0.5, 0.5, 0.5), names=("a", "b")):
    plan = Plan(SCHEMA, levels, 1000, mechanism)
    return tradeoff(Pin(name, plan), compare(plan, (mechanism,))[0], names)


def rows(figure):
    """Name of each row -> its bars (total, then half the 95 % interval in points)."""
    label = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    found = {name: [] for name in label.values()}
    for bar in figure.data:
        found[label[bar.y[0]]].append(bar)
    return found


@PALETTES
def test_totals_beside_errors(palette):
    first, second = entry("first", "kronecker"), entry("second", "pair-safe")
    figure = plots.budget_plans_figure([first, second], palette, bold=["second"])
    found = rows(figure)
    assert list(found) == ["first", "<b>second</b>"]
    assert figure.layout.yaxis.tickvals == (1, 0)  # the first on top
    for one, bars in zip((first, second), found.values(), strict=True):
        assert [bar.x[0] for bar in bars] == pytest.approx([one.total, 100 * NormalDist().inv_cdf(0.975) * one.error])
        assert [bar.xaxis for bar in bars] == ["x", "x2"]
        assert {bar.marker.color for bar in bars} == {plots.mechanism_colour(one.option.key)}
    assert found["first"][0].text[0] == "1.50"
    lines = [axis.title.text.count("<br>") + 1 for axis in (figure.layout.xaxis, figure.layout.xaxis2)]
    assert figure.layout.margin.b >= 20 + 20 * max(lines)  # else titles stand on the numbers


def test_an_erased_marginal_is_called_not_identifiable_and_has_no_bar():
    figure = plots.budget_plans_figure([entry("lost", "optimal"), entry("kept", "kronecker")], plots.LIGHT)
    found = rows(figure)
    assert [len(bars) for bars in found.values()] == [1, 2]
    (note,) = figure.layout.annotations
    assert (note.text.strip(), note.y, note.xref) == ("not identifiable", 1, "x2")


def test_without_any_error_there_are_only_totals():
    figure = plots.budget_plans_figure([entry("one", "kronecker", names=()), entry("lost", "optimal")], plots.LIGHT)
    assert [len(bars) for bars in rows(figure).values()] == [1, 1]
    assert "xaxis2" not in figure.layout.to_plotly_json()
    assert len(figure.layout.annotations) == 0


def test_a_plan_without_a_mechanism_is_left_out():
    good = entry("good", "kronecker")
    refused = Tradeoff(Pin("refused", good.pin.plan), good.option.__class__("optimal", "", None, good.option.kronecker, "No."))
    assert list(rows(plots.budget_plans_figure([refused, good], plots.LIGHT))) == ["good"]
    assert math.isinf(refused.total)


def test_the_longest_total_ends_within_the_figure_and_leaves_room_for_its_number():
    options = compare(Plan(SCHEMA, (2.0, 1.0, 0.5), 1000, "kronecker"), ("kronecker", "pair-safe", "optimal"))
    figure = plots.budget_totals_figure(options, plots.LIGHT)
    longest = max(bar.x[0] for bar in figure.data)
    assert longest == pytest.approx(3.5)
    assert figure.layout.xaxis.range[0] == 0
    assert 1.3 * longest < figure.layout.xaxis.range[1] < 2.5 * longest


def test_levels_that_are_not_met_or_exceeded_show():
    below, above = entry("below", "joint", (0.5, 2.0, 1.0)), entry("above", "published", (0.4, 3.7, 0.4))
    assert above.option.violations
    shapes = {
        name: bars[0].marker.pattern.shape for name, bars in rows(plots.budget_plans_figure([below, above], plots.LIGHT)).items()
    }
    assert shapes == {"below": "/", "above": "x"}


def test_names_are_cut_and_carry_no_markup():
    figure = plots.budget_plans_figure([entry("<i>x</i> %{y} " + "long " * 20, "kronecker")], plots.LIGHT)
    (name,) = rows(figure)
    assert name.startswith("&lt;i&gt;x&lt;/i&gt;")
    assert name.endswith("…")
    assert "%{y}" not in figure.data[0].hovertemplate
    assert "<i>" not in figure.data[0].hovertemplate
