"""Figure of a ledger: what each release adds to what is known about the same people."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from rrcore.ledger import Entry, Planned, Spent
from rrcore.plots.palette import Palette, dress, label, put
from rrcore.wording import odds_text, total_text

_LETTERS = 22  # longer names are cut in a figure
_SHADES = (1.0, 0.72)  # opacity of one release and of the next, so that neighbours can be told apart


def ledger_figure(
    groups: Sequence[Spent], palette: Palette, *, planned: Planned | None = None, threshold: float | None = None
) -> go.Figure:
    """One bar for each group of people: its releases end to end, the planned one striped, the sum and its odds at the end.

    Releases without a bound cannot be drawn: their group says so at the end of its bar.

    Parameters
    ----------
    groups : Spent of each group, with ``planned.after`` in the place of its group
    planned : the release that is not recorded yet
    threshold : nats, drawn as a line
    """
    figure = go.Figure()
    rows = list(range(len(groups)))[::-1]
    ends = []
    for row, group in zip(rows, groups, strict=True):
        drawn = [entry for entry in group.entries if entry.cost]
        for place, entry in enumerate(drawn):
            figure.add_trace(_segment(row, entry, place, palette, planned is not None and entry is planned.entry))
        length = sum(float(entry.cost or 0) for entry in drawn)
        ends.append(length)
        text = (
            " without bound" if group.total is None else f" {total_text(float(group.total))}, × {odds_text(float(group.total))}"
        )
        figure.add_annotation(x=length, y=row, text=text, showarrow=False, xanchor="left", font_size=12)
    longest = max([*ends, threshold or 0.0, 1.0])
    if threshold is not None:
        figure.add_vline(x=threshold, line={"color": palette.text, "dash": "dot", "width": 1})
    put(figure, xaxis={"title": "sum of the totals (nats)", "range": [0, 1.55 * longest], "nticks": 6, "zeroline": False})
    names = [label(_short(group.population)) for group in groups]
    put(
        figure,
        yaxis={"tickvals": rows, "ticktext": names, "range": [-0.6, len(groups) - 0.4], "showgrid": False, "zeroline": False},
    )
    return dress(figure, palette, height=110 + 44 * len(groups), barmode="stack", bargap=0.4, showlegend=False)


def _segment(row: int, entry: Entry, place: int, palette: Palette, planned: bool) -> go.Bar:
    length = float(entry.cost or 0)
    title = "planned" if planned else f"number {entry.id}, {entry.date.isoformat()}"
    names = label(", ".join(entry.attributes)[:80]).replace("%", "&#37;")  # plotly would read %{...} in a name
    return go.Bar(
        y=[row],
        x=[length],
        orientation="h",
        marker={
            "color": palette.estimate,
            "opacity": _SHADES[place % 2],
            "pattern": {"shape": "/" if planned else "", "fillmode": "overlay", "fgcolor": palette.background, "solidity": 0.12},
            "line": {"color": palette.background, "width": 1},
        },
        text=[total_text(length)],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        textfont={"color": "#FFFFFF"},
        name=title,
        hovertemplate=f"{title}: {names}<br>total {total_text(length)} nats<extra></extra>",
    )


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1].rstrip()}…"
