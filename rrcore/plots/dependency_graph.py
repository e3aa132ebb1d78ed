"""Figure of a dependency graph: which attributes were joined, and which edges are correct, added and lost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats
from rrcore.plots.frame import Spec, framed, label, note, scatter, shortened
from rrcore.plots.palette import VERMILION, Palette
from rrcore.research.lopub import DependencyGraph, compare_edges, thresholds

_LETTERS = 14  # letters of a name beside its mark; the hover has all

Pair = tuple[int, int]


@dataclass(frozen=True)
class _Kind:
    """One kind of edge: its legend entry, its edges, and how they are drawn."""

    name: str
    edges: Sequence[Pair]
    colour: str
    dash: str
    crossed: bool = False


def dependency_graph_figure(
    graph: DependencyGraph, names: Sequence[str], palette: Palette, *, true: DependencyGraph
) -> go.Figure:
    """Attributes in two columns, joined if they depend on each other. Dashed lines were added by triangulation.

    Parameters
    ----------
    graph : of d >= 1 attributes
    names : of the d attributes
    true : the graph of the true table. It tells which edges are correct (solid), added (dotted) and lost (dashed, with a cross)
    """
    places, kinds = _places(graph), _kinds(graph, true, palette)
    traces = [
        trace for kind in kinds for trace in _edges(kind, places, [_edge_text(edge, graph, true, names) for edge in kind.edges])
    ]
    marks = scatter(
        *places.T,
        marker={"size": 10, "color": palette.text},
        text=[_role(i, graph, names) for i in range(len(names))],
        hover="%{text}",
        cliponaxis=False,
        name="attribute",
        showlegend=False,
    )
    beside = [
        note(x, y, label(_short(name)), xanchor="left" if x > 0 else "right", xshift=math.copysign(12, x))
        for name, (x, y) in zip(names, places, strict=True)
    ]
    room = min(0.32, (7 * max(len(_short(name)) for name in names) + 6) / 334)
    return framed(
        [*traces, marks],
        palette,
        height=max(200, 14 * len(names) + 30) + 20 * (len(kinds) + 1),
        annotations=beside,
        margin={"t": 8},
        legend={"y": -0.01, "yanchor": "top", "font": {"size": 12}, "tracegroupgap": 0},
        xaxis={"visible": False, "range": [-1.1, 1.1], "domain": [room, 1 - room], "fixedrange": True},
        yaxis={"visible": False, "range": [-1.05, 1.05], "fixedrange": True},
    )


def _places(graph: DependencyGraph) -> Floats:
    """Where the attributes stand, shape (d, 2): in turn in a left and a right column, each at a height of its own, so that names beside
    them never meet and lines across never pass another mark. Cliques stand together, single attributes last.
    """
    walk = [i for clique, _ in sorted(graph.order(), key=lambda step: len(step[0]) == 1) for i in clique]
    order = list(dict.fromkeys(walk))
    found = np.empty((len(order), 2))
    found[order, 0] = np.where(np.arange(len(order)) % 2, 1, -1)
    found[order, 1] = 1 - (2 * np.arange(len(order)) + 1) / len(order)
    return found


def _line(places: Floats, i: int, j: int) -> Floats:
    """Points from one attribute to another, shape (17, 2): straight across, bent inwards within a column, the further the more."""
    t = np.linspace(0, 1, 17)[:, None]
    one, other = places[i], places[j]
    middle = (one + other) / 2
    if one[0] == other[0]:
        rows = abs(one[1] - other[1]) * len(places) / 4
        middle[0] *= 1 - min(1.3, 0.3 * rows)
    return np.asarray((1 - t) ** 2 * one + 2 * t * (1 - t) * middle + t**2 * other)


def _kinds(graph: DependencyGraph, true: DependencyGraph, palette: Palette) -> list[_Kind]:
    found = compare_edges(graph, true)
    kinds = [
        _Kind("correct", found.correct, palette.estimate, "solid"),
        _Kind("added", found.added, VERMILION, "dot"),
        _Kind("lost", found.lost, palette.hatch, "dash", crossed=True),
    ]
    return kinds + ([_Kind("added by triangulation", graph.filled, palette.text, "dash")] if graph.filled else [])


def _edges(kind: _Kind, places: Floats, texts: Sequence[str]) -> list[Spec]:
    """The edges of one kind: a legend entry, lines as one trace, and marks for the pointer."""
    entry: Spec = {"name": f"{kind.name} ({len(kind.edges)})", "legendgroup": kind.name}
    look, mark = {"color": kind.colour, "dash": kind.dash, "width": 3}, {"symbol": "x", "size": 9, "color": kind.colour}
    lines = [_line(places, i, j) for i, j in kind.edges]
    traces = [scatter([None], [None], line=look, marker=mark if kind.crossed else None, **entry)]
    if not lines:
        return traces
    traces.append(scatter(*_joined(lines), line=look, showlegend=False, **entry))
    if kind.crossed:
        traces.append(scatter(*np.array([line[8] for line in lines]).T, marker=mark, showlegend=False, **entry))
    pointed = scatter(
        *np.array([line[3:-3:2] for line in lines]).reshape(-1, 2).T,
        marker={"size": 12, "opacity": 0, "color": kind.colour},
        text=np.repeat(np.array(texts, dtype=object), 6),
        hover=f"%{{text}}<extra>{kind.name}</extra>",
        showlegend=False,
        **entry,
    )
    return [*traces, pointed]


def _joined(lines: Sequence[Floats]) -> Floats:
    """Coordinates, shape (2, points), of lines that are drawn as one trace, with a gap between them."""
    return np.concatenate([np.vstack([line, [np.nan, np.nan]]) for line in lines]).T


def _edge_text(edge: Pair, graph: DependencyGraph, true: DependencyGraph, names: Sequence[str]) -> str:
    """What the pointer says of a pair."""
    i, j = edge
    found = f"estimated: {_nats(graph.information[edge])}<br>true: {_nats(true.information[edge])}"
    return f"{label(names[i])} with {label(names[j])}<br>{found}<br>threshold: {_nats(thresholds(graph.sizes, graph.phi)[edge])}"


def _nats(information: float) -> str:
    return "not looked at" if math.isnan(information) else f"{information:.3f} nats"


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
    return shortened(text, _LETTERS)
