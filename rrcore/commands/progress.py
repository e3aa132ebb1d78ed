"""How far a command is, on a terminal."""

import sys

from rrcore.work import Report, quiet


def shown() -> Report:
    """Reports on standard error, each in place of the one before; nothing where that is no terminal."""
    return _show if sys.stderr is not None and sys.stderr.isatty() else quiet


def _show(fraction: float, text: str) -> None:
    end = "\n" if fraction >= 1 else "\r"  # what is printed next is written over it
    print(f"\r\033[K{fraction:4.0%} {text[:100]}", end=end, file=sys.stderr, flush=True)
