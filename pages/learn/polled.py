"""The poll that the page shows: how it is started, looked at, ended and forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pages.learn import polldesign
from rrcore.errors import InputError

if TYPE_CHECKING:
    from rrcore.receiver.poll import ClassPoll, PollSoFar


@dataclass
class Polled:
    """The poll that the page shows, the last look at it, whether it fills the screen, and the last problem.

    A poll that was ended has no ``running``. Its last look stays until another poll is started.
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
        """The poll now, or as it ended."""
        if self.running is not None:
            self.seen = self.running.look(self.seen)
        assert self.seen is not None
        return self.seen

    def start(self, wanted: polldesign.WantedPoll) -> None:
        """Ask the class."""
        from rrcore.receiver.poll import start_poll

        try:
            polldesign.require()
            self.follow(start_poll(wanted.question, wanted.design, address=wanted.address, language=wanted.language))
        except InputError as error:
            self.problem = str(error)

    def end(self) -> None:
        """Take no more answers, look once more, end the server and delete what it kept."""
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
        """Fill the screen, or no longer."""
        self.wall = not self.wall
