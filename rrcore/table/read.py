"""Any table an analyst has at hand as a Dataset: a file, or a data frame of any library, by the rules the Data page starts from."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Literal

from rrcore.errors import InputError, reading
from rrcore.limits import MAX_CATEGORIES
from rrcore.table.dataset import Dataset
from rrcore.table.describe import describe
from rrcore.table.mark import marked_title, marks_in, take_mark
from rrcore.table.reading import TextTable, UnevenRowsError, open_file
from rrcore.table.reading.arrow import ArrowStream, read_arrow
from rrcore.table.reading.exports import Export
from rrcore.table.reading.guess import guess_last_rows, guess_layout
from rrcore.table.recoding import default_rule, recode
from rrcore.table.rule import ColumnRule
from rrcore.table.schema import Schema

ABOUT_THE_INTERVIEW = "(about the interview, or a copy of other columns)"
"""In place of a question's wording: why a column of an export is not in play at first."""


def read_table(
    source: str | PathLike[str] | bytes | ArrowStream,
    *,
    columns: Iterable[str] | Schema | None = None,
    title: str = "",
    header: bool | None = None,
    sheet: str = "",
    totals: bool | None = None,
    uneven: bool | None = None,
    encoding: str = "",
) -> Dataset:
    """Read a table of answers, one row for each person.

    Numbers of many kinds fall into a few intervals with rounded edges and open ends (``rounded_edges``), missing values become a category,
    and identifiers, constants and columns of too many texts are left out. Categorical columns keep their declared categories in their
    order. Other categories are those that occur, so whoever reads their names, in a plan or a mechanism file, learns which those are:
    declare what could have been answered with a Schema.

    Parameters
    ----------
    source : path, bytes or data frame
        CSV and its cousins, XLSX or Parquet; or a table of pandas, polars, pyarrow or any library with ``__arrow_c_stream__``.
    columns : names, Schema or None
        The columns to take, in this order; with a Schema also their categories. None takes all that can be attributes.
    title : what the table is called; the name of the file by default
    header : whether the first row of a file holds names; None finds out, and refuses where that is not certain
    sheet : the sheet of a workbook; needed where several hold cells
    totals : whether last rows that look like totals are people; needed where there are such
    uneven : False leaves out rows with more or fewer values than there are columns; needed where there are such
    encoding : "mixed" reads as Windows-1252 what is not UTF-8, "latin-1" the whole text; needed where a text is UTF-8 in some places only

    Raises
    ------
    InputError
        With one sentence: what cannot be read, or which column cannot be an attribute and why.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import rrcore as rr
    >>> frame = pa.table({"smokes": ["no", "yes", "no", None], "age": [31, 45, 31, 60]})
    >>> table = rr.read_table(frame, columns=["age", "smokes"])
    >>> table.schema.names, table.schema.attributes[1].categories
    (('age', 'smokes'), ('no', 'yes', '(missing)'))
    """
    rules: dict[str, ColumnRule] = {}
    if isinstance(source, str | PathLike | bytes):
        content = (source, "table") if isinstance(source, bytes) else read_path(source)
        table, rules = read_file(*content, header=header, sheet=sheet, totals=totals, uneven=uneven, encoding=encoding)
    elif hasattr(source, "__arrow_c_stream__"):
        table, rules = _read_frame(source)
    else:
        raise InputError(
            f"A table was expected and a {type(source).__name__} was given: give a path, bytes, or a table of pandas, polars or pyarrow."
        )
    table = replace(table, title=marked_title(title, marks_in([table.title])) if title else table.title)
    if isinstance(columns, Schema):
        return recode(table, {a.name: ColumnRule(kind=a.kind, categories=a.categories) for a in columns.attributes}).select(
            columns.names
        )
    return read_columns(table, first_rules(table) | rules, columns)


def _read_frame(source: ArrowStream) -> tuple[TextTable, dict[str, ColumnRule]]:
    """The table of a data frame, and rules for those of its columns that declare their categories."""
    found, declared = read_arrow(source)
    if not found.columns:
        raise InputError(
            next(iter(found.left_out.values()), "The table has no columns: give one with a column for each question.")
        )
    rules = {
        name: ColumnRule(kind="ordinal" if ordered else "nominal", categories=categories)
        for name, (categories, ordered) in declared.items()
        if 2 <= len(categories) <= MAX_CATEGORIES
    }
    return _marked(TextTable(tuple(found.columns), "table", left_out=tuple(found.left_out.values()), mark=found.beside)), rules


