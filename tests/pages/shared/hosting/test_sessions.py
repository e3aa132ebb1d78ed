"""Sessions end a little after their tabs, those first that have been without one the longest, and hold nothing afterwards."""

from types import SimpleNamespace

import pytest

from pages.shared.hosting import sessions, visitors
from pages.shared.hosting.sessions import GRACE, Closed, end_due


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(sessions.time, "monotonic", lambda: clock.now)
    return clock


def session(name):
    return SimpleNamespace(id=name, _scriptrunner=None, _state="ended", _session_state={"table": "true answers"})


def gone(name, runs=1):
    """A session whose tab has gone, after so many runs of its page."""
    return SimpleNamespace(session=session(name), script_run_count=runs)


class Server:
    """A runtime, as far as sessions end by it."""

    def __init__(self, closed):
        self.closed, self.ended = closed, []

    def _get_async_objs(self):
        return SimpleNamespace(eventloop=SimpleNamespace(call_soon_threadsafe=lambda call: call()))

    def close_session(self, name):
        self.closed.delete(name)
        self.ended.append(name)


def test_a_session_ends_after_the_grace_and_not_where_its_tab_came_back(clock, monkeypatch):
    told = []
    monkeypatch.setattr(sessions, "AT_END", [told.append])
    closed = Closed(most=3)
    server = Server(closed)
    for name in ("gone", "back", "late"):
        closed.save(gone(name))
        clock.now += 1
    clock.now += GRACE - 2
    closed.delete("back")
    assert end_due(server, closed) == 0
    assert (server.ended, told) == (["gone"], ["gone"])
    assert closed.get("gone") is None
    assert closed.get("late") is not None
    clock.now += 2
    end_due(server, closed)
    assert server.ended == ["gone", "late"]


def test_what_has_ended_holds_nothing_once_no_page_runs_for_it(clock):
    closed, left = Closed(most=3), gone("gone")
    held = left.session
    closed.save(left)
    held._scriptrunner = "at work"
    clock.now += GRACE + 1
    server = Server(closed)
    assert [end_due(server, closed), end_due(server, closed)] == [0, 0]
    assert held._session_state
    held._scriptrunner = None
    assert end_due(server, closed) == 1
    assert vars(held) == {"_state": "ended"}
    assert end_due(server, closed) == 0


def test_who_has_one_session_does_not_lose_it_to_whoever_has_many(clock, monkeypatch):
    """The 129th session without a tab ended the first, whosever that was."""
    closed = Closed(most=3)
    for number, visitor in enumerate(["ann", "eve", "eve", "eve", "bob", "eve"]):
        monkeypatch.setattr(visitors, "visitor", lambda visitor=visitor: visitor)
        closed.save(gone(f"{visitor} {number}"))
    assert closed.due() == ("eve 1", "eve 2", "eve 3")


def test_a_connection_that_said_nothing_leaves_nothing_to_come_back_to(clock):
    closed, running = Closed(most=3), gone("running", runs=0)
    running.session._scriptrunner = "at work"
    for one in (gone("ann"), running, *(gone(f"silent {number}", runs=0) for number in range(200))):
        closed.save(one)
    assert closed.due() == tuple(f"silent {number}" for number in range(200))


def test_a_server_that_has_ended_ends_nothing(clock):
    def over(call):
        raise RuntimeError("Event loop is closed")

    loop = SimpleNamespace(call_soon_threadsafe=over)
    assert end_due(SimpleNamespace(_get_async_objs=lambda: SimpleNamespace(eventloop=loop)), Closed(most=3)) == 0
