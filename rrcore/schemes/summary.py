"""What many outcomes say: medians with bands, and who wins where."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.schemes.readers import Adjusted, Likeliest
from rrcore.schemes.registry import find_scheme
from rrcore.schemes.study import STUDY_METRICS, Outcome, Study
from rrcore.table.dataset import Dataset, spreadsheet_safe


@dataclass(frozen=True)
class Summary:
    """One scheme at one point of a comparison: its error in the median release, and the band that holds 80 % of the releases.

    Parameters
    ----------
    scheme : key of ``SCHEMES``
    value : what is varied, NaN if nothing is
    ways : number of attributes
    median, low, high : errors; NaN where there is no estimate
    releases : number of releases behind them
    reason : why there is no estimate for some set of attributes
    """

    scheme: str
    value: float
    ways: int
    median: float
    low: float
    high: float
    releases: int
    reason: str = ""


def summarise(outcomes: Iterable[Outcome], metric: str) -> list[Summary]:
    """Mean error over the attribute sets of a release, then its median and band (10 to 90 %) over the releases.

    Sets without an estimate are left out of the mean, and ``reason`` says so. Sorted by scheme as first met, value and ways.
    """
    means: dict[tuple[str, float, int], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    reasons: dict[tuple[str, float, int], str] = {}
    order: dict[str, int] = {}
    for outcome in outcomes:
        value = math.nan if math.isnan(outcome.value) else outcome.value  # one object for all: NaN is not equal to itself
        key = (outcome.scheme, value, len(outcome.axes))
        order.setdefault(outcome.scheme, len(order))
        error = outcome.errors.get(metric, math.nan)
        means[key][outcome.release].append(error)
        if outcome.reason:
            reasons[key] = outcome.reason
    found = []
    for key, releases in means.items():
        known = [[error for error in errors if not math.isnan(error)] for errors in releases.values()]
        errors = np.array([np.mean(each) for each in known if each])
        low, median, high = np.quantile(errors, [0.1, 0.5, 0.9]).tolist() if len(errors) else (math.nan,) * 3
        found.append(Summary(*key, median, low, high, len(errors), reasons.get(key, "")))
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


def winners(summaries: Sequence[Summary]) -> list[Winner]:
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


def outcomes_csv(outcomes: Iterable[Outcome], names: Sequence[str], varied: str = "value") -> str:
    """Every outcome as CSV text: one row per release, scheme and set of attributes, blank where an error is not known.

    Parameters
    ----------
    names : names of the attributes
    varied : heading of the column of values
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([varied, "release", "scheme", "attributes", *STUDY_METRICS, "why not"])
    for outcome in outcomes:
        value = "" if math.isnan(outcome.value) else f"{outcome.value:g}"
        known = [outcome.errors.get(name, math.nan) for name in STUDY_METRICS]
        errors = ["" if math.isnan(error) else f"{error:.8g}" for error in known]
        axes = spreadsheet_safe("; ".join(names[i] for i in outcome.axes))
        writer.writerow([value, outcome.release, outcome.scheme, axes, *errors, spreadsheet_safe(outcome.reason)])
    return out.getvalue()


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
