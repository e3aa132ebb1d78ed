"""A file of the lines that a form writes, however many they are: read a part at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rrcore.errors import InputError, reading
from rrcore.limits import MAX_LINES_BYTES
from rrcore.table.opening import open_stream
from rrcore.table.source import Source


@dataclass(frozen=True)
class FormLines:
    """JSON lines in a file.

    Parameters
    ----------
    path : str
    title : str, what the file is called
    content : what is read instead of the file, if it is in memory
    """

    path: str
    title: str
    content: bytes = field(default=b"", repr=False)
    notes: tuple[str, ...] = ()

    def parts(self) -> Iterator[tuple[bytes, int]]:
        """Whole lines, some MB at a time, and how many they are.

        Raises
        ------
        InputError
            If the file cannot be read, or has a line that is longer than a part.
        """
        if self.content:
            yield self.content, self.content.count(b"\n") + 1
            return
        rest = b""
        with reading(self.title), open(self.path, "rb") as file:
            while piece := file.read(MAX_LINES_BYTES):
                whole, end, left = (rest + piece).rpartition(b"\n")
                if not end and len(left) > MAX_LINES_BYTES:
                    raise InputError(
                        f"The file '{self.title}' has a line of more than {MAX_LINES_BYTES // 2**20} MB: leave it out."
                    )
                rest = left
                if end:
                    yield whole + end, whole.count(b"\n") + 1
        if rest:
            yield rest, 1


def starts_as_lines(content: bytes) -> bool:
    """Whether ``content`` is not a table but JSON lines."""
    return content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def open_answers(place: Path, title: str, *, encoding: str = "") -> Source | FormLines:
    """Open collected answers of any size: a table or a folder of tables, or lines of the form, which are called ``title``.

    Raises
    ------
    InputError
        If it cannot be read, or is neither.
    """
    with reading(place):
        if place.is_file():
            with place.open("rb") as file:
                if starts_as_lines(file.read(99)):
                    return FormLines(str(place), title)
    return open_stream(place, encoding=encoding)
