"""Figure of an audit: what is claimed, and how much of it runs have shown."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from rrcore.audit import Bound
from rrcore.plots.palette import Palette, dress, label

_CONTRADICTED = "#D55E00"


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
                customdata=[rows[i] for i in chosen],
                hovertemplate="%{customdata}: at least %{x:.3f} nats<extra></extra>",
            )
    claimed = [i for i, bound in enumerate(bounds) if math.isfinite(bound.promise.claim)]
    figure.add_scatter(
        y=claimed,
        x=[bounds[i].promise.claim for i in claimed],
        mode="markers",
        marker={"symbol": "diamond", "color": palette.truth, "size": 10, "line": {"color": palette.background, "width": 1}},
        name="claimed",
        customdata=[rows[i] for i in claimed],
        hovertemplate="%{customdata}: claimed %{x:.3f} nats<extra></extra>",
    )
    figure.update_xaxes(title="nats", rangemode="tozero")
    figure.update_yaxes(
        tickvals=list(range(len(rows))), ticktext=rows, range=[len(rows) - 0.5, -0.5], showgrid=False, zeroline=False
    )
    return dress(figure, palette, height=110 + 26 * len(rows))


def _row(bound: Bound, names: Sequence[str]) -> str:
    """What the row is about, short enough for a phone."""
    if bound.promise.axis is None:
        return "whole record"
    name = names[bound.promise.axis]
    short = name if len(name) <= 18 else f"{name[:17]}…"
    return f"{label(short)}, {bound.promise.about}"
