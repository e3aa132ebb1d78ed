"""What a session remembers, typed: what is in play, and one dataclass per page. It lives in this session's memory and nowhere else."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd
import streamlit as st

from rrcore.budget import Entry, Origin, Plan, Questions, Source
from rrcore.errors import InputError
from rrcore.limits import MAX_SEED
from rrcore.mechanisms import RECOMMENDED_WIDTH, Safeguards, offered, recipe, safe_name, safe_width
from rrcore.promise import MechanismFile
from rrcore.table import ColumnRule, Dataset, Schema, TextTable, as_table, gives_away, load_demo, recode, write_questions

Value = TypeVar("Value")

Learned = tuple[str, tuple[str, ...]]
"""An attribute and its categories, or its values that were renamed, as they were read off an upload."""

DEFAULT_LEVEL = 2.0
DEFAULT_TOTAL = 4.0
DEFAULT_DEMO = "titanic"
_KEY = "work"
_FIRST_CHOICE = 8


@dataclass
class Work:
    """What is in play: the table or declared schema, the plan, its mechanism, and the simulation of it.

    ``version`` grows whenever the attributes change; widgets whose options depend on them carry it in their keys. ``width`` is how many
    attributes, two or more, the mechanism is, or was last, safe for; with fewer attributes ``mechanism`` is safe for all of them.
    ``wording`` says how the question about an attribute is asked, where the steward typed that.
    ``awaited`` is the upload that a project was about, until it is uploaded again.
    ``learned`` are the names of categories that this session read off uploads, and what they give away; of them ``may_leave`` those that the
    steward lets be seen.
    """

    source: Source = "demo"
    title: str = ""
    table: TextTable | None = None
    rules: dict[str, ColumnRule] = field(default_factory=dict)
    dataset: Dataset | None = None
    schema: Schema | None = None
    declared: str | None = None
    respondents: int = 1
    version: int = 0
    chosen: tuple[str, ...] = ()
    levels: dict[str, float] = field(default_factory=dict)
    scale: float = 1.0
    entry: Entry = "levels"
    mechanism: str = safe_name(RECOMMENDED_WIDTH)
    width: int = RECOMMENDED_WIDTH
    total: float = DEFAULT_TOTAL
    weights: dict[str, float] = field(default_factory=dict)
    questions: tuple[tuple[str, ...], ...] = ()
    floor: float | None = None
    floor_marginals: tuple[tuple[str, ...], ...] = ()
    slacks: dict[str, float] = field(default_factory=dict)
    marginal: tuple[str, ...] = ()
    seed: int = 0
    people: int = 0
    wording: dict[str, str] = field(default_factory=dict)
    awaited: Origin | None = None
    made_file: MechanismFile | None = None
    learned: dict[Learned, str] = field(default_factory=dict)
    may_leave: set[Learned] = field(default_factory=set)
    _remembered: dict[str, tuple[Hashable, Any]] = field(default_factory=dict)

    @property
    def drawn_from(self) -> int | None:
        """How many people the table in play is a random sample of; None where it is whole."""
        return None if self.table is None else self.table.drawn_from

    def adopt_table(self, table: TextTable, rules: Mapping[str, ColumnRule], source: Source) -> None:
        """Work on ``table``, read by ``rules``. Raises InputError, and changes nothing, if they give no dataset.

        An upload with all the columns that a project awaits is read by the project's rules instead, and the plan stays.
        """
        known = None
        if self.awaited is not None and source == "upload":
            try:
                called = table.with_given(self.awaited.names)
                known = self.awaited.rules_for(called.names)
                if known is not None:
                    recode(called, known)
                    table, rules = called, known
            except InputError:
                known = None  # a file with the same columns and other answers
        dataset = recode(table, rules)
        before = self.dataset.n if self.dataset is not None and table is self.table else None
        if before is None and known is None and dataset.schema != self.schema:
            self._forget_choices()
        self.table, self.rules, self.dataset, self.source = table, dict(rules), dataset, source
        self.title, self.awaited = table.title, None
        self.note_learned(dataset.schema, self.rules)
        if known is None and before in (None, self.respondents):
            self.respondents = dataset.n
        if known is None and before in (None, self.people):
            self.people = dataset.n
        self._adopt_schema(dataset.schema)

    def adopt_declared(self, schema: Schema, respondents: int) -> None:
        """Work on a declared schema without any data."""
        if self.source != "declare":
            self._forget_choices()
        self.table, self.rules, self.dataset, self.source = None, {}, None, "declare"
        self.title, self.awaited = "Declared plan", None
        self.respondents = self.people = respondents
        self._adopt_schema(schema)

    def note_learned(self, schema: Schema, rules: Mapping[str, ColumnRule]) -> None:
        """Remember which names were read off the upload that is in play or awaited."""
        if self.source != "upload":
            return
        for attribute in schema.attributes:
            rule = rules.get(attribute.name, ColumnRule())
            if told := gives_away(attribute, rule):
                self.learned[attribute.name, attribute.categories] = told
            if rule.labels and (self.table is None or not self.table.column(attribute.name).labels):
                self.learned[attribute.name, tuple(value for value, _ in rule.labels)] = "these values were renamed or made one"

    def unsettled(self, schemas: Iterable[Schema], *, rules: bool = False) -> dict[Learned, str]:
        """The names in ``schemas``, and with ``rules`` the values that rules rename, that were read off an upload and may not leave yet."""
        asked = {(each.name, each.categories): None for schema in schemas for each in schema.attributes}
        if rules:
            asked |= {(name, tuple(value for value, _ in rule.labels)): None for name, rule in self.rules.items()}
        return {each: self.learned[each] for each in asked if each in self.learned and each not in self.may_leave}

    def settle(self, names: Iterable[Learned]) -> None:
        """Let these names be seen."""
        self.may_leave |= set(names)

    def drop_answers(self) -> None:
        """Go on with the questions alone, and with the plan as it is."""
        self.table, self.rules, self.dataset, self.source = None, {}, None, "declare"
        self.title, self.people = "Declared plan", self.respondents
        self.version += 1

    def _forget_choices(self) -> None:
        self.schema, self.chosen, self.levels, self.marginal, self.scale = None, (), {}, (), 1.0
        self.entry, self.weights, self.questions = "levels", {}, ()
        self.floor, self.floor_marginals, self.slacks = None, (), {}
        if recipe(self.mechanism).needs:
            self.choose_safe(self.width)

    def _adopt_schema(self, schema: Schema) -> None:
        known = self.schema.names if self.schema else ()
        self.schema = schema
        self.version += 1
        kept = tuple(name for name in self.chosen if name in schema.names)
        fresh = tuple(name for name in schema.names if name not in known)
        chosen = (kept + fresh)[: max(_FIRST_CHOICE, len(kept))] if kept else schema.names[:_FIRST_CHOICE]
        if self.source == "declare":  # in the order the questions are typed
            chosen = tuple(name for name in schema.names if name in chosen)
        self.choose_attributes(chosen)
        self.levels = {name: self.levels.get(name, DEFAULT_LEVEL) for name in schema.names}
        self.choose_marginal(tuple(name for name in self.marginal if name in self.chosen))

    def choose_attributes(self, names: tuple[str, ...]) -> None:
        """Plan for the attributes ``names``; a mechanism that is safe for joint distributions stays so, as far as there are so many."""
        alone = len(self.chosen) < 2  # so that the optimum was no choice
        self.chosen = names
        if safe_width(self.mechanism) is not None and (self.mechanism != "optimal" or alone):
            self.choose_safe(self.width)

    def choose_safe(self, width: int) -> None:
        """Carry the plan out by the mechanism that is safe for joint distributions of up to ``width`` attributes; 1 is the optimum."""
        self.width = width if width > 1 else self.width
        self.mechanism = self.dial if width > 1 else "optimal"

    @property
    def dial(self) -> str:
        """The name of the mechanism that is safe for ``width`` attributes, or for as many as there are."""
        return safe_name(max(1, min(self.width, len(self.chosen))))

    @property
    def widest(self) -> int:
        """Attributes of the widest joint distribution that is looked at."""
        asked = (self.marginal, *self.floor_marginals, *(self.questions if self.entry == "questions" else ()))
        return max(map(len, asked))

    def draw_again(self) -> None:
        """Simulate with the next seed."""
        self.seed = (self.seed + 1) % (MAX_SEED + 1)

    def rng(self, name: str = "", *numbers: int) -> np.random.Generator:
        """The random stream called ``name``, or its part with these ``numbers``; without a name, that of the release itself."""
        return np.random.default_rng(np.random.SeedSequence([self.seed, *name.encode()], spawn_key=numbers))

    def choose_marginal(self, names: tuple[str, ...]) -> None:
        """Show the marginal over ``names``; the first two attributes of the plan if that is empty."""
        self.marginal = names or self.chosen[:2]

    def set_level(self, name: str, level: float) -> None:
        """Give an attribute a level, in nats, at the present scale."""
        self.levels[name] = level / self.scale

    @property
    def safeguards(self) -> Safeguards:
        """The floors and caps asked for, as far as they are about attributes of the plan."""
        axes = {name: i for i, name in enumerate(self.chosen)}
        marginals = tuple(tuple(axes[name] for name in names) for names in self.floor_marginals if set(names) <= set(axes))
        if self.floor is None or (self.floor_marginals and not marginals):
            floor, marginals = None, ()
        else:
            floor = self.floor
        slacks = tuple(self.slacks.get(name, math.inf) for name in self.chosen)
        return Safeguards(floor, marginals, None if all(math.isinf(slack) for slack in slacks) else slacks)

    def plan(self) -> Plan:
        """The plan as it stands. Raises InputError with the sentence to show."""
        assert self.schema is not None
        schema = self.schema.select(self.chosen)
        if self.entry == "questions":
            asked = tuple(schema.axes(names) for names in self.questions if set(names) <= set(self.chosen))
            equal = (self.total / len(self.chosen),) * len(self.chosen)
            if not asked:
                raise InputError("No question is ticked: tick at least one joint distribution that matters.")
            return Plan(schema, equal, self.respondents, self.mechanism, questions=Questions(self.total, asked))
        levels = tuple(self.levels[name] * self.scale for name in self.chosen)
        return Plan(schema, levels, self.respondents, self.mechanism, self.safeguards)

    def adopt_plan(self, plan: Plan) -> None:
        """Make ``plan`` the one in play.

        Where its attributes are not, with the same categories, among those of the table or schema in play, its schema is put in
        play as a declared one.
        """
        known = {attribute.name: attribute for attribute in self.schema.attributes} if self.schema else {}
        if any(a.name not in known or known[a.name].categories != a.categories for a in plan.schema.attributes):
            self.adopt_declared(plan.schema, plan.respondents)
            self.declared = write_questions(plan.schema)
        names = plan.schema.names
        self.scale, self.respondents = 1.0, plan.respondents
        self.choose_attributes(names)
        self.mechanism = plan.mechanism
        if (width := safe_width(plan.mechanism) or 1) > 1:
            self.width = width
        self.levels |= dict(zip(names, plan.levels, strict=True))
        self.entry = "questions" if plan.questions is not None else "levels"
        if plan.questions is not None:
            self.total = plan.questions.total
            self.questions = tuple(tuple(names[i] for i in axes) for axes in plan.questions.marginals)
        guards = plan.safeguards
        self.floor = guards.floor
        self.floor_marginals = tuple(tuple(names[i] for i in axes) for axes in guards.marginals)
        self.slacks = {} if guards.slacks is None else dict(zip(names, guards.slacks, strict=True))
        self.version += 1
        self.choose_marginal(tuple(name for name in self.marginal if name in self.chosen))

    @property
    def answers(self) -> Hashable:
        """By which what was computed about the answers in play is known, also by a session that goes on with them after a reload."""
        return self.schema, self.remember("digest", self.version, lambda: "" if self.dataset is None else _digest(self.dataset))

    def option_keys(self, plan: Plan) -> tuple[str, ...]:
        """The mechanisms that ``plan`` can be carried out by."""
        if plan.questions is not None:
            return ("kronecker", "design")
        return offered(len(plan.levels), self.dial) + (("safeguarded",) if plan.safeguards != Safeguards() else ())

    def remember(self, name: str, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The last result called ``name`` if it was computed for ``key``, else a new one. One result is kept per name."""
        if name not in self._remembered or self._remembered[name][0] != key:
            self._remembered[name] = (key, compute())
        return cast(Value, self._remembered[name][1])


