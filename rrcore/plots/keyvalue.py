"""Figures of key-value data: estimates of every key, errors of the protocols, answers to conditional questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats
from rrcore.limits import MAX_DRAWN
from rrcore.plots.marginal import span
from rrcore.plots.palette import Palette, dress, label, put
from rrcore.research.keyvalue import Answer, Errors, KeyEstimates

PROTOCOL_LOOKS = {
    "privkv": ("#D55E00", "x"),
    "privkv-a": ("#E69F00", "triangle-up"),
    "privkvm": ("#CC79A7", "square"),
    "f2m": ("#56B4E9", "diamond"),
    "kvue": ("#0072B2", "circle"),
    "kvoh": ("#009E73", "star"),
}
"""Key of a protocol -> colour and mark, the same in every figure."""


def keys_figure(names: Sequence[str], truth: Floats, found: KeyEstimates, what: str, palette: Palette) -> go.Figure:
    """Truth and estimate with its 95 % interval, key by key; the first ``MAX_DRAWN`` keys in the order given.

    Parameters
    ----------
    truth : ndarray of shape (d,), true frequencies or means
    what : "frequency" or "mean"
    """
    shown = slice(0, MAX_DRAWN)
    value = getattr(found, what)
    low, high = found.interval(what)
    factor = 100 if what == "frequency" else 1
    labels = [label(name) for name in names[shown]]
    live = np.isfinite(value[shown]) & np.isfinite(low[shown])
    form = _form(what)
    figure = go.Figure()
    figure.add_scatter(
        x=labels,
        y=factor * truth[shown],
        mode="markers",
        name="truth",
        marker={"symbol": "line-ew", "size": 12, "line": {"width": 3, "color": palette.truth}},
        hovertemplate=f"%{{x}}: %{{y:{form}<extra>truth</extra>",
    )
    figure.add_scatter(
        x=[text for text, known in zip(labels, live, strict=True) if known],
        y=factor * value[shown][live],
        mode="markers",
        name="estimate, with 95 % interval",
        marker={"color": palette.estimate, "size": 8},
        error_y={
            "array": factor * (high - value)[shown][live],
            "arrayminus": factor * (value - low)[shown][live],
            "color": palette.estimate,
            "thickness": 1.2,
        },
        hovertemplate=f"%{{x}}: %{{y:{form}<extra>estimate</extra>",
    )
    put(figure, yaxis={"title": "share of users with the key (%)" if what == "frequency" else "mean value, -1 to 1"})
    put(figure, xaxis={"type": "category", "showgrid": False})
    return dress(figure, palette, height=360)


def protocol_errors_figure(
    curves: Mapping[str, Sequence[tuple[float, Errors]]],
    titles: Mapping[str, str],
    what: str,
    palette: Palette,
    *,
    axis: str,
    ticks: Sequence[str] | None = None,
) -> go.Figure:
    """Median error with a band from 10 to 90 % of the repeats, one line per protocol.

    Parameters
    ----------
    curves : protocol -> (position on the axis, Errors)
    what : "frequency" or "mean"
    axis : title of the axis; numbers, or positions that stand for ``ticks``
    """
    factor, unit = (100, " points") if what == "frequency" else (1, "")
    figure = go.Figure()
    for name, points in curves.items():
        colour, mark = PROTOCOL_LOOKS[name]
        ordered = sorted(points, key=lambda point: point[0])
        where = [ticks[int(x)] if ticks else x for x, _ in ordered]
        low, middle, high = np.array([errors.band(what) for _, errors in ordered]).T
        figure.add_scatter(
            x=where,
            y=factor * middle,
            mode="lines+markers",
            name=titles[name],
            line={"color": colour},
            marker={"symbol": mark, "size": 9},
            error_y={"array": factor * (high - middle), "arrayminus": factor * (middle - low), "color": colour, "thickness": 1},
            hovertemplate=f"%{{x}}: %{{y:.3g}}{unit}<extra>{titles[name]}</extra>",
        )
    put(figure, xaxis={"title": axis, "type": "category" if ticks else "-"})
    put(figure, yaxis={"title": f"mean absolute error of the {what}{' (points)' if unit else ''}", "type": "log", "dtick": 1})
    return dress(figure, palette, height=420)


def answers_figure(answers: Mapping[str, Answer], truth: Answer, what: str, palette: Palette) -> go.Figure:
    """What each way answers, with its 95 % interval, and the true answer as a line. Ways that cannot tell are left out."""
    factor = 100 if what == "frequency" else 1
    drawn = [0.0]
    figure = go.Figure()
    for title, answer in answers.items():
        value = getattr(answer, what)
        if math.isnan(value):
            continue
        low, high = answer.interval(what)
        drawn += [factor * end for end in (value, low, high)]
        figure.add_scatter(
            x=[factor * value],
            y=[title],
            mode="markers",
            marker={"color": palette.estimate, "size": 11},
            error_x={"array": [factor * (high - value)], "arrayminus": [factor * (value - low)], "color": palette.text},
            hovertemplate=f"%{{y}}: %{{x:{_form(what)}<extra></extra>",
            showlegend=False,
        )
    true = getattr(truth, what)
    if not math.isnan(true):
        drawn.append(factor * true)
        figure.add_vline(
            x=factor * true,
            line={"color": palette.truth, "dash": "dot"},
            annotation={"text": "truth", "yref": "paper", "y": 1, "yanchor": "bottom"},
        )
    put(figure, xaxis={"title": "share of them with the key (%)" if what == "frequency" else "mean value, -1 to 1"})
    if what == "frequency":
        put(figure, xaxis={"range": span(np.array(drawn))})
    put(
        figure,
        yaxis={
            "type": "category",
            "autorange": "reversed",
            "showgrid": False,
            "categoryorder": "array",
            "categoryarray": list(answers),
        },
    )
    return dress(figure, palette, height=120 + 44 * len(answers))


def _form(what: str) -> str:
    """How a value is told where it is pointed at, up to the brace that ends it: frequencies in percent, means as they are."""
    return ".2f} %" if what == "frequency" else ".3f}"
