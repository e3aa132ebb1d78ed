"""A plan: which attributes are asked, at which levels, of how many people, by which mechanism."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta

from rrcore.budget.total import check_total_weights, levels_for_total
from rrcore.channel.levels import check_levels
from rrcore.documents import Document, Fields, encode
from rrcore.errors import InputError, check_number
from rrcore.limits import MAX_LEVEL, MAX_PEOPLE, MAX_QUESTIONS, MIN_LEVEL
from rrcore.mechanisms import GAPS, Closeness, Mechanism, Questions, Safeguards, check_closeness, recipe, recommended_recipe
from rrcore.progress import Report, quiet
from rrcore.promise.integers import Group, check_writable, integer_groups
from rrcore.table import Attribute, Dataset, Schema
from rrcore.table.schema import Kind
from rrcore.wording import MOST_ROWS, Quantity, counted, html_table, level_text
from rrcore.wording.short import Short, some

Marginals = Annotated[tuple[tuple[str, ...], ...], Meta(max_length=MAX_QUESTIONS)]
"""Joint distributions, by the names of their attributes."""


class PlannedFields(Fields, frozen=True, kw_only=True):
    """One attribute, with epsilons in nats. Readers compute again what the mechanism achieves."""

    name: str
    kind: Kind = "nominal"
    categories: tuple[str, ...]
    requested_level: float
    achieved_level: float | None = None
    leakage: float | None = None


class SafeguardFields(Fields, frozen=True):
    """Accuracy floors and leakage caps. The joint distributions are named by their attributes."""

    floor: float | None = None
    marginals: Marginals = ()
    slacks: tuple[float | None, ...] | None = None


class QuestionFields(Fields, frozen=True):
    """The joint distributions that matter, and what may be spent on them."""

    total: float
    marginals: Marginals
    people: int | None = None


class PlanFields(Fields, frozen=True, kw_only=True):
    """What is asked of how many people, at which epsilons, by which mechanism. There are no answers in it."""

    format: Literal["rr-workbench plan"]
    version: Literal[1]
    unit_of_levels: Literal["nats"]
    mechanism: str
    closeness: Closeness = "full"
    respondents: int
    total_level: float | None = None
    lower_bound: float | None = None
    attributes: tuple[PlannedFields, ...]
    safeguards: SafeguardFields | None = None
    questions: QuestionFields | None = None


@dataclass(frozen=True)
class Plan(Short, Document):
    """What a steward decides before anything is randomised.

    Parameters
    ----------
    schema : Schema of k attributes
    levels : k requested levels eps_i in nats; with ``questions``, the levels that Kronecker would spend the total on
    respondents : number of people (expected or at hand), >= 1
    mechanism : a key of ``RECIPES``, or "3-safe" and so on; ``recommended_recipe`` for the number of attributes if empty
    safeguards : floors and caps of the mechanism "safeguarded"
    questions : what the mechanism "design" serves
    closeness : "full", or "first": a mechanism that keeps floors is then made within 0.01 nats of the least total, in a part of the time

    Examples
    --------
    Levels for each attribute, one total shared out by weights, or one total for the questions that matter:

    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> plan = rr.Plan.for_levels(table, {"Class": 2, "Sex": 1, "Age": 1, "Survived": 2})
    >>> round(plan.build().total_level, 2)
    3.91
    >>> plan = rr.Plan.for_total(table, 4, weights={"Class": 2, "Sex": 1, "Age": 1, "Survived": 2})
    >>> [round(level, 2) for level in plan.levels]
    [2.06, 1.03, 1.03, 2.06]
    >>> plan = rr.Plan.for_questions(table, 4, [["Sex", "Survived"]])
    >>> plan.title, plan.respondents
    ('Designed for joint distributions', 2201)
    """

    schema: Schema
    levels: tuple[float, ...]
    respondents: int
    mechanism: str = ""
    safeguards: Safeguards = field(default_factory=Safeguards)
    questions: Questions | None = None
    closeness: Closeness = "full"
    _found: Mechanism | None = field(default=None, init=False, repr=False, compare=False)  # where making the plan made it

    _file = PlanFields
    _called = "plan file"
    _advice = "choose a file saved by 'Download plan'"

    def _summary(self) -> str:
        levels = [f"{name} {level_text(eps)}" for name, eps in zip(self.schema.names, self.levels, strict=True)]
        return f"{self.title}, {counted(self.respondents, 'person', 'people')}, levels in nats {some(levels)}"

    def __post_init__(self) -> None:
        checked = check_levels(self.levels, self.schema.names)
        object.__setattr__(self, "levels", tuple(float(level) for level in checked))
        if isinstance(self.respondents, bool) or not isinstance(self.respondents, Integral) or self.respondents < 1:
            raise InputError(f"The number of people is {self.respondents!r}: give a whole number of at least 1.")
        object.__setattr__(self, "respondents", int(self.respondents))
        if self.respondents > MAX_PEOPLE:
            raise InputError(f"The number of people is above {MAX_PEOPLE:,}: give a smaller one.")
        check_closeness(self.closeness)
        self._carry_out(self.mechanism)
        self.safeguards.check(self.schema.names)
        if self.questions is not None:
            self.questions.check(len(self.levels))

    def _carry_out(self, mechanism: str) -> None:
        mechanism = mechanism or recommended_recipe(len(self.levels))
        recipe(mechanism)
        if mechanism == "design" and self.questions is None:
            raise InputError("A plan designed for joint distributions needs them: give a total and at least one marginal.")
        object.__setattr__(self, "mechanism", mechanism)

    @classmethod
    def for_levels(
        cls,
        table: Dataset | Schema,
        levels: Any,
        *,
        mechanism: str = "",
        safeguards: Safeguards | None = None,
        respondents: int | None = None,
    ) -> Plan:
        """The plan with these levels.

        Parameters
        ----------
        table : a Dataset, or a Schema where no answers are at hand
        levels : nats, from ``MIN_LEVEL`` to ``MAX_LEVEL``: one number for all, k numbers, or name -> number
        mechanism : a name as in ``Plan``; with ``safeguards`` it is "safeguarded"
        respondents : number of people; those of the table by default, to be given with a Schema

        Raises
        ------
        InputError
            For a level that is missing or no such number, or where the number of people is not known.
        """
        schema, people = (table.schema, table.n) if isinstance(table, Dataset) else (table, None)
        respondents = people if respondents is None else respondents
        if respondents is None:
            raise InputError("The number of people is not known from a schema: give respondents, for example respondents=1000.")
        key, kept = (mechanism, Safeguards()) if safeguards is None else ("safeguarded", safeguards)
        return cls(schema, tuple(_in_order(levels, schema, "level")), respondents, key, kept)

    @classmethod
    def for_total(
        cls,
        table: Dataset | Schema,
        total: float,
        *,
        weights: Any = 1.0,
        mechanism: str = "",
        safeguards: Safeguards | None = None,
        respondents: int | None = None,
    ) -> Plan:
        """The plan that spends ``total`` nats on the record, its levels in the ratio of ``weights``; the rest as in ``for_levels``."""
        check_number("The total", total, 0)
        plan = cls.for_levels(table, 1.0, mechanism=mechanism, safeguards=safeguards, respondents=respondents)
        ratios = check_total_weights(_in_order(weights, plan.schema, "weight"), plan.schema.names)
        found = levels_for_total(
            plan.schema.sizes, total, ratios, mechanism=lambda _, eps: replace(plan, levels=tuple(eps)).build()
        )
        plan = replace(plan, levels=tuple(found.levels))
        object.__setattr__(plan, "_found", found.mechanism)
        return plan

    @classmethod
    def for_questions(
        cls, table: Dataset | Schema, total: float, questions: Iterable[Iterable[str]], *, respondents: int | None = None
    ) -> Plan:
        """The plan that spends ``total`` nats on the record so that the joint distributions named in ``questions`` come out best."""
        schema = table.schema if isinstance(table, Dataset) else table
        plan = cls.for_levels(table, total / len(schema.names), respondents=respondents)
        asked = Questions(total, tuple(schema.axes(names) for names in questions), plan.respondents)
        return replace(plan, mechanism="design", questions=asked)

    @property
    def title(self) -> str:
        """The mechanism's name on a page."""
        return recipe(self.mechanism).title

    def with_mechanism(self, mechanism: str) -> Plan:
        """This plan carried out by another mechanism."""
        if mechanism == self.mechanism:
            return self
        other = copy(self)  # of which all else is checked already
        object.__setattr__(other, "_found", None)
        other._carry_out(mechanism)
        return other

    def scaled(self, factor: float) -> Plan:
        """The plan with all levels multiplied by ``factor``, or the total where it is one for questions, within what levels can be.

        >>> import rrcore as rr
        >>> rr.Plan.for_levels(rr.load_demo("titanic"), 2.0).scaled(0.5).levels
        (1.0, 1.0, 1.0, 1.0)
        """
        if not 0 < factor < math.inf:
            raise InputError(f"The levels are multiplied by {factor:g}: give a positive number, for example 0.5.")
        levels = tuple(min(MAX_LEVEL, max(MIN_LEVEL, factor * level)) for level in self.levels)
        if self.questions is None:
            return replace(self, levels=levels)
        total = factor * self.questions.total
        return replace(self, levels=(total / len(levels),) * len(levels), questions=replace(self.questions, total=total))

    def build(self, *, report: Report = quiet) -> Mechanism:
        """The mechanism of this plan. Raises InputError where it cannot meet the levels."""
        levels = np.asarray(self.levels, dtype=np.float64)
        made = recipe(self.mechanism).build
        return self._found or made(self.schema.sizes, levels, self.safeguards, self.questions, report, self.closeness)

    def integer_groups(self, *, report: Report = quiet) -> tuple[Group, ...]:
        """The mechanism in integers, as a mechanism file has it.

        Raises InputError where it cannot be written so, before the search for it where that is known.
        """
        check_writable(self.mechanism, self.schema.sizes, self.levels)
        return integer_groups(self.build(report=report))

    @property
    def remark(self) -> str:
        """What readers of the mechanism file should know of how it was made; empty where there is nothing."""
        near = self.closeness != "full" and recipe(self.mechanism).rough
        return f"Made within {GAPS[self.closeness]:g} nats of the least total." if near else ""

    def _repr_html_(self) -> str:
        """What a notebook shows: every attribute with its level and the most by which its answer can shift anyone's odds."""
        columns = list(zip(self.schema.attributes, self.levels, strict=True))[:MOST_ROWS]
        rows = [[a.name, str(a.size), level_text(eps), Quantity("one answer", a.name).odds(eps)] for a, eps in columns]
        title = f"{self.title}, {counted(self.respondents, 'person', 'people')}"
        heads = ("attribute", "categories", "level (nats)", "odds up to")
        return html_table(heads, rows, numbers=3, title=title, more=len(self.levels) - len(rows))

    def to_json(self, mechanism: Mechanism | None = None) -> str:
        """Return the plan as a JSON document, with what it achieves. It holds no data.

        ``mechanism``: what ``build`` returned, where it is at hand.
        """
        return encode(self.fields(mechanism or self.build()))

    def _fields(self) -> PlanFields:
        return self.fields(self.build())

    def fields(self, built: Mechanism | None = None) -> PlanFields:
        """Return the fields of the document, with what the mechanism ``built`` achieves, if it is given."""
        names, slacks = self.schema.names, self.safeguards.slacks
        reached = zip(built.levels, built.leakage, strict=True) if built else [(None, None)] * len(names)
        attributes = zip(self.schema.attributes, self.levels, reached, strict=True)
        kept = SafeguardFields(
            self.safeguards.floor,
            _named(self.safeguards.marginals, names),
            None if slacks is None else tuple(None if math.isinf(slack) else slack for slack in slacks),
        )
        asked = None
        if self.questions:
            asked = QuestionFields(self.questions.total, _named(self.questions.marginals, names), self.questions.people)
        return PlanFields(
            format="rr-workbench plan",
            version=1,
            unit_of_levels="nats",
            mechanism=self.mechanism,
            closeness=self.closeness,
            respondents=self.respondents,
            total_level=built.total_level if built else None,
            lower_bound=built.lower_bound if built else None,
            attributes=tuple(
                PlannedFields(
                    name=each.name,
                    kind=each.kind,
                    categories=each.categories,
                    requested_level=level,
                    achieved_level=achieved,
                    leakage=leakage,
                )
                for each, level, (achieved, leakage) in attributes
            ),
            safeguards=None if self.safeguards == Safeguards() else kept,
            questions=asked,
        )

    @classmethod
    def _of(cls, found: PlanFields) -> Plan:
        schema = Schema(tuple(Attribute(each.name, each.categories, each.kind) for each in found.attributes))
        kept, asked = Safeguards(), None
        if given := found.safeguards:
            slacks = given.slacks
            widths = None if slacks is None else tuple(math.inf if slack is None else slack for slack in slacks)
            kept = Safeguards(given.floor, _axes(given.marginals, schema), widths)
        if found.questions:
            asked = Questions(found.questions.total, _axes(found.questions.marginals, schema), found.questions.people)
        levels = tuple(each.requested_level for each in found.attributes)
        recipe(found.mechanism)  # an empty name would mean the recommended one
        return cls(schema, levels, found.respondents, found.mechanism, kept, asked, found.closeness)


def _axes(marginals: tuple[tuple[str, ...], ...], schema: Schema) -> tuple[tuple[int, ...], ...]:
    """Positions instead of names."""
    return tuple(schema.axes(names) for names in marginals)


def _in_order(given: Any, schema: Schema, what: str) -> Sequence[Any]:
    """A number for every attribute of ``schema``, in its order, from one for all, a sequence or name -> number."""
    if not isinstance(given, Mapping):
        return [given] * len(schema.names) if np.ndim(given) == 0 else list(given)
    schema.axes(given)
    if missing := [name for name in schema.names if name not in given]:
        raise InputError(f"'{missing[0]}' has no {what}: give one for every attribute, or leave that column out of the table.")
    return [given[name] for name in schema.names]


def _named(marginals: Iterable[Iterable[int]], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(names[i] for i in axes) for axes in marginals)
