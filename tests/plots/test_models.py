"""Figures of a regression: what is drawn where, and what is filled."""

import pytest

from rrcore import plots


@pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK])
def test_clear_effects_are_filled_and_others_hollow(palette):
    ends = ([1.3, 0.6], [3.7, 1.2])
    figure = plots.model_coefficients_figure(
        ["a<b", "c"], [2.2, 0.9], ends, [1.5, 1.0], [True, False], palette, what="odds", nothing=1.0
    )
    clear, unclear, naive = figure.data
    assert (clear.marker.symbol, unclear.marker.symbol, naive.marker.symbol) == ("circle", "circle-open", "diamond")
    assert (list(clear.x), list(unclear.x), list(naive.x)) == ([2.2], [0.9], [1.5, 1.0])
    assert list(clear.error_x.array) == [pytest.approx(1.5)]
    assert figure.layout.xaxis.type == "log"
    assert list(figure.layout.yaxis.ticktext) == ["a&lt;b", "c"]


def test_amounts_have_a_plain_axis_and_no_naive_fit_no_marks():
    figure = plots.model_coefficients_figure(
        ["a"], [2.0], ([1.0], [3.0]), None, [True], plots.LIGHT, what="higher by", nothing=0.0
    )
    assert len(figure.data) == 1
    assert figure.layout.xaxis.type == "linear"


def test_averages_have_a_row_for_every_label():
    values, ends = [[0.2, 0.8], [0.4, 0.6]], ([[0.1, 0.7], [0.3, 0.5]], [[0.3, 0.9], [0.5, 0.7]])
    figure = plots.model_averages_figure(["x", "y"], ["no", "yes"], values, ends, plots.LIGHT, what="share", shares=True)
    assert [trace.name for trace in figure.data] == ["no", "yes"]
    assert list(figure.data[1].x) == [80, 60]
    assert figure.layout.xaxis.title.text == "share, %"


def test_long_names_keep_their_ends_and_long_titles_break():
    names = [f"Did you ever drive after more than three drinks?: {often}" for often in ("once", "often")]
    ends = ([1.0, 1.0], [3.0, 3.0])
    what = "the odds of “yes” to “connected to an armed group” are multiplied by"
    figure = plots.model_coefficients_figure(names, [2.0, 2.0], ends, None, [True, True], plots.LIGHT, what=what, nothing=1.0)
    assert [text.rpartition(" ")[2] for text in figure.layout.yaxis.ticktext] == ["once", "often"]
    lines = figure.layout.xaxis.title.text.split("<br>")
    assert max(map(len, lines)) <= 26  # what a phone has room for
    assert " ".join(lines) == what


def test_words_of_names_and_titles_stay_whole():
    names = ["Have you been hospitalised last year: hospitalisation", "x" * 40 + ": yes", "In which of the places: (missing)"]
    ends, what = ([1.0] * 3, [3.0] * 3), f"the odds of {'Donaudampfschiff' * 3} are"
    figure = plots.model_coefficients_figure(names, [2.0] * 3, ends, None, [True] * 3, plots.LIGHT, what=what, nothing=1.0)
    assert list(figure.layout.yaxis.ticktext) == [
        "Have you been … hospitalisation",
        f"{'x' * 15} … yes",
        "In which of the … (missing)",
    ]
    first, middle, last = figure.layout.xaxis.title.text.split("<br>")
    assert (first, last) == ("the odds of", "are")
    assert "Donaudampf" in middle
    assert len(middle) <= 26
