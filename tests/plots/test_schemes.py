"""Comparisons of schemes: medians in their bands, the same look everywhere, and who wins is written in every cell."""

import math

import pytest

from rrcore import plots
from rrcore.schemes import Summary, Winner

PALETTES = pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])


def summary(scheme, ways, error, *, value=1.0, releases=5):
    return Summary(scheme, value, ways, error, 0.5 * error, 2 * error, releases)


@PALETTES
def test_medians_in_points_with_a_band_of_the_same_scheme(palette):
    found = [summary(scheme, ways, 0.01 * ways) for scheme in ("rr-independent", "3-safe-em") for ways in (2, 1)]
    figure = plots.scheme_errors_figure(found, palette, axis="attributes", metric="half L1 (total variation)")
    band, line, _, other = figure.data
    assert (list(line.x), list(line.y)) == ([1, 2], [1.0, 2.0])
    assert list(band.y) == [2.0, 4.0, 1.0, 0.5]
    assert [told[:2] for told in line.customdata] == [["rr-independent", 1], ["rr-independent", 2]]
    assert (other.line.dash, other.marker.symbol) == ("dot", "diamond-tall-open")
    assert figure.layout.yaxis.title.text == "half L1 (total variation) (points)"
    assert figure.layout.yaxis.type is None


def test_a_wide_span_of_values_or_errors_is_logarithmic_and_one_release_has_no_band():
    found = [summary("em", 2, 0.1 * value, value=value, releases=1) for value in (1.0, 2.0, 30.0)]
    figure = plots.scheme_errors_figure(found, plots.LIGHT, axis="level", metric="mean squared error", by_ways=False)
    assert len(figure.data) == 1
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")


@PALETTES
def test_the_winner_is_named_and_pale_where_it_may_be_luck(palette):
    first, second, third = summary("em", 2, 0.01), summary("naive", 2, 0.05), summary("hybrid", 3, 0.02)
    winners = [Winner(1.0, 2, first, second), Winner(1.0, 3, third, third), Winner(2.0, 2, first, None)]
    figure = plots.scheme_winners_figure(winners, palette, axis="level", metric="mean absolute error")
    assert [text.split("<br>")[1] for text in figure.data[0].text] == ["× 5.0", "× 1.0", ""]
    assert [shape.opacity for shape in figure.layout.shapes] == [0.5, 0.2, 0.5]
    assert (list(figure.layout.xaxis.ticktext), list(figure.layout.yaxis.ticktext)) == (["1", "2"], ["2", "3"])
    assert "so it may be luck" in figure.data[0].hovertext[1]
    alone = plots.scheme_winners_figure([Winner(math.nan, 2, first, None)], palette, axis="level", metric="mean absolute error")
    assert not alone.layout.xaxis.title.text
