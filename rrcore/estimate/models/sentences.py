"""A fitted regression in sentences."""

import math

from rrcore.estimate.models.result import Fit
from rrcore.wording import amount_beside, amount_range_text, amount_text, counted, factor_range_text, p_text

SIGNIFICANT = 0.05
"""p-value below which a coefficient is called more than noise."""


def headline(fit: Fit, confidence: float = 0.95) -> str:
    """The clearest effect in one sentence, with its interval and what the released answers would have made of it.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.estimate.models import fit
    >>> headline(fit(nigeria(), "connected to an armed group", ["education > 3"])).split(" to ", 1)[1]
    '“connected to an armed group” are 2.4 times as high (1.5 to 4.0); the released answers alone would say 1.59.'
    """
    p_values = fit.p_values
    found = [
        (float(p_values[e, k]), e, k)
        for e in range(len(fit.answers))
        for k, term in enumerate(fit.terms)
        if term != "intercept" and p_values[e, k] < SIGNIFICANT and not fit.bent(k)
    ]
    if found:
        _, e, k = min(found)
        return sentence(fit, e, k, confidence)
    bent = sorted({fit.column(k) for k in range(1, len(fit.terms)) if fit.bent(k)})
    but = f" taken in a straight line; for {' and '.join(bent)} see the averages" if bent else ""
    return f"None of the predictors has an effect on “{fit.model.outcome}” that can be told from noise{but}."


def sentence(fit: Fit, e: int, k: int, confidence: float = 0.95) -> str:
    """What one coefficient means: equation ``e``, term ``k``, with an interval of this ``confidence``."""
    low, high = (float(end[e, k]) for end in fit.interval(confidence))
    value = float(fit.coefficients[e, k])
    naive = float(fit.naive.coefficients[e, k]) if fit.naive else math.nan
    who = _who(fit, k)
    if fit.model.family != "logistic":
        alone = "" if math.isnan(naive) else f"; the released answers alone would say {amount_text(naive)}"
        text, _, span = amount_range_text(abs(value), *((low, high) if value >= 0 else (-high, -low))).partition(" ")
        return f"{who} “{fit.model.outcome}” is {text} {'higher' if value >= 0 else 'lower'} {span}{alone}."
    of = f"the odds of “{fit.answers[e]}” to “{fit.model.outcome}”"
    if len(fit.answers) > 1:
        of += f", against “{fit.reference}”,"
    alone = "" if math.isnan(naive) else f"; the released answers alone would say {_times(naive)}"
    ends = [math.exp(min(max(end, -700.0), 700.0)) for end in (value, low, high)]
    text, begun, span = factor_range_text(*ends).partition(" (")
    return f"{who} {of} are {text} times as high{begun}{span}{alone}."


def coefficient_texts(fit: Fit, confidence: float = 0.95) -> list[dict[str, str]]:
    """Every coefficient as a page and a report write it: heading -> text, one entry a coefficient.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.estimate.models import fit
    >>> texts = coefficient_texts(fit(nigeria(), "connected to an armed group", ["education > 3"]))[1]
    >>> texts["Odds multiplied by (95 %)"], texts["Coefficient (95 %)"], texts["On released answers"]
    ('2.4 (1.5 to 4.0)', '0.9 (0.4 to 1.4)', '0.5')
    """
    logistic, span = fit.model.family == "logistic", f"({100 * confidence:g} %)"
    found = []
    for row in fit.rows(confidence):
        texts = {"Outcome": row["outcome"]} if len(fit.answers) > 1 else {}
        texts |= {"Term": row["term"], f"Coefficient {span}": amount_range_text(row["coefficient"], row["low"], row["high"])}
        if logistic:
            texts[f"Odds multiplied by {span}"] = factor_range_text(row["odds ratio"], row["odds low"], row["odds high"])
        texts["p-value"] = p_text(row["p-value"])
        if fit.naive:
            texts["On released answers"] = amount_beside(row["naive"], row["low"], row["high"])
        found.append(texts)
    return found


def about_coefficients(fit: Fit) -> str:
    """What the columns of ``coefficient_texts`` mean."""
    return (
        ("Coefficients are log odds. " if fit.model.family == "logistic" else "Coefficients are in units of the outcome. ")
        + "p-value: how often an effect at least as large would be seen by chance if there were none."
        + " What stands under “On released answers” takes every report as true: the noise draws it towards no effect."
        * bool(fit.naive)
    )


def about_effects(fit: Fit) -> str:
    """What was fitted, to how many answers, and what each effect is compared with."""
    first = {fit.column(k): fit.compared_with(k) for k in range(1, len(fit.terms))}
    named = [f"“{category}” for “{name}”" for name, category in first.items() if category]
    said = ["per 1 more of a number"] if "" in first.values() else []
    compared = ", or ".join(said + ([f"compared with {', '.join(named)}"] if named else []))
    equal = ", with all other predictors equal" if len(first) > 1 else ""
    return f"{fit.kind.capitalize()}; {counted(fit.n, 'answer', 'answers')}. Each effect is {compared}{equal}."


def _who(fit: Fit, k: int) -> str:
    """The people whom a term compares with the others, as the beginning of a sentence."""
    term, first = fit.terms[k], fit.compared_with(k)
    if first:
        column = fit.column(k)
        category = term.removeprefix(f"{column}: ")
        return f"With “{category}” for “{column}” instead of “{first}”,"
    if any(sign in term for sign in "<>"):
        return f"Where {term},"
    return f"With each 1 more of “{term}”,"


def _times(log_odds: float) -> str:
    ratio = math.exp(min(max(log_odds, -700.0), 700.0))
    return f"{ratio:.2f}" if 0.095 <= ratio < 100 else f"{ratio:.2g}"
