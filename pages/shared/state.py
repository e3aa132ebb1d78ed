"""What a session remembers: the current table, the draft of the plan as one value, and one dataclass per page. It is written nowhere."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, TypeVar, cast

import numpy as np
import streamlit as st

from pages.shared.mode import limit
from rrcore.asking.typed_questions import write_questions
from rrcore.budget import (
    Draft,
    Origin,
    Plan,
    Source,
    accuracy,
    default_epsilon,
    offered_recipes,
    preserved_width,
    preserving_key,
    recipe,
)
from rrcore.errors import InputError
from rrcore.limits import DEMO_ROWS, MAX_ROWS, MAX_SEED, MAX_TABLE_CELLS
from rrcore.mechanisms import Safeguards
from rrcore.promise import MechanismFile
from rrcore.table import OTHER, ColumnRule, Dataset, Schema, TextTable, recode
from rrcore.table.recoding import recoding, rule_learned_names
from rrcore.wording.short import shortened

Value = TypeVar("Value")

Learned = tuple[str, tuple[str, ...]]
"""An attribute and its categories, or its values that were renamed, as they were read off an upload."""

DECLARED = "Your questions"
"""The title if there is no table."""
DEFAULT_DEMO = "titanic"
_KEY = "work"
FIRST_CHOICE = 8
LATE = 1.0
"""Seconds after a run in which a browser may still send a value that the run replaced."""


@dataclass
class Work:
    """The current table or declared schema, and the draft of the plan. It stays in this session's memory.

    ``version`` grows whenever the attributes change; widgets whose options depend on them carry it in their keys.
    ``made_file`` is the mechanism file of what Release or Survey published last, and ``seen_plan`` the plan that Budget showed last.
    ``awaited`` is the upload that a project was about, until it is uploaded again.
    ``dropped`` says why the last table took a declared plan out of play; empty where it did not.
    ``learned`` are the names of categories that this session read off uploads, and what they reveal; of them ``may_leave`` those that the
    steward lets be seen.
    """

    source: Source = "demo"
    title: str = ""
    table: TextTable | None = None
    rules: dict[str, ColumnRule] = field(default_factory=dict)
    dataset: Dataset | None = None
    schema: Schema | None = None
    draft: Draft = field(default_factory=lambda: Draft(1, (), {}))
    declared: str | None = None
    version: int = 0
    awaited: Origin | None = None
    dropped: str = ""
    made_file: MechanismFile | None = None
    seen_plan: Plan | None = None
    learned: dict[Learned, str] = field(default_factory=dict)
    may_leave: set[Learned] = field(default_factory=set)
    _remembered: dict[str, tuple[Hashable, Any]] = field(default_factory=dict)

    def change(self, **changes: Any) -> None:
        """Wish for something else: fields of ``Draft`` by their names. Raises InputError, and changes nothing, for what cannot be wished."""
        self.draft = replace(self.draft, **changes)

    def adopt_table(self, table: TextTable, rules: Mapping[str, ColumnRule], source: Source) -> None:
        """Work on ``table``, read by ``rules``. Raises InputError, and changes nothing, if they give no dataset.

        An upload with all the columns that a project awaits is read by the project's rules instead, and the plan stays. So does a declared
        plan whose attributes the table has; ``dropped`` says why it does not.
        """
        known = None
        if self.awaited is not None and source == "upload":
            try:
                called = table.renamed(self.awaited.names)
                known = self.awaited.rules_for(called.names)
                if known is not None:
                    recode(called, known)
                    table, rules = called, known
            except InputError:
                known = None  # a file with the same columns and other answers
        dropped, planned = "", None
        if self.source == "declare" and self.schema is not None and self.draft.chosen:
            planned = self.schema.select(self.draft.chosen)
            try:
                rules = rules_for_plan(table, rules, planned)
            except InputError as error:
                planned, dropped = None, f"The plan for {', '.join(self.draft.chosen)} is no longer in use. {error}"
        dataset = recode(table, rules)
        before = self.dataset.n if self.dataset is not None and table is self.table else None
        typed = self.schema.attributes if self.schema is not None and self.source == "declare" else ()
        declared = {(each.name, each.categories) for each in typed} - set(self.learned)
        if before is None and known is None and planned is None and dataset.schema != self.schema:
            self._forget_choices()
        self.table, self.rules, self.dataset, self.source = table, dict(rules), dataset, source
        self.title, self.awaited, self.dropped = table.title, None, dropped
        self.note_learned(dataset.schema, self.rules)
        self.may_leave |= declared
        if known is None:
            self.change(n=dataset.n if before in (None, self.draft.n) else self.draft.n)
        if planned is not None:
            self.schema = dataset.schema  # so that columns that are not in the plan are none that are new
        self._adopt_schema(dataset.schema)

    def adopt_declared(self, schema: Schema, n: int) -> None:
        """Work on a declared schema without any data."""
        if self.source != "declare":
            self._forget_choices()
        self.change(n=n)
        self.drop_answers()
        self.awaited = None
        self._adopt_schema(schema)

    def note_learned(self, schema: Schema, rules: Mapping[str, ColumnRule]) -> None:
        """Remember which names were read off the current or the awaited upload."""
        if self.source != "upload":
            return
        for attribute in schema.attributes:
            rule = rules.get(attribute.name, ColumnRule())
            if learned := set(rule_learned_names(attribute, rule)):
                why = "somebody gave another answer, or none" if OTHER in learned else "somebody gave no answer"
                only = learned <= {OTHER, rule.missing_called}
                self.learned[attribute.name, attribute.categories] = why if only else ""
            if rule.labels and (self.table is None or not self.table.column(attribute.name).labels):
                self.learned[attribute.name, tuple(value for value, _ in rule.labels)] = "these values were renamed or made one"

    def unsettled(self, schemas: Iterable[Schema], *, rules: bool = False) -> dict[Learned, str]:
        """The names in ``schemas``, and with ``rules`` the values that rules rename, that were read off an upload and may not leave yet."""
        asked = {(each.name, each.categories): None for schema in schemas for each in schema.attributes}
        if rules:
            asked |= {(name, tuple(value for value, _ in rule.labels)): None for name, rule in self.rules.items()}
        return {each: self.learned[each] for each in asked if each in self.learned and each not in self.may_leave}

    def drop_answers(self) -> None:
        """Go on with the questions alone, and with the plan as it is."""
        self.table, self.rules, self.dataset, self.source = None, {}, None, "declare"
        self.title, self.dropped = DECLARED, ""
        self.version += 1

    def _forget_choices(self) -> None:
        """Forget what was wished about the former attributes."""
        self.schema, kept = None, ("n", "mechanism", "width", "total", "seed", "wording", "population")
        self.draft = Draft(chosen=(), epsilon={}, **{name: getattr(self.draft, name) for name in kept})
        if recipe(self.draft.mechanism).needs:
            self.choose_safe(self.draft.width)

    def _adopt_schema(self, schema: Schema) -> None:
        known = self.schema.names if self.schema else ()
        typed = dict(self.draft.epsilon)
        if self.schema is not None and set(typed.values()) == {first_epsilon(self.schema)}:
            typed.clear()  # nobody chose them
        self.schema = schema
        self.version += 1
        kept = tuple(name for name in self.draft.chosen if name in schema.names)
        fresh = tuple(name for name in schema.names if name not in known)
        chosen = (kept + fresh)[: max(FIRST_CHOICE, len(kept))] if kept else schema.names[:FIRST_CHOICE]
        if self.source == "declare":  # in the order the questions are typed
            chosen = tuple(name for name in schema.names if name in chosen)
        self.change(epsilon={name: typed.get(name, first_epsilon(schema)) for name in schema.names})
        self.choose_attributes(chosen)

    @property
    def simulated(self) -> int:
        """Number of people of a simulation: those of the plan, or as many as the server has room for."""
        return min(self.draft.n, limit(MAX_ROWS, DEMO_ROWS), MAX_TABLE_CELLS // max(1, len(self.draft.chosen)))

    def choose_attributes(self, names: tuple[str, ...]) -> None:
        """Plan for the attributes ``names``, and show those of them that were shown.

        A preserving mechanism stays one, for at most as many attributes as there are.
        """
        alone = len(self.draft.chosen) < 2  # so that the optimum was no choice
        self.change(chosen=names)
        if preserved_width(self.draft.mechanism) is not None and (self.draft.mechanism != "optimal" or alone):
            self.choose_safe(self.draft.width)
        self.choose_marginal(tuple(name for name in self.draft.marginal if name in names))

    def choose_safe(self, width: int) -> None:
        """Choose the mechanism that preserves joint distributions of up to ``width`` attributes. 1 is the lowest total epsilon."""
        if width > 1:
            self.change(width=width)
        self.change(mechanism=self.dial if width > 1 else "optimal")

    @property
    def dial(self) -> str:
        """The name of the mechanism that is safe for ``width`` attributes, or for as many as there are."""
        return preserving_key(max(1, min(self.draft.width, len(self.draft.chosen))))

    def draw_again(self) -> None:
        """Simulate with the next seed."""
        self.change(seed=(self.draft.seed + 1) % (MAX_SEED + 1))

    def rng(self, name: str, *numbers: int) -> np.random.Generator:
        """Return the random stream called ``name``, or its part with these ``numbers``. The release is drawn from the seed itself."""
        return np.random.default_rng(np.random.SeedSequence([self.draft.seed, *name.encode()], spawn_key=numbers))

    def choose_marginal(self, names: tuple[str, ...]) -> None:
        """Show the marginal over ``names``; a usable pair of the plan if that is empty."""
        self.change(marginal=names or self._usable_pair())

    @property
    def pair(self) -> tuple[str, ...]:
        """The pair whose margin of error is shown: the marginal if it has two attributes; a single attribute if there is only one."""
        marginal = self.draft.marginal
        return marginal if len(marginal) == 2 and set(marginal) <= set(self.draft.chosen) else self._usable_pair()

    def _usable_pair(self) -> tuple[str, ...]:
        """The first two attributes if independent randomization makes them usable, else the pair that comes nearest to it."""
        draft = self.draft
        if self.schema is None or len(draft.chosen) < 3:
            return draft.chosen[:2]
        plan = Plan(self.schema.select(draft.chosen), [draft.epsilon[name] for name in draft.chosen], draft.n, "independent")
        found = accuracy(plan, plan.build(), population=draft.population)
        return draft.chosen[:2] if found.usable[0, 1] else tuple(draft.chosen[i] for i in found.best)

    def set_epsilon(self, epsilon: Mapping[str, float]) -> None:
        """Give attributes these epsilons."""
        self.change(epsilon={**self.draft.epsilon, **epsilon})

    @property
    def safeguards(self) -> Safeguards:
        """The floors and caps asked for, as far as they are about attributes of the plan."""
        draft = self.draft
        axes = {name: i for i, name in enumerate(draft.chosen)}
        marginals = tuple(tuple(axes[name] for name in names) for names in draft.floor_marginals if set(names) <= set(axes))
        floor = None if draft.floor_marginals and not marginals else draft.floor
        slacks = tuple(draft.slacks.get(name, math.inf) for name in draft.chosen)
        return Safeguards(floor, () if floor is None else marginals, None if all(map(math.isinf, slacks)) else slacks)

    def plan(self) -> Plan:
        """The plan as it stands, made once. Raises InputError with the sentence to show."""
        return self.remember("plan", (self.schema, self.draft), self._planned)

    def _planned(self) -> Plan:
        assert self.schema is not None
        draft, schema = self.draft, self.schema.select(self.draft.chosen)
        if draft.entry != "questions":
            epsilon = tuple(draft.epsilon[name] for name in draft.chosen)
            return Plan(schema, epsilon, draft.n, draft.mechanism, self.safeguards)
        asked = [names for names in draft.questions if set(names) <= set(draft.chosen)]
        if not asked:
            raise InputError("The workload contains no joint distribution. Choose at least one.")
        return Plan(schema, n=draft.n, mechanism=draft.mechanism, budget=draft.total, workload=asked)

    def adopt_plan(self, plan: Plan) -> None:
        """Make ``plan`` the current one.

        Where its attributes are not, with the same categories, among those of the current table or schema, its schema becomes the
        current one, as declared.
        """
        known = {attribute.name: attribute for attribute in self.schema.attributes} if self.schema else {}
        if self.schema is None or any(
            a.name not in known or known[a.name].categories != a.categories for a in plan.schema.attributes
        ):
            self.adopt_declared(plan.schema, plan.n)
            self.declared = write_questions(plan.schema)
        names, guards, slacks = plan.schema.names, plan.safeguards, plan.safeguards.slacks or ()
        self.choose_attributes(names)
        self.change(
            n=plan.n,
            epsilon={**self.draft.epsilon, **dict(zip(names, plan.epsilon, strict=True))},
            entry="epsilon",
            mechanism=plan.key,
            floor=guards.floor,
            floor_marginals=tuple(tuple(names[i] for i in axes) for axes in guards.marginals),
            slacks={name: slack for name, slack in zip(names, slacks, strict=False) if not math.isinf(slack)},
        )
        if (width := preserved_width(plan.key) or 1) > 1:
            self.change(width=width)
        if plan.budget is not None:
            self.change(entry="questions", total=plan.budget, questions=plan.workload)
        self.version += 1

    def key(self, name: str) -> str:
        """The key of a widget called ``name`` that offers attributes of the plan. It starts again when these change."""
        return f"{name}_{self.version}_{hash(self.draft.chosen)}"

    @property
    def answers(self) -> Hashable:
        """By which what was computed about the current answers is known, whatever session has them."""
        return self.schema, self.remember("digest", self.version, lambda: "" if self.dataset is None else _digest(self.dataset))

    def option_keys(self, plan: Plan) -> tuple[str, ...]:
        """The mechanisms that ``plan`` can be carried out by."""
        if plan.budget is not None:
            return ("independent", "workload")
        return offered_recipes(len(plan.epsilon), self.dial) + (("constrained",) if plan.safeguards != Safeguards() else ())

    def remember(self, name: str, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The last result called ``name`` if it was computed for ``key``, else a new one. One result is kept per name."""
        if name not in self._remembered or self._remembered[name][0] != key:
            self._remembered[name] = (key, compute())
        return cast(Value, self._remembered[name][1])


