"""Figure of a dependency graph: which attributes were joined, the cliques that follow, and what was found, added and lost."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from rrcore.levels import Floats
from rrcore.lopub import DependencyGraph, compare_edges, thresholds
from rrcore.plots.palette import Palette, dress, label

__all__ = ["dependency_figure"]

_COLOURS = ("#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#A89400", "#8E5EA2")
_ADDED = "#D55E00"
_LETTERS = 14
"""Letters of a name beside its mark; the hover has all."""
_LISTED = 34
"""Letters of a list of names in the legend."""
_HOVER = (0.2, 0.35, 0.5, 0.65, 0.8)
"""Where on an edge the pointer finds it."""

Pair = tuple[int, int]


@dataclass(frozen=True)
class _Kind:
    """One kind of edge: its legend entry, its edges, and how they are drawn."""

    name: str
    edges: Sequence[Pair]
    colour: str
    dash: str
    crossed: bool = False


def dependency_figure(
    graph: DependencyGraph, names: Sequence[str], palette: Palette, *, true: DependencyGraph | None = None
) -> go.Figure:
    """Attributes on an oval, joined where they depend on each other; the wider a line, the more they tell about each other.

    Cliques of three and more are numbered areas (a smaller clique is an edge, or an attribute on its own). Attributes in a separator
    have a ring; dashed lines were added by triangulation.

    Parameters
    ----------
    graph : of d >= 1 attributes
    names : of the d attributes
    true : the graph of the true table; if given, edges are told apart as correct (solid), added (dotted) and lost (dashed, with a cross)
    """
    places, figure = _places(graph), go.Figure()
    areas = [clique for clique in graph.cliques if len(clique) > 2]
    for number, clique in enumerate(areas, 1):
        _area(figure, number, clique, names, places)
    told = {}
    for kind in _kinds(graph, true, palette):
        told |= {edge: _told(edge, graph, true, names) for edge in kind.edges}
        _edges(figure, kind, places, _widths(kind, graph, true), told)
    _attributes(figure, graph, names, places, palette)
    for number, clique in enumerate(areas, 1):
        _number(figure, number, clique, names, places, palette)
    rows = (len(names) + 1) // 2
    letters = max(len(_short(name)) for name in names)
    figure.update_xaxes(visible=False, range=[-1.12, 1.12], fixedrange=True)
    figure.update_yaxes(visible=False, range=[-1.05, 1.05], fixedrange=True)
    return dress(
        figure,
        palette,
        height=max(260, 28 * rows) + 24 * (len(areas) + 4),
        margin={"l": 7 * letters + 16, "r": 7 * letters + 16, "t": 8, "b": 8},
        legend={"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0, "xref": "container", "font": {"size": 12}},
    )


def _places(graph: DependencyGraph) -> Floats:
    """Where the attributes stand, shape (d, 2): on a circle at evenly spaced heights, so that names beside them never meet; cliques
    together, single attributes last.
    """
    walk = [i for clique, _ in sorted(graph.order(), key=lambda step: len(step[0]) == 1) for i in clique]
    order = list(dict.fromkeys(walk))
    d = len(order)
    right = (d + 1) // 2
    found = np.zeros((d, 2))
    for side, members in ((1, order[:right]), (-1, order[right:][::-1])):
        heights = 1 - (2 * np.arange(len(members)) + 1) / max(1, len(members))
        found[members] = np.column_stack([side * np.sqrt(1 - heights**2), heights])
    return found


def _area(figure: go.Figure, number: int, clique: Sequence[int], names: Sequence[str], places: Floats) -> None:
    """The translucent area of a clique."""
    corners = sorted(clique, key=lambda i: math.atan2(places[i, 1], places[i, 0]))
    x, y = places[[*corners, corners[0]]].T
    colour = _COLOURS[(number - 1) % len(_COLOURS)]
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.28)",
        line={"width": 1, "color": colour},
        name=f"clique {number}: {_listed([names[i] for i in clique])}",
        legendgroup=f"clique {number}",
        hoverinfo="skip",
    )


def _number(
    figure: go.Figure, number: int, clique: Sequence[int], names: Sequence[str], places: Floats, palette: Palette
) -> None:
    """The number of a clique amid its area."""
    x, y = places[list(clique)].mean(axis=0)
    figure.add_scatter(
        x=[x],
        y=[y],
        mode="markers+text",
        marker={
            "size": 18,
            "color": palette.background,
            "line": {"width": 2, "color": _COLOURS[(number - 1) % len(_COLOURS)]},
            "opacity": 1,
        },
        text=[str(number)],
        textfont={"size": 11, "color": palette.text},
        customdata=[", ".join(label(names[i]) for i in clique)],
        hovertemplate=f"clique {number}: %{{customdata}}<extra></extra>",
        name=f"clique {number}",
        legendgroup=f"clique {number}",
        showlegend=False,
    )


def _kinds(graph: DependencyGraph, true: DependencyGraph | None, palette: Palette) -> list[_Kind]:
    if true is None:
        kinds = [_Kind("dependency", graph.edges, palette.estimate, "solid")]
    else:
        found = compare_edges(graph, true)
        kinds = [
            _Kind("lost", found.lost, palette.hatch, "dash", crossed=True),
            _Kind("correct", found.correct, palette.estimate, "solid"),
            _Kind("added", found.added, _ADDED, "dot"),
        ]
    if graph.filled:
        kinds.append(_Kind("added by triangulation", graph.filled, palette.text, "dash"))
    return kinds


def _widths(kind: _Kind, graph: DependencyGraph, true: DependencyGraph | None) -> list[float]:
    """Pixels of each edge in steps of 0.5, growing with the information; of a lost edge with the true one."""
    drawn = [graph.information[edge] for edge in graph.edges]
    if true is not None:
        drawn += [true.information[edge] for edge in true.edges]
    most = max([1e-12, *drawn])
    source = true if kind.crossed and true is not None else graph
    shares = [source.information[edge] / most for edge in kind.edges]
    return [1.5 if math.isnan(share) else 1.5 + round(2 * 5 * min(1.0, max(0.0, share))) / 2 for share in shares]


def _edges(figure: go.Figure, kind: _Kind, places: Floats, widths: Sequence[float], told: dict[Pair, str]) -> None:
    """The edges of one kind: a legend entry, lines of equal width as one trace, and marks for the pointer."""
    look = {"name": f"{kind.name} ({len(kind.edges)})", "legendgroup": kind.name}
    mark = {"symbol": "x", "size": 9, "color": kind.colour}
    figure.add_scatter(
        x=[None],
        y=[None],
        mode="lines+markers" if kind.crossed else "lines",
        line={"color": kind.colour, "dash": kind.dash, "width": 3},
        marker=mark,
        hoverinfo="skip",
        **look,
    )
    by_width: dict[float, list[Pair]] = defaultdict(list)
    for edge, width in zip(kind.edges, widths, strict=True):
        by_width[width].append(edge)
    for width, edges in sorted(by_width.items()):
        figure.add_scatter(
            x=[at for i, j in edges for at in (places[i, 0], places[j, 0], None)],
            y=[at for i, j in edges for at in (places[i, 1], places[j, 1], None)],
            mode="lines",
            line={"color": kind.colour, "dash": kind.dash, "width": width},
            hoverinfo="skip",
            showlegend=False,
            **look,
        )
    middles = np.array([(places[i] + places[j]) / 2 for i, j in kind.edges]).reshape(-1, 2)
    if kind.crossed:
        figure.add_scatter(
            x=middles[:, 0], y=middles[:, 1], mode="markers", marker=mark, hoverinfo="skip", showlegend=False, **look
        )
    points = np.array([(1 - t) * places[i] + t * places[j] for i, j in kind.edges for t in _HOVER]).reshape(-1, 2)
    figure.add_scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        marker={"size": 12, "opacity": 0, "color": kind.colour},
        text=[told[edge] for edge in kind.edges for _ in _HOVER],
        hovertemplate=f"%{{text}}<extra>{kind.name}</extra>",
        showlegend=False,
        **look,
    )


def _told(edge: Pair, graph: DependencyGraph, true: DependencyGraph | None, names: Sequence[str]) -> str:
    """What the pointer says of a pair."""
    i, j = edge
    found = _nats(graph.information[edge])
    if true is not None:
        found = f"estimated: {found}<br>true: {_nats(true.information[edge])}"
    return f"{label(names[i])} with {label(names[j])}<br>{found}<br>threshold: {_nats(thresholds(graph.sizes, graph.phi)[edge])}"


def _nats(information: float) -> str:
    return "not looked at" if math.isnan(information) else f"{information:.3f} nats"


def _attributes(figure: go.Figure, graph: DependencyGraph, names: Sequence[str], places: Floats, palette: Palette) -> None:
    """A mark and a name for every attribute, and a ring round those in a separator."""
    separators = sorted({separator for _, _, separator in graph.tree})
    ringed = sorted({i for separator in separators for i in separator})
    if ringed:
        told = "; ".join(", ".join(_short(names[i]) for i in separator) for separator in separators)
        figure.add_scatter(
            x=places[ringed, 0],
            y=places[ringed, 1],
            mode="markers",
            marker={"size": 19, "color": palette.background, "line": {"width": 2.5, "color": palette.text}},
            name=f"{'separators' if len(separators) > 1 else 'separator'}: {_listed(told.split('; '), '; ')}",
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=places[:, 0],
        y=places[:, 1],
        mode="markers",
        marker={"size": 10, "color": palette.text},
        text=[_role(i, graph, names) for i in range(len(names))],
        hovertemplate="%{text}<extra></extra>",
        name="attribute",
        showlegend=False,
    )
    for i, (x, y) in enumerate(places):
        figure.add_annotation(
            x=x,
            y=y,
            text=label(_short(names[i])),
            showarrow=False,
            xanchor="left" if x > 0 else "right",
            xshift=math.copysign(12, x),
            font={"color": palette.text, "size": 12},
        )


def _role(i: int, graph: DependencyGraph, names: Sequence[str]) -> str:
    """What the pointer says of an attribute: its name, the cliques it is in, the separators."""
    lines = [f"<b>{label(names[i])}</b>"]
    homes = [clique for clique in graph.cliques if i in clique]
    if homes == [(i,)]:
        return f"{lines[0]}<br>depends on no other attribute"
    lines += [f"clique: {', '.join(label(names[j]) for j in clique)}" for clique in homes]
    through = sorted({separator for _, _, separator in graph.tree if i in separator})
    lines += [f"separator: {', '.join(label(names[j]) for j in separator)}" for separator in through]
    return "<br>".join(lines)


def _short(text: str) -> str:
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"


def _listed(names: Sequence[str], between: str = ", ") -> str:
    """As many of the names as the legend has room for, and the number of the others."""
    shown: list[str] = []
    for name in names:
        if shown and len(between.join([*shown, name])) > _LISTED:
            return f"{label(between.join(shown))} and {len(names) - len(shown)} more"
        shown.append(name if between != ", " else _short(name))
    return label(between.join(shown))
