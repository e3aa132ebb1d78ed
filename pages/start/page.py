"""Start: three doors, the idea as a live example, and demo tables."""

import streamlit as st

from pages.shared import projects, state, table_choice
from pages.shared.components import ASSETS
from pages.shared.mode import SWITCHED_OFF, demo
from pages.shared.table_choice import BUDGET, DATA, QUESTIONS, upload_door
from pages.shared.widgets import card
from pages.start import live
from rrcore.table import DEMOS

LEARN = "pages/learn/page.py"


def open_demo(key: str) -> None:
    """Load this demo table and show its budget."""
    table_choice.open_demo(work, key)
    st.switch_page(BUDGET, query_params={})


def own_door() -> None:
    """Take a table, or questions without data."""
    upload_door(work, "door_upload", onward=BUDGET)
    if st.button("No data yet? Describe questions", type="tertiary", icon=":material/edit_note:"):
        st.switch_page(DATA, query_params=QUESTIONS)


def demo_door() -> None:
    """Offer every demo table, and the chapters."""
    key = st.selectbox("Demo table", list(DEMOS), format_func=lambda key: DEMOS[key].title, key="start_demo")
    if st.button("Open demo table", icon=":material/play_arrow:"):
        open_demo(key)


def other_doors() -> None:
    """Lead to answers, a saved project and a class poll."""
    if demo():
        st.caption(SWITCHED_OFF)
    else:
        st.page_link("pages/analyze/page.py", label="Analyze randomized answers", icon=":material/query_stats:")
        st.page_link(LEARN, label="Start a class poll", icon=":material/groups:", query_params={"learn_tab": "Class poll"})
    projects.open_button()


work = state.current()
st.html(ASSETS / "start.css")
st.title("Protect every answer, and still learn the percentages", anchor=False)
st.markdown(
    "Randomized response replaces some answers by chance. Nobody can be sure of any one answer, but you can still estimate percentages."
)
with st.container(key="doors"):
    for column, (title, door) in zip(
        st.columns(3),
        {"Upload a table": own_door, "Open a demo table": demo_door, "Continue or teach": other_doors}.items(),
        strict=True,
    ):
        with column.container(border=True, height="stretch"):
            st.header(title, anchor=False)
            door()
live.show(work)
with card("Demo tables"):
    for column, (key, each) in zip(st.container(key="demos").columns(len(DEMOS)), DEMOS.items(), strict=True):
        with column:
            st.image(ASSETS / "demos" / f"{key}.svg", width="stretch", alt=f"A drawing for {each.title}")
            st.caption(each.description)
            if st.button(each.title, key=f"demo_{key}", icon=":material/play_arrow:"):
                open_demo(key)
