"""What many outcomes say: medians with bands, and who wins where."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.mechanisms import Price
from rrcore.schemes.readers import Adjusted, Likeliest
from rrcore.schemes.registry import find_scheme
from rrcore.schemes.study import RELATIVE, STUDY_METRICS, WITHIN, Outcome, Study
from rrcore.table.dataset import Dataset
from rrcore.wording import csv_text

UNDEFINED = {
    "Hellinger distance": "Some estimated shares are below 0, for which the Hellinger distance is not defined.",
    RELATIVE: "Nobody is in the cells that the count query asks for, so that an error has nothing to be relative to.",
} | dict.fromkeys(WITHIN, "A group has no estimated share above 0, so that there are no shares within it.")
"""Name of an error -> why an estimate may have none."""

_APART = "There is no set of attributes on which every scheme has an error."


@dataclass(frozen=True)
class Summary:
    """One scheme at one point of a comparison: its error in the median release, and the band that holds 80 % of the releases.

    Parameters
    ----------
    scheme : key of ``SCHEMES``
    value : what is varied, NaN if nothing is
    ways : number of attributes
    median, low, high : errors; NaN where there is no estimate, or none on a set that the other schemes have one on as well
    releases : number of releases behind them
    sets : number of estimates behind them, one per release and set of attributes: the same for all schemes of a point that have any
    asked : number of estimates that were asked of every scheme
    reason : why there is no estimate for some set of attributes
    price : of the scheme's mechanism; None where there is none
    """

    scheme: str
    value: float
    ways: int
    median: float
    low: float
    high: float
    releases: int
    sets: int = 0
    asked: int = 0
    reason: str = ""
    price: Price | None = None


@dataclass(frozen=True)
class Missing:
    """Estimates that one scheme does not have, and why.

    Parameters
    ----------
    scheme : key of ``SCHEMES``
    value : what is varied, NaN if nothing is
    axes : positions of the attributes
    releases : number of releases in which there is none
    reason : why, in one sentence
    """

    scheme: str
    value: float
    axes: tuple[int, ...]
    releases: int
    reason: str


_Point = tuple[float, int]  # value and ways


def _point(outcome: Outcome) -> _Point:
    return math.nan if math.isnan(outcome.value) else outcome.value, len(
        outcome.axes
    )  # one NaN for all: NaN is not equal to itself


def _why(outcome: Outcome, metric: str) -> str:
    """Why ``outcome`` has no error by this name; empty where it has one."""
    if outcome.reason:
        return outcome.reason
    return UNDEFINED.get(metric, f"{metric} is not known.") if math.isnan(outcome.errors.get(metric, math.nan)) else ""


def summary_missing_sets(outcomes: Iterable[Outcome], metric: str) -> list[Missing]:
    """Every set of attributes without an error under some scheme, with the reason; in the order in which they were met."""
    found: dict[tuple[str, float, tuple[int, ...], str], int] = defaultdict(int)
    for outcome in outcomes:
        why = _why(outcome, metric)
        if why:
            found[outcome.scheme, _point(outcome)[0], outcome.axes, why] += 1
    return [Missing(scheme, value, axes, times, why) for (scheme, value, axes, why), times in found.items()]


def summarise(outcomes: Iterable[Outcome], metric: str) -> list[Summary]:
    """Mean error over the attribute sets of a release, then its median and band (10 to 90 %) over the releases.

    Schemes are averaged over the same estimates: at every point only those sets of a release count on which every scheme has an error,
    schemes that have none at all at that point aside. ``summary_missing_sets`` says which were left out and why. Sorted by scheme as met,
    value and ways.
    """
    errors: dict[_Point, dict[str, dict[tuple[int, tuple[int, ...]], float]]] = defaultdict(lambda: defaultdict(dict))
    reasons: dict[tuple[str, _Point], str] = {}
    order: dict[str, int] = {}
    prices: dict[tuple[str, _Point], Price | None] = {}
    for outcome in outcomes:
        order.setdefault(outcome.scheme, len(order))
        point, why = _point(outcome), _why(outcome, metric)
        prices.setdefault((outcome.scheme, point), outcome.price)
        errors[point][outcome.scheme][outcome.release, outcome.axes] = math.nan if why else outcome.errors[metric]
        if why:
            reasons.setdefault((outcome.scheme, point), why)
    found = []
    for point, schemes in errors.items():
        known = {scheme: {each for each, error in mine.items() if not math.isnan(error)} for scheme, mine in schemes.items()}
        common = set.intersection(*(sets for sets in known.values() if sets)) if any(known.values()) else set()
        for scheme, mine in schemes.items():
            used = common & known[scheme]
            by_release: dict[int, list[float]] = defaultdict(list)
            for release, axes in sorted(used):
                by_release[release].append(mine[release, axes])
            means = np.array([np.mean(each) for each in by_release.values()])
            low, median, high = np.quantile(means, [0.1, 0.5, 0.9]).tolist() if len(means) else (math.nan,) * 3
            why = reasons.get((scheme, point), "") or ("" if used else _APART)
            counts = len(means), len(used), len(mine)
            found.append(Summary(scheme, *point, median, low, high, *counts, why, prices[scheme, point]))
    return sorted(found, key=lambda one: (order[one.scheme], one.value if not math.isnan(one.value) else 0.0, one.ways))


@dataclass(frozen=True)
class Winner:
    """The scheme with the smallest median error at one point, and the runner-up.

    Parameters
    ----------
    value, ways : the point
    best, second : Summary; ``second`` is None where only one scheme has an estimate
    """

    value: float
    ways: int
    best: Summary
    second: Summary | None

    @property
    def lead(self) -> float:
        """How many times larger the runner-up's error is."""
        return math.inf if self.second is None or self.best.median == 0 else self.second.median / self.best.median

    @property
    def clear(self) -> bool:
        """Whether the bands of the two do not overlap."""
        return self.second is None or self.best.high < self.second.low


