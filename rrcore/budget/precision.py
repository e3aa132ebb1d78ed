"""What a plan reads how precisely, in numbers and sentences (theory.md section 18).

Precision is the half width of an interval, of 95 % unless another confidence is assumed, of any one share of a question, 0.02 being two
points. It holds whatever the true answers are: for the share that is read worst, or for an expected one, with the other answers as
unfavourable as they can be.
"""

import math
from dataclasses import dataclass

from rrcore.budget.assumption import Assumption, asked_of, every_share_sentence
from rrcore.budget.plan import Plan
from rrcore.estimate import ExpectedErrors, expected_error
from rrcore.mechanisms import Mechanism, Price
from rrcore.wording import Quantity, counted, level_text, points, quantity_target


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
