"""Figures of a survey in the field: a share with its intervals day by day, and answers by day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats, Integers
from rrcore.plots.marginal import span
from rrcore.plots.palette import Palette, dress, label

_LETTERS = 32  # longer names are cut along an axis
_FEW_DAYS = 8  # up to so many each has its label


def watched_figure(
    days: Sequence[dt.date],
    n: Integers,
    share: Floats,
    interval: tuple[Floats, Floats],
    palette: Palette,
    *,
    name: str,
) -> go.Figure:
    """One share over the days, a line in the band of its confidence sequence; what lies outside 0 to 100 % is cut off.

    Parameters
    ----------
    days : every day, in order
    n : ndarray of shape (days,), answers so far
    share : ndarray of that shape, estimates from all answers so far
    interval : (low, high) of that shape
    name : whose share
    """
    share, low, high = (100 * np.clip(each, 0.0, 1.0) for each in (share, *interval))
    figure = go.Figure()
    line = {"width": 0, "shape": "linear"}
    figure.add_scatter(x=days, y=low, mode="lines", line=line, hoverinfo="skip", showlegend=False)
    figure.add_scatter(
        x=days,
        y=high,
        mode="lines",
        line=line,
        fill="tonexty",
        fillcolor=_faint(palette.estimate),
        name="95 % interval, valid at every look",
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=days,
        y=share,
        mode="lines+markers",
        line={"color": palette.estimate, "width": 2.5},
        marker={"color": palette.estimate, "size": 6},
        name="estimate from all answers so far",
        customdata=np.column_stack([low, high, n]),
        hovertemplate="%{x|%-d %B}, %{customdata[2]:,} answers<br>%{y:.1f} % (%{customdata[0]:.1f} to %{customdata[1]:.1f})<extra></extra>",
    )
    if len(days) == 1:  # a band of no width is not seen
        figure.data[-1].error_y = {"array": high - share, "arrayminus": share - low, "color": palette.estimate, "thickness": 2}
    figure.update_yaxes(title=f"{label(_short(name))}, % of people", range=span(np.concatenate([low, high])))
    figure.update_xaxes(**_dates(days), showgrid=False)
    return dress(figure, palette, height=400)


def arrivals_figure(
    days: Sequence[dt.date], arrived: Mapping[dt.date, int], opened: Mapping[dt.date, int], palette: Palette
) -> go.Figure:
    """Bars of the answers of each day, and behind them of the forms that were opened."""
    figure = go.Figure()
    for name, numbers, colour in (("forms opened", opened, palette.released), ("answers", arrived, palette.estimate)):
        figure.add_bar(
            x=days,
            y=[numbers.get(day, 0) for day in days],
            name=name,
            marker_color=colour,
            hovertemplate="%{x|%-d %B}: %{y:,} " + name + "<extra></extra>",
        )
    figure.update_xaxes(**_dates(days), showgrid=False)
    figure.update_yaxes(title="number on that day", rangemode="tozero")
    return dress(figure, palette, height=320, barmode="overlay", bargap=0.25)


def _dates(days: Sequence[dt.date]) -> dict[str, object]:
    """An axis of days: each with its label if they are few, whole days in any case."""
    few = len(days) <= _FEW_DAYS
    own = {"tickvals": list(days)} if few else {}
    half = dt.timedelta(hours=12)
    start, end = (dt.datetime.combine(day, dt.time()) for day in (days[0], days[-1]))
    return {"type": "date", "range": [start - half, end + half], "nticks": 8, "tickformat": "%-d %b", **own}


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1].rstrip()}…"


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.2)"
