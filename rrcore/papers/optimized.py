"""Privacy-Optimized Randomized Response for Sharing Multi-Attribute Data: Figures 1 to 4, what the totals of data sets are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rrcore.arrays import Floats
from rrcore.mechanisms import Optimal, Published
from rrcore.papers.bibliography import OPTIMIZED
from rrcore.papers.checks import below, number, rises
from rrcore.papers.entry import Axis, Check, Curves, Entry, Series, Setting

KRONECKER, OPTIMUM, HEURISTIC = "Kronecker", "Optimum", "Heuristic"
SHOWN = {3: "a, k = 3", 5: "b, k = 5", 7: "c, k = 7", 10: "d, k = 10"}
"""Attributes -> panel of Figures 1 to 4."""

_SETS = 200  # data sets in the paper
_FAST_SETS = 48
_GROUPS = 8  # points of a curve: data sets in order of the sum, in so many groups
_CATEGORIES = (2, 21)  # of Figures 3 and 4, for which the text gives no range
_SAME = 1.005  # ratio to the optimum that is called almost exact
_CLOSE = 1.02  # ratio to the optimum that is called extremely close

Instance = tuple[tuple[int, ...], Floats]
Draw = Callable[[int, np.random.Generator], Instance]


def by_level(k: int, rng: np.random.Generator) -> Instance:
    """A data set of Figures 1 and 2: five categories each, levels drawn from 1 to 8."""
    return (5,) * k, rng.uniform(1, 8, k)


def by_size(k: int, rng: np.random.Generator) -> Instance:
    """A data set of Figures 3 and 4: level 3 each, categories drawn from 2 to 20."""
    return tuple(int(a) for a in rng.integers(*_CATEGORIES, k)), np.full(k, 3.0)


def totals(setting: Setting, draw: Draw, place: Callable[[Instance], float]) -> dict[int, Floats]:
    """For every k: rows of (place on the axis, sum of levels, optimum, heuristic), in order of the place."""
    found, sets = {}, _FAST_SETS if setting.fast else _SETS
    for done, k in enumerate(SHOWN):
        rows = []
        for number_ in range(sets):
            setting.report((done + number_ / sets) / len(SHOWN), f"{k} attributes, data set {number_ + 1} of {sets}")
            sizes, levels = draw(k, setting.rng)
            optimum, heuristic = Optimal.from_levels(sizes, levels), Published.from_levels(sizes, levels)
            rows.append((place((sizes, levels)), levels.sum(), optimum.total_level, heuristic.total_level))
        found[k] = np.array(sorted(rows))
    return found


def _grouped(name: str, panel: str, where: Floats, values: Floats) -> Series:
    """Means, lowest and highest of groups of data sets that follow one another on the axis."""
    x, y = np.array_split(where, _GROUPS), np.array_split(values, _GROUPS)
    return Series(
        name,
        tuple(round(float(part.mean()), 1) for part in x),
        tuple(float(part.mean()) for part in y),
        panel,
        low=tuple(float(part.min()) for part in y),
        high=tuple(float(part.max()) for part in y),
    )


def _against_kronecker(draw: Draw, place: Callable[[Instance], float]) -> Callable[[Setting], Sequence[Series]]:
    def measure(setting: Setting) -> list[Series]:
        made = []
        for k, rows in totals(setting, draw, place).items():
            where, whole, optimum, heuristic = rows.T
            made += [
                _grouped(KRONECKER, SHOWN[k], where, np.ones_like(whole)),
                _grouped(OPTIMUM, SHOWN[k], where, optimum / whole),
                _grouped(HEURISTIC, SHOWN[k], where, heuristic / whole),
            ]
        return made

    return measure


def _against_optimum(draw: Draw, place: Callable[[Instance], float]) -> Callable[[Setting], Sequence[Series]]:
    def measure(setting: Setting) -> list[Series]:
        return [
            _grouped(HEURISTIC, SHOWN[k], rows[:, 0], rows[:, 3] / rows[:, 2]) for k, rows in totals(setting, draw, place).items()
        ]

    return measure


def _sum_of_levels(instance: Instance) -> float:
    return float(instance[1].sum())


def _sum_of_sizes(instance: Instance) -> float:
    return float(sum(instance[0]))


def _close_at(said: str, end: slice, factor: float) -> Check:
    """At one end of the axis the heuristic's total is within ``factor`` of the optimum's."""

    def judge(measured: Curves, published: Curves) -> tuple[bool, str]:
        told, holds = [], True
        for panel in measured.panels:
            mine = np.array(measured.get(HEURISTIC, panel).y)[end]
            best = np.array(measured.get(OPTIMUM, panel).y)[end] if measured.has(OPTIMUM, panel) else np.ones_like(mine)
            off = np.abs(mine / best)
            worst = float(off[np.argmax(np.abs(off - 1))])
            holds = holds and 1 / factor <= worst <= factor
            told.append(f"{number(worst)} ({panel})")
        return holds, f"ratios to the optimum farthest from 1: {', '.join(told)}"

    return Check(said, judge)


def _narrower(measured: Curves, published: Curves) -> tuple[bool, str]:
    widths = []
    for panel in measured.panels:
        one = measured.get(OPTIMUM, panel)
        widths.append(float(np.mean(np.subtract(one.high, one.low))))
    return widths == sorted(widths, reverse=True), f"mean width of the range {', '.join(map(number, widths))} for k = 3, 5, 7, 10"


def _falls_where_large(measured: Curves, published: Curves) -> tuple[bool, str]:
    told, holds = [], True
    for panel in measured.panels:
        y = np.array(measured.get(OPTIMUM, panel).y)
        middle, last = float(y[len(y) // 2 - 1 : len(y) // 2 + 1].mean()), float(y[-1])
        holds = holds and last < middle
        told.append(f"{number(middle)} in the middle, {number(last)} at the end ({panel})")
    return holds, ", ".join(told)


def _nearly_constant_after_rise(measured: Curves, published: Curves) -> tuple[bool, str]:
    told, holds = [], True
    for panel in measured.panels:
        y = np.array(measured.get(OPTIMUM, panel).y)
        first, second = float(y[len(y) // 2] - y[0]), float(y[-1] - y[len(y) // 2])
        holds = holds and first > 0 and second < first
        told.append(f"+{number(first)} over the first half, {second:+.3f} over the second ({panel})")
    return holds, ", ".join(told)


def _threshold(y: Floats, x: Floats, upward: bool) -> float:
    """The place from which on (``upward``), or up to which, every ratio is almost exact; NaN where there is none."""
    fine = np.abs(y - 1) <= _SAME - 1
    if upward:
        fine, x = fine[::-1], x[::-1]
    steps = int(np.argmin(fine)) if not fine.all() else len(fine)
    return float(x[steps - 1]) if steps else math.nan


def _thresholds(draw: Draw, place: Callable[[Instance], float], upward: bool) -> Callable[[Setting], Sequence[Series]]:
    def measure(setting: Setting) -> list[Series]:
        found = totals(setting, draw, place)
        ends = tuple(_threshold(rows[:, 3] / rows[:, 2], rows[:, 0], upward) for rows in found.values())
        return [Series("Threshold", tuple(found), ends)]

    return measure


def _like_k_log_k(measured: Curves, published: Curves) -> tuple[bool, str]:
    one = measured.get("Threshold")
    ratios = [end / (float(k) * math.log(float(k))) for k, end in zip(one.x, one.y, strict=True)]
    told = ", ".join(f"{number(ratio)} at k = {k}" for k, ratio in zip(one.x, ratios, strict=True))
    return bool(np.isfinite(ratios).all() and max(ratios) <= 1.5 * min(ratios)), f"threshold / (k ln k): {told}"


def _varies_little(measured: Curves, published: Curves) -> tuple[bool, str]:
    one = measured.get("Threshold")
    told = ", ".join(f"{number(end)} at k = {k}" for k, end in zip(one.x, one.y, strict=True))
    return bool(np.isfinite(one.y).all() and max(one.y) <= 1.5 * min(one.y)), f"threshold {told}"


_LEVELS, _SIZES = Axis("sum of the levels", "nats"), Axis("sum of the numbers of categories")
_RATIO, _OPTIMALITY = Axis("total / sum of the levels"), Axis("heuristic's total / optimum")
_STRONGER = (
    below("The optimum is stronger than Kronecker", OPTIMUM, KRONECKER),
    below("The heuristic is stronger than Kronecker", HEURISTIC, KRONECKER),
)


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "optimized-figure-1",
        OPTIMIZED,
        "Figure 1",
        "Total of a record against the sum of the levels, five categories each, levels from 1 to 8",
        "Both methods give significantly stronger guarantees than Kronecker for any k; where the sum is large the heuristic is extremely "
        "close to the optimum and the saving grows; for a larger k the range is narrower.",
        _LEVELS,
        _RATIO,
        measure=_against_kronecker(by_level, _sum_of_levels),
        checks=(
            *_STRONGER,
            _close_at("Where the sum is large the heuristic is extremely close to the optimum", slice(-2, None), _CLOSE),
            Check("The range is narrower for a larger k", _narrower),
            Check("Where the sum is large, the saving grows with it", _falls_where_large),
        ),
    ),
    Entry(
        "optimized-figure-2",
        OPTIMIZED,
        "Figure 2",
        "The heuristic's total as a multiple of the optimum, against the sum of the levels",
        "When the sum of the levels is above a certain value, the heuristic gives an almost exact optimal solution.",
        _LEVELS,
        _OPTIMALITY,
        measure=_against_optimum(by_level, _sum_of_levels),
        checks=(_close_at("Where the sum is large the heuristic is almost exactly optimal", slice(-1, None), _SAME),),
    ),
    Entry(
        "optimized-figure-2-threshold",
        OPTIMIZED,
        "Figure 2, its threshold",
        "The sum of levels from which on every data set has an almost exact optimum by the heuristic",
        "The threshold seems roughly proportional to k log k.",
        Axis("attributes k"),
        _LEVELS,
        measure=_thresholds(by_level, _sum_of_levels, True),
        checks=(Check("The threshold is roughly proportional to k log k", _like_k_log_k),),
    ),
    Entry(
        "optimized-figure-3",
        OPTIMIZED,
        "Figure 3",
        "Total of a record against the sum of the numbers of categories, level 3 each",
        "Both methods give significantly stronger guarantees than Kronecker; as the sum increases, the difference becomes smaller at first, "
        "but after a certain value nearly constant or larger. The text gives no range of categories: 2 to 20 are drawn here.",
        _SIZES,
        _RATIO,
        measure=_against_kronecker(by_size, _sum_of_sizes),
        checks=(
            *_STRONGER,
            Check(
                "The difference from Kronecker becomes smaller at first, then nearly constant or larger",
                _nearly_constant_after_rise,
            ),
        ),
    ),
    Entry(
        "optimized-figure-4",
        OPTIMIZED,
        "Figure 4",
        "The heuristic's total as a multiple of the optimum, against the sum of the numbers of categories",
        "When the sum of the numbers of categories is below a certain value, the heuristic gives an almost exact optimal solution.",
        _SIZES,
        _OPTIMALITY,
        measure=_against_optimum(by_size, _sum_of_sizes),
        checks=(
            _close_at("Where the sum is small the heuristic is almost exactly optimal", slice(0, 1), _SAME),
            rises("The heuristic is farther from the optimum where the sum is larger", HEURISTIC, slack=0.01),
        ),
    ),
    Entry(
        "optimized-figure-4-threshold",
        OPTIMIZED,
        "Figure 4, its threshold",
        "The sum of categories up to which every data set has an almost exact optimum by the heuristic",
        "The threshold appears to vary little depending on k.",
        Axis("attributes k"),
        _SIZES,
        measure=_thresholds(by_size, _sum_of_sizes, False),
        checks=(Check("The threshold varies little with k", _varies_little),),
    ),
)
