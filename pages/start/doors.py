"""The ways in: a table, a plan, answers, a saved project, a demo table."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.shared import projects, state
from pages.shared.asked import Asked, receive, uploader
from pages.shared.widgets import complain, plain
from rrcore.table import DEMOS, as_table, load_demo

_PICTURES = Path(__file__).parents[2] / "assets" / "demos"


def ways_in(work: state.Work) -> None:
    """Three doors, each with the button that opens it."""
    st.header("Start with what you have", anchor=False)
    table, plan, answers = st.columns(3)
    with table.container(border=True, height="stretch"):
        st.subheader("I have a table", anchor=False)
        st.markdown("Choose how well each column is protected, randomise it, and compare the estimates with the truth.")
        upload(work)
    with plan.container(border=True, height="stretch"):
        st.subheader("I only have a plan", anchor=False)
        st.markdown("Declare the questions and how many people will answer. Cost and accuracy need no private data.")
        if st.button("Declare the questions", icon=":material/edit_note:"):
            state.of_page(Asked).ask("declare")
            st.switch_page("pages/data/page.py")
    with answers.container(border=True, height="stretch"):
        st.subheader("I collected answers", anchor=False)
        st.markdown(
            "Read answers that were randomised before they were sent: shares with intervals, what goes together, a report."
        )
        if st.button("Read the answers", icon=":material/query_stats:"):
            st.switch_page("pages/read/page.py")


def upload(work: state.Work) -> None:
    """Takes a table; the Data page goes on with it, unless it cannot be read."""
    asked = state.of_page(Asked)
    chosen = uploader("door_upload")
    if receive(chosen, work, asked) and not asked.reading.problem:
        asked.ask("upload")
        st.switch_page("pages/data/page.py")
    if chosen is not None and asked.reading.problem:
        complain(asked.reading.problem)


def saved_project() -> None:
    """The way back to earlier work."""
    with st.container(border=True, horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown("**Come back to earlier work.** A saved project opens with its plan, pins and choices.", width="content")
        projects.open_button()


def direct() -> None:
    """The way to what comes before all others: whether to randomise at all."""
    with st.container(border=True, horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(
            "**Should you randomise at all?** See how many people must deny before chance pays.",
            width="content",
        )
        if st.button("Compare both ways", icon=":material/help_center:"):
            st.session_state["budget_direct"] = True
            st.switch_page("pages/budget/page.py")


def demo_tables(work: state.Work) -> None:
    """A card for each demo table; the button loads it."""
    st.header("Or try it on a demo table", anchor=False)
    for column, (key, demo) in zip(st.container(key="demos").columns(len(DEMOS)), DEMOS.items(), strict=True):
        with column.container(border=True, height="stretch"):
            st.image(_PICTURES / f"{key}.svg", width="stretch", alt=f"A drawing for {demo.title}")
            st.subheader(demo.title, anchor=False)
            st.caption(demo.description)
            if st.button("Use this table", key=f"demo_{key}", icon=":material/play_arrow:"):
                work.adopt_table(*as_table(load_demo(key)), source="demo")
                state.of_page(Asked).ask("demo", key)
                st.switch_page("pages/budget/page.py")
    st.caption(f"Now loaded: {plain(work.title)}")
    st.page_link("pages/perturb/page.py", label="See its truth and its estimate side by side", icon=":material/shuffle:")
