"""Closing a survey: frozen, recorded once, reported with intervals for every look; closed twice, or without an answer."""

import datetime as dt
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest

from rrcore.__main__ import main
from rrcore.errors import InputError
from rrcore.ledger import Ledger
from rrcore.receiver import Submission, create_store, open_store
from rrcore.receiver.field import invented_survey
from rrcore.report import close_survey

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
    assert closing.sentences() == [
        "'Pilot' is closed as of 22 November 2026, with 120 answers. Answers that come now are refused.",
        "The ledger holds it as number 1, about 'panel 2026'.",
    ]
    for shown in ("Pilot", "22 November 2026", "Has &lt;anybody&gt;?", "However often it was looked at", "In words"):
        assert shown in closing.report
    assert closing.survey.watch(["violence"]).share_text((1,)) in closing.report.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.slow
def test_closing_twice_changes_nothing_and_completes_what_is_missing(store, ledger):
    first = close_survey(store, on=DAY)
    assert first.sentences()[1] == "No ledger was named: record the release in one before you ask the same people again."
    assert ledger.entries() == ()
    later = DAY + dt.timedelta(3)
    again = close_survey(store, on=later, ledger=ledger, population="panel 2026")
    once_more = close_survey(store, on=later, ledger=ledger, population=" Panel  2026")
    assert store.closed == DAY
    assert [entry.date for entry in ledger.entries()] == [DAY]
    assert again.entry == once_more.entry
    assert again.report == once_more.report == first.report
    assert again.sentences()[0] == (
        "'Pilot' was closed on 22 November 2026 already, with 120 answers. Answers that come now are refused."
    )


def test_two_surveys_that_are_called_alike_are_two_releases_and_each_is_recorded_once(store, ledger, survey, tmp_path):
    """Waves by one mechanism file, of one title and one panel, closed on one day: the second was told to stand there as number 1."""
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
    assert closing.sentences() == [
        "'Nobody' is closed as of 22 November 2026, without a single answer: nothing was released, so there is neither a report nor an entry "
        "in a ledger."
    ]


def test_a_survey_stays_open_where_it_cannot_be_recorded(store, ledger, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="The group of people is not named"):
        close_survey(store, on=DAY, ledger=ledger)
    with pytest.raises(InputError, match="There is no ledger"):
        close_survey(store, on=DAY, ledger=Ledger(str(tmp_path / "missing.ledger")), population="panel")
    with pytest.raises(InputError, match="The number of people is -1"):
        close_survey(store, on=DAY, ledger=ledger, population="panel", people=-1)
    for more in ({}, {"ledger": ledger, "population": "panel"}):
        with pytest.raises(InputError, match="The date of the release is 2262-11-28"):
            close_survey(store, on=dt.date(2262, 11, 28), **more)
    monkeypatch.setattr("rrcore.ledger.store.MAX_LEDGER_ENTRIES", 0)
    with pytest.raises(InputError, match="has 0 entries, which is the limit"):
        close_survey(store, on=DAY, ledger=ledger, population="panel")
    assert store.closed is None


@pytest.mark.slow
def test_the_command(store, ledger, tmp_path, capsys):
    report = tmp_path / "report.html"
    options = ["close", "--db", store.place, "--ledger", ledger.place, "--population", "panel 2026", "--on", "2026-11-22"]
    assert main([*options, "--report", str(report)]) == 0
    assert "The ledger holds it as number 1" in capsys.readouterr().out
    assert report.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert main([*options, "--json"]) == 0
    told = capsys.readouterr().out
    assert '"before": true' in told
    assert '"number": 1' in told
    assert main(["close", "--db", store.place, "--on", "soon"]) == 2
    assert "The day is 'soon': write it like 2026-01-31." in capsys.readouterr().err
    assert main(["close", "--db", str(tmp_path / "none.survey")]) == 2
    assert "There is no survey" in capsys.readouterr().err


def test_a_survey_is_not_closed_before_the_day_of_its_last_answer(store):
    with pytest.raises(InputError, match="Answers came until 22 November 2026, after 21 November 2026: give the day of the last"):
        close_survey(store, on=DAY - dt.timedelta(days=1))
    assert store.closed is None


def test_without_a_day_a_survey_whose_server_is_ahead_ends_on_the_day_of_its_last_answer(tmp_path, survey):
    store = create_store(str(tmp_path / "ahead.survey"), survey.mechanism, title="Ahead")
    tomorrow = dt.date.today() + dt.timedelta(days=1)
    store.add([Submission(tuple(map(int, survey.answers.dataset.codes[0])), b"one")], tomorrow)
    assert close_survey(store).on == tomorrow


@pytest.mark.slow
def test_closing_while_answers_arrive_loses_none_and_takes_none_afterwards(place, survey, tmp_path):
    """Three senders hand in every answer twice, as phones do that got no reply; two people close the survey in the midst of it."""
    rows = survey.answers.dataset.codes
    store = create_store(place, survey.mechanism, title="Pilot")
    ledger = Ledger.open(str(tmp_path / "releases.ledger"), create=True)
    many, end = threading.Event(), threading.Barrier(2)

    def send(sender):
        own, told = open_store(place), []
        for i in count(sender, 3):
            told += own.add([Submission(tuple(map(int, rows[i % len(rows)])), f"{i}".encode())] * 2, DAY)
            if i > 60:
                many.set()
            if told[-1] == "closed":
                return told

    def close(_):
        own = open_store(place)
        many.wait(60)
        end.wait(60)
        return close_survey(own, on=DAY, ledger=ledger, population="panel")

    with ThreadPoolExecutor(5) as pool:
        senders, closers = [pool.submit(send, i) for i in range(3)], list(pool.map(close, range(2)))
        told = [each for sender in senders for each in sender.result()]
    stored = told.count("stored")
    assert stored > 20
    assert told.count("known") == stored  # the copies; of what came too late both are refused
    assert told.count("closed") == 2 * 3
    (entry,) = ledger.entries()
    for closing in closers:
        assert (closing.survey.n, closing.on, closing.entry) == (stored, DAY, entry)
    assert (store.answers().n, sum(store.by_day().values()), entry.people) == (stored, stored, stored)
