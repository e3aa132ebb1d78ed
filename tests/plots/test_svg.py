"""Figures for documents: what is drawn is where its number says, names are escaped and short, and what cannot be told is hatched."""

import math
from xml.etree.ElementTree import fromstring, tostring

import numpy as np
import pytest

from rrcore.plots.palette import LIGHT
from rrcore.plots.svg import MOST_DRAWN, bars, dumbbells, triangle

NAMES = ["no", "<b>yes</b> & a name that is far too long to be drawn in full"]


def again(figure):
    """The figure as a reader of XML has it."""
    return fromstring(tostring(figure, encoding="unicode"))


def texts(figure):
    return [element.text for element in figure.iter("text")]


def widths(figure, colour):
    return [float(rect.get("width")) for rect in figure.iter("rect") if rect.get("fill") == colour][
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
    assert "100 %" in texts(figure)
    assert not any(rect.get("fill") == LIGHT.truth for rect in figure.iter("rect"))


def test_bars_never_leave_the_figure():
    shares = np.array([1.4, -0.4])
    figure = again(bars(NAMES, shares, shares, (shares - 2, shares + 2), title="", truth=np.array([1.0, 0.0])))
    width = float(figure.get("viewBox").split()[2])
    for rect in figure.iter("rect"):
        assert 0 <= float(rect.get("x")) <= float(rect.get("x")) + float(rect.get("width")) <= width
    for line in figure.iter("line"):
        assert all(0 <= float(line.get(end)) <= width for end in ("x1", "x2"))
    assert len(widths(figure, LIGHT.truth)) == 2


def test_dumbbells_lie_on_a_scale_of_odds_and_say_where_there_is_no_bound():
    figure = again(
        dumbbells(["a", "b", "c"], np.log([2.0, 4.0, 3.0]), np.array([math.log(4), math.log(8), math.inf]), title="Odds")
    )
    x = [float(circle.get("cx")) for circle in figure.iter("circle")]
    assert x[3] - x[1] == pytest.approx(x[1] - x[0], abs=0.2)  # 4 to 8 times as 2 to 4 times
    assert x[2] == x[1]
    assert x[5] > x[3]
    assert {"no bound", "× 4.00", "× 8.00", "× 1", "× 2", "× 5"} <= set(texts(figure))


def test_odds_of_ten_thousands_are_marked_by_powers_of_ten():
    figure = again(dumbbells(["a"], np.array([12.0]), np.array([30.0]), title="Odds"))
    ticks = [text for text in texts(figure) if text.startswith("× 1,000")]
    assert len([text for text in texts(figure) if text.startswith("× 1") and text.strip("× 1,0") == ""]) <= 8
    assert ticks


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
