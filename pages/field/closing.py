"""The end of a survey: closed for good, recorded in a ledger, reported, and read."""

from __future__ import annotations

import streamlit as st

from pages.field.place import Place
from pages.ledger.place import Place as LedgerPlace
from pages.read.holding import Reading
from pages.shared import state, widgets
from pages.shared.hosting.shelves import shelf
from rrcore.collect.field import SurveySoFar
from rrcore.errors import InputError
from rrcore.ledger import Ledger
from rrcore.limits import MAX_TEXT
from rrcore.report import close_survey, closing_report

_NO_LEDGER = "None"


def show(place: Place, survey: SurveySoFar) -> None:
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
                lambda: closing_report(place.look()),
                "findings.html",
                icon=":material/description:",
            )
            if read:
                state.of_page(Reading).start(survey.mechanism, place.look().answers)
                st.switch_page("pages/read/page.py")
    for sentence in place.told:
        st.success(widgets.plain(sentence), icon=":material/lock:")
    if place.problem:
        widgets.complain(place.problem)
    if survey.closed is None and place.invented is None:
        _ask(place)


def _ask(place: Place) -> None:
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
        names = shelf("ledger").names()
        last = state.of_page(LedgerPlace).name
        ledger = widgets.select(
            "Ledger (optional)",
            [_NO_LEDGER, *names],
            "field_ledger",
            at=last if last in names else _NO_LEDGER,
            help="Page Ledger makes one.",
            where=left,
        )
        population = widgets.text(
            "Group of people",
            "field_population",
            max_chars=MAX_TEXT,
            placeholder="for example panel 2026",
            help="Everybody who could be asked, by the name that the ledger has for them.",
            where=right,
        )
        sure = st.checkbox("No more answers are wanted: close it for good", key="field_sure")
        st.button(
            "Close it now",
            icon=":material/lock:",
            disabled=not sure,
            on_click=_close,
            args=(place, ledger, population),
        )


def _close(place: Place, ledger: str, population: str) -> None:
    place.problem, kept = "", shelf("ledger")
    try:
        recorded = None if ledger == _NO_LEDGER else Ledger.open(kept.place(ledger))
        closing = close_survey(place.store, ledger=recorded, population=population)
    except InputError as error:
        place.problem = kept.said(error)
    else:
        place.told = tuple(closing.sentences())
