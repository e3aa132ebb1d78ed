"""What is found out about an upload before anything of it is in play; none of it touches the session."""

from __future__ import annotations

from dataclasses import dataclass

from rrcore.table import Guess, Layout, MixedEncodingError, OpenFile, TextTable, UnevenRowsError, guess_layout, open_file


@dataclass(frozen=True, eq=False)
class Opened:
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


def open_upload(data: bytes, name: str, encoding: str = "") -> Opened | Undecided:
    """Look at an upload, and read it where it is certain where its table is; ``encoding`` decides where that is in doubt.

    Raises InputError where it cannot be read.
    """
    try:
        file = open_file(data, name, encoding)
    except MixedEncodingError as error:
        return Undecided(data, name, error)
    guess = guess_layout(file)
    opened = Opened(file, guess)
    return read_upload(opened, guess.layout) if guess.sure and guess.export is None else opened


def read_upload(opened: Opened, layout: Layout) -> Opened:
    """Read the table that stands there. Raises InputError where it cannot be read."""
    try:
        return Opened(opened.file, opened.guess, layout, opened.file.read(layout))
    except UnevenRowsError as error:
        return Opened(opened.file, opened.guess, layout, uneven=error)
