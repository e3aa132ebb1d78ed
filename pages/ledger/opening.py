"""Where the ledger is, or will be."""

from __future__ import annotations

import streamlit as st

from pages.shared import widgets
from pages.shared.hosting import roles
from pages.shared.hosting.shelves import shelf
from pages.shared.opened import OpenLedger


def ask(opened: OpenLedger) -> None:
    """Choose a ledger, or name a new one."""
    st.markdown(
        "Two releases about the same people add up: whoever sees both learns more than from either. A ledger remembers what was released, so "
        "that the next release is planned with the earlier ones in mind."
    )
    kept = shelf("ledger")
    if roles.shared():
        where = "on the server of this dashboard, in one folder that its operator chose: everybody who can open this dashboard can open it"
    else:
        where = f"on this computer, in {kept.folder}"
    st.info(
        f"A ledger is one small file {widgets.plain(where)}. It holds names of attributes, dates, fingerprints of mechanism files, levels "
        "and totals, and nobody's answers. Nothing is read or written before you press a button.",
        icon=":material/menu_book:",
    )
    names = kept.names()
    left, right = st.columns(2, gap="large")
    with left:
        if names:
            widgets.select("Ledger", names, "ledger_chosen")
            st.button("Open", type="primary", icon=":material/folder_open:", on_click=opened.open)
        else:
            st.caption(
                "There is no ledger yet." if kept.folder else "The operator of this dashboard has set no folder for ledgers."
            )
    if kept.folder is not None:
        with right:
            if refused := roles.refusal("keep_ledgers"):
                widgets.caption(refused)
                opened.show_problem()
                return
            widgets.text(
                "Name of a new ledger",
                "ledger_typed",
                placeholder="for example panel 2026",
                on_change=opened.forget_problem,
                help="Letters, digits, spaces, hyphens, underscores and dots; .ledger is added.",
            )
            st.button("Create", icon=":material/add:", on_click=opened.create, help="A new, empty ledger.")
    opened.show_problem()
