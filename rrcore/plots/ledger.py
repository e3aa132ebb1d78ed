"""Figures of several releases about the same people: what each adds to a ledger."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.ledger import Entry, Planned, Spent
from rrcore.plots.cells import inks
from rrcore.plots.frame import Spec, bar, framed, label, note, shortened, ticked, upright
from rrcore.plots.palette import Palette
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
    rows = list(range(len(groups)))[::-1]
    traces, notes, ends = [], [], [threshold or 0.0, 1.0]
    for row, group in zip(rows, groups, strict=True):
        costs = [(entry, float(entry.cost)) for entry in group.entries if entry.cost]
        begins = 0.0
        for place, (entry, cost) in enumerate(costs):
            new = planned is not None and entry is planned.entry
            side = _beside(threshold, begins, begins + cost)
            traces.append(_segment(row, entry, cost, place, palette, planned=new, side=side))
            begins += cost
        ends.append(sum(cost for _, cost in costs))
        total = None if group.total is None else float(group.total)
        text = " without bound" if total is None else f" {total_text(total)}, × {odds_text(total)}"
        notes.append(note(ends[-1], row, text, xanchor="left"))
    names = [label(shortened(group.population, _LETTERS)) for group in groups]
    return framed(
        traces,
        palette,
        height=110 + 44 * len(groups),
        barmode="stack",
        bargap=0.4,
        showlegend=False,
        annotations=notes,
        shapes=[] if threshold is None else [upright(threshold, palette.text, "dot")],
        xaxis={"title": "sum of the totals (nats)", "range": [0, 1.55 * max(ends)], "nticks": 6, "zeroline": False},
        yaxis=ticked(rows, names, range=[-0.6, len(groups) - 0.4]),
    )


def _beside(line: float | None, begins: float, ends: float) -> str:
    """Where a piece has its number: in the middle, or in the larger of the parts into which a line divides it."""
    if line is None or not begins < line < ends:
        return "middle"
    return "start" if line - begins > ends - line else "end"


def _segment(row: int, entry: Entry, cost: float, place: int, palette: Palette, *, planned: bool, side: str) -> Spec:
    title = "planned" if planned else f"number {entry.id}, {entry.date.isoformat()}"
    names = label(", ".join(entry.attributes)[:80]).replace("%", "&#37;")  # plotly would read %{...} in a name
    stripes = {"shape": "/" if planned else "", "fillmode": "overlay", "fgcolor": palette.background, "solidity": 0.12}
    edge, shade = {"color": palette.background, "width": 1}, _SHADES[place % 2]
    return bar(
        [row],
        [cost],
        palette.estimate,
        marker={"opacity": shade, "pattern": stripes, "line": edge},
        text=[total_text(cost)],
        textposition="inside",
        insidetextanchor=side,
        textangle=0,
        textfont={"color": inks(np.array([shade]), ((0.0, palette.background), (1.0, palette.estimate)))[0]},
        name=title,
        hover=f"{title}: {names}<br>total {total_text(cost)} nats",
    )
