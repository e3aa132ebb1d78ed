"""Survey: ask people, and follow a running survey."""

import streamlit as st

from pages.shared import state, widgets
from pages.survey import ask, running
from pages.survey.opening import OpenSurvey

opened = state.of_page(OpenSurvey)
if started := opened.started:
    st.session_state["survey_tab"] = "Running survey"
widgets.page("Survey", {"Ask people": ask.show, "Running survey": running.show})
if started:
    opened.started = False  # only here: a browser sends its former tab with a change that interrupts this run
