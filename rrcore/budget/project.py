"""Project files, which contain no answers.

A project contains the plan as entered, the origin of its table, and the saved plans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, Literal

from msgspec import Meta

from rrcore.budget.plan import Marginals
from rrcore.budget.recipes import RECOMMENDED_WIDTH, preserving_key, recipe
from rrcore.budget.saved_plans import Pinned, PinnedFields
from rrcore.budget.total import check_total_weights
from rrcore.channel.epsilon import check_epsilon
from rrcore.documents import Document, Fields
from rrcore.errors import InputError
from rrcore.limits import (
    MAX_COLUMNS,
    MAX_FLOOR,
    MAX_PEOPLE,
    MAX_ROWS_PER_PERSON,
    MAX_SEED,
    MAX_SLACK,
    MAX_TEXT,
    MAX_TOTAL,
    MAX_WORDING,
    MIN_EPSILON,
    MIN_FLOOR,
)
from rrcore.table import DEMOS, Attribute, ColumnRule, Schema

Source = Literal["demo", "upload", "synthetic", "declare"]
Entry = Literal["epsilon", "total", "questions"]
_COLUMNS = Meta(max_length=MAX_COLUMNS)
Wording = Annotated[str, Meta(max_length=MAX_WORDING)]


@dataclass(frozen=True)
class Invention:
    """The settings of an invented table, see ``rrcore.simulation.make_table``.

    The same seed yields the same table.
    """

    people: int = 10_000
    attributes: int = 3
    categories: int = 5
    cramers_v: float = 0.5
    zipf: float = 1.0
    seed: int = 0


@dataclass(frozen=True)
class Origin:
    """The origin of a project's table, without its answers.

    The table can be recreated or requested again from this information.

    Parameters
    ----------
    source : a demo table, an uploaded file, an invented table, or a schema declared without a table
    title : the title of the table. For an upload, the name of the file
    demo : key of ``DEMOS`` for a demo table
    invention : settings of an invented table
    columns : names of all columns of an upload
    rules : maps columns to the rules by which they become attributes
    names : maps names of columns in the file or demo to their new names
    seen : names of attributes whose categories come from the answers in an upload and may nevertheless be seen
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
            raise InputError(f"There is no demo '{self.demo[:40]}'. Choose one of {', '.join(DEMOS)}.")
        if self.source == "synthetic" and self.invention is None:
            raise InputError("The project uses an invented table but does not contain its description. Save the project again.")

    def rules_for(self, columns: Sequence[str]) -> dict[str, ColumnRule] | None:
        """Return the rules by which the ``columns`` of a table become attributes.

        The result is None if a column of the project is missing.
        """
        if any(rule.use and name not in columns for name, rule in self.rules.items()):
            return None
        return {name: self.rules.get(name, ColumnRule(use=False)) for name in columns}


