"""The rows of a table, or the lines of a form, as codes of what is reported, with what is wrong with the others.

What a row becomes depends on nothing but the row and its mechanism file, whether a table is seen as a whole or batch by batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rrcore.answers.formlines import FormLines
from rrcore.answers.lines import UNUSABLE, Question, read_lines
from rrcore.answers.returned import check_words
from rrcore.arrays import Booleans, Codes, code_type
from rrcore.errors import InputError
from rrcore.mark import RELEASE, marks_in
from rrcore.promise.coder import answer_lookup, column_names
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.dataset import codes_of
from rrcore.table.reading.arrow import bytes_left_out
from rrcore.table.reading.options import Export
from rrcore.table.scanning import GONE
from rrcore.table.schema import Attribute
from rrcore.table.source import Batch, Source
from rrcore.table.text_table import TextColumn, TextTable

_FIRST_LINES = 100  # of a form, that are looked at for the names of their columns

HANDED_IN = "an answer that was handed in before"
"""Why a second copy of an answer is left out."""

NO_ANSWER = "no answer to"
"""How the reason begins why a row is left out that lacks an answer."""

LeftOut = tuple[str, int, int]
"""Why rows were left out, how many they are, and the number of the first, from 1."""


@dataclass(frozen=True, eq=False)
class AnswerRows:
    """Some rows.

    Parameters
    ----------
    codes : ndarray of shape (n, k), integer, -1 where an answer is missing and -2 where a row cannot be used
    groupings : the other columns of these rows
    left : why rows are left out
    unmatched : of rows that are used, what counts as missing because it is none of the reports of its attribute
    """

    codes: Codes
    groupings: tuple[TextColumn, ...] = ()
    left: tuple[LeftOut, ...] = ()
    unmatched: tuple[LeftOut, ...] = ()


def of_use(codes: Codes) -> Booleans:
    """Which rows can be used: those with an answer."""
    return np.asarray((codes >= GONE).all(axis=1) & (codes > GONE).any(axis=1))


def rows_of_table(
    table: TextTable, export: Export | None, name: str, mechanism: MechanismFile, *, whole: bool = False
) -> AnswerRows:
    """The rows of a table without trailers and marks.

    An answer that is none of the reports of its attribute is missing; a row without any answer is left out.

    Parameters
    ----------
    table : TextTable, of all rows or of some that follow each other; rows are numbered within it
    export : what is known of the tool that wrote it
    name : of the file, for messages
    mechanism : MechanismFile
    whole : whether the values of each column are those of the whole table

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
    """The lines of a form; receipts of those that are used are added to ``receipts``."""
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
    return AnswerRows(codes, found.beside, tuple(left))


def batch_columns(
    stream: Source, mechanism: MechanismFile, wanted: Sequence[str] | None, export: Export | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of a table that is read in batches: those that are read, in its order, and those that were not randomised.

    Read are those that answer the questions of a survey, and of the others those that are ``wanted``, or all.

    Raises
    ------
    InputError
        For a question without a column, or a wanted column that is not there.
    """
    reports = mechanism.reports
    names = tuple(name for name in stream.names if name != RELEASE and (name in reports.names or not marks_in([name])))
    answers = column_names(names, reports, stream.title, export=export, left_out=stream.left_out)
    unused = {*answers, *(export.interview if export else ())}
    beside = tuple(name for name in names if name not in unused)
    stream.check(name for name in wanted or () if name in stream.left_out)
    check_beside(wanted or (), beside)
    unread = () if wanted is None else set(beside) - set(wanted)
    return tuple(name for name in names if name in answers or (name in beside and name not in unread)), beside


def columns_of_lines(lines: FormLines, mechanism: MechanismFile) -> tuple[str, ...]:
    """The columns of the lines of a form that were not randomised, as its first lines have them."""
    content, _ = next(lines.parts(), (b"", 0))
    first = b"\n".join(content.split(b"\n", _FIRST_LINES)[:_FIRST_LINES])
    return tuple(column.name for column in rows_of_lines(first, lines.title, mechanism, set()).groupings)


def text_table(batch: Batch) -> TextTable:
    """A batch as a table of texts; those of a column need not differ, nor stand in order."""
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


def check_beside(wanted: Sequence[str], known: Sequence[str]) -> None:
    """Raise InputError where a wanted column is none of those that were not randomised."""
    for name in wanted:
        if name not in known:
            have = ", ".join(known[:20]) or "none"
            raise InputError(f"There is no column '{name}' that was not randomised: choose among {have}.", quoted=have)
