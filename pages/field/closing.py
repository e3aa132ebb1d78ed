"""The end of a survey: closed for good, recorded in a ledger, reported, and read."""

from contextlib import suppress

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.field.opening import OpenSurvey
from pages.shared import state, widgets
from pages.shared.answers.holding import HeldAnswers
from pages.shared.directory import directory
from pages.shared.mode import refuse_in_demo
from pages.shared.opened import OpenLedger, offer_entry
from rrcore.errors import InputError
from rrcore.ledger import Ledger
from rrcore.limits import MAX_TEXT
from rrcore.receiver.field import SurveySoFar
from rrcore.report import close_survey, closing_report

_NO_LEDGER = "None"


def show(opened: OpenSurvey, survey: SurveySoFar) -> None:
    """What can be taken away at any time, and the way to close the survey."""
    st.divider()
    with st.container(horizontal=True, vertical_alignment="center"):
        if survey.n:
            read = st.button(
                "Read these answers",
                icon=":material/arrow_forward:",
                help="Puts the answers so far on page Read: joint distributions, groups, dependence.",
            )
            widgets.download(
                "Report" if survey.closed is not None else "Report so far",
                lambda: closing_report(opened.look()),
                "findings.html",
                icon=":material/description:",
            )
    if survey.n and read:
        _read(opened, survey)
    for sentence in opened.closed:
        st.success(widgets.plain(sentence), icon=":material/lock:")
    if opened.unrecorded:
        offer_entry("Record it in a ledger", opened.store.mechanism, survey.n, "field_entry")
    if opened.unclosed:
        widgets.complain(opened.unclosed)
    if opened.invented is not None:
        return
    if survey.closed is None:
        _ask(opened)


@widgets.complaining
def _read(opened: OpenSurvey, survey: SurveySoFar) -> None:
    state.of_page(HeldAnswers).start(survey.mechanism, opened.look().answers)
    st.switch_page("pages/read/page.py")


def _ask(opened: OpenSurvey) -> None:
    """Ledger, people, and a confirmation before the button."""
    box = st.expander("Close the survey", key="field_close", on_change="rerun", icon=":material/lock:")
    if not box.open:
        return
    with box:
        st.markdown(
            "A closed survey takes no more answers, and cannot be opened again. Where a ledger is named, the release is recorded "
            "in it, so that the next survey of the same people is planned with it in mind."
        )
        left, right = st.columns(2)
        _choose_ledger(opened, left)
        widgets.text(
            "Group of people",
            "field_population",
            max_chars=MAX_TEXT,
            placeholder="for example panel 2026",
            help="Everybody who could be asked, by the name that the ledger has for them.",
            where=right,
        )
        sure = st.checkbox("No more answers are wanted: close it for good", key="field_sure")
        st.button("Close it now", icon=":material/lock:", disabled=not sure, on_click=_close, args=(opened,))


def _choose_ledger(opened: OpenSurvey, where: DeltaGenerator) -> None:
    names = directory("ledger").names()
    last = state.of_page(OpenLedger).name
    if last != opened.offered:  # it was made or opened since, and is what the survey is to be recorded in
        opened.offered = last
        st.session_state.pop("field_ledger", None)
    widgets.select(
        "Ledger (optional)",
        [_NO_LEDGER, *names],
        "field_ledger",
        at=last if last in names else _NO_LEDGER,
        help="Page Ledger makes one.",
        where=where,
    )


def _close(opened: OpenSurvey) -> None:
    """Close the survey."""
    opened.unclosed, kept, typed = "", directory("ledger"), st.session_state
    try:
        refuse_in_demo()
        if typed.get("field_sure") is not True:
            raise InputError("Say first that no more answers are wanted. The survey stays open.")
        name, ledger = typed.get("field_ledger", _NO_LEDGER), None
        if name != _NO_LEDGER:
            ledger = Ledger.open(kept.place(name))
        closing = close_survey(opened.store, ledger=ledger, population=str(typed.get("field_population", "")))
    except InputError as error:
        opened.unclosed = str(error)
        with suppress(InputError):  # what cannot even be read was said
            opened.unrecorded = opened.store.closed is not None and bool(opened.store.by_day())
    else:
        opened.closed, opened.unrecorded = tuple(closing.sentences()), closing.survey.n > 0 and closing.entry is None
