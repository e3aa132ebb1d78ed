"""Figure of a dependency graph: which attributes were joined, the cliques that follow, and what was found, added and lost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats
from rrcore.plots.frame import Spec, framed, label, note, scatter, shortened
from rrcore.plots.palette import GREEN, OLIVE, ORANGE, PINK, SKY, VERMILION, VIOLET, Palette, faint
from rrcore.research.lopub import DependencyGraph, compare_edges, thresholds

_COLOURS = (ORANGE, GREEN, PINK, SKY, OLIVE, VIOLET)
_LETTERS = 14  # letters of a name beside its mark and in the legend; the hover has all
_ENTRY = 46  # letters of a legend entry: as many as a telephone is wide

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
    graph: DependencyGraph, names: Sequence[str], palette: Palette, *, true: DependencyGraph | None = None
) -> go.Figure:
    """Attributes in two columns, joined where they depend on each other; the wider a line, the more they tell about each other.

    Cliques of three and more are numbered areas (a smaller clique is an edge, or an attribute on its own). Attributes in a separator
    have a ring; dashed lines were added by triangulation.

    Parameters
    ----------
    graph : of d >= 1 attributes
    names : of the d attributes
    true : the graph of the true table; if given, edges are told apart as correct (solid), added (dotted) and lost (dashed, with a cross)
    """
    places, kinds = _places(graph), _kinds(graph, true, palette)
    areas = [clique for clique in graph.cliques if len(clique) > 2]
    cliques = [_clique(number, clique, names, places, palette) for number, clique in enumerate(areas, 1)]
    traces = [area for area, _ in cliques]
    for kind in kinds:
        texts = [_edge_text(edge, graph, true, names) for edge in kind.edges]
        traces += _edges(kind, places, _widths(kind, graph, true), texts)
    traces += _attributes(graph, names, places, palette)
    beside = [
        note(x, y, label(_short(name)), xanchor="left" if x > 0 else "right", xshift=math.copysign(12, x))
        for name, (x, y) in zip(names, places, strict=True)
    ]
    room = min(0.32, (7 * max(len(_short(name)) for name in names) + 6) / 334)
    return framed(
        [*traces, *(number for _, number in cliques)],
        palette,
        height=max(200, 14 * len(names) + 30) + 20 * (len(areas) + len(kinds) + 1),
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


def _outline(clique: Sequence[int], places: Floats) -> Floats:
    """Points around a clique: down the left column, up the right one, and back."""
    x, y = places.T.tolist()
    corners = sorted(clique, key=lambda i: (x[i], x[i] * y[i]))
    return np.concatenate([_line(places, i, j) for i, j in pairwise([*corners, corners[0]])])


def _clique(number: int, clique: Sequence[int], names: Sequence[str], places: Floats, palette: Palette) -> tuple[Spec, Spec]:
    """The translucent area of a clique, and its number amid it."""
    outline, colour = _outline(clique, places), _COLOURS[(number - 1) % len(_COLOURS)]
    area = scatter(
        *outline.T,
        fill="toself",
        fillcolor=faint(colour, 0.28),
        line={"width": 1, "color": colour},
        name=_entry(f"clique {number}: ", [_short(names[i]) for i in clique], ", "),
        legendgroup=f"clique {number}",
        legendrank=1001,
    )
    middle = scatter(
        *outline.mean(axis=0)[:, None],
        marker={"size": 18, "color": palette.background, "line": {"width": 2, "color": colour}},
        words=[str(number)],
        textfont={"size": 11, "color": palette.text},
        customdata=[", ".join(label(names[i]) for i in clique)],
        hover=f"clique {number}: %{{customdata}}",
        name=f"clique {number}",
        legendgroup=f"clique {number}",
        showlegend=False,
    )
    return area, middle


def _kinds(graph: DependencyGraph, true: DependencyGraph | None, palette: Palette) -> list[_Kind]:
    if true is None:
        kinds = [_Kind("dependency", graph.edges, palette.estimate, "solid")]
    else:
        found = compare_edges(graph, true)
        kinds = [
            _Kind("correct", found.correct, palette.estimate, "solid"),
            _Kind("added", found.added, VERMILION, "dot"),
            _Kind("lost", found.lost, palette.hatch, "dash", crossed=True),
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
    return [1.5 if math.isnan(share) else 1.5 + round(7 * min(1.0, max(0.0, share))) / 2 for share in shares]


def _edges(kind: _Kind, places: Floats, widths: Sequence[float], texts: Sequence[str]) -> list[Spec]:
    """The edges of one kind: a legend entry, lines of equal width as one trace, and marks for the pointer."""
    entry: Spec = {"name": f"{kind.name} ({len(kind.edges)})", "legendgroup": kind.name}
    look, mark = {"color": kind.colour, "dash": kind.dash}, {"symbol": "x", "size": 9, "color": kind.colour}
    lines = [_line(places, i, j) for i, j in kind.edges]
    traces = [scatter([None], [None], line=look | {"width": 3}, marker=mark if kind.crossed else None, **entry)]
    for width in sorted(set(widths)):
        x, y = _joined([line for line, own in zip(lines, widths, strict=True) if own == width])
        traces.append(scatter(x, y, line=look | {"width": width}, showlegend=False, **entry))
    if kind.crossed:
        traces.append(scatter(*np.array([line[8] for line in lines]).reshape(-1, 2).T, marker=mark, showlegend=False, **entry))
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


def _edge_text(edge: Pair, graph: DependencyGraph, true: DependencyGraph | None, names: Sequence[str]) -> str:
    """What the pointer says of a pair."""
    i, j = edge
    found = _nats(graph.information[edge])
    if true is not None:
        found = f"estimated: {found}<br>true: {_nats(true.information[edge])}"
    return f"{label(names[i])} with {label(names[j])}<br>{found}<br>threshold: {_nats(thresholds(graph.sizes, graph.phi)[edge])}"


def _nats(information: float) -> str:
    return "not looked at" if math.isnan(information) else f"{information:.3f} nats"


def _attributes(graph: DependencyGraph, names: Sequence[str], places: Floats, palette: Palette) -> list[Spec]:
    """A mark for every attribute, and a ring round those in a separator."""
    separators = sorted({separator for _, _, separator in graph.tree})
    ringed, traces = sorted({i for separator in separators for i in separator}), []
    if ringed:
        texts = [", ".join(_short(names[i]) for i in separator) for separator in separators]
        ring = {"size": 19, "color": palette.background, "line": {"width": 2.5, "color": palette.text}}
        entry = _entry("separators: " if len(texts) > 1 else "separator: ", texts, "; ")
        traces.append(scatter(*places[ringed].T, marker=ring, cliponaxis=False, name=entry))
    marks = scatter(
        *places.T,
        marker={"size": 10, "color": palette.text},
        text=[_role(i, graph, names) for i in range(len(names))],
        hover="%{text}",
        cliponaxis=False,
        name="attribute",
        showlegend=False,
    )
    return [*traces, marks]


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


def _entry(before: str, names: Sequence[str], between: str) -> str:
    """A legend entry with as many of the names as there is room for, at least one, and the number of the others."""
    for shown in range(len(names), 0, -1):
        more = f" and {len(names) - shown} more" if shown < len(names) else ""
        text = before + between.join(names[:shown]) + more
        if len(text) <= _ENTRY:
            break
    return label(text)
