"""Findings in words: the same numbers as in the tables, as sentences, and what no sentence can say."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rrcore.answers import Answers, MarginalSummary, PairSummary
from rrcore.estimate import inversion_text, merged_shares, widest_margin
from rrcore.limits import USELESS_MARGIN
from rrcore.wording import Quantity, cell_label, count_text, counted, quantity_target

_MOST_ANSWERS = 3  # answers of a question that are told in words
_CHANCE = 0.05


def in_words(marginals: Sequence[MarginalSummary], asked: Mapping[str, str], meant: Mapping[str, bool]) -> Iterator[str]:
    """One sentence for each marginal: its commonest answers with intervals as they are ``meant``, and whether the first is certainly it."""
    for found in marginals:
        if widest_margin(found.estimate.interval(**meant)) <= USELESS_MARGIN:
            yield _sentence(found, asked, meant)


def _sentence(found: MarginalSummary, asked: Mapping[str, str], meant: Mapping[str, bool]) -> str:
    closest = found.estimate.closest()
    low, high = (edge.ravel() for edge in closest.interval(**meant))
    shares = closest.shares.ravel()
    labels = [cell_label(texts) for _, texts in found.estimate.cells(shares.size)]
    order = np.argsort(-shares, kind="stable")[:_MOST_ANSWERS].tolist()
    numbers = zip(*(each.tolist() for each in (shares, low, high)), strict=True)
    texts = [
        Quantity("share", label, quantity_target(meant["population"])).estimated(*each)
        for label, each in zip(labels, numbers, strict=True)
    ]
    lines = [f"“{labels[i]}” {texts[i]}" for i in order]
    names = found.schema.names
    subject = f"“{asked[names[0]]}”" if len(names) == 1 else " with ".join(names)
    left = len(labels) - len(order)
    more = f", and {counted(left, 'other', 'others')}" if left else ""
    first, second = order[:2]
    doubt = " Their intervals overlap, so which comes first is not certain." if high[second] > low[first] else ""
    return f"{subject}: {', '.join(lines)}{more}.{doubt}"


def significant(pairs: Sequence[PairSummary]) -> list[bool]:
    """Whether each pair looks dependent beyond chance, all pairs being looked at together (Bonferroni, 5 %)."""
    return [not math.isnan(pair.p_value) and pair.p_value < _CHANCE / len(pairs) for pair in pairs]


def about_pairs(pairs: Sequence[PairSummary]) -> Iterator[str]:
    """The pairs that go together, the most dependent first, and how many show no sign of it."""
    clear = [pair for pair, sure in zip(pairs, significant(pairs), strict=True) if sure]
    for pair in sorted(clear, key=lambda pair: -pair.v)[: 2 * _MOST_ANSWERS]:
        first, second = pair.names
        yield f"{first} and {second} go together: Cramér's V {pair.v:.2f} on a scale of 0 to 1 ({pair.low:.2f} to {pair.high:.2f})."
    if (more := len(clear) - 2 * _MOST_ANSWERS) > 0:
        yield f"So do {counted(more, 'other pair', 'other pairs')}, less strongly."
    quiet = sum(not math.isnan(pair.v) for pair in pairs) - len(clear)
    if quiet:
        yield f"{counted(quiet, 'pair shows', 'pairs show')} no more dependence than chance alone would; that is no proof that there is none."


def unsaid(
    answers: Answers, marginals: Sequence[MarginalSummary], pairs: Sequence[PairSummary], meant: Mapping[str, bool]
) -> Iterator[str]:
    """What cannot be said, from these answers and at all."""
    yield "What any one person answered: every record was randomised, and none can be taken at its word."
    population = meant["population"]
    read = {name for found in marginals for name in found.schema.names}
    missing = [name for name in answers.mechanism.schema.names if name not in read]
    for name in list(missing):
        (asked,) = answers.schema.select([name]).attributes
        if why := inversion_text(asked, answers.channel([name]), 0):
            missing.remove(name)
            known = "; ".join(one.sentence for one in merged_shares(answers, name, population=population))
            yield f"What each answer's share is: {why}{f' They are {known}.' if known else ''}"
    if missing:
        yield f"Anything about {', '.join(missing)}: this report does not read {'it' if len(missing) == 1 else 'them'}."
    for found in marginals:
        estimate, name = found.estimate, " with ".join(found.schema.names)
        if widest_margin(estimate.interval(**meant)) > USELESS_MARGIN:
            yield f"Anything about {name}: the intervals are wider than the whole range of shares, so there are too few answers."
            continue
        low, _ = estimate.closest().interval(**meant)
        if doubtful := int(np.count_nonzero(low <= 0)):
            given = f"{counted(doubtful, 'answer', 'answers')} of {count_text(low.size)} to {name}"
            yield f"Whether anyone at all gave {given}: {'its interval reaches' if doubtful == 1 else 'their intervals reach'} 0."
        if found.note:
            yield found.note
    if lost := [pair for pair in pairs if math.isnan(pair.v)]:
        first = " with ".join(lost[0].names)
        yield f"How {counted(len(lost), 'pair goes', 'pairs go')} together, for example {first}: the randomization leaves nothing to read."
    if not pairs and len(answers.mechanism.schema.names) > 1:
        yield "Which attributes go together: this report did not look for it."
    if answers.left_out:
        yield f"What the {count_text(answers.left_out)} rows that were left out would have said."
    if not population:
        yield "Anything about people who were not asked: intervals hold for the respondents only."
    yield (
        "How far wordings, refusals, or people who did not follow the instructions move these shares: intervals hold the chance of the "
        f"randomization{' and of who was asked' if population else ''}, and nothing else."
    )
