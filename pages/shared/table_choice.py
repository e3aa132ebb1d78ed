"""The three ways to a table, for a page or tab that lacks one."""

import streamlit as st

from pages.shared import widgets
from pages.shared.state import Work, of_page
from pages.shared.uploads import Asked, choose_table
from rrcore.table import DEMOS, as_table, load_demo

TITLE = "Choose a table first"
DATA, BUDGET = "pages/data/page.py", "pages/budget/page.py"
QUESTIONS = {"data_tab": "Describe questions"}
"""Parameters of the address of the tab of Data where questions are typed."""


def open_demo(work: Work, key: str) -> None:
    """Use this demo table."""
    work.adopt_table(*as_table(load_demo(key)), source="demo")


def upload_door(work: Work, key: str, *, onward: str | None) -> None:
    """Take a table, and go ``onward`` if it is in use, or to Data if something about it is in doubt."""
    asked = of_page(Asked)
    if choose_table(key, work, asked):
        if asked.reading.asks:
            st.switch_page(DATA, query_params={})
        elif onward is None:
            st.rerun()
        st.switch_page(onward, query_params={})


def choose_first(work: Work, page: str) -> None:
    """Offer a demo table, an upload, or questions without data, below the title of ``page``."""
    st.markdown(f"**{TITLE}.** {page} needs one, or questions that you describe.")
    demo, own, described = st.columns(3)
    with demo.container(border=True, height="stretch"):
        st.header("Try a demo table", anchor=False)
        key = st.selectbox("Demo table", list(DEMOS), format_func=lambda key: DEMOS[key].title, key="first_demo")
        st.caption(DEMOS[key].description)
        if st.button("Open it", key="first_open", type="primary", icon=":material/play_arrow:"):
            open_demo(work, key)
            st.rerun()
    with own.container(border=True, height="stretch"):
        st.header("Upload your table", anchor=False)
        upload_door(work, "first_upload", onward=None)
    with described.container(border=True, height="stretch"):
        st.header("Describe questions", anchor=False)
        widgets.caption("Type the questions and their possible answers. You need no data.")
        if st.button("Describe questions", key="first_describe", icon=":material/edit_note:"):
            st.switch_page(DATA, query_params=QUESTIONS)
