"""Figures of a synthetic table: the graph it was pieced together by, and how close it comes to the truth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.levels import Floats
from rrcore.lopub import Accuracy
from rrcore.plots.dependency import dependency_figure
from rrcore.plots.palette import Palette, dress, hatch, label
from rrcore.schema import Schema

__all__ = [
    "accuracy_figure",
    "dependency_figure",
    "half_l1_figure",
    "likelihood_figure",
    "synthetic_marginals_figure",
    "v_difference_map",
]

_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#A89400")
_MARKS = ("circle", "square", "diamond", "triangle-up", "x", "star", "cross")


def likelihood_figure(curves: Mapping[str, Floats], palette: Palette) -> go.Figure:
    """What every iteration of EM gained over the start, in nats a respondent, one line a fit."""
    figure = go.Figure()
    for number, (name, values) in enumerate(curves.items()):
        figure.add_scatter(
            x=np.arange(1, len(values)),
            y=np.asarray(values[1:]) - values[0],
            mode="lines",
            line={"color": _COLOURS[number % len(_COLOURS)]},
            name=label(name),
            hovertemplate="iteration %{x}: + %{y:.5f} nats<extra>%{fullData.name}</extra>",
        )
    figure.update_xaxes(title="iteration", type="log", dtick=1)
    figure.update_yaxes(title="log-likelihood gained (nats a person)")
    return dress(figure, palette, height=340)


def synthetic_marginals_figure(
    schema: Schema, axis: int, true: Floats, synthetic: Floats, palette: Palette, *, estimate: Floats | None = None
) -> go.Figure:
    """True, estimated and synthetic shares of the answers to one attribute."""
    attribute = schema.attributes[axis]
    labels = [label(category) for category in attribute.categories]
    lying = sum(map(len, labels)) > 100
    bars = [("truth", palette.truth, true), ("synthetic", palette.estimate, synthetic)]
    if estimate is not None:
        bars.insert(1, ("estimate", palette.released, estimate))
    figure = go.Figure()
    for name, colour, shares in bars:
        along, up = (100 * shares, labels) if lying else (labels, 100 * shares)
        bar = go.Bar(x=along, y=up, orientation="h" if lying else "v", name=name, marker_color=colour)
        bar.hovertemplate = ("%{y}: %{x:.2f}" if lying else "%{x}: %{y:.2f}") + f" %<extra>{name}</extra>"
        figure.add_trace(bar)
    figure.update_layout(barmode="group", bargap=0.25)
    share, category = ("xaxis", "yaxis") if lying else ("yaxis", "xaxis")
    figure.update_layout({share: {"title": "share of people (%)"}, category: {"type": "category", "showgrid": False}})
    if lying:
        figure.update_yaxes(autorange="reversed")
    return dress(figure, palette, height=120 + 34 * len(labels) if lying else 380)


def half_l1_figure(errors: Mapping[str, Mapping[int, float]], palette: Palette) -> go.Figure:
    """Half L1 against the number of attributes, one line with a mark of its own a source."""
    figure = go.Figure()
    for number, (name, by_width) in enumerate(errors.items()):
        figure.add_scatter(
            x=list(by_width),
            y=list(by_width.values()),
            mode="lines+markers",
            line={"color": _COLOURS[number % len(_COLOURS)]},
            marker={"symbol": _MARKS[number % len(_MARKS)], "size": 9},
            name=label(name),
            hovertemplate="%{x} attributes: %{y:.4f}<extra>%{fullData.name}</extra>",
        )
    figure.update_xaxes(title="number of attributes", dtick=1)
    figure.update_yaxes(title="half L1", rangemode="tozero")
    return dress(figure, palette, height=380)


def v_difference_map(difference: Floats, names: Sequence[str], palette: Palette) -> go.Figure:
    """Cramer's V in the synthetic minus in the true table, every pair, on a scale centred at 0."""
    k = len(names)
    shown = np.where(np.tri(k, k, -1, dtype=bool), difference, np.nan)[1:, :-1]
    widest = max(0.01, float(np.nanmax(np.abs(shown)))) if not np.isnan(shown).all() else 1.0
    rows, columns = list(range(1, k)), list(range(k - 1))
    figure = go.Figure(
        go.Heatmap(
            z=shown,
            x=columns,
            y=rows,
            colorscale=palette.diverging,
            zmin=-widest,
            zmax=widest,
            colorbar={"title": "difference of V", "thickness": 12},
            text=[["" if math.isnan(value) else f"{value:+.2f}" for value in row] for row in shown],
            texttemplate="%{text}" if k <= 12 else None,
            customdata=[[f"{label(names[row])} with {label(names[column])}" for column in columns] for row in rows],
            hovertemplate="%{customdata}: %{z:+.3f}<extra></extra>",
            hoverongaps=False,
            xgap=1,
            ygap=1,
        )
    )
    hatch(figure, [(j, i) for i in rows for j in columns if j < i and math.isnan(difference[i, j])], palette)
    figure.update_xaxes(
        tickvals=columns, ticktext=[label(names[j]) for j in columns], showgrid=False, zeroline=False, tickangle=-35
    )
    figure.update_yaxes(
        tickvals=rows, ticktext=[label(names[i]) for i in rows], autorange="reversed", showgrid=False, zeroline=False
    )
    return dress(figure, palette, height=150 + 36 * k, showlegend=False)


def accuracy_figure(rows: Sequence[tuple[str, Accuracy]], palette: Palette) -> go.Figure:
    """How often a classifier is right, one row a predicted attribute: majority guess, trained on synthetic, trained on true rows."""
    targets = [label(name) for name, _ in rows]
    figure = go.Figure()
    for name, accuracy in rows:
        figure.add_scatter(
            x=[100 * accuracy.majority, 100 * max(accuracy.true, accuracy.synthetic)],
            y=[label(name)] * 2,
            mode="lines",
            line={"color": palette.grid, "width": 4},
            showlegend=False,
            hoverinfo="skip",
        )
    marks = (
        ("majority guess", "majority", palette.released, "line-ns-open"),
        ("trained on the synthetic table", "synthetic", palette.estimate, "circle"),
        ("trained on true rows", "true", palette.truth, "diamond-open"),
    )
    for title, field, colour, symbol in marks:
        figure.add_scatter(
            x=[100 * getattr(accuracy, field) for _, accuracy in rows],
            y=targets,
            mode="markers",
            marker={"symbol": symbol, "size": 13, "color": colour, "line": {"width": 2, "color": colour}},
            name=title,
            hovertemplate=f"%{{y}}: %{{x:.1f}} % right<extra>{title}</extra>",
        )
    figure.update_xaxes(title="right answers about held-out true rows (%)")
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category")
    return dress(figure, palette, height=150 + 44 * len(rows))
