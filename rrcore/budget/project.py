"""A project: everything a person chose in one sitting, in one file that survives versions. No answers are in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from msgspec import Meta

from rrcore.budget.pinned import Pinned, PinnedFields
from rrcore.budget.plan import Marginals
from rrcore.budget.total import check_total_weights
from rrcore.channel.levels import check_levels
from rrcore.documents import Document, Fields
from rrcore.errors import InputError
from rrcore.limits import (
    MAX_CHOICES,
    MAX_COLUMNS,
    MAX_FLOOR,
    MAX_PEOPLE,
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
from rrcore.mechanisms import RECOMMENDED_WIDTH, Closeness, recipe, safe_recipe_name
from rrcore.table import DEMOS, Attribute, ColumnRule, Schema

Source = Literal["demo", "upload", "synthetic", "declare"]
Entry = Literal["levels", "total", "questions"]
_COLUMNS = Meta(max_length=MAX_COLUMNS)
Wording = Annotated[str, Meta(max_length=MAX_WORDING)]
Choice = Wording | int | float | bool | tuple[Wording, ...]


@dataclass(frozen=True)
class Invention:
    """What an invented table is made from, see ``rrcore.schemes.make_table``. The same seed makes the same table."""

    people: int = 10_000
    attributes: int = 3
    categories: int = 5
    cramers_v: float = 0.5
    zipf: float = 1.0
    seed: int = 0


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
    title: Annotated[str, Meta(max_length=MAX_TEXT)] = ""
    demo: str = ""
    invention: Invention | None = None
    columns: Annotated[tuple[str, ...], _COLUMNS] = ()
    rules: Annotated[Mapping[str, ColumnRule], _COLUMNS] = field(default_factory=dict)
    names: Annotated[Mapping[str, str], _COLUMNS] = field(default_factory=dict)
    seen: Annotated[tuple[str, ...], _COLUMNS] = ()

    def __post_init__(self) -> None:
        if self.source == "demo" and self.demo not in DEMOS:
            raise InputError(f"There is no demo '{self.demo[:40]}': choose among {', '.join(DEMOS)}.")
        if self.source == "synthetic" and self.invention is None:
            raise InputError("The project is about an invented table and does not say what it was made from.")

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

    respondents: Annotated[int, Meta(ge=1, le=MAX_PEOPLE)]
    chosen: tuple[str, ...]
    levels: Mapping[str, Annotated[float, Meta(gt=0)]]
    scale: Annotated[float, Meta(ge=MIN_SCALE, le=MAX_SCALE)] = 1.0
    entry: Entry = "levels"
    mechanism: str = safe_recipe_name(RECOMMENDED_WIDTH)
    width: Annotated[int, Meta(ge=1, le=MAX_COLUMNS)] = RECOMMENDED_WIDTH
    total: Annotated[float, Meta(ge=MIN_LEVEL, le=MAX_TOTAL)] = 4.0
    weights: Mapping[str, float] = field(default_factory=dict)
    questions: Marginals = ()
    floor: Annotated[float, Meta(ge=MIN_FLOOR, le=MAX_FLOOR)] | None = None
    floor_marginals: Marginals = ()
    slacks: Mapping[str, Annotated[float, Meta(ge=0, le=MAX_SLACK)]] = field(default_factory=dict)
    marginal: tuple[str, ...] = ()
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] = 0
    people: Annotated[int, Meta(ge=1, le=MAX_PEOPLE)] = 1
    wording: Mapping[str, Wording] = field(default_factory=dict)
    closeness: Closeness = "full"

    def __post_init__(self) -> None:
        recipe(self.mechanism)
        check_total_weights(list(self.weights.values()), list(self.weights))


class ProjectFields(Fields, frozen=True, kw_only=True):
    """Everything that a person chose in one sitting. There are no answers in it."""

    format: Literal["rr-workbench project"]
    version: Literal[1]
    unit_of_levels: Literal["nats"]
    table: Origin
    attributes: tuple[Attribute, ...]
    plan: Wishes
    pinned: PinnedFields
    choices: Annotated[Mapping[Annotated[str, Meta(max_length=MAX_TEXT)], Choice], Meta(max_length=MAX_CHOICES)]


@dataclass(frozen=True)
class Project(Document):
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

    _file = ProjectFields
    _called = "project file"
    _advice = "choose a file saved by 'Save project'"

    def __post_init__(self) -> None:
        wishes = self.wishes
        if not wishes.chosen:
            raise InputError("The project's plan has no attribute.")
        for names in (wishes.chosen, wishes.marginal, *wishes.questions, *wishes.floor_marginals):
            self.schema.axes(names)
        if missing := [name for name in wishes.chosen if name not in wishes.levels]:
            raise InputError(f"'{missing[0]}' has no level.")
        check_levels([wishes.levels[name] * wishes.scale for name in wishes.chosen], wishes.chosen)

    def _fields(self) -> ProjectFields:
        return ProjectFields(
            format="rr-workbench project",
            version=1,
            unit_of_levels="nats",
            table=self.origin,
            attributes=self.schema.attributes,
            plan=self.wishes,
            pinned=self.pins._fields(),
            choices=self.choices,
        )

    @classmethod
    def _of(cls, found: ProjectFields) -> Project:
        schema = Schema(found.attributes)
        return cls(found.table, schema, found.plan, Pinned._of(found.pinned), found.choices)
