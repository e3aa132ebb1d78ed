"""The frame that all figures share and the parts that they are put together from, as plotly.js reads them."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.limits import MAX_DRAWN
from rrcore.plots.palette import Palette, faint
from rrcore.plots.svg import shortened as shortened
from rrcore.wording import legible

Spec = dict[str, Any]
"""A trace, a shape, an annotation or an axis: settings by name."""


def label(text: str) -> str:
    """A legible name as a figure shows it: plotly reads labels as HTML, so what looks like a tag is made plain text."""
    return escape(legible(text), quote=False)


def framed(traces: Sequence[Mapping[str, Any]], palette: Palette, *, height: int, **layout: Any) -> go.Figure:
    """A figure in the common frame: transparent ground, quiet grid, readable text. The title of an axis may be a text.

    Plotly looks every setting up while a figure is put together, which takes ten times as long as all else about it. Here it looks
    nothing up: a test has it check what each of these figures says. What is done to the figure afterwards is checked as ever.
    """
    axes = [name for name in {"xaxis": {}, "yaxis": {}} | layout if name.startswith(("xaxis", "yaxis"))]
    for name in axes:
        if isinstance(title := layout.get(name, {}).get("title"), str):
            layout[name] = layout[name] | {"title": {"text": title}}
    figure = go.Figure(list(traces), _over(_frame(palette, height, axes, traces), layout), _validate=False)
    for part in (figure, figure.layout, *figure.data):
        part._validate = True
    return figure


def dress(figure: go.Figure, palette: Palette, *, height: int, **layout: Any) -> go.Figure:
    """Give a ``figure`` with several axes the same frame, below what it says already."""
    axes = [name for name in figure.layout if name.startswith(("xaxis", "yaxis"))]
    for name, value in _over(_frame(palette, height, axes, [trace.to_plotly_json() for trace in figure.data]), layout).items():
        now = figure.layout[name].to_plotly_json() if isinstance(value, Mapping) and name in figure.layout else {}
        figure.layout[name] = _over(now, value) if isinstance(value, Mapping) else value
    return figure


def _frame(palette: Palette, height: int, axes: Sequence[str], traces: Sequence[Mapping[str, Any]]) -> Spec:
    """The layout that all figures share."""
    named = {
        (trace.get(f"{way}axis") or way).replace(way, f"{way}axis")
        for trace in traces
        for way in "xy"
        if _has_names(trace.get(way))
    }
    numbers = {"separatethousands": True, "exponentformat": "none"}  # 10,000 beside 1,000: neither "10k" nor a power of ten
    axis = {"gridcolor": palette.grid, "zerolinecolor": palette.grid, "automargin": True} | numbers
    return {
        "height": height,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": palette.text, "size": 13},
        "margin": {"l": 8, "r": 8, "t": 40, "b": 8},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        "hoverlabel": {"align": "left"},
    } | {
        name: axis | ({"ticklabelstandoff": 5} if name[0] == "y" else {}) | ({"type": "category"} if name in named else {})
        for name in axes
    }


def _has_names(places: Any) -> bool:
    """Whether places along an axis are names, which plotly would take for dates or numbers if they look like those."""
    return places is not None and any(isinstance(place, str) for place in places)


def frame_template(palette: Palette) -> Spec:
    """How the dashboard draws what a figure leaves open, as a template of plotly's: every label in the colour of text."""
    axis = {"automargin": True, "tickfont": {"size": 12}, "tickcolor": palette.grid}
    hover = {"bgcolor": palette.background, "bordercolor": palette.grid, "font": {"color": palette.text, "size": 12}}
    layout = {
        "title": {"x": 0, "xanchor": "left", "pad": {"l": 4}, "font": {"size": 16}},
        "legend": {"font": {"size": 12}, "title": {"side": "top", "font": {"size": 12}}},
        "xaxis": axis
        | {"showgrid": False, "zeroline": False, "ticklabeloverflow": "allow", "title": {"standoff": 20, "font": {"size": 14}}},
        "yaxis": axis | {"title": {"standoff": 24, "font": {"size": 14}}},
        "margin": {"pad": 8},
        "hoverlabel": hover,
        "coloraxis": {"colorbar": {"outlinewidth": 0}},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": palette.text, "activecolor": palette.estimate},
    }
    return {"layout": layout, "data": {"scatter": [{"marker": {"line": {"width": 0}}}]}}


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> Spec:
    """Both settings in one, those ``above`` where both say something; part by part."""
    parts = {name: _over(below.get(name) or {}, value) for name, value in above.items() if isinstance(value, Mapping)}
    return {**below, **above, **parts}


