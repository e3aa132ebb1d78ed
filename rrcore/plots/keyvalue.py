"""Figures of key-value data: estimates of every key, errors of the protocols, answers to conditional questions."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats
from rrcore.limits import MAX_DRAWN
from rrcore.plots.frame import Spec, framed, label, note, scatter, upright, whiskers
from rrcore.plots.intervals import intervals_by_row
from rrcore.plots.marginal import span
from rrcore.plots.palette import BLUE, GREEN, ORANGE, PINK, SKY, VERMILION, Palette
from rrcore.research.keyvalue import Answer, Errors, KeyEstimates

_MEANS = (-3.0, 3.0)  # as far as an axis of means runs

PROTOCOL_LOOKS = {
    "privkv": (VERMILION, "x"),
    "privkv-a": (ORANGE, "triangle-up"),
    "privkvm": (PINK, "square"),
    "f2m": (SKY, "diamond"),
    "kvue": (BLUE, "circle"),
    "kvoh": (GREEN, "star"),
}
"""Key of a protocol -> colour and mark, the same in every figure."""


def keyvalue_keys_figure(names: Sequence[str], truth: Floats, found: KeyEstimates, what: str, palette: Palette) -> go.Figure:
    """Truth and estimate with its 95 % interval, key by key; the first ``MAX_DRAWN`` keys in the order given.

    Parameters
    ----------
    truth : ndarray of shape (d,), true frequencies or means
    what : "frequency" or "mean"
    """
    factor, form = _scale(what)
    value, low, high = (factor * values[:MAX_DRAWN] for values in (getattr(found, what), *found.interval(what)))
    labels = [label(name) for name in names[:MAX_DRAWN]]
    live = np.isfinite(value) & np.isfinite(low)
    line = {"symbol": "line-ew", "size": 12, "line": {"width": 3, "color": palette.truth}}
    traces = [
        scatter(labels, factor * truth[:MAX_DRAWN], marker=line, name="truth", hover=f"%{{x}}: %{{y:{form}<extra>truth</extra>"),
        scatter(
            [text for text, known in zip(labels, live, strict=True) if known],
            value[live],
            name="estimate, with 95 % interval",
            marker={"color": palette.estimate, "size": 8},
            error_y=whiskers(value[live], low[live], high[live], palette.estimate),
            hover=f"%{{x}}: %{{y:{form}<extra>estimate</extra>",
        ),
    ]
    title = "share of users with the key (%)" if what == "frequency" else "mean value, -1 to 1"
    return framed(traces, palette, height=360, xaxis={"showgrid": False}, yaxis={"title": title})


def keyvalue_protocols_figure(
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
    factor, unit = _scale(what)[0], " points" if what == "frequency" else ""
    traces = []
    for name, points in curves.items():
        colour, mark = PROTOCOL_LOOKS[name]
        ordered = sorted(points, key=lambda point: point[0])
        low, middle, high = factor * np.array([errors.band(what) for _, errors in ordered]).T
        traces.append(
            scatter(
                [ticks[int(x)] if ticks else x for x, _ in ordered],
                middle,
                name=titles[name],
                line={"color": colour},
                marker={"symbol": mark, "size": 9},
                error_y=whiskers(middle, low, high, colour, 1),
                hover=f"%{{x}}: %{{y:.3g}}{unit}<extra>{titles[name]}</extra>",
            )
        )
    title = f"mean absolute error of the {what}{' (points)' if unit else ''}"
    return framed(traces, palette, height=420, xaxis={"title": axis}, yaxis={"title": title, "type": "log", "dtick": 1})


def keyvalue_answers_figure(answers: Mapping[str, Answer], truth: Answer, what: str, palette: Palette) -> go.Figure:
    """What each way answers, with its 95 % interval, and the true answer as a line. Ways that cannot tell are left out."""
    factor, form = _scale(what)
    true = factor * getattr(truth, what)
    found = {
        title: [factor * value for value in (getattr(answer, what), *answer.interval(what))]
        for title, answer in answers.items()
        if not math.isnan(getattr(answer, what))
    }
    known = [] if math.isnan(true) else [true]
    share = what == "frequency"
    every = np.array([0.0, *known, *(end for ends in found.values() for end in ends)])
    along: Spec = {
        "title": "share of them with the key (%)" if share else "mean value, -1 to 1",
        "range": span(every) if share else span(every, most=_MEANS),
    }
    values, low, high = np.array(list(found.values())).reshape(-1, 3).T
    return intervals_by_row(
        list(found),
        values,
        (low, high),
        palette,
        along,
        row=44,
        name="answer",
        form=f"%{{x:{form}",
        shapes=[upright(place, palette.truth, "dot", 2) for place in known],
        annotations=[
            note(place, 1, "truth", size=13, xref="x", yref="paper", xanchor="left", yanchor="bottom") for place in known
        ],
    )


def _scale(what: str) -> tuple[int, str]:
    """What a value is multiplied with, and how it is told where it is pointed at, up to the brace that ends it."""
    return (100, ".2f} %") if what == "frequency" else (1, ".3f}")
