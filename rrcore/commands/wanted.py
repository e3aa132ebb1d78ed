"""Options of ``plan`` about questions, people and precision: with the levels, any three give the fourth."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rrcore.budget import (
    Assumption,
    Plan,
    Precision,
    SmallestGroup,
    level_for_precision,
    people_for_precision,
    precision_of,
    questions_within_precision,
)
from rrcore.commands.planned import PlannedAttributes
from rrcore.commands.values import add_confidence, adder, headcount, quantity, refuse_given
from rrcore.errors import InputError
from rrcore.limits import MAX_PEOPLE
from rrcore.mechanisms import Mechanism
from rrcore.wording import counted, points
from rrcore.wording.json_values import finite

_MOST_LISTED = 20


def add_wanted(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options that ``wanted`` reads."""
    add = adder(command)
    add("--question", "attribute sets to be estimated, for example 'sex,smokes;age'; all shares of each are meant")
    add(
        "--precision",
        "half the width of an interval of any such share, in percentage points, for example 2",
        quantity("precision", "a number, for example 2"),
        metavar="POINTS",
    )
    add("--people", "how many people answer; of --question, --precision, --people and the levels one is left out", headcount)
    add(
        "--share",
        "the share expected of an answer (default: the one that needs most people)",
        quantity("expected share", "a number, for example 2"),
        metavar="PERCENT",
    )
    add("--within", "attributes that people are grouped by, for example sex: shares are then those within each group")
    add(
        "--group-share",
        "with --within: the share of people who are in the smallest group that matters (default: of the table, else all equally common)",
        quantity("share of the smallest group", "a number, for example 30"),
        metavar="PERCENT",
    )
    add_confidence(command)
    add("--these-people", "intervals for the people who answer (default: for the population they come from)", action="store_true")


@dataclass(frozen=True)
class Wanted:
    """What was asked, as far as it was given."""

    questions: tuple[tuple[int, ...], ...]
    margin: float | None
    people: int | None
    assumption: Assumption
    within: tuple[int, ...] = ()
    smallest: SmallestGroup | None = None

    @property
    def given(self) -> bool:
        """Whether anything was."""
        return bool(self.questions) or self.margin is not None

    @property
    def widest(self) -> int:
        """Attributes of the widest question, with those that people are grouped by."""
        return max(map(len, self.questions), default=0) + len(self.within)

    @property
    def needs_levels(self) -> bool:
        """Whether everything but the levels is given."""
        return bool(self.questions) and self.margin is not None and self.people is not None

    def levels(self, plan: Plan) -> Precision:
        """The levels, in the ratio of those of ``plan``."""
        assert self.margin is not None
        return level_for_precision(plan, self.questions, self.margin, within=self.within, assumption=self.assumption)

    def answer(self, plan: Plan, mechanism: Mechanism) -> tuple[Plan, dict[str, Any]]:
        """The plan with its people, and what was asked, in words and numbers; empty where nothing was."""
        if self.questions and self.margin is not None:
            found = people_for_precision(
                plan, self.questions, self.margin, within=self.within, assumption=self.assumption, mechanism=mechanism
            )
            return found.plan, self.described(found, found.people_sentence(), "people")
        if self.questions and self.people is not None:
            found = precision_of(plan, self.questions, within=self.within, assumption=self.assumption, mechanism=mechanism)
            return plan, self.described(found, found.precision_sentence(), "precision")
        if self.margin is not None and self.people is not None:
            return plan, self._reached(plan, mechanism)
        if self.questions or self.margin is not None:
            raise InputError("Of --question, --precision and --people two are needed beside the levels: the third comes out.")
        return plan, {}

    def _reached(self, plan: Plan, mechanism: Mechanism) -> dict[str, Any]:
        assert self.margin is not None
        found = questions_within_precision(plan, self.margin, within=self.within, assumption=self.assumption, mechanism=mechanism)
        groups = " × ".join(plan.schema.names[i] for i in self.within)
        where = f" within each {groups}" if groups else ""
        return {
            "sought": "questions",
            "precision_points": 100 * self.margin,
            "people": plan.respondents,
            "confidence": self.assumption.confidence,
            "questions": [{"question": each.question, "precision_points": 100 * each.margin} for each in found],
            "sentence": f"With {counted(plan.respondents, 'person', 'people')} "
            f"{counted(len(found), 'distribution', 'distributions')} of one or "
            f"two attributes{where} can be read to within ± {points(self.margin)}.",
        } | self._assumed(plan, self.assumption.text + (f" {self.assumption.groups_text(groups)}" if groups else ""))

    def described(self, found: Precision, sentence: str, sought: str) -> dict[str, Any]:
        """For JSON: what was sought, what was found, and the sentences that say it."""
        typical = {} if found.given else asdict(found.typical)
        return {
            "sought": sought,
            "question": [found.plan.schema.names[i] for i in found.axes],
            "people": found.plan.respondents,
            "precision_points": finite(100 * found.margin),
            "just_short_of_it_points": finite(100 * found.short),
            "share": found.share,
            "against_the_population": found.assumption.population,
            "confidence": found.assumption.confidence,
            "sentence": sentence,
            "typically_off_by_points": {name: finite(100 * error) for name, error in typical.items()} or None,
            "price": found.price_text,
        } | self._assumed(found.plan, found.assumption_text)

    def _assumed(self, plan: Plan, text: str) -> dict[str, Any]:
        """What is assumed, and of which groups; ``group_share`` is None where all are taken to be equally common."""
        entry = {"assumption": text if self.smallest is None else f"{text} {self.smallest.text}"}
        if not self.within:
            return entry
        return entry | {"within": [plan.schema.names[i] for i in self.within], "group_share": self.assumption.group}


