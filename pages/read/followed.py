"""How many people did not follow the instructions, by the control item, and what other laws of theirs would change."""

from dataclasses import replace
from functools import partial

import streamlit as st

from pages.shared import readings, state, widgets
from rrcore.answers import Answers, MarginalSummary, corrections_table
from rrcore.errors import InputError
from rrcore.estimate import CLICK_LAWS, Clicks
from rrcore.wording import meaning

_NOBODY = "nobody"
_LAWS = {law: told.capitalize() for law, told in CLICK_LAWS.items()} | {_NOBODY: "Everybody followed them: no correction"}
_KEY = "read_clicks"


def corrected(work: state.Work, answers: Answers) -> Answers:
    """The answers with the law that was chosen; without correction where that cannot be read, which is then said."""
    law = st.session_state.get(_KEY, "uniform")
    clicks = None if law == _NOBODY else Clicks(law)
    if not answers.corrected_by or (clicks == answers.clicks and _readable(answers)):
        return answers
    found = work.remember("read_clicks", (id(answers), law), lambda: replace(answers, clicks=clicks))
    if _readable(found):
        return found
    return work.remember("read_uncorrected", id(answers), lambda: answers.uncorrected)


def _readable(answers: Answers) -> bool:
    try:
        return answers.noncompliance is None or True
    except InputError as error:
        widgets.complain(f"{error} Until then nothing is corrected.")
        return False


def tell(answers: Answers, found: MarginalSummary) -> None:
    """One sentence below the figure, where anything is corrected."""
    if answers.noncompliance is not None:
        widgets.caption(answers.noncompliance.sentence)
        if not found.corrections:
            widgets.caption("Of the control item itself shares are as they were answered.")


def show(answers: Answers, found: MarginalSummary, reading: readings.Reading) -> None:
    """The law that is taken for granted, and the shares by the others."""
    control = answers.schema.control
    if control is None:
        st.info(
            "These answers cannot tell who clicked without reading, since nothing was asked whose true answer is known. For the next "
            "survey declare a control item on Data.",
            icon=":material/rule:",
        )
        return
    law = widgets.select(
        "How people answer who do not follow the instructions", _LAWS, _KEY, at="uniform", help=meaning("control item")
    )
    if law == _NOBODY or not found.corrections:
        return
    widgets.details("If they answered in another way", "read_laws", partial(_laws, found, reading), icon="balance")


def _laws(found: MarginalSummary, reading: readings.Reading) -> None:
    meant = {"population": reading.population, "simultaneous": reading.at_once}
    widgets.table(corrections_table(found.schema, found.estimate, found.corrections, **meant))
    for each in found.corrections:
        if each.why:
            widgets.caption(each.why)
    st.caption(
        "Shares are those of people who followed the instructions, with 95 % intervals. Which law is right these answers cannot tell."
    )
