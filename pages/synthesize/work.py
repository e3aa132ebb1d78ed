"""The calculations behind the Synthesize page, in the background: one collection, its graph, a synthetic table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pages.shared import jobs, state
from pages.synthesize.settings import Settings
from rrcore.lopub import (
    DependencyGraph,
    Source,
    Synthetic,
    check_cliques,
    information_matrix,
    kept_by_entropy,
    make_source,
    split,
    synthesize,
)
from rrcore.progress import Report
from rrcore.table import Dataset


@dataclass(frozen=True, eq=False)
class Collected:
    """One simulated collection and what its pairs say.

    Parameters
    ----------
    train, test : true rows that were collected, and rows held out for testing
    source, truth : estimates from the collection, and from its true rows
    information, true_information : mutual information of every pair by either, nats
    """

    train: Dataset
    test: Dataset
    source: Source
    truth: Source
    information: np.ndarray
    true_information: np.ndarray

    def graph(self, phi: float, kept: tuple[int, ...] | None = None) -> DependencyGraph:
        """The estimated graph; only pairs of ``kept`` attributes are looked at, if given."""
        found = self.information.copy()
        if kept is not None:
            outside = [i for i in range(self.train.k) if i not in kept]
            found[outside, :] = found[:, outside] = np.nan
        return DependencyGraph(self.train.schema.sizes, found, phi)

    def true(self, phi: float) -> DependencyGraph:
        """The graph of the true rows."""
        return DependencyGraph(self.train.schema.sizes, self.true_information, phi)

    def kept(self, phi: float) -> tuple[int, ...]:
        """Attributes whose pairs are looked at after pruning."""
        return kept_by_entropy([self.source.joint((i,)) for i in range(self.train.k)], phi)


def collected(work: state.Work, dataset: Dataset, settings: Settings) -> Collected | None:
    """The collection; None while it is at work."""
    key = (work.version, work.chosen, settings.source, settings.eps, settings.filters, work.seed)

    def make(report: Report) -> Collected:
        rng = np.random.default_rng((work.seed, 6))
        train, test = split(dataset, rng=rng)
        report(0, "simulating the collection")
        source = make_source(settings.source, train, settings.eps, filters=settings.filters, rng=rng, report=report)
        truth = make_source("truth", train, settings.eps, rng=rng)
        sizes = dataset.schema.sizes
        progress = [0.0]

        def tell(fraction: float, text: str) -> None:
            progress[0] = fraction
            report(fraction, text)

        def still(fraction: float, text: str) -> None:
            report(progress[0], text)  # lets EM be stopped; the bar moves by pairs

        for i in range(dataset.k):
            source.joint((i,), report=still)
        return Collected(
            train,
            test,
            source,
            truth,
            information_matrix(lambda axes: source.joint(axes, report=still), sizes, report=tell),
            information_matrix(truth.joint, sizes),
        )

    return jobs.result("synthetic_collected", key, make, what="Estimating every pair")


def made(work: state.Work, found: Collected, settings: Settings) -> Synthetic | None:
    """The synthetic table; None while it is at work. Raises InputError where a clique is too large."""
    kept = found.kept(settings.phi) if settings.prune else None
    graph = found.graph(settings.phi, kept)
    check_cliques(graph, found.train.schema)
    key = (id(found), settings.phi, settings.prune, settings.records, settings.repeat)

    def make(report: Report) -> Synthetic:
        return synthesize(
            found.train.schema,
            graph,
            lambda axes: found.source.joint(axes, report=report),
            settings.records,
            repeat=settings.repeat,
            rng=np.random.default_rng((work.seed, 7)),
            report=report,
        )

    return jobs.result("synthetic_made", key, make, what="Piecing the table together")
