"""State what a mechanism file promises.

The promises are how often an answer is true, and how far an answer or the record can shift odds.
"""

import math
from fractions import Fraction

from rrcore.promise.mechanism_file import MechanismFile
from rrcore.wording import exact_odds_text, percent, total_text


def stated_truthful_shares(file: MechanismFile) -> tuple[tuple[Fraction, Fraction] | None, ...]:
    """Return the smallest and largest probability of a true report, by attribute.

    The extremes are over the true answers. None for an attribute whose reports are not its categories.
    """
    found = {place: weights.truth(i) for places, weights in file.groups for i, place in enumerate(places)}
    both = zip(file.schema.attributes, file.reports.attributes, strict=True)
    return tuple(found[place] if asked == reported else None for place, (asked, reported) in enumerate(both))


def promise_sentence(file: MechanismFile) -> str:
    """Return the promises of a mechanism file in up to three sentences.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.promise import promise_sentence
    >>> promise_sentence(nigeria().mechanism)
    'Each published answer is the true one 83.3% of the time. Seeing it shifts the odds about it by at most a factor of 5.00.'
    """
    truth, found = truth_sentence(file).removesuffix("."), file.certificate
    epsilon = [level for level in found.epsilon if level is not None]
    if len(epsilon) < len(found.epsilon):
        return f"{truth}. Some rule out certain true answers, so there is no limit to what they reveal."
    alone = f"Seeing it shifts the odds about it by at most a factor of {exact_odds_text(max(epsilon))}"
    if len(found.epsilon) == 1:
        return f"{truth}. {alone}."
    if found.epsilon_total is None:
        return f"{truth}. {alone}, but some whole records rule out certain true ones."
    whole = exact_odds_text(found.epsilon_total)
    return f"{truth}. {alone}. A whole record shifts the odds between any two people's answers by at most a factor of {whole}."


def truth_sentence(file: MechanismFile) -> str:
    """State how often randomized answers are true.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> truth_sentence(nigeria().mechanism)
    'Each published answer is the true one 83.3% of the time.'
    """
    shares = [share for share in stated_truthful_shares(file) if share is not None]
    if not shares:
        return "Published values are not the answers themselves."
    low, high = percent(float(min(low for low, _ in shares))), percent(float(max(high for _, high in shares)))
    which = "Each published answer" if len(shares) == len(file.sizes) else "A published category"
    return f"{which} is the true one {low if low == high else f'{low} to {high}'} of the time."


def epsilon_line(file: MechanismFile) -> str:
    """Return the largest epsilons on one line.

    The epsilons are for one answer alone, for an attacker who knows the other answers, and for the whole record.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> epsilon_line(nigeria().mechanism)
    'ε: 1.61 answer seen alone · 1.61 attacker who knows the other answers · 1.61 whole record'
    """
    kinds = ("answer seen alone", "attacker who knows the other answers", "whole record")
    numbers = (max(file.epsilon), max(file.epsilon_informed), file.epsilon_total)
    texts = ["no bound" if math.isinf(number) else total_text(number) for number in numbers]
    return "ε: " + " · ".join(f"{text} {kind}" for text, kind in zip(texts, kinds, strict=True))
