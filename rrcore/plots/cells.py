"""Heat maps with legible numbers and hatching for unknown cells."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.plots.frame import Spec, across, scatter
from rrcore.plots.palette import Palette

Scale = Sequence[tuple[float, str]]


def heat(z: Floats, x: Sequence[int], y: Sequence[int], scale: Scale, ends: tuple[float, float], title: str, **more: Any) -> Spec:
    """Return a heat map with a color bar above it.

    Its first and last color represent the ``ends``.
    """
    colors = {"colorscale": scale, "zmin": ends[0], "zmax": ends[1], "colorbar": across(title)}
    return {"type": "heatmap", "z": z, "x": x, "y": y, "xgap": 1, "ygap": 1, "hoverongaps": False} | colors | more


def written(heat: Mapping[str, Any], text: Sequence[Sequence[str]], palette: Palette) -> list[Spec]:
    """Return the trace that writes ``text`` into the cells of a heat map.

    Cells without a value remain empty. The result is None if no cell has a value.

    Parameters
    ----------
    text : rows and columns of text, with the shape of the heat map
    """
    rows, columns = np.nonzero(np.isfinite(np.asarray(heat["z"], dtype=float)))
    if not len(rows):
        return []
    texts = [text[row][column] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
    x, y = np.asarray(heat["x"])[columns], np.asarray(heat["y"])[rows]
    look = {"color": palette.truth, "size": 12}
    return [scatter(x, y, words=texts, textfont=look, showlegend=False, cliponaxis=False)]


def hatching(
    cells: Sequence[tuple[int, int]], palette: Palette, *, name: str = "not identifiable", dense: bool = True
) -> tuple[list[Spec], list[Spec]]:
    """Return shapes and traces that hatch cells (column, row) in grey.

    Unknown cells never have a color of the scale. ``name`` gives the reason.
    """
    x: list[float | None] = []
    y: list[float | None] = []
    ground = {"type": "rect", "fillcolor": palette.lost, "line": {"width": 0}, "layer": "below"}
    corners = [(column - 0.5, row - 0.5) for column, row in cells]
    for left, low in corners:
        for start in (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75) if dense else (0.5, 1.0, 1.5):
            x += [left + max(0.0, start - 1), left + min(1.0, start), None]
            y += [low + min(1.0, start), low + max(0.0, start - 1), None]
    shapes = [ground | {"x0": left, "x1": left + 1, "y0": low, "y1": low + 1} for left, low in corners]
    return shapes, [scatter(x, y, line={"color": palette.hatch, "width": 1}, name=name)] if cells else []
