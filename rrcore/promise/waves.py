"""What asking the same people again gives away, in exact arithmetic (theory.md section 23).

Nothing here knows how the weights were found, and nothing is a floating-point number.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rrcore.channel import Way
from rrcore.errors import InputError, check_number
from rrcore.limits import MAX_PROGRAMME_ATTRIBUTES, MAX_WAVES
from rrcore.promise.certificate import Ratio, certified_nats
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.stages import at_most_times, check_redrawn, output_table
from rrcore.promise.weights import Weights
from rrcore.wording import counted, exact_odds_text

WAYS: dict[Way, str] = {
    "fresh": "Fresh: randomised anew in every wave",
    "memoised": "Memoised: randomised once for good, and remembered",
    "two-stage": "Two-stage: remembered, then randomised once more in every wave",
}
"""How chance is drawn where the same people are asked again -> its title."""


_MARKS = 10  # numbers of waves that a figure shows


@dataclass(frozen=True)
class GivenAway:
    """What all reports of one person together give away.

    Parameters
    ----------
    way, waves, redrawn : as in ``given_away_in_waves``
    held : Ratio
        The most by which they move the odds between any two records that stay the same in all waves.
    ever : Ratio
        The same if waves never end.
    varied : Ratio
        The most by which they move the odds between any two courses of a record over the waves, such as between one that stays the same and
        one that changes. Exact for fresh and memoised answers, an upper bound for two stages.
    """

    way: Way
    waves: int
    redrawn: Fraction
    held: Ratio
    ever: Ratio
    varied: Ratio

    def sentence(self) -> str:
        """What a steward should know, in a sentence or two."""
        asked, held = f"Asked {counted(self.waves, 'time', 'times')}", at_most_times(self.held)
        if self.waves == 1:
            return f"{asked}, a record shifts odds {held}: nothing is asked again."
        if self.way == "fresh":
            return (
                f"{asked} and randomised anew each time, a record that stays the same shifts odds {held}: every wave adds its "
                "total once more, without end."
            )
        if self.way == "memoised":
            return (
                f"{asked} with memoised answers, a record that stays the same shifts odds {held}, as if asked once. But a "
                "report that differs from an earlier one proves that the record has changed, and each different record costs its total anew."
            )
        never = "" if self.ever is None else f", and never more than {exact_odds_text(self.ever)} times however often it is asked"
        if held == at_most_times(self.ever):
            never = ", as if asked once without the second stage, and never more"
        return (
            f"{asked} in two stages, a record that stays the same shifts odds {held}{never}. No single report proves a change, "
            f"but together they shift odds between any two courses of a record {at_most_times(self.varied)}, more with every wave."
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; amounts in nats, rounded up."""
        return {
            "way": self.way,
            "waves": self.waves,
            "redrawn": str(self.redrawn) if self.way == "two-stage" else None,
            "held": certified_nats(self.held),
            "ever": certified_nats(self.ever),
            "varied": certified_nats(self.varied),
            "sentence": self.sentence(),
        }


def given_away_in_waves(
    mechanism: MechanismFile, waves: int, way: Way = "fresh", *, redrawn: Fraction = Fraction(1, 4)
) -> GivenAway:
    """What ``waves`` reports of each person give away together.

    Parameters
    ----------
    mechanism : MechanismFile; of two stages the permanent one
    waves : int, 1 to ``MAX_WAVES``
    way : Way
        ``fresh``: every wave is a draw of its own. ``memoised``: one draw for every record a person may ever have, per group of
        attributes. ``two-stage``: of what is remembered, every attribute is replaced in every wave by a uniformly drawn category with
        probability ``redrawn`` (Erlingsson, Pihur, Korolova 2014, with their permanent and instantaneous response).
    redrawn : Fraction, between 0 and 1, of two stages only

    Raises
    ------
    InputError
        For a number of waves or a probability out of range, or two stages of more than ``MAX_PROGRAMME_ATTRIBUTES`` attributes that
        are randomised together.

    Examples
    --------
    >>> from rrcore.promise.waves import given_away_in_waves
    >>> from rrcore.answers import nigeria
    >>> file = nigeria().mechanism  # a die: 1 says no, 6 says yes, else the truth
    >>> [given_away_in_waves(file, 4, way).held for way in ("fresh", "memoised", "two-stage")]
    [Fraction(625, 1), Fraction(5, 1), Fraction(2001, 401)]
    """
    if waves not in range(1, MAX_WAVES + 1):
        raise InputError(f"{waves} waves are asked for: give 1 to {MAX_WAVES}.")
    check_redrawn(redrawn)
    total = mechanism.certificate.total
    if way == "memoised":
        return GivenAway(way, waves, redrawn, total, total, total if waves == 1 else None)
    if way == "fresh":
        held = None if total is None else total**waves
        return GivenAway(way, waves, redrawn, held, Fraction(1) if total == 1 else None, held)
    held, first, swing = Fraction(1), Fraction(1), Fraction(1)
    for _, weights in mechanism.groups:
        # how much likelier the remembered category is than each other one
        odds = [(size * (1 - redrawn) + redrawn) / redrawn for size in weights.report_sizes]
        held *= _two_stage(weights, [each**waves for each in odds])
        first *= _two_stage(weights, odds)
        swing *= math.prod(odds, start=Fraction(1))
    return GivenAway(way, waves, redrawn, held, total, first * swing ** (waves - 1))


def over_waves(mechanism: MechanismFile, waves: int, way: Way, *, redrawn: Fraction = Fraction(1, 4)) -> tuple[GivenAway, ...]:
    """What is given away after 1, 2, ... up to ``waves`` waves: some ``_MARKS`` numbers of waves, the last one among them."""
    check_number("The number of waves", waves, 1, MAX_WAVES, whole=True)
    marks = sorted({round(1 + (waves - 1) * i / (_MARKS - 1)) for i in range(_MARKS)})
    return tuple(given_away_in_waves(mechanism, mark, way, redrawn=redrawn) for mark in marks)


def _two_stage(weights: Weights, odds: list[Fraction]) -> Fraction:
    """The most that one group's report moves odds if what is remembered is ``odds`` times likelier to be given than each other category.

    Of W reports of one record those move odds furthest that are all alike, and they weigh as one report with odds^W (theory.md section 23).
    """
    if weights.rows is not None:
        more = odds[0] - 1
        columns = list(zip(*weights.rows, strict=True))
        return max((weights.whole + more * max(column)) / (weights.whole + more * min(column)) for column in columns)
    if len(weights.sizes) > MAX_PROGRAMME_ATTRIBUTES:
        raise InputError(
            f"{len(weights.sizes)} attributes are randomised together: what two stages give away is worked out for at most "
            f"{MAX_PROGRAMME_ATTRIBUTES}. Choose fresh or memoised answers, or randomise in smaller groups."
        )
    table = output_table(weights)
    for axis, (size, each) in enumerate(zip(weights.sizes, odds, strict=True)):
        true, false = np.moveaxis(table, axis, 0)
        up, down = each.numerator, each.denominator
        table = np.stack([true * up + false * (size - 1) * down, true * down + false * (up + (size - 2) * down)], axis=axis)
    cells = table.ravel().tolist()
    return Fraction(max(cells), min(cells))
