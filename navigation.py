"""RR Workbench: page configuration and navigation, run again for every change in every tab. ``app.py`` serves it."""

from pathlib import Path

import streamlit as st

from pages.shared import browser_tab, frame, state, table_choice, undo
from pages.shared.mode import demo

st.set_page_config(
    page_title="RR Workbench", page_icon=Path(__file__).parent / "assets" / "icon.svg", layout="wide", initial_sidebar_state=216
)

PAGES = [
    st.Page("pages/start/page.py", title="Start", default=True),
    st.Page("pages/learn/page.py", title="Learn", url_path="learn"),
    st.Page("pages/data/page.py", title="Data", url_path="data"),
    st.Page("pages/budget/page.py", title="Budget", url_path="budget"),
    st.Page("pages/simulate/page.py", title="Simulate", url_path="simulate"),
    st.Page("pages/release/page.py", title="Release", url_path="release"),
    st.Page("pages/survey/page.py", title="Survey", url_path="survey"),
    st.Page("pages/analyze/page.py", title="Analyze", url_path="analyze"),
    st.Page("pages/lab/page.py", title="Lab", url_path="lab"),
]

HIDDEN_IN_DEMO = ("release", "survey", "analyze")

WITHOUT_TABLE = ("", "learn", "data", "release", "survey", "analyze", "lab")
"""Pages that can be opened without a table."""


def run() -> None:
    """Run the page that is asked for, within what stands around every page. Nothing of a session outlives it as a global name."""
    frame.look()
    pages = [page for page in PAGES if not (demo() and page.url_path in HIDDEN_IN_DEMO)]
    page = st.navigation(pages, position="hidden")
    frame.side(pages, page)
    browser_tab.begin()
    work = state.current()
    has_table = work.schema is not None
    finish = frame.header(work, page)
    try:
        if has_table or page.url_path in WITHOUT_TABLE:
            page.run()
        else:
            table_choice.choose_first(work, page.title)
    finally:  # also if a page stops early
        undo.end()
        finish()
    browser_tab.end()


run()