def scatter(
    x: Any, y: Any, *, line: Spec | None = None, marker: Spec | None = None, words: Any = None, hover: str = "", **more: Any
) -> Spec:
    """Points: joined by a ``line``, with a ``marker``, with written ``words``, as these are given; silent without a ``hover`` text."""
    looks = {"lines": ("line", line), "markers": ("marker", marker), "text": ("text", words)}
    given = {mode: {name: look} for mode, (name, look) in looks.items() if look is not None}
    settings = {name: look for one in given.values() for name, look in one.items()}
    return {"type": "scatter", "x": x, "y": y, "mode": "+".join(given), **settings, **_pointed(hover), **more}


def bar(
    places: Any, lengths: Any, colour: str, *, hover: str = "", marker: Spec | None = None, lying: bool = True, **more: Any
) -> Spec:
    """Bars of one colour; ``marker`` says more about them."""
    along = {"y": places, "x": lengths, "orientation": "h"} if lying else {"x": places, "y": lengths, "orientation": "v"}
    return {"type": "bar", **along, "marker": {"color": colour} | (marker or {}), **_pointed(hover), **more}


def _pointed(hover: str) -> Spec:
    """What is said where a trace is pointed at; without a box for its name unless the text has one."""
    return {"hovertemplate": hover if "<extra>" in hover else f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}


def whiskers(value: ArrayLike, low: ArrayLike, high: ArrayLike, colour: str, thickness: float = 1.2, **more: Any) -> Spec:
    """Error bars from ``low`` to ``high`` around ``value``."""
    above, below = np.subtract(high, value), np.subtract(value, low)
    return {"array": above, "arrayminus": below, "color": colour, "thickness": thickness} | more


def band(x: Any, low: Any, high: Any, colour: str, name: str, *, shape: str = "linear") -> list[Spec]:
    """The area between two curves, as two traces; ``shape`` says how points are joined, "hv" by steps."""
    upper: Spec = {"fill": "tonexty", "fillcolor": faint(colour), "name": name}
    line = {"width": 0, "shape": shape}
    return [scatter(x, low, line=line, showlegend=False), scatter(x, high, line=line, **upper)]


def ticked(places: Sequence[Any], names: Sequence[str], **more: Any) -> Spec:
    """An axis with names at some places instead of numbers."""
    return {"tickvals": list(places), "ticktext": list(names), "showgrid": False, "zeroline": False} | more


def logarithmic(palette: Palette) -> Spec:
    """An axis of errors: powers of ten with a number, what lies between with a dotted line."""
    return {"type": "log", "dtick": 1, "minor": {"showgrid": True, "gridcolor": palette.grid, "griddash": "dot"}}


def joined(low: float, high: float, row: float, colour: str, width: float = 3) -> Spec:
    """A line below the marks of one row, from ``low`` to ``high``."""
    line = {"color": colour, "width": width}
    return {"type": "line", "x0": low, "x1": high, "y0": row, "y1": row, "line": line, "layer": "below"}


def upright(x: float, colour: str, dash: str | None = None, width: float = 1, **more: Any) -> Spec:
    """A line over the whole height."""
    line = {"color": colour, "width": width} | ({"dash": dash} if dash else {})
    return {"type": "line", "x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "line": line} | more


def note(x: float, y: float, text: str, *, size: int = 12, **more: Any) -> Spec:
    """A few words beside a point."""
    return {"x": x, "y": y, "text": text, "showarrow": False, "font": {"size": size}} | more


def across(title: str) -> Spec:
    """A colour bar that lies above a heat map, so that the cells have the whole width of a phone."""
    return {
        "title": {"text": title, "side": "top", "font": {"size": 12}},
        "orientation": "h", "thickness": 12, "y": 1.02, "yanchor": "bottom", "nticks": 5,
    }  # fmt: skip


def drawn(scores: Floats) -> list[int]:
    """Positions, in their order, of all attributes, or of the ``MAX_DRAWN`` with the largest scores.

    Parameters
    ----------
    scores : ndarray of shape (k,), or (k, k) of pairs, where the largest score of an attribute counts; NaN counts as the smallest
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    each = known if known.ndim == 1 else np.maximum(known.max(axis=0), known.max(axis=1))
    return sorted(np.argsort(-each, kind="stable")[:MAX_DRAWN].tolist())


def drawn_note(k: int, which: str) -> str:
    """A sentence when not every one of k attributes or keys is drawn; empty otherwise.

    Examples
    --------
    >>> drawn_note(60, "attributes with the largest leakage")
    'The figure shows the 40 attributes with the largest leakage of 60.'
    """
    return "" if k <= MAX_DRAWN else f"The figure shows the {MAX_DRAWN} {which} of {k:,}."
