"""Comparison of methods on the same simulated releases.

One quantity can vary, and summaries describe the errors.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np

from rrcore.arrays import Floats, count_cells
from rrcore.association import PairTables, cluster_attributes, measure_pairs
from rrcore.budget import PrivacyLoss
from rrcore.channel.epsilon import check_epsilon
from rrcore.errors import InputError
from rrcore.estimate import simplex
from rrcore.executors import run
from rrcore.limits import MAX_EPSILON, MAX_MARGINAL, MAX_REPEATS, MAX_ROWS, MAX_STUDY_CELLS, MIN_EPSILON
from rrcore.mechanisms import Mechanism
from rrcore.papers.methods import Reader, Spend, design, find_scheme
from rrcore.progress import Report, part, quiet
from rrcore.simulation import simulate
from rrcore.simulation.metrics import ABSOLUTE, METRICS, RELATIVE, count_query_errors, metric_text, random_query
from rrcore.table.dataset import Dataset

STUDY_METRICS = (*METRICS, ABSOLUTE, RELATIVE)
"""Names of the errors that a study measures."""

UNDEFINED = {
    "Hellinger distance": "Some estimated shares are below 0, for which the Hellinger distance is not defined.",
    RELATIVE: "Nobody is in the cells of the count query, so no relative error exists.",
}
"""Name of an error -> reason why an estimate may have none."""

Varied = Literal["nothing", "people", "eps"]

VARIED: dict[Varied, str] = {"nothing": "number of attributes", "people": "sample size", "eps": "ε per answer"}
"""What varies -> the name of its axis."""

_RANGES: dict[Varied, tuple[float, float]] = {"people": (1, MAX_ROWS), "eps": (MIN_EPSILON, MAX_EPSILON)}

# share of the cells of a count query (Multi-Dimensional RR, section 6.5)
_COVERAGE = 0.1

# with more sets of attributes of one size than this, some are drawn without listing all
_LISTED = 100_000


@dataclass(frozen=True)
class Outcome:
    """The result of one method on one set of attributes of one release.

    Parameters
    ----------
    value : float
        Value of the varied quantity, NaN if nothing varies.
    release : int
        The number of the release.
    scheme : str
        The name of the method.
    axes : tuple of int
        Positions of the attributes.
    errors : mapping
        Maps each name in ``STUDY_METRICS`` to its error. Empty without an estimate.
    reason : str
        Why there is no estimate.
    price : PrivacyLoss or None
        The privacy loss of the method's mechanism.
    """

    value: float
    release: int
    scheme: str
    axes: tuple[int, ...]
    errors: Mapping[str, float]
    reason: str = ""
    price: PrivacyLoss | None = None

    def why(self, metric: str) -> str:
        """Return the reason why the error measure ``metric`` has no value.

        The result is empty if it has one.
        """
        if self.reason:
            return self.reason
        return UNDEFINED.get(metric, f"{metric} is not known.") if math.isnan(self.errors.get(metric, math.nan)) else ""


def find_clusters(dataset: Dataset, *, max_cells: int, min_dependence: float) -> tuple[tuple[int, ...], ...]:
    """Cluster the attributes by Algorithm 1 of Multi-Dimensional RR.

    The clusters use the associations in the true table.
    """
    ordinal = [attribute.kind == "ordinal" for attribute in dataset.schema.attributes]
    found = measure_pairs(PairTables.count(dataset.codes, dataset.schema.sizes), ordinal=ordinal)
    return cluster_attributes(found, dataset.schema.sizes, max_cells=max_cells, min_dependence=min_dependence)


@dataclass(frozen=True)
class Study:
    """A comparison of methods.

    Parameters
    ----------
    schemes : tuple of str
        Names that ``find_scheme`` knows.
    ways : tuple of int
        Numbers of attributes w of the joint distributions.
    repeats : int
        The number of releases.
    seed : int
        Seed of the releases and of the choice of attribute sets.
    spend : {"total", "epsilon"}
        The quantity that is equal for all methods (see ``design``).
    sets : int or None
        Largest number of attribute sets for each w, which are drawn at random. None for all sets.
    people : int or None
        Number of people drawn from the table for each release. None for all people of the table in every release.
    max_cells, min_dependence : int and float
        T_v and T_d of the clusters.
    """

    schemes: tuple[str, ...]
    ways: tuple[int, ...]
    repeats: int = 20
    seed: int = 0
    spend: Spend = "total"
    sets: int | None = None
    people: int | None = None
    max_cells: int = 100
    min_dependence: float = 0.3

    def __post_init__(self) -> None:
        for name in self.schemes:
            find_scheme(name)
        if not self.schemes:
            raise InputError("No method is chosen. Choose at least one.")
        if not self.ways or not all(1 <= w <= MAX_MARGINAL for w in self.ways):
            raise InputError(f"Expected joint distributions of 1 to {MAX_MARGINAL} attributes, got {list(self.ways) or 'none'}.")
        if not 1 <= self.repeats <= MAX_REPEATS:
            raise InputError(f"The number of releases is {self.repeats:,}. Choose a number from 1 to {MAX_REPEATS:,}.")
        if self.people is not None and not 1 <= self.people <= MAX_ROWS:
            raise InputError(f"The number of people is {self.people:,}. Choose a number from 1 to {MAX_ROWS:,}.")

    def attribute_sets(self, sizes: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the sets of attributes to compare.

        Each has at most ``MAX_STUDY_CELLS`` cells.
        """
        rng, k = np.random.default_rng((self.seed, 1)), len(sizes)
        chosen: list[tuple[int, ...]] = []
        for w in self.ways:
            if (every := math.comb(k, w)) <= _LISTED:
                found = list(combinations(range(k), w))
            elif self.sets is None:
                raise InputError(f"There are {every:,} sets of {w} attributes. Choose how many of them to draw.")
            else:
                found = sorted({tuple(sorted(rng.choice(k, w, replace=False).tolist())) for _ in range(20 * self.sets)})
            fitting = [axes for axes in found if math.prod(sizes[i] for i in axes) <= MAX_STUDY_CELLS]
            if self.sets is not None and len(fitting) > self.sets:
                fitting = [fitting[i] for i in sorted(rng.permutation(len(fitting))[: self.sets])]
            chosen += fitting
        return chosen

    def designs(self, dataset: Dataset, epsilon: Floats, *, report: Report = quiet) -> dict[str, Mechanism | str]:
        """Return the mechanism of each key, or the reason why none exists.

        Only the keys that the methods need are included.
        """
        made: dict[str, Mechanism | str] = {}
        for key in dict.fromkeys(find_scheme(name).mechanism for name in self.schemes):
            clusters: tuple[tuple[int, ...], ...] = ()
            try:
                if key == "clusters":
                    clusters = find_clusters(dataset, max_cells=self.max_cells, min_dependence=self.min_dependence)
                made[key] = design(key, dataset.schema.sizes, epsilon, spend=self.spend, clusters=clusters, report=report)
            except InputError as error:
                made[key] = str(error)
        return made

    def run(
        self,
        dataset: Dataset,
        epsilon: Floats,
        *,
        value: float = math.nan,
        executor: Executor | None = None,
        report: Report = quiet,
    ) -> Iterator[list[Outcome]]:
        """Yield the outcomes of each release.

        The results do not depend on the number of workers.

        Parameters
        ----------
        dataset : Dataset
            The true answers.
        epsilon : ndarray of shape (k,)
            ε of each attribute.
        value : float
            Value of the varied quantity, which the outcomes record.
        executor : Executor, optional
            Processes several releases at a time (see ``open_executor``).
        report : callable
            Called with the progress. It may raise an exception to stop.
        """
        sizes = dataset.schema.sizes
        if max(self.ways) > len(sizes):
            raise InputError(f"Expected joint distributions of at most {len(sizes)} attributes, got {max(self.ways)}.")
        sets = self.attribute_sets(sizes)
        if not sets:
            raise InputError(f"Every set of attributes has more than {MAX_STUDY_CELLS:,} cells. Use fewer attributes per set.")
        report(0.0, "designing the mechanisms")
        made = self.designs(dataset, epsilon, report=lambda _, text: report(0.0, text))
        one = partial(self._outcomes_of, dataset, made, sets, value)
        return run(one, range(self.repeats), executor=executor, report=report, what="releases", tells=True)

    def _outcomes_of(
        self,
        dataset: Dataset,
        made: Mapping[str, Mechanism | str],
        sets: Sequence[tuple[int, ...]],
        value: float,
        release: int,
        *,
        report: Report = quiet,
    ) -> list[Outcome]:
        """Measure every method on one release."""
        people = dataset
        if self.people is not None:
            people = dataset.resample(self.people, rng=np.random.default_rng((self.seed, 2, release)))
        released = {
            key: simulate(people, one, rng=np.random.default_rng((self.seed, 3, release, *key.encode())))
            for key, one in made.items()
            if not isinstance(one, str)
        }
        prices = {key: PrivacyLoss.of(one.mechanism) for key, one in released.items()}
        outcomes: list[Outcome] = []
        for done, name in enumerate(self.schemes):
            scheme = find_scheme(name)
            report(done / len(self.schemes), f"Release {release + 1} of {self.repeats}: {scheme.title}")
            mechanism = made[scheme.mechanism]
            read: Reader | str
            try:
                read = mechanism if isinstance(mechanism, str) else scheme.reader(released[scheme.mechanism])
            except InputError as error:
                read = str(error)
            for number, axes in enumerate(sets):
                query_rng = np.random.default_rng((self.seed, 4, release, number))
                errors, reason = _measured(name, read, axes, people, query_rng)
                outcomes.append(Outcome(value, release, name, axes, errors, reason, prices.get(scheme.mechanism)))
        return outcomes


