"""The poll that the page shows: how it is started, looked at, ended and forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from pages.learn import polldesign
from rrcore.errors import InputError

if TYPE_CHECKING:
    from rrcore.receiver.poll import ClassPoll, PollSoFar

HANDS = "poll_hands"
"""Key of the number of hands raised: it stays in this session, and goes with the poll."""


@dataclass
class Polled:
    """The poll that the page shows, the last two looks at it, whether it fills the screen, and the sentence about what last went wrong.

    A poll that was ended has no ``running``: its last look stays in this session until another one is started, or nobody wants it.
    """

    running: ClassPoll | None = None
    seen: PollSoFar | None = None
    before: PollSoFar | None = None
    question: str = ""
    wall: bool = False
    problem: str = ""

    def follow(self, poll: ClassPoll) -> None:
        """Show this poll."""
        self.forget()
        self.running, self.question = poll, poll.question

    def look(self) -> PollSoFar:
        """The poll now, or as it ended."""
        if self.running is not None:
            self.before, self.seen = self.seen, self.running.look(self.seen)
        assert self.seen is not None
        return self.seen

    def start(self, wanted: polldesign.WantedPoll) -> None:
        """Ask the class."""
        from rrcore.receiver.poll import start_poll

        self.problem = ""
        try:
            polldesign.require()
            design = wanted.design()
            poll = start_poll(
                wanted.question,
                design,
                way=wanted.way,
                address=wanted.address,
                language=wanted.language,
            )
        except InputError as error:
            self.problem = str(error)
            return
        self.follow(poll)

    def end(self) -> None:
        """Take no more answers, look once more, end the server and delete what it kept."""
        self.problem = ""
        if self.running is not None:
            try:
                self.seen = self.running.last_look(self.seen)
            except InputError as error:
                self.problem = str(error)
            self.running.end()
        self.running, self.before = None, self.seen

    def forget(self) -> None:
        """Show no poll."""
        self.running = self.seen = self.before = None
        self.wall = False
        self.question = self.problem = ""
        st.session_state.pop(HANDS, None)

    def turn(self) -> None:
        """Fill the screen, or no longer."""
        self.wall = not self.wall
