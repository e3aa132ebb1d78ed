"""The figure of a regression: what is drawn where."""

import pytest

from rrcore import plots


@pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK])
def test_estimates_have_intervals_and_naive_ones_stand_below(palette):
    ends = ([1.3, 0.6], [3.7, 1.2])
    figure = plots.model_coefficients_figure(["a<b", "c"], [2.2, 0.9], ends, [1.5, 1.0], palette, what="odds", nothing=1.0)
    own, naive = figure.data
    assert (list(own.x), list(naive.x)) == ([2.2, 0.9], [1.5, 1.0])
    assert list(own.error_x.array) == [pytest.approx(1.5), pytest.approx(0.3)]
    assert figure.layout.xaxis.type == "log"
    assert list(figure.layout.yaxis.ticktext) == ["a&lt;b", "c"]


def test_amounts_have_a_plain_axis_and_no_naive_fit_no_marks():
    figure = plots.model_coefficients_figure(["a"], [2.0], ([1.0], [3.0]), None, plots.LIGHT, what="higher by", nothing=0.0)
    assert len(figure.data) == 1
    assert figure.layout.xaxis.type == "linear"


def test_long_names_keep_their_ends_and_long_titles_break():
    names = [f"Did you ever drive after more than three drinks?: {often}" for often in ("once", "often")]
    ends = ([1.0, 1.0], [3.0, 3.0])
    what = "the odds of “yes” to “connected to an armed group” are multiplied by"
    figure = plots.model_coefficients_figure(names, [2.0, 2.0], ends, None, plots.LIGHT, what=what, nothing=1.0)
    assert [text.rpartition(" ")[2] for text in figure.layout.yaxis.ticktext] == ["once", "often"]
    lines = figure.layout.xaxis.title.text.split("<br>")
    assert max(map(len, lines)) <= 26  # what a phone has room for
    assert " ".join(lines) == what


def test_words_of_names_and_titles_stay_whole():
    names = ["Have you been hospitalised last year: hospitalisation", "x" * 40 + ": yes", "In which of the places: (missing)"]
    ends, what = ([1.0] * 3, [3.0] * 3), f"the odds of {'Donaudampfschiff' * 3} are"
    figure = plots.model_coefficients_figure(names, [2.0] * 3, ends, None, plots.LIGHT, what=what, nothing=1.0)
    assert list(figure.layout.yaxis.ticktext) == [
        "Have you been … hospitalisation",
        f"{'x' * 15} … yes",
        "In which of the … (missing)",
    ]
    first, middle, last = figure.layout.xaxis.title.text.split("<br>")
    assert (first, last) == ("the odds of", "are")
    assert "Donaudampf" in middle
    assert len(middle) <= 26
