"""What is open on pages about surveys and ledgers: one of a directory, by its name, and the sentence about what last went wrong with it."""

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
    """One survey or ledger by its name and its path or URL, empty for none; and the sentence about what last went wrong."""

    name: str = ""
    path: str = ""
    problem: str = ""
    thing: ClassVar[Thing]

    @contextmanager
    def attempt(self) -> Iterator[Directory]:
        """In the block something is tried, with the directory: what goes wrong is the problem from then on."""
        self.problem, kept = "", directory(self.thing)
        try:
            yield kept
        except InputError as error:
            self.problem = str(error)

    def forget_problem(self) -> None:
        """What went wrong is no longer of interest."""
        self.problem = ""

    def show_problem(self) -> None:
        """What last went wrong, if something did."""
        if self.problem:
            widgets.complain(self.problem)


@dataclass
class OpenLedger(Opened):
    """The ledger that page Ledger shows."""

    thing = "ledger"

    def open(self) -> None:
        """Show the chosen ledger."""
        with self.attempt() as kept:
            chosen = str(st.session_state.get("ledger_chosen", ""))
            path = kept.place(chosen)
            Ledger.open(path)
            self.path, self.name = path, chosen

    def create(self) -> None:
        """Make the ledger with the typed name, and show it."""
        with self.attempt() as kept:
            refuse_in_demo()
            path = kept.new(str(st.session_state.get("ledger_typed", "")))
            Ledger.open(path, create=True)
            self.path, self.name = path, Path(path).name

    def close(self) -> None:
        """Show no ledger."""
        self.name = self.path = self.problem = ""


def offer_entry(label: str, file: MechanismFile, people: int | None, key: str) -> None:
    """A button that leads to Ledger, with the mechanism of a release and how many people it was about."""
    if st.button(label, key, help="What was released about whom, and its price.", icon=":material/menu_book:"):
        state.current().released_file = file
        st.session_state["ledger_source"] = "released"
        st.session_state["ledger_people"] = people
        st.switch_page("pages/ledger/page.py")
