"""Ledger: what has been released about the same people, and what one more release would add."""

from collections.abc import Sequence
from decimal import Decimal

import streamlit as st

from pages.ledger import entries as recorded
from pages.ledger import planning
from pages.shared import state, widgets
from pages.shared.directory import directory
from pages.shared.opened import OpenLedger
from rrcore import plots
from rrcore.errors import InputError
from rrcore.ledger import Entry, Ledger, Planned, entry_populations, largest_total_text, total_spent
from rrcore.limits import MAX_LEDGER_NATS
from rrcore.wording import odds_text

_GROUPS = 12  # most groups in the figure


def choose_ledger(opened: OpenLedger) -> None:
    """Choose a ledger, or name a new one."""
    st.markdown(
        "Two releases about the same people add up: whoever sees both learns more than from either. A ledger remembers what was released, so "
        "that the next release is planned with the earlier ones in mind."
    )
    kept = directory("ledger")
    st.info(
        f"A ledger is one small file on this computer, in {widgets.plain(str(kept.folder))}. It holds names of attributes, dates, "
        "fingerprints of mechanism files, levels and totals, and nobody's answers. Nothing is read or written before you press a button.",
        icon=":material/menu_book:",
    )
    names = kept.names()
    left, right = st.columns(2, gap="large")
    with left:
        if names:
            widgets.select("Ledger", names, "ledger_chosen")
            st.button("Open", type="primary", icon=":material/folder_open:", on_click=opened.open)
        else:
            st.caption("There is no ledger yet.")
    with right:
        widgets.text(
            "Name of a new ledger",
            "ledger_typed",
            placeholder="for example panel 2026",
            on_change=opened.forget_problem,
            help="Letters, digits, spaces, hyphens, underscores and dots; .ledger is added.",
        )
        st.button("Create", icon=":material/add:", on_click=opened.create, help="A new, empty ledger.")
    opened.show_problem()


def choose_threshold() -> float | None:
    """Above which sum the page warns, nats."""
    return st.number_input(
        "Warn above (nats, optional)",
        min_value=0.01,
        max_value=float(MAX_LEDGER_NATS),
        value=None,
        step=1.0,
        placeholder="no warning",
        key="ledger_threshold",
        persist_state="session",
        help="The sum of totals that should not be exceeded for any group of people.",
    )


def show_composition(entries: Sequence[Entry], planned: Planned | None, threshold: float | None) -> None:
    """What adds up to what: figure, sentences, warnings, and each attribute of a planned release."""
    everything = [total_spent(entries, name) for name in entry_populations(entries)]
    groups = [planned.after] if planned is not None else everything[-_GROUPS:]
    if not groups:
        st.info(
            "Nothing is recorded yet. Choose a mechanism file to see what its release gives away, and record it.",
            icon=":material/menu_book:",
        )
        return
    figure = plots.ledger_figure(groups, widgets.palette(), planned=planned, threshold=threshold)
    widgets.figure(figure, "ledger", alt="Sum of the totals of the releases about each group of people")
    dotted = " The dotted line is where you want to be warned." if threshold is not None else ""
    striped = " Striped: the planned release." if planned is not None else ""
    widgets.caption(
        "Each piece is one release. For somebody who sees them all, the bound is the sum, whatever they know; beside it the odds."
        f"{striped}{dotted}"
    )
    for sentence in filter(None, (group.struck() for group in everything)):
        widgets.caption(sentence)
    for group in groups:
        if warning := group.warning(None if threshold is None else Decimal(str(threshold))):
            widgets.warn(warning)
    if planned is None:
        return
    for sentence in planned.sentences()[1:]:
        st.markdown(widgets.plain(sentence))
    before, after = planned.before, planned.after
    with st.expander("Details", icon=":material/list:"):
        widgets.table(
            {
                "Attribute": list(after.attributes),
                "Times asked": list(after.asked),
                "Given so far (nats)": [recorded.amount(level) for level in before.levels],
                "With this release (nats)": [recorded.amount(level) for level in after.levels],
                "Odds up to": ["no bound" if level is None else f"× {odds_text(float(level))}" for level in after.levels],
            }
        )
        st.caption(
            "For somebody who sees the released answers to one attribute only. For all answers together the bound is the sum of the totals."
        )


work = state.current()
answer = widgets.header("Ledger", "What was released about these people before, and what would one more release add?")
opened = state.of_page(OpenLedger)
if not opened.path:
    waits = planning.files_here(work).get(st.session_state.get("ledger_source", "")) is not None
    answer(
        "No ledger is open: nothing remembers what was released about whom."
        + (" Open or create one, and your mechanism file can be recorded in it." if waits else "")
    )
    choose_ledger(opened)
    st.stop()
with st.container(horizontal=True, vertical_alignment="center"):
    ledger = Ledger(opened.path)
    widgets.caption(f"Ledger: {opened.name}")
    st.button("Close", on_click=opened.close, type="tertiary", icon=":material/close:")
opened.show_problem()
try:
    entries = ledger.entries()
except InputError as error:
    widgets.complain(error)
    st.stop()
left, right = st.columns([1, 3], gap="large")
with right:
    composition = st.container()
    recorded.show(opened, ledger, entries)
with left:
    file = planning.choose_file(work)
    planned = None if file is None else planning.describe(file, entries)
    if planned is not None:
        st.button(
            "Record this release",
            type="primary",
            icon=":material/edit_note:",
            on_click=planning.record,
            args=(opened, ledger, planned.entry),
            help="Writes one line to the ledger, without any answers.",
        )
    threshold = choose_threshold()
answer(widgets.plain(largest_total_text(entries) if planned is None else planned.sentences()[0]))
with composition:
    show_composition(entries, planned, threshold)
