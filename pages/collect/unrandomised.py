"""Questions that are asked and sent as they are, beside those that are randomised: typed one a line, with what they tell of people."""

from __future__ import annotations

import streamlit as st

from pages.shared import surveys, widgets
from rrcore.asking.unrandomised import told_apart_sentence
from rrcore.limits import MAX_TYPED
from rrcore.promise import unreleased_columns_sentence


@widgets.complaining
def ask(people: int) -> None:
    """The questions, and how far they tell so many ``people`` apart."""
    st.text_area(
        "Questions and their possible answers, one question a line",
        key="form_unrandomised",
        max_chars=MAX_TYPED,
        height=100,
        placeholder="region: north, south\nage: under 30, 30 to 60, over 60",
        persist_state="session",
        help="The name of the question, a colon, its answers. Read has them as columns: for groups, and for known totals.",
    )
    found = surveys.unrandomised()
    if not found:
        st.caption("For what is known about people anyway. Respondents see a mark: this answer is sent as it is.")
        return
    names = [each.name for each in found]
    widgets.caption(f"{unreleased_columns_sentence(names)} {told_apart_sentence(found, people)}")
