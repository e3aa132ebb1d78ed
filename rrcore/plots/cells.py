"""Numbers in the cells of a heat map, each in the ink that its ground lets read: plotly's own grey is lost on colours of middle depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats

_INKS = ("#000000", "#FFFFFF")
_WEIGHTS = (0.2126, 0.7152, 0.0722)  # of red, green and blue in what is seen as bright
_EVEN = 0.1791  # the luminance on which black and white are told apart equally well, 4.58 to 1


def inks(parts: Floats, scale: Sequence[tuple[float, str]]) -> list[str]:
    """Black or white, whichever reads better (WCAG 2.2, relative luminance) on the colours of ``scale`` at ``parts`` of its length."""
    stops = [stop for stop, _ in scale]
    bright = np.zeros(len(parts))
    for position, weight in enumerate(_WEIGHTS):
        ends = [int(colour[1 + 2 * position : 3 + 2 * position], 16) / 255 for _, colour in scale]
        shade = np.interp(parts, stops, ends)
        bright += weight * np.where(shade <= 0.04045, shade / 12.92, ((shade + 0.055) / 1.055) ** 2.4)
    return [_INKS[0] if light else _INKS[1] for light in bright > _EVEN]


def write_cells(
    figure: go.Figure,
    text: Sequence[Sequence[str]],
    scale: Sequence[tuple[float, str]],
    ends: tuple[float, float],
    **place: Any,
) -> None:
    """Write ``text`` into the cells of the heat map that was added last, where they have a value; nothing where none has.

    Parameters
    ----------
    text : as many rows and columns as the heat map has
    scale : its colours
    ends : the values that have the first and the last of them
    place : row and column of its subplot, where there are several
    """
    for trace in written(figure.data[-1], text, scale, ends):
        figure.add_trace(trace, **place)


def written(
    heat: Mapping[str, Any] | go.Heatmap,
    text: Sequence[Sequence[str]],
    scale: Sequence[tuple[float, str]],
    ends: tuple[float, float],
) -> list[dict[str, Any]]:
    """The trace that writes them, as plotly.js reads it; none where no cell has a value."""
    values = np.asarray(heat["z"], dtype=float)
    rows, columns = np.nonzero(np.isfinite(values))
    if not len(rows):
        return []
    parts = (values[rows, columns] - ends[0]) / (ends[1] - ends[0] or 1.0)
    return [
        {
            "type": "scatter",
            "x": np.asarray(heat["x"])[columns],
            "y": np.asarray(heat["y"])[rows],
            "mode": "text",
            "text": [text[row][column] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)],
            "textfont": {"color": inks(parts, scale), "size": 12},
            "hoverinfo": "skip",
            "showlegend": False,
            "cliponaxis": False,
        }
    ]
