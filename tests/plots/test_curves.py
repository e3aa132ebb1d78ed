"""The two figures of Budget show the numbers of the library, and plotly accepts them."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.io import to_json

from rrcore import plots
from rrcore.budget import CurvePoint, Plan, accuracy, recipe, trace_curves
from rrcore.table import Attribute, Schema

SCHEMA = Schema(tuple(Attribute(name, tuple(map(str, range(size)))) for name, size in (("a", 9), ("b", 2), ("c", 2))))
PLAN = Plan(SCHEMA, 1.0, n=2_000)
KEYS = ("independent", "preserving-2", "optimal")


def figures(view="error"):
    now = [CurvePoint.of(plan, plan.build()) for plan in (PLAN.with_(mechanism=key) for key in KEYS)]
    points = list(trace_curves(PLAN, KEYS))
    found = accuracy(PLAN, PLAN.build())
    return (
        plots.budget_curves_figure(points, now, (1, 2), plots.LIGHT, view=view, chosen="preserving-2", before=points[0]),
        plots.budget_margins_figure(SCHEMA.names, found, plots.DARK, chosen=(1, 2)),
    )


@pytest.mark.parametrize("view", ["error", "success", "both"])
def test_each_mechanism_has_a_line_and_a_mark(view):
    figure, _ = figures(view)
    lines = {trace.name: trace for trace in figure.data if trace.mode == "lines"}
    assert set(lines) == {recipe(key).title for key in KEYS}
    assert sum(trace.text == ("this plan",) for trace in figure.data) == 1
    assert all(len(line.x) == len(line.y) > 3 for line in lines.values())


def test_margins_are_in_their_cells_and_unusable_pairs_are_hatched():
    _, figure = figures()
    found, cells = accuracy(PLAN, PLAN.build()), figure.data[0]
    assert (found.usable[0, 1], found.usable[1, 2]) == (False, True)
    pairs = zip(cells.customdata, cells.z, strict=True)
    shown = {tuple(cell[:2]): z for row in pairs for cell, z in zip(*row, strict=True) if cell}
    assert shown[1, 2] == pytest.approx(100 * found.margins[1, 2])
    assert shown[0, 1] < 0
    assert any(trace.name == "not usable" for trace in figure.data)


@pytest.mark.parametrize("k", [1, 60])
def test_one_attribute_and_many(k):
    schema = Schema(tuple(Attribute(f"q{i}", ("x", "y")) for i in range(k)))
    plan = Plan(schema, 0.5, n=100)
    figure = plots.budget_margins_figure(schema.names, accuracy(plan, plan.build()), plots.LIGHT, chosen=(0, 0))
    assert np.shape(figure.data[0].z)[0] == min(max(k - 1, 1), 39)


def test_what_is_drawn_without_plotlys_check_passes_it_and_means_the_same():
    for figure in figures():
        checked = go.Figure(figure.to_dict()).to_dict()
        assert json.loads(to_json(filled(figure.to_dict()), validate=False)) == json.loads(
            to_json(filled(checked), validate=False)
        )


def filled(spec):
    """``spec`` without empty lists, which say nothing."""
    parts = [
        {name: value for name, value in trace.items() if value not in ([], ())} for trace in json.loads(to_json(spec))["data"]
    ]
    layout = {name: value for name, value in json.loads(to_json(spec))["layout"].items() if value not in ([], {})}
    return {"data": parts, "layout": layout}
