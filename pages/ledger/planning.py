"""One more release: its mechanism, its people, and what it would add."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pages.shared import mechanisms, state, widgets
from pages.shared.mode import refuse_in_demo
from pages.shared.opened import OpenLedger
from rrcore.ledger import Entry, Ledger, Planned, entry_populations, total_after_release
from rrcore.limits import FIRST_LEDGER_YEAR, MAX_DAYS_AHEAD, MAX_PEOPLE, MAX_TEXT
from rrcore.promise import MechanismFile
from rrcore.wording import meaning

_NEW = "Another group ..."

_SOURCES = {
    "none": "None: only look",
    "made": "The file made on Collect",
    "released": "The release that was just made",
    "file": "A mechanism file I have",
    "plan": "The plan in play, to look ahead",
}


def files_here(work: state.Work) -> dict[str, MechanismFile | None]:
    """Source -> the mechanism file that this session has of it."""
    return {"made": work.made_file, "released": work.released_file}


def choose_file(work: state.Work) -> MechanismFile | None:
    """The mechanism of one more release; None to only look."""
    ours = files_here(work)
    there = {key: title for key, title in _SOURCES.items() if key not in ours or ours[key] is not None}
    chosen = widgets.radio("One more release", there, "ledger_source")
    if chosen in ours:
        return ours[chosen]
    if chosen == "file":
        return mechanisms.uploaded(work, "ledger_file")
    if chosen == "none":
        return None
    st.caption("Once its mechanism file is made on Collect, record that file: then the fingerprint is that of the file you used.")
    return mechanisms.planned(work)


def choose_people(entries: Sequence[Entry]) -> str:
    """The name of the group of people; empty until there is one."""
    known = list(entry_populations(entries))
    group = _NEW
    if known:
        group = widgets.select(
            "Group of people",
            [*known, _NEW],
            f"ledger_group_{len(entries)}",
            at=entries[-1].population if entries[-1].population in known else known[0],
            help=f"{meaning('release')} Groups that share people belong under one name.",
        )
    if group != _NEW:
        return str(group)
    typed = widgets.text(
        "Name of the group of people",
        "ledger_new_group",
        max_chars=MAX_TEXT,
        placeholder="for example panel 2026",
        help="Everybody who could be asked. Upper and lower case make no difference.",
    )
    return typed.strip()


@widgets.complaining
def describe(file: MechanismFile, entries: Sequence[Entry]) -> Planned | None:
    """The release as it would be recorded, and what it adds; None until it has a name, or where something is wrong."""
    group = choose_people(entries)
    today = dt.date.today()
    date = st.date_input(
        "Date of the release",
        min_value=dt.date(FIRST_LEDGER_YEAR, 1, 1),
        max_value=today + dt.timedelta(days=MAX_DAYS_AHEAD),
        format="YYYY-MM-DD",
        value=today,
        key="ledger_date",
        persist_state="session",
    )
    people = st.number_input(
        "Number of people (optional)",
        min_value=1,
        max_value=MAX_PEOPLE,
        step=1,
        placeholder="not given",
        value=None,
        key="ledger_people",
        persist_state="session",
    )
    note = widgets.text("Note (optional)", "ledger_note", max_chars=MAX_TEXT, help="Not about any single person.")
    if not group:
        st.info("Name the group of people to see what the release adds.", icon=":material/group:")
        return None
    entry = Entry.of(file, population=group, date=date, people=people, note=note)
    planned, said_of = total_after_release(entries, entry), f"{len(entries)}_{group}"  # said of one release, and no preference
    if planned.earlier is not None and widgets.checkbox(
        "The same answers once more",
        f"ledger_same_draw_{said_of}",
        help="Answers that were randomised once and kept. Randomising again, even by the same mechanism, is another release.",
    ):
        planned = total_after_release(entries, replace(entry, same_draw=True))
    return planned


def record(opened: OpenLedger, ledger: Ledger, entry: Entry) -> None:
    """Write the entry; the page then only looks, so that it does not count as planned once more."""
    with opened.attempt():
        refuse_in_demo()
        number = ledger.add(entry).id
        st.session_state["ledger_source"] = "none"
        st.toast(f"Recorded as number {number}", icon=":material/check:")
