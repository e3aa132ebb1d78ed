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
from rrcore.table.text_table import TextColumn, TextTable, to_numbers

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


GROUPED = re.compile(r"[+-]?\d{1,3}([.,]\d{3})+([.,]\d+)?|[+-]?\d+([.,]\d*)?")
"""A number, perhaps with signs between its thousands."""


def refined(table: TextTable, options: ReadOptions) -> TextTable:
    """The table without nameless columns, totals and missing codes, with decimal points, and with a row for each person.

    Raises
    ------
    InputError
        If an option names a column that does not exist, or counts are not whole numbers.
    """
    columns, notes = table.columns, list(table.notes)
    nameless = {f"Column {number}" for number, name in enumerate(options.names, 1) if not name}
    if nameless:
        full = [column.name for column in columns if column.name in nameless and column.values]
        notes += [f"{name} has no name and was left out." for name in full]
        columns = tuple(column for column in columns if column.name not in nameless)
    if options.totals:
        check_rows(table.n - options.totals)
        columns = tuple(taken(column, column.codes[: column.n - options.totals]) for column in columns)
        notes.append(f"The last {'row was' if options.totals == 1 else f'{options.totals} rows were'} left out.")
    if options.missing_codes:
        columns = tuple(_without(column, options.missing_codes) for column in columns)
    if options.decimal:
        columns = tuple(_with_points(column, options.decimal) for column in columns)
    if options.counts:
        people = _people(table.column(options.counts).name, columns)
        columns = tuple(
            taken(column, np.repeat(column.codes, people))
            for column in columns
            if column.name not in (options.counts, options.weights)
        )
        notes.append(f"Each row stands for as many people as '{options.counts}' says, {len(columns[0].codes):,} in all.")
    elif options.weights:
        weights = table.column(options.weights).name
        columns = tuple(column for column in columns if column.name != weights)
        notes.append(f"'{weights}' holds sampling weights and was left out.")
    return replace(table, columns=columns, notes=tuple(notes))


def taken(column: TextColumn, codes: Codes) -> TextColumn:
    """The column with the rows that have these ``codes``, without the values that occur in none of them."""
    kept = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(column.values)))
    return _recoded(column, codes, {int(code): column.values[code] for code in kept})


def _recoded(column: TextColumn, codes: Codes, texts: dict[int, str]) -> TextColumn:
    """The column with its codes written as ``texts``, in number or text order; a code without a text is missing."""
    values = sorted(set(texts.values()))
    numbers = to_numbers(values)
    if numbers is not None:
        values = [values[i] for i in np.argsort(numbers, kind="stable")]
    place = {value: number for number, value in enumerate(values)}
    position = np.full(len(column.values) + 1, -1, code_type(len(values)))
    for code, text in texts.items():
        position[code] = place[text]
    return replace(column, codes=position[codes], values=tuple(values))


def _without(column: TextColumn, marks: Sequence[str]) -> TextColumn:
    """The column in which these texts are missing answers."""
    if not set(marks) & set(column.values):
        return column
    return _recoded(column, column.codes, {code: text for code, text in enumerate(column.values) if text not in marks})


def _with_points(column: TextColumn, decimal: str) -> TextColumn:
    """The column with numbers written as to_numbers reads them, if all its texts are numbers."""
    other = "." if decimal == "," else ","
    if not any("," in text or "." in text for text in column.values) or not all(map(GROUPED.fullmatch, column.values)):
        return column
    plain = {code: text.replace(other, "").replace(decimal, ".") for code, text in enumerate(column.values)}
    return _recoded(column, column.codes, plain)


def _people(name: str, columns: Sequence[TextColumn]) -> Codes:
    """How many people each row stands for, by the column called ``name``."""
    if len(columns) < 2:
        raise InputError(f"'{name}' is the only column: a table of counts has at least one question beside it.")
    (column,) = (each for each in columns if each.name == name)
    numbers = to_numbers(column.values)
    wrong = next(
        (text for text in column.values if not re.fullmatch(r"\d+(\.0*)?", text)), "an empty cell" if column.missing else ""
    )
    if numbers is None or wrong:
        raise InputError(f"Expected whole numbers of people in '{name}', got {wrong[:40] or 'nothing'}.", quoted=wrong[:40])
    check_rows(int(numbers[column.codes].sum()))
    return numbers.astype(np.int64)[column.codes]
