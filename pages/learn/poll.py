"""Learn, tab Class poll: the question and its design, then the poll while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pages.learn import pollwall
from pages.shared import state, widgets
from pages.shared.mode import refuse_in_demo
from rrcore.asking import LANGUAGES
from rrcore.designs.classroom import ANSWERS, PollDesign, poll_design
from rrcore.errors import InputError, need
from rrcore.limits import MAX_POLL_PEOPLE, MAX_TEXT, MIN_POLL_PEOPLE, POLL_HOURS

if TYPE_CHECKING:
    from rrcore.receiver.poll import ClassPoll, PollSoFar

WAYS = {"here": "Only this computer", "room": "Phones in this room (unencrypted connection)"}


@dataclass
class Polled:
    """The poll on the page, its last look, whether it fills the screen, and the last problem.

    A poll that has ended has no ``running``. Its last look stays until another poll starts.
    """

    running: ClassPoll | None = None
    seen: PollSoFar | None = None
    question: str = ""
    wall: bool = False
    problem: str = ""

    def follow(self, poll: ClassPoll) -> None:
        """Show this poll."""
        self.forget()
        self.running, self.question = poll, poll.question

    def look(self) -> PollSoFar:
        """Return the poll now, or as it ended."""
        if self.running is not None:
            self.seen = self.running.look(self.seen)
        assert self.seen is not None
        return self.seen

    def start(self, question: str, design: PollDesign, language: str, address: str) -> None:
        """Ask the class."""
        from rrcore.receiver.poll import start_poll

        try:
            refuse_in_demo()
            self.follow(start_poll(question, design, address=address, language=language))
        except InputError as error:
            self.problem = str(error)

    def end(self) -> None:
        """Close the poll, look once more, end the server and delete what it stored."""
        self.problem = ""
        if self.running is not None:
            try:
                self.seen = self.running.last_look(self.seen)
            except InputError as error:
                self.problem = str(error)
            self.running.end()
        self.running = None

    def forget(self) -> None:
        """Show no poll."""
        self.running = self.seen = None
        self.wall = False
        self.question = self.problem = ""

    def turn(self) -> None:
        """Fill the screen, or leave it."""
        self.wall = not self.wall


def show() -> None:
    """Show the form of a poll, or the poll that runs or has ended."""
    polled = state.of_page(Polled)
    if polled.running is None and polled.seen is None:
        lacking = _lacking()
        if not lacking:
            _offer_running(polled)
        _ask(polled, lacking)
    else:
        _poll(polled)


def _lacking() -> str:
    """Return what is not installed, in one sentence."""
    try:
        for library in ("starlette", "uvicorn", "cryptography", "segno"):
            need(library, "A class poll")
    except InputError as error:
        return str(error)
    return ""


def _offer_running(polled: Polled) -> None:
    """Offer polls of this computer that a closed page left running."""
    from rrcore.receiver.poll import running_polls

    for poll in running_polls():
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f"Running: “{widgets.plain(poll.question)}”", width="content")
            st.button(
                "Show", key=f"poll_show_{poll.served.run}", on_click=partial(polled.follow, poll), icon=":material/visibility:"
            )


def _ask(polled: Polled, lacking: str) -> None:
    left, right = st.container(key="poll_form").columns([3, 2])
    with (
        left,
        widgets.card(
            "Question", hint="Ask a sensitive question with few possible answers. Each student's device randomizes the answer."
        ),
    ):
        question = widgets.text(
            "Question for the class", "poll_question", max_chars=MAX_TEXT, help="For example: Have you ever copied in an exam?"
        )
        people = widgets.number("Class size", "poll_people", 30, (MIN_POLL_PEOPLE, MAX_POLL_PEOPLE))
        error = widgets.slider("95% margin of error, at most", "poll_within", 20.0, (5.0, 40.0), step=1.0, format="±%d points")
        way = widgets.radio("Access", WAYS, "poll_way", horizontal=True)
        with st.expander("Answers and language"):
            typed = widgets.text("Answers, separated by commas", "poll_answers", ", ".join(ANSWERS))
            language = widgets.select("Language of the form", LANGUAGES, "poll_language")
            address = _address() if way == "room" else ""
        try:
            design = poll_design(people, error / 100, tuple(each.strip() for each in typed.split(",") if each.strip()))
        except InputError as problem:
            widgets.complain(problem)
            return
        start = partial(polled.start, question, design, language, address)
        if lacking:
            widgets.warn(lacking)
        else:
            st.button("Start the poll", type="primary", icon=":material/play_arrow:", on_click=start)
        if polled.problem:
            widgets.complain(polled.problem)
    with right, widgets.card("Accuracy and privacy"):
        for sentence in design.sentences():
            widgets.say(sentence)
        widgets.warn(design.shortfall(error / 100))
        widgets.caption(f"RR Workbench deletes the answers when you end the poll, or after {POLL_HOURS} hours.")
        if way == "room":
            widgets.caption("The connection is not encrypted. Somebody who controls the network could change the form.")


def _address() -> str:
    from rrcore.receiver.launch import address_in_network

    return widgets.text("Address of this computer in the network", "poll_address", address_in_network()) or "none"


def _poll(polled: Polled) -> None:
    pollwall.styles(wall=polled.wall)
    with st.container(key="poll_running"):
        st.header(widgets.plain(polled.question), anchor=False)
        if polled.running is not None:
            left, right = st.columns([2, 5], gap="large")
            with left:
                pollwall.address(polled.running.served.address, exposed=polled.running.exposed, wall=polled.wall)
        else:
            right = st.container()
        with right:
            st.fragment(_look, run_every=2 if polled.running is not None else None)(polled)
    if polled.problem:
        widgets.complain(polled.problem)
    with st.container(horizontal=True):
        st.button(
            "Leave full screen" if polled.wall else "Show full screen",
            icon=":material/close_fullscreen:" if polled.wall else ":material/present_to_all:",
            on_click=polled.turn,
        )
        if polled.running is not None:
            st.button("End the poll", icon=":material/stop:", on_click=polled.end, help="This also deletes the stored answers.")
            return
        st.button("Start another poll", icon=":material/add:", on_click=polled.forget)
    answers = None if polled.seen is None else polled.seen.answers
    if answers is not None and not polled.wall:
        st.caption("The poll has ended, and the stored answers are deleted. You can download the copy on this page.")
        with st.container(horizontal=True):
            widgets.download("Download answers", answers.dataset.to_csv, "answers.csv")
            widgets.download("Download mechanism file", answers.mechanism.to_json, "mechanism.json")


@widgets.complaining
def _look(polled: Polled) -> None:
    """Show how many answered, the bars and the estimate."""
    seen = polled.look()
    pollwall.bars(seen)
    widgets.say(seen.sentence())
    widgets.warn(seen.twice())
    if polled.running is not None:
        st.caption("The interval is valid for one look only. Decide in advance when you look.")
