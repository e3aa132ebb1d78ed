"""A table or figure of a paper: published numbers as hollow marks, measured ones as filled marks, on the paper's axes."""

import math
from collections.abc import Sequence
from itertools import cycle

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from rrcore.plots.frame import Spec, dress, label, scatter, whiskers
from rrcore.plots.keyvalue import PROTOCOL_LOOKS
from rrcore.plots.palette import MECHANISM_COLOURS, SERIES, Palette
from rrcore.plots.schemes import SCHEME_LOOKS
from rrcore.research.keyvalue import PROTOCOLS
from rrcore.research.papers import PaperEntry, Series
from rrcore.schemes import find_scheme

_KNOWN = {
    **{title.partition(" (")[0]: PROTOCOL_LOOKS[key] for key, (title, _) in PROTOCOLS.items()},
    **{
        find_scheme(key).title: (SCHEME_LOOKS[key][0], mark)
        for key, mark in {
            "rr-independent": "triangle-down",
            "rr-ind-joint": "circle",
            "rr-joint": "pentagon",
            "rr-clusters": "hexagon",
        }.items()
    },
    "Kronecker": (MECHANISM_COLOURS["kronecker"], "square"),
    "Optimum": (MECHANISM_COLOURS["optimal"], "diamond"),
    "Heuristic": (MECHANISM_COLOURS["published"], "circle"),
    "Heuristic, attributes as drawn": (MECHANISM_COLOURS["joint"], "triangle-up"),
}
"""Name of a series -> colour and mark: what other pages draw too has the same colour there."""

_MARKS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon", "hexagon", "star", "cross")
_ROW = 300  # height of a row of panels


def looks_of(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Name of a series -> (colour, mark): the same in every panel, with a mark of its own for those who see no colours."""
    taken = {_KNOWN[name][0] for name in names if name in _KNOWN}
    free = cycle([look for look in zip(SERIES, _MARKS, strict=True) if look[0] not in taken])
    return {name: _KNOWN[name] if name in _KNOWN else next(free) for name in names}


def paper_figure(entry: PaperEntry, measured: Sequence[Series], palette: Palette) -> go.Figure:
    """One panel for each part of the entry.

    Parameters
    ----------
    entry : Entry, with its published series
    measured : series of a result; empty before anything is measured
    """
    every = (*entry.published, *measured)
    panels = list(dict.fromkeys(one.panel for one in every)) or [""]
    columns = 1 if len(panels) == 1 else 2
    rows = math.ceil(len(panels) / columns)
    figure = make_subplots(
        rows,
        columns,
        subplot_titles=[label(panel) for panel in panels] if len(panels) > 1 else None,
        vertical_spacing=0.14 if rows < 3 else 0.3 / rows,
        horizontal_spacing=0.09,
    )
    looks, listed = looks_of(list(dict.fromkeys(one.name for one in every))), set[str]()
    for one in every:
        place = panels.index(one.panel)
        trace = _trace(one, looks[one.name], lines=not entry.bars and len(one.x) > 1)
        figure.add_trace(trace | {"showlegend": trace["name"] not in listed}, row=place // columns + 1, col=place % columns + 1)
        listed.add(trace["name"])
    named = any(isinstance(x, str) for one in every for x in one.x)
    figure.update_xaxes(type="category" if named else "log" if entry.x.log else "linear")
    figure.update_yaxes(type="log" if entry.y.log else "linear")
    if not all(1e-5 <= abs(y) < 1e6 for one in every for y in one.y if y and math.isfinite(y)):
        figure.update_yaxes(exponentformat="power")  # bytes, or errors of rounding: too many noughts
    for column in range(1, columns + 1):
        last = rows if column <= len(panels) - (rows - 1) * columns else rows - 1
        figure.update_xaxes(title=label(entry.x.label), row=last, col=column)
    for row in range(1, rows + 1):
        figure.update_yaxes(title=label(entry.y.label), row=row, col=1)
    height = 120 + _ROW * rows + 22 * math.ceil(len(listed) / 3) + (80 if named else 0)
    return dress(figure, palette, height=height, legend={"y": 1.02 + 0.1 / rows})


def _trace(one: Series, look: tuple[str, str], *, lines: bool) -> Spec:
    """One series: dotted and hollow where its numbers are printed."""
    (colour, mark), printed = look, bool(one.source)
    title = label(f"{one.name}, printed" if printed else one.name)
    marker = (
        {"symbol": f"{mark}-open", "size": 12, "line": {"width": 2}}
        if printed
        else {"symbol": mark, "size": 7, "line": {"width": 0}}
    )
    around = {"error_y": whiskers(one.y, one.low, one.high, colour, 1, width=3)} if one.low else {}
    return scatter(
        [label(x) if isinstance(x, str) else x for x in one.x],
        one.y,
        line={"color": colour, "dash": "dot" if printed else "solid", "width": 1 if printed else 1.5},
        marker=marker | {"color": colour},
        name=title,
        legendgroup=title,
        hover=f"%{{x}}: %{{y:.4g}}<extra>{title}</extra>",
        **around,
    ) | {"mode": "lines+markers" if lines else "markers"}
