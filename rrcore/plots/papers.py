"""Figure of measured against printed values of papers.

Both are equal on the diagonal.
"""

from collections.abc import Sequence

import plotly.graph_objects as go

from rrcore.papers import Check
from rrcore.plots.frame import framed, label, scatter
from rrcore.plots.palette import BLUE, ORANGE, Palette


def checks_figure(checks: Sequence[Check], palette: Palette) -> go.Figure | None:
    """Draw a mark for every check on logarithmic axes.

    Only checks with positive printed and measured values are drawn.

    Parameters
    ----------
    checks : sequence of Check
        Checks of one paper.
    palette : Palette
        The colors of the page.

    Returns
    -------
    Figure or None
        The figure. None if no check has two positive values.
    """
    drawn = [(one, one.printed) for one in checks if one.printed is not None and min(one.printed, one.measured) > 0]
    if not drawn:
        return None
    ends = [value for one, printed in drawn for value in (printed, one.measured)]
    traces = [scatter([min(ends), max(ends)], [min(ends), max(ends)], line={"color": palette.grid, "width": 2}, showlegend=False)]
    for agrees, name, color, mark in ((True, "agrees", BLUE, "circle"), (False, "differs", ORANGE, "diamond-open")):
        some = [(one, printed) for one, printed in drawn if one.agrees == agrees]
        traces.append(
            scatter(
                [printed for _, printed in some],
                [one.measured for one, _ in some],
                marker={"color": color, "symbol": mark, "size": 9, "line": {"width": 2 if mark.endswith("open") else 0}},
                name=name,
                customdata=[label(f"{one.place}: {one.what}") for one, _ in some],
                hover="%{customdata}<br>printed %{x:,.4g}, measured %{y:,.4g}",
            )
        )
    axis = {"type": "log", "exponentformat": "power"}
    return framed(
        traces, palette, height=420, showlegend=True, xaxis={"title": "Printed", **axis}, yaxis={"title": "Measured", **axis}
    )
