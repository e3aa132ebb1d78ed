"""Estimates with their intervals, one in each row."""

from dataclasses import replace

import numpy as np
import pytest

from rrcore import plots
from rrcore.estimate import Result
from rrcore.table import Attribute, Schema

SCHEMA = Schema((Attribute("smokes", ("no", "<b>yes")),))


def result(groups, shares, below, above):
    ends = {"conf_low": shares - below, "conf_high": shares + above}
    return Result(labels={"group": groups}, estimate=shares, std_error=shares, **ends)


def drawn(figure):
    """The traces by their names, with the labels of the rows in place of the positions."""
    return {trace.name: (list(trace.x), list(trace.text)) for trace in figure.data if trace.name}


def written(figure):
    return [text for trace in figure.data if trace.mode == "text" for text in trace.text]


@pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
def test_rows_have_truth_randomized_estimate_and_interval(palette):
    shares = np.array([0.2, -0.014])
    figure = plots.proportions_figure(
        ["a <3>", "b"],
        shares,
        palette,
        interval=(shares - 0.1, shares + 0.2),
        truth=np.array([0.25, 0.01]),
        randomized=np.array([0.4, 0.3]),
        others={"shrinkage": np.array([0.22, 0.0])},
    )
    rows = ["a &lt;3&gt;", "b"]
    assert drawn(figure) == {
        "truth": ([25, 1], rows),
        "randomized data": ([40, 30], rows),
        "estimate with 95% CI": ([20, pytest.approx(-1.4)], rows),
        "shrinkage": ([22, 0], rows),
    }
    (estimate,) = (trace for trace in figure.data if trace.error_x.array is not None)
    np.testing.assert_allclose(estimate.error_x.array, 20)
    np.testing.assert_allclose(estimate.error_x.arrayminus, 10)
    assert estimate.x[0] == 20
    assert written(figure) == ["<b>20.0%</b>", "<b>\N{MINUS SIGN}1.4%</b>"]
    assert list(figure.layout.yaxis.ticktext) == rows


@pytest.mark.parametrize("answers", [("01-06", "07-09", "10-12"), ("2020-01", "2020-02", "2021-01"), ("1", "2", "(missing)")])
def test_answers_that_look_like_dates_or_numbers_are_names(answers):
    shares = np.array([0.2, 0.3, 0.5])
    figures = [
        plots.marginal_figure(Schema((Attribute("grade", answers),)), shares, plots.LIGHT, interval=(shares, shares)),
        plots.result_figure(result(answers, shares, 0.1, 0.1), plots.LIGHT, of="yes"),
    ]
    for figure in figures:
        assert figure.layout.yaxis.type == "category"
        assert sorted(figure.layout.yaxis.ticktext) == sorted(answers)
        assert sorted(figure.data[0].x) == [20, 30, 50]


def test_the_largest_cells_are_drawn_in_at_most_560_pixels():
    wide = Schema((Attribute("w", tuple(map(str, range(50)))),))
    truth = np.arange(50.0) / np.arange(50).sum()
    figure = plots.marginal_figure(wide, truth[::-1].copy(), plots.LIGHT, truth=truth)
    assert list(figure.layout.yaxis.ticktext) == [str(i) for i in range(49, 33, -1)]
    assert figure.layout.height <= 560
    every = plots.marginal_figure(wide, truth, plots.LIGHT, most=50)
    assert len(every.layout.yaxis.ticktext) == 50


def test_long_labels_have_two_lines_and_no_markup():
    schema = Schema((Attribute("a", tuple(f"a <b>rather</b> long answer {i}" for i in range(5))), Attribute("b", ("x", "y"))))
    figure = plots.marginal_figure(schema, np.full(schema.sizes, 0.1), plots.LIGHT)
    assert figure.layout.yaxis.ticktext[0].endswith("<br>x")
    assert figure.layout.yaxis.ticktext[0].startswith("a &lt;b&gt;")


def test_rows_without_an_estimate_have_no_mark():
    found = result(["a", "b"], np.array([0.2, np.nan]), 0.1, np.inf)
    figure = plots.result_figure(found, plots.LIGHT, of="x")
    np.testing.assert_array_equal(figure.data[0].x, [20, np.nan])
    assert len(written(figure)) == 1
    assert np.isfinite(figure.layout.xaxis.range).all()


def test_other_numbers_than_shares_are_drawn_as_they_are():
    found = replace(result(["a", "b"], np.array([1.25, 0.5]), 0.1, 0.2), columns={"truth": [1.5, 0.4]}, share=False)
    figure = plots.result_figure(found, plots.LIGHT, of="x<b>")
    assert drawn(figure)["truth"][0] == [1.5, 0.4]
    assert written(figure) == ["<b>1.25</b>", "<b>0.5</b>"]
    assert figure.layout.xaxis.title.text == "x&lt;b&gt;"


def test_no_interval_is_cut_without_an_arrow():
    shares, half = np.array([0.02, 0.5]), np.array([0.4, 0.1])
    figure = plots.result_figure(result(["few", "many"], shares, half, half), plots.LIGHT, of="x")
    assert figure.layout.xaxis.range[0] < -38
    half[0] = 3
    figure = plots.result_figure(result(["few", "many"], shares, half, half), plots.LIGHT, of="x")
    assert figure.layout.xaxis.range == (-100, 200)  # with room for the others
    arrows = [trace for trace in figure.data if str(trace.marker.symbol).startswith("triangle")]
    assert [(*trace.x, trace.marker.symbol) for trace in arrows] == [(-100, "triangle-left"), (200, "triangle-right")]
