"""Figures of one marginal: truth, released and estimated, cell by cell."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from rrcore.arrays import Floats
from rrcore.plots.cells import written
from rrcore.plots.frame import Spec, across, bar, dress, framed, label, scatter, shortened, ticked, whiskers
from rrcore.plots.palette import Palette
from rrcore.table.schema import Schema
from rrcore.wording import cell_label, minus

MAX_BARS = 24
"""Most cells drawn as bars; if there are more, those with the largest true shares."""

_LETTERS = 150  # longer labels in all than this no longer fit under upright bars: they lie down
_SIDE = 20  # letters of a label beside a heat map
_NARROW = 20  # longer labels that lie down stand in two lines
_FROM, _TO = -25.0, 105.0  # no axis of shares runs further, in percent, however far an interval does
_NUMBERED = 40  # most cells of a heat map with their numbers in them
_SYMBOLS = ("diamond-open", "circle-open", "square-open")  # of estimates drawn as marks


def marginal_cell_labels(schema: Schema) -> list[str]:
    """Labels of all cells of the marginal over ``schema``, in the order of a raveled table."""
    return [label(cell_label(categories)) for categories in product(*(a.categories for a in schema.attributes))]


def largest_cells(truth: Floats) -> NDArray[np.intp]:
    """Positions of the cells that are drawn: all in their order, or the largest if there are too many: true shares."""
    if truth.size <= MAX_BARS:
        return np.arange(truth.size)
    return np.argsort(-truth, axis=None, kind="stable")[:MAX_BARS]


def marginal_bars(
    schema: Schema,
    truth: Floats | None,
    released: Floats | None,
    shares: Floats,
    interval: tuple[Floats, Floats] | None,
    palette: Palette,
    *,
    name: str = "estimate",
    beside: Mapping[str, Floats] | None = None,
) -> go.Figure:
    """Bars of the true, released and estimated share of the largest cells, with intervals on the estimate.

    Parameters
    ----------
    schema : the attributes of the marginal
    truth, released, shares : ndarrays of shape ``schema.sizes``; ``truth`` is None where it is not known, ``released`` where reports are not
        the categories
    interval : (low, high), each of that shape; None where there is none
    name : what ``shares`` are called
    beside : name -> ndarray of that shape: other estimates, drawn as marks
    """
    cells = largest_cells(shares if truth is None else truth)
    labels, lying = placed(np.array(marginal_cell_labels(schema), dtype=object)[cells].tolist())
    own = 100 * shares.ravel()[cells]
    low, high = (100 * edge.ravel()[cells] for edge in interval or (shares, shares))
    share, hover = ("x", "%{y}<br>%{x:.2f} %") if lying else ("y", "%{x}<br>%{y:.2f} %")

    def drawn(title: str, colour: str, heights: Floats, **more: Any) -> Spec:
        text = f"{hover}<extra>{title}</extra>"
        return bar(labels, heights, colour, lying=lying, name=title, offsetgroup=title, hover=text, **more)

    given = (("truth", palette.truth, truth), ("released", palette.released, released))
    others = [(title, colour, 100 * table.ravel()[cells]) for title, colour, table in given if table is not None]
    error = {f"error_{share}": whiskers(own, low, high, palette.text)} if interval else {}
    estimate = drawn(f"{name}, with 95 % interval" if interval else name, palette.estimate, own, **error)
    traces = [*(drawn(*one) for one in others), estimate]
    marks = {title: 100 * table.ravel()[cells] for title, table in (beside or {}).items()}
    for symbol, (title, values) in zip(_SYMBOLS, marks.items(), strict=False):
        traces.append(
            scatter(
                *((values, labels) if lying else (labels, values)),
                name=title,
                orientation="h" if lying else "v",
                offsetgroup=estimate["name"],  # on the bar of the estimate
                marker={"color": palette.text, "symbol": symbol, "size": 9, "line": {"width": 2}},
                hover=f"{hover}<extra>{title}</extra>",
            )
        )
    grouped = {"barmode": "group", "bargap": 0.25, "scattermode": "group", "scattergap": 0.25}
    every = np.concatenate([own, low, high, *(heights for *_, heights in others), *marks.values()])
    return _shares_against_cells(traces, labels, palette, every, lying=lying, row=38, **grouped)


def placed(labels: Sequence[str]) -> tuple[list[str], bool]:
    """The labels as they are drawn, and whether they are too long to stand under upright bars: then long ones have two lines."""
    if sum(len(label) for label in labels) <= _LETTERS:
        return list(labels), False
    return [_in_two(label) if len(label) > _NARROW else label for label in labels], True


def _in_two(text: str) -> str:
    """A cell's label in two lines that end between attributes, or between the words of a single one."""
    between = " · " if " · " in text else " "
    parts = text.split(between)
    cut = (len(parts) + 1) // 2
    return "<br>".join(between.join(half) for half in (parts[:cut], parts[cut:]) if half)


