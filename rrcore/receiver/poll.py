"""A class poll: one question, randomized on phones, with current estimates.

Nothing is stored after the poll.
"""

from __future__ import annotations

import datetime as dt
import io
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from secrets import token_hex

import numpy as np

from rrcore.answers.answers import Answers
from rrcore.arrays import Floats
from rrcore.asking.survey_file import SurveyFile
from rrcore.designs.classroom import ATTRIBUTE, PollDesign
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT, POLL_HOURS
from rrcore.receiver.launch import address_in_network, here, in_room, start_server
from rrcore.receiver.poll_folder import delete_poll, is_left_over, new_poll_place, people_of, poll_places
from rrcore.receiver.server_status import Served, end_serving, fault_at, served_of
from rrcore.receiver.store import Store, create_store, open_store
from rrcore.wording import counted, estimate_text

_SECONDS = 2  # between two looks


@dataclass(frozen=True, eq=False)
class ClassPoll:
    """A running poll, which was just started or found again.

    Parameters
    ----------
    design : PollDesign
    store : Store, in the poll's own folder
    served : Served, with the address for phones
    """

    design: PollDesign
    store: Store
    served: Served

    @property
    def question(self) -> str:
        """The question of the poll."""
        return self.store.title

    @property
    def exposed(self) -> bool:
        """True if the form uses http.

        Anyone who controls the network could then change the form.
        """
        return self.served.address.startswith("http://") and "://localhost" not in self.served.address

    def look(self, before: PollSoFar | None = None) -> PollSoFar:
        """Return the current answers.

        Raises InputError if they cannot be read.
        """
        if not Path(self.store.place).exists():
            raise InputError(
                f"This poll has ended, and its stored answers were deleted. A poll runs for at most {POLL_HOURS} hours. "
                "Start another poll."
            )
        if not self.store.by_day():
            return PollSoFar(self.design, None)
        return PollSoFar(self.design, self.store.answers(None if before is None else before.answers))

    def last_look(self, before: PollSoFar | None = None) -> PollSoFar:
        """Stop accepting answers and return the final answers.

        All answers that a phone has seen confirmed are included. Later phones learn that the poll is closed. Raises InputError
        as ``look`` does.
        """
        with suppress(InputError):  # what cannot be written any more can be looked at
            self.store.close(dt.date.today())
        return self.look(before)

    def end(self) -> None:
        """End the server and delete all data of the poll."""
        if self.served.run:
            with suppress(InputError):  # it has ended, and taken the database with it
                end_serving(self.store, self.served)
        delete_poll(self.store.place)


@dataclass(frozen=True, eq=False)
class PollSoFar:
    """Answers to a poll at one look.

    The interval holds for one look only, such as the last one. Among many looks, some interval misses the truth more often.

    Parameters
    ----------
    design : PollDesign
    answers : Answers; None before the first one
    """

    design: PollDesign
    answers: Answers | None

    @property
    def n(self) -> int:
        """Number of answers."""
        return 0 if self.answers is None else self.answers.n

    @cached_property
    def released(self) -> Floats:
        """Shares of the randomized answers, ndarray of shape (answers,)."""
        return np.zeros(len(self.design.answers)) if self.answers is None else self.answers.release.released([ATTRIBUTE])

    @cached_property
    def interval(self) -> tuple[Floats, Floats, Floats]:
        """The share of every answer, with a 95% confidence interval for one look.

        The share, low and high are ndarrays of shape (answers,) within 0 and 1. They are about the people who answered. The
        interval is exact for any size of a class (theory.md section 30).
        """
        if self.answers is None:
            size = len(self.design.answers)
            return np.full(size, 1 / size), np.zeros(size), np.ones(size)
        closest = self.answers.estimate([ATTRIBUTE]).closest()
        return closest.shares, *closest.interval()

    def sentence(self) -> str:
        """State the estimate for the last answer."""
        share, low, high = (float(each[-1]) for each in self.interval)
        last = self.design.answers[-1]
        if self.n and (low > 0 or high < 1):
            whole = estimate_text(share, low, high)
            return f"“{last}”: estimate {whole} of {self.n:,} respondents."
        return f"{counted(self.n, 'answer', 'answers')}, too few to estimate “{last}” yet."

    def twice(self) -> str:
        """Warn if there are more answers than people.

        Otherwise, the text is empty.
        """
        if self.n <= self.design.people:
            return ""
        return f"{self.n:,} answers came from a class of {self.design.people:,}. Somebody answered twice, or a guest answered."


