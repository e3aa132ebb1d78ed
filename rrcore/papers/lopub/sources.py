"""Simulated collections, and synthetic tables drawn from them.

Clique marginals come from the estimators of LoPub or of RR Workbench.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from rrcore.arrays import Floats
from rrcore.budget import PrivacyLoss, preserved_width, recipe
from rrcore.errors import InputError
from rrcore.estimate import Release, TableModel, clip_and_rescale
from rrcore.papers.lopub.graph import DependencyGraph, information_matrix
from rrcore.papers.lopub.joint import METHODS
from rrcore.papers.lopub.reports import ReportProtocol, Reports, flip_probability, simulate_reports, uniform_protocol
from rrcore.papers.lopub.synthesis import split, synthesize
from rrcore.papers.methods import design
from rrcore.progress import Report, quiet
from rrcore.simulation import simulate
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Schema

SOURCES: dict[str, str] = {
    "shrinkage": f"{recipe('preserving-2').title} with shrinkage",
    "preserving-2": f"{recipe('preserving-2').title} with inversion",
    "rr-ind-joint": "RR-Ind-Joint",
    **{key: f"LoPub: {title}" for key, (title, _) in METHODS.items()},
    "truth": "True table, unprotected",
}
"""Key on pages and in commands -> name. ``source_title`` also knows "preserving-3" and so on."""


def source_title(key: str) -> str:
    """Return the name of a source. Raises InputError for an unknown key."""
    if key in SOURCES:
        return SOURCES[key]
    if preserved_width(key) is None:
        raise InputError(
            f"There is no source '{key}'. Choose one of {', '.join(SOURCES)}, or preserving-w, such as preserving-3."
        )
    return f"{recipe(key).title} with inversion"


@dataclass(frozen=True)
class Filters:
    """The Bloom filters of LoPub.

    They have h hash functions, m bits for each attribute, and a key for the hash functions.
    """

    hashes: int
    lengths: tuple[int, ...]
    key: str = ""


@dataclass(frozen=True, eq=False)
class Source:
    """Shares of any set of attributes, estimated from one simulated collection.

    Parameters
    ----------
    key : str
        A key of ``SOURCES``.
    estimate : callable
        Returns the shares of the attributes at some positions. It takes ``report=`` and may raise InputError.
    price : PrivacyLoss or None
        The privacy loss, None for the true table.
    protocol : ReportProtocol or None
        For LoPub.
    model : callable or None
        Makes a table model to draw synthetic records from, instead of cliques.
    """

    key: str
    estimate: Callable[..., Floats]
    price: PrivacyLoss | None = None
    protocol: ReportProtocol | None = None
    model: Callable[..., TableModel] | None = None
    _known: dict[tuple[int, ...], Floats] = field(default_factory=dict)

    def joint(self, axes: Sequence[int], *, report: Report = quiet) -> Floats:
        """Return the shares of ``axes``, estimated on the first call only.

        They are non-negative and sum to 1.
        """
        key = tuple(axes)
        if key not in self._known:
            self._known[key] = self.estimate(key, report=report)
        return self._known[key]

    def synthesize(
        self, schema: Schema, graph: DependencyGraph, n: int, *, rng: np.random.Generator, report: Report = quiet
    ) -> Dataset:
        """Draw ``n`` records from the model, or from the cliques of ``graph`` without a model."""
        if self.model is None:
            return synthesize(schema, graph, partial(self.joint, report=report), n, rng=rng, report=report)
        return self.model(report=report).sample(n, rng=rng)


def make_source(
    key: str,
    dataset: Dataset,
    eps: float,
    *,
    filters: Filters | None = None,
    rng: np.random.Generator,
    report: Report = quiet,
) -> Source:
    """Simulate one collection from ``dataset``.

    Parameters
    ----------
    key : str
        A key of ``SOURCES``.
    dataset : Dataset
        The true answers.
    eps : float
        ε of every answer.
    filters : Filters
        For LoPub.
    rng : Generator
        The source of randomness.
    report : callable
        Called with the progress.

    Raises
    ------
    InputError
        If the source is unknown, ε is out of range, or memory is too small.
    """
    source_title(key)
    if key == "truth":
        return Source(key, partial(_counted, dataset))
    if key in METHODS:
        if filters is None:
            raise InputError("LoPub needs Bloom filters. Specify their lengths and the number of hash functions.")
        flip = flip_probability(filters.hashes, eps)
        protocol = uniform_protocol(dataset.schema, hashes=filters.hashes, flip=flip, lengths=filters.lengths, key=filters.key)
        reports = simulate_reports(dataset.codes, protocol, rng=rng)
        # the bits of one attribute do not depend on the other answers
        price = PrivacyLoss(eps, eps, protocol.epsilon_total)
        return Source(key, partial(_fitted, key, reports), price, protocol)
    family = {"rr-ind-joint": "independent", "shrinkage": "preserving-2"}.get(key, key)
    mechanism = design(family, dataset.schema.sizes, np.full(dataset.k, float(eps)), spend="epsilon", report=report)
    release, price = simulate(dataset, mechanism, rng=rng), PrivacyLoss.of(mechanism)
    if key == "shrinkage":
        return Source(key, partial(_shrunk, release), price, model=release.model)
    return Source(key, partial(_inverted, release), price)


# functions of the module, because sources are sent between processes
def _counted(dataset: Dataset, axes: Sequence[int], report: Report) -> Floats:
    return dataset.shares([dataset.schema.names[i] for i in axes])


def _fitted(key: str, reports: Reports, axes: Sequence[int], report: Report) -> Floats:
    return METHODS[key][1](reports, axes, report=report).proper


def _shrunk(release: Release, axes: Sequence[int], report: Report) -> Floats:
    return release.shrinkage.shares(axes)


def _inverted(release: Release, axes: Sequence[int], report: Report) -> Floats:
    return clip_and_rescale(release.estimate([release.dataset.schema.names[i] for i in axes]).shares)


@dataclass(frozen=True, eq=False)
class LopubCollection:
    """A simulated collection and the associations in it.

    Parameters
    ----------
    train, test : Dataset
        True rows that were collected, and rows held out for testing.
    source : Source
        The estimates.
    information, true_information : ndarray of shape (d, d)
        Mutual information of every pair in nats, estimated and true.
    """

    train: Dataset
    test: Dataset
    source: Source
    information: Floats
    true_information: Floats

    def graph(self, phi: float) -> DependencyGraph:
        """Return the estimated graph at dependency degree ``phi``."""
        return DependencyGraph(self.train.schema.sizes, self.information, phi)

    def true_graph(self, phi: float) -> DependencyGraph:
        """Return the graph of the true rows."""
        return DependencyGraph(self.train.schema.sizes, self.true_information, phi)

    def synthesize(self, phi: float, records: int, *, rng: np.random.Generator, report: Report = quiet) -> Dataset:
        """Make a synthetic table. Raises InputError if a clique is too large."""
        return self.source.synthesize(self.train.schema, self.graph(phi), records, rng=rng, report=report)


def simulate_collection(
    key: str, dataset: Dataset, eps: float, *, filters: Filters, rng: np.random.Generator, report: Report = quiet
) -> LopubCollection:
    """Collect most rows of ``dataset``, and hold the others out for testing.

    Every pair is estimated. Parameters are as in ``make_source``.
    """
    train, test = split(dataset, rng=rng)
    report(0, "simulating the collection")
    source = make_source(key, train, eps, filters=filters, rng=rng, report=report)
    truth = make_source("truth", train, eps, rng=rng)
    sizes = dataset.schema.sizes
    estimated = information_matrix(source.joint, sizes, report=report)
    return LopubCollection(train, test, source, estimated, information_matrix(truth.joint, sizes))
