"""Figures of a comparison of schemes: errors as lines with bands, and who wins where."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.plots.palette import Palette, dress, put
from rrcore.schemes import SHARES, Summary, Winner, error_text, find_scheme

SCHEME_LOOKS: dict[str, tuple[str, str, str]] = {
    "rr-independent": ("#7F8894", "dash", "circle"),
    "rr-ind-joint": ("#E69F00", "solid", "circle"),
    "naive": ("#E69F00", "dot", "x"),
    "reduced": ("#E69F00", "dashdot", "cross"),
    "hybrid-published": ("#A89400", "dot", "diamond-open"),
    "hybrid": ("#A89400", "solid", "diamond"),
    "blend": ("#009E73", "solid", "square"),
    "truncated": ("#D55E00", "solid", "triangle-down"),
    "em": ("#56B4E9", "solid", "star"),
    "adjustment": ("#D55E00", "dash", "triangle-up-open"),
    "rr-clusters": ("#8E5EA2", "solid", "hexagon"),
    "clusters-adjustment": ("#8E5EA2", "dash", "hexagon-open"),
    "rr-joint": ("#CC79A7", "solid", "pentagon"),
    "pair-safe": ("#0072B2", "solid", "circle"),
    "pair-safe-blend": ("#0072B2", "dash", "square-open"),
    "pair-safe-em": ("#0072B2", "dot", "star-open"),
}
"""Key of ``SCHEMES`` -> colour, line and mark, the same in every figure; dash and mark tell apart what shares a colour."""

_WIDE = {"circle": "diamond", "square-open": "diamond-open", "star-open": "diamond-tall-open"}
"""Marks of what is safe for another number of attributes than the pairs of pair-safe."""


def scheme_look(name: str) -> tuple[str, str, str]:
    """Colour, line and mark of a scheme; what is safe for joint distributions shares those of pair-safe, but for the mark."""
    if name in SCHEME_LOOKS:
        return SCHEME_LOOKS[name]
    reader = next((end for end in ("-blend", "-em") if name.endswith(end)), "")
    colour, dash, mark = SCHEME_LOOKS[f"pair-safe{reader}"]
    return colour, dash, _WIDE[mark]


def errors_by_scheme(
    summaries: Sequence[Summary],
    palette: Palette,
    *,
    axis: str,
    metric: str,
    by_ways: bool = True,
) -> go.Figure:
    """The median error of every scheme as a line, the middle 80 % of its releases as a band.

    Parameters
    ----------
    summaries : as ``summarise`` gives them; where what is varied is not the number of attributes, of one number only
    axis : what is varied, with its unit
    metric : name of the error; drawn in points where it is a share of people
    by_ways : whether the x axis is the number of attributes instead of ``Summary.value``

    Returns
    -------
    Figure; the marks carry [key of the scheme, x] as custom data
    """
    figure = go.Figure()
    factor = 100 if metric in SHARES else 1
    known = [one for one in summaries if not math.isnan(one.median)]
    for key in dict.fromkeys(one.scheme for one in known):
        line = sorted(((one.ways if by_ways else one.value), one) for one in known if one.scheme == key)
        x = [at for at, _ in line]
        colour, dash, mark = scheme_look(key)
        if any(one.releases > 1 for _, one in line):
            figure.add_scatter(
                x=[*x, *reversed(x)],
                y=[factor * y for y in (*(one.high for _, one in line), *(one.low for _, one in reversed(line)))],
                mode="lines",
                fill="toself",
                fillcolor=_clear(colour),
                line={"width": 0},
                hoverinfo="skip",
                showlegend=False,
                legendgroup=key,
            )
        figure.add_scatter(
            x=x,
            y=[factor * one.median for _, one in line],
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": dash},
            marker={"color": colour, "size": 9, "symbol": mark},
            name=find_scheme(key).title,
            legendgroup=key,
            customdata=[[key, at, f"{factor * one.low:.3g} to {factor * one.high:.3g}", one.releases] for at, one in line],
            hovertemplate=f"{find_scheme(key).title}<br>{axis} %{{x}}: %{{y:.3g}}<br>"
            "80 %% of %{customdata[3]} releases: %{customdata[2]}<extra></extra>".replace("%%", "%"),
        )
    places = sorted({one.ways if by_ways else one.value for one in known})
    wide = len(places) > 2 and places[0] > 0 and places[-1] / places[0] >= 20
    put(
        figure,
        xaxis={
            "title": axis,
            "type": "log" if wide else "linear",
            "tickvals": places,
            "ticktext": [f"{place:,g}" for place in places],
        },
    )
    _error_axis(
        figure,
        [factor * value for one in known for value in (one.low, one.high)],
        f"{metric} (points)" if factor > 1 else metric,
        palette,
    )
    return dress(figure, palette, height=430, legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0})


def _error_axis(figure: go.Figure, values: Sequence[float], metric: str, palette: Palette) -> None:
    """Logarithmic where the errors spread over more than a factor of ten."""
    positive = [value for value in values if value > 0]
    if positive and max(positive) > 10 * min(positive):
        put(
            figure,
            yaxis={
                "type": "log",
                "exponentformat": "power",
                "dtick": 1,
                "minor": {"showgrid": True, "griddash": "dot", "gridcolor": palette.grid},
            },
        )
    else:
        put(figure, yaxis={"rangemode": "tozero"})
    put(figure, yaxis={"title": metric})


def _clear(colour: str) -> str:
    """A hex colour at 18 % opacity."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"


