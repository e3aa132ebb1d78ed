"""Privacy-Optimized Randomized Response for Sharing Multi-Attribute Data: Figures 1 to 4, what the totals of data sets are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel.levels import retention_from_level
from rrcore.mechanisms import Optimal, Published
from rrcore.research.papers.bibliography import OPTIMIZED
from rrcore.research.papers.checks import all_of, below, number
from rrcore.research.papers.entry import Axis, Curves, PaperCheck, PaperEntry, Series, Setting
from rrcore.wording import percent

KRONECKER, OPTIMUM, HEURISTIC = "Kronecker", "Optimum", "Heuristic"
AS_DRAWN = "Heuristic, attributes as drawn"
"""The heuristic depends on the order of the attributes, of which the text says nothing: ``HEURISTIC`` takes the most truthful ones
first, with which its figures agree; this one takes them as they come."""

THRESHOLD = "Almost exact beyond"
"""A single point of Figures 2 and 4."""

SHOWN = {3: "a, k = 3", 5: "b, k = 5", 7: "c, k = 7", 10: "d, k = 10"}
"""Attributes -> panel of Figures 1 to 4."""

_SETS = 200  # data sets in the paper
_FAST_SETS = 32
_GROUPS = 8  # points of a curve: data sets in order of the sum, in so many groups
_LARGEST = (3, 21)  # of Figures 3 and 4, for which the text gives no range: up to how many categories a data set has
_SAME = 1.005  # ratio to the optimum that is called almost exact
_NEARLY = 0.03  # change of the ratio that is called nearly constant
_CLOSE = 1.02  # ratio to the optimum that is called extremely close

Draw = Callable[[int, np.random.Generator], tuple[tuple[int, ...], Floats, float]]
"""(attributes, rng) -> categories and levels of a data set, and its place on the axis."""


def by_level(k: int, rng: np.random.Generator) -> tuple[tuple[int, ...], Floats, float]:
    """A data set of Figures 1 and 2: five categories each, levels drawn from 1 to 8; its place is the sum of the levels."""
    levels = rng.uniform(1, 8, k)
    return (5,) * k, levels, float(levels.sum())


def by_size(k: int, rng: np.random.Generator) -> tuple[tuple[int, ...], Floats, float]:
    """A data set of Figures 3 and 4: level 3 each, categories drawn from 2 to a largest number that is itself drawn from 3 to 20, so
    that every k has small and large sums; its place is the sum of the categories.
    """
    largest = int(rng.integers(*_LARGEST))
    sizes = tuple(int(a) for a in rng.integers(2, largest + 1, k))
    return sizes, np.full(k, 3.0), float(sum(sizes))


def heuristic(sizes: Sequence[int], levels: Floats) -> Published:
    """Algorithm 3 with the attributes in the order of their retention r, the most truthful first."""
    order = np.argsort(-retention_from_level(levels, np.asarray(sizes)), kind="stable")
    return Published.from_levels([sizes[i] for i in order], levels[order])


def totals(setting: Setting, draw: Draw) -> dict[int, Floats]:
    """For every k: rows of (place on the axis, sum of levels, optimum, heuristic, heuristic as drawn), in order of the place."""
    found, sets = {}, setting.repeats(_FAST_SETS, _SETS)
    for done, k in enumerate(SHOWN):
        rows = []
        for _ in setting.part(done, len(SHOWN), f"{k} attributes").steps(range(1, sets + 1), f"data set {{}} of {sets}"):
            sizes, levels, place = draw(k, setting.rng)
            made = Optimal.from_levels(sizes, levels), heuristic(sizes, levels), Published.from_levels(sizes, levels)
            rows.append((place, levels.sum(), *(mechanism.total_level for mechanism in made)))
        found[k] = np.array(sorted(rows))
    return found


def _grouped(name: str, panel: str, where: Floats, values: Floats) -> Series:
    """Means, lowest and highest of groups of data sets that follow one another on the axis."""
    x = tuple(round(float(part.mean()), 1) for part in np.array_split(where, _GROUPS))
    groups = np.array_split(values, _GROUPS)
    mean, low, high = (tuple(float(fold(part)) for part in groups) for fold in (np.mean, np.min, np.max))
    return Series(name, x, mean, panel, low=low, high=high)


def against_kronecker(setting: Setting, *, draw: Draw) -> list[Series]:
    """Totals as parts of the sum of the levels, which is Kronecker's."""
    made = []
    for k, rows in totals(setting, draw).items():
        where, whole, *found = rows.T
        columns = zip((KRONECKER, OPTIMUM, HEURISTIC, AS_DRAWN), (whole, *found), strict=True)
        made += [_grouped(name, SHOWN[k], where, total / whole) for name, total in columns]
    return made


