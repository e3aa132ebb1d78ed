"""What is assumed of the true answers where people, levels and precision are worked out (theory.md section 18)."""

import math
from dataclasses import dataclass

from rrcore.channel import Channel, LieSets
from rrcore.estimate import ShareVariance, WithinVariance, expected_error, normal_point
from rrcore.limits import MAX_PEOPLE
from rrcore.wording import Quantity, counted, percent, quantity_target

Variance = ShareVariance | WithinVariance


@dataclass(frozen=True)
class Assumption:
    """What is assumed of the true answers, and what an interval is for.

    Parameters
    ----------
    share : the expected share of the answer in question, 0 to 1; None for the one that is read worst
    population : whether the interval is for the population the people come from, or for these people alone
    confidence : of the interval
    group : where shares are read within groups, the share of the smallest that matters; None where all groups are equally common
    """

    share: float | None = None
    population: bool = True
    confidence: float = 0.95
    group: float | None = None

    @property
    def deviations(self) -> float:
        """Standard errors to one side of the interval."""
        return normal_point(self.confidence)

    @property
    def text(self) -> str:
        """What is assumed of the true answers, and what the interval is for."""
        whose = "the population they come from" if self.population else "these people"
        if self.confidence != Assumption.confidence:
            whose += f", with {100 * self.confidence:g} % intervals"
        if self.share is None:
            return f"Cautious: whatever the true answers are, for {whose}."
        return f"For a share of {percent(self.share)}, however the other answers are spread, for {whose}."

    def groups_text(self, given: str) -> str:
        """What is assumed of the groups by ``given``."""
        if self.group is None:
            return f"All groups by {given} are taken to be equally common: say how common the smallest is, where it is not."
        return f"For groups by {given} that at least {percent(self.group)} of the people are in."

    def margin(self, variance: Variance | None, people: int) -> float:
        """Half the width of the interval from ``people`` people; infinite without a variance, where nothing can be read."""
        return math.inf if variance is None else self.deviations * variance.error(people, self.share, population=self.population)

    def sentence(self, channel: Channel, question: str, people: int) -> str:
        """How precisely ``question`` is read through ``channel``, which erases nothing: the same as ``Precision.precision_sentence``. What is
        reported otherwise than as an answer is forecast for answers that are equally common, and that is said.
        """
        whose = quantity_target(self.population)
        if isinstance(channel, LieSets):
            within = Quantity("any share", asked_of(people, question), whose).within(
                self.margin(ShareVariance.of(channel), people)
            )
            return every_share_sentence(people, question, within)
        error = expected_error(channel, people, population=self.population)
        return (
            f"With {counted(people, 'person', 'people')} a share of {question} is within "
            f"{Quantity('share', asked_of(people, question), whose).within(self.deviations * error)} if all answers are equally common."
        )

    def people(self, variance: Variance, margin: float) -> int:
        """The fewest people whose interval reaches no further than ``margin``, at least 1."""
        n = max(1, math.ceil(self.deviations**2 * variance.variance(self.share, population=self.population) / margin**2))
        if n > 2 * MAX_PEOPLE:  # than anybody can ask: counting on to the very number would not end
            return n
        while self.margin(variance, n) > margin:  # rounding
            n += 1
        while n > 1 and self.margin(variance, n - 1) <= margin:
            n -= 1
        return n


def asked_of(people: int, question: str) -> str:
    """The object of a quantity: the question and the people."""
    return f"{question}, {people} people"


def every_share_sentence(people: int, question: str, within: str) -> str:
    """How precisely every share is read, in a sentence."""
    return f"With {counted(people, 'person', 'people')} every share of {question} is within {within}."


CAUTIOUS = Assumption()
