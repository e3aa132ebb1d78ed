"""Figure of what an attacker learns about one attribute."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from rrcore.budget import BANDS, Certainty, Knows
from rrcore.plots.cells import inks
from rrcore.plots.frame import bar, framed
from rrcore.plots.palette import Palette
from rrcore.wording import count_text, percent

_ROWS: dict[Knows, tuple[str, str]] = {
    "answer": ("nothing seen", "one answer seen"),
    "record": ("nothing seen", "whole record seen"),
    "others": ("other answers known", "... and whole record seen"),
}
_DEPTH = (0.08, 0.3, 0.55, 1.0)  # of the sequential scale, one colour a band; only the last one is strong
_NAMED = 0.12  # least share of a bar that a number fits into


def observer_certainty_figure(found: Sequence[Certainty], palette: Palette) -> go.Figure:
    """One bar of people for each sight, divided by how certain the best guess is; what was known before stands above what is known after.

    Parameters
    ----------
    found : of one attribute, as ``rrcore.budget.certainty_in_table`` gives them
    """
    rows: dict[str, tuple[float, ...]] = {}
    for each in found:
        before, after = each.bands()
        rows.setdefault(_ROWS[each.knows][0], before)
        rows[_ROWS[each.knows][1]] = after
    people = found[0].people
    marks = [f"{100 * mark:g}" for mark in BANDS]
    titles = [f"below {marks[0]} %", *(f"{low} to {high} %" for low, high in pairwise(marks)), f"at least {marks[-1]} %"]
    colours = sample_colorscale([list(stop) for stop in palette.sequential], _DEPTH)
    looks = zip(titles, colours, inks(np.array(_DEPTH), palette.sequential), strict=True)
    traces = []
    for band, (title, colour, ink) in enumerate(looks):
        shares = [bands[band] for bands in rows.values()]
        traces.append(
            bar(
                list(rows),
                shares,
                colour,
                marker={"line": {"width": 0}},
                name=title,
                width=0.72,
                text=[percent(share) if share >= _NAMED else "" for share in shares],
                textposition="inside",
                insidetextanchor="middle",
                textangle=0,
                insidetextfont={"color": ink},
                constraintext="none",
                customdata=[[count_text(round(share * people)), title] for share in shares],
                hover="%{y}: %{customdata[0]} people can be guessed with a certainty %{customdata[1]}",
            )
        )
    ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
    along = {"tickvals": ticks, "ticktext": [f"{100 * tick:g} %" for tick in ticks]}
    return framed(
        traces,
        palette,
        height=120 + 44 * len(rows),
        barmode="stack",
        legend={"traceorder": "normal", "title": {"text": "certainty of the best guess"}},
        xaxis={"title": "share of people", "range": [0, 1], "showgrid": False, **along},
        yaxis={"autorange": "reversed", "showgrid": False},
    )