def _measured(
    name: str, read: Reader | str, axes: tuple[int, ...], people: Dataset, rng: np.random.Generator
) -> tuple[dict[str, float], str]:
    """Return the errors of one estimate, or why there is none."""
    truth = count_cells(people.codes[:, list(axes)], [people.schema.sizes[i] for i in axes]) / people.n
    try:
        if isinstance(read, str):
            raise InputError(read)
        shares = simplex(read(axes)) if find_scheme(name).projected else read(axes)
    except InputError as error:
        return {}, str(error)
    absolute, relative = count_query_errors(truth, shares, random_query(truth.shape, _COVERAGE, rng=rng), people.n)
    errors = {metric: measure(truth, shares) for metric, measure in METRICS.items()}
    return errors | {ABSOLUTE: absolute / people.n, RELATIVE: relative}, ""


def values_around(varied: Varied, n: int, epsilon: Floats) -> tuple[float, ...]:
    """Return the valid values from 1/4 to 4 times the value of a plan."""
    if varied == "nothing":
        return ()
    low, high = _RANGES[varied]
    factors = (0.25, 0.5, 1.0, 2.0, 4.0)
    values = [float(epsilon.mean()) * factor if varied == "eps" else float(round(n * factor)) for factor in factors]
    return tuple(value for value in values if low <= value <= high)


