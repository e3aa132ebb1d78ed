"""The entries of a ledger: to look at, to keep, and, where one is wrong, to strike it through with a reason. None is ever deleted."""

from collections.abc import Sequence

import streamlit as st

from pages.shared import widgets
from pages.shared.mode import refuse_in_demo
from pages.shared.opened import OpenLedger
from rrcore.ledger import Entry, Ledger, Nats, entries_csv, running_totals
from rrcore.limits import MAX_TEXT
from rrcore.wording import count_text, total_text


def amount(nats: Nats) -> str:
    """In nats, for a table."""
    return "no bound" if nats is None else total_text(float(nats))


def show(opened: OpenLedger, ledger: Ledger, entries: Sequence[Entry]) -> None:
    """Everything recorded, to look at, to keep, and to correct."""
    if not entries:
        return
    st.markdown("**Recorded**")
    struck = {"Struck through": [_counting(entry) for entry in entries]} if any(entry.struck for entry in entries) else {}
    widgets.table(
        {
            "No.": [entry.id for entry in entries],
            **struck,
            "Date": [entry.date.isoformat() for entry in entries],
            "Group of people": [entry.population for entry in entries],
            "Total (nats)": [amount(entry.total) for entry in entries],
            "Adds (nats)": [amount(entry.cost) for entry in entries],
            "Group so far (nats)": [amount(so_far) for so_far in running_totals(entries)],
            "Attributes": [", ".join(entry.attributes) for entry in entries],
            "People": ["" if entry.people is None else count_text(entry.people) for entry in entries],
            "Mechanism": [entry.sha256[:12] for entry in entries],
            "Note": [entry.note for entry in entries],
        }
    )
    for entry in entries:
        if entry.struck:
            widgets.caption(f"Number {entry.id}: {'; '.join(each.sentence() for each in entry.struck)}.")
    with st.container(horizontal=True, vertical_alignment="center"):
        widgets.download(
            "Entries (CSV)",
            lambda: entries_csv(entries),
            "releases.csv",
            help="All entries with full fingerprints and amounts to nine decimals.",
        )
        _correct(opened, ledger, entries)


def _counting(entry: Entry) -> str:
    """Whether an entry that is struck through counts, for a table; empty for one that stands."""
    return "" if not entry.struck else "still counted" if entry.happened else "not counted"


def _correct(opened: OpenLedger, ledger: Ledger, entries: Sequence[Entry]) -> None:
    """Which entry is wrong and why, and the button that strikes it through."""
    open_to = {entry.id: f"{entry.id}: {entry.date.isoformat()}, {entry.population}" for entry in entries if entry.happened}
    if not open_to:
        return
    with st.popover("Correct a mistake", type="tertiary", icon=":material/ink_eraser:"):
        st.markdown(
            "Nothing is deleted: an entry that is wrong is struck through, and says who did it, when and why. What was released stays known, "
            "so it counts on."
        )
        version = f"{sum(len(entry.struck) for entry in entries)}_{len(entries)}"
        number = widgets.select("Entry", open_to, f"ledger_struck_{version}", at=list(open_to)[-1])
        widgets.text("Why", f"ledger_why_{version}", max_chars=MAX_TEXT, placeholder="for example recorded twice")
        widgets.checkbox(
            "This release never happened: do not count it",
            f"ledger_never_{version}",
            help="Only if nobody ever got these answers. It is final: a release that happened after all is recorded anew.",
        )
        st.button(
            f"Strike number {number} through", on_click=_strike, args=(opened, ledger, version), icon=":material/strikethrough_s:"
        )


def _strike(opened: OpenLedger, ledger: Ledger, version: str) -> None:
    """Strike the chosen entry through, for the reason that was typed."""
    typed = st.session_state
    with opened.attempt():
        number, why = typed.get(f"ledger_struck_{version}", 0), str(typed.get(f"ledger_why_{version}", ""))
        never = typed.get(f"ledger_never_{version}") is True
        refuse_in_demo()
        ledger.strike(number, why, never_happened=never)
