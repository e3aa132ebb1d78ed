"""Figures for documents: what is drawn is where its number says, names are escaped and short, and what is unknown is hatched."""

import math
from xml.etree.ElementTree import fromstring, tostring

import numpy as np
import pytest

from rrcore.plots.palette import LIGHT
from rrcore.plots.svg import MOST_DRAWN, bars, triangle

NAMES = ["no", "<b>yes</b> & a name that is far too long to be drawn in full"]


def again(figure):
    """The figure as a reader of XML has it."""
    return fromstring(tostring(figure, encoding="unicode"))


def texts(figure):
    return [element.text for element in figure.iter("text")]


def widths(figure, color):
    return [float(rect.get("width")) for rect in figure.iter("rect") if rect.get("fill") == color][
        1:
    ]  # the first is the legend's


def test_bars_are_as_long_as_shares_with_intervals_where_they_are():
    shares, released = np.array([0.8, 0.2]), np.array([0.6, 0.4])
    figure = again(bars(NAMES, released, shares, (np.array([0.7, -0.1]), np.array([0.9, math.nan])), title="Shares <of> all"))
    assert figure.get("aria-label") == "Shares <of> all"
    long, short = widths(figure, LIGHT.estimate)
    assert long / short == pytest.approx(4, rel=0.01)
    assert [width / long for width in widths(figure, LIGHT.released)] == pytest.approx([0.75, 0.5], rel=0.01)
    whiskers = [line for line in figure.iter("line") if line.get("stroke-width") == "1.4"]
    assert len(whiskers) == 3  # one interval of three strokes: the other is not known
    ends = sorted({float(line.get("x1")) for line in whiskers[1:]})
    assert (ends[1] - ends[0]) / long == pytest.approx(0.2 / 0.8, rel=0.01)
    assert "<b>yes</b> & a name tha…" in texts(figure)
    assert {element.text for element in figure.iter("title")} == set(NAMES)
    assert "100%" in texts(figure)


def test_bars_never_leave_the_figure():
    shares = np.array([1.4, -0.4])
    figure = again(bars(NAMES, shares, shares, (shares - 2, shares + 2), title=""))
    width = float(figure.get("viewBox").split()[2])
    for rect in figure.iter("rect"):
        assert 0 <= float(rect.get("x")) <= float(rect.get("x")) + float(rect.get("width")) <= width
    for line in figure.iter("line"):
        assert all(0 <= float(line.get(end)) <= width for end in ("x1", "x2"))


def test_a_map_is_darker_for_more_and_hatched_for_what_cannot_be_told():
    values = np.array([[0, 0, 0], [0.1, 0, 0], [0.5, 0.9, 0]])
    hatched = np.zeros((3, 3), dtype=bool)
    hatched[1, 0] = True
    figure = again(
        triangle(["a", "b", "c"], values, [["", "", ""], ["", "", ""], ["0.50", "0.90", ""]], title="V", top=0.5, hatched=hatched)
    )
    cells = {rect.find("title").text: rect.get("fill") for rect in figure.iter("rect") if rect.find("title") is not None}
    (pattern,) = figure.iter("pattern")
    assert cells["b with a: not identifiable"] == f"url(#{pattern.get('id')})"
    assert cells["c with a: 0.50"] == cells["c with b: 0.90"] == LIGHT.sequential[-1][1].lower()
    assert {"0.50", "0.90"} <= set(texts(figure))


def test_every_figure_of_many_rows_is_as_wide_as_any():
    names = [f"attribute {i}" for i in range(MOST_DRAWN)]
    zeros = np.zeros((MOST_DRAWN, MOST_DRAWN))
    figure = again(triangle(names, zeros, [["0.00"] * MOST_DRAWN] * MOST_DRAWN, title="", top=1.0, hatched=zeros > 1))
    right = max(float(rect.get("x")) + float(rect.get("width")) for rect in figure.iter("rect"))
    assert right <= float(figure.get("viewBox").split()[2])
    assert "0.00" not in texts(figure)  # too small for a number: the title of a cell has it
