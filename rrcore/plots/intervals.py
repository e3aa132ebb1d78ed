"""Figures of estimates with their intervals, by group and in order."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats
from rrcore.estimate import Result
from rrcore.plots.frame import Spec, framed, label, scatter, shortened, ticked, whiskers
from rrcore.plots.palette import Palette, faint
from rrcore.wording import minus

_LETTERS = 24  # in one line of a row's label
_TOP, _ROW = 96, 29  # pixels around the rows, and of each: 16 rows take 560
_ROWS = (-100.0, 200.0)  # as far as an axis of intervals in rows runs, in percent: the longest would leave no room for the others


def proportions_figure(
    rows: Sequence[str],
    estimate: Floats,
    palette: Palette,
    *,
    interval: tuple[Floats, Floats] | None = None,
    truth: Floats | None = None,
    randomized: Floats | None = None,
    others: Mapping[str, Floats] | None = None,
    name: str = "estimate",
    confidence: float | None = 0.95,
    percent: bool = True,
    of: str = "",
) -> go.Figure:
    """Draw one row for each estimate with its interval and value.

    The truth is a tick, the randomized data are a square, and the estimate is a dot on its interval.

    Rows without an estimate have no mark. If an interval extends beyond the axis, an arrow marks the end.

    Parameters
    ----------
    rows : sequence of str
        Labels, from top to bottom.
    estimate : ndarray of shape (rows,)
        Shares, or other numbers if ``percent`` is False.
    palette : Palette
    interval : tuple of two ndarrays of shape (rows,), optional
        Ends of the confidence intervals of ``estimate``.
    truth, randomized : ndarray of shape (rows,), optional
    others : mapping of str to ndarray of shape (rows,), optional
        Additional estimates by name, drawn as diamonds without intervals.
    name : str
        Name of the estimate in the legend.
    confidence : float
        Confidence of ``interval``. None if it is not a confidence interval.
    percent : bool
        If True, the numbers are shares.
    of : str
        Title of the axis.
    """
    scale = 100.0 if percent else 1.0

    def scaled(values: Any) -> Floats:
        values = np.asarray(values, dtype=float)
        return np.where(np.isfinite(values), scale * values, np.nan)

    own, places, names = scaled(estimate), [str(i) for i in range(len(rows))], [label(row) for row in rows]
    low, high = (own, own) if interval is None else map(scaled, interval)
    marks = {"truth": truth, "randomized data": randomized} | dict(others or {})
    drawn = {title: scaled(values) for title, values in marks.items() if values is not None}
    every = np.nan_to_num(np.concatenate([[0.0], low, high, own, *drawn.values()]))
    left, right = span(every, most=_ROWS if percent else (-np.inf, np.inf))
    looks = {
        "truth": {"symbol": "line-ns-open", "color": palette.truth, "size": 13, "line": {"width": 3}},
        "randomized data": {"symbol": "square-open", "color": palette.hatch, "size": 9, "line": {"width": 1.6}},
    }
    other = {"symbol": "diamond-open", "color": palette.text, "size": 9, "line": {"width": 1.6}}
    hover = "%{text}<br>%{fullData.name}: %{x:.2f}%" if percent else "%{text}<br>%{fullData.name}: %{x:.3g}"
    bars = {} if interval is None else {"error_x": whiskers(own, low, high, faint(palette.estimate, 0.5), 4, width=0)}
    title = name if interval is None or confidence is None else f"{name} with {100 * confidence:g}% CI"
    dots = scatter(own, places, marker={"color": palette.estimate, "size": 10}, text=names, name=title, hover=hover, **bars)
    traces = [
        scatter(values, places, marker=looks.get(one, other), text=names, name=one, hover=hover) for one, values in drawn.items()
    ]
    traces.insert(len(traces) - len(others or {}), dots)
    known = np.flatnonzero(np.isfinite(own))
    texts = [f"{round(value, 1) + 0.0:.1f}%" if percent else f"{value:.3g}" for value in own[known].tolist()]
    written = [f"<b>{minus(text)}</b>" for text in texts]
    aside: Spec = {"textposition": "middle right", "showlegend": False, "cliponaxis": False}
    traces.append(scatter([right] * len(known), [places[i] for i in known], words={"size": 12}, text=written, **aside))
    beyond = [(left, i, "triangle-left") for i in np.flatnonzero(low < left)]
    beyond += [(right, i, "triangle-right") for i in np.flatnonzero(high > right)]
    for x, i, symbol in beyond:
        look = {"color": palette.text, "size": 10, "symbol": symbol}
        traces.append(scatter([x], [places[i]], marker=look, showlegend=False, cliponaxis=False))
    return framed(
        traces,
        palette,
        height=_TOP + _ROW * max(len(rows), 3),
        showlegend=len(traces) > 2,
        margin={"t": 40, "r": 62},
        xaxis={
            "title": label(of),
            "range": [left, right],
            "showgrid": True,
            "ticksuffix": "%" if percent else "",
            "zeroline": True,
            "zerolinecolor": palette.hatch,
        },
        yaxis=ticked(places, [_in_lines(row) for row in rows], range=[len(rows) - 0.4, -0.6]),
    )


def result_figure(found: Result, palette: Palette, *, of: str = "") -> go.Figure:
    """Draw every estimate of ``found`` with its interval.

    The columns "truth" and "randomized" are also drawn. ``of`` names the quantity.
    """
    known = {name: np.asarray(found.columns[name]) for name in ("truth", "randomized") if name in found.columns}
    about: Spec = known | {"confidence": found.confidence, "percent": found.share, "of": of}
    return proportions_figure(found.rows, found.estimate, palette, interval=(found.conf_low, found.conf_high), **about)


def _in_lines(row: str) -> str:
    """A label in one line, or in two if it is long: cut between attributes, or between words."""
    if len(row) <= _LETTERS:
        return label(row)
    between = " · " if " · " in row else " "
    parts = row.split(between)
    cut = (len(parts) + 1) // 2
    halves = [between.join(half) for half in (parts[:cut], parts[cut:]) if half]
    return "<br>".join(label(shortened(half, _LETTERS)) for half in halves)


def span(values: Floats, *, most: tuple[float, float] = (-25.0, 105.0)) -> list[float]:
    """Return the ends of an axis of shares in percent.

    The axis contains 0 and all ``values`` within a reasonable range and extends to at most ``most``.
    """
    low, high = min(0.0, float(values.min())), float(values.max())
    room = 0.04 * (high - low)
    return [max(low - room, most[0]) if low < 0 else 0.0, min(high + room, most[1])]
