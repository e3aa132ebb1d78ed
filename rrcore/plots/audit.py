"""Figure of an audit: claimed epsilons and those shown by an attack."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from rrcore.auditing import Attack
from rrcore.plots.frame import bar, framed, label, scatter, shortened, ticked
from rrcore.plots.palette import VERMILION, Palette

_LETTERS = 18  # longer names are cut, so that a phone has room for the figure


def audit_figure(attacks: Sequence[Attack], palette: Palette) -> go.Figure:
    """Draw the observed and the claimed epsilon of each attribute.

    A bar shows the observed epsilon, and a line shows the claim. A bar that exceeds its line is hatched.
    """
    traces = []
    for broken, name, color in ((False, "observed", palette.estimate), (True, "observed above the claim", VERMILION)):
        rows = [row for row, each in enumerate(attacks) if each.contradicted == broken]
        if rows:
            look = {"pattern": {"shape": "/" if broken else ""}}
            shown = [attacks[row].shown for row in rows]
            traces.append(bar(rows, shown, color, marker=look, name=name, width=0.6, hover="at least %{x:.3f}"))
    claims = {row: each.claim for row, each in enumerate(attacks) if math.isfinite(each.claim)}
    line = {"symbol": "line-ns", "size": 18, "line": {"color": palette.truth, "width": 3}}
    traces.append(scatter([*claims.values()], [*claims], marker=line, name="claimed", hover="claimed %{x:.3f}"))
    return framed(
        traces,
        palette,
        height=130 + 30 * len(attacks),
        xaxis={"title": "ε, knows the other answers", "rangemode": "tozero"},
        yaxis=ticked(
            range(len(attacks)), [label(shortened(each.name, _LETTERS)) for each in attacks], range=[len(attacks) - 0.5, -0.5]
        ),
    )
