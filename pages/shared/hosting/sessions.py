"""A session ends a little after its tab, with all that it holds: what was uploaded, tables, results and downloads.

A tab that lost its connection comes back to its session within ``GRACE``; a page that is loaded anew is another session, which takes over
what it needs at once. A connection that never said anything leaves nothing to come back to. Streamlit by itself forgets the sessions of
closed tabs only when others come, and ends none of them.
"""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from math import inf

from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.session_manager import SessionInfo, SessionStorage

from pages.shared.hosting import visitors

GRACE = 15.0
"""Seconds that a session, and what is computed for it, goes on without its tab: long enough to come back, and no longer."""

AT_END: list[Callable[[str], None]] = []
"""What is told the identifier of every session that has ended."""


class Closed(SessionStorage):
    """The sessions whose tabs have gone, and since when; and those that have ended while a run of their page has not.

    Parameters
    ----------
    most : most sessions without a tab; beyond that the oldest one ends of the visitor who has most of them. There is a place for as many
        tabs, gone ones among them, so that who has one alone does not lose it to others
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._since: dict[str, float] = {}
        self._sessions: dict[str, SessionInfo] = {}
        self._visitors: dict[str, str] = {}
        self.ended: list[AppSession] = []

    def get(self, session_id: str) -> SessionInfo | None:
        """The session, if it can still be come back to."""
        return self._sessions.get(session_id)

    def save(self, session_info: SessionInfo) -> None:
        """Keep the session of a tab that has gone just now, if a page ever ran for it."""
        session, name = session_info.session, session_info.session.id
        ran = session_info.script_run_count or session._scriptrunner is not None
        self._since[name] = time.monotonic() if ran else -inf
        self._sessions[name], self._visitors[name] = session_info, visitors.visitor()

    def delete(self, session_id: str) -> None:
        """Let go of a session: its tab has come back, or it has ended."""
        del self._since[session_id], self._sessions[session_id], self._visitors[session_id]

    def list(self) -> list[SessionInfo]:
        """All of them."""
        return [*self._sessions.values()]

    def due(self) -> tuple[str, ...]:
        """Those that are to end now: without a tab for longer than ``GRACE``, and those that are too many."""
        before = time.monotonic() - GRACE
        kept = [name for name, since in self._since.items() if since >= before]  # in the order in which their tabs went
        have = Counter(self._visitors[name] for name in kept)
        while len(kept) > self.most:
            greedy = have.most_common(1)[0][0]
            kept.remove(next(name for name in kept if self._visitors[name] == greedy))
            have[greedy] -= 1
        return tuple(name for name in self._since if name not in kept)

    def empty(self) -> int:
        """Take everything away from ended sessions that no page runs for, since Streamlit holds the last one until another comes."""
        done = [session for session in self.ended if session._scriptrunner is None]
        for session in done:
            self.ended.remove(session)
            kept = session._state  # that it has ended
            vars(session).clear()
            session._state = kept
        return len(done)


def follow(runtime: Runtime, most: int) -> Closed:
    """From now on, know the sessions without a tab, of which there are to be no more than ``most``."""
    closed = Closed(most)
    runtime._session_mgr._session_storage = closed  # type: ignore[attr-defined]
    return closed


def end_due(runtime: Runtime, closed: Closed) -> int:
    """End the sessions whose time has come, on the server's own thread; gives how many of those that had ended are nothing any more."""
    done: Future[int] = Future()

    def end() -> None:
        emptied = closed.empty()
        for name in closed.due():
            info = closed.get(name)
            assert info is not None
            closed.ended.append(info.session)
            runtime.close_session(name)
            for tell in AT_END:
                tell(name)
        done.set_result(emptied)

    try:
        runtime._get_async_objs().eventloop.call_soon_threadsafe(end)
    except RuntimeError:  # the server has come to its end
        return 0
    return done.result()
