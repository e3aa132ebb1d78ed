"""Which ledger the page shows, and what goes wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.shared import widgets
from rrcore.errors import InputError
from rrcore.ledger import Entry, Ledger


@dataclass
class Place:
    """Where the ledger is that the page shows, empty for none; and the sentence about what last went wrong."""

    path: str = ""
    problem: str = ""

    def open(self, *, create: bool) -> None:
        """Show the ledger at the typed place."""
        self.problem, typed = "", str(st.session_state["ledger_typed"]).strip()
        try:
            Ledger.open(typed, create=create)
        except InputError as error:
            self.problem = str(error)
        else:
            self.path = typed

    def close(self) -> None:
        """Show no ledger."""
        self.path = self.problem = ""

    def forget_problem(self) -> None:
        """What went wrong is no longer of interest."""
        self.problem = ""

    def record(self, ledger: Ledger, entry: Entry) -> None:
        """Write the entry; the page then only looks, so that it does not count as planned once more."""
        self.problem = ""
        try:
            number = ledger.add(entry).id
        except InputError as error:
            self.problem = str(error)
        else:
            st.session_state["ledger_source"] = "none"
            st.toast(f"Recorded as number {number}", icon=":material/check:")

    def remove(self, ledger: Ledger, number: int) -> None:
        """Take back the entry recorded last."""
        self.problem = ""
        try:
            ledger.remove(number)
        except InputError as error:
            self.problem = str(error)

    def show_problem(self) -> None:
        """What last went wrong, if something did."""
        if self.problem:
            widgets.complain(self.problem)


def ask_for_place(place: Place) -> None:
    """Where the ledger is, or will be."""
    st.markdown(
        "Two releases about the same people add up: whoever sees both learns more than from either. A ledger remembers what was released, so "
        "that the next release is planned with the earlier ones in mind."
    )
    st.info(
        "A ledger is one small file on this computer. It holds names of attributes, dates, fingerprints of mechanism files, levels and "
        "totals, and nobody's answers. Nothing is written before you press 'Create', and nothing is read before you press 'Open'.",
        icon=":material/menu_book:",
    )
    widgets.text(
        "Path of the file, or a database URL",
        "ledger_typed",
        placeholder="for example releases.ledger",
        on_change=place.forget_problem,
        help="A path such as /home/me/releases.ledger. Or an SQLAlchemy URL such as postgresql+psycopg://user@host/name, where the driver of "
        "that database is installed; better without a password, which most drivers take from a file of their own.",
    )
    with st.container(horizontal=True):
        st.button("Open", type="primary", icon=":material/folder_open:", on_click=place.open, kwargs={"create": False})
        st.button(
            "Create",
            icon=":material/add:",
            on_click=place.open,
            kwargs={"create": True},
            help="A new, empty ledger.",
        )
    place.show_problem()