def winner_map(found: Sequence[Winner], palette: Palette, *, axis: str, metric: str) -> go.Figure:
    """The scheme with the smallest median error for each number of attributes (rows) and each value (columns); paler where the bands
    of winner and runner-up overlap. Named in every cell, since colours alone do not tell.

    Parameters
    ----------
    found : as ``winners`` gives them
    axis : what is varied, with its unit
    metric : name of the error
    """
    values = list(dict.fromkeys(_value(one.value) for one in found))
    rows = sorted({one.ways for one in found})
    figure = go.Figure()
    for one in found:
        x, y = values.index(_value(one.value)), rows.index(one.ways)
        colour = scheme_look(one.best.scheme)[0]
        figure.add_shape(
            type="rect",
            x0=x - 0.48,
            x1=x + 0.48,
            y0=y - 0.46,
            y1=y + 0.46,
            line_width=0,
            fillcolor=colour,
            opacity=0.55 if one.clear else 0.2,
            layer="below",
        )
    figure.add_scatter(
        x=[values.index(_value(one.value)) for one in found],
        y=[rows.index(one.ways) for one in found],
        mode="text",
        text=[_named(one) for one in found],
        textfont={"color": palette.text, "size": 12},
        hovertext=[_told(one, metric) for one in found],
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=False,
    )
    put(
        figure,
        xaxis={
            "tickvals": list(range(len(values))),
            "ticktext": values,
            "range": [-0.5, len(values) - 0.5],
            "title": axis if any(values) else None,
            "showgrid": False,
            "zeroline": False,
        },
    )
    put(
        figure,
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": [str(row) for row in rows],
            "range": [-0.5, len(rows) - 0.5],
            "title": "attributes",
            "showgrid": False,
            "zeroline": False,
        },
    )
    return dress(figure, palette, height=110 + 54 * len(rows))


def _value(value: float) -> str:
    return "" if math.isnan(value) else f"{value:,g}"


def _named(one: Winner) -> str:
    lead = f"× {one.lead:.1f}" if math.isfinite(one.lead) else ""
    return f"{find_scheme(one.best.scheme).title}<br>{lead}"


def _told(one: Winner, metric: str) -> str:
    second = (
        f"; next {find_scheme(one.second.scheme).title}, {one.lead:.2f} times its error"
        if one.second and np.isfinite(one.lead)
        else ""
    )
    doubt = "" if one.clear else "<br>their bands overlap, so it may be luck"
    return f"{find_scheme(one.best.scheme).title}: {error_text(metric, one.best.median)}{second}{doubt}"
