"""The log of the receiver, which has days but no times of day.

The log has a few lines a day.
"""

import datetime as dt
import logging
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

_MOST = 100  # different lines of one day
_OTHERS = "Further messages, of which there are too many kinds."


class DayLog(logging.Handler):
    """A log handler that writes each message at most a few times a day.

    A message is written at its first, 10th, 100th occurrence and so on. At the end of the day, the handler writes the number of
    occurrences.

    Only the type of an exception is written, because its message or traceback could contain a request.

    Parameters
    ----------
    out : stream that receives the lines
    today : function that returns the day
    """

    def __init__(self, out: TextIO, *, today: Callable[[], dt.date] = dt.date.today) -> None:
        super().__init__()
        self._out, self._today = out, today
        self._day: dt.date | None = None
        self._said: Counter[tuple[str, str]] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """Process one message."""
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
        """Write the remaining numbers of occurrences."""
        self._tell_rest()
        super().close()

    def _tell_rest(self) -> None:
        for line, times in self._said.items():
            if not _is_written(times):
                self._write(line)
        self._said.clear()

    def _write(self, line: tuple[str, str]) -> None:
        (level, message), times, day = line, self._said[line], str(self._day)
        text = f"{day} {level}: {message}{f' ({times:,} times that day)' if times > 1 else ''}"
        with suppress(OSError, ValueError):  # closed, full or read by nobody
            print(text, file=self._out, flush=True)


def _is_written(times: int) -> bool:
    """Whether it is a power of ten."""
    return times == 10 ** (len(str(times)) - 1)
