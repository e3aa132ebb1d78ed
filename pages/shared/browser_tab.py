"""What this server and a browser tab know of each other: the address follows what is in use, and a lost table is noticed.

The tab keeps two things in its own session storage: which run of the server it spoke to, and whether a table of its own was uploaded. It
keeps no names and no categories. The address is changed without entries in the browser's history, so that its Back button leads to the
page before.
"""

import secrets
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pages.shared import plan_link, undo, widgets
from pages.shared.components import component
from pages.shared.state import all_shown, current, of_page

RUN = secrets.token_hex(16)
"""This run of the server."""

RESTARTED = "The server was restarted. RR Workbench stores no tables, so upload yours again."
RELOADED = "This page was reloaded. RR Workbench stores no tables, so upload yours again."

_tab = component("tab", isolate_styles=False)


@dataclass
class Tab:
    """This session by a random name, whether its first run has begun, what the page shows about its link, and about a table that is lost."""

    session: str = field(default_factory=lambda: secrets.token_hex(16))
    begun: bool = False
    notes: list[str] = field(default_factory=list)
    lost: str = ""
    turn: int = 0


def begin() -> None:
    """Follow the address, and say if the tab had a table before; to be called at the start of every run, before the page."""
    tab, work = of_page(Tab), current()
    own = {"run": RUN, "session": tab.session, "table": "" if work.schema is None else work.source}
    said = _said(tab) if tab.begun else {}
    former = _tab(key="tab_start", data=own | said, on_former_change=lambda: None).former
    # Streamlit's front end may remember the address from before the upload, which is no link that somebody opens now
    if not tab.begun and not former and (given := plan_link.given()):
        tab.notes = plan_link.open_link(given)
    tab.begun = True
    if work.schema is not None:
        tab.lost = ""
    elif former:
        tab.lost = RELOADED if former == RUN else RESTARTED
    undo.begin()
    _say(tab)


def end(key: str = "tab_end") -> None:
    """Have the address follow what is in use now; to be called at the end of every run, and with a ``key`` of a fragment's own in it."""
    if current().source == "upload":
        for name in set(plan_link.PARAMETERS) & set(st.query_params):
            del st.query_params[name]
    _tab(key=key, data=_said(of_page(Tab)))
    all_shown()


def _said(tab: Tab) -> dict[str, Any]:
    """What the address is to say. The turn has the tab compare it, since a page may have changed it."""
    tab.turn += 1
    return {"query": plan_link.query(current()), "names": plan_link.PARAMETERS, "turn": tab.turn}


def _say(tab: Tab) -> None:
    """What is wrong with the link, until it is closed; and that a table has to be uploaded again, until one is chosen."""
    for note in tab.notes:
        widgets.warn(note)
    if tab.notes:
        st.button("Close", key="close_notes", on_click=tab.notes.clear, type="tertiary", icon=":material/close:")
    if tab.lost:
        widgets.warn(tab.lost)
        if st.button("Upload the table again", key="upload_again", icon=":material/upload_file:"):
            st.switch_page("pages/data/page.py", query_params={})
