"""A class poll: one question, randomised on the phones of a class, read while answers arrive, and kept nowhere."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
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
from rrcore.estimate.count_interval import count_interval
from rrcore.limits import MAX_TEXT, POLL_HOURS
from rrcore.receiver.launch import here, in_room, start_server
from rrcore.receiver.pollplace import delete_poll, is_left_over, new_poll_place, people_of, poll_places
from rrcore.receiver.running import Served, end_serving, fault_at, served_of
from rrcore.receiver.store import Store, create_store, open_store
from rrcore.wording import Quantity, counted


@dataclass(frozen=True, eq=False)
class ClassPoll:
    """A poll that runs, or that has just been found again.

    Parameters
    ----------
    design : PollDesign
    store : Store, in the poll's own folder
    served : Served, where phones reach it
    """

    design: PollDesign
    store: Store
    served: Served

    @property
    def question(self) -> str:
        """What is asked."""
        return self.store.title

    @property
    def exposed(self) -> bool:
        """Whether the form comes over http, so that whoever controls the network could change it."""
        return self.served.address.startswith("http://") and "://localhost" not in self.served.address

    def look(self, before: PollSoFar | None = None) -> PollSoFar:
        """What the answers say so far. Raises InputError where they cannot be read."""
        if not Path(self.store.place).exists():
            raise InputError(
                f"This poll has ended, on page Learn or by itself after {POLL_HOURS} hours, and what it stored is deleted."
            )
        if not self.store.by_day():
            return PollSoFar(self.design, None)
        return PollSoFar(self.design, self.store.answers(None if before is None else before.answers))

    def last_look(self, before: PollSoFar | None = None) -> PollSoFar:
        """Take no more answers, and look: each that a phone has seen confirmed is there, and later ones are told that the poll is closed.

        Raises InputError as ``look`` does.
        """
        with suppress(InputError):  # what cannot be written any more can be looked at
            self.store.close(dt.date.today())
        return self.look(before)

    def end(self) -> None:
        """End the server, and delete everything that the poll has left."""
        if self.served.run:
            with suppress(InputError):  # it has ended, and taken the database with it
                end_serving(self.store, self.served)
        delete_poll(self.store.place)


@dataclass(frozen=True, eq=False)
class PollSoFar:
    """One look at a poll. Its interval holds for one look, the last: of many looks one misses the truth more often.

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
        """Shares of the answers as they came, ndarray of shape (answers,)."""
        return np.zeros(len(self.design.answers)) if self.answers is None else self.answers.released([ATTRIBUTE])

    @cached_property
    def interval(self) -> tuple[Floats, Floats, Floats]:
        """(share, low, high) of every answer among those who answered, ndarrays of shape (answers,), within 0 and 1: 95 %, for one look.

        Exact at any size of a class (``count_interval``), since an answer and all others together are two.
        """
        if self.answers is None:
            size = len(self.design.answers)
            return np.full(size, 1 / size), np.zeros(size), np.ones(size)
        ((_, weights),) = self.answers.mechanism.groups
        true, false = map(float, weights.matrix(0)[0][:2])
        ends = [count_interval(round(seen * self.n), self.n, true, false) for seen in self.released]
        shares = self.answers.estimate([ATTRIBUTE]).closest().shares
        low, high = np.transpose(ends) / self.n
        return shares, np.minimum(low, shares), np.maximum(high, shares)

    def sentence(self) -> str:
        """What the poll says of its last answer."""
        share, low, high = (float(each[-1]) for each in self.interval)
        told = self.design.answers[-1]
        if self.n and (low > 0 or high < 1):
            whole = Quantity("share", told, "these people").estimated(share, low, high)
            return f"“{told}”: {whole} of the {self.n:,} who answered."
        return f"{counted(self.n, 'answer', 'answers')}, too few to say anything about “{told}” yet."

    def twice(self) -> str:
        """A warning where more answers came than there are people; empty where not."""
        if self.n <= self.design.people:
            return ""
        return f"{self.n:,} answers came from a class of {self.design.people:,}: somebody answered twice, or a guest did."


def start_poll(question: str, design: PollDesign, *, address: str = "", language: str = "en") -> ClassPoll:
    """Ask a class: a survey in a folder of its own, and its server, which ends by itself after ``POLL_HOURS`` hours.

    Parameters
    ----------
    question : str, as it is asked
    design : PollDesign
    address : this computer's address in the room's network, where phones reach the poll over http; only this computer can if empty
    language : of the form

    Raises
    ------
    InputError
        For an empty question, an address that cannot be listened on, or a server that does not come up. Nothing is left then.
    """
    asked = " ".join(question.split())
    if not asked or len(asked) > MAX_TEXT:
        raise InputError(f"The question has {len(asked)} characters: give one of 1 to {MAX_TEXT}.")
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
    """The polls of this account whose servers answer; of those that do not, what was left is deleted."""
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