def summary_winners(summaries: Sequence[Summary]) -> list[Winner]:
    """Who has the smallest median error at every point, sorted by ways and value."""
    points: dict[tuple[int, float], list[Summary]] = defaultdict(list)
    for summary in summaries:
        if not math.isnan(summary.median):
            points[summary.ways, 0.0 if math.isnan(summary.value) else summary.value].append(summary)
    found = []
    for (ways, _), here in sorted(points.items()):
        ranked = sorted(here, key=lambda summary: summary.median)
        found.append(Winner(ranked[0].value, ways, ranked[0], ranked[1] if len(ranked) > 1 else None))
    return found


def summaries_closer_than(summaries: Sequence[Summary], scheme: str, other: str) -> list[tuple[Summary, Summary]]:
    """The points at which ``scheme`` has the smaller median error of the two: (its Summary, that of ``other``)."""
    place = {(one.scheme, repr(one.value), one.ways): one for one in summaries}
    mine = [(one, place.get((other, repr(one.value), one.ways))) for one in summaries if one.scheme == scheme]
    return [(one, beside) for one, beside in mine if beside is not None and one.median < beside.median]


def summary_outcomes_csv(outcomes: Iterable[Outcome], names: Sequence[str], varied: str = "value") -> str:
    """Every outcome as CSV text: one row per release, scheme and set of attributes, blank where an error is not known.

    Errors of shares within groups are columns where there are any.

    Parameters
    ----------
    names : names of the attributes
    varied : heading of the column of values
    """
    found = list(outcomes)
    metrics = [*STUDY_METRICS, *(name for name in WITHIN if any(name in outcome.errors for outcome in found))]
    rows: list[list[object]] = []
    for outcome in found:
        value = "" if math.isnan(outcome.value) else f"{outcome.value:g}"
        known = [outcome.errors.get(name, math.nan) for name in metrics]
        errors = ["" if math.isnan(error) else f"{error:.8g}" for error in known]
        axes = "; ".join(names[i] for i in outcome.axes)
        rows.append([value, outcome.release, outcome.scheme, axes, *errors, outcome.reason])
    return csv_text([varied, "release", "scheme", "attributes", *metrics, "why not"], rows)


@dataclass(frozen=True, eq=False)
class Closeup:
    """One scheme's estimate of one joint distribution in the first release of a study.

    Parameters
    ----------
    truth, released, shares : ndarray, one axis per attribute: true, released and estimated shares
    story : how the estimate came about where that takes a sentence, else empty
    """

    truth: Floats
    released: Floats
    shares: Floats
    story: str

    @property
    def total(self) -> float:
        """Sum of the estimated shares, which not every scheme makes 1."""
        return float(self.shares.sum())


def close_up(study: Study, table: Dataset, levels: Floats, scheme: str, axes: tuple[int, ...]) -> Closeup:
    """Look at ``scheme`` in the first release of ``table``. Raises InputError where there is no mechanism or no estimate."""
    key = find_scheme(scheme).mechanism
    made = study.designs(table, levels)[key]
    if isinstance(made, str):
        raise InputError(made)
    people = study.people_of(table, 0)
    release = study.release(people, made, key, 0)
    reader = find_scheme(scheme).reader(release)
    shares = study.estimate(scheme, reader, axes)
    story = reader.story(axes) if isinstance(reader, Likeliest | Adjusted) else ""
    names = [table.schema.names[i] for i in axes]
    return Closeup(people.shares(names), release.counts(names) / release.n, shares, story)
