"""Figures of the Lab: errors of methods and protocols with error bars."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.papers import Summary, find_scheme
from rrcore.papers.keyvalue import PROTOCOLS, Errors
from rrcore.plots.frame import framed, logarithmic, scatter, whiskers
from rrcore.plots.palette import BLUE, GREEN, GREY, OLIVE, ORANGE, PINK, SKY, VERMILION, VIOLET, Palette
from rrcore.simulation.metrics import SHARES

Look = tuple[str, str, str]
"""Color, dash and mark of a line."""

SCHEME_LOOKS: dict[str, Look] = {
    "rr-independent": (GREY, "dash", "circle"),
    "rr-ind-joint": (ORANGE, "solid", "circle"),
    "hybrid-published": (OLIVE, "dot", "diamond-open"),
    "hybrid": (OLIVE, "solid", "diamond"),
    "truncated": (VERMILION, "solid", "triangle-down"),
    "em": (SKY, "solid", "star"),
    "shrinkage": (GREEN, "dash", "square-cross"),
    "adjustment": (VERMILION, "dash", "triangle-up-open"),
    "rr-clusters": (VIOLET, "solid", "hexagon"),
    "clusters-adjustment": (VIOLET, "dash", "hexagon-open"),
    "rr-joint": (PINK, "solid", "pentagon"),
    "preserving": (BLUE, "solid", "circle"),
    "preserving-em": (BLUE, "dot", "star-open"),
    "preserving-shrinkage": (BLUE, "longdash", "square-cross-open"),
    "optimal": (GREEN, "solid", "diamond"),
    "optimal-em": (GREEN, "dot", "diamond-open"),
    "optimal-shrinkage": (GREEN, "longdash", "diamond-cross-open"),
}
"""Name of a method -> its look in every figure. Mechanisms that preserve more attributes share that of pairs."""

_LEAST = 1e-4  # part of the largest error down to which an axis reaches

PROTOCOL_LOOKS = {
    "privkv": (VERMILION, "x"),
    "privkv-a": (ORANGE, "triangle-up"),
    "privkvm": (PINK, "square"),
    "f2m": (SKY, "diamond"),
    "kvue": (BLUE, "circle"),
    "kvoh": (GREEN, "star"),
}
"""Name of a protocol -> color and mark, the same in every figure."""


def scheme_look(name: str) -> Look:
    """Return the line style and color of a method."""
    head, _, tail = name.partition("-")
    if head == "preserving":
        _, dash, end = tail.partition("-")
        return SCHEME_LOOKS[f"{head}{dash}{end}"]
    return SCHEME_LOOKS[name]


def scheme_errors_figure(
    summaries: Sequence[Summary], palette: Palette, *, axis: str, metric: str, by_ways: bool = False, here: float = math.nan
) -> go.Figure:
    """Draw the median error of every method as a line.

    Error bars show the middle 80% of its releases.

    Parameters
    ----------
    summaries : sequence of Summary
        Summaries for one number of attributes, unless ``by_ways``
    axis, metric : str
        What varies, and the name of the error measure. Shares of people are drawn in percentage points
    by_ways : bool
        If True, the x axis shows the number of attributes
    here : float
        Position of the plan on the x axis
    """
    curves: dict[str, list[tuple[float, ...]]] = {}
    for one in summaries:
        if not math.isnan(one.median):
            curves.setdefault(one.scheme, []).append((one.ways if by_ways else one.value, one.low, one.median, one.high))
    factor = 100 if metric in SHARES else 1
    lines = {find_scheme(name).title: (scheme_look(name), points) for name, points in curves.items()}
    return _lines_figure(lines, palette, x=axis, y=f"{metric} (points)" if factor > 1 else metric, factor=factor, here=here)


def keyvalue_protocols_figure(
    curves: Mapping[str, Sequence[tuple[float, Errors]]], what: str, palette: Palette, *, here: float = math.nan
) -> go.Figure:
    """Draw the median error of every protocol against ε as a line.

    Error bars show the middle 80% of the repeats.

    Parameters
    ----------
    curves : mapping
        Maps each protocol to its list of (ε, Errors) pairs
    what : {"frequency", "mean"}
    here : float
        The ε to mark
    """
    lines = {
        PROTOCOLS[name][0]: (
            (PROTOCOL_LOOKS[name][0], "solid", PROTOCOL_LOOKS[name][1]),
            [(eps, *errors.band(what)) for eps, errors in points],
        )
        for name, points in curves.items()
    }
    shares = what == "frequency"
    title = "mean error of the share (points)" if shares else "mean error of the mean rating"
    return _lines_figure(lines, palette, x="ε of a report", y=title, factor=100 if shares else 1, here=here)


def _lines_figure(
    lines: Mapping[str, tuple[Look, Sequence[tuple[float, ...]]]], palette: Palette, *, x: str, y: str, factor: int, here: float
) -> go.Figure:
    """Draw lines of (x, low, middle, high); an axis is logarithmic if it spans a wide range."""
    traces = []
    for title, ((color, dash, mark), points) in lines.items():
        at, low, middle, high = np.array(sorted(points)).T * [[1], [factor], [factor], [factor]]
        traces.append(
            scatter(
                at,
                middle,
                name=title,
                line={"color": color, "width": 2, "dash": dash},
                marker={"color": color, "size": 9, "symbol": mark},
                error_y=whiskers(middle, low, high, color, 1, width=3),
                hover=f"%{{x:,.4g}}: %{{y:.3g}}<extra>{title}</extra>",
            )
        )
    marked = [] if math.isnan(here) else [here]
    places = sorted({place for _, points in lines.values() for place, *_ in points}.union(marked))
    wide = places[0] > 0 and places[-1] / places[0] >= 4  # already while the first places are measured
    ends = [factor * value for _, points in lines.values() for _, *three in points for value in three if value > 0]
    spread = bool(ends) and max(ends) > 10 * min(ends)
    # an error of nearly 0 would leave no room for the others
    bottom = math.log10(max(min(ends), max(ends) * _LEAST)) if spread else 0.0
    height = {"range": [bottom - 0.1, math.log10(max(ends)) + 0.1]} if spread else {"rangemode": "tozero"}
    return framed(
        traces,
        palette,
        height=400,
        showlegend=True,
        shapes=[
            {
                "type": "line",
                "x0": at,
                "x1": at,
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "line": {"color": palette.grid},
                "layer": "below",
            }
            for at in marked
        ],
        xaxis=(logarithmic(places[0] / 1.3, places[-1] * 1.3) if wide else {"tickvals": places}) | {"title": x},
        yaxis=(logarithmic(10**bottom, max(ends)) if spread else {}) | height | {"title": y},
    )
