"""Schemes compared on the same releases: one outcome per release, scheme and set of attributes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from rrcore.arrays import Booleans, Floats, count_cells
from rrcore.dependence import PairTables, measure_pairs
from rrcore.dependence.clustering import Clustering, cluster_attributes
from rrcore.errors import InputError
from rrcore.estimate import METRICS, Release, count_query_errors, random_query, simplex
from rrcore.estimate.metrics import ABSOLUTE, RELATIVE, WITHIN, errors_within
from rrcore.executors import run
from rrcore.limits import MAX_MARGINAL, MAX_REPEATS, MAX_ROWS, MAX_STUDY_CELLS
from rrcore.mechanisms import Mechanism, Price
from rrcore.progress import Report, quiet
from rrcore.schemes.perturbation import perturb
from rrcore.schemes.readers import Reader
from rrcore.schemes.registry import Spend, design, find_scheme
from rrcore.table.dataset import Dataset

STUDY_METRICS = (*METRICS, ABSOLUTE, RELATIVE)
"""Names of the errors that a study measures; one of shares within groups measures those of ``WITHIN``, too."""

_LISTED = 100_000  # most sets of attributes of one size that are listed before some are drawn from them


@dataclass(frozen=True)
class Outcome:
    """One scheme on one set of attributes of one release.

    Parameters
    ----------
    value : what is varied (people, level, ...), NaN if nothing is
    release : 0, 1, ...
    scheme : key of ``SCHEMES``
    axes : positions of the attributes
    errors : name of ``Study.metrics`` -> error; empty where there is no estimate
    reason : why there is none
    price : of the scheme's mechanism; None where there is none
    """

    value: float
    release: int
    scheme: str
    axes: tuple[int, ...]
    errors: Mapping[str, float]
    reason: str = ""
    price: Price | None = None


def find_clusters(dataset: Dataset, *, max_cells: int, min_dependence: float) -> Clustering:
    """Clusters of the attributes by Algorithm 1 of the Multi-Dimensional RR paper, from the dependence in the true table (T_v, T_d)."""
    ordinal = [attribute.kind == "ordinal" for attribute in dataset.schema.attributes]
    found = measure_pairs(PairTables.count(dataset.codes, dataset.schema.sizes), ordinal=ordinal)
    return cluster_attributes(found, dataset.schema.sizes, max_cells=max_cells, min_dependence=min_dependence)


def _fits(axes: Sequence[int], sizes: Sequence[int]) -> bool:
    return math.prod(sizes[i] for i in axes) <= MAX_STUDY_CELLS


@dataclass(frozen=True)
class Study:
    """What is compared, and how often.

    Parameters
    ----------
    schemes : keys of ``SCHEMES``
    ways : numbers of attributes w of the joint distributions
    repeats : releases
    seed : of the releases and of the choice of attribute sets
    spend : what is held equal, see ``design``
    projected : whether every estimate is put back to probabilities before it is measured, not only where the scheme does so
    sets : most attribute sets for each w, drawn at random; None for all
    people : people redrawn from the table for every release; None for the people of the table, the same each time
    coverage : part of the cells that a random count query asks for
    max_cells, min_dependence : T_v and T_d of the clusters
    within : positions of attributes that people are grouped by: only joint distributions with these are compared, and shares within
        each group are, too. Empty for all people.
    """

    schemes: tuple[str, ...]
    ways: tuple[int, ...]
    repeats: int = 20
    seed: int = 0
    spend: Spend = "total"
    projected: bool = False
    sets: int | None = None
    people: int | None = None
    coverage: float = 0.1
    max_cells: int = 100
    min_dependence: float = 0.3
    within: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in self.schemes:
            find_scheme(name)
        if not self.schemes:
            raise InputError("No scheme is chosen: choose at least one.")
        if not self.ways or not all(1 <= w <= MAX_MARGINAL for w in self.ways):
            raise InputError(
                f"Joint distributions of {list(self.ways)} attributes were asked for: give numbers from 1 to {MAX_MARGINAL}."
            )
        if min(self.ways) <= len(self.within):
            raise InputError(f"People are grouped by {len(self.within)} of {min(self.ways)} attributes: ask for one more.")
        if not 1 <= self.repeats <= MAX_REPEATS:
            raise InputError(f"{self.repeats:,} releases were asked for: give a number from 1 to {MAX_REPEATS:,}.")
        if not 0 < self.coverage <= 1:
            raise InputError(f"A count query over {self.coverage:g} of the cells was asked for: give a part above 0 and up to 1.")
        if self.people is not None and not 1 <= self.people <= MAX_ROWS:
            raise InputError(f"{self.people:,} people were asked for: give a number from 1 to {MAX_ROWS:,}.")

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the errors that are measured."""
        return (*STUDY_METRICS, *WITHIN) if self.within else STUDY_METRICS

    def attribute_sets(self, sizes: Sequence[int]) -> list[tuple[int, ...]]:
        """The sets of attributes whose joint distributions are compared, all with ``within``: none of over ``MAX_STUDY_CELLS`` cells."""
        rng = np.random.default_rng((self.seed, 1))
        others = [i for i in range(len(sizes)) if i not in self.within]
        chosen: list[tuple[int, ...]] = []
        for w in self.ways:
            free = w - len(self.within)
            if math.comb(len(others), free) > _LISTED:
                chosen += self._drawn_sets(sizes, others, free, rng)
                continue
            sets = (tuple(sorted((*self.within, *each))) for each in combinations(others, free))
            fitting = [axes for axes in sets if _fits(axes, sizes)]
            if self.sets is not None and len(fitting) > self.sets:
                fitting = [fitting[i] for i in sorted(rng.permutation(len(fitting))[: self.sets])]
            chosen += fitting
        return chosen

    def _drawn_sets(
        self, sizes: Sequence[int], others: Sequence[int], free: int, rng: np.random.Generator
    ) -> list[tuple[int, ...]]:
        """Sets with ``free`` of the ``others`` drawn one by one, where listing them all would take too long; fewer where few of them fit."""
        if self.sets is None:
            raise InputError(f"There are {math.comb(len(others), free):,} sets of {free} attributes: say how many to draw.")
        found: set[tuple[int, ...]] = set()
        for _ in range(1_000 + 20 * self.sets):
            axes = tuple(sorted((*self.within, *(others[i] for i in rng.choice(len(others), free, replace=False)))))
            if _fits(axes, sizes):
                found.add(axes)
            if len(found) == self.sets:
                break
        return sorted(found)

    def designs(self, dataset: Dataset, levels: Floats, *, report: Report = quiet) -> dict[str, Mechanism | str]:
        """The mechanism of every key that the schemes need, or the sentence that says why there is none."""
        made: dict[str, Mechanism | str] = {}
        for key in dict.fromkeys(find_scheme(name).mechanism for name in self.schemes):
            clusters: tuple[tuple[int, ...], ...] = ()
            try:
                if key == "clusters":
                    clusters = find_clusters(dataset, max_cells=self.max_cells, min_dependence=self.min_dependence).clusters
                made[key] = design(key, dataset.schema.sizes, levels, spend=self.spend, clusters=clusters, report=report)
            except InputError as error:
                made[key] = str(error)
        return made

    def people_of(self, dataset: Dataset, release: int) -> Dataset:
        """The people of a release: those of the table, or ``people`` drawn from it."""
        if self.people is None:
            return dataset
        return dataset.resample(self.people, rng=np.random.default_rng((self.seed, 2, release)))

    def release(self, people: Dataset, mechanism: Mechanism, key: str, release: int) -> Release[Mechanism]:
        """Release number ``release`` through the mechanism called ``key``: always the same for the same seed."""
        seed = (self.seed, 3, release, *key.encode())
        return perturb(people, mechanism, rng=np.random.default_rng(seed))

    def estimate(self, scheme: str, read: Reader, axes: tuple[int, ...]) -> Floats:
        """The shares that ``scheme`` estimates, put back to probabilities where that is asked for. Raises InputError."""
        shares = read(axes)
        return simplex(shares) if self.projected or find_scheme(scheme).projected else shares

    def run(
        self,
        dataset: Dataset,
        levels: Floats,
        *,
        value: float = math.nan,
        executor: Executor | None = None,
        report: Report = quiet,
    ) -> Iterator[list[Outcome]]:
        """The outcomes of one release after the other, the same whoever works on them.

        Parameters
        ----------
        dataset : the true table; levels : ndarray of shape (k,), nats
        value : what the outcomes are marked with
        executor : works on several releases at a time, see ``open_executor``; None for this process
        report : called with how far it is; may raise to stop
        """
        sizes = dataset.schema.sizes
        if max(self.ways) > len(sizes):
            raise InputError(
                f"Joint distributions of {max(self.ways)} attributes were asked for and there are {len(sizes)}: ask for at most that many."
            )
        sets = self.attribute_sets(sizes)
        if not sets:
            raise InputError(f"No such sets of attributes have at most {MAX_STUDY_CELLS:,} cells: choose fewer at a time.")
        report(0.0, "designing the mechanisms")
        made = self.designs(dataset, levels, report=lambda _, text: report(0.0, text))
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
        """Every scheme of one release."""
        prices = {key: Price.of(mechanism) for key, mechanism in made.items() if not isinstance(mechanism, str)}
        people = self.people_of(dataset, release)
        released = {
            key: self.release(people, mechanism, key, release)
            for key, mechanism in made.items()
            if not isinstance(mechanism, str)
        }
        text = f"Release {release + 1} of {self.repeats}"
        readers: dict[str, Reader | str] = {}
        for scheme in self.schemes:
            report(0.0, f"{text}: {find_scheme(scheme).title}")
            key = find_scheme(scheme).mechanism
            reason = made[key]
            try:
                readers[scheme] = reason if isinstance(reason, str) else find_scheme(scheme).reader(released[key])
            except InputError as error:
                readers[scheme] = str(error)
        outcomes: list[Outcome] = []
        for number, axes in enumerate(sets):
            truth = count_cells(people.codes[:, list(axes)], [dataset.schema.sizes[i] for i in axes]) / people.n
            query = random_query(truth.shape, self.coverage, rng=np.random.default_rng((self.seed, 4, release, number)))
            for scheme, read in readers.items():
                report(number / len(sets), text)
                outcome = self._outcome(value, release, scheme, read, axes, truth, query, people.n)
                outcomes.append(replace(outcome, price=prices.get(find_scheme(scheme).mechanism)))
        return outcomes

    def _outcome(
        self,
        value: float,
        release: int,
        scheme: str,
        read: Reader | str,
        axes: tuple[int, ...],
        truth: Floats,
        query: Booleans,
        n: int,
    ) -> Outcome:
        if isinstance(read, str):
            return Outcome(value, release, scheme, axes, {}, read)
        try:
            shares = self.estimate(scheme, read, axes)
        except InputError as error:
            return Outcome(value, release, scheme, axes, {}, str(error))
        absolute, relative = count_query_errors(truth, shares, query, n)
        errors = {name: measure(truth, shares) for name, measure in METRICS.items()}
        errors |= {ABSOLUTE: absolute / n, RELATIVE: relative}
        if self.within:
            errors |= errors_within(truth, shares, [axes.index(i) for i in self.within])
        return Outcome(value, release, scheme, axes, errors)
