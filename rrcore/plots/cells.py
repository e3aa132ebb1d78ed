"""Heat maps: their cells, numbers in them that can be read on every colour, and hatching for what is not known."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Booleans, Floats
from rrcore.plots.frame import Spec, across, framed, label, scatter, ticked
from rrcore.plots.palette import BLACK, WHITE, Palette, channels

Scale = Sequence[tuple[float, str]]

_WEIGHTS = (0.2126, 0.7152, 0.0722)  # of red, green and blue in what is seen as bright
_EVEN = 0.1791  # the luminance on which black and white are told apart equally well, 4.58 to 1
_NUMBERED = 12  # most attributes of a map of pairs with numbers in it


def inks(parts: Floats, scale: Scale) -> list[str]:
    """Black or white, whichever reads better (WCAG 2.2, relative luminance) on the colours of ``scale`` at ``parts`` of its length.

    Plotly's own grey is lost on colours of middle depth.
    """
    stops = [stop for stop, _ in scale]
    bright = np.zeros(len(parts))
    for weight, ends in zip(_WEIGHTS, np.transpose([channels(colour) for _, colour in scale]) / 255, strict=True):
        shade = np.interp(parts, stops, ends)
        bright += weight * np.where(shade <= 0.04045, shade / 12.92, ((shade + 0.055) / 1.055) ** 2.4)
    return [BLACK if light else WHITE for light in bright > _EVEN]


def heat(z: Floats, x: Sequence[int], y: Sequence[int], scale: Scale, ends: tuple[float, float], title: str, **more: Any) -> Spec:
    """A heat map whose first and last colour stand for the ``ends``, with its colour bar above it."""
    colours = {"colorscale": scale, "zmin": ends[0], "zmax": ends[1], "colorbar": across(title)}
    return {"type": "heatmap", "z": z, "x": x, "y": y, "xgap": 1, "ygap": 1, "hoverongaps": False} | colours | more


def written(heat: Mapping[str, Any], text: Sequence[Sequence[str]], scale: Scale, ends: tuple[float, float]) -> list[Spec]:
    """The trace that writes ``text`` into the cells of a heat map, where they have a value; none where no cell has.

    Parameters
    ----------
    text : as many rows and columns as the heat map has
    scale : its colours
    ends : the values that have the first and the last of them
    """
    values = np.asarray(heat["z"], dtype=float)
    rows, columns = np.nonzero(np.isfinite(values))
    if not len(rows):
        return []
    parts = (values[rows, columns] - ends[0]) / (ends[1] - ends[0] or 1.0)
    texts = [text[row][column] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
    x, y = np.asarray(heat["x"])[columns], np.asarray(heat["y"])[rows]
    look = {"color": inks(parts, scale), "size": 12}
    return [scatter(x, y, words=texts, textfont=look, showlegend=False, cliponaxis=False)]


def hatching(
    cells: Sequence[tuple[int, int]], palette: Palette, *, name: str = "not identifiable", dense: bool = True
) -> tuple[list[Spec], list[Spec]]:
    """Shapes and traces of cells (column, row) in hatched grey: what is not known is never a colour of the scale; ``name`` says why."""
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


def pairs_map(
    values: Floats,
    names: Sequence[str],
    palette: Palette,
    *,
    scale: Scale,
    ends: tuple[float, float],
    title: str,
    form: str,
    number: Callable[[float], str],
    weak: Booleans | None = None,
    short: Callable[[str], str] = label,
    tilt: int,
    **layout: Any,
) -> go.Figure:
    """A heat map of every pair of attributes, with numbers where there is room; hatched where not known or too weak to tell from chance.

    Parameters
    ----------
    values : ndarray of shape (k, k), of which the part below the diagonal is drawn; NaN where not known
    names : of the k attributes
    scale, ends, title : of the colours
    form : how a value is written where it is pointed at, in plotly's way
    number : how it is written into its cell
    weak : ndarray of shape (k, k), bool: pairs whose value may be chance
    short : how a name is written beside an axis
    tilt : angle of the names below the map
    """
    k = len(names)
    weak = np.zeros((k, k), dtype=bool) if weak is None else weak & ~np.isnan(values)
    rows, columns = list(range(1, k)), list(range(k - 1))
    shown = np.where(np.tri(k, k, -1, dtype=bool) & ~weak, values, np.nan)[1:, :-1]
    texts = [[f"{label(names[row])} with {label(names[column])}" for column in columns] for row in rows]
    cells = heat(
        shown, columns, rows, scale, ends, title, customdata=texts, hovertemplate=f"%{{customdata}}: %{{z:{form}}}<extra></extra>"
    )
    numbers = written(cells, [[number(value) for value in row] for row in shown], scale, ends) if k <= _NUMBERED else []
    below = [(j, i) for i in rows for j in columns if j < i]
    lost, hatched = hatching([(j, i) for j, i in below if np.isnan(values[i, j])], palette)
    chance, wide = hatching([(j, i) for j, i in below if weak[i, j]], palette, name="no stronger than chance", dense=False)
    return framed(
        [cells, *numbers, *hatched, *wide],
        palette,
        shapes=[*lost, *chance],
        xaxis=ticked(columns, [short(names[j]) for j in columns], tickangle=tilt),
        yaxis=ticked(rows, [short(names[i]) for i in rows], autorange="reversed"),
        **layout,
    )