@dataclass(frozen=True)
class Sweep:
    """A study at several values of a varied quantity.

    Parameters
    ----------
    study : Study
        The comparison.
    varied : {"nothing", "people", "eps"}
        The varied quantity. With "eps", the mean ε per answer varies and the attributes keep their proportions.
    values : tuple of float
        Values of the varied quantity.
    """

    study: Study
    varied: Varied = "nothing"
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.varied == "nothing":
            return
        if not self.values:
            raise InputError(f"There is no value for {VARIED[self.varied]}. Enter at least one, for example 1,2,4.")
        low, high = _RANGES[self.varied]
        whole = self.varied == "people"
        for value in self.values:
            if not low <= value <= high or (whole and value != int(value)):
                raise InputError(
                    f"{value:,.10g} is not a valid value for {VARIED[self.varied]}. Enter {'whole ' if whole else ''}numbers "
                    f"from {low:,.10g} to {high:,.10g}."
                )

    def point(self, value: float, names: Sequence[str], epsilon: Floats) -> tuple[Study, Floats]:
        """Return the study and the epsilons at one value."""
        if self.varied == "people":
            return replace(self.study, people=int(value)), epsilon
        if self.varied == "eps":
            return self.study, check_epsilon(epsilon * (value / epsilon.mean()), names)
        return self.study, epsilon

    def run(
        self, dataset: Dataset, epsilon: Floats, *, executor: Executor | None = None, report: Report = quiet
    ) -> Iterator[list[Outcome]]:
        """Yield the outcomes of each release, value by value. See ``Study.run``."""
        values = (math.nan,) if self.varied == "nothing" else self.values
        for done, value in enumerate(values):
            study, spent = self.point(value, dataset.schema.names, epsilon)
            yield from study.run(dataset, spent, value=value, executor=executor, report=part(report, done, len(values)))


