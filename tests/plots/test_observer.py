"""The figure of what an observer learns: every bar is all people, and its parts are those counted."""

import pytest

from rrcore.budget import Certainty
from rrcore.budget.certainty import CertaintySpread
from rrcore.plots import DARK, LIGHT, observer_certainty_figure

FLAT = CertaintySpread.of([0.6], [1.0])
FOUND = [
    Certainty("answer", 2000, FLAT, CertaintySpread.of([0.4, 0.8], [0.25, 0.75])),
    Certainty("record", 2000, FLAT, CertaintySpread.of([0.8, 0.96], [0.99, 0.01])),
    Certainty("others", 2000, CertaintySpread.of([0.6, 1.0], [0.5, 0.5]), CertaintySpread.of([1.0], [1.0])),
]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_people_by_certainty(palette):
    figure = observer_certainty_figure(FOUND, palette)
    assert [bar.name for bar in figure.data] == ["below 50 %", "50 to 75 %", "75 to 95 %", "at least 95 %"]
    rows = ["nothing seen", "one answer seen", "whole record seen", "other answers known", "... and whole record seen"]
    assert all(list(bar.y) == rows for bar in figure.data)
    parts = list(zip(*(bar.x for bar in figure.data), strict=True))
    assert parts[1] == pytest.approx((0.25, 0, 0.75, 0))
    assert parts[2] == pytest.approx((0, 0, 0.99, 0.01))
    assert [sum(part) for part in parts] == pytest.approx([1] * 5)
    assert [numbers[0] for numbers in figure.data[3].customdata] == ["0", "0", "20", "1,000", "2,000"]
    assert list(figure.data[3].text) == ["", "", "", "50.0 %", "100.0 %"]  # what is too narrow has no number


def test_without_a_table_two_observers():
    figure = observer_certainty_figure([FOUND[0], Certainty("others", 2000, FLAT, FLAT)], LIGHT)
    assert list(figure.data[0].y) == ["nothing seen", "one answer seen", "other answers known", "... and whole record seen"]
