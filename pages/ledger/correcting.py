"""Entries of a ledger that are wrong: struck through with a reason, and never deleted."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.ledger.place import Place
from pages.shared import widgets
from rrcore.ledger import Entry, Ledger
from rrcore.limits import MAX_TEXT


def counting(entry: Entry) -> str:
    """Whether an entry that is struck through counts, for a table; empty for one that stands."""
    return "" if not entry.struck else "still counted" if entry.happened else "not counted"


def show(place: Place, ledger: Ledger, entries: Sequence[Entry]) -> None:
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
            f"Strike number {number} through",
            on_click=place.strike,
            args=(ledger, version),
            icon=":material/strikethrough_s:",
        )
