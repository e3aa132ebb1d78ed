"""More ways to decide: powers, straight lines, factors, and printed numbers of which only some are measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rrcore.arrays import Floats
from rrcore.research.papers.checks import number
from rrcore.research.papers.entry import Check, Curves, Place, Series

NOTHING = "nothing is measured"


def power(said: str, name: str, exponent: float, *, within: float, panel: str = "", start: float = -math.inf) -> Check:
    """The curve goes like the place to the power ``exponent``: the least-squares slope of logarithms is ``within`` so much of it.

    Parameters
    ----------
    start : only points from here on count
    """

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        x, y = points(measured.get(name, panel), start)
        if len(x) < 2:
            return False, NOTHING
        slope = float(np.polyfit(np.log(x), np.log(y), 1)[0])
        return abs(slope - exponent) <= within, f"the exponent is {slope:.2f}, stated {exponent:g} (within {within:g})"

    return Check(said, judge)


def straight(said: str, name: str, *, least: float, panel: str = "", through_zero: bool = False) -> Check:
    """The curve is a rising straight line: its points correlate with their places by ``least`` or more.

    Parameters
    ----------
    through_zero : also, the line's value at 0 is at most a tenth of its largest value
    """

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        x, y = points(measured.get(name, panel))
        if len(x) < 2:
            return False, NOTHING
        correlation = float(np.corrcoef(x, y)[0, 1]) if np.ptp(y) > 0 else 0.0
        offset = float(np.polyfit(x, y, 1)[1])
        holds = correlation >= least and (not through_zero or abs(offset) <= y.max() / 10)
        more = f", the line {number(offset)} at 0, the curve at most {number(float(y.max()))}" if through_zero else ""
        return holds, f"correlation {correlation:.3f} (at least {least:g}){more}"

    return Check(said, judge)


def grows(said: str, name: str, factor: float, *, panels: Sequence[str] = ("",), per_step: bool = False) -> Check:
    """In one of the ``panels`` the last value is at least ``factor`` times the first; ``per_step``: every value times the one before."""

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        holds, told = False, []
        for panel in panels:
            _, y = points(measured.get(name, panel))
            if len(y) < 2:
                return False, NOTHING
            ratios = y[1:] / y[:-1] if per_step else np.array([y[-1] / y[0]])
            holds = holds or bool((ratios >= factor).all())
            told.append(f"{number(float(ratios.min()))} times" + (f" ({panel})" if panel else ""))
        return holds, f"{name} grows by {', '.join(told)}" + (" at least from one point to the next" if per_step else "")

    return Check(said, judge)


def turns(said: str, first: str, second: str, last: float, *, panels: Sequence[str]) -> Check:
    """In one of the ``panels``, ``first`` is below ``second`` up to the place ``last`` and nowhere beyond."""

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        holds, told = False, []
        for panel in panels:
            a, b = measured.get(first, panel), measured.get(second, panel)
            under = [float(place) for place in a.x if a.at(place) < b.at(place)]
            holds = holds or under == [float(place) for place in a.x if float(place) <= last]
            told.append(f"{', '.join(f'{place:g}' for place in under) or 'none'} ({panel})")
        return holds, f"{first} is lower at {'; at '.join(told)}"

    return Check(said, judge)


def close(said: str, names: Sequence[str], *, factor: float, panel: str | None = None, places: Sequence[Place] = ()) -> Check:
    """The printed numbers of these series are within a ``factor`` of the measured ones, wherever there is one.

    Parameters
    ----------
    panel : the only one that is looked at; all if left out
    places : the only ones that are looked at; all if left out
    """

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        ratios: list[tuple[float, str]] = []
        for one in published.series:
            if one.name not in names or panel not in (None, one.panel) or not measured.has(one.name, one.panel):
                continue
            ours = measured.get(one.name, one.panel)
            for place, printed in zip(one.x, one.y, strict=True):
                found = ours.at(place) if place in ours.x else math.nan
                if (place in places or not places) and math.isfinite(found) and math.isfinite(printed):
                    ratio = max(found / printed, printed / found) if found > 0 and printed > 0 else math.inf
                    ratios.append((ratio, f"{one.name} at {place}: printed {number(printed)}, measured {number(found)}"))
        if not ratios:
            return False, NOTHING
        met = sum(ratio <= factor for ratio, _ in ratios)
        return met == len(ratios), f"{met} of {len(ratios)} within a factor of {factor:g}, farthest {max(ratios)[1]}"

    return Check(said, judge)


def between_panels(said: str, name: str, lower: str, upper: str, factor: float) -> Check:
    """At every common place the curve in the panel ``upper`` is at least ``factor`` times that in the panel ``lower``."""

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        a, b = measured.get(name, lower), measured.get(name, upper)
        ratios = [(b.at(place) / a.at(place), place) for place in a.x if place in b.x]
        least, where = min(ratios)
        return least >= factor, f"{number(least)} times at {where}, where it is least"

    return Check(said, judge)


def under_printed(said: str, names: Sequence[str], *, panels: Sequence[str] | None = None) -> Check:
    """Measured values are nowhere above the printed ones (to rounding, 1e-12), as a bound asks.

    Parameters
    ----------
    panels : those that are looked at; all if left out
    """

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        found, worst, highest = 0, "", -math.inf
        chosen = [one for one in published.series if one.name in names and (panels is None or one.panel in panels)]
        over = 0
        for one in chosen:
            ours = measured.get(one.name, one.panel)
            for place, bound in zip(one.x, one.y, strict=True):
                found += 1
                over += not ours.at(place) <= bound + 1e-12
                ratio = (ours.at(place) + 1e-12) / (bound + 1e-12)
                if not ratio <= highest:
                    where = f"{place:g}" if isinstance(place, int | float) else place
                    highest, worst = ratio, f"{number(ours.at(place))} against {number(bound)} at {where}"
        return not over and found > 0, f"{found - over} of {found} values are within the bound, the least so is {worst}"

    return Check(said, judge)


def holds_where(said: str, test: Callable[[Curves], Sequence[tuple[bool, str]]]) -> Check:
    """Everything that ``test`` looks at in the measured curves is true; the first that is not is told, else the first of all."""

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        found = test(measured)
        if not found:
            return False, NOTHING
        wrong = [told for true, told in found if not true]
        return not wrong, f"{len(found) - len(wrong)} of {len(found)} cases; {(wrong or [told for _, told in found])[0]}"

    return Check(said, judge)


def points(one: Series, start: float = -math.inf) -> tuple[Floats, Floats]:
    """Places and values of a curve over numbers from ``start`` on, without missing values."""
    x, y = np.array(one.x, dtype=np.float64), np.array(one.y, dtype=np.float64)
    kept = np.isfinite(y) & (x >= start)
    return x[kept], y[kept]


def lowest(said: str, name: str, others: Sequence[str], *, panels: Sequence[str], share: float = 1.0) -> Check:
    """At ``share`` of the places of the ``panels`` no other curve is lower."""

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        found, worst = [], (0.0, "")
        for panel in panels:
            own = measured.get(name, panel)
            for place in own.x:
                error, rival = min((measured.get(other, panel).at(place), other) for other in others if other != name)
                found.append(own.at(place) <= error)
                worst = max(
                    worst,
                    (own.at(place) / error, f"{name} {number(own.at(place))}, {rival} {number(error)} at {place} ({panel})"),
                )
        return sum(found) >= share * len(found), f"at {sum(found)} of {len(found)} points, the closest is {worst[1]}"

    return Check(said, judge)