def span(values: Floats, *, most: tuple[float, float] = (_FROM, _TO)) -> list[float]:
    """The ends of an axis of shares (%): 0 and all ``values``, as far as shares can reasonably be, and at ``most``."""
    low, high = min(0.0, float(values.min())), float(values.max())
    room = 0.04 * (high - low)
    return [max(low - room, most[0]) if low < 0 else 0.0, min(high + room, most[1])]


def _shares_against_cells(
    traces: Sequence[Spec],
    labels: Sequence[str],
    palette: Palette,
    drawn: Floats,
    *,
    lying: bool,
    row: int,
    **layout: Any,
) -> go.Figure:
    """A figure of shares (%) against cells; ``row`` is the height in pixels of a cell that lies down."""
    lines = 8 if any("<br>" in label for label in labels) else 0
    height = 120 + (row + lines) * len(labels) if lying else 400
    shares = {"title": "% of people", "zeroline": True, "zerolinecolor": palette.text, "range": span(drawn)}
    cells = {"showgrid": False, "categoryorder": "array", "categoryarray": list(labels)}
    axes = {"xaxis": shares, "yaxis": cells | {"autorange": "reversed"}} if lying else {"xaxis": cells, "yaxis": shares}
    return framed(traces, palette, height=height, **layout, **axes)


def _flat(schema: Schema) -> tuple[list[str], list[str]]:
    """Rows and columns of a marginal drawn as one rectangle: the last half of the attributes runs along the columns."""
    cut = len(schema.attributes) // 2
    sides = [schema.attributes[:cut], schema.attributes[cut:]]
    rows, columns = ([label(shortened(cell_label(c), _SIDE)) for c in product(*(a.categories for a in side))] for side in sides)
    return rows, columns


