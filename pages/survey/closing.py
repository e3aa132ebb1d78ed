"""The end of a survey: analyzed, reported, closed for good and recorded in a history."""

from contextlib import suppress

import streamlit as st

from pages.shared import state, widgets
from pages.shared.answers import HeldAnswers
from pages.shared.directory import directory
from pages.shared.mode import refuse_in_demo
from pages.shared.opened import OpenLedger, offer_entry
from pages.survey.opening import OpenSurvey
from rrcore.errors import InputError
from rrcore.ledger import Ledger
from rrcore.limits import MAX_TEXT
from rrcore.receiver.monitoring import SurveySoFar
from rrcore.reports import close_survey, closing_report

_NO_LEDGER = "None"


def show(opened: OpenSurvey, survey: SurveySoFar) -> None:
    """Offer the analysis and the report at any time, and the way to close the survey."""
    for sentence in opened.closed:
        st.success(widgets.plain(sentence), icon=":material/lock:")
    if survey.n:
        with st.container(horizontal=True, vertical_alignment="center"):
            analyze = st.button("Analyze these answers", icon=":material/query_stats:")
            final = survey.closed is not None
            label = "Report" if final else "Report so far"
            widgets.download(label, lambda: closing_report(opened.look()), "findings.html", icon=":material/description:")
            if opened.unrecorded:
                offer_entry("Add to the history", opened.store.mechanism, survey.n, "field_entry")
        if analyze:
            _analyze(opened, survey)
    if opened.unclosed:
        widgets.complain(opened.unclosed)
    if survey.closed is None:
        widgets.details("Close the survey", "field_close", lambda: _ask(opened), icon="lock")


@widgets.complaining
def _analyze(opened: OpenSurvey, survey: SurveySoFar) -> None:
    state.of_page(HeldAnswers).start(survey.mechanism, opened.look().answers)
    st.switch_page("pages/analyze/page.py", query_params={})


def _ask(opened: OpenSurvey) -> None:
    """Ask for history, people and a confirmation before the button."""
    names, last = directory("ledger").names(), state.of_page(OpenLedger).name
    left, right = st.columns(2)
    at = last if last in names else _NO_LEDGER
    widgets.select("Record it in the history", [_NO_LEDGER, *names], f"field_ledger_{last}", at=at, where=left)
    widgets.text("Group of people", "field_population", max_chars=MAX_TEXT, placeholder="for example panel 2026", where=right)
    sure = st.checkbox("Take no more answers. This is final.", key="field_sure")
    st.button("Close it now", icon=":material/lock:", disabled=not sure, on_click=_close, args=(opened, f"field_ledger_{last}"))


def _close(opened: OpenSurvey, chosen: str) -> None:
    """Close the survey, and record it in the chosen history."""
    opened.unclosed, kept, typed = "", directory("ledger"), st.session_state
    try:
        refuse_in_demo()
        if typed.get("field_sure") is not True:
            raise InputError("The survey stays open. First confirm that it takes no more answers.")
        name = typed.get(chosen, _NO_LEDGER)
        ledger = None if name == _NO_LEDGER else Ledger.open(kept.place(name))
        closing = close_survey(opened.store, ledger=ledger, population=str(typed.get("field_population", "")))
    except InputError as error:
        opened.unclosed = str(error)
        with suppress(InputError):  # a store that cannot be read was reported
            opened.unrecorded = opened.store.closed is not None and bool(opened.store.by_day())
    else:
        opened.closed, opened.unrecorded = tuple(closing.sentences()), closing.survey.n > 0 and closing.entry is None