@dataclass(frozen=True)
class Draft:
    """The plan as entered, the displayed joint distribution, and its simulation.

    Parameters
    ----------
    n : number of people for whom the plan is made, 1 to MAX_PEOPLE
    chosen : names of the plan's attributes in order
    epsilon : maps attributes to nats. The values for the plan's attributes lie between MIN_EPSILON and MAX_EPSILON
    entry : the kind of input: an ε for each attribute, a total with weights, or a total with a workload
    mechanism, width : the plan's mechanism, and the current or previous number of attributes whose joint distributions it preserves
    total : nats, positive and at most MAX_TOTAL
    weights : maps attributes to positive numbers
    slacks : maps attributes with a cap on epsilon_informed to nats, 0 to MAX_SLACK
    questions, floor_marginals : joint distributions, as names of their attributes
    floor : accuracy floor as a multiple of Kronecker's accuracy, None for no floor
    marginal, seed : the displayed joint distribution, and the seed of the simulation
    wording : maps attributes to the wording of their question
    population : True if margins of error include sampling error and thus refer to the population
    rows_per_person : largest number of rows per person in the table, by which ε of a row is multiplied
    """

    n: Annotated[int, Meta(ge=1, le=MAX_PEOPLE)]
    chosen: tuple[str, ...]
    epsilon: Mapping[str, Annotated[float, Meta(gt=0)]]
    entry: Entry = "epsilon"
    mechanism: str = preserving_key(RECOMMENDED_WIDTH)
    width: Annotated[int, Meta(ge=1, le=MAX_COLUMNS)] = RECOMMENDED_WIDTH
    total: Annotated[float, Meta(ge=MIN_EPSILON, le=MAX_TOTAL)] = 4.0
    weights: Mapping[str, float] = field(default_factory=dict)
    questions: Marginals = ()
    floor: Annotated[float, Meta(ge=MIN_FLOOR, le=MAX_FLOOR)] | None = None
    floor_marginals: Marginals = ()
    slacks: Mapping[str, Annotated[float, Meta(ge=0, le=MAX_SLACK)]] = field(default_factory=dict)
    marginal: tuple[str, ...] = ()
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] = 0
    wording: Mapping[str, Wording] = field(default_factory=dict)
    population: bool = True
    rows_per_person: Annotated[int, Meta(ge=1, le=MAX_ROWS_PER_PERSON)] = 1

    def __post_init__(self) -> None:
        recipe(self.mechanism)
        check_total_weights(list(self.weights.values()), list(self.weights))

    def epsilon_of_person(self, epsilon: float) -> float:
        """Return ε of a person, given ε of each of the person's rows."""
        return self.rows_per_person * epsilon

    def renamed(self, old: str, new: str) -> Draft:
        """Return this draft with the attribute ``old`` renamed to ``new``."""

        def called(value: Any) -> Any:
            if isinstance(value, Mapping):
                return {new if name == old else name: each for name, each in value.items()}
            if isinstance(value, tuple):
                return tuple(new if each == old else called(each) for each in value)
            return value

        return replace(self, **{each.name: called(getattr(self, each.name)) for each in fields(self)})


class ProjectFields(Fields, frozen=True, kw_only=True):
    """All choices of a person in one session. The file contains no answers."""

    format: Literal["rr-workbench project"]
    version: Literal[1]
    unit_of_levels: Literal["nats"]
    table: Origin
    attributes: tuple[Attribute, ...]
    plan: Draft
    pinned: PinnedFields


@dataclass(frozen=True)
class Project(Document):
    """All work of one person, without any answers.

    Parameters
    ----------
    origin : Origin of the table
    schema : Schema of all attributes in the table, or of all declared attributes
    draft : Draft on attributes of the schema
    pins : Pinned plans

    Raises
    ------
    InputError
        If names do not match the schema or a value is out of range. The message is a single sentence.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.load_demo("titanic").schema
    >>> draft = Draft(2201, ("Sex", "Survived"), dict.fromkeys(schema.names, 2.0))
    >>> project = Project(Origin("demo", "Titanic", "titanic"), schema, draft)
    >>> Project.from_json(project.to_json()) == project
    True
    """

    origin: Origin
    schema: Schema
    draft: Draft
    pins: Pinned = field(default_factory=Pinned)

    _file = ProjectFields
    _called = "project file"
    _advice = "choose a file saved by 'Save project'"

    def __post_init__(self) -> None:
        draft = self.draft
        if not draft.chosen:
            raise InputError("The plan of the project contains no attributes. Add at least one.")
        for names in (draft.chosen, draft.marginal, *draft.questions, *draft.floor_marginals):
            self.schema.axes(names)
        if missing := [name for name in draft.chosen if name not in draft.epsilon]:
            raise InputError(f"The plan of the project has no ε for '{missing[0]}'. Add it.")
        check_epsilon([draft.epsilon[name] for name in draft.chosen], draft.chosen)

    def _fields(self) -> ProjectFields:
        return ProjectFields(
            format="rr-workbench project",
            version=1,
            unit_of_levels="nats",
            table=self.origin,
            attributes=self.schema.attributes,
            plan=self.draft,
            pinned=self.pins._fields(),
        )

    @classmethod
    def _of(cls, found: ProjectFields) -> Project:
        schema = Schema(found.attributes)
        return cls(found.table, schema, found.plan, Pinned._of(found.pinned))