_APART = "No set of attributes exists on which every method has an error."


@dataclass(frozen=True)
class Summary:
    """Errors of one method at one point of a comparison.

    They are the median error and the band that contains 80% of the releases.

    Parameters
    ----------
    scheme : str
        The name of the method.
    value : float
        Value of the varied quantity, NaN if nothing varies.
    ways : int
        The number of attributes.
    median, low, high : float
        Errors. NaN without an estimate, or if an estimate is missing for a set on which the other methods have one.
    releases : int
        The number of releases.
    sets, asked : int
        Numbers of estimates that were used and requested.
    reason : str
        Why some estimate is missing.
    price : PrivacyLoss or None
        The privacy loss of the method's mechanism.
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
    price: PrivacyLoss | None = None


_Point = tuple[float, int]  # value and ways


def summarise(outcomes: Iterable[Outcome], metric: str) -> list[Summary]:
    """Summarize the mean error over attribute sets by method and value.

    The median and the band (10 to 90%) are over releases.

    All methods are averaged over the same sets, namely those for which every method has an error value. Methods with no error
    value at that point do not affect which sets are used. Summaries are sorted by method, value and number of attributes.
    """
    errors: dict[_Point, dict[str, dict[tuple[int, tuple[int, ...]], float]]] = defaultdict(lambda: defaultdict(dict))
    reasons: dict[tuple[str, _Point], str] = {}
    order: dict[str, int] = {}
    prices: dict[tuple[str, _Point], PrivacyLoss | None] = {}
    for outcome in outcomes:
        order.setdefault(outcome.scheme, len(order))
        # one NaN for all, since NaN is not equal to itself
        point, why = (math.nan if math.isnan(outcome.value) else outcome.value, len(outcome.axes)), outcome.why(metric)
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


def best_sentence(summaries: Sequence[Summary], metric: str) -> str:
    """Return a sentence on the method with the smallest error as Markdown.

    The sentence is empty if no method has an error value.

    Parameters
    ----------
    summaries : sequence of Summary
        Summaries for one value and one number of attributes.
    metric : str
        Name of the error measure.
    """
    ranked = sorted((one for one in summaries if not math.isnan(one.median)), key=lambda one: one.median)
    if not ranked:
        return ""
    best, *others = ranked
    text = (
        f"**{find_scheme(best.scheme).title}** has the smallest error ({metric_text(metric, best.median, 'percentage points')})"
    )
    if others:
        doubt = "" if best.high < others[0].low else ". The difference can be chance"
        text += f". {find_scheme(others[0].scheme).title} follows with {metric_text(metric, others[0].median, 'percentage points')}{doubt}"
    return f"{text}."