def first_epsilon(schema: Schema) -> float:
    """The epsilon of every attribute in the plan that a table, or a declared plan, begins with."""
    return default_epsilon(schema.select(schema.names[:FIRST_CHOICE]).sizes)


def _digest(dataset: Dataset) -> str:
    return hashlib.blake2b(np.ascontiguousarray(dataset.codes.T).data, digest_size=16).hexdigest()


def current() -> Work:
    """This session's work; a new session has no table."""
    return cast(Work, st.session_state.setdefault(_KEY, Work()))


@dataclass
class Shown:
    """What browsers may still show: values of widgets that were replaced, and widgets whose new value came in a run that did not end."""

    replaced: dict[str, list[object]] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    at: float = -math.inf

    def is_late(self, name: str, value: object) -> bool:
        """Whether the browser sent a former ``value`` because it had not received the new one yet, so that nobody chose it."""
        return value in self.replaced.get(name, ()) and (name in self.unsure or monotonic() - self.at < LATE)


def shown(name: str, value: object, take: Callable[[Any], None]) -> dict[str, Any]:
    """Arguments of a widget called ``name`` that shows the ``value``, whatever else changes that, and has ``take`` what is chosen."""
    known = of_page(Shown)
    former = st.session_state.get(name, value)
    if former != value:
        known.replaced.setdefault(name, []).append(former)
        known.unsure.add(name)
    if name not in st.session_state or name in known.unsure:
        st.session_state[name] = value
    known.at = monotonic()

    def change() -> None:
        if not known.is_late(name, st.session_state[name]):
            known.replaced.pop(name, None)
            take(st.session_state[name])

    return {"key": name, "on_change": change, "persist_state": "session"}


