"""The common frame and the components of all figures, as plotly.js reads them."""

import math
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
    """Return a legible name for a figure.

    Plotly reads labels as HTML, so anything that resembles a tag is escaped.
    """
    return escape(legible(text), quote=False)


def framed(traces: Sequence[Mapping[str, Any]], palette: Palette, *, height: int, **layout: Any) -> go.Figure:
    """Return a figure in the common frame.

    The frame has a transparent background, a subtle grid and readable text. The title of an axis can be a text.

    Plotly would validate every setting here, which would take ten times as long as everything else. A test validates these figures
    instead. Plotly validates later changes to the figure as usual.
    """
    axes = [name for name in {"xaxis": {}, "yaxis": {}} | layout if name.startswith(("xaxis", "yaxis"))]
    for name in axes:
        if isinstance(title := layout.get(name, {}).get("title", ""), str):  # plotly keeps room for a title that is not there
            layout[name] = layout.get(name, {}) | {"title": {"text": title} if title else {"text": "", "standoff": 0}}
    figure = go.Figure(list(traces), _over(_frame(palette, height, axes, traces), layout), _validate=False)
    for part in (figure, figure.layout, *figure.data):
        part._validate = True
    return figure


def _frame(palette: Palette, height: int, axes: Sequence[str], traces: Sequence[Mapping[str, Any]]) -> Spec:
    """The layout that all figures share."""
    named = {
        (trace.get(f"{way}axis") or way).replace(way, f"{way}axis")
        for trace in traces
        for way in "xy"
        if _has_names(trace.get(way))
    }
    numbers = {"separatethousands": True, "exponentformat": "none"}  # 1,000 and 10,000: neither "10k" nor a power of ten
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
    """Return the plotly template of the dashboard.

    It defines everything that a figure leaves unspecified. Every label has the color of text.
    """
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
    """Return a scatter trace with a ``line``, a ``marker`` or ``words``, if given.

    Without a ``hover`` text, the trace does not react to the pointer.
    """
    looks = {"lines": ("line", line), "markers": ("marker", marker), "text": ("text", words)}
    given = {mode: {name: look} for mode, (name, look) in looks.items() if look is not None}
    settings = {name: look for one in given.values() for name, look in one.items()}
    return {"type": "scatter", "x": x, "y": y, "mode": "+".join(given), **settings, **_pointed(hover), **more}


def bar(
    places: Any, lengths: Any, color: str, *, hover: str = "", marker: Spec | None = None, lying: bool = True, **more: Any
) -> Spec:
    """Return bars of one color. ``marker`` can set further properties."""
    along = {"y": places, "x": lengths, "orientation": "h"} if lying else {"x": places, "y": lengths, "orientation": "v"}
    return {"type": "bar", **along, "marker": {"color": color} | (marker or {}), **_pointed(hover), **more}


def _pointed(hover: str) -> Spec:
    """What is said where a trace is pointed at; without a box for its name unless the text has one."""
    return {"hovertemplate": hover if "<extra>" in hover else f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}


def whiskers(value: ArrayLike, low: ArrayLike, high: ArrayLike, color: str, thickness: float = 1.2, **more: Any) -> Spec:
    """Return error bars from ``low`` to ``high`` around ``value``."""
    above, below = np.subtract(high, value), np.subtract(value, low)
    return {"array": above, "arrayminus": below, "color": color, "thickness": thickness} | more


def band(x: Any, low: Any, high: Any, color: str, name: str, *, shape: str = "linear") -> list[Spec]:
    """Return the area between two curves as two traces.

    ``shape`` sets how points are joined. "hv" draws steps.
    """
    upper: Spec = {"fill": "tonexty", "fillcolor": faint(color), "name": name}
    line = {"width": 0, "shape": shape}
    return [scatter(x, low, line=line, showlegend=False), scatter(x, high, line=line, **upper)]


def ticked(places: Sequence[Any], names: Sequence[str], **more: Any) -> Spec:
    """Return an axis with names instead of numbers at some positions."""
    return {"tickvals": list(places), "ticktext": list(names), "showgrid": False, "zeroline": False} | more


def logarithmic(low: float, high: float) -> Spec:
    """Return a logarithmic axis from ``low`` to ``high``.

    Labels are at 1, 2, 5, 10 and so on, or at powers of ten for a wide range.
    """
    steps = (1, 2, 5) if high < 200 * low else (1,)
    every = [step * 10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high))) for step in steps]
    ticks = [tick for tick in every if low <= tick <= high]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:,.10g}" for tick in ticks]}


def joined(low: float, high: float, row: float, color: str, width: float = 3) -> Spec:
    """Return a line from ``low`` to ``high`` below the marks of one row."""
    line = {"color": color, "width": width}
    return {"type": "line", "x0": low, "x1": high, "y0": row, "y1": row, "line": line, "layer": "below"}


def upright(x: float, color: str, dash: str | None = None, width: float = 1, **more: Any) -> Spec:
    """Return a vertical line over the entire height."""
    line = {"color": color, "width": width} | ({"dash": dash} if dash else {})
    return {"type": "line", "x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "line": line} | more


def note(x: float, y: float, text: str, *, size: int = 12, **more: Any) -> Spec:
    """Return an annotation at a point."""
    return {"x": x, "y": y, "text": text, "showarrow": False, "font": {"size": size}} | more


def across(title: str) -> Spec:
    """Return a color bar above a heat map.

    The cells can then use the full width of a phone screen.
    """
    return {
        "title": {"text": title, "side": "top", "font": {"size": 12}},
        "orientation": "h", "thickness": 12, "y": 1.02, "yanchor": "bottom", "nticks": 5,
    }  # fmt: skip


def drawn(scores: Floats) -> list[int]:
    """Return the positions of attributes to draw, in order.

    There are at most ``MAX_DRAWN``, those with the largest scores.

    Parameters
    ----------
    scores : ndarray of shape (k,), or (k, k) for pairs, where the largest score of an attribute counts. NaN counts as the smallest
        score
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    each = known if known.ndim == 1 else np.maximum(known.max(axis=0), known.max(axis=1))
    return sorted(np.argsort(-each, kind="stable")[:MAX_DRAWN].tolist())


def drawn_note(k: int, which: str) -> str:
    """Return a note if not every one of k attributes or keys is drawn.

    Otherwise, the result is empty.

    Examples
    --------
    >>> drawn_note(60, "attributes with the largest leakage")
    'The figure shows the 40 attributes with the largest leakage of 60.'
    """
    return "" if k <= MAX_DRAWN else f"The figure shows the {MAX_DRAWN} {which} of {k:,}."
