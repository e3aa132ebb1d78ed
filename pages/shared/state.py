"""Everything a session remembers, typed, under one session key. It lives in this session's memory and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

import streamlit as st
from starlette.formparsers import MultiPartParser

from rrcore.budget import Option, Plan, compare
from rrcore.dataset import Dataset
from rrcore.demo import load_demo
from rrcore.limits import MAX_FILE_BYTES
from rrcore.reading import TextTable
from rrcore.recoding import ColumnRule, as_table, recode
from rrcore.schema import Schema

Source = Literal["demo", "upload", "declare"]
Value = TypeVar("Value")

DEFAULT_LEVEL = 2.0
DEFAULT_DEMO = "titanic"
_KEY = "work"
_NAVIGATED = "navigated"
_FIRST_CHOICE = 8


@dataclass
class Work:
    """What is in play: the table or declared schema, the plan, and the choices of each page.

    ``version`` grows whenever the attributes change; widgets whose options depend on them carry it in their keys.
    """

    source: Source = "demo"
    demo: str = DEFAULT_DEMO
    title: str = ""
    table: TextTable | None = None
    rules: dict[str, ColumnRule] = field(default_factory=dict)
    dataset: Dataset | None = None
    schema: Schema | None = None
    respondents: int = 1
    version: int = 0
    upload_id: str = ""
    upload_problem: str = ""
    uploaded: tuple[TextTable, dict[str, ColumnRule]] | None = None
    declared: list[dict[str, Any]] = field(default_factory=list)
    declared_people: int = 2000
    chosen: tuple[str, ...] = ()
    levels: dict[str, float] = field(default_factory=dict)
    scale: float = 1.0
    mechanism: str = "kronecker"
    marginal: tuple[str, ...] = ()
    seed: int = 0
    people: int = 0
    population: bool = False
    _remembered: dict[str, tuple[Hashable, Any]] = field(default_factory=dict)

    def adopt_table(self, table: TextTable, rules: Mapping[str, ColumnRule], source: Source) -> None:
        """Work on ``table``, read by ``rules``. Raises InputError, and changes nothing, if they give no dataset."""
        dataset = recode(table, rules)
        before = self.dataset.n if self.dataset is not None and table is self.table else None
        if before is None:
            self._forget_choices()
        self.table, self.rules, self.dataset, self.source = table, dict(rules), dataset, source
        self.title = table.title
        if source == "upload":
            self.uploaded = (table, self.rules)
        if before in (None, self.respondents):
            self.respondents = dataset.n
        if before in (None, self.people):
            self.people = dataset.n
        self._adopt_schema(dataset.schema)

    def adopt_declared(self, schema: Schema, respondents: int) -> None:
        """Work on a declared schema without any data."""
        if self.source != "declare":
            self._forget_choices()
        self.table, self.rules, self.dataset, self.source = None, {}, None, "declare"
        self.title = "Declared plan"
        self.respondents = self.people = respondents
        self._adopt_schema(schema)

    def _forget_choices(self) -> None:
        self.schema, self.chosen, self.levels, self.marginal, self.scale = None, (), {}, (), 1.0

    def _adopt_schema(self, schema: Schema) -> None:
        known = self.schema.names if self.schema else ()
        self.schema = schema
        self.version += 1
        kept = tuple(name for name in self.chosen if name in schema.names)
        fresh = tuple(name for name in schema.names if name not in known)
        self.chosen = (kept + fresh)[: max(_FIRST_CHOICE, len(kept))] if kept else schema.names[:_FIRST_CHOICE]
        self.levels = {name: self.levels.get(name, DEFAULT_LEVEL) for name in schema.names}
        self.choose_marginal(tuple(name for name in self.marginal if name in self.chosen))

    def choose_marginal(self, names: tuple[str, ...]) -> None:
        """Show the marginal over ``names``; the first two attributes of the plan if that is empty."""
        self.marginal = names or self.chosen[:2]

    def set_level(self, name: str, level: float) -> None:
        """Give an attribute a level, in nats, at the present scale."""
        self.levels[name] = level / self.scale

    def plan(self) -> Plan:
        """The plan as it stands. Raises InputError with the sentence to show."""
        assert self.schema is not None
        levels = tuple(self.levels[name] * self.scale for name in self.chosen)
        return Plan(self.schema.select(self.chosen), levels, self.respondents, self.mechanism)

    def options(self, plan: Plan) -> tuple[Option, ...]:
        """The mechanisms side by side for ``plan``."""
        return self.remember("options", (plan.schema, plan.levels), lambda: compare(plan))

    def remember(self, name: str, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The last result called ``name`` if it was computed for ``key``, else a new one. One result a name is kept."""
        if name not in self._remembered or self._remembered[name][0] != key:
            self._remembered[name] = (key, compute())
        return cast(Value, self._remembered[name][1])


def mark_navigated() -> None:
    """Remember that this session came in through app.py."""
    st.session_state[_NAVIGATED] = True


def current() -> Work:
    """This session's work; a new session starts with the default demo table.

    The first link into a page of a fresh server reaches that page past app.py (Streamlit finds the folder ``pages`` on
    its own until it has seen our navigation), so it is sent there.
    """
    if _NAVIGATED not in st.session_state:
        st.switch_page("app.py")
    if _KEY not in st.session_state:
        work = Work()
        work.adopt_table(*as_table(load_demo(DEFAULT_DEMO)), source="demo")
        st.session_state[_KEY] = work
    return cast(Work, st.session_state[_KEY])


def keep(key: str, value: object) -> str:
    """Give the widget ``key`` its value from the work when it (re)appears, and return the key.

    Streamlit forgets a widget's value when another page is shown; the work does not.
    """
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def ask_for_source(source: Source) -> None:
    """Have the Data page open at this source."""
    st.session_state["source"] = source


def keep_uploads_in_memory() -> None:
    """Have the web server hold an upload in memory: by default it puts files above 1 MB through a temporary file on disk."""
    MultiPartParser.spool_max_size = 2 * MAX_FILE_BYTES
