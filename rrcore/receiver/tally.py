"""Counts by day that are told of finished days only: a counter that moves with each request would tell its time to whoever looks often."""

from __future__ import annotations

import datetime as dt
import threading
from collections import Counter
from collections.abc import Callable


class Tally:
    """How often something happened, in memory, since this process began.

    Parameters
    ----------
    today : gives the day

    Examples
    --------
    >>> import datetime as dt
    >>> from rrcore.receiver.tally import Tally
    >>> days = [dt.date(2026, 3, 1)] * 3 + [dt.date(2026, 3, 2)]
    >>> tally = Tally(iter(days).__next__)
    >>> tally.count("429"), tally.count("429")
    (None, None)
    >>> tally.finished(), tally.finished()
    ({}, {'429': 2})
    """

    def __init__(self, today: Callable[[], dt.date]) -> None:
        self._today = today
        self._lock = threading.Lock()
        self._day: dt.date | None = None
        self._now: Counter[str] = Counter()
        self._before: Counter[str] = Counter()

    def count(self, what: str) -> None:
        """Count one more."""
        with self._lock:
            self._turn()
            self._now[what] += 1

    def finished(self) -> dict[str, int]:
        """What was counted until the end of yesterday."""
        with self._lock:
            self._turn()
            return dict(self._before)

    def _turn(self) -> None:
        today = self._today()
        if today != self._day:
            self._before += self._now
            self._now, self._day = Counter(), today
