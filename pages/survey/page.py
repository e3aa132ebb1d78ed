"""Survey: ask people, and follow a running survey."""

import streamlit as st

from pages.shared import state, widgets
from pages.survey import ask, running
from pages.survey.opening import OpenSurvey

if state.of_page(OpenSurvey).started:
    state.of_page(OpenSurvey).started = False
    st.session_state["survey_tab"] = "Running survey"
widgets.page("Survey", {"Ask people": ask.show, "Running survey": running.show})
