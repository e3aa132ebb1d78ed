"""Closing a survey: frozen, recorded once, reported with intervals for every look; closed twice, or without an answer."""

import datetime as dt
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.ledger import Ledger
from rrcore.receiver import Submission, create_store, open_store
from rrcore.reports import close_survey
from tests.receiver.invented import invented_survey
from tests.reports.pages import Tree

DAY = dt.date(2026, 11, 22)


@pytest.fixture(scope="module")
def survey():
    return invented_survey(DAY, rng=np.random.default_rng(1))


@pytest.fixture
def store(tmp_path, survey):
    made = create_store(str(tmp_path / "pilot.survey"), survey.mechanism, title="Pilot", questions={"violence": "Has <anybody>?"})
    made.add([Submission(tuple(map(int, row)), bytes([i])) for i, row in enumerate(survey.answers.dataset.codes[:120])], DAY)
    return made


@pytest.fixture
def ledger(tmp_path):
    return Ledger.open(str(tmp_path / "releases.ledger"), create=True)


@pytest.mark.slow
def test_closing_freezes_records_and_reports(store, ledger, survey):
    closing = close_survey(store, on=DAY, ledger=ledger, population="panel 2026")
    assert open_store(store.place).closed == DAY
    assert store.add([Submission((0, 0), b"late")], DAY) == ["closed"]
    (entry,) = ledger.entries()
    assert (entry.population, entry.people, entry.date, entry.sha256) == ("panel 2026", 120, DAY, survey.mechanism.sha256)
    assert entry.total == entry.of(survey.mechanism, population="x", date=DAY).total
    assert closing.entry == entry
    assert "120" in closing.sentences()[0]
    assert "panel 2026" in closing.sentences()[-1]
    page = Tree(closing.report)
    assert page.title == "Pilot"
    assert "22 November 2026" in page.text
    assert "Has <anybody>?" in page.text
    watched = closing.survey.watch(["violence"])
    assert ["violence", watched.schema.attributes[0].categories[1], watched.share_text((1,))] in page.rows


@pytest.mark.slow
def test_closing_twice_changes_nothing_and_completes_what_is_missing(store, ledger):
    first = close_survey(store, on=DAY)
    assert ledger.entries() == ()
    later = DAY + dt.timedelta(3)
    again = close_survey(store, on=later, ledger=ledger, population="panel 2026")
    once_more = close_survey(store, on=later, ledger=ledger, population=" Panel  2026")
    assert store.closed == DAY
    assert [entry.date for entry in ledger.entries()] == [DAY]
    assert again.entry == once_more.entry
    assert again.report == once_more.report == first.report
    assert (first.before, again.before, again.on) == (False, True, DAY)


def test_two_surveys_with_the_same_title_are_two_releases(store, ledger, survey, tmp_path):
    """Waves by one mechanism file, of one title and one panel, closed on one day."""
    wave = create_store(str(tmp_path / "wave.survey"), survey.mechanism, title="Pilot")
    wave.add([Submission((0, 0), b"another receipt")], DAY)
    for _ in range(2):
        closed = [close_survey(each, on=DAY, ledger=ledger, population="panel 2026") for each in (store, wave)]
    assert [each.entry.id for each in closed] == [1, 2]
    assert ledger.spent("panel 2026").total == 2 * closed[0].entry.total


def test_closing_without_an_answer(tmp_path, ledger, survey):
    store = create_store(str(tmp_path / "empty.survey"), survey.mechanism, title="Nobody")
    closing = close_survey(store, on=DAY, ledger=ledger, population="panel 2026")
    assert store.closed == DAY
    assert (closing.report, closing.entry, ledger.entries()) == ("", None, ())
    assert "Nobody" in closing.sentences()[0]


def test_a_survey_stays_open_if_it_cannot_be_recorded(store, ledger, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="group of people"):
        close_survey(store, on=DAY, ledger=ledger)
    with pytest.raises(InputError, match="no ledger"):
        close_survey(store, on=DAY, ledger=Ledger(str(tmp_path / "missing.ledger")), population="panel")
    with pytest.raises(InputError, match="-1"):
        close_survey(store, on=DAY, ledger=ledger, population="panel", people=-1)
    for more in ({}, {"ledger": ledger, "population": "panel"}):
        with pytest.raises(InputError, match="2262-11-28"):
            close_survey(store, on=dt.date(2262, 11, 28), **more)
    with pytest.raises(InputError, match=r"22 November 2026, .* 21 November 2026"):
        close_survey(store, on=DAY - dt.timedelta(days=1))
    monkeypatch.setattr("rrcore.ledger.store.MAX_LEDGER_ENTRIES", 0)
    with pytest.raises(InputError, match="maximum"):
        close_survey(store, on=DAY, ledger=ledger, population="panel")
    assert store.closed is None


def test_a_survey_whose_server_is_ahead_ends_on_the_day_of_its_last_answer(tmp_path, survey):
    store = create_store(str(tmp_path / "ahead.survey"), survey.mechanism, title="Ahead")
    tomorrow = dt.date.today() + dt.timedelta(days=1)
    store.add([Submission(tuple(map(int, survey.answers.dataset.codes[0])), b"one")], tomorrow)
    assert close_survey(store).on == tomorrow


@pytest.mark.slow
def test_closing_while_answers_arrive_loses_none_and_takes_none_afterwards(place, survey, tmp_path):
    """Three senders hand in every answer twice, as phones do that got no reply, while two people close the survey."""
    rows = survey.answers.dataset.codes
    store = create_store(place, survey.mechanism, title="Pilot")
    ledger = Ledger.open(str(tmp_path / "releases.ledger"), create=True)
    many, end = threading.Event(), threading.Barrier(2)

    def send(sender):
        own, states = open_store(place), []
        for i in count(sender, 3):
            states += own.add([Submission(tuple(map(int, rows[i % len(rows)])), f"{i}".encode())] * 2, DAY)
            if i > 60:
                many.set()
            if states[-1] == "closed":
                return states

    def close(_):
        own = open_store(place)
        many.wait(60)
        end.wait(60)
        return close_survey(own, on=DAY, ledger=ledger, population="panel")

    with ThreadPoolExecutor(5) as pool:
        senders, closers = [pool.submit(send, i) for i in range(3)], list(pool.map(close, range(2)))
        states = [each for sender in senders for each in sender.result()]
    stored = states.count("stored")
    assert stored > 20
    assert states.count("known") == stored  # the copies; both are refused if they come too late
    assert states.count("closed") == 2 * 3
    (entry,) = ledger.entries()
    for closing in closers:
        assert (closing.survey.n, closing.on, closing.entry) == (stored, DAY, entry)
    assert (store.answers().n, sum(store.by_day().values()), entry.people) == (stored, stored, stored)
