"""Figures of key-value data."""

import math

import numpy as np
import pytest

from rrcore.plots import LIGHT, PROTOCOL_LOOKS, keyvalue_answers_figure, keyvalue_keys_figure, keyvalue_protocols_figure
from rrcore.research.keyvalue import Answer, Errors, KeyEstimates

FOUND = KeyEstimates(
    np.array([0.5, 0.2, np.nan]), np.array([0.1, -0.4, np.nan]), np.array([0.01, 0.02, np.inf]), np.array([0.1, 0.2, np.inf]),
    np.array([100, 80, 0]),
)  # fmt: skip


@pytest.mark.parametrize("what", ["frequency", "mean"])
def test_keys_without_reports_keep_their_truth_and_get_no_estimate(what):
    figure = keyvalue_keys_figure(("a", "<b>", "c"), np.array([0.4, 0.3, 0.1]), FOUND, what, LIGHT)
    truth, estimate = figure.data
    assert list(truth.x) == ["a", "&lt;b&gt;", "c"]
    assert list(estimate.x) == ["a", "&lt;b&gt;"]
    factor = 100 if what == "frequency" else 1
    low, high = FOUND.interval(what)
    np.testing.assert_allclose(estimate.error_y.array, factor * (high - getattr(FOUND, what))[:2])
    np.testing.assert_allclose(estimate.error_y.arrayminus, factor * (getattr(FOUND, what) - low)[:2])


def test_at_most_forty_keys_are_drawn():
    many = KeyEstimates(*(np.full(60, 0.1),) * 4, np.full(60, 10))
    assert len(keyvalue_keys_figure([f"k{i}" for i in range(60)], np.zeros(60), many, "mean", LIGHT).data[0].x) == 40


def test_protocols_differ_in_colour_and_mark():
    assert len({colour for colour, _ in PROTOCOL_LOOKS.values()}) == len(PROTOCOL_LOOKS) == 6
    assert len({mark for _, mark in PROTOCOL_LOOKS.values()}) == 6


def test_errors_are_medians_with_bands_in_order():
    runs = np.arange(1.0, 12.0)
    errors = Errors(runs, 2 * runs)
    titles = {"kvue": "KVUE", "f2m": "F2M"}
    figure = keyvalue_protocols_figure(
        {"kvue": [(2.0, errors), (1.0, errors)], "f2m": [(1.0, errors)]}, titles, "mean", LIGHT, axis="x"
    )
    assert list(figure.data[0].x) == [1.0, 2.0]
    assert list(figure.data[0].y) == [12.0, 12.0]
    assert list(figure.data[0].error_y.array) == [8.0, 8.0]
    named = keyvalue_protocols_figure({"kvue": [(1.0, errors)]}, titles, "mean", LIGHT, axis="", ticks=["rare", "frequent"])
    assert list(named.data[0].x) == ["frequent"]


def test_answers_that_cannot_be_told_are_left_out():
    answers = {"one": Answer(0.5, 0.1, 0.2, 0.05), "other": Answer(math.nan, math.nan, math.nan, math.nan)}
    figure = keyvalue_answers_figure(answers, Answer(0.4, 0, 0.1, 0), "frequency", LIGHT)
    assert len(figure.data) == 1
    assert list(figure.data[0].x) == [50]
    assert figure.layout.shapes[0].x0 == 40
    assert "%" in figure.layout.xaxis.title.text
    means = keyvalue_answers_figure(answers, Answer(0.4, 0, 0.1, 0), "mean", LIGHT)
    assert list(means.data[0].x) == [0.2]
    assert "mean" in means.layout.xaxis.title.text


def test_the_axis_of_shares_runs_no_further_than_shares_can():
    figure = keyvalue_answers_figure({"one": Answer(0.7, 1.4, 0, 1)}, Answer(math.nan, 0, math.nan, 0), "frequency", LIGHT)
    assert list(figure.layout.xaxis.range) == [-25, 105]
