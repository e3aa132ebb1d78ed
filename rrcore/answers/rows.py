"""Convert rows of tables, exports or form lines to codes, and reject others.

The result for a row depends only on the row and its mechanism file. It is the same whether a table is read as a whole or in
batches.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rrcore.answers.json_lines import UNUSABLE, FormLines, Question, read_lines
from rrcore.answers.unrandomized import check_extra
from rrcore.arrays import Booleans, Codes, code_type
from rrcore.errors import InputError
from rrcore.mark import RELEASE, marks_in
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.name_matching import answer_lookup, column_names
from rrcore.table.dataset import codes_of
from rrcore.table.opening import open_file
from rrcore.table.reading.arrow import bytes_left_out
from rrcore.table.reading.exports import Export, find_export
from rrcore.table.reading.options import ReadOptions
from rrcore.table.recoding import default_rule
from rrcore.table.scanning import GONE, Lookup
from rrcore.table.schema import Attribute
from rrcore.table.source import Batch, Source
from rrcore.table.text_table import TextColumn, TextTable

_TEXTS = {
    "Qualtrics": "Choose 'Use choice text' when you export from Qualtrics",
    "KoboToolbox": "Choose 'XML values and headers' when you export from KoboToolbox",
}

_FIRST_LINES = 100  # of a form, that are looked at for the names of their columns

HANDED_IN = "an answer that was handed in before"
"""Why a second copy of an answer is left out."""

NO_ANSWER = "no answer to"
"""Beginning of the reason for leaving out a row without an answer."""

LeftOut = tuple[str, int, int]
"""Reason for leaving out rows, their number, and the number of the first, from 1."""


@dataclass(frozen=True, eq=False)
class AnswerRows:
    """Rows of answers as codes.

    Parameters
    ----------
    codes : ndarray of shape (n, k), integer: -1 for a missing answer, -2 in a row that cannot be used
    groupings : the unrandomized columns of these rows
    left : reasons for leaving out rows
    unmatched : answers in used rows that count as missing because they match no report of the attribute
    """

    codes: Codes
    groupings: tuple[TextColumn, ...] = ()
    left: tuple[LeftOut, ...] = ()
    unmatched: tuple[LeftOut, ...] = ()

    def usable(self) -> AnswerRows:
        """Return the rows that have an answer and can be used."""
        if not self.codes.size or self.codes.min() >= 0:
            return self
        rows = np.flatnonzero((self.codes >= GONE).all(axis=1) & (self.codes > GONE).any(axis=1))
        return AnswerRows(self.codes[rows], tuple(replace(each, codes=each.codes[rows]) for each in self.groupings))


def rows_of_table(
    table: TextTable, export: Export | None, name: str, mechanism: MechanismFile, *, whole: bool = False
) -> AnswerRows:
    """Return the rows of a table without trailers and marks.

    An answer that matches no report of its attribute counts as missing. A row without any answer is left out.

    Parameters
    ----------
    table : TextTable of all rows or of consecutive rows, which are numbered within the table
    export : information about the tool that wrote the table
    name : name of the file in messages
    mechanism : MechanismFile
    whole : whether the columns list the values of the whole table

    Raises
    ------
    InputError
        If a column is missing.
    """
    schema = mechanism.reports
    names = column_names(table.names, schema, name, export=export)
    unused = {*names, *(export.interview if export else ())}
    groupings = tuple(column for column in table.columns if column.name not in unused)
    codes = np.full((table.n, len(names)), GONE, dtype=code_type(max(schema.sizes)), order="F")
    for i, (attribute, column) in enumerate(zip(schema.attributes, map(table.column, names), strict=True)):
        lookup = answer_lookup(attribute, true=False, values=column.values if whole else None)
        if export is not None:
            check_words(attribute, column, lookup, export, name)
        code_of = np.array([*lookup.codes(column.values), lookup.missing], dtype=codes.dtype)
        np.take(code_of, column.codes, out=codes[:, i], mode="wrap")
    if not codes.size or codes.min() >= 0:
        return AnswerRows(codes, groupings)
    wrong: Booleans = codes == UNUSABLE
    empty: Booleans = np.asarray((codes < 0).all(axis=1))
    codes[wrong] = GONE
    unknown = [_unknown(attribute, mechanism) for attribute in schema.attributes]
    what = f"'{schema.names[0]}'" if len(names) == 1 else "any question"
    left, unmatched, open_ = [], [], empty.copy()
    for i, reason in enumerate(unknown):
        hit = np.asarray(wrong[:, i], np.bool_)
        left += _found(reason, hit & open_)
        unmatched += _found(reason, hit & ~empty)
        open_ &= ~hit
    return AnswerRows(codes, groupings, (*left, *_found(f"{NO_ANSWER} {what}", open_)), tuple(unmatched))


def _found(reason: str, rows: Booleans) -> list[LeftOut]:
    """The rows as one entry, if there are any."""
    return [(reason, int(rows.sum()), int(rows.argmax()) + 1)] if rows.any() else []


def _unknown(expected: Attribute, mechanism: MechanismFile) -> str:
    what = "categories" if expected in mechanism.schema.attributes else "reports"
    return f"an answer to '{expected.name}' that is not one of its {what}"


def rows_of_lines(content: bytes, name: str, mechanism: MechanismFile, receipts: set[str]) -> AnswerRows:
    """Return the rows of form lines.

    Receipts of used lines are added to ``receipts``.
    """
    questions = [Question(each.name, codes_of(each), _unknown(each, mechanism)) for each in mechanism.reports.attributes]
    found = read_lines(content, name, mechanism.sha256, questions)
    codes, again = found.codes, []
    for row, receipt in enumerate(found.receipts):
        if receipt is not None and receipt in receipts:
            again.append(row)
        elif receipt is not None:
            receipts.add(receipt)
    codes[again] = UNUSABLE
    left = [*found.rejected, *([(HANDED_IN, len(again), int(found.numbers[again[0]]))] if again else [])]
    return AnswerRows(codes, found.extra, tuple(left))


def batch_columns(
    stream: Source, mechanism: MechanismFile, wanted: Sequence[str] | None, export: Export | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns to read from a table in batches, and the unrandomized ones.

    The function reads the columns of the survey's questions, and of the others those that are ``wanted``, or all.

    Raises
    ------
    InputError
        If a question has no column, or a wanted column does not exist.
    """
    reports = mechanism.reports
    names = tuple(name for name in stream.names if name != RELEASE and (name in reports.names or not marks_in([name])))
    answers = column_names(names, reports, stream.title, export=export, left_out=stream.left_out)
    unused = {*answers, *(export.interview if export else ())}
    extra = tuple(name for name in names if name not in unused)
    stream.check(name for name in wanted or () if name in stream.left_out)
    check_extra(wanted or (), extra)
    unread = () if wanted is None else set(extra) - set(wanted)
    return tuple(name for name in names if name in answers or (name in extra and name not in unread)), extra


