"""Ways to decide whether measured curves do what a paper says: close to printed numbers, below one another, rising, flat, crossing.

Each returns a Check whose numbers are written by code. A check of another kind is a function from (measured, published) to
(holds, numbers) in ``Check`` itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from rrcore.research.papers.entry import Check, Curves, Place, Series

ALL = None
"""In place of panels: all of them."""


def number(value: float) -> str:
    """Three significant digits: 0.0123, 1.23, 12,300."""
    if not math.isfinite(value):
        return "none" if math.isnan(value) else "infinite"
    if value == 0 or 1e-4 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.2e}"


def _at(one: Series, place: Place) -> str:
    return f"{place}" + (f", {one.panel}" if one.panel else "")


def near(
    said: str,
    *,
    relative: float = 0.0,
    absolute: float = 0.0,
    names: Sequence[str] = (),
    share: float = 1.0,
) -> Check:
    """Measured values are within ``absolute`` + ``relative`` x printed of the printed ones.

    Parameters
    ----------
    names : series that are compared; all published ones where empty
    share : least share of the printed numbers that must be met
    """

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        found, worst, least = [], "", -1.0
        for one in published.series:
            if names and one.name not in names:
                continue
            for place, printed in zip(one.x, one.y, strict=True):
                ours = measured.get(one.name, one.panel).at(place)
                off, allowed = abs(ours - printed), absolute + relative * abs(printed)
                found.append(off <= allowed)
                ratio = off / allowed if math.isfinite(off) and allowed else 0.0 if found[-1] else math.inf
                if ratio > least:
                    least = ratio
                    worst = f"{one.name} at {_at(one, place)}: printed {number(printed)}, measured {number(ours)}"
        met = sum(found)
        enough = bool(found) and met >= share * len(found)
        return enough, f"{met} of {len(found)} printed numbers are met, the farthest is {worst}"

    return Check(said, judge)


def below(
    said: str,
    lower: str,
    upper: str,
    *,
    factor: float = 1.0,
    panels: Sequence[str] | None = ALL,
    places: Callable[[Place], bool] = lambda place: True,
    share: float = 1.0,
) -> Check:
    """At ``share`` of the ``places``, the curve ``lower`` is at most ``factor`` times ``upper``."""

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        held, worst, highest = [], "", -math.inf
        for panel in measured.panels if panels is None else panels:
            if not (measured.has(lower, panel) and measured.has(upper, panel)):
                continue
            under, over = measured.get(lower, panel), measured.get(upper, panel)
            for place in under.x:
                if place not in over.x or not places(place):
                    continue
                a, b = under.at(place), over.at(place)
                held.append(a <= factor * b)
                ratio = a / b if b else math.inf
                if ratio > highest:
                    highest = ratio
                    worst = f"{lower} {number(a)} and {upper} {number(b)} at {_at(under, place)}"
        met = sum(held)
        return met >= share * len(held) and bool(held), f"true at {met} of {len(held)} points, the closest call being {worst}"

    return Check(said, judge)


def rises(said: str, name: str, *, slack: float = 0.0, panels: Sequence[str] | None = ALL) -> Check:
    """The curve never falls by more than ``slack`` (a share of its value) from one point to the next, and ends above its beginning."""
    return _monotone(said, name, 1, slack, panels)


def falls(said: str, name: str, *, slack: float = 0.0, panels: Sequence[str] | None = ALL) -> Check:
    """The same downwards."""
    return _monotone(said, name, -1, slack, panels)


def _monotone(said: str, name: str, sign: int, slack: float, panels: Sequence[str] | None) -> Check:
    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        holds, told = True, []
        for panel in measured.panels if panels is None else panels:
            if not measured.has(name, panel):
                continue
            one = measured.get(name, panel)
            points = [(place, y) for place, y in zip(one.x, one.y, strict=True) if math.isfinite(y)]
            if len(points) < 2:
                return False, f"{name} has {len(points)} values"
            wrong = [(a, b) for a, b in pairwise(points) if sign * (b[1] - a[1]) < -slack * abs(a[1])]
            first, last = points[0][1], points[-1][1]
            holds = holds and not wrong and sign * (last - first) > 0
            text = f"{name} goes from {number(first)} to {number(last)}" + (f" ({panel})" if panel else "")
            if wrong:
                (before, high), (after, low) = max(wrong, key=lambda step: -sign * (step[1][1] - step[0][1]))
                text += f" with a step from {number(high)} at {before} to {number(low)} at {after}"
            told.append(text)
        return holds and bool(told), ", ".join(told)

    return Check(said, judge)


def flat(said: str, name: str, *, factor: float, panels: Sequence[str] | None = ALL) -> Check:
    """The largest value of the curve is at most ``factor`` times its smallest."""

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        holds, told = True, []
        for panel in measured.panels if panels is None else panels:
            if measured.has(name, panel):
                y = [value for value in measured.get(name, panel).y if math.isfinite(value)]
                if not y:
                    return False, f"{name} has no values"
                holds = holds and max(y) <= factor * min(y)
                told.append(f"{name} between {number(min(y))} and {number(max(y))}" + (f" ({panel})" if panel else ""))
        return holds and bool(told), ", ".join(told)

    return Check(said, judge)


def crosses(said: str, first: str, second: str, between: tuple[float, float], *, panel: str = "") -> Check:
    """``first`` lies below ``second`` up to the lower end of ``between``, and above it from the upper end on."""

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        a, b = measured.get(first, panel), measured.get(second, panel)
        places = [float(place) for place in a.x if place in b.x]
        under = [place for place in places if a.at(place) < b.at(place)]
        holds = all((place in under) == (place <= between[0]) for place in places if not between[0] < place < between[1])
        told = f"{first} is lower than {second} at {', '.join(f'{place:g}' for place in under) or 'no point'} of {len(places)} points"
        return holds, told

    return Check(said, judge)


def value(said: str, name: str, place: Place, expected: float, *, within: float, panel: str = "") -> Check:
    """One measured value is ``within`` so much of the ``expected`` one that the paper states."""

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        ours = measured.get(name, panel).at(place)
        return abs(ours - expected) <= within, f"stated {number(expected)}, measured {number(ours)}"

    return Check(said, judge)
