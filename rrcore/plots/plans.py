"""Figures of pinned plans: what each costs, beside what it buys."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from rrcore.budget import Bargain
from rrcore.plots.palette import Palette, dress, label, mechanism_colour
from rrcore.wording import odds_text, points, total_text

_LETTERS = 22  # longer names are cut in a figure


def plans_figure(bargains: Sequence[Bargain], palette: Palette, *, bold: Collection[str] = ()) -> go.Figure:
    """Record total of every plan as bars, and beside them its expected error where one is known; one row per plan.

    Plans without a mechanism are left out. Bars are crossed where levels are exceeded and striped where they are not met.

    Parameters
    ----------
    bargains : as ``bargain`` makes them, from top to bottom
    bold : names of plans to stand out
    """
    shown = [bargain for bargain in bargains if bargain.option.mechanism is not None]
    errors = any(math.isfinite(bargain.error) for bargain in shown)
    figure = make_subplots(cols=2 if errors else 1, shared_yaxes=True, horizontal_spacing=0.06)
    rows = list(range(len(shown)))[::-1]
    for row, bargain in zip(rows, shown, strict=True):
        hover = _hover(bargain)
        figure.add_trace(_bar(bargain, row, bargain.total, total_text(bargain.total), hover), row=1, col=1)
        if math.isfinite(bargain.error):
            error = points(bargain.error)
            figure.add_trace(
                _bar(bargain, row, 100 * bargain.error, error.removesuffix(" points"), f"{hover}<br>off by about {error}"),
                row=1,
                col=2,
            )
        elif errors:
            figure.add_annotation(
                x=0, y=row, text=" not identifiable", showarrow=False, xanchor="left", font_size=12, row=1, col=2
            )
    _axis(figure, 1, "record total (nats)", [bargain.total for bargain in shown])
    if errors:
        known = [100 * bargain.error for bargain in shown if math.isfinite(bargain.error)]
        _axis(figure, 2, "error (points)", known)
    figure.update_yaxes(range=[-0.6, len(shown) - 0.4], showgrid=False, zeroline=False)
    names = [f"<b>{_short(bargain)}</b>" if bargain.pin.name in bold else _short(bargain) for bargain in shown]
    figure.update_yaxes(tickvals=rows, ticktext=names, col=1)
    return dress(figure, palette, height=90 + 40 * len(shown), bargap=0.35)


def _bar(bargain: Bargain, row: int, length: float, text: str, hover: str) -> go.Bar:
    option = bargain.option
    return go.Bar(
        y=[row],
        x=[length],
        orientation="h",
        marker={
            "color": mechanism_colour(option.key),
            "pattern": {"shape": "x" if option.violations else "" if option.meets_levels else "/"},
        },
        text=[text],
        textposition="outside",
        cliponaxis=False,
        name=label(bargain.pin.name),
        hovertemplate=f"{hover}<extra></extra>",
        showlegend=False,
    )


def _axis(figure: go.Figure, column: int, title: str, lengths: Sequence[float]) -> None:
    """Room for the number at the end of the longest bar."""
    figure.update_xaxes(title=title, range=[0, 1.3 * max(lengths, default=1.0)], showgrid=False, nticks=4, col=column)


def _short(bargain: Bargain) -> str:
    name = bargain.pin.name
    return label(name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1].rstrip()}…")


def _hover(bargain: Bargain) -> str:
    name = label(bargain.pin.name).replace("%", "&#37;")  # plotly would read %{...} in a name
    return f"{name}: {bargain.option.title}<br>total {total_text(bargain.total)} nats, odds up to × {odds_text(bargain.total)}"
