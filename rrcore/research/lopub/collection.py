"""Simulated collections: what the pairs of one say beside the true rows, the tables made from it, and all sources beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.estimate import half_l1
from rrcore.mechanisms import Price
from rrcore.progress import Report, part, quiet
from rrcore.research.lopub.graph import DependencyGraph, information_matrix, kept_by_entropy
from rrcore.research.lopub.sources import Filters, Source, make_source
from rrcore.research.lopub.synthesis import Synthetic
from rrcore.research.lopub.usefulness import split
from rrcore.schemes import Spend
from rrcore.table.dataset import Dataset


@dataclass(frozen=True)
class Pruning:
    """What looking only at pairs of attributes of large entropy saves and loses.

    Parameters
    ----------
    pairs, seen : number of all pairs, and of those that are looked at
    lost : dependencies that are missed
    """

    pairs: int
    seen: int
    lost: list[tuple[int, int]]

    @property
    def saved(self) -> float:
        """The part of the pairs that is not looked at."""
        return 1 - self.seen / self.pairs


@dataclass(frozen=True, eq=False)
class LopubCollection:
    """One simulated collection and what its pairs say.

    Parameters
    ----------
    train, test : true rows that were collected, and rows held out for testing
    source, truth : estimates from the collection, and from its true rows
    information, true_information : ndarray of shape (d, d), mutual information of every pair by either, nats
    """

    train: Dataset
    test: Dataset
    source: Source
    truth: Source
    information: Floats
    true_information: Floats

    def graph(self, phi: float, *, prune: bool = False) -> DependencyGraph:
        """The estimated graph at dependency degree ``phi``; ``prune``: only pairs of attributes of large entropy are looked at."""
        found = self.information.copy()
        if prune:
            kept = self._kept(phi)
            outside = [i for i in range(self.train.k) if i not in kept]
            found[outside, :] = found[:, outside] = np.nan
        return DependencyGraph(self.train.schema.sizes, found, phi)

    def true_graph(self, phi: float) -> DependencyGraph:
        """The graph of the true rows."""
        return DependencyGraph(self.train.schema.sizes, self.true_information, phi)

    def pruning(self, phi: float) -> Pruning:
        """What ``prune`` saves and loses."""
        lost = sorted(set(self.graph(phi).edges) - set(self.graph(phi, prune=True).edges))
        return Pruning(math.comb(self.train.k, 2), math.comb(len(self._kept(phi)), 2), lost)

    def synthesize(
        self, phi: float, records: int, *, prune: bool, repeat: bool, rng: np.random.Generator, report: Report = quiet
    ) -> Synthetic:
        """A synthetic table; arguments as in ``graph`` and ``Source.synthesize``. Raises InputError where a clique is too large."""
        graph = self.graph(phi, prune=prune)
        return self.source.synthesize(self.train.schema, graph, records, repeat=repeat, rng=rng, report=report)

    def _kept(self, phi: float) -> tuple[int, ...]:
        return kept_by_entropy([self.source.joint((i,)) for i in range(self.train.k)], phi)


def simulate_collection(
    key: str,
    dataset: Dataset,
    eps: float,
    *,
    spend: Spend = "levels",
    filters: Filters,
    rng: np.random.Generator,
    report: Report = quiet,
) -> LopubCollection:
    """Collect most rows of ``dataset`` through the source called ``key`` and estimate every pair; the other rows are held out.

    Parameters
    ----------
    key : of ``SOURCES``
    eps : level of every attribute, nats
    spend : as in ``make_source``
    filters : LoPub's Bloom filters
    """
    train, test = split(dataset, rng=rng)
    report(0, "simulating the collection")
    source = make_source(key, train, eps, spend=spend, filters=filters, rng=rng, report=report)
    truth = make_source("truth", train, eps, rng=rng)
    sizes, done = dataset.schema.sizes, 0.0

    def tell(fraction: float, text: str) -> None:
        nonlocal done
        done = fraction
        report(fraction, text)

    def still(fraction: float, text: str) -> None:
        report(done, text)  # lets EM be stopped; the bar moves by pairs

    for i in range(dataset.k):
        source.joint((i,), report=still)
    estimated = information_matrix(lambda axes: source.joint(axes, report=still), sizes, report=tell)
    return LopubCollection(train, test, source, truth, estimated, information_matrix(truth.joint, sizes))


@dataclass(frozen=True)
class Standing:
    """How close one source came.

    Parameters
    ----------
    key : the source
    total : what the record costs, nats
    level : the most that a single answer gives away, nats
    errors : number of attributes -> mean half L1 over the sets looked at; NaN where it refuses
    refusal : why it refuses some set, or empty
    price : what one answer, one with the others known, and the whole record give away
    """

    key: str
    total: float
    level: float
    errors: dict[int, float]
    refusal: str = ""
    price: Price | None = None


def closest(standings: Sequence[Standing], width: int) -> tuple[Standing, float]:
    """The source with the smallest error for ``width`` attributes, and how many times larger the next one's is.

    At least one source must have an estimate.
    """
    ranked = sorted((one for one in standings if not math.isnan(one.errors[width])), key=lambda one: one.errors[width])
    best = ranked[0].errors[width]
    return ranked[0], ranked[1].errors[width] / best if len(ranked) > 1 and best > 0 else math.inf


def contest(
    dataset: Dataset,
    keys: Sequence[str],
    eps: float,
    widths: Sequence[int],
    *,
    sets: int,
    spend: Spend = "total",
    filters: Filters,
    rng: np.random.Generator,
    report: Report = quiet,
) -> Iterator[Standing]:
    """Every source on the same random sets of attributes.

    Parameters
    ----------
    keys : keys of ``SOURCES``
    eps : level of every attribute for those that randomise attributes on their own, nats
    widths : numbers of attributes
    sets : most sets of each width
    spend : what is held equal: each source may spend d * eps on the record, or ``eps`` on each answer
    """
    chosen = {}
    for w in widths:
        every = list(combinations(range(dataset.k), w))
        if not every:
            raise InputError(f"There are no sets of {w} attributes: the table has {dataset.k}.")
        chosen[w] = [every[i] for i in sorted(rng.choice(len(every), min(sets, len(every)), replace=False))]
    names = dataset.schema.names
    truth = {axes: dataset.shares([names[i] for i in axes]) for every in chosen.values() for axes in every}
    for number, key in enumerate(keys):
        own = part(report, number, len(keys))
        own(0, "simulating")
        source = make_source(key, dataset, eps, spend=spend, filters=filters, rng=rng, report=own)
        errors, refusal = {}, ""
        for w, every in chosen.items():
            try:
                errors[w] = float(np.mean([half_l1(truth[axes], source.joint(axes, report=own)) for axes in every]))
            except InputError as error:
                errors[w], refusal = math.nan, str(error)
        yield Standing(key, source.total, float(np.max(source.levels)), errors, refusal, source.price)