def against_optimum(setting: Setting, *, draw: Draw, upward: bool) -> list[Series]:
    """With the place from which on (``upward``), or up to which, the heuristic is almost exact for every data set."""
    made = []
    for k, rows in totals(setting, draw).items():
        where, _, optimum, ordered, drawn = rows.T
        made += [_grouped(name, SHOWN[k], where, total / optimum) for name, total in ((HEURISTIC, ordered), (AS_DRAWN, drawn))]
        ends = _threshold(ordered / optimum, where, upward)
        made.append(Series(THRESHOLD, ends, (1.0,) * len(ends), SHOWN[k]))
    return made


def _close_where_large(measured: Curves, published: Curves) -> tuple[bool, str]:
    cases = []
    for panel in measured.panels:
        ratio = measured.get(HEURISTIC, panel).y[-1] / measured.get(OPTIMUM, panel).y[-1]
        cases.append((1 / _CLOSE <= ratio <= _CLOSE, f"{number(ratio)} ({panel})"))
    holds, numbers = all_of(cases)
    return holds, f"ratios to the optimum farthest from 1: {numbers}"


def _narrower(measured: Curves, published: Curves) -> tuple[bool, str]:
    optima = [measured.get(OPTIMUM, panel) for panel in measured.panels]
    widths = [float(np.mean(np.subtract(one.high, one.low))) for one in optima]
    return widths == sorted(widths, reverse=True), f"mean width of the range {', '.join(map(number, widths))} for k = 3, 5, 7, 10"


