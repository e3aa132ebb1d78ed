"""Figures of dependence between attributes: how strong each pair is, how well it was found out, and what clusters follow."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Booleans, Floats
from rrcore.dependence import Clustering, DependenceEstimate
from rrcore.limits import MAX_MARKS
from rrcore.plots.cells import write_cells
from rrcore.plots.palette import Palette, across, dress, hatch, label, put
from rrcore.plots.summary import drawn

ROUTE_LOOKS = (("#0072B2", "circle"), ("#E69F00", "triangle-up"), ("#CC79A7", "square"), ("#009E73", "diamond"), ("#D55E00", "x"))
"""Colour and mark of the routes, in the order in which they are drawn."""

_STRONG = 0.6  # dependence that has the full colour: the same in every figure, so that weak dependence always looks weak
_LETTERS = 40  # columns whose names are longer in all stand too close on a phone: their names are tilted
_CLUSTER_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#A89400")


def association_map(
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
    weak = np.zeros_like(v, dtype=bool) if chance is None else np.asarray(chance)
    weak = weak[np.ix_(chosen, chosen)]
    v, names, k = v[np.ix_(chosen, chosen)], [names[i] for i in chosen], len(chosen)
    weak &= ~np.isnan(v)
    shown = np.where(np.tri(k, k, -1, dtype=bool) & ~weak, v, np.nan)
    rows, columns = list(range(1, k)), list(range(k - 1))
    figure = go.Figure(
        go.Heatmap(
            z=shown[1:, :-1],
            x=columns,
            y=rows,
            colorscale=palette.sequential,
            zmin=0,
            zmax=_STRONG,
            colorbar=across(title),
            customdata=[[f"{label(names[row])} with {label(names[column])}" for column in columns] for row in rows],
            hovertemplate="%{customdata}: %{z:.3f}<extra></extra>",
            hoverongaps=False,
            xgap=1,
            ygap=1,
        )
    )
    if k <= 12:
        write_cells(figure, [[f"{value:.2f}" for value in row] for row in shown[1:, :-1]], palette.sequential, (0, _STRONG))
    below = [(j, i) for i in rows for j in columns if j < i]
    hatch(figure, [(j, i) for j, i in below if math.isnan(v[i, j])], palette)
    hatch(figure, [(j, i) for j, i in below if weak[i, j]], palette, name="no stronger than chance", dense=False)
    tilt = -35 if max(len(names[j]) for j in columns) * len(columns) > _LETTERS else 0
    put(
        figure,
        xaxis={
            "tickvals": columns,
            "ticktext": [label(names[j]) for j in columns],
            "showgrid": False,
            "zeroline": False,
            "tickangle": tilt,
        },
    )
    put(
        figure,
        yaxis={
            "tickvals": rows,
            "ticktext": [label(names[i]) for i in rows],
            "autorange": "reversed",
            "showgrid": False,
            "zeroline": False,
        },
    )
    legend = {"x": 1, "xanchor": "right", "y": 1, "yanchor": "top", "font": {"size": 12}}  # where no cells are
    return dress(figure, palette, height=150 + 36 * k, showlegend=k > 2, legend=legend)


def agreement_figure(truth: Floats, routes: Sequence[DependenceEstimate], names: Sequence[str], palette: Palette) -> go.Figure:
    """Found against true dependence, one mark per pair and route; intervals where a route has them. The line is where both agree.

    Of more than ``MAX_MARKS`` pairs the most dependent ones.

    Parameters
    ----------
    truth : ndarray of shape (k, k), true V
    routes : at most five
    """
    figure = go.Figure()
    pairs = np.array(np.triu_indices(len(names), 1))
    pairs = pairs[:, np.sort(np.argsort(-truth[tuple(pairs)], kind="stable")[:MAX_MARKS])]
    told = [f"{label(names[i])} with {label(names[j])}" for i, j in pairs.T]
    true = truth[tuple(pairs)]
    figure.add_scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line={"color": palette.truth, "width": 1, "dash": "dot"},
        name="as in truth",
        hoverinfo="skip",
    )
    for route, (colour, mark) in zip(routes, ROUTE_LOOKS, strict=False):
        found = route.v[tuple(pairs)]
        bars = None
        if route.low is not None and route.high is not None:
            low, high = route.low[tuple(pairs)], route.high[tuple(pairs)]
            bars = {"array": high - found, "arrayminus": found - low, "color": colour, "thickness": 1, "width": 0}
        figure.add_scatter(
            x=true,
            y=found,
            mode="markers",
            marker={"color": colour, "symbol": mark, "size": 8},
            error_y=bars,
            name=route.title,
            customdata=told,
            hovertemplate="%{customdata}<br>true %{x:.3f}, found %{y:.3f}<extra></extra>",
        )
    largest = max(0.05, float(np.nanmax(true))) if len(true) else 1.0
    put(figure, xaxis={"title": "true Cramér's V", "range": [-0.02, min(1.02, 1.1 * largest + 0.02)]})
    highest = max(
        [largest, *(float(np.nanmax(table)) for route in routes for table in (route.v, route.high) if table is not None)]
    )
    put(figure, yaxis={"title": "found", "range": [-0.02, min(1.02, 1.05 * highest + 0.02)]})
    return dress(figure, palette, height=460)


def merge_tree(clustering: Clustering, names: Sequence[str], palette: Palette) -> go.Figure:
    """The merges as a tree: attributes on the left, each merge at the dependence of the two clusters it joins.

    Hollow marks: two clusters that would have had too many combinations together. The dotted line is T_d.
    """
    leaves = _order(clustering)
    place = {i: float(row) for row, i in enumerate(leaves)}
    at: dict[tuple[int, ...], tuple[float, float]] = {(i,): (1.0, place[i]) for i in leaves}
    colour: dict[int, str] = {}
    grouped = [cluster for cluster in clustering.clusters if len(cluster) > 1]
    for number, cluster in enumerate(grouped):
        colour |= dict.fromkeys(cluster, _CLUSTER_COLOURS[number % len(_CLUSTER_COLOURS)])
    figure = go.Figure()
    for step in clustering.steps:
        (left_x, left_y), (right_x, right_y) = at[step.left], at[step.right]
        told = f"{_named(step.left, names)} and {_named(step.right, names)}: {step.dependence:.3f}, {step.cells:,} combinations"
        if not step.merged:
            figure.add_scatter(
                x=[step.dependence],
                y=[(left_y + right_y) / 2],
                mode="markers",
                marker={"symbol": "circle-open", "color": palette.hatch, "size": 9, "line": {"width": 2}},
                hovertemplate=f"{told}: too many<extra></extra>",
                name="too many combinations",
                showlegend=False,
            )
            continue
        x = min(step.dependence, left_x, right_x)
        line = colour[step.left[0]]
        figure.add_scatter(
            x=[left_x, x, x, right_x],
            y=[left_y, left_y, right_y, right_y],
            mode="lines",
            line={"color": line, "width": 3},
            hovertemplate=f"{told}<extra></extra>",
            name="merged",
            showlegend=False,
        )
        figure.add_scatter(
            x=[x],
            y=[(left_y + right_y) / 2],
            mode="markers",
            marker={"color": line, "size": 9},
            hovertemplate=f"{told}<extra></extra>",
            name="merged",
            showlegend=False,
        )
        at[tuple(sorted((*step.left, *step.right)))] = (x, (left_y + right_y) / 2)
    figure.add_scatter(
        x=[1.0] * len(leaves),
        y=list(range(len(leaves))),
        mode="markers",
        marker={"color": [colour.get(i, palette.released) for i in leaves], "size": 9},
        hoverinfo="skip",
        showlegend=False,
        name="attributes",
    )
    figure.add_vline(x=clustering.min_dependence, line={"color": palette.text, "dash": "dot", "width": 1}, annotation_text="T_d")
    put(figure, xaxis={"title": "merged at dependence", "range": [1.02, -0.02]})
    put(
        figure,
        yaxis={
            "tickvals": list(range(len(leaves))),
            "ticktext": [label(names[i]) for i in leaves],
            "showgrid": False,
            "zeroline": False,
            "autorange": "reversed",
        },
    )
    return dress(figure, palette, height=110 + 34 * len(leaves))


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