def start_poll(question: str, design: PollDesign, *, address: str = "", language: str = "en") -> ClassPoll:
    """Start a poll in a new folder.

    The server of the poll ends after ``POLL_HOURS`` hours.

    Parameters
    ----------
    question : str, the question
    design : PollDesign
    address : address of this computer in the local network, where phones reach the poll over http; if empty, only this computer can
    language : language of the form

    Raises
    ------
    InputError
        If the question is empty, the address cannot be used, or the server does not start. No data are left behind.
    """
    asked = " ".join(question.split())
    if not asked:
        raise InputError("The poll has no question. Enter the question that you want to ask your class.")
    if len(asked) > MAX_TEXT:
        raise InputError(f"The question has {len(asked)} characters. Use at most {MAX_TEXT}.")
    file = design.file(note=f"class poll {token_hex(8)}")
    survey = SurveyFile(file, asked, questions={ATTRIBUTE: asked}, language=language)
    place = new_poll_place(design.people)
    try:
        store = create_store(place, survey.mechanism, **survey.texts)
        terms = in_room(store, address, encrypted=False) if address else here()
        return ClassPoll(design, store, start_server(store, replace(terms, poll=True)))
    except BaseException:
        delete_poll(place)
        raise


def running_polls() -> Sequence[ClassPoll]:
    """Return the polls of this account whose servers answer.

    The data of other polls are deleted.
    """
    found = []
    for place in poll_places():
        try:
            store = open_store(place)
            served = served_of(store)
            answers = served is not None and not fault_at(served, served.own)
        except InputError:
            answers = False
        if answers and served is not None:
            found.append(ClassPoll(_design(store), store, served))
        elif is_left_over(place):
            delete_poll(place)
    return found


def _design(store: Store) -> PollDesign:
    """The design of a poll, as its mechanism file and the name of its folder say."""
    ((_, weights),) = store.mechanism.groups
    people = people_of(store.place)
    assert people is not None
    return PollDesign(people, round(100 * weights.matrix(0)[0][0]), store.mechanism.schema.attributes[0].categories)


def ask_class(
    question: str, design: PollDesign, *, host: str = "", language: str = "en", say: Callable[[str], None]
) -> PollSoFar:
    """Run a poll until SIGINT or SIGTERM and print every look with new answers.

    Parameters
    ----------
    question, design, language
        As in ``start_poll``.
    host : str
        Address of this computer in the local network, or "auto". By default, only this computer can answer.
    say : function of a string

    Returns
    -------
    PollSoFar
        The last look. All stored data are deleted.

    Raises
    ------
    InputError
        As ``start_poll`` does.
    """
    import segno

    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    address = address_in_network() if host == "auto" else host
    if host and not address:
        raise InputError("This computer is not on a network. Enter its address, or ask on this computer only.")
    poll = start_poll(question, design, address=address, language=language)
    try:
        picture = io.StringIO()
        segno.make_qr(poll.served.address, error="m").terminal(picture, compact=True, border=2)
        say(picture.getvalue())
        say(f"The poll is at {poll.served.address}. It ends with Ctrl+C, or after {POLL_HOURS} hours.")
        if poll.exposed:
            say("The connection is not encrypted. Somebody who controls the network could change the form.")
        say("The interval holds for one look. Decide beforehand when that is.")
        seen = poll.look()
        try:
            while not ended.wait(_SECONDS):
                if (now := poll.look(seen)).n > seen.n:
                    seen = now
                    say(f"{seen.n:,} of {design.people:,}: {seen.sentence()}")
            return poll.last_look(seen)
        except InputError as error:
            say(f"{error} The result is that of the last look before.")
            return seen
    finally:
        poll.end()
        say("The poll has ended, and what it stored is deleted.")
