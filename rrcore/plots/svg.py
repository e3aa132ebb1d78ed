"""Small SVG figures for documents.

They need no script, print sharply, and have a title for screen readers.

Each function returns an ``xml.etree`` element for an HTML page, so all text is escaped when it is written. The functions only draw
values and compute no statistics.
"""

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement
from zlib import crc32

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.plots.palette import LIGHT, WHITE, channels
from rrcore.wording import legible, minus

MOST_DRAWN = 24
"""Most rows of a figure, and most attributes of a map."""

_WIDTH = 560  # as wide as letters of 12 px can still be read on when it is shrunk to a phone
_LETTER = 6.6  # width in pixels of an average letter at 12 px
_LONGEST = 24  # letters of a label that are shown; its title has them all
_MOST_TICKS = 6


def shortened(text: str, most: int) -> str:
    """Return ``text``, truncated with an ellipsis after ``most`` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def bars(
    labels: Sequence[str],
    released: Floats | None,
    shares: Floats,
    interval: tuple[Floats, Floats],
    *,
    title: str,
) -> Element:
    """Draw released and estimated shares of each answer as horizontal bars.

    The estimates have intervals.

    Parameters
    ----------
    labels : names of the r answers, r <= ``MOST_DRAWN``
    released, shares : ndarrays of shape (r,). ``released`` is drawn if the reports are the categories
    interval : (low, high), each of that shape. Anything outside 0 to 1 is not drawn
    title : description of the figure for screen readers

    Examples
    --------
    >>> import numpy as np
    >>> from xml.etree.ElementTree import tostring
    >>> figure = bars(["no", "yes"], np.array([.6, .4]), np.array([.8, .2]), (np.array([.7, .1]), np.array([.9, .3])), title="Shares")
    >>> tostring(figure)[:4]
    b'<svg'
    """
    low, high = (np.clip(edge, 0.0, 1.0) for edge in interval)
    kinds = [] if released is None else [("randomized data", LIGHT.released, released)]
    kinds += [("unbiased estimate with 95% interval", LIGHT.estimate, shares)]
    top = _ceiling(max(float(np.max([np.clip(values, 0, 1).max() for *_, values in kinds])), float(np.nanmax(high, initial=0.0))))
    left, thick, row = _room(labels), 9, 9 * len(kinds) + 11
    svg, floor = _canvas(title, 34 + row * len(labels) + 34), 34 + row * len(labels)
    scale = (_WIDTH - left - 24) / top
    _legend(svg, [(name, color) for name, color, _ in kinds], left)
    for tick in _ticks(top):
        x = left + scale * tick
        line_at(svg, x, 30, x, floor, LIGHT.grid)
        text_at(svg, f"{100 * tick:g}%", x, floor + 16, anchor="middle")
    for i, label in enumerate(labels):
        y = 34 + row * i + 4
        _label(svg, label, left - 8, y + thick * len(kinds) / 2 + 4)
        for number, (_, color, values) in enumerate(kinds):
            _box(svg, left, y + number * thick, scale * float(np.clip(values[i], 0, 1)), thick - 1, color)
        if math.isfinite(low[i]) and math.isfinite(high[i]):
            middle = y + (len(kinds) - 0.5) * thick - 0.5
            ends = [left + scale * float(edge[i]) for edge in (low, high)]
            for color, width in ((WHITE, 4.0), (LIGHT.text, 1.4)):  # seen on the bar and beyond it
                line_at(svg, ends[0], middle, ends[1], middle, color, width)
                for x in ends:
                    line_at(svg, x, middle - 4, x, middle + 4, color, width)
    line_at(svg, left, 30, left, floor, LIGHT.text)
    return svg


def triangle(
    names: Sequence[str], values: Floats, texts: Sequence[Sequence[str]], *, title: str, top: float, hatched: Booleans
) -> Element:
    """Draw a map of every pair of attributes, darker for larger values.

    Cells are hatched if a color would be misleading.

    Parameters
    ----------
    names : the k attributes, k <= ``MOST_DRAWN``
    values : ndarray of shape (k, k), 0 to ``top``. Only entries with i > j are drawn
    texts : text of the cells, k rows of k
    hatched : ndarray of shape (k, k), bool
    """
    k = len(names)
    left = _room(names)
    side = min(54.0, (_WIDTH - left - 8) / max(k - 1, 1))
    tall = min(side, 34.0)
    svg = _canvas(title, int(10 + tall * (k - 1) + 0.72 * _LETTER * max(len(_short(name)) for name in names) + 26))
    pattern = f"hatch-{crc32(title.encode('utf-8')):08x}"  # each figure of a page has its own
    _hatching(svg, pattern)
    for i in range(1, k):
        y = 8 + tall * (i - 1)
        _label(svg, names[i], left - 8, y + tall / 2 + 4)
        for j in range(i):
            x = left + side * j
            known = not hatched[i, j]
            part = min(max(float(values[i, j]) / top, 0.0), 1.0) if known else 0.0
            cell = _box(svg, x, y, side - 1.5, tall - 1.5, _shade(part) if known else f"url(#{pattern})")
            SubElement(cell, "title").text = f"{names[i]} with {names[j]}: {texts[i][j] or 'not identifiable'}"
            if side >= _LETTER * len(texts[i][j]) + 4:
                text_at(svg, texts[i][j], x + side / 2, y + tall / 2 + 4, anchor="middle", color=LIGHT.truth)
    for j in range(k - 1):
        x, y = left + side * (j + 0.5), 8 + tall * (k - 1) + 12
        turned = text_at(svg, _short(names[j]), x, y, anchor="end")
        turned.set("transform", f"rotate(-45 {pixels(x)} {pixels(y)})")
        SubElement(turned, "title").text = legible(names[j])
    return svg


def _canvas(title: str, height: int) -> Element:
    svg = Element("svg", viewBox=f"0 0 {_WIDTH} {height}", role="img")
    svg.set("font-family", "system-ui, sans-serif")
    svg.set("font-size", "12")
    svg.set("aria-label", title)
    return svg


def _hatching(svg: Element, name: str) -> None:
    pattern = SubElement(SubElement(svg, "defs"), "pattern", id=name, width="6", height="6", patternUnits="userSpaceOnUse")
    pattern.set("patternTransform", "rotate(45)")
    _box(pattern, 0, 0, 6, 6, LIGHT.lost)
    line_at(pattern, 0, 0, 0, 6, LIGHT.hatch, 1)


def _legend(svg: Element, entries: Sequence[tuple[str, str]], left: float) -> None:
    x = left
    for name, color in entries:
        _box(svg, x, 9, 11, 11, color).set("stroke", LIGHT.estimate if color == WHITE else color)  # what is a ring in the figure
        text_at(svg, name, x + 16, 19)
        x += 16 + _LETTER * len(name) + 18


def _label(svg: Element, text: str, x: float, y: float) -> None:
    SubElement(text_at(svg, _short(text), x, y, anchor="end"), "title").text = legible(text)


def text_at(svg: Element, text: str, x: float, y: float, *, anchor: str = "start", color: str = LIGHT.text) -> Element:
    """Add text to a drawing at a position in pixels."""
    element = SubElement(svg, "text", x=pixels(x), y=pixels(y), fill=color)
    element.set("text-anchor", anchor)
    element.text = text
    return element


def line_at(svg: Element, x1: float, y1: float, x2: float, y2: float, color: str, width: float = 1.0) -> None:
    """Add a line to a drawing between two positions in pixels."""
    line = SubElement(svg, "line", x1=pixels(x1), y1=pixels(y1), x2=pixels(x2), y2=pixels(y2), stroke=color)
    line.set("stroke-width", f"{width:g}")


def _box(svg: Element, x: float, y: float, width: float, height: float, color: str) -> Element:
    return SubElement(svg, "rect", x=pixels(x), y=pixels(y), width=pixels(max(width, 0.0)), height=pixels(height), fill=color)


def pixels(value: float) -> str:
    """Return a number of pixels as written in a drawing."""
    return minus(f"{value:.1f}".removesuffix(".0"))


def _short(text: str) -> str:
    return shortened(legible(text), _LONGEST)


def _room(labels: Sequence[str]) -> float:
    """Width of the column of labels."""
    return 16 + _LETTER * max(len(_short(label)) for label in labels)


def _ceiling(largest: float) -> float:
    """The end of an axis of shares that starts at 0."""
    return min(1.0, next((end for end in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8) if largest <= end), 1.0))


def _ticks(top: float) -> list[float]:
    step = next(step for step in (0.01, 0.02, 0.05, 0.1, 0.2) if top / step <= _MOST_TICKS)
    return [step * i for i in range(int(top / step + 1e-9) + 1)]


def _shade(part: float) -> str:
    """Return the color of the sequential scale at ``part`` of its length."""
    low, high = (channels(color) for _, color in LIGHT.sequential)
    return "#" + "".join(f"{round((1 - part) * a + part * b):02x}" for a, b in zip(low, high, strict=True))
