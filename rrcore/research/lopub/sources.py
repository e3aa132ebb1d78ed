"""Where clique marginals come from: LoPub's estimators on simulated reports, this workbench's readers, or the true table.

A clique marginal is just a marginal, so every way of estimating one can feed the same graph and the same synthesis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.estimate import Release, TableModel, clip_and_rescale
from rrcore.mechanisms import Price, recipe, safe_recipe_width
from rrcore.progress import Report, quiet
from rrcore.research.lopub.bloom import flip_probability
from rrcore.research.lopub.em import JointEstimate
from rrcore.research.lopub.graph import DependencyGraph
from rrcore.research.lopub.lasso import METHODS
from rrcore.research.lopub.reports import ReportProtocol, Reports, simulate_reports, uniform_protocol
from rrcore.research.lopub.synthesis import Synthetic, synthesize
from rrcore.schemes import Spend, design
from rrcore.schemes.perturbation import perturb
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Schema

SOURCES: dict[str, str] = {
    "pair-safe": "Pair-safe, inverted",
    "shrinkage": "Pair-safe, shrunk",
    "rr-ind-joint": "RR-Ind-Joint",
    **{key: f"LoPub: {title}" for key, (title, _) in METHODS.items()},
    "truth": "The true table, unprotected",
}
"""Key on pages and on the command line -> name; ``source_title`` also knows "3-safe" and so on, pair-safe's with another width."""


def source_title(key: str) -> str:
    """The name of a source. Raises InputError for an unknown key.

    Examples
    --------
    >>> source_title("pair-safe"), source_title("3-safe")
    ('Pair-safe, inverted', '3-safe, inverted')
    """
    if key in SOURCES:
        return SOURCES[key]
    if safe_recipe_width(key) is None:
        raise InputError(f"There is no source '{key}': choose among {', '.join(SOURCES)}, or 3-safe and so on.")
    return f"{recipe(key).title}, inverted"


@dataclass(frozen=True)
class Filters:
    """How LoPub's Bloom filters are made.

    Parameters
    ----------
    hashes : int, h
    lengths : tuple of d ints, m of each attribute
    key : str
    """

    hashes: int
    lengths: tuple[int, ...]
    key: str = ""


@dataclass(frozen=True, eq=False)
class Source:
    """Shares of any set of attributes, as one scheme estimates them from one simulated collection.

    Parameters
    ----------
    key : a key of ``SOURCES``
    total : float, what the record costs in nats; infinite for the true table
    levels : ndarray of shape (d,), what single answers give away, nats
    estimate : gives the shares of the attributes at some positions, reporting how far it is; InputError where it cannot
    protocol : ReportProtocol of the reports, for LoPub
    price : what one answer, one with the others known, and the whole record give away; None for the true table
    model : makes one table for everything, which synthetic records are drawn from; None where they are pieced together from cliques
    """

    key: str
    total: float
    levels: Floats
    estimate: Callable[[Sequence[int], Report], Floats]
    protocol: ReportProtocol | None = None
    curves: dict[tuple[int, ...], JointEstimate] = field(default_factory=dict)
    price: Price | None = None
    model: Callable[..., TableModel] | None = None
    _known: dict[tuple[int, ...], Floats] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Its name on a page."""
        return source_title(self.key)

    def joint(self, axes: Sequence[int], *, report: Report = quiet) -> Floats:
        """Shares of the attributes at ``axes``, non-negative with sum 1; estimated once."""
        key = tuple(axes)
        if key not in self._known:
            self._known[key] = self.estimate(key, report)
        return self._known[key]

    def synthesize(
        self,
        schema: Schema,
        graph: DependencyGraph,
        n: int,
        *,
        repeat: bool = False,
        rng: np.random.Generator,
        report: Report = quiet,
    ) -> Synthetic:
        """``n`` records of its model, as even as they can be; where it has none, of ``graph``, as ``lopub.synthesize`` draws them."""
        if self.model is None:
            return synthesize(schema, graph, partial(self.joint, report=report), n, repeat=repeat, rng=rng, report=report)
        model = self.model(report=report)
        return Synthetic(model.sample(n, rng=rng), graph, 0, model)


def make_source(
    key: str,
    dataset: Dataset,
    eps: float,
    *,
    spend: Spend = "levels",
    filters: Filters | None = None,
    rng: np.random.Generator,
    report: Report = quiet,
) -> Source:
    """Simulate one collection from ``dataset`` and make its estimates available.

    Parameters
    ----------
    key : a key of ``SOURCES``
    eps : level of every attribute, nats > 0
    spend : what is held equal between sources, as in ``schemes.design``: pair-safe may spend d * eps on the record, or ``eps`` on each answer
    filters : for LoPub

    Raises
    ------
    InputError
        For an unknown source, a bad level, or more than fits into memory.
    """
    source_title(key)
    d = dataset.k
    if key == "truth":
        return Source(key, np.inf, np.full(d, np.inf), partial(_counted, dataset))
    if key in METHODS:
        if filters is None:
            raise InputError("LoPub needs Bloom filters: give their lengths and the number of hash functions.")
        flip = flip_probability(filters.hashes, eps)
        protocol = uniform_protocol(dataset.schema, hashes=filters.hashes, flip=flip, lengths=filters.lengths, key=filters.key)
        reports = simulate_reports(dataset.codes, protocol, rng=rng)
        curves: dict[tuple[int, ...], JointEstimate] = {}
        price = Price(eps, eps, protocol.total_level)  # the bits of one attribute say nothing about the others
        return Source(key, protocol.total_level, np.full(d, eps), partial(_fitted, key, reports, curves), protocol, curves, price)
    family = {"rr-ind-joint": "kronecker", "shrinkage": "pair-safe"}.get(key, key)
    mechanism = design(family, dataset.schema.sizes, np.full(d, float(eps)), spend=spend, report=report)
    release = perturb(dataset, mechanism, rng=rng)
    levels, price = np.asarray(mechanism.levels), Price.of(mechanism)
    if key == "shrinkage":
        return Source(key, mechanism.total_level, levels, partial(_shrunk, release), price=price, model=release.model)
    return Source(key, mechanism.total_level, levels, partial(_inverted, release), price=price)


def _counted(dataset: Dataset, axes: Sequence[int], report: Report) -> Floats:
    return dataset.shares([dataset.schema.names[i] for i in axes])


def _fitted(
    key: str, reports: Reports, curves: dict[tuple[int, ...], JointEstimate], axes: Sequence[int], report: Report
) -> Floats:
    curves[tuple(axes)] = METHODS[key][1](reports, axes, report=report)
    return curves[tuple(axes)].proper


def _shrunk(release: Release, axes: Sequence[int], report: Report) -> Floats:
    return release.shrinkage.shares(axes)


def _inverted(release: Release, axes: Sequence[int], report: Report) -> Floats:
    return clip_and_rescale(release.estimate([release.dataset.schema.names[i] for i in axes]).shares)
