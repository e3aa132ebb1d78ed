"""Whose page runs: one at a time while it is quick, a few at once where some take long, the others in the order in which they came.

Pages of all tabs share one interpreter, which a running page gives up again and again, so that the server can send what others drew. Where
four pages ran at once, a move cost a third to two thirds more of the processor than alone (``make load``); where twenty do, each of the
hundred messages that a page consists of waits for all of them before it is sent. Waiting for its turn, a page costs nothing.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

AT_ONCE = 4
"""Pages that run at once: more than one, so that a page that takes long holds up nobody."""
ALONE = 0.5
"""Seconds that a page has for itself: another is let in beside it only if it takes longer, which a move of a slider does not."""
_LOOK = 0.1  # seconds between two looks of those who wait at whether the page in front of them has had its time


class Turns:
    """At most ``at_once`` threads between ``take`` and ``give``, each alone for its first ``alone`` seconds; the others wait in order."""

    def __init__(self, at_once: int, alone: float = ALONE) -> None:
        self._at_once, self._alone = at_once, alone
        self._lock = threading.Lock()
        self._begun: dict[int, float] = {}
        self._waiting: deque[tuple[threading.Event, int]] = deque()

    def take(self) -> None:
        """Wait for a turn."""
        mine = (threading.Event(), threading.get_ident())
        with self._lock:
            self._waiting.append(mine)
            self._let_in()
        while not mine[0].wait(_LOOK):
            with self._lock:
                self._let_in()

    def give(self) -> None:
        """Hand the turn to the next."""
        with self._lock:
            del self._begun[threading.get_ident()]
            self._let_in()

    def _let_in(self) -> None:
        """Let the next in where there is room for it, and nobody who still has time alone."""
        now = time.monotonic()
        if (
            self._waiting
            and len(self._begun) < self._at_once
            and all(now - begun >= self._alone for begun in self._begun.values())
        ):
            event, thread = self._waiting.popleft()
            self._begun[thread] = now
            event.set()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Have a turn for what is done here."""
        self.take()
        try:
            yield
        finally:
            self.give()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Let others go on meanwhile, for what only waits; a part of a page that runs by itself has no turn to lend."""
        if threading.get_ident() not in self._begun:
            yield
            return
        self.give()
        try:
            yield
        finally:
            self.take()


pages = Turns(AT_ONCE)
"""The turns of this server's pages."""
