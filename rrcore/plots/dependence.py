"""Figures of dependence between attributes: how strong each pair is, how well it was found out, and what clusters follow."""

from collections.abc import Sequence
from itertools import cycle

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Booleans, Floats
from rrcore.dependence import Clustering, DependenceEstimate
from rrcore.limits import MAX_MARKS
from rrcore.plots.cells import pairs_map
from rrcore.plots.frame import Spec, drawn, framed, label, note, scatter, ticked, upright, whiskers
from rrcore.plots.palette import BLUE, GREEN, OLIVE, ORANGE, PINK, SKY, VERMILION, Palette

ROUTE_LOOKS = ((BLUE, "circle"), (ORANGE, "triangle-up"), (PINK, "square"), (GREEN, "diamond"), (VERMILION, "x"))
"""Colour and mark of the routes, in the order in which they are drawn."""

_STRONG = 0.6  # dependence that has the full colour: the same in every figure, so that weak dependence always looks weak
_LETTERS = 40  # columns whose names are longer in all stand too close on a phone: their names are tilted
_CLUSTER_COLOURS = (BLUE, ORANGE, GREEN, PINK, VERMILION, SKY, OLIVE)


def dependence_map(
    v: Floats, names: Sequence[str], palette: Palette, *, title: str = "Cramér's V", chance: Booleans | None = None
) -> go.Figure:
    """The dependence of every pair as a heat map, with numbers, on a scale that is the same in every figure.

    Hatched where it is not identifiable, and, wider, where it is no stronger than chance makes it. Of more than ``MAX_DRAWN`` attributes
    those of the most dependent pairs.

    Parameters
    ----------
    v : ndarray of shape (k, k), NaN on the diagonal and where unknown
    chance : ndarray of shape (k, k), bool: pairs whose dependence is not significant; none if left out
    """
    chosen = drawn(v)
    both, names, k = np.ix_(chosen, chosen), [names[i] for i in chosen], len(chosen)
    return pairs_map(
        v[both],
        names,
        palette,
        scale=palette.sequential,
        ends=(0, _STRONG),
        title=title,
        form=".3f",
        number="{:.2f}".format,
        weak=None if chance is None else np.asarray(chance)[both],
        tilt=-35 if max(map(len, names[:-1])) * (k - 1) > _LETTERS else 0,
        height=150 + 36 * k,
        showlegend=k > 2,
        legend={"x": 1, "xanchor": "right", "y": 1, "yanchor": "top", "font": {"size": 12}},  # where no cells are
    )


def dependence_agreement_figure(
    truth: Floats, routes: Sequence[DependenceEstimate], names: Sequence[str], palette: Palette
) -> go.Figure:
    """Found against true dependence, one mark per pair and route; intervals where a route has them. The line is where both agree.

    Of more than ``MAX_MARKS`` pairs the most dependent ones.

    Parameters
    ----------
    truth : ndarray of shape (k, k), true V
    routes : at most five
    """
    every = np.array(np.triu_indices(len(names), 1))
    pairs = tuple(every[:, np.sort(np.argsort(-truth[tuple(every)], kind="stable")[:MAX_MARKS])])
    texts = [f"{label(names[i])} with {label(names[j])}" for i, j in zip(*pairs, strict=True)]
    true = truth[pairs]
    line = {"color": palette.truth, "width": 1, "dash": "dot"}
    traces = [scatter([0, 1], [0, 1], line=line, name="as in truth")]
    for route, (colour, mark) in zip(routes, ROUTE_LOOKS, strict=False):
        found, bars = route.v[pairs], {}
        if route.low is not None and route.high is not None:
            bars["error_y"] = whiskers(found, route.low[pairs], route.high[pairs], colour, 1, width=0)
        traces.append(
            scatter(
                true,
                found,
                marker={"color": colour, "symbol": mark, "size": 8},
                name=route.title,
                customdata=texts,
                hover="%{customdata}<br>true %{x:.3f}, found %{y:.3f}",
                **bars,
            )
        )
    largest = max(0.05, float(np.nanmax(true))) if len(true) else 1.0
    tables = [table for route in routes for table in (route.v, route.high) if table is not None]
    highest = max([largest, *(float(np.nanmax(table)) for table in tables)])
    return framed(
        traces,
        palette,
        height=460,
        xaxis={"title": "true Cramér's V", "range": [-0.02, min(1.02, 1.1 * largest + 0.02)]},
        yaxis={"title": "found", "range": [-0.02, min(1.02, 1.05 * highest + 0.02)]},
    )


def dependence_cluster_tree(clustering: Clustering, names: Sequence[str], palette: Palette) -> go.Figure:
    """The merges as a tree: attributes on the left, each merge at the dependence of the two clusters it joins.

    Hollow marks: two clusters that would have had too many combinations together. The dotted line is T_d.
    """
    leaves = _order(clustering)
    rows = list(range(len(leaves)))
    at: dict[tuple[int, ...], tuple[float, float]] = {(i,): (1.0, float(row)) for row, i in enumerate(leaves)}
    grouped = [cluster for cluster in clustering.clusters if len(cluster) > 1]
    colour = {i: look for cluster, look in zip(grouped, cycle(_CLUSTER_COLOURS), strict=False) for i in cluster}
    hollow = {"symbol": "circle-open", "color": palette.hatch, "size": 9, "line": {"width": 2}}
    traces = []
    for step in clustering.steps:
        (left_x, left_y), (right_x, right_y) = at[step.left], at[step.right]
        text = f"{_named(step.left, names)} and {_named(step.right, names)}: {step.dependence:.3f}, {step.cells:,} combinations"
        middle = (left_y + right_y) / 2
        if not step.merged:
            refused: Spec = {"name": "too many combinations", "hover": f"{text}: too many"}
            traces.append(scatter([step.dependence], [middle], marker=hollow, showlegend=False, **refused))
            continue
        x, look = min(step.dependence, left_x, right_x), colour[step.left[0]]
        merged: Spec = {"name": "merged", "hover": text, "showlegend": False}
        line, mark = {"color": look, "width": 3}, {"color": look, "size": 9}
        traces.append(scatter([left_x, x, x, right_x], [left_y, left_y, right_y, right_y], line=line, **merged))
        traces.append(scatter([x], [middle], marker=mark, **merged))
        at[tuple(sorted((*step.left, *step.right)))] = (x, middle)
    ends = {"color": [colour.get(i, palette.released) for i in leaves], "size": 9}
    traces.append(scatter([1.0] * len(leaves), rows, marker=ends, showlegend=False, name="attributes"))
    least = clustering.min_dependence
    return framed(
        traces,
        palette,
        height=110 + 34 * len(leaves),
        shapes=[upright(least, palette.text, "dot")],
        annotations=[note(least, 1, "T_d", size=13, xref="x", yref="y domain", xanchor="left", yanchor="top")],
        xaxis={"title": "merged at dependence", "range": [1.02, -0.02]},
        yaxis=ticked(rows, [label(names[i]) for i in leaves], autorange="reversed"),
    )


def _order(clustering: Clustering) -> list[int]:
    """Attributes in an order in which the members of every merge stand together."""
    strands: dict[tuple[int, ...], list[int]] = {}
    for cluster in clustering.clusters:
        for i in cluster:
            strands[(i,)] = [i]
    for step in clustering.steps:
        if step.merged:
            strands[tuple(sorted((*step.left, *step.right)))] = strands.pop(step.left) + strands.pop(step.right)
    return [i for cluster in clustering.clusters for i in strands[cluster]]


def _named(cluster: Sequence[int], names: Sequence[str]) -> str:
    return " + ".join(label(names[i]) for i in cluster)
