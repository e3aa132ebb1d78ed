"""What collected answers say: a marginal with intervals, shares within groups, and dependence of every pair. Ready for a page or a file."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from rrcore.answers.answers import Answers
from rrcore.answers.sampling import sample_dict
from rrcore.arrays import Floats
from rrcore.dependence import PairTables, debiased_dependence
from rrcore.dependence.independence import Independence, independence_of
from rrcore.dependence.pairs import check_categories
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import (
    Conditional,
    Estimate,
    MaximumLikelihood,
    OrderedSummary,
    TableModel,
    cell_table,
    conditional_shares,
    estimate_table,
    has_order,
    maximum_likelihood,
    ordered_summary,
    reported_cell_table,
)
from rrcore.limits import MAX_EM_CELLS, MAX_MARGINAL
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, quiet
from rrcore.promise.certificate import certified_nats
from rrcore.promise.integers import mechanism_of_integers
from rrcore.table.schema import Schema
from rrcore.wording import counted
from rrcore.wording.json_values import fields_of

_MANY = 0.01  # of the people, from which answers that count as missing are a warning

SIGNIFICANT = 0.05
"""Pairs with a larger p-value may well be independent: no strong colour is given to them."""


@dataclass(frozen=True, eq=False)
class MarginalSummary:
    """One joint distribution read from answers.

    Parameters
    ----------
    schema : its attributes
    counts : ndarray of the shape of ``estimate.released``, released counts
    estimate : Estimate by inversion, unbiased
    likelihood : MaximumLikelihood, or None above ``MAX_EM_CELLS`` cells
    """

    schema: Schema
    counts: np.ndarray
    estimate: Estimate
    likelihood: MaximumLikelihood | None

    @property
    def weakest(self) -> dict[str, object] | None:
        """``Estimate.weakest`` with names, ready for JSON; None for a single attribute."""
        found = self.estimate.weakest
        return None if found is None else found.to_dict(self.schema.names)

    @property
    def note(self) -> str:
        """One sentence where something of it is read less accurately than from independent answers; else empty."""
        found = self.estimate.weakest
        return "" if found is None else found.sentence(self.schema.names)

    def given(self, names: Sequence[str], *, population: bool = True) -> Conditional:
        """Shares among people with the same answers to the attributes ``names`` of this marginal."""
        return conditional_shares(self.estimate, self.schema.axes(names), population=population)

    def table(self, *, population: bool = True, simultaneous: bool = False, confidence: float = 0.95) -> dict[str, list[Any]]:
        """Columns, one row per cell: as ``estimate_table``, with the shares by EM, and released counts where reports are the categories."""
        also = {} if self.estimate.beside is None else {"released people": self.counts}
        also |= {} if self.likelihood is None else {"EM": self.likelihood.shares}
        return estimate_table(self.estimate, population=population, simultaneous=simultaneous, confidence=confidence, also=also)

    def ordered(
        self, scores: Sequence[float] | None = None, *, population: bool = True, confidence: float = 0.95
    ) -> OrderedSummary | None:
        """Cumulative shares, quartiles and mean, read from what comes closest; None unless it is a single attribute that ``has_order``."""
        if not has_order(self.schema.attributes):
            return None
        shares = self.estimate.closest().shares
        return ordered_summary(self.estimate, scores, shares=shares, population=population, confidence=confidence)

    def reports(self) -> dict[str, list[Any]]:
        """Columns, one row per combination of reports: what was reported, its share ("released") and how many people reported it."""
        return reported_cell_table(self.estimate, {"released people": self.counts})

    def conditional_table(self, names: Sequence[str], *, population: bool = True) -> dict[str, list[Any]]:
        """Columns, one row per cell: categories, share in the group of ``names``, its error, margin and 95 % interval; None if unknown."""
        found = self.given(names, population=population)
        low, high = found.interval()
        numbers = {
            "share within the group": found.shares,
            "standard error": found.standard_error,
            "margin": found.margin(),
            "low": low,
            "high": high,
        }
        table = cell_table(self.schema, numbers)
        return {name: [None if value != value else value for value in column] for name, column in table.items()}


def summarise_marginal(answers: Answers, names: Sequence[str]) -> MarginalSummary:
    """Read the joint distribution of the named attributes. Raises NotIdentifiableError where the mechanism erases part of it."""
    estimate, counts = answers.estimate(names), answers.counts(names)
    small = counts.size <= MAX_EM_CELLS
    likelihood = maximum_likelihood(estimate.released, estimate.channel) if small else None
    return MarginalSummary(answers.mechanism.schema.select(names), counts, estimate, likelihood)


@dataclass(frozen=True, eq=False)
class ModelMarginal:
    """One joint distribution that is too wide to be inverted, as the model of all pairs has it.

    Parameters
    ----------
    schema : its attributes
    shares : ndarray of shape ``schema.sizes``, non-negative, summing to 1
    note : what a reader should know
    """

    schema: Schema
    shares: Floats
    note: str

    def table(self) -> dict[str, list[Any]]:
        """Columns, one row per cell: its categories, and its share as "model"."""
        return cell_table(self.schema, {"model": self.shares})


def too_wide_to_summarise(answers: Answers, names: Sequence[str]) -> bool:
    """Whether the named attributes cannot be inverted together though each two of them can."""
    return len(names) > MAX_MARGINAL or min(map(len, answers.channel(names).lost()), default=0) > 2


def summarise_model(answers: Answers, names: Sequence[str], model: TableModel) -> ModelMarginal:
    """The joint distribution of the named attributes in ``model``, that of ``answers``."""
    note = f"Read from the model of all pairs; no interval. {model.sentence}"
    return ModelMarginal(answers.schema.select(names), model.marginal(names), note)


@dataclass(frozen=True)
class GroupShare:
    """The estimated share of one cell among those with one value of a column that was not randomised, and its 95 % interval."""

    value: str
    n: int
    share: float
    low: float
    high: float


def summarise_groups(
    groups: Mapping[str, Answers], names: Sequence[str], cell: Sequence[str], *, population: bool = True
) -> tuple[GroupShare, ...]:
    """The share of ``cell`` (one category of each of the attributes ``names``) in each of ``groups``, by their names.

    Groups are those of ``Answers.split``; those too small for an interval are left out. Raises NotIdentifiableError
    where the mechanism erases part of the marginal.
    """
    found = []
    for value, part in groups.items():
        attributes = part.mechanism.schema.select(names).attributes
        place = tuple(attribute.categories.index(category) for attribute, category in zip(attributes, cell, strict=True))
        estimate = part.estimate(names)
        low, high = estimate.interval(population=population)
        if math.isfinite(low[place]):
            found.append(GroupShare(value, estimate.n, float(estimate.shares[place]), float(low[place]), float(high[place])))
    return tuple(found)


@dataclass(frozen=True)
class PairSummary:
    """How strongly two attributes depend on each other, as far as the answers show.

    Parameters
    ----------
    names : the two attributes
    v, low, high : Cramer's V without what noise adds, and its 95 % interval; NaN where the pair is not identifiable
    test : Independence, or None where it is not
    note : str, what a reader should know about this pair; mostly empty
    """

    names: tuple[str, str]
    v: float
    low: float
    high: float
    test: Independence | None
    note: str = ""

    @cached_property
    def p_value(self) -> float:
        """Of the test of independence; NaN where there is none."""
        return math.nan if self.test is None else self.test.p_value


def pair_summaries(answers: Answers, *, report: Report = quiet) -> tuple[PairSummary, ...]:
    """Every pair of attributes, in the order of the schema.

    V is debiased with what all pairs have in common where the mechanism consists of lie sets only, from the pair's own answers otherwise;
    the test of independence always uses the pair's own answers.

    Raises
    ------
    InputError
        For too many categories in all.
    """
    names, symmetric = answers.mechanism.schema.names, pooled_pairs(answers)
    if symmetric is not None:
        check_categories(answers.reports.sizes)
    every = list(combinations(range(len(names)), 2))
    estimates: dict[tuple[int, int], Estimate | InputError] = {}
    for i, j in every:
        try:
            estimates[i, j] = answers.estimate((names[i], names[j]))
        except InputError as error:
            estimates[i, j] = error
    pooled = None
    if symmetric is not None and len(names) > 1:
        pooled = debiased_dependence(_tables(answers, estimates), symmetric, report=report)
    found = []
    for i, j in every:
        pair, estimate = (names[i], names[j]), estimates[i, j]
        try:
            if isinstance(estimate, InputError):
                raise estimate
            test = independence_of(estimate)
        except InputError as error:
            erased = isinstance(error, NotIdentifiableError)
            why = "not identifiable: the mechanism erases this pair" if erased else str(error)
            found.append(PairSummary(pair, math.nan, math.nan, math.nan, None, why))
            continue
        note = "few answers in many combinations: the p-value is rough" if test.sparse > 0.2 else ""
        if pooled is not None:
            v, low, high = (float(part[i, j]) for part in (pooled.v, pooled.low, pooled.high))
        else:
            v, (low, high) = test.v, test.v_interval()
        found.append(PairSummary(pair, v, min(low, v), max(high, v), test, note))
    return tuple(found)


def pooled_pairs(answers: Answers) -> Mechanism | None:
    """The mechanism whose pairs are read together, by what all have in common; None where each is read from its own answers alone.

    That is so where the mechanism is more than lie sets.
    """
    return mechanism_of_integers(answers.mechanism)


def _tables(answers: Answers, estimates: Mapping[tuple[int, int], Estimate | InputError]) -> PairTables:
    """Released shares of every pair, and how many people drawn at random would tell as much as those who answered it, or do on average."""
    names, sizes = answers.mechanism.schema.names, answers.reports.sizes
    tables = {(i, j): answers.released((names[i], names[j])) for i, j in estimates}
    worth = {axes: each.effective() for axes, each in estimates.items() if isinstance(each, Estimate)}
    average = math.fsum(worth.values()) / len(worth) if worth else answers.n
    people = {axes: max(1, round(each)) for axes, each in worth.items()}
    return PairTables.assemble(sizes, tables, max(1, round(average)), people)


def pair_summary_matrix(names: Sequence[str], pairs: Sequence[PairSummary]) -> np.ndarray:
    """V of every pair of the attributes ``names``, ndarray of shape (k, k); NaN on the diagonal and where it is not identifiable."""
    v = np.full((len(names), len(names)), np.nan)
    for pair in pairs:
        i, j = (names.index(name) for name in pair.names)
        v[i, j] = v[j, i] = pair.v
    return v


def chance_pairs_summary(names: Sequence[str], pairs: Sequence[PairSummary]) -> np.ndarray:
    """Pairs that may well be independent (p-value above 0.05), bool ndarray of shape (k, k)."""
    found = np.zeros((len(names), len(names)), dtype=bool)
    for pair in pairs:
        i, j = (names.index(name) for name in pair.names)
        found[i, j] = found[j, i] = pair.p_value > SIGNIFICANT
    return found


def summary_dict(
    answers: Answers,
    marginals: Sequence[MarginalSummary],
    pairs: Sequence[PairSummary] = (),
    *,
    population: bool = True,
    simultaneous: bool = False,
    scores: Mapping[str, Sequence[float]] = {},
    confidence: float = 0.95,
) -> dict[str, Any]:
    """Everything found, ready for JSON; NaN becomes None.

    ``confidence`` is that of intervals; where they are ``simultaneous``, which is then said, those of all shares of a marginal hold at once.
    ``scores`` has the numbers of the categories of ordered attributes, by name.
    """
    certificate = answers.mechanism.certificate
    how: dict[str, Any] = {"population": population, "confidence": confidence}
    return {
        "simulation": answers.mark or None,
        "mechanism": answers.mechanism.sha256,
        "total": certified_nats(certificate.total),
        "levels": dict(zip(answers.mechanism.schema.names, map(certified_nats, certificate.levels), strict=True)),
        "answers": answers.n,
        "incomplete": answers.incomplete,
        "sample": sample_dict(answers),
        "left_out": [fields_of(each, "reason rows first") for each in answers.rejected],
        "unmatched": [fields_of(each, "reason rows first") for each in answers.unmatched],
        "confidence": confidence,
        **({"simultaneous": True} if simultaneous else {}),
        "errors_against": "population" if population else "these people",
        "marginals": [
            {
                "attributes": list(each.schema.names),
                "answers": each.estimate.n,
                "design_effect": each.estimate.design_effect,
                "cells": each.table(**how, simultaneous=simultaneous),
                **({} if each.estimate.beside is not None else {"reports": each.reports()}),
                "weakest": each.weakest,
                "disagreement": each.estimate.closest().disagreement,
                "ordered": ordered_summary_dict(each, scores, **how),
            }
            for each in marginals
        ],
        "pairs": [{"attributes": list(pair.names)} | fields_of(pair, "v low high p_value note") for pair in pairs],
    }


def unmatched_sentences(answers: Answers) -> tuple[list[str], list[str]]:
    """Say how many answers count as missing because they are none of the reports.

    Returns
    -------
    notes : list of str
        A sentence for each question with few such answers.
    warnings : list of str
        The same for each question with many.
    """
    few, many = list[str](), list[str]()
    for each in answers.unmatched:
        text = f"{counted(each.rows, 'record has', 'records have')} {each.reason} ({each.first}). It counts as missing."
        if each.rows <= _MANY * answers.n:
            few.append(text)
        else:
            many.append(f"{text} This can bias the estimates. If a spreadsheet saved the file, use the original file.")
    return few, many


def ordered_summary_dict(
    found: MarginalSummary, scores: Mapping[str, Sequence[float]] = {}, *, population: bool = True, confidence: float = 0.95
) -> dict[str, Any] | None:
    """``MarginalSummary.ordered``, ready for JSON; ``scores`` as in ``summary_dict``."""
    ordered = found.ordered(scores.get(found.schema.names[0]), population=population, confidence=confidence)
    return None if ordered is None else ordered.to_dict()
