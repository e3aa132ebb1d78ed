"""Learn: ten chapters to play, alone or with a class, and to take away as one file."""

import streamlit as st

from pages.learn import taking
from pages.shared import components, widgets
from pages.shared.hosting import lesson

widgets.header(
    "Learn", "How does chance protect an answer, and what does that cost? Ten chapters to play, alone or before a class."
)
question = taking.question()
dark = st.context.theme.type == "dark"
components.lesson("lesson", lesson.address(), question, title="Randomized response in ten chapters", dark=dark)
taking.away(question)
