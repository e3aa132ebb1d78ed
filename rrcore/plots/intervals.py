"""Figures of estimates with their intervals: by group and in order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats
from rrcore.estimate import OrderedSummary
from rrcore.plots.frame import Spec, band, framed, label, scatter, ticked, whiskers
from rrcore.plots.marginal import span
from rrcore.plots.palette import Palette

_MOST_NAMED = 16  # categories along an axis
_ROWS = (-100.0, 200.0)  # as far as an axis of intervals in rows runs, in percent: the longest would leave no room for the others


def group_intervals_figure(
    label_of: Sequence[str], shares: Floats, interval: tuple[Floats, Floats], palette: Palette, *, of: str
) -> go.Figure:
    """One estimated share in each group of people, with its interval.

    Parameters
    ----------
    label_of : names of the g groups, with their numbers of people
    shares : ndarray of shape (g,)
    interval : (low, high), each of that shape
    of : what it is the share of
    """
    low, high = (100 * edge for edge in interval)
    along = {"title": f"% {label(of)}", "range": span(np.concatenate([low, high, 100 * shares]), most=_ROWS)}
    names = [label(text) for text in label_of]
    return intervals_by_row(names, 100 * shares, (low, high), palette, along, row=30, name="estimate", form="%{x:.2f} %")


def intervals_by_row(
    names: Sequence[str],
    values: Floats,
    ends: tuple[Floats, Floats],
    palette: Palette,
    along: Spec,
    *,
    row: int,
    name: str,
    form: str,
    **more: Any,
) -> go.Figure:
    """Values with their intervals ``ends``, one in each row, on the axis ``along``; ``row`` is the height of one in pixels.

    An arrow stands at the end of the axis where an interval goes on beyond it.
    """
    marks = scatter(
        values,
        names,
        marker={"color": palette.estimate, "size": 10},
        error_x=whiskers(values, *ends, palette.text),
        hover=f"%{{y}}<br>{form}",
        name=f"{name}, with 95 % interval",
    )
    at, sides = along["range"], ("triangle-left", "triangle-right")
    beyond = [
        (at[side], names[i], sides[side])
        for i, both in enumerate(zip(*ends, strict=True))
        for side, out in enumerate((both[0] < at[0], both[1] > at[1]))
        if out
    ]
    arrows = [
        scatter([x], [y], marker={"color": palette.text, "size": 10, "symbol": symbol}, cliponaxis=False)
        for x, y, symbol in beyond
    ]
    across = along | {"zeroline": True, "zerolinecolor": palette.text}
    rows = {"autorange": "reversed", "showgrid": False}
    return framed([marks, *arrows], palette, height=110 + row * len(names), showlegend=False, xaxis=across, yaxis=rows, **more)


def ordered_intervals_figure(found: OrderedSummary, palette: Palette) -> go.Figure:
    """Share of the people at each category or before it, as steps in a band, in %; a mark where half of them are reached.

    Of more than ``_MOST_NAMED`` categories some are named.
    """
    names, median = [label(name) for name in found.attribute.categories], found.median
    a = len(names)
    shares, low, high = (100 * np.append(values, values[-1]) for values in (found.shares, found.low, found.high))
    places, half = np.arange(a + 1), median.at + 0.5
    steps = scatter(
        places,
        shares,
        line={"color": palette.estimate, "width": 3, "shape": "hv"},
        name="this category or before it",
        customdata=[*names, names[-1]],
        hover="%{customdata} or before it: %{y:.1f} %",
    )
    mark = scatter(
        [half],
        [50],
        marker={"color": palette.text, "size": 11, "symbol": "diamond"},
        error_x=whiskers([half], [median.low + 0.5], [median.high + 0.5], palette.text, 2),
        name="median, with 95 % interval",
        hover=f"median: {names[median.at]}",
    )
    named = range(0, a, -(-a // _MOST_NAMED))
    level = {"type": "line", "x0": 0, "x1": a, "y0": 50, "y1": 50, "line": {"color": palette.text, "width": 1, "dash": "dot"}}
    return framed(
        [*band(places, low, high, palette.estimate, "95 % interval", shape="hv"), steps, mark],
        palette,
        height=360,
        shapes=[level],
        xaxis=ticked([i + 0.5 for i in named], [names[i] for i in named], title=label(found.attribute.name), range=[0, a]),
        yaxis={"title": "% of people at it or before it", "range": span(np.concatenate([low, high]))},
    )
