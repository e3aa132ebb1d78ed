"""The report before data collection, for an ethics board.

The report covers questions, randomization, protection and precision, and explains how to verify them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from rrcore.budget import protection as verdict
from rrcore.budget import surety
from rrcore.budget.verdicts import largest_error, worst_variance
from rrcore.channel import MatrixChannel, SubsetChannel
from rrcore.errors import InputError
from rrcore.estimate import expected_error, inversion_text, margin, weakest_interactions
from rrcore.limits import MAX_PAGE_MARGINAL
from rrcore.plots.svg import MOST_DRAWN, triangle
from rrcore.promise import MechanismFile, Ratio, certified_nats, stated_truthful_shares
from rrcore.reports.shared_parts import BLANK, Front, check_wordings, render
from rrcore.wording import exact_odds_text, margin_text, percent, points, total_text

_MOST_MATRIX = 12  # categories of a matrix that is printed
_LONGEST_FRACTION = 12  # characters. Longer ones are printed in percent.
_MOST_COMPARED = 8  # attributes
_DARKEST = 0.1  # the margin from which the map of pairs gets no darker


def report_before(
    file: MechanismFile,
    front: Front = BLANK,
    *,
    people: int,
    wordings: Mapping[str, str] = {},
    form: str = "",
) -> str:
    """Return the report before data collection as one HTML file.

    The file loads nothing.

    Parameters
    ----------
    file : MechanismFile
        How answers will be randomized.
    front : Front
        Title, author, organization, date and reasons.
    people : int
        The sample size, at least 1.
    wordings : dict
        The question about each attribute. The default is the attribute's name.
    form : str
        Fingerprint of the form, as ``form_fingerprint`` returns it. Empty if there is none yet.

    Returns
    -------
    str
        The HTML file.

    Raises
    ------
    InputError
        If there are no people, or a question is too long.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.answers import nigeria
    >>> from rrcore.reports import Front
    >>> page = rr.report_before(nigeria().mechanism, Front(title="Niger Delta"), people=2500)
    >>> page.startswith("<!doctype html>"), "at most a factor of 5.00" in page
    (True, True)
    """
    if people < 1:
        raise InputError(f"The number of people is {people}. Enter at least 1.")
    names, total = file.schema.names, file.epsilon_total
    margins = [float(margin(cautious(file, (i,), people))) for i in range(len(names))]
    return render(
        "before.html.j2",
        front,
        file,
        n=people,
        form=form,
        verdict=verdict(total).lower(),
        largest=points(max(margins)) if math.isfinite(sum(margins)) else None,
        questions=list(_questions(file, check_wordings(wordings, file.schema))),
        groups=[{"names": [names[i] for i in places], "uniform": weights.rows is None} for places, weights in file.groups],
        matrices=list(_matrices(file)),
        protection=protection(file),
        epsilons=list(_epsilons(file)),
        margins=[(name, margin_text(own)) for name, own in zip(names, margins, strict=True)],
        pairs=_pairs(file, people),
        not_estimable=[inversion_text(each, file.channel((i,)), 0) for i, each in enumerate(file.schema.attributes)],
        weaker=[weak.sentence([names[i] for i in axes]) for axes, weak in weakest_interactions(file, MAX_PAGE_MARGINAL)],
        darkest=points(_DARKEST),
        drawn=MOST_DRAWN,
    )


def protection(file: MechanismFile) -> dict[str, dict[str, Any]]:
    """Return the largest epsilons of the mechanism.

    The epsilons are for one answer alone, for an attacker who knows the other answers, and for the whole record.
    """
    found = file.certificate
    kinds = {"alone": found.epsilon, "informed": found.epsilon_informed, "whole": (found.epsilon_total,)}
    return {kind: _largest(file.schema.names, ratios) for kind, ratios in kinds.items()}


def _largest(names: Sequence[str], ratios: Sequence[Ratio]) -> dict[str, Any]:
    place = max(range(len(ratios)), key=lambda i: (ratios[i] is None, ratios[i] or 0))  # no bound is the largest
    ratio, alike = ratios[place], len({each and exact_odds_text(each) for each in ratios}) == 1
    if ratio is None:
        return {"epsilon": None}
    return {"epsilon": _epsilon(ratio), "factor": exact_odds_text(ratio), "attribute": "" if alike else names[place]}


def _epsilon(ratio: Ratio) -> str:
    return "no bound" if ratio is None else total_text(float(certified_nats(ratio)))


def _epsilons(file: MechanismFile) -> Iterator[tuple[str, ...]]:
    """Yield both ε of every attribute, and what an undecided attacker's 50% becomes at most."""
    found = file.certificate
    for name, alone, informed in zip(file.schema.names, found.epsilon, found.epsilon_informed, strict=True):
        certainty = surety(math.inf if informed is None else float(certified_nats(informed)))
        yield name, _epsilon(alone), _epsilon(informed), percent(certainty)


