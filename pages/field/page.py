"""Field: the answers to a survey that is running, as they arrive."""

import streamlit as st

from pages.field import closing, looking, serving, starting
from pages.field.opening import OpenSurvey, ask
from pages.shared import marked, state, widgets
from pages.shared.directory import directory
from rrcore.errors import InputError

_SECONDS = 10  # between two looks

work = state.current()
answer = widgets.header("Field", "How far is the survey, what do its answers say so far, and when will they be enough?")
opened = state.of_page(OpenSurvey)
if not opened.path and opened.invented is None:
    answer("No survey is open: open, start or try one.")
    opened.show_problem()
    left, right = st.columns(2, gap="large")
    with left:
        ask(opened)
    with right:
        starting.invite(work, opened)
    st.stop()
with st.container(horizontal=True, vertical_alignment="center"):
    try:
        survey = opened.look()
        shown = "Example" if opened.invented is not None else f"“{survey.title}”, {directory('survey').named(opened.path)}"
    except InputError as error:
        widgets.complain(error)
        st.button("Leave", on_click=opened.leave, type="tertiary", icon=":material/close:")
        st.stop()
    widgets.caption(shown)
    st.button(
        "Leave", on_click=opened.leave, type="tertiary", icon=":material/close:", help="The survey goes on without this page."
    )
if opened.invented is not None:
    marked.tell_invented()
running = survey.closed is None and opened.invented is None
if opened.invented is None:
    serving.show(opened, survey)
st.fragment(looking.show, run_every=_SECONDS if running else None)(opened, survey, answer)
closing.show(opened, survey)
