"""The mechanisms side by side for one plan: what the whole record costs, and what it buys."""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from rrcore.arrays import Floats
from rrcore.budget.plan import Plan
from rrcore.errors import InputError
from rrcore.estimate import Weakest, expected_error, weakest_interaction
from rrcore.estimate.interactions import ALIKE
from rrcore.executors import run
from rrcore.limits import MIN_FACTOR
from rrcore.mechanisms import Kronecker, Mechanism, Price, expected_pair_errors, offered_recipes, recipe
from rrcore.progress import Report, part, quiet
from rrcore.wording import saving_text
from rrcore.wording.short import Short

SHORTFALL = 0.005
"""An achieved level this far (nats) below the requested one shows in its second decimal: the mechanism does not meet it."""

EXCEEDED = 1e-9
"""Nats by which rounding may put an achieved level above the requested one."""

WEAK = 0.5
"""A pair of which less than this part of Kronecker's interaction survives needs more than four times as many people."""


@dataclass(frozen=True)
class Option(Short):
    """One mechanism for a plan, or the sentence that says why it cannot be had.

    Parameters
    ----------
    key : a key of ``RECIPES``
    title : its name on a page
    mechanism : Mechanism or None
    kronecker : Kronecker at the requested levels, what every option is compared with
    refusal : why there is no mechanism; empty if there is one
    shortfall : largest amount, in nats, by which an achieved level stays below the requested one
    """

    key: str
    title: str
    mechanism: Mechanism | None
    kronecker: Kronecker
    refusal: str = ""
    shortfall: float = 0.0

    def _summary(self) -> str:
        return f"{self.title}, {self.price_text}"

    @property
    def saving(self) -> float:
        """Share of Kronecker's total that is saved (negative: it costs more); NaN without a mechanism."""
        return 1 - self.mechanism.total_level / self.kronecker.total_level if self.mechanism else float("nan")

    @property
    def saving_text(self) -> str:
        """The saving in words, or why it cannot be compared: a smaller total for smaller levels is no saving."""
        if self.violations:
            return "exceeds the levels asked"
        return saving_text(self.saving) if self.meets_levels else "below the levels asked"

    @property
    def price_text(self) -> str:
        """Gain and price in one line: what is saved for the whole record, and what it gives away. The refusal where there is no mechanism.

        Examples
        --------
        >>> import rrcore as rr
        >>> plan = rr.Plan.for_levels(rr.load_demo("titanic"), 1.0)
        >>> rr.compare(plan, ["optimal"])[0].price_text
        '42 % less for the record; one answer × 2.72, others known × 10.1, whole record × 10.1'
        """
        if self.mechanism is None:
            return self.refusal
        return "; ".join(filter(None, (self.gain_text, self.price.text)))

    @property
    def gain_text(self) -> str:
        """What is saved for the whole record, and how much more might be; empty where it is not compared, or there is no mechanism."""
        if self.mechanism is None or self.key in ("kronecker", "design"):  # a design spends the total that was asked for
            return ""
        gain = self.saving_text if self.violations or not self.meets_levels else f"{self.saving_text} for the record"
        return f"{gain} ({self.mechanism.gap_text})" if self.mechanism.gap_text else gain

    @property
    def price(self) -> Price:
        """What its mechanism gives away.

        Examples
        --------
        >>> import rrcore as rr
        >>> rr.compare(rr.Plan.for_levels(rr.load_demo("titanic"), 1.0), ["optimal"])[0].price.text
        'one answer × 2.72, others known × 10.1, whole record × 10.1'
        """
        assert self.mechanism is not None
        return Price.of(self.mechanism, self.title)

    def widest_pair_error(self, n: int, *, population: bool = False) -> float:
        """Largest ``error`` over all pairs (over the single attribute where there is one); NaN where a pair is lost, or no mechanism."""
        if self.mechanism is None:
            return math.nan
        errors = expected_pair_errors(self.mechanism, n, population=population)
        return float(errors[np.triu_indices(self.mechanism.k, 1)].max() if self.mechanism.k > 1 else errors[0, 0])

    @cached_property
    def violations(self) -> tuple[int, ...]:
        """Positions of the attributes whose achieved level exceeds the requested one (the published heuristic does that)."""
        if self.mechanism is None or self.key == "design":
            return ()
        return tuple(int(i) for i in np.flatnonzero(self.mechanism.levels > self.kronecker.levels + EXCEEDED))

    @property
    def meets_levels(self) -> bool:
        """Whether no achieved level stays visibly below the requested one (RR-Joint cannot meet different levels at once)."""
        return self.shortfall < SHORTFALL

    @cached_property
    def _factors(self) -> Floats:
        """mu_ij of every pair i < j, in the order of ``np.triu_indices``; none without a mechanism."""
        return self.mechanism.pair_factors()[np.triu_indices(self.mechanism.k, 1)] if self.mechanism else np.zeros(0)

    @cached_property
    def _survival(self) -> Floats:
        """mu_ij of every pair over Kronecker's at the requested levels, in the order of ``_factors``."""
        return np.asarray(self._factors / self.kronecker.pair_factors()[np.triu_indices(self.kronecker.k, 1)])

    @property
    def lost_pairs(self) -> int:
        """Number of pairs whose joint distribution is erased (|mu_ij| < MIN_FACTOR)."""
        return int((np.abs(self._factors) < MIN_FACTOR).sum())

    @property
    def weak_pairs(self) -> int:
        """Number of pairs, not erased, of which less than ``WEAK`` of what Kronecker keeps survives."""
        return int(((np.abs(self._survival) < WEAK) & (np.abs(self._factors) >= MIN_FACTOR)).sum()) if self.mechanism else 0

    @property
    def weakest_pair(self) -> tuple[int, int, float] | None:
        """The pair i < j that survives worst beside Kronecker, the first of those that do so alike, and mu_ij / Kronecker's; None with a
        single attribute."""
        if self.mechanism is None or not self._factors.size:
            return None
        worst = int(np.abs(self._survival).round(ALIKE).argmin())
        first, second = np.triu_indices(self.mechanism.k, 1)
        return int(first[worst]), int(second[worst]), float(self._survival[worst])

    @property
    def smallest_pair_factor(self) -> float | None:
        """The mu_ij nearest to 0; None with a single attribute."""
        return float(self._factors[np.abs(self._factors).argmin()]) if self._factors.size else None

    @property
    def slack(self) -> float:
        """The most by which an attribute's leakage is above its level, nats; NaN without a mechanism."""
        return float((self.mechanism.leakage - self.mechanism.levels).max()) if self.mechanism else math.nan

    @property
    def excess(self) -> float:
        """The most by which an achieved level is above the requested one, nats (negative: none is); NaN without a mechanism."""
        return float((self.mechanism.levels - self.kronecker.levels).max()) if self.mechanism else math.nan

    def error(self, axes: Sequence[int], n: int, *, population: bool = False) -> float:
        """Expected error of a share of the marginal over ``axes`` from ``n`` people; NaN where it cannot be estimated.

        For a uniform guess of the shares (theory.md section 7); 0.01 is one point. ``population`` as in ``cell_variance``.
        """
        channel = None if self.mechanism is None else self.mechanism.marginal_channel(axes)
        if channel is None or channel.lost():
            return math.nan
        return expected_error(channel, n, population=population)

    def weakest(self, axes: Sequence[int]) -> Weakest | None:
        """What of the marginal over ``axes`` is read worst beside independent answers; None without two attributes or a mechanism."""
        return None if self.mechanism is None or len(axes) < 2 else weakest_interaction(self.mechanism.marginal_channel(axes))

    def respondents_factor(self, axes: Sequence[int], n: int, *, population: bool = False) -> float:
        """How many times as many people the marginal over ``axes`` needs for the error that Kronecker has; NaN where none would do."""
        kronecker = expected_error(self.kronecker.marginal_channel(axes), n, population=population)
        return (self.error(axes, n, population=population) / kronecker) ** 2