def all_shown() -> None:
    """Note that a run has ended, so that the browser has received all values that it showed."""
    known = of_page(Shown)
    known.unsure.clear()
    known.at = monotonic()


def of_page(kind: type[Value]) -> Value:
    """What this session remembers for a page: its one ``kind``, which starts as ``kind()``."""
    return cast(Value, st.session_state.setdefault(f"{kind.__module__}.{kind.__qualname__}", kind()))


def rules_for_plan(table: TextTable, rules: Mapping[str, ColumnRule], schema: Schema) -> dict[str, ColumnRule]:
    """``rules``, changed so that columns of ``table`` become the attributes of ``schema``: with these categories, in this order.

    A column may lack answers that an attribute has, since nobody may have given them, but may have no others.

    Raises
    ------
    InputError
        If a column does not exist, or has other answers.
    """
    found = dict(rules)
    for wanted in schema.attributes:
        column, rule = table.column(wanted.name), rules.get(wanted.name, ColumnRule())
        rule = replace(rule if rule.use else ColumnRule(), kind=wanted.kind, merge_below=0, categories=wanted.categories)
        attribute, codes = recoding(column, rule)
        if extra := attribute.categories[wanted.size :]:
            other = column.values[int(np.argmax(codes == wanted.size))] if extra[0] == OTHER else extra[0]
            where = f"In '{shortened(table.title)}', '{shortened(wanted.name)}'"
            raise InputError(f"{where} has '{shortened(other)}', which is not in the plan.")
        found[wanted.name] = rule
    return found