def columns_of_lines(lines: FormLines, mechanism: MechanismFile) -> tuple[str, ...]:
    """Return the unrandomized columns of form lines, as in the first lines."""
    content, _ = next(lines.parts(), (b"", 0))
    first = b"\n".join(content.split(b"\n", _FIRST_LINES)[:_FIRST_LINES])
    return tuple(column.name for column in rows_of_lines(first, lines.title, mechanism, set()).groupings)


def text_table(batch: Batch) -> TextTable:
    """Return a batch as a table of strings.

    The values of a column can be repeated and unsorted.
    """
    return TextTable(tuple(_texts(name, batch.column(name)) for name in batch.schema.names))


def _texts(name: str, column: Any) -> TextColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_binary(column.dictionary.type):
        raise InputError(bytes_left_out(name))
    values = pc.utf8_trim_whitespace(column.dictionary).to_pylist()
    if all(values) and not column.null_count:
        return TextColumn(name, column.indices.to_numpy(), tuple(values))
    place = np.array([*(number if value else -1 for number, value in enumerate(values)), -1], code_type(len(values)))
    indices = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return TextColumn(name, place[indices], tuple(value or "" for value in values))


def open_export(content: bytes, name: str, encoding: str = "") -> tuple[TextTable, Export | None]:
    """Return the table in a file of answers and information about the survey tool.

    The first row has names. Values are replaced by their labels, and rows that are not people are left out. ``encoding`` is as
    in ``ReadOptions``.
    """
    file = open_file(content, name, encoding)
    export = find_export([cells for _, cells in file.content.head()])
    options = ReadOptions(skip=export.skip, names=export.header, encoding=encoding) if export else None
    return with_labels(file.read(options)), export


def with_labels(table: TextTable, numbers: Collection[str] = ()) -> TextTable:
    """Replace values by their labels, except in the columns ``numbers``."""
    columns = (_labeled(each) if each.labels and each.name not in numbers else each for each in table.columns)
    return replace(table, columns=tuple(columns))


def _labeled(column: TextColumn) -> TextColumn:
    rule = default_rule(column)
    called, marks = dict(rule.labels), rule.marks
    texts = [None if value in marks else called.get(value, value) for value in column.values]
    values = tuple(dict.fromkeys(text for text in texts if text is not None))
    place = {text: code for code, text in enumerate(values)}
    code_of = np.array([*(-1 if text is None else place[text] for text in texts), -1])
    return TextColumn(column.name, code_of[column.codes], values)


def check_words(attribute: Attribute, column: TextColumn, lookup: Lookup, export: Export, name: str) -> None:
    """Reject columns in which a survey tool's codes have no known words.

    Raises
    ------
    InputError
        If a column contains only codes that match no category. The message explains how to export words.
    """
    used = [column.values[code] for code in sorted(set(column.codes[column.codes >= 0].tolist()))]
    if used and max(lookup.codes(used)) < 0:
        have, categories = (", ".join(f"'{word[:30]}'" for word in words[:4]) for words in (used, attribute.categories))
        raise InputError(
            f"In the file '{name}', the column '{column.name[:60]}' contains {have}. Expected {categories}. "
            f"{_TEXTS[export.tool]}.",
            quoted=have,
        )
