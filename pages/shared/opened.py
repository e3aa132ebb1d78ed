"""The survey or history that is open on a page, and the sentence about what last went wrong with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import streamlit as st

from pages.shared import state, widgets
from pages.shared.directory import Directory, Thing, directory
from pages.shared.mode import refuse_in_demo
from rrcore.errors import InputError
from rrcore.ledger import Ledger
from rrcore.promise import MechanismFile


@dataclass
class Opened:
    """One survey or history by its name and its path, empty for none, and the sentence about what last went wrong."""

    name: str = ""
    path: str = ""
    problem: str = ""
    thing: ClassVar[Thing]
    called: ClassVar[str]

    @contextmanager
    def attempt(self) -> Iterator[Directory]:
        """Try something in the block, with the directory. An InputError becomes the problem that is shown."""
        self.problem, kept = "", directory(self.thing)
        try:
            yield kept
        except InputError as error:
            self.problem = str(error)

    def forget_problem(self) -> None:
        """Show no problem any more."""
        self.problem = ""

    def show_problem(self) -> None:
        """Show what last went wrong, if something did."""
        if self.problem:
            widgets.complain(self.problem)

    def choose(self, title: str, *, hint: str, empty: str = "") -> None:
        """Offer what is in the directory. The sentence ``empty`` says what to do if nothing is."""
        kept = directory(self.thing)
        with widgets.card(title, hint=hint):
            if names := kept.names():
                widgets.select("File", names, f"{self.thing}_chosen")
                st.button("Open", type="primary", icon=":material/folder_open:", on_click=self.open)
            else:
                widgets.caption(f"{kept.folder} contains no {self.called} (.{self.thing} file) yet. {empty}")

    def open(self) -> None:
        """Show what was chosen."""
        raise NotImplementedError


@dataclass
class OpenLedger(Opened):
    """The history that page Release shows."""

    thing = "ledger"
    called = "history"

    def open(self) -> None:
        """Show the chosen history."""
        with self.attempt() as kept:
            chosen = str(st.session_state.get("ledger_chosen", ""))
            path = kept.place(chosen)
            Ledger.open(path)
            self.path, self.name = path, chosen

    def create(self) -> None:
        """Make the history with the typed name, and show it."""
        with self.attempt() as kept:
            refuse_in_demo()
            path = kept.new(str(st.session_state.get("ledger_typed", "")))
            Ledger.open(path, create=True)
            self.path, self.name = path, Path(path).name

    def close(self) -> None:
        """Show no history."""
        self.name = self.path = self.problem = ""


def offer_entry(label: str, file: MechanismFile, people: int | None, key: str) -> None:
    """A button that leads to the history, with the mechanism of a release and how many people it was about."""
    if st.button(label, key, on_click=_plan_entry, args=(file, people), icon=":material/menu_book:"):
        st.switch_page("pages/release/page.py", query_params={})


def _plan_entry(file: MechanismFile, people: int | None) -> None:
    """Have the history plan this release next."""
    state.current().made_file = file
    st.session_state.update(ledger_source="made", ledger_people=people, release_tab="History")
