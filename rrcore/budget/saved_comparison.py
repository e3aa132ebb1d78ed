"""Comparison of saved plans and of a plan that is repeated.

Privacy and accuracy use the same numbers as page Budget.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rrcore.budget.comparison import Option
from rrcore.budget.saved_plans import Pin
from rrcore.budget.verdicts import Accuracy, accuracy, protection
from rrcore.errors import InputError
from rrcore.limits import MAX_ROUNDS
from rrcore.mechanisms import Mechanism


@dataclass(frozen=True)
class PrivacyLoss:
    """The three privacy numbers of a mechanism, in the order used on every page.

    Parameters
    ----------
    alone : float, largest epsilon of a single answer
    informed : float, largest epsilon for an attacker who knows the other answers
    total : float, epsilon of the whole record
    """

    alone: float
    informed: float
    total: float

    @classmethod
    def of(cls, mechanism: Mechanism, rounds: int = 1) -> "PrivacyLoss":
        """Return the privacy loss after ``rounds`` randomizations of a record.

        Each randomization uses independent randomness.

        Examples
        --------
        >>> import rrcore as rr
        >>> mechanism = rr.Plan(rr.load_demo("titanic"), 0.5, mechanism="independent").build()
        >>> PrivacyLoss.of(mechanism, 3)
        PrivacyLoss(alone=1.5, informed=1.5, total=6.0)
        """
        if not 1 <= rounds <= MAX_ROUNDS:
            raise InputError(f"Expected 1 to {MAX_ROUNDS} rounds, got {rounds}. Choose a number in that range.")
        each = (abs(mechanism.epsilon).max(), max(mechanism.epsilon_informed), mechanism.epsilon_total)
        return cls(*(round(rounds * float(epsilon), 12) for epsilon in each))

    @property
    def protection(self) -> str:
        """Protection verdict."""
        return protection(self.total)


@dataclass(frozen=True)
class SavedPlan:
    """A saved plan with its mechanism, or the reason why there is none.

    Parameters
    ----------
    pin : Pin
    option : Option, the plan's mechanism
    pair : names of one or two attributes whose margin of error is compared
    """

    pin: Pin
    option: Option
    pair: tuple[str, ...] = ()

    @property
    def privacy(self) -> PrivacyLoss | None:
        """Privacy loss of a record, None without a mechanism."""
        return None if self.option.mechanism is None else PrivacyLoss.of(self.option.mechanism)

    @cached_property
    def accuracy(self) -> Accuracy | None:
        """Margins of error of all pairs, None without a mechanism."""
        return None if self.option.mechanism is None else accuracy(self.pin.plan, self.option.mechanism)

    @property
    def margin(self) -> float:
        """95% margin of error of the pair as a share.

        It is infinite if the plan cannot estimate the pair.
        """
        if self.accuracy is None or not self.pair:
            return math.inf
        axes = self.pin.plan.schema.axes(self.pair)
        return float(self.accuracy.margins[axes[0], axes[-1]])


def undominated(plans: Sequence[SavedPlan]) -> list[str]:
    """Return the names of the plans that no other plan dominates.

    A plan dominates another one if both its epsilon and its margin of error are smaller.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.budget import Pin, Plan, compare
    >>> plans = [Plan(rr.load_demo("titanic"), 1.0, mechanism=key) for key in ("independent", "preserving-2")]
    >>> saved = [SavedPlan(Pin(plan.key, plan), compare(plan, [plan.key])[0], ("Sex", "Survived")) for plan in plans]
    >>> undominated(saved)
    ['preserving-2']
    """
    known = [(plan.pin.name, plan.privacy.total, plan.margin) for plan in plans if plan.privacy and math.isfinite(plan.margin)]

    def beaten(total: float, margin: float) -> bool:
        return any(
            (other <= total + 1e-9 and error <= margin * (1 + 1e-9)) and (other < total - 1e-9 or error < margin * (1 - 1e-9))
            for _, other, error in known
        )

    return [name for name, total, margin in known if not beaten(total, margin)]
