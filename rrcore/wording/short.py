"""Show an object on one line instead of printing all its numbers."""

from collections.abc import Sequence
from textwrap import shorten
from typing import Any

_LONGEST = 200  # characters of such a line


class Short:
    """An object whose ``repr`` is one line: its class and its ``_summary``.

    Dataclasses that inherit from this class keep this ``repr``.
    """

    __slots__ = ()

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Short.__repr__  # type: ignore[method-assign]  # dataclasses make no other one then

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {shorten(self._summary(), _LONGEST, placeholder=' ...')}>"

    def _summary(self) -> str:
        raise NotImplementedError


def some(names: Sequence[object], most: int = 4) -> str:
    """Return the first names of a list, and the number of other names.

    Examples
    --------
    >>> from rrcore.wording.short import some
    >>> some(["a", "b"]), some("abcdef")
    ('a, b', 'a, b, c, d and 2 more')
    """
    text = ", ".join(str(name) for name in names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most:,} more"


def shortened(text: str, most: int = 40) -> str:
    """Return at most ``most`` characters of ``text``."""
    return text if len(text) <= most else f"{text[:most]}..."
