"""What a session remembers, typed: what is in play, with all wishes as one value, and one dataclass per page. It is written nowhere."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd
import streamlit as st

from rrcore.asking.typed import write_questions
from rrcore.budget import Origin, Plan, Questions, Source, Wishes
from rrcore.errors import InputError
from rrcore.limits import MAX_SEED
from rrcore.mechanisms import Safeguards, offered_recipes, recipe, safe_recipe_name, safe_recipe_width
from rrcore.promise import MechanismFile
from rrcore.table import OTHER, ColumnRule, Dataset, Schema, TextTable, recode
from rrcore.table.recoding import recoding, rule_learned_names
from rrcore.wording.short import shortened

Value = TypeVar("Value")

Learned = tuple[str, tuple[str, ...]]
"""An attribute and its categories, or its values that were renamed, as they were read off an upload."""

DECLARED = "Declared plan"
"""What stands in place of a table's title where there is none."""
DEFAULT_LEVEL = 2.0
DEFAULT_DEMO = "titanic"
_KEY = "work"
FIRST_CHOICE = 8


@dataclass
class Work:
    """What is in play: the table or declared schema, and all that is wished for. It stays in this session's memory.

    ``version`` grows whenever the attributes change; widgets whose options depend on them carry it in their keys.
    ``made_file`` is what Collect made, by which a survey starts, and ``released_file`` what Release used last, for the ledger.
    ``awaited`` is the upload that a project was about, until it is uploaded again.
    ``dropped`` says why the last table took a declared plan out of play; empty where it did not.
    ``learned`` are the names of categories that this session read off uploads, and what they give away; of them ``may_leave`` those that the
    steward lets be seen.
    """

    source: Source = "demo"
    title: str = ""
    table: TextTable | None = None
    rules: dict[str, ColumnRule] = field(default_factory=dict)
    dataset: Dataset | None = None
    schema: Schema | None = None
    wishes: Wishes = field(default_factory=lambda: Wishes(1, (), {}))
    declared: str | None = None
    version: int = 0
    awaited: Origin | None = None
    dropped: str = ""
    made_file: MechanismFile | None = None
    released_file: MechanismFile | None = None
    learned: dict[Learned, str] = field(default_factory=dict)
    may_leave: set[Learned] = field(default_factory=set)
    _remembered: dict[str, tuple[Hashable, Any]] = field(default_factory=dict)

    def wish(self, **changes: Any) -> None:
        """Wish for something else: fields of ``Wishes`` by their names. Raises InputError, and changes nothing, for what cannot be wished."""
        self.wishes = replace(self.wishes, **changes)

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
        if self.source == "declare" and self.schema is not None and self.wishes.chosen:
            planned = self.schema.select(self.wishes.chosen)
            try:
                rules = rules_for_plan(table, rules, planned)
            except InputError as error:
                planned, dropped = None, f"The declared plan ({', '.join(self.wishes.chosen)}) is no longer in play. {error}"
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
            self.wish(**{name: dataset.n for name in ("respondents", "people") if before in (None, getattr(self.wishes, name))})
        if planned is not None:
            self.schema = dataset.schema  # so that columns that are not in the plan are none that are new
        self._adopt_schema(dataset.schema)

    def adopt_declared(self, schema: Schema, respondents: int) -> None:
        """Work on a declared schema without any data."""
        if self.source != "declare":
            self._forget_choices()
        self.wish(respondents=respondents)
        self.drop_answers()
        self.awaited = None
        self._adopt_schema(schema)

    def note_learned(self, schema: Schema, rules: Mapping[str, ColumnRule]) -> None:
        """Remember which names were read off the upload that is in play or awaited."""
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
        self.wish(people=self.wishes.respondents)
        self.version += 1

    def _forget_choices(self) -> None:
        """Forget what was wished about the former attributes."""
        self.schema, kept = None, ("respondents", "mechanism", "width", "total", "seed", "people", "wording")
        self.wishes = Wishes(chosen=(), levels={}, **{name: getattr(self.wishes, name) for name in kept})
        if recipe(self.wishes.mechanism).needs:
            self.choose_safe(self.wishes.width)

    def _adopt_schema(self, schema: Schema) -> None:
        known = self.schema.names if self.schema else ()
        self.schema = schema
        self.version += 1
        kept = tuple(name for name in self.wishes.chosen if name in schema.names)
        fresh = tuple(name for name in schema.names if name not in known)
        chosen = (kept + fresh)[: max(FIRST_CHOICE, len(kept))] if kept else schema.names[:FIRST_CHOICE]
        if self.source == "declare":  # in the order the questions are typed
            chosen = tuple(name for name in schema.names if name in chosen)
        self.wish(levels={name: self.wishes.levels.get(name, DEFAULT_LEVEL) for name in schema.names})
        self.choose_attributes(chosen)

    def choose_attributes(self, names: tuple[str, ...]) -> None:
        """Plan for the attributes ``names``, and show those of them that were shown.

        A mechanism that is safe for joint distributions stays so, as far as there are so many.
        """
        alone = len(self.wishes.chosen) < 2  # so that the optimum was no choice
        self.wish(chosen=names)
        if safe_recipe_width(self.wishes.mechanism) is not None and (self.wishes.mechanism != "optimal" or alone):
            self.choose_safe(self.wishes.width)
        self.choose_marginal(tuple(name for name in self.wishes.marginal if name in names))

    def choose_safe(self, width: int) -> None:
        """Carry the plan out by the mechanism that is safe for joint distributions of up to ``width`` attributes; 1 is the optimum."""
        if width > 1:
            self.wish(width=width)
        self.wish(mechanism=self.dial if width > 1 else "optimal")

    @property
    def dial(self) -> str:
        """The name of the mechanism that is safe for ``width`` attributes, or for as many as there are."""
        return safe_recipe_name(max(1, min(self.wishes.width, len(self.wishes.chosen))))

    def draw_again(self) -> None:
        """Simulate with the next seed."""
        self.wish(seed=(self.wishes.seed + 1) % (MAX_SEED + 1))

    def rng(self, name: str = "", *numbers: int) -> np.random.Generator:
        """The random stream called ``name``, or its part with these ``numbers``; without a name, that of the release itself."""
        return np.random.default_rng(np.random.SeedSequence([self.wishes.seed, *name.encode()], spawn_key=numbers))

    def choose_marginal(self, names: tuple[str, ...]) -> None:
        """Show the marginal over ``names``; the first two attributes of the plan if that is empty."""
        self.wish(marginal=names or self.wishes.chosen[:2])

    def set_levels(self, levels: Mapping[str, float]) -> None:
        """Give attributes levels, in nats, at the present scale."""
        self.wish(levels={**self.wishes.levels, **{name: level / self.wishes.scale for name, level in levels.items()}})

    @property
    def safeguards(self) -> Safeguards:
        """The floors and caps asked for, as far as they are about attributes of the plan."""
        wishes = self.wishes
        axes = {name: i for i, name in enumerate(wishes.chosen)}
        marginals = tuple(tuple(axes[name] for name in names) for names in wishes.floor_marginals if set(names) <= set(axes))
        floor = None if wishes.floor_marginals and not marginals else wishes.floor
        slacks = tuple(wishes.slacks.get(name, math.inf) for name in wishes.chosen)
        return Safeguards(floor, () if floor is None else marginals, None if all(map(math.isinf, slacks)) else slacks)

    def plan(self) -> Plan:
        """The plan as it stands, made once. Raises InputError with the sentence to show."""
        return self.remember("plan", (self.schema, self.wishes), self._planned)

    def _planned(self) -> Plan:
        assert self.schema is not None
        wishes, schema = self.wishes, self.schema.select(self.wishes.chosen)
        if wishes.entry != "questions":
            levels = tuple(wishes.levels[name] * wishes.scale for name in wishes.chosen)
            return Plan(schema, levels, wishes.respondents, wishes.mechanism, self.safeguards, closeness=wishes.closeness)
        asked = tuple(schema.axes(names) for names in wishes.questions if set(names) <= set(wishes.chosen))
        if not asked:
            raise InputError("No joint distribution is wanted: tick at least one.")
        equal = (wishes.total / len(wishes.chosen),) * len(wishes.chosen)
        questions = Questions(wishes.total, asked, wishes.respondents)
        return Plan(schema, equal, wishes.respondents, wishes.mechanism, questions=questions, closeness=wishes.closeness)

    def adopt_plan(self, plan: Plan) -> None:
        """Make ``plan`` the one in play.

        Where its attributes are not, with the same categories, among those of the table or schema in play, its schema is put in
        play as a declared one.
        """
        known = {attribute.name: attribute for attribute in self.schema.attributes} if self.schema else {}
        if self.schema is None or any(
            a.name not in known or known[a.name].categories != a.categories for a in plan.schema.attributes
        ):
            self.adopt_declared(plan.schema, plan.respondents)
            self.declared = write_questions(plan.schema)
        names, guards, slacks = plan.schema.names, plan.safeguards, plan.safeguards.slacks or ()
        self.choose_attributes(names)
        self.wish(
            respondents=plan.respondents,
            scale=1.0,
            levels={**self.wishes.levels, **dict(zip(names, plan.levels, strict=True))},
            entry="levels",
            mechanism=plan.mechanism,
            closeness=plan.closeness,
            floor=guards.floor,
            floor_marginals=tuple(tuple(names[i] for i in axes) for axes in guards.marginals),
            slacks={name: slack for name, slack in zip(names, slacks, strict=False) if not math.isinf(slack)},
        )
        if (width := safe_recipe_width(plan.mechanism) or 1) > 1:
            self.wish(width=width)
        if plan.questions is not None:
            asked = tuple(tuple(names[i] for i in axes) for axes in plan.questions.marginals)
            self.wish(entry="questions", total=plan.questions.total, questions=asked)
        self.version += 1

    def key(self, name: str) -> str:
        """Of a widget called ``name`` that offers attributes of the plan: it begins anew where these are others."""
        return f"{name}_{self.version}_{hash(self.wishes.chosen)}"

    @property
    def answers(self) -> Hashable:
        """By which what was computed about the answers in play is known, whatever session has them."""
        return self.schema, self.remember("digest", self.version, lambda: "" if self.dataset is None else _digest(self.dataset))

    def option_keys(self, plan: Plan) -> tuple[str, ...]:
        """The mechanisms that ``plan`` can be carried out by."""
        if plan.questions is not None:
            return ("kronecker", "design")
        return offered_recipes(len(plan.levels), self.dial) + (("safeguarded",) if plan.safeguards != Safeguards() else ())

    def remember(self, name: str, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The last result called ``name`` if it was computed for ``key``, else a new one. One result is kept per name."""
        if name not in self._remembered or self._remembered[name][0] != key:
            self._remembered[name] = (key, compute())
        return cast(Value, self._remembered[name][1])


def _digest(dataset: Dataset) -> str:
    return hashlib.blake2b(np.ascontiguousarray(dataset.codes.T).data, digest_size=16).hexdigest()


def current() -> Work:
    """This session's work; a new session has no table."""
    return cast(Work, st.session_state.setdefault(_KEY, Work()))


def shown(name: str, value: object, take: Callable[[Any], None]) -> dict[str, Any]:
    """Arguments of a widget called ``name`` that shows the ``value``, whatever else changes that, and has ``take`` what is chosen."""
    if st.session_state.get(name) != value:
        st.session_state[name] = value
    return {"key": name, "on_change": lambda: take(st.session_state[name]), "persist_state": "session"}


def of_page(kind: type[Value]) -> Value:
    """What this session remembers for a page: its one ``kind``, which starts as ``kind()``."""
    return cast(Value, st.session_state.setdefault(f"{kind.__module__}.{kind.__qualname__}", kind()))


def editor_start(key: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The table that the data editor called ``key`` starts from, which must stay the same while it is shown: ``rows`` where it is new."""
    if key not in st.session_state:
        st.session_state[f"{key}_start"] = pd.DataFrame(rows)
    return cast(pd.DataFrame, st.session_state[f"{key}_start"])


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
            raise InputError(f"{where} has '{shortened(other)}', which the plan has not.")
        found[wanted.name] = rule
    return found
