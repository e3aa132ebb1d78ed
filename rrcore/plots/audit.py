"""Figures of an audit: what is claimed, and how much of it runs have shown; how strongly collected answers speak against their file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap

import plotly.graph_objects as go

from rrcore.audit import Bound, Check, rounded_down
from rrcore.plots.palette import Palette, dress, label, put
from rrcore.wording import total_text

_CONTRADICTED = "#D55E00"
_FARTHEST = 12.0  # powers of ten; evidence beyond is drawn up to here
_TICKS = {0: "1", 3: "1,000", 6: "10⁶", 9: "10⁹", 12: "10¹²"}


def audit_figure(bounds: Sequence[Bound], names: Sequence[str], palette: Palette) -> go.Figure:
    """One row per promise: a bar as long as what was shown, a diamond at the claim. A bar beyond its diamond is hatched: contradicted.

    Parameters
    ----------
    bounds : as ``rrcore.audit.attack`` gives them
    names : of the attributes
    """
    rows = [_row(bound, names) for bound in bounds]
    figure = go.Figure()
    for contradicted, title, colour in (
        (False, "shown by runs", palette.estimate),
        (True, "shown, above the claim", _CONTRADICTED),
    ):
        chosen = [i for i, bound in enumerate(bounds) if bound.contradicted == contradicted]
        if chosen:
            figure.add_bar(
                y=chosen,
                x=[bounds[i].shown for i in chosen],
                orientation="h",
                width=0.6,
                marker={"color": colour, "pattern": {"shape": "/" if contradicted else ""}},
                name=title,
                customdata=[(rows[i], rounded_down(bounds[i].shown)) for i in chosen],
                hovertemplate="%{customdata[0]}: at least %{customdata[1]} nats<extra></extra>",
            )
    claimed = [i for i, bound in enumerate(bounds) if math.isfinite(bound.promise.claim)]
    figure.add_scatter(
        y=claimed,
        x=[bounds[i].promise.claim for i in claimed],
        mode="markers",
        marker={"symbol": "diamond", "color": palette.truth, "size": 10, "line": {"color": palette.background, "width": 1}},
        name="claimed",
        customdata=[(rows[i], total_text(bounds[i].promise.claim)) for i in claimed],
        hovertemplate="%{customdata[0]}: claimed %{customdata[1]} nats<extra></extra>",
    )
    put(figure, xaxis={"title": "nats", "rangemode": "tozero"})
    put(
        figure,
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": rows,
            "range": [len(rows) - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
        },
    )
    return dress(figure, palette, height=110 + 26 * len(rows))


def evidence_figure(checks: Sequence[Check], palette: Palette) -> go.Figure:
    """One row per check: how rarely honest answers look as odd as these do, on a log axis, and where that is too rare to be chance.

    Parameters
    ----------
    checks : with their p-values and the level ``alpha`` at which each is caught
    """
    rows = list(range(len(checks)))
    figure = go.Figure()
    for caught, title, colour in (
        (False, "as chance would have it", palette.estimate),
        (True, "beyond chance", _CONTRADICTED),
    ):
        chosen = [row for row in rows if checks[row].caught == caught]
        if chosen:
            figure.add_bar(
                y=chosen,
                x=[_rarity(checks[row].p_value) for row in chosen],
                orientation="h",
                width=0.5,
                marker={"color": colour, "pattern": {"shape": "/" if caught else ""}},
                name=title,
                customdata=[f"{checks[row].p_value:.2g}" for row in chosen],
                hovertemplate="p-value %{customdata}<extra></extra>",
            )
    figure.add_scatter(
        y=rows,
        x=[_rarity(check.alpha) for check in checks],
        mode="markers",
        marker={"symbol": "diamond", "color": palette.truth, "size": 10, "line": {"color": palette.background, "width": 1}},
        name="caught from here",
        hoverinfo="skip",
    )
    longest = max([4.0, *(_rarity(check.p_value) for check in checks)])
    put(
        figure,
        xaxis={
            "title": "this odd by chance once in ...",
            "range": [0, 1.05 * longest],
            "tickangle": 0,
            "tickvals": [power for power in _TICKS if power <= longest],
            "ticktext": [text for power, text in _TICKS.items() if power <= longest],
        },
    )
    titles = ["<br>".join(wrap(label(check.title), 20)) for check in checks]
    put(
        figure,
        yaxis={"tickvals": rows, "ticktext": titles, "range": [len(rows) - 0.5, -0.5], "showgrid": False, "zeroline": False},
    )
    return dress(figure, palette, height=130 + 66 * len(rows))


def _rarity(p: float) -> float:
    return _FARTHEST if p < 10**-_FARTHEST else max(0.0, -math.log10(p))


def _row(bound: Bound, names: Sequence[str]) -> str:
    """What the row is about, short enough for a phone."""
    if bound.promise.axis is None:
        return "whole record"
    name = names[bound.promise.axis]
    short = name if len(name) <= 18 else f"{name[:17]}…"
    return f"{label(short)}, {bound.promise.about}"
