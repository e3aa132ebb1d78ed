"""Colours (Okabe-Ito, safe for colour-blind readers) and the frame every figure shares, for light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go

from rrcore.wording import legible


@dataclass(frozen=True)
class Palette:
    """The colours that depend on the page's background."""

    truth: str
    text: str
    grid: str
    lost: str
    hatch: str
    sequential: tuple[tuple[float, str], ...]
    diverging: tuple[tuple[float, str], ...]
    background: str
    released: str = "#9AA5B1"
    estimate: str = "#0072B2"


LIGHT = Palette(
    truth="#222222",
    text="#2B2F36",
    grid="#E3E6EA",
    lost="#ECEEF1",
    hatch="#9AA5B1",
    sequential=((0.0, "#F4F8FB"), (0.5, "#6FAED6"), (1.0, "#00416B")),
    diverging=((0.0, "#B04A00"), (0.25, "#E8A66B"), (0.5, "#F7F7F7"), (0.75, "#6FAED6"), (1.0, "#005A8F")),
    background="#FFFFFF",
)

DARK = Palette(
    truth="#F2F2F2",
    text="#E4E7EB",
    grid="#343B45",
    lost="#2A3038",
    hatch="#6B7683",
    sequential=((0.0, "#1B222B"), (0.5, "#2E7FB5"), (1.0, "#CDE6F7")),
    diverging=((0.0, "#F08A3C"), (0.25, "#8C5528"), (0.5, "#20262E"), (0.75, "#2B6C98"), (1.0, "#6EC1F5")),
    background="#14181E",
    estimate="#3D9BDC",
)

MECHANISM_COLOURS = {
    "kronecker": "#E69F00",
    "optimal": "#009E73",
    "closed-form": "#56B4E9",
    "joint": "#CC79A7",
    "pair-safe": "#0072B2",
    "published": "#D55E00",
    "safeguarded": "#66727F",
    "design": "#A89400",
}
"""Key of ``RECIPES`` -> colour, the same in every figure."""


def mechanism_colour(name: str) -> str:
    """The colour of a mechanism by its name; those that are safe for joint distributions share one."""
    return MECHANISM_COLOURS.get(name, MECHANISM_COLOURS["pair-safe"])


def label(text: str) -> str:
    """A legible name as a figure shows it: plotly reads labels as HTML, so what looks like a tag is made plain text."""
    return escape(legible(text), quote=False)


def dress(figure: go.Figure, palette: Palette, *, height: int, **layout: Any) -> go.Figure:
    """Give ``figure`` the common frame: transparent ground, quiet grid, readable text, no toolbar logo."""
    axes = [name for name in figure.layout if name.startswith(("xaxis", "yaxis"))]
    put(figure, **_over(_frame(palette, height, axes), layout))
    return figure


def framed(traces: Sequence[Mapping[str, Any]], palette: Palette, *, height: int, **layout: Any) -> go.Figure:
    """A figure in the same frame, of settings written out as plotly.js reads them: ``{"title": {"text": ...}}``, no ``title_text``.

    Plotly looks every setting up while a figure is put together, which takes ten times as long as all else about it. Here it looks
    nothing up: a test has it check what each of these figures says. What is done to the figure afterwards is checked as ever.
    """
    figure = go.Figure(traces, _over(_frame(palette, height, ("xaxis", "yaxis")), layout), _validate=False)
    for part in (figure, figure.layout, *figure.data):
        part._validate = True
    return figure


def _frame(palette: Palette, height: int, axes: Sequence[str]) -> dict[str, Any]:
    """The layout that all figures share."""
    axis = {"gridcolor": palette.grid, "zerolinecolor": palette.grid, "automargin": True}
    return {
        "height": height,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": palette.text, "size": 13},
        "margin": {"l": 8, "r": 8, "t": 40, "b": 8},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        "hoverlabel": {"align": "left"},
    } | {name: axis | ({"ticklabelstandoff": 5} if name.startswith("y") else {}) for name in axes}


def put(figure: go.Figure, **layout: Any) -> None:
    """What ``figure.update_layout(**layout)`` does, without its search for every single setting, which takes ten times as long."""
    for name, value in layout.items():
        now = figure.layout[name].to_plotly_json() if isinstance(value, Mapping) and name in figure.layout else {}
        figure.layout[name] = _over(now, value) if isinstance(value, Mapping) else value


def add_shapes(figure: go.Figure, shapes: Sequence[Mapping[str, Any]]) -> None:
    """What ``figure.add_shape`` does for one after the other, which copies all that are there every time."""
    figure.layout.shapes = [*figure.layout.shapes, *shapes]


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both settings in one, those ``above`` where both say something; part by part."""
    parts = {name: _over(below.get(name) or {}, value) for name, value in above.items() if isinstance(value, Mapping)}
    return {**below, **above, **parts}


def across(title: str) -> dict[str, Any]:
    """A colour bar that lies above a heat map, so that the cells have the whole width of a phone."""
    return {
        "title": {"text": title, "side": "top", "font": {"size": 12}},
        "orientation": "h", "thickness": 12, "y": 1.02, "yanchor": "bottom", "nticks": 5,
    }  # fmt: skip


def hatch(
    figure: go.Figure, cells: list[tuple[int, int]], palette: Palette, *, name: str = "not identifiable", dense: bool = True
) -> None:
    """Draw heat-map cells (column, row) as hatched grey: what is not known is never a colour of the scale; ``name`` says why."""
    shapes, traces = hatching(cells, palette, name=name, dense=dense)
    add_shapes(figure, shapes)
    figure.add_traces(traces)


def hatching(
    cells: Sequence[tuple[int, int]], palette: Palette, *, name: str = "not identifiable", dense: bool = True
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What ``hatch`` draws: shapes and traces."""
    x: list[float | None] = []
    y: list[float | None] = []
    ground = {"type": "rect", "fillcolor": palette.lost, "line": {"width": 0}, "layer": "below"}
    corners = [(column - 0.5, row - 0.5) for column, row in cells]
    for left, low in corners:
        for start in (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75) if dense else (0.5, 1.0, 1.5):
            x += [left + max(0.0, start - 1), left + min(1.0, start), None]
            y += [low + min(1.0, start), low + max(0.0, start - 1), None]
    strokes = {"x": x, "y": y, "mode": "lines", "line": {"color": palette.hatch, "width": 1}, "name": name, "hoverinfo": "skip"}
    shapes = [ground | {"x0": left, "x1": left + 1, "y0": low, "y1": low + 1} for left, low in corners]
    return shapes, [{"type": "scatter"} | strokes] if cells else []
