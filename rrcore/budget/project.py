"""A project: everything a person chose in one sitting, in one file that survives versions. No answers are in it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from rrcore.budget.pinned import Pinned
from rrcore.budget.total import check_total_weights
from rrcore.channel.levels import check_levels
from rrcore.errors import InputError
from rrcore.limits import (
    MAX_CHOICES,
    MAX_COLUMNS,
    MAX_FLOOR,
    MAX_PEOPLE,
    MAX_QUESTIONS,
    MAX_SCALE,
    MAX_SEED,
    MAX_SLACK,
    MAX_TEXT,
    MAX_TOTAL,
    MAX_WORDING,
    MIN_FLOOR,
    MIN_LEVEL,
    MIN_SCALE,
)
from rrcore.mechanisms import RECOMMENDED_WIDTH, Closeness, check_closeness, recipe, safe_recipe_name
from rrcore.table import DEMOS, ColumnRule, Invention, Schema
from rrcore.table.plain import Place, from_plain, parse, to_plain

Source = Literal["demo", "upload", "synthetic", "declare"]
Entry = Literal["levels", "total", "questions"]
Choice = str | int | float | bool | tuple[str, ...]

_FORMAT = "rr-workbench project"
_PLACE = Place("project file", "choose a file saved by 'Save project'")


@dataclass(frozen=True)
class Origin:
    """Where the table of a project comes from, so that it can be made or asked for again; never its answers.

    Parameters
    ----------
    source : a demo table, an uploaded file, an invented table, or a schema that was declared without any
    title : what the table is called; for an upload, the name of the file
    demo : key of ``DEMOS``, for a demo table
    invention : what an invented table is made from
    columns : names of all columns of an upload
    rules : how each column becomes an attribute, by the name of the column
    names : names that columns were given, by those in the file or demo
    seen : names of attributes whose categories were read off an upload, and that may be seen nevertheless
    """

    source: Source = "declare"
    title: str = ""
    demo: str = ""
    invention: Invention | None = None
    columns: tuple[str, ...] = ()
    rules: Mapping[str, ColumnRule] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    seen: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.source == "demo" and self.demo not in DEMOS:
            raise InputError(f"There is no demo '{self.demo[:40]}': choose among {', '.join(DEMOS)}.")
        if self.source == "synthetic" and self.invention is None:
            raise InputError("The project is about an invented table and does not say what it was made from.")
        if len(self.title) > MAX_TEXT:
            raise InputError(f"The title of the table has {len(self.title):,} characters: use at most {MAX_TEXT}.")
        if max(len(self.columns), len(self.rules), len(self.names), len(self.seen)) > MAX_COLUMNS:
            raise InputError(f"The table of the project has more than {MAX_COLUMNS:,} columns.")

    def rules_for(self, columns: Sequence[str]) -> dict[str, ColumnRule] | None:
        """How the ``columns`` of a table become attributes, if all are there that the project uses; None if not."""
        if any(rule.use and name not in columns for name, rule in self.rules.items()):
            return None
        return {name: self.rules.get(name, ColumnRule(use=False)) for name in columns}


@dataclass(frozen=True)
class Wishes:
    """What is asked for: the plan as a person entered it, the question that is looked at, and the simulation of it.

    Parameters
    ----------
    respondents : number of people that the plan is for, 1 to MAX_PEOPLE
    chosen : names of the plan's attributes, in their order
    levels : name -> nats, before ``scale``; after it those of the plan are within MIN_LEVEL to MAX_LEVEL
    entry : what was entered: levels, a total with weights, or a total with questions
    mechanism, width : the plan's mechanism, and how many attributes it is safe for, or was last
    total : nats, above 0 and up to MAX_TOTAL
    weights, slacks : name -> positive number; name -> nats, 0 to MAX_SLACK, of the attributes with a leakage cap
    questions, floor_marginals : names of joint distributions
    floor : accuracy floor as a multiple of Kronecker's, None for none
    marginal, seed, people : the joint distribution that is shown, the seed and the number of people of the simulation
    wording : name -> the question as it is asked
    closeness : of the mechanism, as in ``Plan``
    """

    respondents: int
    chosen: tuple[str, ...]
    levels: Mapping[str, float]
    scale: float = 1.0
    entry: Entry = "levels"
    mechanism: str = safe_recipe_name(RECOMMENDED_WIDTH)
    width: int = RECOMMENDED_WIDTH
    total: float = 4.0
    weights: Mapping[str, float] = field(default_factory=dict)
    questions: tuple[tuple[str, ...], ...] = ()
    floor: float | None = None
    floor_marginals: tuple[tuple[str, ...], ...] = ()
    slacks: Mapping[str, float] = field(default_factory=dict)
    marginal: tuple[str, ...] = ()
    seed: int = 0
    people: int = 1
    wording: Mapping[str, str] = field(default_factory=dict)
    closeness: Closeness = "full"

    def __post_init__(self) -> None:
        recipe(self.mechanism)
        check_closeness(self.closeness)
        for number, what, least, most in (
            (self.respondents, "number of people", 1, MAX_PEOPLE),
            (self.people, "number of people of the simulation", 1, MAX_PEOPLE),
            (self.seed, "seed", 0, MAX_SEED),
            (self.width, "number of attributes that the mechanism is safe for", 1, MAX_COLUMNS),
        ):
            if not least <= number <= most:
                raise InputError(f"The {what} is {number}: it must be from {least} to {most:,}.")
        for value, what, low, high in (
            (self.scale, "scale", MIN_SCALE, MAX_SCALE),
            (self.total, "total", MIN_LEVEL, MAX_TOTAL),
            (1.0 if self.floor is None else self.floor, "floor", MIN_FLOOR, MAX_FLOOR),
        ):
            if not low <= value <= high:
                raise InputError(f"The {what} is {value:g}: it must be from {low:g} to {high:g}.")
        for names, what in ((self.questions, "questions"), (self.floor_marginals, "combinations with a floor")):
            if len(names) > MAX_QUESTIONS:
                raise InputError(f"There are {len(names):,} {what}: give at most {MAX_QUESTIONS:,}.")
        if any(not 0 <= slack <= MAX_SLACK for slack in self.slacks.values()):
            raise InputError(f"A leakage slack is not within 0 to {MAX_SLACK:g} nats.")
        check_total_weights(list(self.weights.values()), list(self.weights))
        if any(not 0 < level < math.inf for level in self.levels.values()):
            raise InputError("A level is not positive.")
        if any(len(text) > MAX_WORDING for text in self.wording.values()):
            raise InputError(f"The wording of a question has more than {MAX_WORDING:,} characters.")


@dataclass(frozen=True)
class Project:
    """One person's work, without a single answer.

    Parameters
    ----------
    origin : Origin of the table
    schema : Schema of all attributes that the table has, or that were declared
    wishes : Wishes, about attributes of the schema
    pins : Pinned plans
    choices : choices of single pages, by their names there

    Raises
    ------
    InputError
        With one sentence, where names are not those of the schema or a value is out of its range.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.load_demo("titanic").schema
    >>> wishes = Wishes(2201, ("Sex", "Survived"), dict.fromkeys(schema.names, 2.0))
    >>> project = Project(Origin("demo", "Titanic", "titanic"), schema, wishes)
    >>> Project.from_json(project.to_json()) == project
    True
    """

    origin: Origin
    schema: Schema
    wishes: Wishes
    pins: Pinned = field(default_factory=Pinned)
    choices: Mapping[str, Choice] = field(default_factory=dict)

    def __post_init__(self) -> None:
        wishes = self.wishes
        if not wishes.chosen:
            raise InputError("The project's plan has no attribute.")
        for names in (wishes.chosen, wishes.marginal, *wishes.questions, *wishes.floor_marginals):
            self.schema.axes(names)
        if missing := [name for name in wishes.chosen if name not in wishes.levels]:
            raise InputError(f"'{missing[0]}' has no level.")
        check_levels([wishes.levels[name] * wishes.scale for name in wishes.chosen], wishes.chosen)
        if len(self.choices) > MAX_CHOICES:
            raise InputError(f"The project has more than {MAX_CHOICES} choices of pages.")

    def to_json(self) -> str:
        """The project as a JSON document; ``from_json`` reads it back. It holds no answers."""
        unsaid = {"closeness"} if self.wishes.closeness == "full" else set()  # as programs write it that know no other
        document = {
            "format": _FORMAT,
            "version": 1,
            "unit_of_levels": "nats",
            "table": {"source": self.origin.source} | to_plain(self.origin),
            "attributes": self.schema.to_dict(),
            **self.schema.rules_to_dict(),
            "plan": {each.name: to_plain(getattr(self.wishes, each.name)) for each in fields(Wishes) if each.name not in unsaid},
            "pinned": json.loads(self.pins.to_json()),
            "choices": to_plain(self.choices),
        }
        return json.dumps(document, indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Project:
        """Read what ``to_json`` wrote. Raises InputError with one sentence for anything else."""
        document = parse(text, _PLACE)
        _PLACE.head(document, _FORMAT)
        found = from_plain(_Document, document, _PLACE)
        schema = Schema.from_document(document, _PLACE)
        return cls(found.table, schema, found.plan, Pinned.from_dict(found.pinned, _PLACE["pinned"]), found.choices)


@dataclass(frozen=True)
class _Document:
    """What is read of a project file beside the schema."""

    table: Origin
    attributes: tuple[Any, ...]
    plan: Wishes
    pinned: Mapping[str, Any]
    choices: Mapping[str, bool | int | float | str | tuple[str, ...]]
    unit_of_levels: Literal["nats"] = "nats"

    def __post_init__(self) -> None:
        texts = [text for value in self.choices.values() for text in (value if isinstance(value, tuple) else (value,))]
        if any(isinstance(text, str) and len(text) > MAX_WORDING for text in texts):
            raise InputError(f"A choice in the project file has more than {MAX_WORDING:,} characters.")
        if any(len(key) > MAX_TEXT for key in self.choices):
            raise InputError(f"The name of a choice in the project file has more than {MAX_TEXT} characters.")
