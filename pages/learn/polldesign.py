"""Question and design of a class poll: what a class of this size can learn stands beside it before anything is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared import widgets
from pages.shared.mode import refuse_in_demo
from rrcore.asking import LANGUAGES
from rrcore.designs.classroom import ANSWERS, PollDesign, least_truth, poll_design
from rrcore.errors import InputError, need
from rrcore.limits import MAX_POLL_PEOPLE, MAX_TEXT, MIN_POLL_PEOPLE, POLL_HOURS
from rrcore.wording import Quantity, meaning

if TYPE_CHECKING:
    from rrcore.receiver.poll import Way

WAYS: dict[Way, str] = {
    "room": "Phones in this room, over http",
    "encrypted": "Phones in this room, over https with a certificate made now",
    "here": "This computer only, to try it out",
}
_RATES = (60, 75, 90)
"""Truth told, in percent, beside the one that is chosen."""


@dataclass(frozen=True)
class WantedPoll:
    """What was typed: ``within`` is half an interval, a share."""

    question: str
    people: int
    within: float
    answers: tuple[str, ...]
    language: str
    way: Way
    address: str

    def design(self) -> PollDesign:
        """The most protective design that is precise enough. Raises InputError for answers that cannot be."""
        return poll_design(self.people, self.within, self.answers)


def lacking() -> str:
    """In one sentence, what is not installed; empty where nothing lacks."""
    try:
        for library in ("starlette", "uvicorn", "cryptography", "segno"):
            need(library, "A class poll", extra="receiver")
    except InputError as error:
        return str(error)
    return ""


def require() -> None:
    """Raise InputError in a demo, or if what a poll needs is not installed."""
    refuse_in_demo()
    if told := lacking():
        raise InputError(told)


def ask(answer: Callable[[str], None]) -> WantedPoll | None:
    """Ask for question, class and precision; beside them what the class can learn. None where no poll can be started as it stands."""
    left, right = st.columns([5, 6], gap="large")
    with left:
        question = widgets.text("Question", "poll_question", placeholder="Have you ever copied in an exam?", max_chars=MAX_TEXT)
        people = widgets.number(
            "People in the class", "poll_people", 30, (MIN_POLL_PEOPLE, MAX_POLL_PEOPLE), help=meaning("people")
        )
        within = widgets.slider(
            "Precision wanted", "poll_within", 20.0, (5.0, 40.0), step=1.0, format="± %d points", help=meaning("interval")
        )
        with st.expander("Answers, language, and how phones reach it", icon=":material/tune:", key="poll_more"):
            answers, language, reached = _more()
        wanted = WantedPoll(question, people, within / 100, answers, language, *reached)
    with right:
        try:
            design = wanted.design()
        except InputError as error:
            widgets.complain(error)
            return None
        learnt, given = design.sentences()
        answer(widgets.plain(learnt))
        _rates(design, wanted.within, given)
    if told := lacking():
        widgets.caption(told)
        return None
    return wanted


def _more() -> tuple[tuple[str, ...], str, tuple[Way, str]]:
    """Possible answers, the form's language, and how phones reach the form."""
    typed = widgets.text("Possible answers, with commas between", "poll_answers", ", ".join(ANSWERS))
    answers = tuple(each.strip() for each in typed.split(",") if each.strip())
    language = widgets.select("Language of the form", LANGUAGES, "poll_language")
    way: Way = widgets.radio("How phones reach it", WAYS, "poll_way")
    if way == "here" or lacking():
        return answers, language, (way, "")
    from rrcore.receiver.launch import address_in_network

    address = widgets.text("This computer's address in the room's network", "poll_address", address_in_network())
    told = (
        "Nothing is encrypted: somebody who controls the network could change the form. The form says so."
        if way == "room"
        else "Phones warn once about a certificate that nobody else has signed: people accept it and go on."
    )
    st.caption(told)
    return answers, language, (way, address)


def _rates(design: PollDesign, within: float, given: str) -> None:
    """What this class can learn at several rates of truth, the chosen one among them."""
    widgets.warn(design.shortfall(within))
    widgets.caption(given)
    rates = sorted({design.truth, *(each for each in _RATES if each >= least_truth(len(design.answers)))})
    found = [PollDesign(design.people, each, design.answers) for each in rates]
    last = design.answers[-1]
    widgets.table(
        {
            "Truth told": [f"{each.truth} %{', chosen' if each.truth == design.truth else ''}" for each in found],
            "Within": [each.within for each in found],
            "Odds up to": [Quantity("one answer", last).odds(each.odds) for each in found],
            "Like asking": [f"{each.direct} openly" for each in found],
        }
    )
    widgets.caption(_kept())


def _kept() -> str:
    """Where answers are while a poll runs, and until when."""
    if lacking():
        return "Nothing is kept."
    from rrcore.receiver.pollplace import poll_home

    return (
        f"Nothing is kept: randomised answers are in a folder below {poll_home()} until you end the poll, {POLL_HOURS} hours at most, and "
        "are deleted then."
    )
