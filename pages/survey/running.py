"""A running survey: its server, the answers as they arrive, the estimates so far, and its end."""

import streamlit as st

from pages.shared import state, widgets
from pages.shared.directory import directory
from pages.survey import closing, monitoring, serving
from pages.survey.opening import OpenSurvey
from rrcore.errors import InputError

_SECONDS = 10  # between two looks


def show() -> None:
    answer = widgets.headline()
    opened = state.of_page(OpenSurvey)
    if not opened.path:
        answer("Open a survey to follow its answers.")
        opened.choose(
            "Open a survey", hint="A survey keeps running when you leave this page.", empty="Start a survey in 'Ask people'."
        )
        opened.show_problem()
        return
    try:
        survey = opened.look()
    except InputError as error:
        widgets.complain(error)
        st.button("Leave this survey", on_click=opened.leave, type="tertiary", icon=":material/close:")
        return
    serving.show(opened, survey)
    every = _SECONDS if survey.closed is None else None
    st.fragment(monitoring.show, run_every=every)(opened, survey, answer)
    closing.show(opened, survey)
    name = directory("survey").named(opened.path)
    st.button(
        f"Leave {widgets.plain(name)}",
        on_click=opened.leave,
        type="tertiary",
        icon=":material/close:",
        help="The survey keeps running.",
    )
