"""Figure of what waves of the same people give away, by the way in which chance is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from rrcore.channel import Way
from rrcore.plots.palette import Palette, dress, put
from rrcore.promise import GivenAway, as_nats
from rrcore.wording import exact_odds_text

_LOOKS: dict[Way, tuple[str, str]] = {
    "fresh": ("#E69F00", "solid"),
    "memoised": ("#0072B2", "solid"),
    "two-stage": ("#009E73", "dash"),
}


def waves_figure(given: Mapping[Way, Sequence[GivenAway]], palette: Palette) -> go.Figure:
    """How far all reports together move the odds about a record that stays the same, in nats over the number of waves.

    Parameters
    ----------
    given : what is given away after more and more waves, by ``over_waves``; what has no limit is left out
    """
    figure = go.Figure()
    for way, course in given.items():
        known = [each for each in course if each.held is not None]
        colour, dash = _LOOKS[way]
        figure.add_scatter(
            x=[each.waves for each in known],
            y=as_nats([each.held for each in known]),
            mode="lines+markers",
            name=way,
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"size": 6},
            customdata=[exact_odds_text(each.held) for each in known if each.held is not None],
            hovertemplate=f"{way}, %{{x}} waves: %{{y:.2f}} nats, odds up to × %{{customdata}}<extra></extra>",
        )
    dress(figure, palette, height=300)
    marks = sorted({each.waves for course in given.values() for each in course})
    put(
        figure,
        xaxis={"title": "waves", "range": [0, marks[-1] * 1.05], "tickvals": marks},
        yaxis={"title": "about an unchanged record (nats)", "rangemode": "tozero"},
    )
    return figure
