"""The report after data collection.

The report covers findings, every question, associations, limitations, data, privacy and methods.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from rrcore.answers import Answers, MarginalSummary, about_sample, pair_texts, summarise_marginal
from rrcore.arrays import Booleans, Floats
from rrcore.association.estimates import Pairs
from rrcore.errors import NotIdentifiableError
from rrcore.estimate import Estimate, inversion_text, merged_shares
from rrcore.mark import check_unmarked
from rrcore.plots.svg import MOST_DRAWN, bars, triangle
from rrcore.reports.before import protection
from rrcore.reports.shared_parts import BLANK, Front, check_wordings, render
from rrcore.table import INVENTED
from rrcore.wording import cell_label, count_text, estimate_text, percent

_MOST_ROWS = 60  # longest table of one joint distribution
_MOST_ANSWERS = 3  # answers of a question in the findings
_MOST_PAIRS = 6  # associations in the findings
_STRONG = 0.6  # Cramer's V from which the map of pairs gets no darker
_CHANCE = 0.05


def report_after(
    answers: Answers,
    marginals: Sequence[MarginalSummary],
    pairs: Pairs | None = None,
    front: Front = BLANK,
    *,
    wordings: Mapping[str, str] = {},
    population: bool = True,
) -> str:
    """Return the report after data collection as one HTML file.

    The file loads nothing and contains no single record.

    If the answers come from ``invented_answers``, the report states that it is a rehearsal.

    Parameters
    ----------
    answers : Answers
        The collected answers.
    marginals : sequence of MarginalSummary
        The estimates, by ``summarise_marginal``.
    pairs : Pairs, optional
        The associations, by ``pair_summaries``.
    front : Front
        Title, author, organization, date and reasons.
    wordings : dict
        The question about each attribute. The default is the attribute's name.
    population : bool
        Whether errors include sampling error.

    Returns
    -------
    str
        The HTML file.

    Raises
    ------
    InputError
        If a question is too long, or the answers have the mark of a simulation.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.answers import nigeria, summarise_marginal
    >>> answers = nigeria()
    >>> page = rr.report_after(answers, [summarise_marginal(answers, ["connected to an armed group"])])
    >>> page.startswith("<!doctype html>")
    True
    """
    return findings_page("after.html.j2", answers, marginals, pairs, front, wordings=wordings, population=population)


def findings_page(
    template: str,
    answers: Answers,
    marginals: Sequence[MarginalSummary],
    pairs: Pairs | None,
    front: Front,
    *,
    wordings: Mapping[str, str],
    population: bool = True,
    **more: Any,
) -> str:
    """Return ``template`` filled with the estimates and the values ``more``.

    The other parameters are as in ``report_after``.
    """
    check_unmarked(answers.mark, "A report for handing out")
    asked = check_wordings(wordings, answers.schema)
    estimated = {name for found in marginals for name in found.schema.names}
    return render(
        template,
        front,
        answers.mechanism,
        answers=answers,
        invented=answers.title == INVENTED,
        population=population,
        marginals=[_marginal(found, asked, population) for found in marginals],
        pairs=_pairs(answers.schema.names, pairs) if pairs else None,
        missing=[_missing(answers, name, population) for name in answers.schema.names if name not in estimated],
        sample=about_sample(answers, marginals[0].estimate) if marginals else [],
        rejected=[(each.reason, count_text(each.rows)) for each in answers.rejected],
        unmatched=[(each.reason, count_text(each.rows)) for each in answers.unmatched],
        protection=protection(answers.mechanism),
        drawn=MOST_DRAWN,
        **more,
    )


def questions_after(answers: Answers, also: MarginalSummary | None = None) -> list[MarginalSummary]:
    """Return the estimate of every attribute, and the joint distribution ``also``.

    Attributes that cannot be estimated are omitted.
    """
    found = []
    for name in answers.mechanism.schema.names:
        with suppress(NotIdentifiableError):  # the report says which ones are missing
            found.append(summarise_marginal(answers, [name]))
    return found + ([also] if also is not None and len(also.schema.names) > 1 else [])


def _marginal(found: MarginalSummary, asked: Mapping[str, str], population: bool) -> dict[str, Any]:
    """Return one question, or several together: its texts, its figure, its most common answers and its largest combinations."""
    estimate, names, useless = found.estimate, found.schema.names, found.estimate.useless(population=population)
    low, high = estimate.interval(population=population)

    def row(index: tuple[int, ...], labels: tuple[str, ...]) -> tuple[str, str, str]:
        seen = "" if estimate.randomized is None else f"{count_text(found.counts[index])} ({percent(estimate.randomized[index])})"
        share = estimate_text(*(float(each[index]) for each in (estimate.shares, low, high)))
        return cell_label(labels), seen, share

    first = sorted(estimate.cells(_MOST_ANSWERS), key=lambda cell: -estimate.shares[cell[0]])
    return {
        "names": names,
        "questions": [asked[name] for name in names],
        "useless": useless,
        "answers": [row(*cell) for cell in first],
        "overlap": high[first[1][0]] > low[first[0][0]],
        "note": found.note,
        "drawing": None if useless else _bars(estimate, low, high),
        "size": estimate.shares.size,
        "rows": [row(*cell) for cell in estimate.cells(_MOST_ROWS)],
    }


def _bars(estimate: Estimate, low: Floats, high: Floats) -> Element:
    drawn = sorted(estimate.cells(MOST_DRAWN))
    places = tuple(np.array([index for index, _ in drawn]).T)
    labels, seen = (
        [cell_label(labels) for _, labels in drawn],
        None if estimate.randomized is None else estimate.randomized[places],
    )
    title = f"Estimated proportions: {' with '.join(estimate.schema.names)}"
    return bars(labels, seen, estimate.shares[places], (low[places], high[places]), title=title)


def _pairs(names: Sequence[str], pairs: Pairs) -> dict[str, Any]:
    """Return the strongest associations, how many pairs show none or are erased, and all of them as a table and as a map."""
    clear, erased = np.asarray(pairs.columns["p_value"]) < _CHANCE / len(pairs), np.isnan(pairs.estimate)  # Bonferroni
    numbers = list(zip(pairs.names, pairs.estimate, pairs.conf_low, pairs.conf_high, strict=True))
    texts = pair_texts(pairs, "p-value of independence")
    return {
        "strongest": sorted((numbers[i] for i in np.flatnonzero(clear)), key=lambda each: -each[1])[:_MOST_PAIRS],
        "quiet": int((~clear & ~erased).sum()),
        "erased": [pairs.names[i] for i in np.flatnonzero(erased)],
        "heads": list(texts),
        "rows": list(zip(*texts.values(), strict=True)),
        "drawing": _map(names[:MOST_DRAWN], pairs, clear),
        "darkest": _STRONG,
    }


def _map(names: Sequence[str], pairs: Pairs, clear: Booleans) -> Element:
    """Return the map of the pairs of the first attributes, hatched if a pair may be independent."""
    v, sure = (table[: len(names), : len(names)] for table in (pairs.v, pairs.matrix(clear)))
    texts = [["" if math.isnan(own) else f"{own:.2f}" for own in row] for row in v.tolist()]
    return triangle(
        names, np.nan_to_num(v), texts, title="Association of every pair of attributes", top=_STRONG, hatched=sure != 1
    )


def _missing(answers: Answers, name: str, population: bool) -> dict[str, Any]:
    """Return why an attribute has no estimate, and the shares of its categories together."""
    (attribute,) = answers.schema.select([name]).attributes
    why = inversion_text(attribute, answers.channel([name]), 0)
    shares = merged_shares(answers.release, name, population=population).sentences if why else []
    return {"name": name, "why": why, "shares": shares}
