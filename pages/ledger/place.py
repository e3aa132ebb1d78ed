"""Which ledger the page shows, and what goes wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from pages.shared import widgets
from pages.shared.hosting import roles
from pages.shared.hosting.shelves import Shelf, hosted, shelf
from rrcore.errors import InputError
from rrcore.ledger import Entry, Ledger


@dataclass
class Place:
    """Which ledger the page shows, by its name and its path or URL, empty for none; and the sentence about what last went wrong."""

    name: str = ""
    path: str = ""
    problem: str = ""

    def open(self) -> None:
        """Show the chosen ledger."""
        self._show(lambda kept: kept.place(str(st.session_state.get("ledger_chosen", ""))), create=False)

    def create(self) -> None:
        """Make the ledger with the typed name, and show it."""
        self._show(lambda kept: kept.new(str(st.session_state.get("ledger_typed", ""))), create=True)

    def _show(self, find: Callable[[Shelf], str], *, create: bool) -> None:
        self.problem, kept = "", shelf("ledger")
        try:
            by = roles.require("keep_ledgers") if create else ""
            path = find(kept)
            Ledger.open(path, create=create, by=by)
        except InputError as error:
            self.problem = kept.said(error)
        else:
            self.path, self.name = path, Path(path).name if create else str(st.session_state["ledger_chosen"])

    def close(self) -> None:
        """Show no ledger."""
        self.name = self.path = self.problem = ""

    def forget_problem(self) -> None:
        """What went wrong is no longer of interest."""
        self.problem = ""

    def record(self, ledger: Ledger, entry: Entry) -> None:
        """Write the entry; the page then only looks, so that it does not count as planned once more."""
        self.problem = ""
        try:
            number = replace(ledger, by=roles.require("keep_ledgers")).add(entry).id
        except InputError as error:
            self.problem = shelf("ledger").said(error)
        else:
            st.session_state["ledger_source"] = "none"
            st.toast(f"Recorded as number {number}", icon=":material/check:")

    def strike(self, ledger: Ledger, version: str) -> None:
        """Strike the chosen entry through, for the reason that was typed."""
        self.problem, typed = "", st.session_state
        try:
            own = replace(ledger, by=roles.require("keep_ledgers"))
            never = typed.get(f"ledger_never_{version}") is True
            own.strike(
                typed.get(f"ledger_struck_{version}", 0), str(typed.get(f"ledger_why_{version}", "")), never_happened=never
            )
        except InputError as error:
            self.problem = shelf("ledger").said(error)

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
    kept = shelf("ledger")
    if hosted():
        where = "on the server of this dashboard, in one folder that its operator chose: everybody who can open this dashboard can open it"
    else:
        where = f"on this computer, in {kept.folder}"
    st.info(
        f"A ledger is one small file {widgets.plain(where)}. It holds names of attributes, dates, fingerprints of mechanism files, levels "
        "and totals, and nobody's answers. Nothing is written before you press 'Create', and nothing is read before you press 'Open'.",
        icon=":material/menu_book:",
    )
    names = kept.names()
    left, right = st.columns(2, gap="large")
    with left:
        if names:
            widgets.select("Ledger", names, "ledger_chosen")
            st.button("Open", type="primary", icon=":material/folder_open:", on_click=place.open)
        else:
            st.caption(
                "There is no ledger yet." if kept.folder else "The operator of this dashboard has set no folder for ledgers."
            )
    if kept.folder is not None:
        with right:
            if refused := roles.refusal("keep_ledgers"):
                widgets.caption(refused)
                place.show_problem()
                return
            widgets.text(
                "Name of a new ledger",
                "ledger_typed",
                placeholder="for example panel 2026",
                on_change=place.forget_problem,
                help="Letters, digits, spaces, hyphens, underscores and dots; .ledger is added.",
            )
            st.button("Create", icon=":material/add:", on_click=place.create, help="A new, empty ledger.")
    place.show_problem()