def _falls_where_large(measured: Curves, published: Curves) -> tuple[bool, str]:
    cases = []
    for panel in measured.panels:
        y = np.array(measured.get(OPTIMUM, panel).y)
        middle, last = float(y[len(y) // 2 - 1 : len(y) // 2 + 1].mean()), float(y[-1])
        cases.append((last < middle, f"{number(middle)} in the middle, {number(last)} at the end ({panel})"))
    return all_of(cases)


def _nearly_constant_after_rise(measured: Curves, published: Curves) -> tuple[bool, str]:
    """The slope over the first half of the groups is upwards; over the second it is lower, and ten categories more change the ratio by
    at most ``_NEARLY``.
    """
    cases = []
    for panel in measured.panels:
        one = measured.get(OPTIMUM, panel)
        x, y, middle = np.array(one.x, dtype=float), np.array(one.y), len(one.x) // 2
        first, second = ((y[b] - y[a]) / (x[b] - x[a]) for a, b in ((0, middle), (middle, -1)))
        text = f"{1e3 * first:+.1f} over the first half and {1e3 * second:+.1f} over the second ({panel})"
        cases.append((bool(0 < first > second and 10 * second <= _NEARLY), text))
    holds, text = all_of(cases)
    return holds, f"slope of the ratio in thousandths a category {text}"


def _threshold(y: Floats, x: Floats, upward: bool) -> tuple[float, ...]:
    """The place from which on (``upward``), or up to which, every ratio is almost exact; none where there is none."""
    fine = np.abs(y - 1) <= _SAME - 1
    if upward:
        fine, x = fine[::-1], x[::-1]
    steps = int(np.argmin(fine)) if not fine.all() else len(fine)
    return (float(x[steps - 1]),) if steps else ()


def _about_thresholds(
    what: str, of: Callable[[int, float], float], spread: float
) -> Callable[[Curves, Curves], tuple[bool, str]]:
    """A threshold for every k, the largest value ``of`` (k, threshold) at most ``spread`` times the smallest; ``what`` is told."""

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        ends = {k: of(k, float(x)) for k, panel in SHOWN.items() for x in measured.get(THRESHOLD, panel).x}
        text = ", ".join(f"{number(end)} at k = {k}" for k, end in ends.items())
        return len(ends) == len(SHOWN) and max(ends.values()) <= spread * min(ends.values()), f"{what} {text or 'none'}"

    return judge


_like_k_log_k = _about_thresholds("threshold / (k ln k)", lambda k, end: end / (k * math.log(k)), 1.5)
_varies_little = _about_thresholds("threshold", lambda k, end: end, 1.5)


def _exact_beyond(measured: Curves, published: Curves) -> tuple[bool, str]:
    text = ", ".join(f"{number(float(x))} at k = {k}" for k, panel in SHOWN.items() for x in measured.get(THRESHOLD, panel).x)
    everywhere = all(measured.get(THRESHOLD, panel).x for panel in SHOWN.values())
    return everywhere, f"every data set beyond is within {percent(_SAME - 1)} of the optimum: {text or 'nowhere'}"


_LEVELS, _SIZES = Axis("sum of the levels", "nats"), Axis("sum of the numbers of categories")
_RATIO, _OPTIMALITY = Axis("total / sum of the levels"), Axis("heuristic's total / optimum")
_STRONGER = (
    below("The optimum is stronger than Kronecker", OPTIMUM, KRONECKER),
    below("The heuristic is stronger than Kronecker", HEURISTIC, KRONECKER),
)


ENTRIES: tuple[PaperEntry, ...] = (
    PaperEntry(
        *OPTIMIZED.at(
            "figure-1", "Figure 1", "Total of a record against the sum of the levels, five categories each, levels from 1 to 8"
        ),
        "Both methods give significantly stronger guarantees than Kronecker for any k; where the sum is large the heuristic is extremely "
        "close to the optimum and the saving grows; for a larger k the range is narrower.",
        axes=(_LEVELS, _RATIO),
        measure=partial(against_kronecker, draw=by_level),
        checks=(
            *_STRONGER,
            PaperCheck("Where the sum is large the heuristic is extremely close to the optimum", _close_where_large),
            PaperCheck("The range is narrower for a larger k", _narrower),
            PaperCheck("Where the sum is large, the saving grows with it", _falls_where_large),
        ),
    ),
    PaperEntry(
        *OPTIMIZED.at(
            "figure-2", "Figure 2", "The heuristic's total as a multiple of the optimum, against the sum of the levels"
        ),
        "When the sum of the levels is above a certain value, the heuristic gives an almost exact optimal solution; "
        "the threshold seems roughly proportional to k log k.",
        axes=(_LEVELS, _OPTIMALITY),
        measure=partial(against_optimum, draw=by_level, upward=True),
        checks=(
            PaperCheck("Above a certain sum the heuristic is almost exactly optimal", _exact_beyond),
            PaperCheck("The threshold is roughly proportional to k log k", _like_k_log_k),
        ),
    ),
    PaperEntry(
        *OPTIMIZED.at("figure-3", "Figure 3", "Total of a record against the sum of the numbers of categories, level 3 each"),
        "Both methods give significantly stronger guarantees than Kronecker; as the sum increases, the difference becomes smaller at first, "
        "but after a certain value nearly constant or larger. The text gives no range of categories: here from 2 up to a "
        "number drawn from 3 to 20.",
        axes=(_SIZES, _RATIO),
        measure=partial(against_kronecker, draw=by_size),
        checks=(
            *_STRONGER,
            PaperCheck(
                "The difference from Kronecker becomes smaller at first, then nearly constant or larger",
                _nearly_constant_after_rise,
            ),
        ),
    ),
    PaperEntry(
        *OPTIMIZED.at(
            "figure-4",
            "Figure 4",
            "The heuristic's total as a multiple of the optimum, against the sum of the numbers of categories",
        ),
        "When the sum of the numbers of categories is below a certain value, the heuristic gives an almost exact optimal solution; "
        "the threshold appears to vary little with k.",
        axes=(_SIZES, _OPTIMALITY),
        measure=partial(against_optimum, draw=by_size, upward=False),
        checks=(
            PaperCheck("Below a certain sum the heuristic is almost exactly optimal", _exact_beyond),
            PaperCheck("The threshold varies little with k", _varies_little),
        ),
    ),
)
