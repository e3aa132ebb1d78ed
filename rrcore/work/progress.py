"""How long-running work reports its progress, and how it is stopped."""

from collections.abc import Callable

Report = Callable[[float, str], None]
"""Called with the fraction done (0 to 1) and a few words. It may raise to stop the work: builders let that through."""


def quiet(fraction: float, text: str) -> None:
    """Report to nobody."""


def part(report: Report, done: int, of: int, about: str = "") -> Report:
    """A report for one of ``of`` parts of the work, ``done`` of which are finished; it says what the part is ``about`` first.

    Examples
    --------
    >>> from rrcore.work import part
    >>> part(print, 1, 4, "Plan 2")(0.5, "solving")
    0.375 Plan 2: solving
    """
    return lambda fraction, text: report((done + min(fraction, 1.0)) / of, ": ".join(filter(None, (about, text))))
