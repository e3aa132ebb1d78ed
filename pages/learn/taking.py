"""What a teacher does with the chapters beside playing them: a question of their own, a tab for the projector, a file to hand out."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.shared import widgets
from pages.shared.hosting import lesson as hosted
from rrcore.learn import QUESTION, lesson, scorm_package
from rrcore.limits import MAX_TEXT


def question() -> str:
    """The question of the chapters; empty for the usual one."""
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    asked = widgets.text(
        "Sensitive question in the chapters",
        "lesson_question",
        where=left,
        placeholder=QUESTION,
        max_chars=MAX_TEXT,
        help="To be answered with yes or no. The chapters below and the files use it; nobody's answer is ever asked for in them.",
    )
    right.link_button("Open in a tab", hosted.address(), icon=":material/open_in_new:", width="stretch")
    return asked.strip()


def away(asked: str) -> None:
    """The chapters as files that need neither this program nor a network."""
    st.markdown(
        "**Take the chapters away**: one file that students open at home, without a network, or a package for Moodle and others."
    )
    with st.container(horizontal=True):
        widgets.download("HTML file", partial(lesson, asked), "learn.html")
        widgets.download("SCORM 1.2 package", partial(scorm_package, asked), "learn.zip")
