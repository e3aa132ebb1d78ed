"""Where in a file the table is, and what can be asked of a file before that is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rrcore.progress import Report, quiet
from rrcore.table.reading.columns import FoundColumns

Row = tuple[int, tuple[str, ...]]
"""The number of a row in its file, from 1, and its cells without surrounding spaces."""


@dataclass(frozen=True)
class Layout:
    """Where in a file the table is.

    Parameters
    ----------
    sheet : str, the sheet of a workbook; "" is the first one
    start : int, number of the row that the table starts with, from 1; 0 is the first row that is not blank
    names : bool, whether that row holds the names of the columns; else it is an answer, and they are called Column 1, Column 2, ...
    skip : int, rows below the names that hold no answers, such as the two that Qualtrics adds
    leave_last : int, rows at the end that hold no answers, such as totals
    leave_uneven : bool, whether rows with more or fewer values than there are names are left out; else there must be none
    encoding : str, what decides where a text is UTF-8 in some places and not in others: "mixed" reads as Windows-1252 only what is not
        UTF-8, "latin-1" all of it; without it there must be no such doubt

    Examples
    --------
    >>> from rrcore.table import Layout, read_text_table
    >>> read_text_table(b"f,no\\nm,yes\\nf,yes\\n", "survey.csv", Layout(names=False)).names
    ('Column 1', 'Column 2')
    """

    sheet: str = ""
    start: int = 0
    names: bool = True
    skip: int = 0
    leave_last: int = 0
    leave_uneven: bool = False
    encoding: str = ""


class Preview(Protocol):
    """What a file shows before it is read."""

    @property
    def sheets(self) -> tuple[str, ...]:
        """Names of the sheets that hold cells; of anything but a workbook none."""

    def head(self, sheet: str = "") -> Sequence[Row]:
        """The first rows that are not blank, at most ``HEAD_ROWS``; none where the format itself knows the names."""


class TableFile(Preview, Protocol):
    """A file whose format is known: what it shows before it is read, and its columns."""

    def read(self, layout: Layout, report: Report = quiet) -> FoundColumns:
        """Columns, and notes on how they were read. A damaged file may raise any exception."""


class NamedColumns:
    """What files show that know the names of their columns: nothing before they are read."""

    sheets: tuple[str, ...] = ()

    def head(self, sheet: str = "") -> tuple[Row, ...]:
        return ()


class Looked(Protocol):
    """A file that has been looked at but not read."""

    @property
    def kind(self) -> str:
        """What messages call it."""

    @property
    def encoding(self) -> str:
        """What decided on its encoding where that was in doubt, as in ``Layout``."""

    @property
    def content(self) -> Preview: ...


def column_names(width: int) -> list[str]:
    """Names of columns that have none: Column 1, Column 2, ..."""
    return [f"Column {number}" for number in range(1, width + 1)]
