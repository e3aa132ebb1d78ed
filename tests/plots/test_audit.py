"""Claims as lines, what was shown as bars, the contradicted ones hatched."""

from math import inf

import pytest

from rrcore import plots
from rrcore.audit import Bound, Check, Promise

PALETTES = pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
NAMES = ("<b>job</b>", "a name that is much longer than a phone is wide")


def bound(kind, axis, claim, shown):
    return Bound(Promise(kind, axis, claim, ((0, 0), (1, 1))), shown, 10, 5, 100, 9.0, 0.999)


@PALETTES
def test_rows_bars_and_lines(palette):
    bounds = [
        bound("level", 0, 1.0, 0.9),
        bound("level", 1, 2.0, 2.1),
        bound("leakage", 0, inf, 3.0),
        bound("total", None, 4.0, 3.9),
    ]
    figure = plots.audit_figure(bounds, NAMES, palette)
    fine, beyond, claimed = figure.data
    assert (list(fine.y), list(fine.x)) == ([0, 2, 3], [0.9, 3.0, 3.9])
    assert (list(beyond.y), list(beyond.x), beyond.name) == ([1], [2.1], "shown, above the claim")
    assert (list(claimed.y), list(claimed.x)) == ([0, 1, 3], [1.0, 2.0, 4.0])
    assert claimed.marker.symbol == "line-ns"  # a diamond is the whole record, on every page
    assert beyond.marker.pattern.shape == "/"
    assert not fine.marker.pattern.shape
    assert fine.marker.color == palette.estimate
    assert list(figure.layout.yaxis.ticktext) == [
        "&lt;b&gt;job&lt;/b&gt;, one answer",
        "a name that is mu…, one answer",
        "&lt;b&gt;job&lt;/b&gt;, others known",
        "whole record",
    ]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # the first row on top


def test_an_honest_audit_has_one_kind_of_bar():
    figure = plots.audit_figure([bound("total", None, 4.0, 3.9)], ("a",), plots.LIGHT)
    assert [trace.name for trace in figure.data] == ["shown by runs", "claimed"]


def test_evidence_of_collected_answers_is_drawn_against_what_chance_allows():
    checks = [
        Check("values", 4, 1.0, 3e-4, "fine"),
        Check("shares", 9, 0.0, 3e-4, "caught"),
        Check("order", 9, 1e-2, 3e-4, "fine"),
    ]
    fine, beyond, threshold = plots.audit_evidence_figure(checks, plots.LIGHT).data
    assert (list(fine.y), list(fine.x)) == ([0, 2], [0.0, 2.0])
    assert (list(beyond.y), list(beyond.x), beyond.name) == ([1], [12.0], "beyond chance")
    assert beyond.marker.pattern.shape == "/"
    assert list(threshold.x) == pytest.approx([3.52] * 3, abs=0.01)
