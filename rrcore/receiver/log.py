"""What the receiver says of itself while it runs: by the day, and never by the time of day.

A line of the log is written a few times a day. Counts are told of finished days only: a counter that moves with each request would tell its
time to whoever looks often.
"""

import datetime as dt
import json
import logging
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

_MOST = 100  # different lines of one day
_OTHERS = "Further messages, of which there are too many kinds."


class DayLog(logging.Handler):
    """Writes a line when it is first said on a day, at its 10th time, its 100th and so on, and how often it was said when the day is over.

    Nothing of an exception but its kind is written, since what it says or where it came from may hold what was sent.

    Parameters
    ----------
    out : where lines go
    as_json : bool, one JSON object a line
    today : gives the day
    """

    def __init__(self, out: TextIO, *, as_json: bool = False, today: Callable[[], dt.date] = dt.date.today) -> None:
        super().__init__()
        self._out, self._as_json, self._today = out, as_json, today
        self._day: dt.date | None = None
        self._said: Counter[tuple[str, str]] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """Take in one message."""
        today = self._today()
        if today != self._day:
            self._tell_rest()
            self._day = today
        line = record.levelname, record.getMessage().strip()
        if record.exc_info and record.exc_info[0]:
            line = record.levelname, f"{line[1]} ({record.exc_info[0].__name__})"
        if line not in self._said and len(self._said) >= _MOST:
            line = "WARNING", _OTHERS
        self._said[line] += 1
        if _is_written(self._said[line]):
            self._write(line)

    def close(self) -> None:
        """Tell what is left to tell."""
        self._tell_rest()
        super().close()

    def _tell_rest(self) -> None:
        for line, times in self._said.items():
            if not _is_written(times):
                self._write(line)
        self._said.clear()

    def _write(self, line: tuple[str, str]) -> None:
        (level, message), times, day = line, self._said[line], str(self._day)
        if self._as_json:
            text = json.dumps({"day": day, "level": level.lower(), "message": message, "times": times})
        else:
            text = f"{day} {level}: {message}{f' ({times:,} times that day)' if times > 1 else ''}"
        with suppress(OSError, ValueError):  # closed, full or read by nobody
            print(text, file=self._out, flush=True)


def _is_written(times: int) -> bool:
    """Whether it is a power of ten."""
    return times == 10 ** (len(str(times)) - 1)


class EventCounter:
    """How often something happened, in memory, since this process began.

    Parameters
    ----------
    today : gives the day

    Examples
    --------
    >>> import datetime as dt
    >>> from rrcore.receiver.log import EventCounter
    >>> days = [dt.date(2026, 3, 1)] * 3 + [dt.date(2026, 3, 2)]
    >>> tally = EventCounter(iter(days).__next__)
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
