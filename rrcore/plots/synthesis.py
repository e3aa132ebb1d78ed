"""Figures of a synthetic table: how its estimates came about, how close it comes to the truth, and what it is good for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats
from rrcore.plots.cells import write_cells
from rrcore.plots.marginal import largest_cells, placed
from rrcore.plots.palette import Palette, across, dress, hatch, label, put
from rrcore.research.lopub import Accuracy
from rrcore.table.schema import Schema
from rrcore.wording import cell_label

_LOOKS = (
    ("#0072B2", "solid", "circle"),
    ("#E69F00", "dash", "square"),
    ("#009E73", "dot", "diamond"),
    ("#CC79A7", "dashdot", "triangle-up"),
    ("#D55E00", "longdash", "x"),
    ("#56B4E9", "longdashdot", "star"),
    ("#A89400", "solid", "cross"),
)
"""Colour, line and mark of the lines of a figure, in the order in which they are drawn."""

_SYNTHETIC = "#E69F00"  # colour of what comes from the synthetic table
_WIDE = 0.3  # a difference of V that has the full colour, at least: smaller ones are never made to look large
_LONGEST = 48  # letters of the label of a bar, which may stand in two lines
_SHORT = 18  # letters of a name beside an axis; the hover has all


def likelihood_figure(curves: Mapping[str, Floats], palette: Palette) -> go.Figure:
    """What EM has gained over its start after every iteration, in nats per respondent; one line a fit, with a mark at its end.

    Parameters
    ----------
    curves : name -> ndarray of shape (iterations + 1,), log-likelihood in nats per respondent; those without an iteration are left out
    """
    figure = go.Figure()
    moving = {name: np.asarray(values) for name, values in curves.items() if len(values) > 1}
    for number, (name, values) in enumerate(moving.items()):
        colour, dash, mark = _LOOKS[number % len(_LOOKS)]
        iterations, gain = np.arange(1, len(values)), values[1:] - values[0]
        line = {"color": colour, "dash": dash}
        figure.add_scatter(
            x=iterations,
            y=gain,
            mode="lines",
            line=line,
            name=label(name),
            legendgroup=str(number),
            showlegend=False,
            hovertemplate="iteration %{x}: gained %{y:.5f} nats<extra>%{fullData.name}</extra>",
        )
        figure.add_scatter(
            x=iterations[-1:],
            y=gain[-1:],
            mode="lines+markers",
            line=line,
            marker={"symbol": mark, "size": 9},
            cliponaxis=False,
            name=label(name),
            legendgroup=str(number),
            hovertemplate="ended after %{x} iterations: gained %{y:.5f} nats<extra>%{fullData.name}</extra>",
        )
    longest = max([1, *(len(values) - 1 for values in moving.values())])
    ticks = [step * 10**power for power in range(len(str(longest))) for step in (1, 2, 5) if step * 10**power <= longest]
    put(figure, xaxis={"title": "iteration", "type": "log", "tickvals": ticks, "ticktext": [f"{tick:,}" for tick in ticks]})
    put(figure, yaxis={"title": "gain (nats per person)", "rangemode": "tozero"})
    return dress(figure, palette, height=300 + 20 * len(moving), showlegend=True, legend_tracegroupgap=0)


def synthetic_marginals_figure(schema: Schema, true: Floats, synthetic: Floats, palette: Palette) -> go.Figure:
    """Shares of the answers to one or several attributes together: true, and synthetic (striped). The largest 24 if there are more.

    Parameters
    ----------
    schema : the attributes
    true, synthetic : ndarrays of shape ``schema.sizes``, shares
    """
    shown = largest_cells(true)
    cells = list(product(*(attribute.categories for attribute in schema.attributes)))
    whole = [label(cell_label(cells[i])) for i in shown]
    labels, lying = placed([label(_cut(cell_label(cells[i]), _LONGEST)) for i in shown])
    places = list(range(len(shown)))
    category, share = ("y", "x") if lying else ("x", "y")
    figure = go.Figure()
    for name, colour, stripes, shares in (("truth", palette.truth, "", true), ("synthetic", _SYNTHETIC, "/", synthetic)):
        heights = 100 * shares.ravel()[shown]
        bar = go.Bar({category: places, share: heights}, name=name, orientation="h" if lying else "v")
        bar.marker = {
            "color": colour,
            "line": {"color": colour, "width": 1},
            "pattern": {
                "shape": stripes, "bgcolor": colour, "fgcolor": palette.background, "fillmode": "replace", "size": 6, "solidity": 0.25,
            },
        }  # fmt: skip
        bar.customdata = whole
        bar.hovertemplate = f"%{{customdata}}<br>%{{{share}:.2f}} %<extra>{name}</extra>"
        figure.add_trace(bar)
    dress(figure, palette, height=130 + 36 * len(shown) if lying else 380, barmode="group", bargap=0.25)
    rest = "" if len(shown) == true.size else f" ({len(shown)} largest of {true.size:,})"
    along = {"title": f"% of people{rest}", "zeroline": True, "zerolinecolor": palette.text}
    across = {"tickvals": places, "ticktext": labels, "showgrid": False, "zeroline": False, "ticklabeloverflow": "allow"}
    figure.update_layout({f"{share}axis": along, f"{category}axis": across})
    if lying:
        put(figure, yaxis={"autorange": "reversed"})
    return figure


def half_l1_figure(errors: Mapping[str, Mapping[int, float]], palette: Palette) -> go.Figure:
    """Half L1 against the number of attributes, one line per source, each with a mark of its own; the axis starts at 0.

    Parameters
    ----------
    errors : name of a source -> number of attributes -> half L1, 0 to 1
    """
    figure = go.Figure()
    for number, (name, by_width) in enumerate(errors.items()):
        colour, dash, mark = _LOOKS[number % len(_LOOKS)]
        widths = sorted(by_width)
        figure.add_scatter(
            x=widths,
            y=[100 * by_width[w] for w in widths],
            mode="lines+markers",
            line={"color": colour, "dash": dash},
            marker={"symbol": mark, "size": 9},
            cliponaxis=False,
            name=label(name),
            hovertemplate="%{x} attributes: %{y:.2f} %<extra>%{fullData.name}</extra>",
        )
    put(
        figure, xaxis={"title": "number of attributes", "tickvals": sorted({w for by_width in errors.values() for w in by_width})}
    )
    put(figure, yaxis={"title": "half L1 (%)", "rangemode": "tozero"})
    return dress(figure, palette, height=340 + 20 * len(errors), showlegend=True)


def v_difference_map(difference: Floats, names: Sequence[str], palette: Palette) -> go.Figure:
    """Cramér's V of every pair in the synthetic minus in the true table, with numbers, on a scale centred at 0; hatched where unknown.

    Parameters
    ----------
    difference : ndarray of shape (k, k), NaN on the diagonal and where unknown
    """
    k = len(names)
    shown = np.where(np.tri(k, k, -1, dtype=bool), difference, np.nan)[1:, :-1]
    widest = max(_WIDE, float(np.nanmax(np.abs(shown)))) if not np.isnan(shown).all() else 1.0
    rows, columns = list(range(1, k)), list(range(k - 1))
    figure = go.Figure(
        go.Heatmap(
            z=shown,
            x=columns,
            y=rows,
            colorscale=palette.diverging,
            zmin=-widest,
            zmax=widest,
            colorbar=across("V, synthetic minus true"),
            customdata=[[f"{label(names[row])} with {label(names[column])}" for column in columns] for row in rows],
            hovertemplate="%{customdata}: %{z:+.3f}<extra></extra>",
            hoverongaps=False,
            xgap=1,
            ygap=1,
        )
    )
    if k <= 12:
        write_cells(figure, [[_signed(value) for value in row] for row in shown], palette.diverging, (-widest, widest))
    hatch(figure, [(j, i) for i in rows for j in columns if j < i and math.isnan(difference[i, j])], palette)
    axis = {"showgrid": False, "zeroline": False}
    figure.update_xaxes(tickvals=columns, ticktext=[_short(names[j]) for j in columns], tickangle=-45, **axis)
    figure.update_yaxes(tickvals=rows, ticktext=[_short(names[i]) for i in rows], autorange="reversed", **axis)
    return dress(figure, palette, height=170 + 34 * k, showlegend=False, margin={"l": 8, "r": 8, "t": 12, "b": 8})


def _signed(value: float) -> str:
    """A difference in two decimals without the leading zero, as narrow as it can be."""
    rounded = f"{abs(value):.2f}"
    return "0" if rounded == "0.00" else f"{'+' if value > 0 else '−'}{rounded.removeprefix('0')}"


def accuracy_figure(rows: Sequence[tuple[str, Accuracy]], palette: Palette) -> go.Figure:
    """How often a classifier is right, one row per predicted attribute: majority guess, trained on the synthetic table, trained on true rows.

    Parameters
    ----------
    rows : (attribute, its accuracies as shares)
    """
    places = list(range(len(rows)))
    figure = go.Figure()
    for place, (_, accuracy) in zip(places, rows, strict=True):
        right = (accuracy.majority, accuracy.synthetic, accuracy.true)
        line = {"color": palette.grid, "width": 4}
        figure.add_shape(type="line", x0=100 * min(right), x1=100 * max(right), y0=place, y1=place, line=line, layer="below")
    marks = (
        ("majority guess", "majority", {"symbol": "line-ns", "size": 18, "line": {"width": 3, "color": palette.hatch}}),
        ("trained on synthetic", "synthetic", {"symbol": "circle", "size": 13, "color": _SYNTHETIC}),
        ("trained on true", "true", {"symbol": "diamond-open", "size": 13, "color": palette.truth, "line": {"width": 2}}),
    )
    for title, field, look in marks:
        figure.add_scatter(
            x=[100 * getattr(accuracy, field) for _, accuracy in rows],
            y=places,
            mode="markers",
            marker=look,
            name=title,
            customdata=[label(name) for name, _ in rows],
            hovertemplate=f"%{{customdata}}: %{{x:.1f}} % right<extra>{title}</extra>",
            cliponaxis=False,
        )
    put(figure, xaxis={"title": "right answers (%)", "zeroline": False})
    put(figure, yaxis={"tickvals": places, "ticktext": [_short(name) for name, _ in rows], "showgrid": False, "zeroline": False})
    put(figure, yaxis={"range": [len(rows) - 0.5, -0.5]})
    return dress(figure, palette, height=160 + 44 * len(rows))


def _short(text: str) -> str:
    return label(_cut(text, _SHORT))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
