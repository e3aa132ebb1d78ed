"""Figure of a mechanism file: how far odds can shift by one answer alone, by it in the full record, and by the record as a whole."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.plots.palette import Palette, dress, label, put
from rrcore.plots.summary import drawn
from rrcore.wording import odds_text

_LETTERS = 18  # longer names are cut, so that a phone has room for the figure
_TICKS = (1, 2, 5)


def promise_figure(
    names: Sequence[str], levels: Sequence[float], leakage: Sequence[float], total: float, palette: Palette
) -> go.Figure:
    """One row per attribute, a ring at its level and a dot at its leakage, and one for the whole record; odds on a log axis.

    Of many attributes those with the largest leakage. What has no bound is not drawn: its row says so.

    Parameters
    ----------
    names : of the attributes
    levels, leakage : nats, one per attribute; infinity for no bound
    total : nats, of the whole record; infinity for no bound
    """
    shown = drawn(np.array(leakage))
    rows = [(label(_short(names[i])), levels[i], leakage[i]) for i in shown]
    places = list(range(len(rows)))[::-1]
    figure = go.Figure()
    for place, (_, alone, full) in zip(places, rows, strict=True):
        if math.isfinite(full):
            line = {"color": palette.released, "width": 3}
            figure.add_shape(type="line", x0=math.exp(alone), x1=math.exp(full), y0=place, y1=place, line=line, layer="below")
    for title, values, marker in (
        (
            "this answer alone",
            [row[1] for row in rows],
            {"color": palette.background, "line": {"color": palette.estimate, "width": 2}, "size": 13},
        ),
        ("in the full record", [row[2] for row in rows], {"color": palette.estimate, "size": 11}),
        ("the whole record", [total], {"color": palette.truth, "symbol": "diamond", "size": 13}),
    ):
        at = [-1] if title == "the whole record" else places
        kept = [(place, value) for place, value in zip(at, values, strict=True) if math.isfinite(value)]
        figure.add_scatter(
            x=[math.exp(value) for _, value in kept],
            y=[place for place, _ in kept],
            mode="markers",
            marker=marker,
            name=title,
            customdata=[odds_text(value) for _, value in kept],
            hovertemplate=f"{title}: odds up to × %{{customdata}}<extra></extra>",
        )
    for place, value in [*zip(places, (row[2] for row in rows), strict=True), (-1, total)]:
        text = f"× {odds_text(value)}" if math.isfinite(value) else "no bound"
        x = value / math.log(10) if math.isfinite(value) else 0.0
        figure.add_annotation(x=x, y=place, text=text, showarrow=False, xanchor="left", xshift=10, font_size=12)
    longest = max([value for value in (*(row[2] for row in rows), total) if math.isfinite(value)] + [1.0]) / math.log(10)
    put(
        figure,
        xaxis={
            "type": "log",
            "title": "odds shift at most this many times",
            "range": [-0.04 * longest, 1.3 * longest],
            "tickvals": _ticks(longest),
        },
    )
    put(
        figure,
        yaxis={
            "tickvals": [*places, -1],
            "ticktext": [*(row[0] for row in rows), "whole record"],
            "range": [-1.6, len(rows) - 0.4],
            "showgrid": False,
            "zeroline": False,
        },
    )
    return dress(figure, palette, height=140 + 34 * len(rows))


def _ticks(longest: float) -> list[float]:
    """1, 2, 5, 10, ... up to ten to the power of ``longest``; of very long axes powers of ten only, some of them."""
    if longest <= 2:
        return [step * 10.0**power for power in range(3) for step in _TICKS]
    step = math.ceil(longest / 6)
    return [10.0**power for power in range(0, math.ceil(1.3 * longest) + 1, step)]


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1].rstrip()}…"
