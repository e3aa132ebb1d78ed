"""Numbers that stand for one thing wherever they are printed: each says what it is, of what, and against whom it is meant.

Every page, report and command prints them here, so that the same thing has one name and the same digits everywhere.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from rrcore.wording.numbers import exact_odds_text, odds_text, points, range_text, share_text, total_text

Kind = Literal["one answer", "others known", "whole record", "releases together", "share", "any share"]
"""What numbers stand for: odds about one answer, about one where the others are known, between records, by what is published and by several
releases; a share, where all answers are equally common before there are any; any share, however common the answers are."""

Target = Literal["", "these people", "the population"]
"""What an error is against; "" for numbers that are against nothing."""


EVEN_WITHIN = "95 % within, if all are equally common"
"""Heading of forecasts of a "share": "any share" is within more, however common the answers are."""


@dataclass(frozen=True)
class Quantity:
    """What a number stands for; its methods print numbers, and nothing else prints such ones.

    Parameters
    ----------
    kind : what it is
    about : what it is of: the mechanism, and the attribute or question where there is one
    target : what an error is against

    Examples
    --------
    >>> Quantity("whole record", "Pair-safe").odds(7.82), Quantity("one answer", "smokes").odds(Fraction(5))
    ('× 2,490', '× 5.00')
    >>> Quantity("share", "Sex × Survived", "these people").within(0.0123)
    '± 1.2 points'
    """

    kind: Kind
    about: str
    target: Target = ""

    def odds(self, amount: float | Fraction | None) -> str:
        """By how many times odds can shift, rounded up: e to the power of nats, or a factor that is an exact fraction; None has no bound."""
        return f"× {self.times(amount)}" if amount is not None and amount < math.inf else "no bound"

    def times(self, amount: float | Fraction) -> str:
        """``odds`` before the word "times"."""
        return exact_odds_text(amount) if isinstance(amount, Fraction) else odds_text(amount)

    def both(self, nats: float) -> str:
        """Odds, and nats behind them: "× 88.5 (4.49 nats)"."""
        return f"{self.odds(nats)} ({total_text(nats)} nats)"

    def within(self, margin: float) -> str:
        """Half the width of a 95 % interval of a share, in points; all from the whole range on are alike."""
        if not math.isfinite(margin):
            return "cannot be read"
        return f"± {points(margin)}" if margin < 1 else "± 100 points or more"

    def estimated(self, share: float, low: float, high: float) -> str:
        """A share and its 95 % interval, with the digits that this supports: "38.9 % (37.7 to 40.1)"."""
        return f"{share_text(share, low, high)} ({range_text(low, high)})"


def quantity_target(population: bool) -> Target:
    """What errors are against."""
    return "the population" if population else "these people"
