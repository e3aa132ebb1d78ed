"""Figures of one marginal: its largest cells as rows, or all cells as a map."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats
from rrcore.plots.cells import heat, written
from rrcore.plots.frame import Spec, framed, label, shortened, ticked
from rrcore.plots.intervals import proportions_figure
from rrcore.plots.palette import Palette
from rrcore.table.schema import Schema
from rrcore.wording import cell_label, minus

MOST_CELLS = 16
"""Most cells that are drawn as rows. If there are more, the largest are drawn."""

_SIDE = 20  # letters of a label next to a heat map
_NUMBERED = 40  # most cells of a heat map with their numbers in them


def marginal_figure(schema: Schema, shares: Floats, palette: Palette, *, most: int = MOST_CELLS, **about: Any) -> go.Figure:
    """Draw the largest cells of a marginal, one row for each.

    They are ordered by their true shares if these are known, otherwise by the estimates.

    Parameters
    ----------
    schema : Schema
        Attributes of the marginal.
    shares : ndarray of shape ``schema.sizes``
        The estimate.
    palette : Palette
    most : int
        Largest number of rows.
    **about
        Other arguments of ``proportions_figure``, as arrays of that shape.
    """
    by = shares if about.get("truth") is None else about["truth"]
    cells = np.argsort(-by, axis=None, kind="stable")[:most]

    def chosen(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value.ravel()[cells]
        if isinstance(value, tuple):
            return tuple(map(chosen, value))
        return {name: chosen(one) for name, one in value.items()} if isinstance(value, dict) else value

    about = {name: chosen(value) for name, value in about.items()}
    labels = _labels(schema)
    return proportions_figure([labels[i] for i in cells], chosen(shares), palette, **about)


def _labels(schema: Schema) -> list[str]:
    """Labels of all cells, in the order of a raveled table."""
    return [cell_label(categories) for categories in product(*(a.categories for a in schema.attributes))]


def marginal_map(schema: Schema, shares: Floats, palette: Palette, *, height: int = 560) -> go.Figure:
    """Draw every share of a marginal as one heat map.

    Its longer side is vertical.

    Parameters
    ----------
    schema : attributes of the marginal. The last half of them are along one side
    shares : ndarray of shape ``schema.sizes``
    palette : Palette
    height : largest height in pixels
    """
    cut = len(schema.attributes) // 2
    sides = [Schema(part) if part else None for part in (schema.attributes[:cut], schema.attributes[cut:])]
    rows, columns = ([""] if side is None else _labels(side) for side in sides)
    table = 100 * shares.reshape(len(rows), len(columns))
    cells = np.array([label(text) for text in _labels(schema)], dtype=object).reshape(table.shape)
    if len(columns) > len(rows):
        rows, columns, table, cells = columns, rows, table.T, cells.T
    ends = (min(0.0, float(table.min())), float(table.max()))
    hover: Spec = {"text": cells, "hovertemplate": "%{text}<br>%{z:.2f}%<extra></extra>"}
    drawn = heat(table, [*range(len(columns))], [*range(len(rows))], palette.sequential, ends, "estimate, % of people", **hover)
    numbers = [[minus(f"{value:.1f}") for value in row] for row in table] if table.size <= _NUMBERED else []
    return framed(
        [drawn, *(written(drawn, numbers, palette) if numbers else [])],
        palette,
        height=min(height, 160 + 30 * len(rows)),
        xaxis=_thinned(columns, 12),
        yaxis=_thinned(rows, 36, autorange="reversed"),
    )


def _thinned(names: Sequence[str], most: int, **more: Any) -> Spec:
    """An axis with the names of at most ``most`` rows or columns, evenly spaced."""
    places = range(0, len(names), -(-len(names) // most))
    return ticked(places, [label(shortened(names[i], _SIDE)) for i in places], **more)