def wanted(options: argparse.Namespace, about: PlannedAttributes) -> Wanted:
    """What the options say about attributes; the people of a table count where their number is not sought, and so does its smallest group.

    Raises InputError for what is no such number, or where nothing is left to find.
    """
    margin, share, group = (
        None if value is None else value / 100 for value in (options.precision, options.share, options.group_share)
    )
    questions, within = about.sets(options.question, "question"), _within(options, about)
    if group is not None and not 1 / MAX_PEOPLE <= group <= 1:
        raise InputError(
            f"The share of the smallest group is {options.group_share:g} %: give a number from {100 / MAX_PEOPLE:g} to 100, for example 10."
        )
    smallest = None
    if within and group is None and about.counted is not None:
        names = [about.names[i] for i in within]
        smallest = SmallestGroup.of(about.schema, names, about.counted(names))
        group = smallest.share
    levels = options.eps is not None or options.total is not None
    sought = levels and bool(questions) and margin is not None
    people = options.people or (None if sought else about.people)
    found = Wanted(
        questions, margin, people, Assumption(share, not options.these_people, options.confidence, group), within, smallest
    )
    if not found.given:
        unread = ["share", "these_people", "confidence"]
        refuse_given(options, unread, "Without --question or --precision no precision is asked for")
    if options.group_share is not None and not within:
        raise InputError(
            "--group-share is that of the smallest group of --within: say by what people are grouped, as in --within sex."
        )
    if within and not found.given:
        raise InputError("--within goes along with --question or --precision, of shares within each group: add one of them.")
    if found.needs_levels and levels:
        raise InputError(
            "The levels, --question, --precision and --people are all given: leave one of them out, it is what comes out."
        )
    return found


def _within(options: argparse.Namespace, about: PlannedAttributes) -> tuple[int, ...]:
    """The attributes that people are grouped by."""
    sets = about.sets(options.within, "option --within")
    if len(sets) > 1:
        raise InputError("--within is one set of attributes that people are grouped by: separate them by commas, as in sex,age.")
    return sets[0] if sets else ()


def lines_wanted(result: dict[str, Any]) -> Sequence[str]:
    """The lines that say it, first of all."""
    if not result:
        return []
    lines = [result["sentence"], result["assumption"]]
    reached = result.get("questions", [])
    lines += [f"{each['question']}: within ± {points(each['precision_points'] / 100)}" for each in reached[:_MOST_LISTED]]
    return [*lines, f"... and {len(reached) - _MOST_LISTED} more"] if len(reached) > _MOST_LISTED else lines
