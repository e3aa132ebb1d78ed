"""Figure of how an estimate moves if some people always give the same answer."""

from __future__ import annotations

import plotly.graph_objects as go

from rrcore.estimate import Course
from rrcore.limits import MAX_ALWAYS
from rrcore.plots.frame import band, framed, label, note, scatter, upright
from rrcore.plots.palette import Palette


def always_figure(course: Course, palette: Palette, *, said: str, of: str, at: float | None = None) -> go.Figure:
    """The share of one category over the share of people who always say something, with its band; dashed, if all of those belong to it.

    Parameters
    ----------
    course : Course, by ``rrcore.estimate.course``
    said : what those people always say
    of : the category
    at : a share that is looked at, marked by a line
    """
    said, of, x = label(said), label(of), 100 * course.x
    traces = [
        *band(x, 100 * course.low, 100 * course.high, palette.estimate, "95 % interval"),
        scatter(
            x,
            100 * course.share,
            line={"color": palette.estimate, "width": 3},
            name="among those who follow the rules",
            hover="%{x:.1f} % always say it: %{y:.1f} %",
        ),
        scatter(
            x,
            100 * course.all_of_them,
            line={"color": palette.text, "width": 1.5, "dash": "dash"},
            name=f"among all, if all who always say it are “{of}”",
            hover="%{x:.1f} % always say it, and all are: %{y:.1f} %",
        ),
    ]
    shapes, notes, limit = [], [], 100 * course.limit
    if course.limit < MAX_ALWAYS:
        shapes.append(upright(limit, palette.text, "dot"))
        notes.append(note(limit, 1, "contradicted beyond", xref="x", yref="y domain", xanchor="left", yanchor="top"))
    if at is not None and at <= course.limit:
        shapes.append(upright(100 * at, palette.grid, width=2, layer="below"))
    return framed(
        traces,
        palette,
        height=340,
        shapes=shapes,
        annotations=notes,
        xaxis={"title": f"% of people who always say “{said}”", "range": [0, 101 * MAX_ALWAYS]},
        yaxis={"title": f"“{of}”, % of people", "rangemode": "tozero"},
    )
