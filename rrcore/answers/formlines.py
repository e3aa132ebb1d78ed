"""A file of the lines that a form writes, however many they are: read a part at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rrcore.errors import InputError
from rrcore.limits import MAX_LINES_BYTES


@dataclass(frozen=True)
class FormLines:
    """JSON lines in a file.

    Parameters
    ----------
    path : str
    title : str, what the file is called
    """

    path: str
    title: str
    notes: tuple[str, ...] = ()

    def pieces(self) -> tuple[FormLines, ...]:
        """Itself: its parts are read one after the other, since a receipt counts once."""
        return (self,)

    def parts(self) -> Iterator[tuple[bytes, int]]:
        """Whole lines, some MB at a time, and how many they are.

        Raises
        ------
        InputError
            If the file cannot be read, or has a line that is longer than a part.
        """
        rest = b""
        try:
            with open(self.path, "rb") as file:
                while piece := file.read(MAX_LINES_BYTES):
                    whole, end, left = (rest + piece).rpartition(b"\n")
                    if not end and len(left) > MAX_LINES_BYTES:
                        raise InputError(
                            f"The file '{self.title}' has a line of more than {MAX_LINES_BYTES // 2**20} MB: leave it out."
                        )
                    rest = left
                    if end:
                        yield whole + end, whole.count(b"\n") + 1
        except OSError as error:
            raise InputError(f"The file '{self.title}' cannot be read ({error.strerror}): check its name and place.") from error
        if rest:
            yield rest, 1