def compare(
    plan: Plan, keys: Sequence[str] = (), *, executor: Executor | None = None, report: Report = quiet
) -> tuple[Option, ...]:
    """Every mechanism named in ``keys`` at the plan's levels, in that order; those ``offered_recipes`` beside the plan's own if empty.

    ``keys`` may hold any of ``RECIPES``, the last two where the plan has safeguards and questions, and "3-safe" and so on.
    With an ``executor`` (see ``open_executor``) several are made at a time.

    Examples
    --------
    >>> import rrcore as rr
    >>> plan = rr.Plan.for_levels(rr.load_demo("titanic"), 1.0)
    >>> for option in rr.compare(plan, ["kronecker", "3-safe", "pair-safe", "optimal"]):
    ...     print(f"{option.title}: {option.mechanism.total_level:.2f} nats, {option.lost_pairs} pairs lost")
    Kronecker: 4.00 nats, 0 pairs lost
    3-safe: 2.76 nats, 0 pairs lost
    Pair-safe: 2.55 nats, 0 pairs lost
    Optimum: 2.31 nats, 0 pairs lost
    """
    kronecker = Kronecker.from_levels(plan.schema.sizes, plan.levels)
    keys = keys or offered_recipes(len(plan.levels), plan.mechanism)
    one = partial(_option, plan, kronecker)
    return tuple(run(one, keys, executor=executor, report=report, what="mechanisms", tells=True))


def compare_plans(plans: Mapping[Hashable, Plan], *, report: Report = quiet) -> Iterator[tuple[Hashable, Option]]:
    """The own mechanism of each plan, one after the other, with the plan's key."""
    for done, (key, plan) in enumerate(plans.items()):
        portion = part(report, done, len(plans), f"Plan {done + 1} of {len(plans)}")
        yield key, compare(plan, (plan.mechanism,), report=portion)[0]


def _option(plan: Plan, kronecker: Kronecker, key: str, *, report: Report = quiet) -> Option:
    title = recipe(key).title
    report(0.0, title)
    plan = plan.with_mechanism(key)
    try:
        mechanism = plan.build(report=part(report, 0, 1, title))
    except InputError as error:
        return Option(plan.mechanism, plan.title, None, kronecker, str(error))
    shortfall = 0.0 if plan.mechanism == "design" else float(np.max(np.asarray(plan.levels) - mechanism.levels))
    return Option(plan.mechanism, plan.title, mechanism, kronecker, shortfall=max(0.0, shortfall))
