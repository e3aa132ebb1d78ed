"""Figure of what waves of the same people give away, by the way in which chance is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from rrcore.channel import Way
from rrcore.plots.frame import framed, scatter
from rrcore.plots.palette import BLUE, GREEN, ORANGE, Palette
from rrcore.promise import GivenAway, as_nats
from rrcore.wording import exact_odds_text

_LOOKS: dict[Way, tuple[str, str]] = {"fresh": (ORANGE, "solid"), "memoised": (BLUE, "solid"), "two-stage": (GREEN, "dash")}


def waves_figure(given: Mapping[Way, Sequence[GivenAway]], palette: Palette) -> go.Figure:
    """How far all reports together move the odds about a record that stays the same, in nats over the number of waves.

    Parameters
    ----------
    given : what is given away after more and more waves, by ``over_waves``; what has no limit is left out
    """
    traces = []
    for way, course in given.items():
        known = [(each.waves, each.held) for each in course if each.held is not None]
        colour, dash = _LOOKS[way]
        traces.append(
            scatter(
                [waves for waves, _ in known],
                as_nats([held for _, held in known]),
                name=way,
                line={"color": colour, "dash": dash, "width": 2.5},
                marker={"size": 6},
                customdata=[exact_odds_text(held) for _, held in known],
                hover=f"{way}, %{{x}} waves: %{{y:.2f}} nats, odds up to × %{{customdata}}",
            )
        )
    marks = sorted({each.waves for course in given.values() for each in course})
    return framed(
        traces,
        palette,
        height=300,
        xaxis={"title": "waves", "range": [0, marks[-1] * 1.05], "tickvals": marks},
        yaxis={"title": "about an unchanged record (nats)", "rangemode": "tozero"},
    )