def _digest(dataset: Dataset) -> str:
    return hashlib.blake2b(np.ascontiguousarray(dataset.codes.T).data, digest_size=16).hexdigest()


def current() -> Work:
    """This session's work; a new session starts with the default demo table."""
    if _KEY not in st.session_state:
        work = Work()
        work.adopt_table(*as_table(load_demo(DEFAULT_DEMO)), source="demo")
        st.session_state[_KEY] = work
    return cast(Work, st.session_state[_KEY])


def shown(work: Work, name: str) -> dict[str, Any]:
    """Arguments of a widget that shows the field ``name`` of the work, whatever else changes that, and sets it."""
    if st.session_state.get(name) != getattr(work, name):
        st.session_state[name] = getattr(work, name)
    return {"key": name, "on_change": lambda: setattr(work, name, st.session_state[name]), "persist_state": "session"}


def of_page(kind: type[Value]) -> Value:
    """What this session remembers for a page: its one ``kind``, which starts as ``kind()``."""
    return cast(Value, st.session_state.setdefault(f"{kind.__module__}.{kind.__qualname__}", kind()))


def editor_start(key: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The table that the data editor called ``key`` starts from, which must stay the same while it is shown: ``rows`` where it is new."""
    if key not in st.session_state:
        st.session_state[f"{key}_start"] = pd.DataFrame(rows)
    return cast(pd.DataFrame, st.session_state[f"{key}_start"])
