"""How long-running work reports its progress, and how it is stopped."""

from __future__ import annotations

from collections.abc import Callable

Report = Callable[[float, str], None]
"""Called with the fraction done (0 to 1) and a few words. It may raise to stop the work: builders let that through."""


def quiet(fraction: float, text: str) -> None:
    """Report to nobody."""
