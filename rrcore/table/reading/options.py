"""How a file is read: one value that holds every answer to a question about a file, and what a file shows before it is read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np

from rrcore.arrays import Codes, code_type
from rrcore.errors import InputError
from rrcore.progress import Report, quiet
from rrcore.table.source import Source, check_rows
from rrcore.table.text_table import TextColumn, TextTable, in_order

GROUPED = re.compile(r"[+-]?\d{1,3}([.,]\d{3})+([.,]\d+)?|[+-]?\d+([.,]\d*)?")
"""A number, perhaps with signs between its thousands."""

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
        """Names of the columns, from the cells of the first row. A column that is left out is called by its number meanwhile."""
        if self.header and not self.names:
            return list(found)
        return [name or f"Column {number}" for number, name in enumerate(self.names if self.header else [""] * len(found), 1)]


class Preview(Protocol):
    """What a file shows before it is read; by default nothing, as of formats that know the names of their columns."""

    @property
    def sheets(self) -> tuple[str, ...]:
        """Names of the sheets that hold cells; of anything but a workbook none."""
        return ()

    def head(self, sheet: str = "") -> Sequence[Row]:
        """The first rows that are not blank, at most ``HEAD_ROWS``."""
        return ()


class TableFile(Preview, Protocol):
    """A file whose format is known: what it shows before it is read, and its records."""

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        """The records. A damaged file may raise any exception."""


def refined(table: TextTable, options: ReadOptions) -> TextTable:
    """Return the table without nameless columns, totals and missing codes, with decimal points, and with a row for each person.

    Raises
    ------
    InputError
        If an option names a column that does not exist, or counts are not whole numbers.
    """
    nameless = {f"Column {number}" for number, name in enumerate(options.names, 1) if not name}
    columns = [column for column in table.columns if column.name not in nameless]
    if options.totals:
        check_rows(table.n - options.totals)
        columns = [taken(column, column.codes[: -options.totals]) for column in columns]
    table = replace(table, columns=tuple(_reworded(column, options) for column in columns))
    beside = [table.column(name).name for name in (options.counts, options.weights) if name not in ("", "none")]
    columns = [column for column in table.columns if column.name not in beside]
    if not columns:
        raise InputError(f"'{beside[0]}' is the only column: a table has at least one question beside it.")
    if options.counts in beside:
        people = _people(table.column(options.counts))
        columns = [taken(column, np.repeat(column.codes, people)) for column in columns]
    return replace(table, columns=tuple(columns))


def taken(column: TextColumn, codes: Codes, texts: Sequence[str | None] = ()) -> TextColumn:
    """Return the column with the rows that have these ``codes``, and ``texts`` in place of its values; None is missing."""
    texts = texts or column.values
    used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(texts))).tolist()
    found = list({text for code in used if (text := texts[code]) is not None})
    values = tuple(found[i] for i in in_order(found))
    place = {text: number for number, text in enumerate(values)}
    code_of = np.array([*(place.get(text or "", -1) for text in texts), -1], code_type(len(values)))
    return replace(column, codes=code_of[codes], values=values)


def _reworded(column: TextColumn, options: ReadOptions) -> TextColumn:
    """The column without missing codes, and with numbers as ``to_numbers`` reads them if all its texts are numbers."""
    texts = [None if text in options.missing_codes else text for text in column.values]
    if options.decimal and all(text is None or GROUPED.fullmatch(text) for text in texts):
        other = "." if options.decimal == "," else ","
        texts = [text and text.replace(other, "").replace(options.decimal, ".") for text in texts]
    return column if tuple(texts) == column.values else taken(column, column.codes, texts)


def _people(column: TextColumn) -> Codes:
    """How many people each row stands for, by a column of counts."""
    if column.missing or not all(re.fullmatch(r"\d{1,9}(\.0*)?", text) for text in column.values):
        raise InputError(f"Expected a whole number of people in every row of '{column.name}'.")
    people = np.array([int(float(text)) for text in column.values])[column.codes]
    check_rows(int(people.sum()))
    return people
