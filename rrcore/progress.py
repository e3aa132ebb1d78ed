"""Report the progress of long computations."""

from collections.abc import Callable

Report = Callable[[float, str], None]
"""Called with the fraction done (0 to 1) and a few words."""


def quiet(fraction: float, text: str) -> None:
    """Ignore progress."""


def part(report: Report, done: int, of: int, about: str = "") -> Report:
    """Return a report for one of ``of`` parts, ``done`` of which are finished.

    The report begins with the name of the part, ``about``.

    Examples
    --------
    >>> from rrcore.progress import part
    >>> part(print, 1, 4, "Plan 2")(0.5, "solving")
    0.375 Plan 2: solving
    """
    return lambda fraction, text: report((done + min(fraction, 1.0)) / of, ": ".join(filter(None, (about, text))))
