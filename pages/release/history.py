"""History: what was published about the same people, and how much one more release would add."""

import datetime as dt
from collections.abc import Sequence

import streamlit as st

from pages.shared import mechanisms, publishing, state, widgets
from pages.shared.mode import refuse_in_demo
from pages.shared.opened import OpenLedger
from rrcore import plots
from rrcore.errors import InputError
from rrcore.ledger import (
    Entry,
    Ledger,
    Nats,
    Planned,
    entries_csv,
    entry_populations,
    largest_total_text,
    running_totals,
    total_after_release,
    total_spent,
)
from rrcore.limits import MAX_PEOPLE, MAX_TEXT
from rrcore.promise import MechanismFile
from rrcore.wording import count_text, total_text

_GROUPS = 12  # most groups in the figure
_NEW = "Another group"
_SOURCES = {"none": "None", "made": "Last release", "plan": "Current plan", "file": "Mechanism file"}


def show() -> None:
    work = state.current()
    answer = widgets.headline()
    opened = state.of_page(OpenLedger)
    if not opened.path:
        answer("Open or create a history. It records each release about a group of people, and contains no answers.")
        _choose(opened)
        return
    ledger = Ledger(opened.path)
    try:
        entries = ledger.entries()
    except InputError as error:
        widgets.complain(error)
        st.button("Close the history", on_click=opened.close)
        return
    left, right = st.columns([2, 3])
    with left, widgets.card("One more release", hint="The ε of all releases about the same people add up."):
        file = _file(work)
        planned = None if file is None else _plan(file, entries)
        if planned is not None:
            for sentence in planned.sentences()[1:]:
                widgets.caption(sentence)
            args = (opened, ledger, planned.entry)
            st.button("Record this release", type="primary", icon=":material/edit_note:", on_click=record, args=args)
        opened.show_problem()
    with right, widgets.card("Privacy budget spent"):
        groups = [total_spent(entries, name) for name in entry_populations(entries)][-_GROUPS:]
        if planned is not None:
            groups = [planned.after]
        if groups:
            figure = plots.ledger_figure(groups, widgets.palette(), planned=planned)
            widgets.figure(figure, "history", alt="Whole-record ε of the releases about each group of people")
        else:
            st.caption("The figure appears after the first release.")
    if entries:
        _table(entries)
    with st.container(horizontal=True, vertical_alignment="center"):
        if entries:
            widgets.download("Download entries (CSV)", lambda: entries_csv(entries), "releases.csv", type="tertiary")
        st.button(f"Close {widgets.plain(opened.name)}", on_click=opened.close, type="tertiary", icon=":material/close:")
    answer(widgets.plain(largest_total_text(entries) if planned is None else planned.sentences()[0]))


def _choose(opened: OpenLedger) -> None:
    """Open a history, or create one."""
    left, right = st.columns(2)
    with left:
        opened.choose("Open a history", hint="One history can record the releases about several groups of people.")
    with right, widgets.card("Create a history"):
        widgets.text("Name", "ledger_typed", placeholder="for example panel 2026", on_change=opened.forget_problem)
        st.button(
            "Create",
            icon=":material/add:",
            on_click=opened.create,
            help="Create a file in the directory where RR Workbench runs.",
        )
    opened.show_problem()


def _file(work: state.Work) -> MechanismFile | None:
    """Return the mechanism file of one more release, None to only look."""
    there = {
        key: title
        for key, title in _SOURCES.items()
        if not ((key == "made" and work.made_file is None) or (key == "plan" and work.schema is None))
    }
    chosen = widgets.radio("Mechanism of the release", there, "ledger_source")
    if chosen == "made":
        return work.made_file
    if chosen == "plan":
        found = publishing.planned_with_file(work)
        return None if found is None else found[2]
    return mechanisms.uploaded(work, "ledger_file") if chosen == "file" else None


@widgets.complaining
def _plan(file: MechanismFile, entries: Sequence[Entry]) -> Planned | None:
    """Return the release to record and how much it adds, None until the group of people has a name."""
    known = list(entry_populations(entries))
    group = _NEW
    if known:
        last = entries[-1].population
        at = last if last in known else known[0]
        help = "Use one name for groups that share people."
        group = widgets.select("Group of people", [*known, _NEW], f"ledger_group_{len(entries)}", at=at, help=help)
    if group == _NEW:
        group = widgets.text(
            "Name of the group of people", "ledger_new_group", max_chars=MAX_TEXT, placeholder="for example panel 2026"
        ).strip()
    people = st.number_input(
        "Number of people (optional)", 1, MAX_PEOPLE, None, key="ledger_people", persist_state="session", placeholder="unknown"
    )
    if not group:
        st.caption("Name the group of people to see how much ε the release adds.")
        return None
    return total_after_release(entries, Entry.of(file, population=group, date=dt.date.today(), people=people))


def record(opened: OpenLedger, ledger: Ledger, entry: Entry) -> None:
    """Write the entry. The page then only looks, so that nobody records the same release again."""
    with opened.attempt():
        refuse_in_demo()
        number = ledger.add(entry).id
        st.session_state["ledger_source"] = "none"
        st.toast(f"Recorded as number {number}", icon=":material/check:")


def _table(entries: Sequence[Entry]) -> None:
    """Show all entries, the sum for their group after each, and why some are struck through."""
    struck = {"Struck through": ["; ".join(each.sentence() for each in entry.struck) for entry in entries]}
    widgets.table(
        {
            "No.": [entry.id for entry in entries],
            "Date": [entry.date.isoformat() for entry in entries],
            "Group of people": [entry.population for entry in entries],
            "ε spent": [_amount(entry.cost) for entry in entries],
            "Sum for the group": [_amount(so_far) for so_far in running_totals(entries)],
            "Attributes": [", ".join(entry.attributes) for entry in entries],
            "People": ["" if entry.people is None else count_text(entry.people) for entry in entries],
            "Mechanism": [entry.sha256[:12] for entry in entries],
        }
        | (struck if any(entry.struck for entry in entries) else {})
    )


def _amount(epsilon: Nats) -> str:
    return "no bound" if epsilon is None else total_text(float(epsilon))
