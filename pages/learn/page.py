"""Learn: ten chapters to play, alone or with a class, and to take away as one file; and a poll that the class answers on its phones."""

import streamlit as st

from pages.learn import poll, taking
from pages.learn.polled import Polled
from pages.shared import components, state, widgets
from pages.shared.hosting import lesson

answer = widgets.header(
    "Learn", "How does chance protect an answer, and what does that cost? Ten chapters to play, alone or before a class."
)
polled = state.of_page(Polled)
taken = polled.running is not None or polled.seen is not None  # a poll has the page to itself
if taken or widgets.section("Learn by", {"chapters": "Ten chapters", "poll": "Class poll"}, "learn_section") == "poll":
    poll.show(answer)
else:
    question = taking.question()
    dark = st.context.theme.type == "dark"
    components.lesson("lesson", lesson.address(), question, title="Randomized response in ten chapters", dark=dark)
    taking.away(question)
