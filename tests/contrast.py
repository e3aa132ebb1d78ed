"""How well text is read on what lies behind it: the contrast of WCAG 2.2, of which text needs 4.5, and labels of a figure with less."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from rrcore.plots import DARK, LIGHT
from rrcore.plots.palette import channels

ENOUGH = 4.5


def shades(color: str) -> np.ndarray:
    """Red, green and blue of #RRGGBB or rgb(...), 0 to 1."""
    if color.startswith("#"):
        return np.array(channels(color)) / 255
    return np.array([float(part) for part in color.removeprefix("rgb(").removesuffix(")").split(",")]) / 255


def contrast(ink: str, ground: str, *, part: float = 1.0, below: str = "") -> float:
    """The contrast of ``ink`` on ``ground``, which is ``part`` opaque over what is ``below`` it."""
    behind = shades(ground) if part == 1 else part * shades(ground) + (1 - part) * shades(below)
    dark, light = sorted((_luminance(shades(ink)), _luminance(behind)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: np.ndarray) -> float:
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return float(np.array([0.2126, 0.7152, 0.0722]) @ linear)


def weak_labels(figure: go.Figure) -> list[tuple[str, str, float]]:
    """Ink, ground and contrast of all words in or on bars and rectangles, and of those on the page, that have too little."""
    usual = figure.layout.font.color
    page = next((palette.background for palette in (LIGHT, DARK) if palette.text == usual), None)
    if page is None:  # a figure of plotly's own
        return []
    found = [(usual, page, 1.0)]
    for trace in figure.data:
        if trace.type == "bar" and trace.text is not None and trace.textposition == "inside":
            ink = trace.insidetextfont.color or trace.textfont.color or usual
            found.append((ink, trace.marker.color, trace.marker.opacity or 1.0))
        if trace.type == "scatter" and "text" in (trace.mode or "") and isinstance(trace.textfont.color, str):
            behind = [(shape.fillcolor, shape.opacity or 1.0) for shape in figure.layout.shapes if shape.type == "rect"]
            found += [(trace.textfont.color, *ground) for ground in behind or [(page, 1.0)]]
    looked = [(ink, ground, contrast(ink, ground, part=part, below=page)) for ink, ground, part in found]
    return [one for one in looked if one[2] < ENOUGH]
