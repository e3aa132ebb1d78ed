"""Summarize collected answers for a page or a file.

The summary has a marginal with intervals, shares within groups, and the dependence of every pair.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rrcore.answers.answers import Answers
from rrcore.association import PairTables, debiased_dependence
from rrcore.association.estimates import Pairs
from rrcore.association.independence import independence_of
from rrcore.association.pairs import check_categories
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import (
    Estimate,
    MaximumLikelihood,
    Result,
    conditional_shares,
    estimate_table,
    has_order,
    maximum_likelihood,
    ordered_summary,
)
from rrcore.estimate.estimate import cell_categories
from rrcore.limits import MAX_EM_CELLS
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, quiet
from rrcore.promise.rounding import mechanism_of_integers
from rrcore.table.schema import Schema
from rrcore.wording import counted, p_text, strength_range_text

_MANY = 0.01  # of the people, from which answers that count as missing are a warning

SIGNIFICANT = 0.05
"""Pairs with a larger p-value may be independent, so figures hatch them."""


@dataclass(frozen=True, eq=False)
class MarginalSummary:
    """Estimates of one joint distribution from collected answers.

    Parameters
    ----------
    schema : the attributes of the joint distribution
    counts : ndarray of the shape of ``estimate.released``, released counts
    estimate : Estimate by inversion, unbiased
    likelihood : MaximumLikelihood, or None above ``MAX_EM_CELLS`` cells
    """

    schema: Schema
    counts: np.ndarray
    estimate: Estimate
    likelihood: MaximumLikelihood | None

    @property
    def note(self) -> str:
        """One sentence if estimates are less accurate than from independent answers.

        Otherwise, the text is empty.
        """
        found = self.estimate.weakest
        return "" if found is None else found.sentence(self.schema.names)

    def given(self, names: Sequence[str], *, population: bool = True) -> Result:
        """Estimate shares conditional on the answers to ``names``."""
        return conditional_shares(self.estimate, self.schema.axes(names), population=population)

    def table(self, *, population: bool = True, confidence: float = 0.95) -> dict[str, list[Any]]:
        """Return columns with one row per cell, as ``estimate_table`` does.

        The columns include the shares by EM, and the released counts if the reports are the categories.
        """
        also = {} if self.estimate.randomized is None else {"randomized people": self.counts}
        also |= {} if self.likelihood is None else {"EM": self.likelihood.shares}
        return estimate_table(self.estimate, population=population, confidence=confidence, also=also)


def summarise_marginal(answers: Answers, names: Sequence[str]) -> MarginalSummary:
    """Estimate the joint distribution of the named attributes.

    Raises NotIdentifiableError if the answers carry no information about part of it.
    """
    estimate, counts = answers.estimate(names), answers.counts(names)
    small = counts.size <= MAX_EM_CELLS
    likelihood = maximum_likelihood(estimate.released, estimate.channel) if small else None
    return MarginalSummary(answers.mechanism.schema.select(names), counts, estimate, likelihood)


def summarise_groups(groups: Mapping[str, Answers], names: Sequence[str], by: str, *, population: bool = True) -> Result:
    """Estimate the joint distribution of the named attributes in each group.

    ``groups`` is the result of ``Answers.split`` by the column ``by``.

    Raises
    ------
    NotIdentifiableError
        If the answers carry no information about part of it.
    """
    estimates = [part.estimate(names) for part in groups.values()]
    cells = cell_categories(estimates[0].schema, (by,))
    size = estimates[0].shares.size
    numbers = [(each.shares, each.std_error(population=population), *each.interval(population=population)) for each in estimates]
    shares, errors, low, high = (np.concatenate([column.ravel() for column in columns]) for columns in zip(*numbers, strict=True))
    return Result(
        labels={by: [value for value in groups for _ in range(size)]} | {name: own * len(groups) for name, own in cells.items()},
        estimate=shares,
        std_error=errors,
        conf_low=low,
        conf_high=high,
        columns={"n": [each.n for each in estimates for _ in range(size)]},
    )


def pair_summaries(answers: Answers, *, report: Report = quiet) -> Pairs:
    """Estimate the association of every pair of attributes, with a test.

    The result has Cramér's V, the "p_value" of the test of independence, and a "note" for each pair.

    All numbers are NaN if the pair is not identifiable. If the mechanism first draws the set of perturbed attributes, V is debiased
    with information from all pairs. Otherwise, the bias correction uses only the answers to the pair, as the test always does.

    Raises
    ------
    InputError
        If there are too many categories in total.
    """
    names, symmetric = answers.mechanism.schema.names, pooled_pairs(answers)
    if symmetric is not None:
        check_categories(answers.mechanism.reports.sizes)
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
        estimate = estimates[i, j]
        try:
            if isinstance(estimate, InputError):
                raise estimate
            test = independence_of(estimate)
        except InputError as error:
            erased = isinstance(error, NotIdentifiableError)
            why = "The answers carry no information about this association" if erased else str(error)
            found.append((math.nan, math.nan, math.nan, math.nan, why))
            continue
        note = "Few answers in many combinations, so the p-value is rough" if test.sparse > 0.2 else ""
        if pooled is not None:
            v, low, high = (float(part[i, j]) for part in (pooled.v, pooled.low, pooled.high))
        else:
            v, (low, high) = test.v, test.v_interval()
        found.append((v, min(low, v), max(high, v), test.p_value, note))
    first, second = zip(*combinations(names, 2), strict=True) if len(names) > 1 else ((), ())
    v_values, lows, highs, p_values, notes = zip(*found, strict=True) if found else ((),) * 5
    unknown = np.full(len(found), np.nan)
    return Pairs(
        labels={"first": first, "second": second},
        estimate=np.array(v_values),
        std_error=unknown,
        conf_low=np.array(lows),
        conf_high=np.array(highs),
        columns={"p_value": p_values, "note": notes},
    )


def pair_texts(pairs: Pairs, p_value: str) -> dict[str, list[str]]:
    """Return columns that show the pairs.

    ``p_value`` is the heading of the column with p-values.
    """
    numbers = zip(pairs.estimate, pairs.conf_low, pairs.conf_high, pairs.columns["p_value"], strict=True)
    texts = [
        ("not identifiable", "", "") if math.isnan(v) else (f"{v:.3f}", strength_range_text(low, high), p_text(p))
        for v, low, high, p in numbers
    ]
    v_texts, ranges, p_texts = map(list, zip(*texts, strict=True))
    return {
        "Pair": [" with ".join(pair) for pair in pairs.names],
        "Cramér's V": v_texts,
        "95% interval": ranges,
        p_value: p_texts,
        "Note": list(pairs.columns["note"]),
    }


def pooled_pairs(answers: Answers) -> Mechanism | None:
    """Return the mechanism if its pairs are analyzed jointly, or None.

    None means that each pair is analyzed from its own answers, because the mechanism does more than draw a set of perturbed
    attributes.
    """
    return mechanism_of_integers(answers.mechanism)


def _tables(answers: Answers, estimates: Mapping[tuple[int, int], Estimate | InputError]) -> PairTables:
    """Released shares of every pair, and how many people drawn at random would tell as much as those who answered it, or do on average."""
    names, sizes = answers.mechanism.schema.names, answers.mechanism.reports.sizes
    tables = {(i, j): answers.release.released((names[i], names[j])) for i, j in estimates}
    worth = {axes: each.effective() for axes, each in estimates.items() if isinstance(each, Estimate)}
    average = math.fsum(worth.values()) / len(worth) if worth else answers.n
    people = {axes: max(1, round(each)) for axes, each in worth.items()}
    return PairTables.assemble(sizes, tables, max(1, round(average)), people)


def unmatched_sentences(answers: Answers) -> tuple[list[str], list[str]]:
    """State how many answers count as missing because they match no report.

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


def ordered_summary_dict(found: MarginalSummary, *, population: bool = True, confidence: float = 0.95) -> dict[str, Any] | None:
    """Return cumulative shares, quartiles and mean, ready for JSON.

    None unless the marginal has a single attribute that ``has_order``.
    """
    if not has_order(found.schema.attributes):
        return None
    shares = found.estimate.closest().shares
    return ordered_summary(found.estimate, None, shares=shares, population=population, confidence=confidence).to_dict()
