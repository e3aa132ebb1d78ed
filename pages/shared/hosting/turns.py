"""Whose page runs: a few at once, and the others in the order in which they came.

Pages of all tabs share one interpreter. Where twenty run at once, each of the hundred messages that a page consists of waits for all of
them before it is sent, so that some tabs wait much longer than others. Waiting for its turn, a page costs nothing.
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

AT_ONCE = 4
"""Pages that run at once: more than one, so that a page that takes long holds up nobody."""


class Turns:
    """At most ``at_once`` threads between ``take`` and ``give``; those that wait go on in the order in which they came."""

    def __init__(self, at_once: int) -> None:
        self._lock = threading.Lock()
        self._free = at_once
        self._waiting: deque[threading.Event] = deque()

    def take(self) -> None:
        """Wait for a turn."""
        with self._lock:
            if self._free:
                self._free -= 1
                return
            mine = threading.Event()
            self._waiting.append(mine)
        mine.wait()

    def give(self) -> None:
        """Hand the turn to the next."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1

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
        """Let others go on meanwhile, for what only waits; to be called with a turn."""
        self.give()
        try:
            yield
        finally:
            self.take()


pages = Turns(AT_ONCE)
"""The turns of this server's pages."""
