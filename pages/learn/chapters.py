"""Learn, tab Chapters: ten chapters to play, and the same as one file."""

from functools import partial

import streamlit as st

from pages.shared import components, widgets
from pages.shared.served_files import LESSON
from rrcore.learn import QUESTION, lesson
from rrcore.limits import MAX_TEXT


def show() -> None:
    """Show the chapters with the teacher's question."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        question = widgets.text(
            "Sensitive question for the chapters",
            "lesson_question",
            QUESTION,
            max_chars=MAX_TEXT,
            help="A yes/no question. The chapters use it as their example, and collect no answers.",
        ).strip()
        st.link_button("Open in a new tab", LESSON.address(), icon=":material/open_in_new:")
        widgets.download(
            "Download chapters", partial(lesson, question), "learn.html", help="One HTML file that works without a network."
        )
    dark = st.context.theme.type == "dark"
    components.lesson("lesson", LESSON.address(), question, title="Randomized response in ten chapters", dark=dark)
