"""Measured against printed values: one mark per check, apart for those that differ."""

from rrcore.papers.checks import at_most, near
from rrcore.plots import DARK, LIGHT, checks_figure


def test_marks_are_apart_for_checks_that_differ():
    checks = [near("Table <I>", "a", 2.0, 2.0), near("Table I", "b", 5.0, 1.0), at_most("Table I", "c", 1.0, 2.0)]
    figure = checks_figure(checks, LIGHT)
    diagonal, agrees, differs = figure.data
    assert (list(diagonal.x), list(diagonal.y)) == ([1.0, 5.0], [1.0, 5.0])
    assert (list(agrees.x), list(agrees.y), list(differs.x), list(differs.y)) == ([2.0], [2.0], [5.0], [1.0])
    assert agrees.customdata == ("Table &lt;I&gt;: a",)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert agrees.marker.symbol != differs.marker.symbol


def test_nothing_is_drawn_without_two_positive_values():
    assert checks_figure([near("I", "a", 0.0, 1.0), near("I", "b", -1.0, 1.0), at_most("I", "c", 1.0, 2.0)], DARK) is None
