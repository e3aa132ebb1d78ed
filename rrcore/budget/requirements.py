"""Levels, what is read, people and precision: any three give the fourth (theory.md section 18)."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from rrcore.budget.plan import Plan
from rrcore.budget.precision import CAUTIOUS, Assumption, Precision, Variance
from rrcore.errors import InputError, check_positions
from rrcore.estimate import ShareVariance, WithinVariance
from rrcore.limits import MAX_LEVEL, MAX_MARGINAL, MAX_PEOPLE, MIN_LEVEL, MIN_MARGIN
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, quiet
from rrcore.wording import count_text, counted, level_text, points

NEAR = 1.001
"""Levels that are found enough come with others, lower by less than this factor, that are not."""

_STEP = 1.6  # by which levels change until there are some that are enough and some that are not
_EXPECTED_BUILDS = 18


_EXACT = ShareVariance(1.0, 0.0)  # of answers that are never randomised


def precision_of(
    plan: Plan,
    questions: Sequence[Sequence[int]],
    *,
    within: Sequence[int] = (),
    assumption: Assumption = CAUTIOUS,
    mechanism: Mechanism | None = None,
) -> Precision:
    """How precisely the worst read of ``questions`` is read by the plan's people.

    Parameters
    ----------
    questions : positions of attributes, one or more each
    within : positions of attributes that people are grouped by: shares of the questions are then those within each group
    assumption : of the true answers, and what the interval is for
    mechanism : what ``plan.build()`` returned, where it is at hand

    Examples
    --------
    >>> import rrcore as rr
    >>> plan = rr.Plan.for_levels(rr.load_demo("titanic"), 2.0, mechanism="kronecker")
    >>> print(precision_of(plan, [plan.schema.axes(["Sex", "Survived"])]).precision_sentence())
    With 2,201 people every share of Sex × Survived is within ± 3.1 points.
    >>> print(precision_of(plan, [plan.schema.axes(["Survived"])], within=plan.schema.axes(["Sex"])).precision_sentence())
    With 2,201 people every share of Survived within each Sex is within ± 4.6 points.
    """
    asked, built = _questions(plan, questions, within), mechanism or plan.build()
    return max((_read(plan, built, axes, tuple(within), assumption) for axes in asked), key=lambda found: found.margin)


def people_for_precision(
    plan: Plan,
    questions: Sequence[Sequence[int]],
    margin: float,
    *,
    within: Sequence[int] = (),
    assumption: Assumption = CAUTIOUS,
    mechanism: Mechanism | None = None,
) -> Precision:
    """The fewest people with whom every share of ``questions`` is read to within ``margin``; those of the plan play no part.

    Parameters
    ----------
    margin : half the width of the interval, 0.02 being two points
    questions, within, assumption, mechanism : as in ``precision_of``

    Raises
    ------
    InputError
        Where no number of people is enough.

    Examples
    --------
    >>> import rrcore as rr
    >>> plan = rr.Plan.for_levels(rr.load_demo("titanic"), 2.0, mechanism="kronecker")
    >>> print(people_for_precision(plan, [plan.schema.axes(["Sex", "Survived"])], 0.02).people_sentence())
    Ask 5,402 people: every share of Sex × Survived is then within ± 2.0 points; one fewer is not enough.
    """
    checked, built = _margin(margin), mechanism or plan.build()
    worst = precision_of(plan, questions, within=within, assumption=assumption, mechanism=built)
    variance = _variance(built, worst.axes, worst.given, assumption)
    if variance is None:
        raise InputError(
            f"No number of people is enough for {worst.question}: {plan.title} erases what these attributes have in common. "
            "Raise the levels, or choose a mechanism safe for as many attributes as are read together."
        )
    n = assumption.people(variance, checked)
    if n > MAX_PEOPLE:
        raise InputError(
            f"For ± {points(margin)} on {worst.question} more than {MAX_PEOPLE:,} people would be needed: accept less precision."
        )
    short = assumption.margin(variance, n - 1) if n > 1 else math.nan
    return replace(worst, plan=replace(plan, respondents=n), margin=assumption.margin(variance, n), short=short)


def level_for_precision(
    plan: Plan,
    questions: Sequence[Sequence[int]],
    margin: float,
    *,
    within: Sequence[int] = (),
    assumption: Assumption = CAUTIOUS,
    report: Report = quiet,
) -> Precision:
    """The plan's levels, all multiplied by one number, that read every share of ``questions`` to within ``margin`` with its people.

    The levels found are enough and levels lower by less than ``NEAR`` are not (``short``); both are checked on the mechanisms
    themselves. For a plan designed for questions its total is what is sought.

    Parameters
    ----------
    margin : half the width of the interval, 0.02 being two points
    questions, within, assumption : as in ``precision_of``
    report : called with every mechanism that is tried

    Raises
    ------
    InputError
        Where no level is enough; it says what people alone would give.

    Examples
    --------
    >>> import rrcore as rr
    >>> plan = rr.Plan.for_levels(rr.load_demo("titanic"), 2.0, mechanism="kronecker")
    >>> found = level_for_precision(plan, [plan.schema.axes(["Sex", "Survived"])], 0.04)
    >>> [round(level, 2) for level in found.plan.levels], found.margin <= 0.04 < found.short
    ([1.55, 1.55, 1.55, 1.55], True)
    """
    checked, asked = _margin(margin), _questions(plan, questions, within)
    groups = math.prod(plan.schema.sizes[i] for i in within)
    _check_people(plan.respondents, checked, assumption, (assumption.group or 1 / groups) if within else 1.0)
    base = [plan.questions.total / len(plan.levels)] if plan.questions is not None else list(plan.levels)
    least, most = MIN_LEVEL / min(base), MAX_LEVEL / max(base)
    tried: dict[float, Precision] = {}

    def enough(scale: float) -> bool:
        report(min(0.95, len(tried) / _EXPECTED_BUILDS), f"trying levels, {len(tried) + 1}")
        tried[scale] = precision_of(plan.scaled(scale), asked, within=within, assumption=assumption)
        return tried[scale].margin <= checked

    low = high = min(1.0, most)
    if enough(high):
        while low > least and enough(low := max(low / _STEP, least)):
            high = low
        if high == low:
            return tried[high]
    else:
        while not enough(high := min(high * _STEP, most)):
            if high == most:
                raise InputError(
                    f"No level is enough for ± {points(margin)} on {tried[high].question}: even at {level_text(MAX_LEVEL)}, the highest, it "
                    f"would be {tried[high].margin_text}. Choose a mechanism safe for as many attributes as are read together, or more "
                    "people."
                )
            low = high
    while high / low > NEAR:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return replace(tried[high], short=tried[low].margin)


def questions_within_precision(
    plan: Plan,
    margin: float,
    *,
    widest: int = 2,
    within: Sequence[int] = (),
    assumption: Assumption = CAUTIOUS,
    mechanism: Mechanism | None = None,
) -> tuple[Precision, ...]:
    """Every question of up to ``widest`` attributes that the plan reads to within ``margin``, the most precise first.

    Parameters
    ----------
    margin : half the width of the interval, 0.02 being two points
    widest : most attributes of a question, those that people are grouped by aside
    within, assumption, mechanism : as in ``precision_of``

    Examples
    --------
    >>> import rrcore as rr
    >>> plan = rr.Plan.for_levels(rr.load_demo("titanic"), 2.0, mechanism="kronecker")
    >>> [found.question for found in questions_within_precision(plan, 0.03)]
    ['Sex', 'Age', 'Survived']
    """
    checked, built = _margin(margin), mechanism or plan.build()
    asked = [i for i in range(len(plan.levels)) if i not in within]
    sets = _questions(plan, [axes for size in range(1, widest + 1) for axes in combinations(asked, size)], within)
    reached = [found for axes in sets if (found := _read(plan, built, axes, tuple(within), assumption)).margin <= checked]
    return tuple(sorted(reached, key=lambda found: found.margin))


def _read(plan: Plan, mechanism: Mechanism, axes: tuple[int, ...], given: tuple[int, ...], assumption: Assumption) -> Precision:
    variance = _variance(mechanism, axes, given, assumption)
    worst = 0.5 if variance is None else variance.cautious(population=assumption.population)
    share = worst if assumption.share is None else assumption.share
    margin = assumption.margin(variance, plan.respondents)
    return Precision(plan, mechanism, axes, margin, share, assumption, given=given)


def _variance(mechanism: Mechanism, axes: Sequence[int], given: Sequence[int], assumption: Assumption) -> Variance | None:
    """None where the marginal cannot be read."""
    channel = mechanism.marginal_channel((*axes, *given))
    if channel.lost():
        return None
    if not given:
        return ShareVariance.of(channel)
    return WithinVariance.of(channel, range(len(axes), channel.w), assumption.group)


def _questions(plan: Plan, questions: Sequence[Sequence[int]], within: Sequence[int]) -> list[tuple[int, ...]]:
    asked = [tuple(axes) for axes in questions]
    if not asked or not all(asked):
        raise InputError("Nothing is to be read: name at least one attribute.")
    if max(map(len, asked)) + len(within) > MAX_MARGINAL:
        raise InputError(f"A joint distribution has more than {MAX_MARGINAL} attributes: choose fewer for each.")
    check_positions(asked, len(plan.schema.names), "What is to be read")
    if both := {plan.schema.names[i] for axes in asked for i in axes if i in within}:
        raise InputError(f"'{min(both)}' is to be read and people are grouped by it: leave it out of one of them.")
    return asked


def _check_people(people: int, margin: float, assumption: Assumption, group: float) -> None:
    """Raise InputError where not even answers that are never randomised are precise enough; ``group``: the share of people they are of."""
    error = assumption.margin(_EXACT, people) / math.sqrt(group)
    if error > margin:
        text = points(error) if points(error) != points(margin) else f"{100 * error:.5g} points"  # another number than ``margin``
        needed = math.ceil(assumption.people(_EXACT, margin) / group)
        raise InputError(
            f"No level is enough: even with no randomization {counted(people, 'person gives', 'people give')} ± {text}. "
            f"Ask at least {count_text(needed)} people or accept less precision."
        )


def _margin(margin: float) -> float:
    if not 0 < margin < 1:
        raise InputError(f"The precision is {100 * margin:g} points: give a number above 0 and below 100, for example 2.")
    if margin < MIN_MARGIN:
        raise InputError(f"The precision is {100 * margin:g} points: give at least {100 * MIN_MARGIN:g}, for example 2.")
    return margin
