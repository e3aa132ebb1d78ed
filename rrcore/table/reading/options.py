"""Options for reading a file, and what they make of its table."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, get_type_hints

import msgspec
import numpy as np

from rrcore.arrays import Codes, code_type
from rrcore.errors import InputError
from rrcore.progress import Report, quiet
from rrcore.table.source import Source, check_rows, refuse
from rrcore.table.text_table import TextColumn, TextTable, in_order
from rrcore.wording.short import some

GROUPED = re.compile(r"[+-]?\d{1,3}([.,]\d{3})+([.,]\d+)?|[+-]?\d+([.,]\d*)?")
"""A number, perhaps with signs between its thousands."""

Row = tuple[int, tuple[str, ...]]
"""The number of a row in its file, from 1, and its cells without surrounding spaces."""


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file.

    Python, the command line and page Data use the same names.

    Parameters
    ----------
    sheet : str
        The sheet of a workbook. "" selects the first one.
    start : int
        Number of the first row of the table, from 1. 0 selects the first row that is not blank.
    header : bool
        If True, that row contains the names of the columns. Otherwise, it contains answers, and the columns are called Column 1,
        Column 2, ...
    skip : int
        Number of rows below the names without answers, such as the two rows that Qualtrics adds.
    names : tuple of str
        Names that replace those in the file. "" leaves a column out.
    encoding : str
        The encoding of a text: any encoding known to Python, or "mixed" for UTF-8 and Windows-1252. "" detects the encoding.
    uneven : "drop" or ""
        Whether to leave out rows whose number of values differs from the number of names. Without "drop", such rows raise an error.
    totals : int
        Number of rows at the end without answers, such as totals.
    counts : str
        The column with the number of people that each row represents. "" if each row is one person.
    weights : str
        A column of sampling weights. It is not an answer and is left out.
    missing_codes : tuple of str
        Texts that denote a missing answer in every column.
    decimal : "," or "." or ""
        The decimal sign of numbers. The other sign groups thousands. By default, a comma is the decimal sign if no number contains
        a point.

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
        """Return names of columns from the cells of the first row.

        A column that is left out is temporarily named by its number.
        """
        if self.header and not self.names:
            return list(found)
        return [name or f"Column {number}" for number, name in enumerate(self.names if self.header else [""] * len(found), 1)]


def options_of_texts(texts: Mapping[str, str]) -> dict[str, Any]:
    """Parse options given as text.

    An example is {"header": "yes", "skip": "2", "missing_codes": "-99,refused"}.

    Parameters
    ----------
    texts : mapping of names to strings
        Fields of ``ReadOptions``, or "fix_names".

    Raises
    ------
    InputError
        If a string is not a valid value of its option.
    """
    types, found = {**get_type_hints(ReadOptions), "fix_names": bool}, dict[str, Any]()
    for name, text in texts.items():
        kind = types.get(name, str)
        several = tuple(part.strip() for part in text.split(","))
        value = several if kind == tuple[str, ...] else {"yes": True, "no": False}.get(text, text)
        try:
            found[name] = msgspec.convert(value, kind, strict=False)
        except msgspec.ValidationError:
            raise InputError(f"'{text[:40]}' is not a valid value of the option '{name}'. Use another value.") from None
    return found


@dataclass(frozen=True, eq=False)
class FirstRows:
    """The parts of a file that are visible before reading.

    Parameters
    ----------
    heads : maps each sheet with cells, or "" for a file without sheets, to its first rows that are not blank
    """

    heads: Mapping[str, Sequence[Row]]

    @property
    def sheets(self) -> tuple[str, ...]:
        """Names of the sheets that contain cells, empty except for workbooks."""
        return tuple(filter(None, self.heads))

    def head(self, sheet: str = "") -> Sequence[Row]:
        """Return the first rows of a sheet, by default of the first sheet.

        Raises InputError if there is no such sheet.
        """
        if self.sheets and sheet and sheet not in self.sheets:
            refuse(f"There is no sheet '{sheet[:40]}' with cells.", f"Choose one of {some(self.sheets, 20)}.", quoted=sheet[:40])
        return self.heads[sheet if self.sheets and sheet else next(iter(self.heads))]


class TableFile(Protocol):
    """A file of a known format, with its first rows and its records."""

    @property
    def heads(self) -> Mapping[str, Sequence[Row]]:
        """The first rows of each sheet, at most ``HEAD_ROWS``, as in ``FirstRows``.

        There are none if the format itself stores the names.
        """
        return {"": ()}

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        """Return the records. A damaged file can raise any exception."""


def refined(table: TextTable, options: ReadOptions) -> TextTable:
    """Return the table after applying the options that refine it.

    Unnamed columns, totals and missing codes are removed. Decimal points are normalized, and the result has one row per person.

    Raises
    ------
    InputError
        If an option refers to a column that does not exist, or counts are not whole numbers.
    """
    nameless = {f"Column {number}" for number, name in enumerate(options.names, 1) if not name}
    columns = [column for column in table.columns if column.name not in nameless]
    if options.totals:
        check_rows(table.n - options.totals)
        columns = [taken(column, column.codes[: -options.totals]) for column in columns]
    table = replace(table, columns=tuple(_reworded(column, options) for column in columns))
    extra = [table.column(name).name for name in (options.counts, options.weights) if name not in ("", "none")]
    columns = [column for column in table.columns if column.name not in extra]
    if not columns:
        raise InputError(f"The only column is '{extra[0]}'. Add at least one column of answers.")
    if options.counts in extra:
        people = _people(table.column(options.counts))
        columns = [taken(column, np.repeat(column.codes, people)) for column in columns]
    return replace(table, columns=tuple(columns))


def taken(column: TextColumn, codes: Codes, texts: Sequence[str | None] = ()) -> TextColumn:
    """Return the column with the rows that have these ``codes``.

    The values are replaced by ``texts``, where None is missing.
    """
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
        raise InputError(f"Expected a whole number of people in every row of '{column.name}'. Choose another column of counts.")
    people = np.array([int(float(text)) for text in column.values])[column.codes]
    check_rows(int(people.sum()))
    return people
