"""Start: the idea, live, and the ways in: a table, a plan, answers, a saved project, a demo table."""

import streamlit as st

from pages.shared import projects, state
from pages.shared.asked import Asked, receive, uploader
from pages.shared.components import ASSETS
from pages.shared.mode import SWITCHED_OFF, demo
from pages.shared.widgets import complain, plain
from pages.start import idea
from rrcore.table import DEMOS, as_table, load_demo

work = state.current()
asked = state.of_page(Asked)
idea.show(work)

st.header("Start with what you have", anchor=False)
table, plan, answers = st.columns(3)
with table.container(border=True, height="stretch"):
    st.subheader("I have a table", anchor=False)
    st.markdown("Choose how well each column is protected, randomise it, and compare the estimates with the truth.")
    chosen = uploader("door_upload")
    if receive(chosen, work, asked) and not asked.reading.problem:
        asked.ask("upload")
        st.switch_page("pages/data/page.py")
    if chosen is not None and asked.reading.problem:
        complain(asked.reading.problem)
with plan.container(border=True, height="stretch"):
    st.subheader("I only have a plan", anchor=False)
    st.markdown("Declare the questions and how many people will answer. Cost and accuracy need no private data.")
    if st.button("Declare the questions", icon=":material/edit_note:"):
        asked.ask("declare")
        st.switch_page("pages/data/page.py")
with answers.container(border=True, height="stretch"):
    st.subheader("I collected answers", anchor=False)
    st.markdown("Read answers that were randomised before they were sent: shares with intervals, what goes together, a report.")
    if demo():
        st.caption(SWITCHED_OFF)
    elif st.button("Read the answers", icon=":material/query_stats:"):
        st.switch_page("pages/read/page.py")
with st.container(border=True, horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
    st.markdown("**Come back to earlier work.** A saved project opens with its plan, pins and choices.", width="content")
    projects.open_button()

st.header("Or try it on a demo table", anchor=False)
for column, (key, each) in zip(st.container(key="demos").columns(len(DEMOS)), DEMOS.items(), strict=True):
    with column.container(border=True, height="stretch"):
        st.image(ASSETS / "demos" / f"{key}.svg", width="stretch", alt=f"A drawing for {each.title}")
        st.subheader(each.title, anchor=False)
        st.caption(each.description)
        if st.button("Use this table", key=f"demo_{key}", icon=":material/play_arrow:"):
            work.adopt_table(*as_table(load_demo(key)), source="demo")
            asked.ask("demo", key)
            st.switch_page("pages/budget/page.py")
if work.schema is not None:
    st.caption(f"Now loaded: {plain(work.title)}")
    st.page_link("pages/perturb/page.py", label="See its truth and its estimate side by side", icon=":material/shuffle:")
