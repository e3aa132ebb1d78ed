"""RR Workbench: page configuration and navigation, run anew for every change in every tab. ``app.py`` serves it."""

from pathlib import Path

import streamlit as st

from pages.shared import choosing, frame, history, pins, state, tab
from pages.shared.mode import demo

st.set_page_config(
    page_title="RR Workbench", page_icon=Path(__file__).parent / "assets" / "icon.svg", layout="wide", initial_sidebar_state=216
)

SECTIONS = {
    "": [
        st.Page("pages/start/page.py", title="Start", default=True),
        st.Page("pages/learn/page.py", title="Learn", url_path="learn"),
    ],
    "Prepare": [
        st.Page("pages/data/page.py", title="Data", url_path="data"),
        st.Page("pages/budget/page.py", title="Budget", url_path="budget"),
        st.Page("pages/plans/page.py", title="Plans", url_path="plans"),
    ],
    "Try": [
        st.Page("pages/perturb/page.py", title="Perturb & estimate", url_path="perturb"),
        st.Page("pages/dependence/page.py", title="Dependence", url_path="dependence"),
    ],
    "Do": [
        st.Page("pages/collect/page.py", title="Collect", url_path="collect"),
        st.Page("pages/release/page.py", title="Release", url_path="release"),
        st.Page("pages/field/page.py", title="Field", url_path="field"),
        st.Page("pages/read/page.py", title="Read", url_path="read"),
        st.Page("pages/models/page.py", title="Models", url_path="models"),
    ],
    "Prove": [
        st.Page("pages/audit/page.py", title="Audit", url_path="audit"),
        st.Page("pages/ledger/page.py", title="Ledger", url_path="ledger"),
    ],
    "Research": [
        st.Page("pages/compare/page.py", title="Compare", url_path="compare"),
        st.Page("pages/synthesize/page.py", title="Synthesize", url_path="synthesize"),
        st.Page("pages/keyvalue/page.py", title="Key-value", url_path="keyvalue"),
        st.Page("pages/papers/page.py", title="Papers", url_path="papers"),
    ],
}

if demo():
    del SECTIONS["Do"], SECTIONS["Prove"]

OF_THEIR_OWN = ("", "learn", "field", "read", "models", "ledger", "keyvalue", "papers")
"""Pages about something else than the plan in play: what stands above them does not speak of it."""

SOURCES = {"collect": "collect_source", "release": "release_source", "audit": "audit_source"}
"""Pages that are about the plan in play or, by a choice, about something else -> where the choice is kept."""


def of_the_plan(page: str) -> bool:
    """Whether the page of this path speaks of the plan in play."""
    planned = page not in SOURCES or st.session_state.get(SOURCES[page], "plan") == "plan"
    return planned and page not in OF_THEIR_OWN


def run() -> None:
    """Run the page that is asked for, within what stands around every page. Nothing of a session outlives it as a global name."""
    frame.look()
    page = st.navigation(SECTIONS, position="hidden")
    frame.side(SECTIONS, page)
    tab.begin()
    work = state.current()
    has_table = work.schema is not None
    write_strip = frame.strip(work, told=of_the_plan(page.url_path)) if has_table else lambda: None
    try:
        if has_table or page.url_path in (*OF_THEIR_OWN, "data", "audit"):
            page.run()
        else:
            choosing.choose_first(work, page.title)
    finally:  # also where a page stops early, after which nothing can be drawn
        history.end()
        write_strip()
    tab.end()
    pins.pin_if_asked()


run()
