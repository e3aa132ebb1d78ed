"""Which ledger the page shows, and what goes wrong with it."""

from __future__ import annotations

import streamlit as st

from pages.shared import state, widgets
from rrcore.errors import InputError
from rrcore.ledger import Entry, Ledger

_PROBLEM = "ledger_problem"
"""Session key of the sentence about what last went wrong."""


def open_ledger(work: state.Work, *, create: bool) -> None:
    """Have the page show the ledger at the typed place."""
    forget_problem()
    typed = str(st.session_state["ledger_typed"]).strip()
    try:
        Ledger.open(typed, create=create)
    except InputError as error:
        st.session_state[_PROBLEM] = str(error)
    else:
        work.ledger_place = typed


def close_ledger(work: state.Work) -> None:
    """Show no ledger."""
    work.ledger_place = ""
    forget_problem()


def record(ledger: Ledger, entry: Entry) -> None:
    """Write the entry; the page then only looks, so that it does not count as planned once more."""
    forget_problem()
    try:
        number = ledger.add(entry).id
    except InputError as error:
        st.session_state[_PROBLEM] = str(error)
    else:
        st.session_state["ledger_source"] = "none"
        st.toast(f"Recorded as number {number}", icon=":material/check:")


def remove(ledger: Ledger, number: int) -> None:
    """Take back the entry recorded last."""
    forget_problem()
    try:
        ledger.remove(number)
    except InputError as error:
        st.session_state[_PROBLEM] = str(error)


def forget_problem() -> None:
    """What went wrong is no longer of interest."""
    st.session_state.pop(_PROBLEM, None)


def show_problem() -> None:
    """What last went wrong, if something did."""
    if _PROBLEM in st.session_state:
        widgets.complain(st.session_state[_PROBLEM])


def ask_for_place(work: state.Work) -> None:
    """Where the ledger is, or shall be."""
    st.markdown(
        "Two releases about the same people add up: whoever sees both learns more than from either. A ledger remembers what was released, so "
        "that the next release is planned with the earlier ones in mind."
    )
    st.info(
        "A ledger is one small file on this computer. It holds names of attributes, dates, fingerprints of mechanism files, levels and "
        "totals, and nobody's answers. Nothing is written before you press 'Create', and nothing is read before you press 'Open'.",
        icon=":material/menu_book:",
    )
    st.text_input(
        "Path of the file, or a database URL",
        placeholder="for example releases.ledger",
        on_change=forget_problem,
        **state.keep("ledger_typed", ""),
        help="A path such as /home/me/releases.ledger. Or an SQLAlchemy URL such as postgresql+psycopg://user@host/name, where the driver of "
        "that database is installed; better without a password, which most drivers take from a file of their own.",
    )
    with st.container(horizontal=True):
        st.button(
            "Open", type="primary", icon=":material/folder_open:", on_click=open_ledger, args=(work,), kwargs={"create": False}
        )
        st.button(
            "Create",
            icon=":material/add:",
            on_click=open_ledger,
            args=(work,),
            kwargs={"create": True},
            help="A new, empty ledger.",
        )
    show_problem()
