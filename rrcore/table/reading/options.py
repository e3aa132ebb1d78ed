"""How a file is read: one value that holds every answer to a question about a file, and what a file shows before it is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from rrcore.progress import Report, quiet
from rrcore.table.reading.piece import Source

Row = tuple[int, tuple[str, ...]]
"""The number of a row in its file, from 1, and its cells without surrounding spaces."""


@dataclass(frozen=True)
class ReadOptions:
    """How a file is read. Python, the command line and page Data use the same names.

    Parameters
    ----------
    sheet : str
        The sheet of a workbook; "" is the first one.
    start : int
        Number of the row that the table starts with, from 1; 0 is the first row that is not blank.
    header : bool
        Whether that row holds the names of the columns. Otherwise it is an answer, and they are called Column 1, Column 2, ...
    skip : int
        Rows below the names that hold no answers, such as the two that Qualtrics adds.
    names : tuple of str
        Names of the columns in place of those in the file; "" leaves a column out.
    encoding : str
        The encoding of a text, any that Python knows, or "mixed" for UTF-8 and Windows-1252; "" finds out.
    uneven : "drop" or ""
        "drop" leaves out rows with more or fewer values than there are names; without it there must be none.
    totals : int
        Rows at the end that hold no answers, such as totals.
    counts : str
        The column that says how many people each row stands for; "" if each row is one person.
    weights : str
        A column of sampling weights, which is not an answer and is left out.
    missing_codes : tuple of str
        Texts that mean a missing answer in every column.
    decimal : "," or "." or ""
        The decimal sign of numbers; the other one groups thousands. Without it a comma is a decimal sign if no number has a point.

    Examples
    --------
    >>> from rrcore.table import ReadOptions, read_text_table
    >>> read_text_table(b"f,no\\nm,yes\\nf,yes\\n", "survey.csv", ReadOptions(header=False)).names
    ('Column 1', 'Column 2')
    """

    sheet: str = ""
    start: int = 0
    header: bool = True
    skip: int = 0
    names: tuple[str, ...] = ()
    encoding: str = ""
    uneven: Literal["", "drop"] = ""
    totals: int = 0
    counts: str = ""
    weights: str = ""
    missing_codes: tuple[str, ...] = ()
    decimal: Literal["", ",", "."] = ""

    def called(self, found: Sequence[str]) -> list[str]:
        """Names of the columns, from the cells of the first row; a column that is left out is called by its number meanwhile."""
        if not self.header:
            return column_names(len(found))
        return [name or f"Column {number}" for number, name in enumerate(self.names, 1)] or list(found)


class Preview(Protocol):
    """What a file shows before it is read."""

    @property
    def sheets(self) -> tuple[str, ...]:
        """Names of the sheets that hold cells; of anything but a workbook none."""

    def head(self, sheet: str = "") -> Sequence[Row]:
        """The first rows that are not blank, at most ``HEAD_ROWS``; none where the format itself knows the names."""


class TableFile(Preview, Protocol):
    """A file whose format is known: what it shows before it is read, and its records."""

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        """The records. A damaged file may raise any exception."""


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
        """The encoding that was given, as in ``ReadOptions``."""

    @property
    def content(self) -> Preview: ...


def column_names(width: int) -> list[str]:
    """Names of columns that have none: Column 1, Column 2, ..."""
    return [f"Column {number}" for number in range(1, width + 1)]
