"""Figures of a comparison of schemes: errors as lines with bands, and who wins where."""

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.plots.frame import Spec, framed, logarithmic, scatter, ticked
from rrcore.plots.palette import BLUE, GREEN, GREY, OLIVE, ORANGE, PINK, SKY, VERMILION, VIOLET, Palette, faint
from rrcore.schemes import SHARES, Summary, Winner, find_scheme, metric_text

SCHEME_LOOKS: dict[str, tuple[str, str, str]] = {
    "rr-independent": (GREY, "dash", "circle"),
    "rr-ind-joint": (ORANGE, "solid", "circle"),
    "naive": (ORANGE, "dot", "x"),
    "reduced": (ORANGE, "dashdot", "cross"),
    "hybrid-published": (OLIVE, "dot", "diamond-open"),
    "hybrid": (OLIVE, "solid", "diamond"),
    "blend": (GREEN, "solid", "square"),
    "shrinkage": (GREEN, "dash", "square-cross"),
    "truncated": (VERMILION, "solid", "triangle-down"),
    "em": (SKY, "solid", "star"),
    "adjustment": (VERMILION, "dash", "triangle-up-open"),
    "rr-clusters": (VIOLET, "solid", "hexagon"),
    "clusters-adjustment": (VIOLET, "dash", "hexagon-open"),
    "rr-joint": (PINK, "solid", "pentagon"),
    "rr-joint-shrinkage": (PINK, "dash", "hexagram"),
    "pair-safe": (BLUE, "solid", "circle"),
    "pair-safe-blend": (BLUE, "dash", "square-open"),
    "pair-safe-em": (BLUE, "dot", "star-open"),
    "pair-safe-shrinkage": (BLUE, "longdash", "square-cross-open"),
}
"""Key of ``SCHEMES`` -> colour, line and mark, the same in every figure; dash and mark tell apart what shares a colour."""

_WIDE = {
    "circle": "diamond",
    "square-open": "diamond-open",
    "star-open": "diamond-tall-open",
    "square-cross-open": "diamond-cross-open",
}
"""Marks of what is safe for another number of attributes than the pairs of pair-safe."""


def scheme_look(name: str) -> tuple[str, str, str]:
    """Colour, line and mark of a scheme; what is safe for joint distributions shares those of pair-safe, but for the mark."""
    if name in SCHEME_LOOKS:
        return SCHEME_LOOKS[name]
    reader = next((end for end in ("-blend", "-em", "-shrinkage") if name.endswith(end)), "")
    colour, dash, mark = SCHEME_LOOKS[f"pair-safe{reader}"]
    return colour, dash, _WIDE[mark]


def scheme_errors_figure(
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
    factor = 100 if metric in SHARES else 1
    known = [one for one in summaries if not math.isnan(one.median)]
    curves: dict[str, list[tuple[float, Summary]]] = {}
    for place, one in sorted(((one.ways if by_ways else one.value, one) for one in known), key=lambda point: point[0]):
        curves.setdefault(one.scheme, []).append((place, one))
    traces = []
    for key in dict.fromkeys(one.scheme for one in known):
        x, line = zip(*curves[key], strict=True)
        traces += _curve(key, x, line, factor, axis)
    places = sorted({place for curve in curves.values() for place, _ in curve})
    wide = len(places) > 2 and places[0] > 0 and places[-1] / places[0] >= 20
    ends = [factor * value for one in known for value in (one.low, one.high) if value > 0]
    spread = bool(ends) and max(ends) > 10 * min(ends)
    errors = logarithmic(palette) if spread else {"rangemode": "tozero"}
    return framed(
        traces,
        palette,
        height=430,
        xaxis={
            "title": axis,
            "type": "log" if wide else "linear",
            "tickvals": places,
            "ticktext": [f"{place:,g}" for place in places],
        },
        yaxis=errors | {"title": f"{metric} (points)" if factor > 1 else metric},
    )


def _curve(key: str, x: Sequence[float], line: Sequence[Summary], factor: int, axis: str) -> list[Spec]:
    """The line of one scheme, behind it its band where there are several releases."""
    colour, dash, mark = scheme_look(key)
    title, traces = find_scheme(key).title, []
    if any(one.releases > 1 for one in line):
        edge = [*(one.high for one in line), *(one.low for one in reversed(line))]
        area: Spec = {"fill": "toself", "fillcolor": faint(colour, 0.18), "showlegend": False, "legendgroup": key}
        traces.append(scatter([*x, *reversed(x)], [factor * y for y in edge], line={"width": 0}, **area))
    bands = [f"{factor * one.low:.3g} to {factor * one.high:.3g}" for one in line]
    medians = scatter(
        x,
        [factor * one.median for one in line],
        line={"color": colour, "width": 2, "dash": dash},
        marker={"color": colour, "size": 9, "symbol": mark},
        name=title,
        legendgroup=key,
        customdata=[[key, place, band, one.releases] for place, band, one in zip(x, bands, line, strict=True)],
        hover=f"{title}<br>{axis} %{{x}}: %{{y:.3g}}<br>80 % of %{{customdata[3]}} releases: %{{customdata[2]}}",
    )
    return [*traces, medians]


def scheme_winners_figure(found: Sequence[Winner], palette: Palette, *, axis: str, metric: str) -> go.Figure:
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
    at = [(values.index(_value(one.value)), rows.index(one.ways)) for one in found]
    cells = [
        {
            "type": "rect",
            **{"x0": x - 0.48, "x1": x + 0.48, "y0": y - 0.46, "y1": y + 0.46},
            "line": {"width": 0},
            "fillcolor": scheme_look(one.best.scheme)[0],
            "opacity": 0.5 if one.clear else 0.2,
            "layer": "below",
        }
        for (x, y), one in zip(at, found, strict=True)
    ]
    names = scatter(
        [x for x, _ in at],
        [y for _, y in at],
        words=[_named(one) for one in found],
        textfont={"color": palette.text, "size": 12},
        hovertext=[_winner_text(one, metric) for one in found],
        hover="%{hovertext}",
        showlegend=False,
    )
    places, heights = range(len(values)), range(len(rows))
    return framed(
        [names],
        palette,
        height=110 + 54 * len(rows),
        shapes=cells,
        xaxis=ticked(places, values, range=[-0.5, len(values) - 0.5], title=axis if any(values) else ""),
        yaxis=ticked(heights, [str(row) for row in rows], range=[-0.5, len(rows) - 0.5], title="attributes"),
    )


def _value(value: float) -> str:
    return "" if math.isnan(value) else f"{value:,g}"


def _named(one: Winner) -> str:
    lead = f"× {one.lead:.1f}" if math.isfinite(one.lead) else ""
    return f"{find_scheme(one.best.scheme).title}<br>{lead}"


def _winner_text(one: Winner, metric: str) -> str:
    second = (
        f"; next {find_scheme(one.second.scheme).title}, {one.lead:.2f} times its error"
        if one.second and np.isfinite(one.lead)
        else ""
    )
    doubt = "" if one.clear else "<br>their bands overlap, so it may be luck"
    return f"{find_scheme(one.best.scheme).title}: {metric_text(metric, one.best.median)}{second}{doubt}"
