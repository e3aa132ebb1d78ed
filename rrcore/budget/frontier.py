"""What more accuracy, less leakage or a larger budget would cost: one point after another, each a plan that can be adopted."""

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from rrcore.budget.comparison import Option
from rrcore.budget.plan import Plan
from rrcore.errors import InputError
from rrcore.estimate import ExpectedErrors, expected_error
from rrcore.executors import run
from rrcore.limits import MAX_LEVEL, MAX_PROGRAMME_ATTRIBUTES, MIN_LEVEL
from rrcore.mechanisms import Mechanism, Safeguards, recipe, safe_recipe_name
from rrcore.progress import Report, part, quiet

_WIDEST_OF_MANY = 3


@dataclass(frozen=True)
class FrontierPoint:
    """One plan on a trade-off.

    Parameters
    ----------
    value : float, what is traded for the total: gamma, slack in nats, or expected error of a share; NaN where it cannot be estimated
    total : float, record-level budget in nats; infinite where there is no such mechanism
    plan : Plan, what to adopt
    mechanism : Mechanism or None
    refusal : why there is no mechanism; empty if there is one
    """

    value: float
    total: float
    plan: Plan
    mechanism: Mechanism | None
    refusal: str = ""

    @property
    def leakage(self) -> float:
        """The leakage of the attribute that gives away most where the others are known, nats; infinite where there is no mechanism."""
        return float(self.mechanism.leakage.max()) if self.mechanism is not None else math.inf


def accuracy_frontier(
    plan: Plan, gammas: Iterable[float], marginals: Sequence[Sequence[int]] = (), *, report: Report = quiet
) -> Iterator[FrontierPoint]:
    """Record total against gamma: the accuracy floor of ``marginals`` (all pairs if empty) as a multiple of Kronecker's.

    The caps of the plan, if any, are kept. gamma = 0 is the optimum without a floor.
    """
    chosen, slacks = tuple(tuple(axes) for axes in marginals), plan.safeguards.slacks
    floors = (Safeguards(float(gamma), chosen, slacks) if gamma else Safeguards(slacks=slacks) for gamma in gammas)
    return _points([(kept.floor or 0.0, _safeguarded(plan, kept)) for kept in floors], None, report)


def leakage_frontier(
    plan: Plan, slacks: Iterable[float], axes: Sequence[int] = (), *, report: Report = quiet
) -> Iterator[FrontierPoint]:
    """Record total against how far the leakage of ``axes`` (every attribute if empty) may be above its level.

    Slack 0 on every attribute is Kronecker, infinite slack the optimum. The floor of the plan, if any, is kept.
    """
    k, asked = len(plan.levels), []
    for slack in map(float, slacks):
        caps = None if math.isinf(slack) else tuple(slack if not axes or i in axes else math.inf for i in range(k))
        asked.append((slack, _safeguarded(plan, replace(plan.safeguards, slacks=caps))))
    return _points(asked, None, report)


def safe_frontier(
    plan: Plan, widths: Iterable[int], *, executor: Executor | None = None, report: Report = quiet
) -> Iterator[FrontierPoint]:
    """Record total against w: the least that keeps joint distributions of up to w attributes at Kronecker's accuracy or above.

    Parameters
    ----------
    plan : Plan, its levels; its own mechanism and safeguards play no part
    widths : as ``safe_frontier_widths`` returns them; the value of each FrontierPoint is its width
    """
    plain = partial(replace, plan, safeguards=Safeguards(), questions=None)
    return _points([(float(width), plain(mechanism=safe_recipe_name(width))) for width in widths], executor, report)


def frontier_errors_by_width(
    points: Iterable[FrontierPoint], axes: Sequence[int], *, population: bool = False
) -> dict[float, ExpectedErrors]:
    """What a share of the marginal over ``axes`` is typically off by under every mechanism of ``safe_frontier``, by its width."""
    made = ((point.value, point.plan.respondents, point.mechanism) for point in points if point.mechanism is not None)
    return {width: ExpectedErrors.of(mechanism.marginal_channel(axes), n, population=population) for width, n, mechanism in made}


def safe_frontier_widths(k: int) -> tuple[int, ...]:
    """Widths worth a point of ``safe_frontier`` for k attributes: all of them, or up to triples where each takes long."""
    return tuple(range(1, (k if k <= MAX_PROGRAMME_ATTRIBUTES else _WIDEST_OF_MANY) + 1))


def leakage_frontier_slacks(options: Iterable[Option]) -> tuple[float, ...]:
    """Slacks worth a point of ``leakage_frontier``, nats: from 0 to just below what the optimum among ``options`` has, and no cap at all."""
    largest = max([0.1, *(option.slack for option in options if option.key == "optimal" and option.mechanism)])
    return (0.0, *(round(float(slack), 3) for slack in largest * np.geomspace(0.03, 0.9, 9)), math.inf)


def error_frontier(
    plan: Plan, axes: Sequence[int], scales: Iterable[float], *, population: bool = False, report: Report = quiet
) -> Iterator[FrontierPoint]:
    """Record total against the expected error of the marginal over ``axes``, for the plan's mechanism with all levels scaled."""
    possible = [scale for scale in scales if min(plan.levels) * scale >= MIN_LEVEL and max(plan.levels) * scale <= MAX_LEVEL]
    scaled = [(math.nan, replace(plan, levels=tuple(scale * level for level in plan.levels))) for scale in possible]
    for point in _points(scaled, None, report):
        if point.mechanism is not None and not (channel := point.mechanism.marginal_channel(axes)).lost():
            point = replace(point, value=expected_error(channel, plan.respondents, population=population))
        yield point


def error_frontiers(
    plan: Plan,
    keys: Sequence[str],
    axes: Sequence[int],
    scales: Sequence[float],
    *,
    population: bool = False,
    report: Report = quiet,
) -> dict[str, list[FrontierPoint]]:
    """``error_frontier`` under each of the mechanisms ``keys``; those under which the marginal cannot be estimated are left out."""
    curves = {}
    for done, key in enumerate(keys):
        bare = replace(plan.with_mechanism(key), questions=None)
        portion = part(report, done, len(keys), recipe(key).title)
        curves[key] = list(error_frontier(bare, axes, scales, population=population, report=portion))
    return {key: curve for key, curve in curves.items() if any(math.isfinite(point.value) for point in curve)}


def _safeguarded(plan: Plan, safeguards: Safeguards) -> Plan:
    empty = safeguards.floor is None and safeguards.slacks is None
    return replace(plan, mechanism="optimal" if empty else "safeguarded", safeguards=Safeguards() if empty else safeguards)


def _points(asked: Sequence[tuple[float, Plan]], executor: Executor | None, report: Report) -> Iterator[FrontierPoint]:
    return run(_point, asked, executor=executor, report=report, what="plans")


def _point(asked: tuple[float, Plan]) -> FrontierPoint:
    value, plan = asked
    try:
        mechanism = plan.build()
    except InputError as error:
        return FrontierPoint(value, np.inf, plan, None, str(error))
    return FrontierPoint(value, mechanism.total_level, plan, mechanism)
