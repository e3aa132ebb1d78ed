"""Figures of trade-offs: what more accuracy, less leakage or a larger total would cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.budget import FrontierPoint
from rrcore.mechanisms import Kronecker, recipe
from rrcore.plots.palette import Palette, dress, mechanism_colour, put
from rrcore.wording import odds_text, points, total_text


def frontier_figure(
    trade: Sequence[FrontierPoint],
    palette: Palette,
    *,
    axis: str,
    current: tuple[float, float] | None = None,
    ends: tuple[str, str] = ("", ""),
) -> go.Figure:
    """Record total against what is traded for it; every marker is a plan, its number in ``customdata``.

    Parameters
    ----------
    trade : Points; those without a mechanism are left out, an infinite value is drawn one step beyond the last finite one
    axis : what is traded, with its unit
    current : value and total of the plan in play
    ends : what the first and the last point are
    """
    kept = [(number, point) for number, point in enumerate(trade) if point.mechanism is not None]
    finite = [point.value for _, point in kept if math.isfinite(point.value)]
    beyond = finite[-1] + (finite[-1] - finite[-2] if len(finite) > 1 else 1.0) if finite else 1.0
    x = [point.value if math.isfinite(point.value) else beyond for _, point in kept]
    y = [point.total for _, point in kept]
    figure = go.Figure(
        go.Scatter(
            x=x,
            y=y,
            mode="lines+markers",
            line={"color": palette.released, "width": 2},
            marker={"color": palette.estimate, "size": 11},
            customdata=[
                [
                    number,
                    _value(point.value),
                    total_text(point.total),
                    odds_text(point.total),
                    recipe(point.plan.mechanism).title,
                ]
                for number, point in kept
            ],
            hovertemplate="%{customdata[4]}, "
            + axis
            + " %{customdata[1]}: total %{customdata[2]} nats, odds up to × %{customdata[3]}<br>click to adopt<extra></extra>",
            name="possible plans",
        )
    )
    if current is not None:
        _mark(figure, [current[0] if math.isfinite(current[0]) else beyond], [current[1]], palette)
    for position, text, anchor in ((0, ends[0], "left"), (-1, ends[1], "right")):
        if text and kept:
            figure.add_annotation(
                x=x[position], y=y[position], text=text, showarrow=False, yshift=16, xanchor=anchor, font_size=12
            )
    put(figure, xaxis={"title": axis})
    if any(not math.isfinite(point.value) for _, point in kept):
        ticks = [*np.unique(np.round(np.linspace(finite[0], finite[-1], 5), 1)), beyond] if finite else [beyond]
        put(figure, xaxis={"tickvals": ticks, "ticktext": [*(f"{tick:g}" for tick in ticks[:-1]), "no cap"]})
    put(figure, yaxis={"title": "total for the whole record (nats)", "rangemode": "tozero"})
    return dress(figure, palette, height=380, showlegend=False)


def safe_figure(
    trade: Sequence[FrontierPoint], palette: Palette, *, kronecker: Kronecker, current: tuple[float, float] | None = None
) -> go.Figure:
    """Record total and largest leakage against w, Kronecker's beside them; every marker is a plan, its number in ``customdata``.

    Parameters
    ----------
    trade : Points of ``safe_frontier``; those without a mechanism are left out
    kronecker : Kronecker at the same levels
    current : width and total of the plan in play
    """
    kept = [(number, point) for number, point in enumerate(trade) if point.mechanism is not None]
    figure = go.Figure()
    lines = (
        ("whole record", mechanism_colour("pair-safe"), [point.total for _, point in kept], "circle"),
        ("one answer, largest leakage", palette.truth, [point.leakage for _, point in kept], "diamond-open"),
    )
    for name, colour, values, symbol in lines:
        figure.add_scatter(
            x=[point.value for _, point in kept],
            y=values,
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={"color": colour, "size": 11, "symbol": symbol},
            name=name,
            customdata=[
                [number, recipe(point.plan.mechanism).title, total_text(value), odds_text(value)]
                for (number, point), value in zip(kept, values, strict=True)
            ],
            hovertemplate=f"%{{customdata[1]}}, {name}: %{{customdata[2]}} nats, odds up to × %{{customdata[3]}}"
            "<br>click to adopt<extra></extra>",
        )
    ends = [min([point.value for point in trade], default=1) - 0.4, max([point.value for point in trade], default=1) + 0.4]
    for what, value, dash in (
        ("whole record", kronecker.total_level, "dash"),
        ("one answer", float(kronecker.leakage.max()), "dot"),
    ):
        figure.add_scatter(
            x=ends,
            y=[value] * 2,
            mode="lines",
            line={"color": mechanism_colour("kronecker"), "width": 2, "dash": dash},
            name=f"Kronecker, {what}",
            hoverinfo="skip",
        )
    if current is not None:
        _mark(figure, [current[0]], [current[1]], palette)
    put(
        figure,
        xaxis={"title": "safe for joint distributions of up to ... attributes", "dtick": 1, "range": ends, "showgrid": False},
    )
    put(figure, yaxis={"title": "nats", "rangemode": "tozero"})
    return dress(figure, palette, height=400)


def errors_figure(
    curves: Mapping[str, Sequence[FrontierPoint]], palette: Palette, *, current: tuple[float, float] | None = None
) -> go.Figure:
    """Expected error against record total, one line per mechanism, so that lines compare at equal total.

    Parameters
    ----------
    curves : key of ``RECIPES`` -> Points whose value is an error of a share (0.01 = one point), NaN where not identifiable
    current : error and total of the plan in play
    """
    figure = go.Figure()
    for key, trade in curves.items():
        kept = [
            (number, point) for number, point in enumerate(trade) if point.mechanism is not None and math.isfinite(point.value)
        ]
        figure.add_scatter(
            x=[point.total for _, point in kept],
            y=[100 * point.value for _, point in kept],
            mode="lines+markers",
            line={"color": mechanism_colour(key), "width": 2},
            marker={"color": mechanism_colour(key), "size": 9},
            name=recipe(key).title,
            customdata=[[f"{key}:{number}", total_text(point.total), points(point.value)] for number, point in kept],
            hovertemplate=f"{recipe(key).title}: total %{{customdata[1]}} nats, off by about %{{customdata[2]}}"
            "<br>click to adopt<extra></extra>",
        )
    if current is not None and math.isfinite(current[0]):
        _mark(figure, [current[1]], [100 * current[0]], palette)
    put(figure, xaxis={"title": "total for the whole record (nats)", "rangemode": "tozero"})
    put(
        figure,
        yaxis={
            "title": "expected error of a share (points)",
            "type": "log",
            "dtick": 1,
            "minor": {"showgrid": True, "gridcolor": palette.grid, "griddash": "dot"},
        },
    )
    return dress(figure, palette, height=400)


def _mark(figure: go.Figure, x: list[float], y: list[float], palette: Palette) -> None:
    """The plan in play, as a ring."""
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"symbol": "circle-open", "color": palette.truth, "size": 20, "line": {"width": 3}},
        name="your plan",
        hoverinfo="skip",
    )


def _value(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "no cap"
