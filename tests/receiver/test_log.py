"""The receiver's log: days and no times, and a line that comes thousands of times a few times only."""

import datetime as dt
import io
import logging
import re

import pytest

from rrcore.receiver import create_store
from rrcore.receiver.addresses import Terms
from rrcore.receiver.app import receiver_app
from rrcore.receiver.log import DayLog
from tests.receiver.phones import ask, finished, running

DAY = dt.date(2026, 3, 1)


@pytest.fixture
def logged():
    """A logger that writes as the receiver's does: (logger, handler, lines so far, what day it is)."""
    out, today = io.StringIO(), [DAY]
    handler = DayLog(out, today=lambda: today[0])
    logger = logging.Logger("tried")
    logger.addHandler(handler)
    return logger, handler, lambda: out.getvalue().splitlines(), today


def test_2101_errors_of_one_kind_are_four_lines_and_a_sum(logged):
    logger, _, lines, today = logged
    for _ in range(2101):
        logger.error("A request could not be answered: %s", "TimeoutError")
    line = "2026-03-01 ERROR: A request could not be answered: TimeoutError"
    assert lines() == [line, *(f"{line} ({times} times that day)" for times in ("10", "100", "1,000"))]
    today[0] = DAY + dt.timedelta(1)
    logger.error("Another")
    assert lines()[4:] == [f"{line} (2,101 times that day)", "2026-03-02 ERROR: Another"]


def test_many_kinds_are_bounded_and_nothing_of_an_exception_is_said(logged):
    logger, handler, lines, _ = logged
    for i in range(1000):
        try:
            raise ValueError(f"PLANTED {i}")
        except ValueError:
            logger.exception("Failed %s", i)
    handler.close()
    assert len(lines()) == 100 + 3 + 1
    assert lines()[0] == "2026-03-01 ERROR: Failed 0 (ValueError)"
    assert lines()[-1].endswith("(900 times that day)")
    assert "PLANTED" not in "".join(lines())


def test_a_database_that_fails_two_thousand_times_leaves_a_few_lines_without_a_time(tmp_path, mechanism, logged, monkeypatch):
    _, handler, lines, _ = logged
    store = create_store(str(tmp_path / "place.db"), mechanism, title="Pilot")
    app = receiver_app(store, Terms("https://survey.example.org", per_minute=10**9))
    monkeypatch.setattr("rrcore.receiver.app._FRESH", 0)
    monkeypatch.setattr(type(store), "fault", lambda self: 1 / 0)

    async def visits():
        async with running(app):
            return {(await ask(app, "GET", "/"))[0] for _ in range(2101)}

    logger = logging.getLogger("rrcore.receiver")
    logger.addHandler(handler)
    monkeypatch.setattr(logger, "propagate", False)
    try:
        assert finished(visits()) == {503}
    finally:
        logger.removeHandler(handler)
    assert len(lines()) == 4
    assert not re.search(r"\d\d:\d\d", "".join(lines()))
