"""Figure of what an observer learns: people by how certain a guess about them is, before and after a release."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from rrcore.audit import BANDS, Certainty, Knows
from rrcore.plots.palette import Palette, dress, put
from rrcore.wording import count_text, percent

_ROWS: dict[Knows, tuple[str, str]] = {
    "answer": ("nothing seen", "one answer seen"),
    "record": ("nothing seen", "full record seen"),
    "others": ("other answers known", "... and full record seen"),
}
_DEPTH = (0.08, 0.3, 0.55, 1.0)  # of the sequential scale, one colour a band; only the last one is strong
_NAMED = 0.12  # least share of a bar that a number fits into


def certainty_figure(found: Sequence[Certainty], palette: Palette) -> go.Figure:
    """One bar of people for each sight, divided by how certain the best guess is; what was known before stands above what is known after.

    Parameters
    ----------
    found : of one attribute, as ``rrcore.audit.certainty_in_table`` gives them
    """
    rows: dict[str, tuple[float, ...]] = {}
    for each in found:
        before, after = each.bands()
        rows.setdefault(_ROWS[each.knows][0], before)
        rows[_ROWS[each.knows][1]] = after
    people = found[0].people
    marks = [f"{100 * mark:g}" for mark in BANDS]
    titles = [f"below {marks[0]} %", *(f"{low} to {high} %" for low, high in pairwise(marks))]
    figure = go.Figure()
    for band, title in enumerate([*titles, f"at least {marks[-1]} %"]):
        shares = [bands[band] for bands in rows.values()]
        figure.add_bar(
            y=list(rows),
            x=shares,
            orientation="h",
            name=title,
            width=0.72,
            marker={
                "color": sample_colorscale([list(stop) for stop in palette.sequential], _DEPTH[band])[0],
                "line": {"width": 0},
            },
            text=[percent(share) if share >= _NAMED else "" for share in shares],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            insidetextfont={"color": palette.background if band == len(BANDS) else palette.text},
            constraintext="none",
            customdata=[[count_text(round(share * people)), title] for share in shares],
            hovertemplate="%{y}: %{customdata[0]} people can be guessed with a certainty %{customdata[1]}<extra></extra>",
        )
    ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
    put(
        figure,
        xaxis={
            "title": "share of people",
            "range": [0, 1],
            "tickvals": ticks,
            "ticktext": [f"{100 * tick:g} %" for tick in ticks],
            "showgrid": False,
        },
    )
    put(figure, yaxis={"autorange": "reversed", "showgrid": False, "ticklabelstandoff": 6})
    return dress(
        figure,
        palette,
        height=120 + 44 * len(rows),
        barmode="stack",
        legend_traceorder="normal",
        legend_title_text="certainty of the best guess",
    )