def marginal_heatmaps(schema: Schema, truth: Floats, released: Floats, shares: Floats, palette: Palette) -> go.Figure:
    """Truth, released and estimate as heat maps on one common scale, and estimate minus truth on one centred at 0.

    Parameters
    ----------
    schema : the attributes of the marginal
    truth, released, shares : ndarrays of shape ``schema.sizes``
    """
    rows, columns = _flat(schema)
    shape = (len(rows), len(columns))
    tables = [100 * table.reshape(shape) for table in (truth, released, shares)]
    low, high = min(table.min() for table in tables), max(table.max() for table in tables)
    difference = tables[2] - tables[0]
    widest = max(1.0, float(np.abs(difference).max()))  # less than a point is pale
    titles = ("Truth", "Released", "Estimate", "Difference")  # short enough for a phone
    numbered = len(rows) * len(columns) <= _NUMBERED
    figure = make_subplots(
        2, 2, shared_xaxes=True, shared_yaxes=True, subplot_titles=titles, horizontal_spacing=0.02, vertical_spacing=0.09
    )
    cells = np.array(marginal_cell_labels(schema), dtype=object).reshape(shape)
    for position, table in enumerate([*tables, difference]):
        figure.add_heatmap(
            z=table,
            x=list(range(shape[1])),
            y=list(range(shape[0])),
            coloraxis="coloraxis" if position < 3 else "coloraxis2",
            customdata=cells,
            hovertemplate="%{customdata}<br>%{z:.2f}" + (" %" if position < 3 else " points above the truth") + "<extra></extra>",
            xgap=1,
            ygap=1,
            row=position // 2 + 1,
            col=position % 2 + 1,
        )
        if numbered:
            numbers = [[f"{value:.1f}" if position < 3 else minus(f"{value:+.1f}") for value in line] for line in table]
            scale, ends = (palette.sequential, (low, high)) if position < 3 else (palette.diverging, (-widest, widest))
            for trace in written(figure.data[-1], numbers, scale, ends):
                figure.add_trace(trace, row=position // 2 + 1, col=position % 2 + 1)
    figure.update_xaxes(_thinned(columns, 24))
    figure.update_yaxes(_thinned(rows, 24, autorange="reversed"))
    bar = {"thickness": 12, "len": 0.45, "x": 1.01}
    height = 2 * int(min(480, max(130, 26 * shape[0]))) + 170
    return dress(
        figure,
        palette,
        height=height,
        coloraxis={"colorscale": palette.sequential, "cmin": low, "cmax": high, "colorbar": {**bar, "y": 0.77, "title": "%"}},
        coloraxis2={
            "colorscale": palette.diverging,
            "cmin": -widest,
            "cmax": widest,
            "colorbar": {**bar, "y": 0.23, "title": "points"},
        },
    )


def marginal_map(schema: Schema, shares: Floats, palette: Palette, *, name: str = "estimate", height: int = 1200) -> go.Figure:
    """Every estimated share as one heat map, narrow enough to stand beside the bars of the largest cells.

    Parameters
    ----------
    schema : the attributes of the marginal
    shares : ndarray of shape ``schema.sizes``
    name : what ``shares`` are called
    height : the most it may have, in pixels
    """
    rows, columns = _flat(schema)
    shape = (len(rows), len(columns))
    table = 100 * shares.reshape(shape)
    cells = np.array(marginal_cell_labels(schema), dtype=object).reshape(shape)
    if len(columns) > len(rows):  # the longer side runs down the page
        rows, columns, table, cells = columns, rows, table.T, cells.T
    heat = {
        "type": "heatmap",
        "z": table,
        "customdata": cells,
        "colorscale": palette.sequential,
        "colorbar": across(f"{name}, % of people"),
        "hovertemplate": "%{customdata}<br>%{z:.2f} %<extra></extra>",
        "xgap": 1,
        "ygap": 1,
    }
    return framed(
        [heat],
        palette,
        height=min(height, 220 + 28 * len(rows)),
        xaxis=_thinned(columns, 12),
        yaxis=_thinned(rows, 36, autorange="reversed"),
    )


def _thinned(names: Sequence[str], most: int, **more: Any) -> Spec:
    """An axis of rows or columns, with the names of at most ``most`` of them, evenly spaced."""
    places = range(0, len(names), -(-len(names) // most))
    return ticked(places, [names[i] for i in places], **more)


def marginal_repeats_figure(schema: Schema, truth: Floats, shares: Floats, palette: Palette) -> go.Figure:
    """How the estimate of each of the largest cells varies from release to release, with the truth as a mark.

    Parameters
    ----------
    schema : the attributes of the marginal
    truth : ndarray of shape ``schema.sizes``
    shares : ndarray of shape (R, *schema.sizes), estimates of R releases
    """
    cells = largest_cells(truth)
    labels, lying = placed(np.array(marginal_cell_labels(schema), dtype=object)[cells].tolist())
    drawn, true = 100 * shares.reshape(len(shares), -1)[:, cells], 100 * truth.ravel()[cells]
    category, share = ("y", "x") if lying else ("x", "y")
    boxes = {
        "type": "box",
        category: np.tile(labels, len(drawn)),
        share: drawn.ravel(),
        "orientation": "h" if lying else "v",
        "name": f"{len(drawn)} estimates",
        "marker": {"color": palette.estimate, "size": 3},
        "boxpoints": "outliers",
        "line": {"width": 1},
    }
    look = {"symbol": "line-ns" if lying else "line-ew", "size": 14, "line": {"width": 3, "color": palette.truth}}
    text = f"%{{{category}}}<br>truth %{{{share}:.2f}} %"
    marks = scatter(*((true, labels) if lying else (labels, true)), marker=look, name="truth", hover=text)
    return _shares_against_cells([boxes, marks], labels, palette, np.append(drawn, true), lying=lying, row=30)


def marginal_note(cells: int, names: Sequence[str]) -> str:
    """A sentence when not every cell is drawn; empty otherwise."""
    if cells <= MAX_BARS:
        return ""
    return f"The {MAX_BARS} largest of {cells:,} combinations of {', '.join(names)} are drawn; the download has them all."
