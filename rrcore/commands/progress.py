"""How far a command is: in place on a terminal; elsewhere a line now and then, of what takes long."""

import sys
import time

from rrcore.progress import Report, quiet

FIRST, EACH = 10.0, 30.0
"""Seconds after which, where there is no terminal, the first line is written, and between lines."""


def shown() -> Report:
    """Reports on standard error: each in place of the one before on a terminal, else a line at most every ``EACH`` seconds."""
    if sys.stderr is None:
        return quiet
    return _show if sys.stderr.isatty() else _Lines()


def _show(fraction: float, text: str) -> None:
    end = "\n" if fraction >= 1 else "\r"  # what is printed next is written over it
    print(f"\r\033[K{fraction:4.0%} {text[:100]}", end=end, file=sys.stderr, flush=True)


class _Lines:
    """Whole lines, so that a log or a notebook does not fill up, and does not stay silent either."""

    def __init__(self) -> None:
        self._next = time.monotonic() + FIRST

    def __call__(self, fraction: float, text: str) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EACH
            print(f"{fraction:4.0%} {text[:100]}", file=sys.stderr, flush=True)
