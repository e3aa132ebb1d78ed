"""Figure of how an estimate moves if some people always give the same answer."""

from __future__ import annotations

import plotly.graph_objects as go

from rrcore.estimate import Course
from rrcore.limits import MAX_ALWAYS
from rrcore.plots.palette import Palette, dress, label


def always_figure(course: Course, palette: Palette, *, said: str, of: str, at: float | None = None) -> go.Figure:
    """The share of one category over the share of people who always say something, with its band; dashed, if all of those belong to it.

    Parameters
    ----------
    course : Course, by ``rrcore.estimate.course``
    said : what those people always say
    of : the category
    at : a share that is looked at, marked by a line
    """
    said, of = label(said), label(of)
    figure = go.Figure()
    x = 100 * course.x
    around = {"x": x, "mode": "lines", "hoverinfo": "skip", "line": {"width": 0}}
    figure.add_scatter(y=100 * course.high, showlegend=False, **around)
    figure.add_scatter(y=100 * course.low, fill="tonexty", fillcolor=_faint(palette.estimate), name="95 % interval", **around)
    figure.add_scatter(
        x=x,
        y=100 * course.share,
        mode="lines",
        line={"color": palette.estimate, "width": 3},
        name="among those who follow the rules",
        hovertemplate="%{x:.1f} % always say it: %{y:.1f} %<extra></extra>",
    )
    figure.add_scatter(
        x=x,
        y=100 * course.all_of_them,
        mode="lines",
        line={"color": palette.text, "width": 1.5, "dash": "dash"},
        name=f"among all, if all who always say it are “{of}”",
        hovertemplate="%{x:.1f} % always say it, and all are: %{y:.1f} %<extra></extra>",
    )
    if course.limit < MAX_ALWAYS:
        figure.add_vline(
            x=100 * course.limit,
            line={"color": palette.text, "dash": "dot", "width": 1},
            annotation={"text": "contradicted beyond", "font_size": 12, "xanchor": "left", "yanchor": "top"},
        )
    if at is not None and at <= course.limit:
        figure.add_vline(x=100 * at, line={"color": palette.grid, "width": 2}, layer="below")
    figure.update_xaxes(title=f"% of people who always say “{said}”", range=[0, 101 * MAX_ALWAYS])
    figure.update_yaxes(title=f"“{of}”, % of people", rangemode="tozero")
    return dress(figure, palette, height=340)


def _faint(colour: str) -> str:
    """A colour in #RRGGBB, one fifth opaque."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.2)"
