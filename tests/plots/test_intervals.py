"""Estimates with their intervals, one in each row."""

import numpy as np
import pytest

from rrcore import plots
from rrcore.channel import MatrixChannel
from rrcore.estimate import invert_counts, ordered_summary
from rrcore.table import Attribute, Schema

SCHEMA = Schema((Attribute("smokes", ("no", "<b>yes")),))


@pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
def test_a_share_in_each_group_with_its_interval(palette):
    shares = np.array([0.2, 0.5])
    figure = plots.group_intervals_figure(["a <3>", "b"], shares, (shares - 0.1, shares + 0.2), palette, of="x<b>")
    (trace,) = figure.data
    assert (list(trace.x), list(trace.y)) == ([20, 50], ["a &lt;3&gt;", "b"])
    np.testing.assert_allclose(trace.error_x.array, 20)
    np.testing.assert_allclose(trace.error_x.arrayminus, 10)
    assert figure.layout.xaxis.title.text == "% x&lt;b&gt;"


def test_no_interval_of_a_group_is_cut_without_a_word():
    shares = np.array([0.02, 0.5])
    half = np.array([0.4, 0.1])
    figure = plots.group_intervals_figure(["few", "many"], shares, (shares - half, shares + half), plots.LIGHT, of="x")
    assert figure.layout.xaxis.range[0] < -38
    assert len(figure.data) == 1
    half[0] = 3
    figure = plots.group_intervals_figure(["few", "many"], shares, (shares - half, shares + half), plots.LIGHT, of="x")
    assert figure.layout.xaxis.range == (-100, 200)  # with room for the others
    assert [(*trace.x, *trace.y, trace.marker.symbol) for trace in figure.data[1:]] == [
        (-100, "few", "triangle-left"),
        (200, "few", "triangle-right"),
    ]


@pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
def test_cumulative_shares_are_steps_and_the_median_lies_at_a_half(palette):
    schema = Schema((Attribute("age", ("<b>young", *map(str, range(1, 39)), "old"), "ordinal"),))
    channel = MatrixChannel(0.7 * np.eye(40) + 0.3 / 40)
    found = ordered_summary(invert_counts(np.arange(1, 41), channel, schema=schema), population=True)
    low, high, steps, median = (figure := plots.ordered_intervals_figure(found, palette)).data
    assert {trace.line.shape for trace in (low, high, steps)} == {"hv"}
    np.testing.assert_allclose(steps.y[:-1], 100 * found.shares)
    np.testing.assert_allclose(low.y[:-1], 100 * found.low)
    assert (list(steps.x), steps.y[-1], steps.customdata[0]) == (list(range(41)), 100, "&lt;b&gt;young")
    assert (median.x[0], median.y[0]) == (found.median.at + 0.5, 50)
    assert median.x[0] + median.error_x.array[0] == found.median.high + 0.5
    assert median.x[0] - median.error_x.arrayminus[0] == found.median.low + 0.5
    assert 10 < len(figure.layout.xaxis.ticktext) <= 16
