"""What a mechanism file promises: odds on a log axis, row by row, and what has no bound says so."""

import math

import pytest

from rrcore import plots
from rrcore.limits import MAX_DRAWN


@pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
def test_rings_dots_and_the_record_stand_at_their_odds(palette):
    names = ["a long name of an attribute", "b<i>"]
    figure = plots.certificate_figure(names, [1.0, 2.0], [1.5, math.inf], 3.0, palette)
    alone, full, record = figure.data
    assert list(alone.x) == pytest.approx([math.e, math.exp(2)])
    assert (list(full.x), list(full.y)) == (pytest.approx([math.exp(1.5)]), [1])
    assert (list(record.x), list(record.y)) == (pytest.approx([math.exp(3)]), [-1])
    assert [note.text for note in figure.layout.annotations] == ["4.49×", "no bound", "20.1×"]
    assert list(figure.layout.yaxis.ticktext) == ["a long name of an…", "b&lt;i&gt;", "whole record"]
    assert [(line.x0, line.x1) for line in figure.layout.shapes] == [pytest.approx((math.e, math.exp(1.5)))]


def test_of_many_attributes_the_largest_are_drawn_and_long_axes_have_powers_of_ten():
    epsilon = [1.0 + i / 10 for i in range(MAX_DRAWN + 5)]
    figure = plots.certificate_figure([f"q{i}" for i in range(MAX_DRAWN + 5)], epsilon, epsilon, sum(epsilon), plots.LIGHT)
    assert len(figure.data[0].x) == MAX_DRAWN
    assert all(math.log10(tick) == pytest.approx(round(math.log10(tick))) for tick in figure.layout.xaxis.tickvals)


def test_large_odds_are_written_with_separators_until_they_are_too_wide():
    figure = plots.certificate_figure(["q"], [9.0], [9.2], 9.5, plots.LIGHT)
    assert list(figure.layout.xaxis.ticktext)[:5] == ["1", "10", "100", "1,000", "10,000"]
    plots.certificate_figure(["q"], [30.0], [30.0], 3000.0, plots.LIGHT)  # more than a float holds
    longer = plots.certificate_figure(["q"], [20.0], [20.0], 20.0, plots.LIGHT)
    assert list(longer.layout.xaxis.ticktext)[-1] == "10¹²"
