"""An upload is looked at, and read at once where it is certain where its table is."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rrcore.progress import Report, quiet
from rrcore.table.reading.columns import UnevenRowsError
from rrcore.table.reading.encoding import MixedEncodingError
from rrcore.table.reading.file import OpenFile, open_file
from rrcore.table.reading.guess import Guess, guess_layout
from rrcore.table.reading.layout import Layout
from rrcore.table.reading.text_table import TextTable


@dataclass(frozen=True, eq=False)
class InspectedFile:
    """A file that was looked at, and read where nothing about it is in doubt.

    Parameters
    ----------
    file, guess : what it is, and where its table may be
    layout : where the table was looked for, None where that is in doubt
    table : what was found there
    uneven : instead, that rows have too many or too few values
    """

    file: OpenFile
    guess: Guess
    layout: Layout | None = None
    table: TextTable | None = None
    uneven: UnevenRowsError | None = None

    def holding(self, data: bytes) -> InspectedFile:
        """The same with the bytes of the file, which the functions of this module leave out: whoever asked them has these."""
        return replace(self, file=replace(self.file, data=data))


@dataclass(frozen=True, eq=False)
class Undecided:
    """A text that is UTF-8 in some places and not in others, so that nothing of it is known before its encoding is.

    Parameters
    ----------
    data, name : what was chosen
    doubt : examples of what either choice reads
    """

    data: bytes
    name: str
    doubt: MixedEncodingError


def inspect_upload(data: bytes, name: str, encoding: str = "", *, report: Report = quiet) -> InspectedFile | Undecided:
    """Look at an upload, and read it where it is certain where its table is; ``encoding`` decides where that is in doubt.

    Raises InputError where it cannot be read.
    """
    try:
        file = open_file(data, name, encoding)
    except MixedEncodingError as error:
        return Undecided(data, name, error)
    guess = guess_layout(file)
    opened = InspectedFile(file, guess)
    return read_upload(opened, guess.layout, report=report) if guess.sure and guess.export is None else opened.holding(b"")


def read_upload(opened: InspectedFile, layout: Layout, *, report: Report = quiet) -> InspectedFile:
    """Read the table that stands there. Raises InputError where it cannot be read."""
    bare = InspectedFile(opened.file, opened.guess, layout).holding(b"")
    try:
        return replace(bare, table=opened.file.read(layout, report))
    except UnevenRowsError as error:
        return replace(bare, uneven=error)
