"""What a page shows in a session without a table: the ways to choose one."""

import streamlit as st

from pages.shared import widgets
from pages.shared.asked import Asked, receive, uploader
from pages.shared.state import Work, of_page
from rrcore.table import DEMOS, as_table, load_demo

TITLE = "Choose a table first"


def choose_first(work: Work, page: str) -> None:
    """A demo table, a table of one's own, or questions without data, below the title of the ``page``."""
    asked = of_page(Asked)
    st.title(page, anchor=False)
    st.markdown(f"**{TITLE}.** This page is about a table, or about questions that you describe.")
    demo, own, described = st.columns(3)
    with demo.container(border=True, height="stretch"):
        st.subheader("Try a demo table", anchor=False)
        key = st.selectbox("Demo table", list(DEMOS), format_func=lambda key: DEMOS[key].title, key="first_demo")
        st.caption(DEMOS[key].description)
        if st.button("Open it", key="first_open", type="primary", icon=":material/play_arrow:"):
            work.adopt_table(*as_table(load_demo(key)), source="demo")
            asked.ask("demo", key)
            st.rerun()
    with own.container(border=True, height="stretch"):
        st.subheader("Upload your table", anchor=False)
        chosen = uploader("first_upload")
        if receive(chosen, work, asked) and not asked.reading.problem:
            asked.ask("upload")
            if asked.reading.asks:
                st.switch_page("pages/data/page.py")
            st.rerun()
        if chosen is not None and asked.reading.problem:
            widgets.complain(asked.reading.problem)
    with described.container(border=True, height="stretch"):
        st.subheader("Describe questions", anchor=False)
        st.markdown("Type the questions and their possible answers. You need no data.")
        if st.button("Describe questions", key="first_describe", icon=":material/edit_note:"):
            asked.ask("declare")
            st.switch_page("pages/data/page.py")