def _questions(file: MechanismFile, asked: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield question, attribute, answers, reports and probabilities of true reports.

    Repeated strings are empty.
    """
    every = zip(file.schema.attributes, file.reports.attributes, stated_truthful_shares(file), strict=True)
    for attribute, reports, unchanged in every:
        question, answers, reported = asked[attribute.name], ", ".join(attribute.categories), ", ".join(reports.categories)
        name = "" if question == attribute.name else attribute.name
        yield question, name, answers, "" if reports == attribute else reported, unchanged_text(unchanged)


def unchanged_text(shares: tuple[Fraction, Fraction] | None) -> str:
    """Return how often an answer is unchanged, from ``stated_truthful_shares``."""
    if shares is None:
        return "no report is an answer"
    low, high = (percent(float(end)) for end in shares)
    return low if low == high else f"{low} to {high}"


def _matrices(file: MechanismFile) -> Iterator[dict[str, Any]]:
    """Yield the probability of each report, for attributes with a matrix of their own. The longer side goes down."""
    for places, weights in file.groups:
        if weights.rows is not None and len(weights.rows) <= _MOST_MATRIX:
            attribute, reports = file.schema.attributes[places[0]], file.reports.attributes[places[0]]
            turned = reports.size > attribute.size
            rows = zip(*weights.rows, strict=True) if turned else weights.rows
            heads, labels = (attribute, reports.categories) if turned else (reports, attribute.categories)
            yield {
                "name": attribute.name,
                "same": reports == attribute,
                "heads": ["Report" if turned else "True answer", *heads.categories],
                "rows": [
                    [label, *(_chance(Fraction(own, weights.whole)) for own in row)]
                    for label, row in zip(labels, rows, strict=True)
                ],
            }


def _chance(exact: Fraction) -> str:
    return str(exact) if len(str(exact)) <= _LONGEST_FRACTION else percent(float(exact))


def _pairs(file: MechanismFile, people: int) -> Any:
    """Return the 95% margin of error of every pair as a drawing, or of the attributes that fit."""
    names = file.schema.names[:MOST_DRAWN]
    if len(names) < 2:
        return None
    errors = np.full((len(names), len(names)), np.nan)
    for j, i in combinations(range(len(names)), 2):
        errors[i, j] = float(margin(cautious(file, (j, i), people)))
    texts = [["" if math.isnan(error) else f"{100 * error:.1f}" for error in row] for row in errors.tolist()]
    title, hatched = "Margin of error of every pair of attributes", np.isnan(errors)
    return triangle(names, np.nan_to_num(errors), texts, title=title, top=_DARKEST, hatched=hatched)


def cautious(file: MechanismFile, axes: Sequence[int], people: int) -> float:
    """Return the largest standard error of a share over ``axes``.

    The maximum is over the true answers. Errors are for the population.

    The result is NaN if the share cannot be estimated (theory.md section 18). For several attributes with matrices, all combinations
    are assumed to be equally common.
    """
    channel = file.channel(axes)
    if channel.lost():
        return math.nan
    if isinstance(channel, SubsetChannel):
        return largest_error(channel, people)
    if not isinstance(channel, MatrixChannel):
        return expected_error(channel, people, population=True)
    adds = channel.matrix @ channel.inverse.T**2  # row x, column v: what a person with the answer x adds to share v
    others = np.where(np.eye(len(adds), dtype=np.bool_), -np.inf, adds).max(axis=0)
    return math.sqrt(float(worst_variance(np.diag(adds), others, True).max()) / people)


def best_pair(file: MechanismFile, people: int) -> tuple[str, ...]:
    """Return the pair with the smallest margin of error relative to its average cell.

    If there are many attributes, only the first ones are considered.

    If there is only one attribute, the function returns this attribute.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> best_pair(rr.MechanismFile.from_plan(rr.Plan(table, 1.0)), table.n)
    ('Sex', 'Age')
    """
    names, sizes = file.schema.names, file.sizes
    pairs = list(combinations(range(min(len(names), _MOST_COMPARED)), 2))
    errors = [cautious(file, pair, people) * math.prod(sizes[i] for i in pair) for pair in pairs]
    if not pairs or np.isnan(errors).all():
        return names[:1]
    best = pairs[int(np.nanargmin(errors))]
    return tuple(names[i] for i in best)
