"""Ways to decide whether measured curves do what a paper says: meet printed numbers, lie below one another, rise, stay flat, follow a power.

Each makes a Check whose numbers are written by code. A check of another kind is a function from (measured, published) to
(holds, numbers) in ``PaperCheck`` itself.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import pairwise
from typing import Concatenate, ParamSpec

import numpy as np

from rrcore.arrays import Floats
from rrcore.research.papers.entry import Curves, PaperCheck, Position, Series

ALL = None
"""In place of panels: all of them."""

NOTHING = "nothing is measured"

Judgement = tuple[bool, str]
Options = ParamSpec("Options")


def check(judge: Callable[Concatenate[Curves, Curves, Options], Judgement]) -> Callable[Concatenate[str, Options], PaperCheck]:
    """Make of ``judge(measured, published, ...)`` what makes checks: a function of the statement and the same options."""

    @wraps(judge)
    def make(said: str, /, *args: Options.args, **options: Options.kwargs) -> PaperCheck:
        return PaperCheck(said, lambda measured, published: judge(measured, published, *args, **options))

    return make


def number(value: float) -> str:
    """Three significant digits: 0.0123, 1.23, 12,300."""
    if not math.isfinite(value):
        return "none" if math.isnan(value) else "infinite"
    if value == 0 or 1e-4 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.2e}"


def all_of(cases: Iterable[Judgement], between: str = ", ") -> Judgement:
    """Whether every case holds, and the numbers of all of them; nothing holds where there is no case."""
    found = list(cases)
    return bool(found) and all(holds for holds, _ in found), between.join(numbers for _, numbers in found)


def _printed(
    published: Curves, names: Sequence[str], panels: Sequence[str] | None = ALL
) -> Iterator[tuple[Series, Position, float]]:
    """The printed numbers of the series called ``names`` (all if empty) in the ``panels``: series, place, number."""
    for one in published.series:
        if (not names or one.name in names) and (panels is None or one.panel in panels):
            yield from ((one, place, y) for place, y in zip(one.x, one.y, strict=True))


def _in_panels(measured: Curves, name: str, panels: Sequence[str] | None) -> Iterator[tuple[Series, str]]:
    """The curves of that name in those ``panels`` where there is one, each with how its panel is told."""
    for panel in measured.panels if panels is None else panels:
        if measured.has(name, panel):
            yield measured.get(name, panel), _panel_text(panel)


def _panel_text(panel: str) -> str:
    return f" ({panel})" if panel else ""


def _at(one: Series, place: Position) -> str:
    return f"{place}" + (f", {one.panel}" if one.panel else "")


def points(one: Series, start: float = -math.inf) -> tuple[Floats, Floats]:
    """Places and values of a curve over numbers from ``start`` on, without missing values."""
    x, y = np.array(one.x, dtype=np.float64), np.array(one.y, dtype=np.float64)
    kept = np.isfinite(y) & (x >= start)
    return x[kept], y[kept]


@check
def near(
    measured: Curves,
    published: Curves,
    *,
    relative: float = 0.0,
    absolute: float = 0.0,
    names: Sequence[str] = (),
    share: float = 1.0,
) -> Judgement:
    """Measured values are within ``absolute`` + ``relative`` x printed of the printed ones.

    Parameters
    ----------
    names : series that are compared; all published ones where empty
    share : least share of the printed numbers that must be met
    """
    found, worst, least = [], "", -1.0
    for one, place, printed in _printed(published, names):
        ours = measured.get(one.name, one.panel).at(place)
        off, allowed = abs(ours - printed), absolute + relative * abs(printed)
        found.append(off <= allowed)
        ratio = off / allowed if math.isfinite(off) and allowed else 0.0 if found[-1] else math.inf
        if ratio > least:
            least, worst = ratio, f"{one.name} at {_at(one, place)}: printed {number(printed)}, measured {number(ours)}"
    met = sum(found)
    enough = bool(found) and met >= share * len(found)
    return enough, f"{met} of {len(found)} printed numbers are met, the farthest is {worst}"


@check
def close(
    measured: Curves,
    published: Curves,
    names: Sequence[str],
    *,
    factor: float,
    panel: str | None = None,
    places: Sequence[Position] = (),
) -> Judgement:
    """The printed numbers of these series are within a ``factor`` of the measured ones, wherever there is one.

    Parameters
    ----------
    panel : the only one that is looked at; all if left out
    places : the only ones that are looked at; all if left out
    """
    ratios: list[tuple[float, str]] = []
    for one, place, printed in _printed(published, names, None if panel is None else (panel,)):
        ours = measured.get(one.name, one.panel) if measured.has(one.name, one.panel) else None
        found = ours.at(place) if ours is not None and place in ours.x else math.nan
        if (place in places or not places) and math.isfinite(found) and math.isfinite(printed):
            ratio = max(found / printed, printed / found) if found > 0 and printed > 0 else math.inf
            ratios.append((ratio, f"{one.name} at {place}: printed {number(printed)}, measured {number(found)}"))
    if not ratios:
        return False, NOTHING
    met = sum(ratio <= factor for ratio, _ in ratios)
    return met == len(ratios), f"{met} of {len(ratios)} within a factor of {factor:g}, farthest {max(ratios)[1]}"


@check
def under_printed(measured: Curves, published: Curves, names: Sequence[str], *, panels: Sequence[str] | None = ALL) -> Judgement:
    """Measured values are nowhere above the printed ones (to rounding, 1e-12), as a bound asks.

    Parameters
    ----------
    panels : those that are looked at; all if left out
    """
    found, over, worst, highest = 0, 0, "", -math.inf
    for one, place, bound in _printed(published, names, panels):
        ours = measured.get(one.name, one.panel).at(place)
        found += 1
        over += not ours <= bound + 1e-12
        ratio = (ours + 1e-12) / (bound + 1e-12)
        if not ratio <= highest:
            where = f"{place:g}" if isinstance(place, int | float) else place
            highest, worst = ratio, f"{number(ours)} against {number(bound)} at {where}"
    return not over and found > 0, f"{found - over} of {found} values are within the bound, the least so is {worst}"


@check
def below(
    measured: Curves,
    published: Curves,
    lower: str,
    upper: str,
    *,
    factor: float = 1.0,
    panels: Sequence[str] | None = ALL,
    start: float = -math.inf,
    end: float = math.inf,
    share: float = 1.0,
) -> Judgement:
    """The curve ``lower`` is at most ``factor`` times ``upper``.

    Parameters
    ----------
    start, end : only places that are numbers between them count; all if both are left out
    share : least share of the points where it has to be so
    """
    held, worst, highest = [], "", -math.inf
    for under, _ in _in_panels(measured, lower, panels):
        for over in [measured.get(upper, under.panel)] if measured.has(upper, under.panel) else []:
            for place in under.x:
                if place not in over.x or not (isinstance(place, str) or start <= place <= end):
                    continue
                a, b = under.at(place), over.at(place)
                held.append(a <= factor * b)
                ratio = a / b if b else math.inf
                if ratio > highest:
                    highest, worst = ratio, f"{lower} {number(a)} and {upper} {number(b)} at {_at(under, place)}"
    met = sum(held)
    return met >= share * len(held) and bool(held), f"true at {met} of {len(held)} points, the closest call being {worst}"


@check
def lowest(
    measured: Curves, published: Curves, name: str, others: Sequence[str], *, panels: Sequence[str], share: float = 1.0
) -> Judgement:
    """At ``share`` of the places of the ``panels`` no other curve is lower."""
    found, worst = [], (0.0, "")
    for panel in panels:
        own = measured.get(name, panel)
        for place in own.x:
            error, rival = min((measured.get(other, panel).at(place), other) for other in others if other != name)
            found.append(own.at(place) <= error)
            text = f"{name} {number(own.at(place))}, {rival} {number(error)} at {place} ({panel})"
            worst = max(worst, (own.at(place) / error, text))
    return sum(found) >= share * len(found), f"at {sum(found)} of {len(found)} points, the closest is {worst[1]}"


@check
def between_panels(measured: Curves, published: Curves, name: str, lower: str, upper: str, factor: float) -> Judgement:
    """At every common place the curve in the panel ``upper`` is at least ``factor`` times that in the panel ``lower``."""
    a, b = measured.get(name, lower), measured.get(name, upper)
    least, where = min((b.at(place) / a.at(place), place) for place in a.x if place in b.x)
    return least >= factor, f"{number(least)} times at {where}, where it is least"


@check
def turns(measured: Curves, published: Curves, first: str, second: str, last: float, *, panels: Sequence[str]) -> Judgement:
    """In one of the ``panels``, ``first`` is below ``second`` up to the place ``last`` and nowhere beyond."""
    holds, texts = False, []
    for panel in panels:
        a, b = measured.get(first, panel), measured.get(second, panel)
        under = [float(place) for place in a.x if a.at(place) < b.at(place)]
        holds = holds or under == [float(place) for place in a.x if float(place) <= last]
        texts.append(f"{', '.join(f'{place:g}' for place in under) or 'none'} ({panel})")
    return holds, f"{first} is lower at {'; at '.join(texts)}"


@check
def rises(measured: Curves, published: Curves, name: str, *, slack: float = 0.0, panels: Sequence[str] | None = ALL) -> Judgement:
    """The curve never falls by more than ``slack`` (a share of its value) from one point to the next, and ends above its beginning."""
    return _goes(measured, name, 1, slack, panels)


@check
def falls(measured: Curves, published: Curves, name: str, *, slack: float = 0.0, panels: Sequence[str] | None = ALL) -> Judgement:
    """The curve never rises by more than ``slack`` (a share of its value) from one point to the next, and ends below its beginning."""
    return _goes(measured, name, -1, slack, panels)


def _goes(measured: Curves, name: str, sign: int, slack: float, panels: Sequence[str] | None) -> Judgement:
    cases = []
    for one, where in _in_panels(measured, name, panels):
        known = [(place, y) for place, y in zip(one.x, one.y, strict=True) if math.isfinite(y)]
        if len(known) < 2:
            return False, f"{name} has {len(known)} values"
        wrong = [(a, b) for a, b in pairwise(known) if sign * (b[1] - a[1]) < -slack * abs(a[1])]
        first, last = known[0][1], known[-1][1]
        text = f"{name} goes from {number(first)} to {number(last)}{where}"
        if wrong:
            (before, high), (after, low) = max(wrong, key=lambda step: -sign * (step[1][1] - step[0][1]))
            text += f" with a step from {number(high)} at {before} to {number(low)} at {after}"
        cases.append((not wrong and sign * (last - first) > 0, text))
    return all_of(cases)


@check
def flat(measured: Curves, published: Curves, name: str, *, factor: float, panels: Sequence[str] | None = ALL) -> Judgement:
    """The largest value of the curve is at most ``factor`` times its smallest."""
    cases = []
    for one, where in _in_panels(measured, name, panels):
        y = [value for value in one.y if math.isfinite(value)]
        if not y:
            return False, f"{name} has no values"
        cases.append((max(y) <= factor * min(y), f"{name} between {number(min(y))} and {number(max(y))}{where}"))
    return all_of(cases)


@check
def grows(
    measured: Curves, published: Curves, name: str, factor: float, *, panels: Sequence[str] = ("",), per_step: bool = False
) -> Judgement:
    """In one of the ``panels`` the last value is at least ``factor`` times the first; ``per_step``: every value times the one before."""
    holds, texts = False, []
    for panel in panels:
        _, y = points(measured.get(name, panel))
        if len(y) < 2:
            return False, NOTHING
        ratios = y[1:] / y[:-1] if per_step else np.array([y[-1] / y[0]])
        holds = holds or bool((ratios >= factor).all())
        texts.append(f"{number(float(ratios.min()))} times{_panel_text(panel)}")
    return holds, f"{name} grows by {', '.join(texts)}" + (" at least from one point to the next" if per_step else "")


@check
def power(
    measured: Curves,
    published: Curves,
    name: str,
    exponent: float,
    *,
    within: float,
    panel: str = "",
    start: float = -math.inf,
) -> Judgement:
    """The curve goes like the place to the power ``exponent``: the least-squares slope of logarithms is ``within`` so much of it.

    Parameters
    ----------
    start : only points from here on count
    """
    x, y = points(measured.get(name, panel), start)
    if len(x) < 2:
        return False, NOTHING
    slope = float(np.polyfit(np.log(x), np.log(y), 1)[0])
    return abs(slope - exponent) <= within, f"the exponent is {slope:.2f}, stated {exponent:g} (within {within:g})"


@check
def straight(
    measured: Curves, published: Curves, name: str, *, least: float, panel: str = "", through_zero: bool = False
) -> Judgement:
    """The curve is a rising straight line: its points correlate with their places by ``least`` or more.

    Parameters
    ----------
    through_zero : also, the line's value at 0 is at most a tenth of its largest value
    """
    x, y = points(measured.get(name, panel))
    if len(x) < 2:
        return False, NOTHING
    correlation = float(np.corrcoef(x, y)[0, 1]) if np.ptp(y) > 0 else 0.0
    offset = float(np.polyfit(x, y, 1)[1])
    holds = correlation >= least and (not through_zero or abs(offset) <= y.max() / 10)
    more = f", the line {number(offset)} at 0, the curve at most {number(float(y.max()))}" if through_zero else ""
    return holds, f"correlation {correlation:.3f} (at least {least:g}){more}"
