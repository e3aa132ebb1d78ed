"""The mechanisms side by side for one plan: what the whole record costs, and what it buys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rrcore.budget.plan import Plan
from rrcore.errors import InputError
from rrcore.limits import MIN_FACTOR
from rrcore.mechanisms import MECHANISMS, ClosedForm, Kronecker, Mechanism, Optimal

__all__ = ["SHORTFALL", "WEAK", "Option", "compare"]

SHORTFALL = 0.005
"""An achieved level this far (nats) below the requested one shows in its second decimal: the mechanism does not meet it."""

WEAK = 0.5
"""A pair of which less than this part of Kronecker's interaction survives needs more than four times as many people."""


@dataclass(frozen=True)
class Option:
    """One mechanism for a plan, or the sentence that says why it cannot be had.

    Parameters
    ----------
    key : a key of ``MECHANISMS``
    title : its name on a page
    mechanism : Mechanism or None
    kronecker_total : record-level budget of Kronecker at the same levels, nats
    refusal : why there is no mechanism; empty if there is one
    shortfall : largest amount, in nats, by which an achieved level stays below the requested one
    """

    key: str
    title: str
    mechanism: Mechanism | None
    kronecker_total: float
    refusal: str = ""
    shortfall: float = 0.0

    @property
    def saving(self) -> float:
        """Share of Kronecker's total that is saved (negative: it costs more); NaN without a mechanism."""
        return 1 - self.mechanism.total_level / self.kronecker_total if self.mechanism else float("nan")

    @property
    def lost_pairs(self) -> int:
        """Number of pairs whose joint distribution is erased (|mu_ij| < MIN_FACTOR)."""
        if self.mechanism is None or self.mechanism.k < 2:
            return 0
        upper = np.triu_indices(self.mechanism.k, 1)
        return int((np.abs(self.mechanism.pair_factors()[upper]) < MIN_FACTOR).sum())

    @property
    def weak_pairs(self) -> int:
        """Number of pairs, not erased, of which less than ``WEAK`` of what Kronecker keeps survives."""
        if self.mechanism is None or self.mechanism.k < 2:
            return 0
        upper = np.triu_indices(self.mechanism.k, 1)
        return int((np.abs(self.mechanism.pair_ratios()[upper]) < WEAK).sum()) - self.lost_pairs

    @property
    def smallest_pair_factor(self) -> float | None:
        """The mu_ij nearest to 0; None with a single attribute."""
        if self.mechanism is None or self.mechanism.k < 2:
            return None
        factors = self.mechanism.pair_factors()[np.triu_indices(self.mechanism.k, 1)]
        return float(factors[np.abs(factors).argmin()])

    @property
    def weakest_pair(self) -> tuple[int, int] | None:
        """The pair i < j of which the smallest part of what Kronecker keeps survives; None with a single attribute."""
        if self.mechanism is None or self.mechanism.k < 2:
            return None
        first, second = np.triu_indices(self.mechanism.k, 1)
        weakest = int(np.abs(self.mechanism.pair_ratios()[first, second]).argmin())
        return int(first[weakest]), int(second[weakest])

    @property
    def certified_optimal(self) -> bool:
        """Whether no mechanism with these levels can have a smaller total."""
        if isinstance(self.mechanism, ClosedForm):
            return self.mechanism.is_optimal
        return isinstance(self.mechanism, Optimal) and self.mechanism.gap < MIN_FACTOR


def compare(plan: Plan, keys: tuple[str, ...] = ("kronecker", "joint", "closed-form", "optimal")) -> tuple[Option, ...]:
    """Every mechanism named in ``keys`` at the plan's levels, in that order."""
    kronecker = Kronecker.from_levels(plan.schema.sizes, plan.levels).total_level
    return tuple(_option(plan.with_mechanism(key), kronecker) for key in keys)


def _option(plan: Plan, kronecker: float) -> Option:
    title = MECHANISMS[plan.mechanism].title
    try:
        mechanism = plan.build()
    except InputError as error:
        return Option(plan.mechanism, title, None, kronecker, str(error))
    shortfall = float(np.max(np.asarray(plan.levels) - mechanism.levels))
    return Option(plan.mechanism, title, mechanism, kronecker, shortfall=max(0.0, shortfall))
