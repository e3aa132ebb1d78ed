"""Figures of a regression: what each predictor does, with intervals, and average predictions."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

import plotly.graph_objects as go

from rrcore.plots.palette import Palette, dress, label

_LETTERS = 30  # of a label beside its row; the hover has all
_TITLE = 36  # of a line below the axis: as many as a phone has room for


def coefficients_figure(
    names: Sequence[str],
    values: Sequence[float],
    ends: tuple[Sequence[float], Sequence[float]],
    naive: Sequence[float] | None,
    clear: Sequence[bool],
    palette: Palette,
    *,
    what: str,
    nothing: float,
) -> go.Figure:
    """One row for every coefficient: estimate with its interval, filled where it is more than noise, and the naive estimate below it.

    Parameters
    ----------
    names, values : of the rows, the first on top
    ends : (low, high) of the intervals
    naive : estimates from the released answers as they stand, or None
    clear : whether each interval leaves out ``nothing``
    what : title of the axis
    nothing : the value that means no effect: 1 for odds ratios, whose axis is then logarithmic, else 0
    """
    shown = [_short(name) for name in names]
    places = list(range(len(names)))
    low, high = ends
    figure = go.Figure()
    figure.add_vline(x=nothing, line={"color": palette.hatch, "width": 1.5})
    for wanted, name, symbol in (
        (True, "true answers, clear effect", "circle"),
        (False, "true answers, no clear effect", "circle-open"),
    ):
        rows = [i for i in places if clear[i] == wanted]
        if rows:
            figure.add_scatter(
                x=[values[i] for i in rows],
                y=[i - 0.12 for i in rows],
                mode="markers",
                name=name,
                marker={"color": palette.estimate, "symbol": symbol, "size": 11, "line": {"width": 2, "color": palette.estimate}},
                error_x={
                    "array": [high[i] - values[i] for i in rows],
                    "arrayminus": [values[i] - low[i] for i in rows],
                    "color": palette.estimate,
                    "thickness": 2,
                },
                text=[label(names[i]) for i in rows],
                customdata=[[low[i], high[i]] for i in rows],
                hovertemplate="%{text}<br>%{x:,.3~r} (%{customdata[0]:,.3~r} to %{customdata[1]:,.3~r})<extra></extra>",
            )
    if naive is not None:
        figure.add_scatter(
            x=list(naive),
            y=[i + 0.22 for i in places],
            mode="markers",
            name="released answers taken as true",
            marker={"color": palette.released, "symbol": "diamond", "size": 9},
            text=[label(name) for name in names],
            hovertemplate="%{text}<br>released answers: %{x:,.3~r}<extra></extra>",
        )
    figure.update_xaxes(title=_title(what), type="log" if nothing == 1 else "linear", nticks=5, tickangle=0, tickformat=",.3~r")
    figure.update_yaxes(tickvals=places, ticktext=shown, range=[len(names) - 0.4, -0.6], showgrid=False, zeroline=False)
    return dress(figure, palette, height=110 + 44 * max(len(names), 2), margin={"t": 60})


def averages_figure(
    labels: Sequence[str],
    answers: Sequence[str],
    values: Sequence[Sequence[float]],
    ends: tuple[Sequence[Sequence[float]], Sequence[Sequence[float]]],
    palette: Palette,
    *,
    what: str,
    shares: bool,
) -> go.Figure:
    """Average predictions with their intervals, one row for every label and a mark for every answer.

    Parameters
    ----------
    labels : of the rows, the first on top
    answers : the categories that are drawn, or the name of an amount
    values, ends : by row and answer
    what : title of the axis
    shares : whether values are shares, drawn in percent
    """
    figure, symbols = go.Figure(), ("circle", "diamond", "square", "cross", "triangle-up", "x")
    unit = 100 if shares else 1
    values, low, high = ([[unit * value for value in row] for row in rows] for rows in (values, *ends))
    for c, answer in enumerate(answers):
        shift = 0.0 if len(answers) == 1 else (c / (len(answers) - 1) - 0.5) * 0.5
        figure.add_scatter(
            x=[row[c] for row in values],
            y=[i + shift for i in range(len(labels))],
            mode="markers",
            name=label(answer),
            showlegend=len(answers) > 1,
            marker={
                "color": palette.estimate,
                "symbol": symbols[c % len(symbols)],
                "size": 10,
                "opacity": 1 - 0.6 * c / len(answers),
            },
            error_x={
                "array": [high[i][c] - row[c] for i, row in enumerate(values)],
                "arrayminus": [row[c] - low[i][c] for i, row in enumerate(values)],
                "thickness": 2,
            },
            text=[label(name) for name in labels],
            hovertemplate=f"%{{text}}: %{{x:{'.1f} %' if shares else ',.4~r}'}<extra>{label(answer)}</extra>",
        )
    figure.update_xaxes(title=_title(f"{what}, %" if shares else what), tickformat=",~r", nticks=5, tickangle=0)
    figure.update_yaxes(
        tickvals=list(range(len(labels))),
        ticktext=[_short(name) for name in labels],
        range=[len(labels) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
    )
    return dress(figure, palette, height=100 + max(38, 16 * len(answers)) * max(len(labels), 2))


def _short(name: str) -> str:
    """A name that is too long loses its middle: its end tells the categories of one question apart."""
    half = (_LETTERS - 1) // 2
    return label(name if len(name) <= _LETTERS else f"{name[:half].rstrip()}…{name[-half:].lstrip()}")


def _title(what: str) -> str:
    return "<br>".join(label(line) for line in wrap(what, _TITLE))
