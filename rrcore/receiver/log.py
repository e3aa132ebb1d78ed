"""What the receiver says of itself while it runs: by the day, and never by the time of day.

A line of the log is written a few times a day.
"""

import datetime as dt
import json
import logging
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
