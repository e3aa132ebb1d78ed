"""Figure of the ε of several releases about the same people.

It shows how much each release adds.
"""

from collections.abc import Sequence

import plotly.graph_objects as go

from rrcore.ledger import Planned, Spent
from rrcore.plots.frame import bar, framed, label, note, shortened, ticked
from rrcore.plots.palette import Palette
from rrcore.wording import total_text

_LETTERS = 22  # longer names are cut in a figure
_SHADES = (1.0, 0.72)  # opacity of one release and of the next, so that neighbors can be distinguished


def ledger_figure(groups: Sequence[Spent], palette: Palette, *, planned: Planned | None = None) -> go.Figure:
    """Draw one bar for each group of people.

    The bar consists of the releases of the group, with the planned one striped and the sum at the end.

    A release without a bound has no bar. The end of the bar of its group says so.

    Parameters
    ----------
    groups : the Spent of each group, where ``planned.after`` replaces that of its group
    planned : the release that is not yet recorded
    """
    rows = list(range(len(groups)))[::-1]
    traces, notes, ends = [], [], [1.0]
    for row, group in zip(rows, groups, strict=True):
        costs = [(entry, float(entry.cost)) for entry in group.entries if entry.cost]
        for place, (entry, cost) in enumerate(costs):
            new = planned is not None and entry is planned.entry
            name = "planned" if new else f"number {entry.id}, {entry.date.isoformat()}"
            stripes = {"shape": "/" if new else "", "fillmode": "overlay", "fgcolor": palette.background, "solidity": 0.12}
            line = {"color": palette.background, "width": 1}
            marker = {"opacity": _SHADES[place % 2], "pattern": stripes, "line": line}
            hover = f"{name}: ε = {total_text(cost)}"
            traces.append(bar([row], [cost], palette.estimate, marker=marker, name=name, hover=hover))
        ends.append(sum(cost for _, cost in costs))
        text = " no bound" if group.total is None else f" {total_text(float(group.total))}"
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
        xaxis={"title": "ε of the whole record, all releases", "range": [0, 1.25 * max(ends)], "nticks": 6, "zeroline": False},
        yaxis=ticked(rows, names, range=[-0.6, len(groups) - 0.4]),
    )
