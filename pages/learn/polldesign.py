"""Question and design of a class poll, with the precision that a class of this size can reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pages.shared import widgets
from pages.shared.mode import refuse_in_demo
from rrcore.asking import LANGUAGES
from rrcore.designs.classroom import ANSWERS, PollDesign, poll_design
from rrcore.errors import InputError, need
from rrcore.limits import MAX_POLL_PEOPLE, MAX_TEXT, MIN_POLL_PEOPLE, POLL_HOURS
from rrcore.wording import meaning

WAYS = {"here": "Only this computer can open it", "room": "Phones in this room can open it, over http"}


@dataclass(frozen=True)
class WantedPoll:
    """A poll that can be started. An empty address means this computer only."""

    question: str
    design: PollDesign
    language: str
    address: str


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
    """Ask for question, class and precision. None if no poll can be started like this."""
    question = widgets.text("Question", "poll_question", placeholder="Have you ever copied in an exam?", max_chars=MAX_TEXT)
    people = widgets.number("People in the class", "poll_people", 30, (MIN_POLL_PEOPLE, MAX_POLL_PEOPLE), help=meaning("people"))
    within = widgets.slider(
        "Precision wanted", "poll_within", 20.0, (5.0, 40.0), step=1.0, format="± %d points", help=meaning("interval")
    )
    typed = widgets.text("Possible answers, with commas between", "poll_answers", ", ".join(ANSWERS))
    language = widgets.select("Language of the form", LANGUAGES, "poll_language")
    try:
        design = poll_design(people, within / 100, tuple(each.strip() for each in typed.split(",") if each.strip()))
    except InputError as error:
        widgets.complain(error)
        return None
    learnt, given = design.sentences()
    answer(widgets.plain(learnt))
    widgets.warn(design.shortfall(within / 100))
    widgets.caption(f"{given} Randomized answers are deleted when you end the poll, or after {POLL_HOURS} hours.")
    if told := lacking():
        widgets.caption(told)
        return None
    return WantedPoll(question, design, language, _address())


def _address() -> str:
    """This computer's address in the room's network, if the teacher wants phones to reach the poll."""
    if widgets.radio("Who can open it", WAYS, "poll_way") == "here":
        return ""
    from rrcore.receiver.launch import address_in_network

    found = widgets.text("This computer's address in the room's network", "poll_address", address_in_network())
    widgets.caption("The connection is not encrypted. Somebody who controls the network could change the form.")
    return found or "none"
