"""Budget in one sentence: what the whole record costs under the plan's mechanism, and what it buys."""

from __future__ import annotations

import math
from dataclasses import replace

from rrcore.budget.comparison import Option
from rrcore.estimate import margin
from rrcore.wording import counted, odds_text, points


def bargain_sentence(option: Option, people: int, *, population: bool = False) -> str:
    """What the record, one answer and the pairs come to, in the plan's own numbers.

    Parameters
    ----------
    option : the plan's mechanism beside Kronecker
    people : number of respondents
    population : whether errors are against the population that the people come from

    Examples
    --------
    >>> import rrcore as rr
    >>> plan = rr.Plan.for_levels(rr.load_demo("titanic"), 2.0)
    >>> bargain_sentence(rr.compare(plan, ["3-safe"])[0], plan.respondents)[:96]
    "The whole record shifts anyone's odds by at most × 88.5 under 3-safe instead of × 2,990 under Kr"
    """
    if option.mechanism is None:
        return option.refusal
    alone, known = (odds_text(eps) for eps in option.dearest)
    record, independent = odds_text(option.mechanism.total_level), odds_text(option.kronecker.total_level)
    designed = option.key == "design"
    title = "the design for your questions" if designed else option.title
    parts = [f"The whole record shifts anyone's odds by at most × {record} under {title}"]
    if not designed and record != independent and option.meets_levels and not option.violations:
        parts[0] += f" instead of × {independent} under Kronecker"
    parts.append(
        f"one answer stays at × {alone}, even for someone who knows the others"
        if known == alone
        else f"one answer stays at × {alone}, or × {known} for someone who knows the others"
    )
    return "; ".join([*parts, _pairs(option, people, population)]) + "."


def _pairs(option: Option, people: int, population: bool) -> str:
    assert option.mechanism is not None
    what = "pairs are" if option.mechanism.k > 1 else "its shares are"
    widest = float(margin(option.widest_pair_error(people, population=population)))
    if not math.isfinite(widest):
        return f"{counted(option.lost_pairs, 'pair', 'pairs')} cannot be read at all"
    said = f"{what} expected within {points(widest)}"
    if option.key != "design":
        return said
    other = replace(option, mechanism=option.kronecker).widest_pair_error(people, population=population)
    return f"{said} instead of {points(float(margin(other)))} under Kronecker at the same total"
