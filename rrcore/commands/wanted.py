"""Options of ``plan`` about questions, people and precision: with the levels, any three give the fourth."""

import argparse
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rrcore.budget import (
    Assumption,
    Plan,
    Precision,
    level_for_precision,
    people_for_precision,
    precision_of,
    questions_within_precision,
)
from rrcore.commands.values import adder, headcount, quantity
from rrcore.errors import InputError
from rrcore.mechanisms import Mechanism
from rrcore.wording import counted, points

_MOST_LISTED = 20


def add_wanted(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options that ``wanted`` reads."""
    add = adder(command)
    add("--question", "attribute sets to be estimated, for example 'sex,smokes;age'; all shares of each are meant")
    add(
        "--precision",
        "half the width of a 95 %% interval of any such share, in percentage points, for example 2",
        quantity("precision", "a number, for example 2"),
        metavar="POINTS",
    )
    add("--people", "how many people answer; of --question, --precision, --people and the levels one is left out", headcount)
    add(
        "--share",
        "the share expected of the answer in question (default: the one that needs most people)",
        quantity("expected share", "a number, for example 2"),
        metavar="PERCENT",
    )
    add("--these-people", "intervals for the people who answer (default: for the population they come from)", action="store_true")


@dataclass(frozen=True)
class Wanted:
    """What was asked, as far as it was given."""

    questions: tuple[tuple[int, ...], ...]
    margin: float | None
    people: int | None
    assumption: Assumption

    @property
    def given(self) -> bool:
        """Whether anything was."""
        return bool(self.questions) or self.margin is not None

    @property
    def widest(self) -> int:
        """Attributes of the widest question."""
        return max(map(len, self.questions), default=0)

    @property
    def needs_levels(self) -> bool:
        """Whether everything but the levels is given."""
        return bool(self.questions) and self.margin is not None and self.people is not None

    def levels(self, plan: Plan) -> Precision:
        """The levels, in the ratio of those of ``plan``."""
        assert self.margin is not None
        return level_for_precision(plan, self.questions, self.margin, assumption=self.assumption)

    def answer(self, plan: Plan, mechanism: Mechanism) -> tuple[Plan, dict[str, Any]]:
        """The plan with its people, and what was asked, in words and numbers; empty where nothing was."""
        if self.questions and self.margin is not None:
            found = people_for_precision(plan, self.questions, self.margin, assumption=self.assumption, mechanism=mechanism)
            return found.plan, described(found, found.people_sentence(), "people")
        if self.questions and self.people is not None:
            found = precision_of(plan, self.questions, assumption=self.assumption, mechanism=mechanism)
            return plan, described(found, found.precision_sentence(), "precision")
        if self.margin is not None and self.people is not None:
            return plan, self._reached(plan, mechanism)
        if self.questions or self.margin is not None:
            raise InputError("Of --question, --precision and --people two are needed beside the levels: the third comes out.")
        return plan, {}

    def _reached(self, plan: Plan, mechanism: Mechanism) -> dict[str, Any]:
        assert self.margin is not None
        found = questions_within_precision(plan, self.margin, assumption=self.assumption, mechanism=mechanism)
        return {
            "sought": "questions",
            "precision_points": 100 * self.margin,
            "people": plan.respondents,
            "questions": [{"question": each.question, "precision_points": 100 * each.margin} for each in found],
            "sentence": f"With {counted(plan.respondents, 'person', 'people')} {counted(len(found), 'question', 'questions')} about one or "
            f"two attributes can be read to within ± {points(self.margin)}.",
            "assumption": self.assumption.text,
        }


def wanted(options: argparse.Namespace, questions: tuple[tuple[int, ...], ...]) -> Wanted:
    """What the options say; ``questions`` as positions. Raises InputError for what is no such number, or where nothing is left to find."""
    margin, share = (None if value is None else value / 100 for value in (options.precision, options.share))
    found = Wanted(questions, margin, options.people, Assumption(share, not options.these_people))
    if found.needs_levels and (options.eps is not None or options.total is not None):
        raise InputError(
            "The levels, --question, --precision and --people are all given: leave one of them out, it is what comes out."
        )
    return found


def described(found: Precision, sentence: str, sought: str) -> dict[str, Any]:
    """For JSON: what was sought, what was found, and the sentences that say it."""
    return {
        "sought": sought,
        "question": [found.plan.schema.names[i] for i in found.axes],
        "people": found.plan.respondents,
        "precision_points": 100 * found.margin if math.isfinite(found.margin) else None,
        "just_short_of_it_points": 100 * found.short if math.isfinite(found.short) else None,
        "share": found.share,
        "against_the_population": found.assumption.population,
        "sentence": sentence,
        "assumption": found.assumption_text,
        "typically_off_by_points": {
            name: None if math.isnan(error) else 100 * error for name, error in asdict(found.typical).items()
        },
        "price": found.price_text,
    }


def lines_wanted(result: dict[str, Any]) -> Sequence[str]:
    """The lines that say it, first of all."""
    if not result:
        return []
    lines = [result["sentence"], result["assumption"]]
    reached = result.get("questions", [])
    lines += [f"{each['question']}: within ± {points(each['precision_points'] / 100)}" for each in reached[:_MOST_LISTED]]
    return [*lines, f"... and {len(reached) - _MOST_LISTED} more"] if len(reached) > _MOST_LISTED else lines
