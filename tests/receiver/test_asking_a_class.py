"""A class poll without its server: what it has seen is kept however the poll ends, and no phone is thanked for what is not."""

from __future__ import annotations

import datetime as dt
import secrets
import signal
from threading import Event

import pytest

from rrcore.designs.classroom import poll_design
from rrcore.receiver import Submission, create_store, poll_folder
from rrcore.receiver import poll as polls
from rrcore.receiver.server_status import Served


class Poll(polls.ClassPoll):
    """Eight people answer before its second look, and ``then`` is done before its third."""

    def __init__(self, then, design, title):
        place = poll_folder.new_poll_place(design.people)
        super().__init__(
            design, create_store(place, design.file(), title=title), Served("127.0.0.1", 8600, "http://localhost:8600")
        )
        self.__dict__.update(then=then, looks=0, shown=[])

    def look(self, before=None):
        self.__dict__["looks"] += 1
        if self.looks == 2:
            self.shown += self.answer(0, 1, 0, 0, 1, 0, 0, 1)
        elif self.looks == 3:
            self.then(self)
        return super().look(before)

    def answer(self, *codes):
        return self.store.add([Submission((code,), secrets.token_bytes(32)) for code in codes], dt.date.today())

    def end(self):
        if poll_folder.people_of(self.store.place):
            self.shown += self.answer(1)  # by somebody who is late
        super().end()


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Asks a class of 12. Gives what phones were shown, the last look, and what was printed."""
    ended = Event()
    (tmp_path / "rooms").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "rooms"))
    monkeypatch.setattr(poll_folder.tempfile, "tempdir", None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(polls, "_SECONDS", 0.01)
    monkeypatch.setattr("threading.Event", lambda: ended)

    def ask(then):
        made, said = [], []
        monkeypatch.setattr(polls, "start_poll", lambda title, design, **_: made.append(Poll(then, design, title)) or made[-1])
        seen = polls.ask_class("Copied?", poll_design(12, 0.2, ("no", "yes")), say=said.append)
        assert list((tmp_path / "rooms").iterdir()) == []
        answers = [seen.design.answers[code] for code in seen.answers.dataset.codes[:, 0]]
        return made[0].shown, answers, " ".join(said)

    ask.interrupt = ended.set
    return ask


def test_answers_are_kept_where_the_poll_is_ended_elsewhere_or_its_hours_are_over(asked):
    shown, answers, said = asked(polls.ClassPoll.end)
    assert (shown, sorted(answers)) == (["stored"] * 8, ["no"] * 5 + ["yes"] * 3)
    assert "This poll has ended" in said


def test_after_the_last_look_phones_are_shown_that_the_poll_is_closed(asked):
    shown, answers, _ = asked(lambda poll: asked.interrupt())
    assert shown == ["stored"] * 8 + ["closed"]
    assert len(answers) == 8