def read_file(
    data: bytes,
    filename: str,
    *,
    header: bool | None = None,
    sheet: str = "",
    totals: bool | None = None,
    uneven: bool | None = None,
    encoding: str = "",
) -> tuple[TextTable, dict[str, ColumnRule]]:
    """The table of a file, and the first rule of each of its columns; nothing that is in doubt is decided here.

    Parameters
    ----------
    data, filename : as in ``open_file``
    header, sheet, totals, uneven, encoding : as in ``read_table``

    Raises
    ------
    InputError
        With one sentence, also where it is not certain what the first row holds, which sheet is meant, or whether last rows are people.
    """
    file = open_file(data, filename, encoding)
    found = guess_layout(file, sheet=sheet)
    if len(file.content.sheets) > 1 and not sheet:
        raise InputError(f"{found.why} Say which one is meant, with 'sheet'.", quoted=found.why)
    if header is None and not found.sure:
        raise InputError(
            f"{found.why} Write names above the columns, or say whether they are there, with 'header' yes or no.",
            quoted=found.why,
        )
    layout = found.layout if header is None else replace(found.layout, names=header, skip=found.layout.skip if header else 0)
    layout = replace(layout, leave_uneven=uneven is False)
    try:
        table = file.read(layout)
    except UnevenRowsError as error:
        them = "it" if error.rows == 1 else "them"
        raise UnevenRowsError(f"{error} Or leave {them} out, with 'uneven' drop.", quoted=error.quoted, rows=error.rows) from None
    last = guess_last_rows(table)
    if last and totals is None:
        text = next(column.values[column.codes[-1]] for column in table.columns if column.codes[-1] >= 0)
        raise InputError(
            f"The last row, '{text[:40]}', looks like a total and not like a person. Say which, with 'totals' keep or drop."
        )
    if last and not totals:
        table = file.read(replace(layout, leave_last=last))
    return read_as_export(table, found.export if layout.names else None)


def read_as_export(table: TextTable, export: Export | None) -> tuple[TextTable, dict[str, ColumnRule]]:
    """The table and its first rules; of an ``export`` with plainer names, without what is about the interview.

    A simulation keeps its mark in the title of the table, and so wherever that is taken for true answers.
    """
    table = _marked(table)
    if export is None:
        return table, first_rules(table)
    questions = export.questions | dict.fromkeys(export.interview, ABOUT_THE_INTERVIEW)
    asked = tuple(replace(c, question=c.question or questions.get(c.name, "")) for c in table.columns)
    left_out = {export.names.get(name, name) for name in export.interview}
    table = replace(table, columns=asked).renamed(export.names)
    rules = first_rules(table)
    return table, {name: replace(rule, use=rule.use and name not in left_out) for name, rule in rules.items()}


def _marked(table: TextTable) -> TextTable:
    """The table without columns that mark a simulation, and the mark in its title."""
    kept, mark = take_mark(table)
    return replace(kept, title=marked_title(kept.title, mark))


def first_rules(table: TextTable) -> dict[str, ColumnRule]:
    """The rule of each column that the Data page starts from."""
    return {column.name: default_rule(column, table.n) for column in table.columns}


def read_columns(
    table: TextTable,
    rules: Mapping[str, ColumnRule],
    names: Iterable[str] | None,
    *,
    missing: Literal["category", "drop"] = "category",
) -> Dataset:
    """The named columns of ``table`` in this order, or all that ``rules`` use; refuses a named one that cannot be an attribute."""
    wanted = list(names) if names is not None else [name for name, rule in rules.items() if rule.use]
    for column in (table.column(name) for name in wanted):
        if not rules[column.name].use:
            (summary,) = describe(replace(table, columns=(column,)))
            reason = " ".join(f"{warning.message} {warning.action}" for warning in summary.warnings[:1])
            raise InputError(f"The column '{column.name}' cannot be an attribute. {reason or 'Choose another column.'}")
    return recode(table, {name: replace(rules[name], missing=missing) for name in wanted}).select(wanted)


def read_path(source: str | PathLike[str]) -> tuple[bytes, str]:
    """The content of a file and its name. Raises InputError where it cannot be read."""
    path = Path(source)
    with reading(path):
        return path.read_bytes(), path.name
