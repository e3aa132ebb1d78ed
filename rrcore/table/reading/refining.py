"""What is done with a table of texts by its ``ReadOptions`` once its cells are read."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rrcore.arrays import Codes, code_type
from rrcore.errors import InputError
from rrcore.table.reading.columns import check_rows
from rrcore.table.reading.options import ReadOptions
from rrcore.table.reading.text_table import TextColumn, TextTable, to_numbers

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
