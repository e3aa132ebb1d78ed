"""Figures of a survey in the field: the band by day, cut off at 0 and 100%, and the bars."""

import datetime as dt

import numpy as np
import pytest

from rrcore import plots

DAYS = [dt.date(2026, 11, day) for day in range(3, 14)]


@pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
def test_a_share_in_its_band(palette):
    share = np.linspace(0.4, 0.3, len(DAYS))
    reach = np.linspace(0.9, 0.05, len(DAYS))
    figure = plots.field_shares_figure(DAYS, np.arange(11) * 10, share, (share - reach, share + reach), palette, name="<q>: yes")
    low, high, line = figure.data
    assert list(line.x) == DAYS
    np.testing.assert_allclose(line.y, 100 * share)
    np.testing.assert_allclose(low.y, 100 * np.clip(share - reach, 0, 1))
    np.testing.assert_allclose(high.y, 100 * np.clip(share + reach, 0, 1))
    assert high.fill == "tonexty"
    assert (line.line.color, line.name) == (palette.estimate, "estimate from all answers so far")
    assert figure.layout.yaxis.title.text == "&lt;q&gt;: yes, % of people"
    assert line.error_y.array is None


def test_a_single_day_has_a_whisker():
    one = np.array([0.3])
    figure = plots.field_shares_figure(DAYS[:1], np.array([12]), one, (one - 0.1, one + 0.2), plots.LIGHT, name="q")
    np.testing.assert_allclose(figure.data[2].error_y.array, [20])
    np.testing.assert_allclose(figure.data[2].error_y.arrayminus, [10])
    assert list(figure.layout.xaxis.tickvals) == [dt.date(2026, 11, 3)]


def test_bars_of_every_day():
    figure = plots.field_arrivals_figure(DAYS[:3], {DAYS[0]: 5, DAYS[2]: 7}, {DAYS[0]: 6}, plots.LIGHT)
    opened, answers = figure.data
    assert list(opened.y) == [6, 0, 0]
    assert list(answers.y) == [5, 0, 7]
    assert figure.layout.barmode == "overlay"
    assert 0 < answers.width < 86_400_000
