"""Start: the ways in."""

import streamlit as st

from pages.data.source import Asked
from pages.shared import state
from pages.shared.widgets import plain
from rrcore.table import DEMOS, as_table, load_demo

work = state.current()

st.title("RR Workbench", anchor=False)
st.markdown(
    "Randomized response protects people by letting each answer lie at random, with known odds. Nobody can be sure of "
    "one person's answer, yet the shares in the whole group can be estimated. Plan it, see what it costs, and see what it finds."
)

table_door, plan_door, answers_door = st.columns(3)
with table_door.container(border=True, height="stretch"):
    st.subheader("I have a table", anchor=False)
    st.markdown("Choose levels of protection for its columns, randomise it, and compare the estimates with the truth.")
    st.page_link("pages/data/page.py", label="Look at the data", icon=":material/table:")
with plan_door.container(border=True, height="stretch"):
    st.subheader("I only have a plan", anchor=False)
    st.markdown("Declare the questions and how many people will answer. No private data are needed to see cost and accuracy.")
    if st.button("Declare the questions", icon=":material/edit_note:", type="tertiary"):
        state.of_page(Asked).ask("declare")
        st.switch_page("pages/data/page.py")

with answers_door.container(border=True, height="stretch"):
    st.subheader("I collected answers", anchor=False)
    st.markdown("Read answers that were randomised before they were sent: shares with intervals, what goes together, a report.")
    st.page_link("pages/read/page.py", label="Read the answers", icon=":material/query_stats:")

st.subheader("Or try it on a demo table", anchor=False)
st.caption(f"Now loaded: {plain(work.title)}")
for column, (key, demo) in zip(st.columns(len(DEMOS)), DEMOS.items(), strict=True):
    with column.container(border=True, height="stretch"):
        st.markdown(f"**{demo.title}**")
        st.caption(demo.description)
        if st.button("Use this table", key=f"demo_{key}", type="tertiary", icon=":material/play_arrow:"):
            work.adopt_table(*as_table(load_demo(key)), source="demo")
            state.of_page(Asked).ask("demo", key)
            st.switch_page("pages/budget/page.py")

st.divider()
st.markdown("**The loaded table is ready.** See the true and the estimated distribution side by side:")
st.page_link("pages/perturb/page.py", label="Perturb and estimate", icon=":material/shuffle:")
