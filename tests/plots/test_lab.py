"""Lines of methods and protocols: medians with error bars, one look each, logarithmic axes over wide spans."""

import numpy as np
import pytest

from rrcore import plots
from rrcore.papers import OPTIMIZED, SCHEMES, Summary
from rrcore.papers.keyvalue import Errors
from rrcore.plots.lab import SCHEME_LOOKS, scheme_look

PALETTES = pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])


def summary(scheme, ways, error, *, value=1.0):
    return Summary(scheme, value, ways, error, 0.5 * error, 2 * error, 5)


def test_every_method_and_protocol_has_a_look_of_its_own():
    assert len({scheme_look(name) for name in (*SCHEMES, *OPTIMIZED)}) == len(SCHEME_LOOKS) == len(SCHEMES) + len(OPTIMIZED)
    assert scheme_look("preserving-3-em") == scheme_look("preserving-2-em")
    assert len(set(plots.PROTOCOL_LOOKS.values())) == len({mark for _, mark in plots.PROTOCOL_LOOKS.values()}) == 6


@PALETTES
def test_medians_in_points_with_error_bars(palette):
    found = [summary(scheme, ways, 0.01 * ways) for scheme in ("rr-independent", "preserving-3-em") for ways in (2, 1)]
    metric = "half L1 (total variation)"
    figure = plots.scheme_errors_figure(found, palette, axis="attributes", metric=metric, by_ways=True)
    line, other = figure.data
    assert (list(line.x), list(line.y)) == ([1, 2], [1.0, 2.0])
    assert (list(line.error_y.array), list(line.error_y.arrayminus)) == ([1.0, 2.0], [0.5, 1.0])
    assert (other.line.dash, other.marker.symbol) == ("dot", "star-open")
    assert figure.layout.yaxis.title.text.endswith("(points)")
    assert figure.layout.yaxis.type is None


def test_a_wide_span_of_values_or_errors_is_logarithmic():
    found = [summary("em", 2, 0.1 * value, value=value) for value in (1.0, 2.0, 30.0)]
    figure = plots.scheme_errors_figure(found, plots.LIGHT, axis="ε", metric="mean squared error", here=2.0)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert [shape.x0 for shape in figure.layout.shapes] == [2.0]
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "5", "10", "20"]


def test_an_error_of_nearly_0_does_not_stretch_the_axis():
    found = [summary("em", 2, error, value=value) for value, error in ((1.0, 0.1), (2.0, 0.01), (4.0, 1e-12))]
    low, high = plots.scheme_errors_figure(found, plots.LIGHT, axis="ε", metric="mean squared error").layout.yaxis.range
    assert high - low < 5


def test_errors_of_protocols_are_medians_with_bars_in_order():
    runs = np.arange(1.0, 12.0)
    errors = Errors(runs, 2 * runs)
    figure = plots.keyvalue_protocols_figure(
        {"kvue": [(2.0, errors), (1.0, errors)], "f2m": [(1.0, errors)]}, "mean", plots.LIGHT
    )
    assert [trace.name for trace in figure.data] == ["KVUE", "F2M"]
    assert list(figure.data[0].x) == [1.0, 2.0]
    assert list(figure.data[0].y) == [12.0, 12.0]
    assert list(figure.data[0].error_y.array) == [8.0, 8.0]
