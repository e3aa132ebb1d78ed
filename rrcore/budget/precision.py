"""What a plan reads how precisely under what is assumed of the true answers, in numbers and sentences (theory.md section 18).

Precision is the half width of an interval, of 95 % unless another confidence is assumed, of any one share of a question, 0.02 being two
points. It holds whatever the true answers are: for the share that is read worst, or for an expected one, with the other answers as
unfavourable as they can be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.budget.plan import Plan
from rrcore.channel import Channel, LieSets
from rrcore.estimate import ExpectedErrors, ShareVariance, WithinVariance, expected_error, normal_point
from rrcore.limits import MAX_PEOPLE
from rrcore.mechanisms import Mechanism, Price
from rrcore.table import Schema
from rrcore.wording import Quantity, counted, level_text, percent, points, quantity_target

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


@dataclass(frozen=True)
class SmallestGroup:
    """The smallest group of a table that anybody is in.

    Parameters
    ----------
    names : attributes that people are grouped by
    answers : of the people in it, one for each
    share : of the table's people, above 0 and at most 1

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> SmallestGroup.of(table.schema, ["Sex"], table.shares(["Sex"])).text
    "The smallest group by Sex is Female, 21.4 % of the table's people: read off true answers, which no level protects."
    """

    names: tuple[str, ...]
    answers: tuple[str, ...]
    share: float

    @classmethod
    def of(cls, schema: Schema, names: Sequence[str], shares: Floats) -> SmallestGroup:
        """That by ``names``, attributes of ``schema``, of people whose answers to these have the ``shares``, one axis for each name."""
        place = np.unravel_index(int(np.where(shares > 0, shares, np.inf).argmin()), shares.shape)
        attributes = schema.select(names).attributes
        answers = tuple(each.categories[int(i)] for each, i in zip(attributes, place, strict=True))
        return cls(tuple(names), answers, float(shares[place]))

    @property
    def text(self) -> str:
        """Which it is, and where that is known from."""
        return (
            f"The smallest group by {' × '.join(self.names)} is {' × '.join(self.answers)}, {percent(self.share)} of the table's people: "
            "read off true answers, which no level protects."
        )


@dataclass(frozen=True)
class Precision:
    """What a plan reads how precisely.

    Parameters
    ----------
    plan : Plan, with the people and the levels that were given or found: it can be adopted as it is
    mechanism : what carries it out
    axes : the question that is read worst, positions of attributes
    margin : half the width of its interval, 0.02 being two points; infinite where it cannot be read
    share : the share that this is for: the expected one, or the one that is read worst
    assumption : of the true answers, and what the interval is for
    short : the same with one person fewer or levels just below (``NEAR``), and so more than was asked for; NaN where nothing was sought
    given : positions of attributes that people are grouped by: shares are those within each group. Empty for all people
    """

    plan: Plan
    mechanism: Mechanism
    axes: tuple[int, ...]
    margin: float
    share: float
    assumption: Assumption
    short: float = math.nan
    given: tuple[int, ...] = ()

    @property
    def question(self) -> str:
        """The question's attributes, and those that people are grouped by."""
        text = " × ".join(self.plan.schema.names[i] for i in self.axes)
        return f"{text} within each {self._groups}" if self.given else text

    @property
    def _groups(self) -> str:
        return " × ".join(self.plan.schema.names[i] for i in self.given)

    @property
    def margin_text(self) -> str:
        """The precision in words."""
        return Quantity(
            "any share" if self.assumption.share is None else "share",
            asked_of(self.plan.respondents, self.question),
            quantity_target(self.assumption.population),
        ).within(self.margin)

    @property
    def price_text(self) -> str:
        """What it gives away."""
        return Price.of(self.mechanism, self.plan.title).text

    @property
    def even(self) -> float:
        """The precision where all combinations of answers are equally common, which is often nearer to what comes; NaN where none is."""
        if math.isinf(self.margin) or self.given:
            return math.nan
        channel = self.mechanism.marginal_channel(self.axes)
        return self.assumption.deviations * expected_error(channel, self.plan.respondents, population=self.assumption.population)

    @property
    def typical(self) -> ExpectedErrors:
        """What a share is typically off by, unbiased and read with the whole table, where all combinations of answers are equally common."""
        channel = self.mechanism.marginal_channel(self.axes)
        return ExpectedErrors.of(channel, self.plan.respondents, population=self.assumption.population)

    @property
    def assumption_text(self) -> str:
        """What is assumed of the true answers, what the interval is for, and what a share is typically off by beside it."""
        sentence = self.assumption.text
        if self.given:
            return f"{sentence} {self.assumption.groups_text(self._groups)}"
        if self.assumption.share is None and math.isfinite(self.margin):
            sentence += f" Where all answers are equally common: ± {points(self.even)}."
        return sentence if len(self.axes) < 2 else f"{sentence} Typically off by {self.typical.text}."

    def people_sentence(self) -> str:
        """How many people are needed."""
        n = self.plan.respondents
        fewer = "" if math.isnan(self.short) else "; one fewer is not enough"
        return f"Ask {counted(n, 'person', 'people')}: every share of {self.question} is then within {self.margin_text}{fewer}."

    def level_sentence(self) -> str:
        """Which levels are needed."""
        levels = [abs(float(eps)) for eps in self.mechanism.levels]
        low, high = level_text(min(levels)), level_text(max(levels))
        which = f"levels of {low}" if low == high else f"levels from {low} to {high}"
        return (
            f"With {counted(self.plan.respondents, 'person', 'people')} {which} are enough: every share of {self.question} is then within "
            f"{self.margin_text}."
        )

    def precision_sentence(self) -> str:
        """How precisely it is read."""
        if math.isinf(self.margin):
            return f"{self.question} cannot be read: what these attributes have in common is erased by {self.plan.title}."
        return every_share_sentence(self.plan.respondents, self.question, self.margin_text)
