"""Figures for a lesson as SVG, for slides: people in groups, estimates of many classes as dots, and curves. Nothing is computed but places.

Each function returns an ``xml.etree`` element that is read out by its title.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from rrcore.arrays import Floats
from rrcore.plots.palette import LIGHT, SERIES, WHITE
from rrcore.plots.svg import line_at, pixels, text_at

_WIDTH, _SIDE = 960, 40
_ROW = 10  # people in a row of a group


def people_in_groups(groups: Sequence[tuple[str, int, int]], *, title: str, solid: str, hollow: str) -> Element:
    """People as discs in groups beside each other: those who are ``solid`` first, then those who are ``hollow``.

    Parameters
    ----------
    groups : (heading, number of solid people, number of hollow people) of each
    title : what the figure shows, for those who hear it
    solid, hollow : what the two kinds of discs stand for

    Examples
    --------
    >>> figure = people_in_groups([("send yes", 15, 20)], title="Senders", solid="mean it", hollow="do not")
    >>> len(figure.findall("circle"))
    37
    """
    rows = max(-(-(first + second) // _ROW) for _, first, second in groups)
    svg = _canvas(title, 150 + 40 * rows)
    wide = (_WIDTH - 2 * _SIDE) / len(groups)
    for number, (heading, first, second) in enumerate(groups):
        left = _SIDE + number * wide
        _text(svg, heading, left, 40, size=28)
        for i in range(first + second):
            filled = i < first
            _disc(svg, left + 16 + 40 * (i % _ROW), 80 + 40 * (i // _ROW), filled)
    for x, filled, meaning in ((_SIDE + 16, True, solid), (_SIDE + wide + 16, False, hollow)):
        _disc(svg, x, 106 + 40 * rows, filled)
        _text(svg, meaning, x + 26, 114 + 40 * rows)
    return svg


def class_dots(rows: Mapping[str, Floats], truth: float, *, title: str, step: float = 0.025) -> Element:
    """Estimates of many classes as dots in heaps, a row for each kind of class, on one scale; a line marks the truth.

    Parameters
    ----------
    rows : name -> ndarray of estimates, shares; what lies outside -0.25 to 1.25 is drawn at that end
    truth : share
    title : what the figure shows, for those who hear it
    step : width of a heap, a share
    """
    tall = 230
    svg = _canvas(title, tall * len(rows) + 60)
    scale, left = (_WIDTH - 2 * _SIDE) / 1.5, _SIDE + (_WIDTH - 2 * _SIDE) / 6

    def place(share: float) -> float:
        return left + scale * share

    line_at(svg, place(truth), 10, place(truth), tall * len(rows) + 6, LIGHT.truth, 3)
    for number, (name, estimates) in enumerate(rows.items()):
        floor = tall * (number + 1)
        heaps = Counter(np.round(np.clip(estimates, -0.25, 1.25) / step).astype(int).tolist())
        size = min(5.0, (tall - 60) / (2 * max(heaps.values())))
        for heap, height in heaps.items():
            for i in range(height):
                SubElement(
                    svg,
                    "circle",
                    cx=pixels(place(heap * step)),
                    cy=pixels(floor - size * (2 * i + 1)),
                    r=pixels(size * 0.9),
                    fill=LIGHT.estimate,
                )
        line_at(svg, _SIDE, floor, _WIDTH - _SIDE, floor, LIGHT.grid, 2)
        _text(svg, name, _SIDE, floor - tall + 40, size=26)
    for share in (0.0, 0.5, 1.0):
        _text(svg, f"{100 * share:g} %", place(share), tall * len(rows) + 40, anchor="middle")
    return svg


def curves(x: Floats, lines: Mapping[str, Floats], *, title: str, across: str, up: str, top: float) -> Element:
    """Curves over a scale in percent, each named at its end.

    Parameters
    ----------
    x : ndarray, shares in order
    lines : name -> ndarray of the shape of ``x``, shares; what lies above ``top`` is not drawn
    title : what the figure shows, for those who hear it
    across, up : what stands on the axes
    top : largest share that is drawn
    """
    svg, tall, left, right = _canvas(title, 560), 440, 110, _WIDTH - 190
    first, last = float(x[0]), float(x[-1])

    def at(share: float, value: float) -> tuple[float, float]:
        return left + (right - left) * (share - first) / (last - first), 40 + tall * (1 - value / top)

    for mark in np.linspace(0, top, 5):
        line_at(svg, left, at(first, mark)[1], right, at(first, mark)[1], LIGHT.grid, 2)
        _text(svg, f"± {100 * mark:g}", left - 12, at(first, mark)[1] + 8, anchor="end")
    for mark in np.linspace(first, last, 5):
        _text(svg, f"{100 * mark:g} %", at(mark, 0)[0], 40 + tall + 34, anchor="middle")
    height = math.inf  # of the name below
    for (name, values), colour in sorted(zip(lines.items(), SERIES, strict=False), key=lambda line: float(line[0][1][-1])):
        shown = [at(float(share), float(value)) for share, value in zip(x, values, strict=True) if value <= top]
        height = min(shown[-1][1], height - 30)
        points = " ".join(f"{pixels(across_)},{pixels(up_)}" for across_, up_ in [*shown, (right + 14, height)])
        SubElement(svg, "polyline", points=points, fill="none", stroke=colour).set("stroke-width", "4")
        _text(svg, name, right + 22, height + 8)
    _text(svg, across, (left + right) / 2, 546, anchor="middle")
    _text(svg, up, 10, 22)
    return svg


def _canvas(title: str, height: int) -> Element:
    svg = Element("svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {_WIDTH} {height}", role="img")
    svg.set("font-family", "system-ui, sans-serif")
    svg.set("aria-label", title)
    SubElement(svg, "rect", width=str(_WIDTH), height=str(height), fill=WHITE)
    return svg


def _disc(svg: Element, x: float, y: float, filled: bool) -> None:
    disc = SubElement(
        svg, "circle", cx=pixels(x), cy=pixels(y), r="14", fill=LIGHT.estimate if filled else WHITE, stroke=LIGHT.estimate
    )
    disc.set("stroke-width", "3")


def _text(svg: Element, text: str, x: float, y: float, *, anchor: str = "start", size: int = 24) -> None:
    text_at(svg, text, x, y, anchor=anchor).set("font-size", str(size))
