"""The rows of a table, or the lines of a form, as codes of what is reported, with what is wrong with the others.

What a row becomes depends on nothing but the row and its mechanism file, whether a table is seen as a whole or batch by batch.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rrcore.answers.formlines import FormLines
from rrcore.answers.returned import find_columns, further_codes
from rrcore.arrays import Booleans, Codes, code_type
from rrcore.errors import InputError
from rrcore.promise.coder import choice_names
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import RELEASE
from rrcore.table.dataset import codes_of
from rrcore.table.mark import marks_in
from rrcore.table.reading import TextColumn, TextTable
from rrcore.table.reading.columns import trim
from rrcore.table.reading.exports import Export
from rrcore.table.reading.kinds import bytes_left_out
from rrcore.table.reading.lines import UNUSABLE, Question, read_lines
from rrcore.table.schema import Attribute, Schema
from rrcore.table.stream import Batch, Stream
from rrcore.table.stream.coder import GONE, Lookup, codes_in_batches, declared_lookup

_FIRST_LINES = 100  # of a form, that are looked at for the names of their columns

HANDED_IN = "an answer that was handed in before"
"""Why a second copy of an answer is left out."""

NO_ANSWER = "no answer to"
"""How the reason begins why a row is left out that lacks an answer."""

LeftOut = tuple[str, int, int]
"""Why rows were left out, how many they are, and the number of the first, from 1."""


@dataclass(frozen=True)
class HowToRead:
    """What rows are read by. Small and picklable.

    Parameters
    ----------
    mechanism : MechanismFile
    true : whether rows are answers before they are randomised
    batches : whether a table is seen a batch at a time, so that all texts of a column together decide nothing
    """

    mechanism: MechanismFile
    true: bool = False
    batches: bool = False

    @property
    def schema(self) -> Schema:
        """What codes are of."""
        return self.mechanism.schema if self.true else self.mechanism.reports

    def lookup(self, attribute: Attribute, values: Iterable[str] = ()) -> dict[str, int]:
        """The code of each text of a column that holds ``values``."""
        return codes_in_batches(attribute) if self.batches else codes_of(attribute, values)


@dataclass(frozen=True, eq=False)
class AnswerRows:
    """Some rows.

    Parameters
    ----------
    codes : ndarray of shape (n, k), integer, -1 where an answer is missing and -2 where a row cannot be used
    groupings : the other columns of these rows
    left : why rows are left out
    """

    codes: Codes
    groupings: tuple[TextColumn, ...] = ()
    left: tuple[LeftOut, ...] = ()


def of_use(codes: Codes, *, whole: bool = False) -> Booleans:
    """Which rows can be used: those with an answer, and with all answers if ``whole``."""
    return np.asarray((codes >= 0).all(axis=1) if whole else (codes >= GONE).all(axis=1) & (codes > GONE).any(axis=1))


def rows_of_table(table: TextTable, export: Export | None, name: str, how: HowToRead, *, why: str = "") -> AnswerRows:
    """The rows of a table without trailers and marks.

    Parameters
    ----------
    table : TextTable, of all rows or of some that follow each other; rows are numbered within it
    export : what is known of the tool that wrote it
    name : of the file, for messages
    how : HowToRead
    why : a reason to leave all of them out

    Raises
    ------
    InputError
        If a column is missing.
    """
    schema = how.schema
    found = find_columns(table, export, schema, name)
    if why:
        return AnswerRows(np.full((table.n, len(schema.names)), UNUSABLE, np.int8), found.groupings, ((why, table.n, 1),))
    codes = np.full((table.n, len(schema.attributes)), GONE, dtype=code_type(max(schema.sizes)), order="F")
    reasons: list[tuple[Booleans, str]] = []
    for i, (attribute, column) in enumerate(zip(schema.attributes, found.answers, strict=True)):
        lookup = {choice: code for code, choice in enumerate(choice_names(attribute))} | how.lookup(attribute, column.values)
        if export is not None:
            lookup = further_codes(attribute, column, lookup, export, name)
        of = declared_lookup(attribute, lookup) if how.true else Lookup(lookup)
        code_of = np.array([*of.codes(column.values), of.missing], dtype=codes.dtype)
        np.take(code_of, column.codes, out=codes[:, i], mode="wrap")
        if how.true or len(schema.attributes) == 1:
            reasons.append((codes[:, i] == GONE, f"{NO_ANSWER} '{attribute.name}'"))
        reasons.append((codes[:, i] == UNUSABLE, _unknown(attribute, how)))
    if not codes.size or codes.min() >= 0:
        reasons = []
    else:
        reasons.append(((codes == GONE).all(axis=1), f"{NO_ANSWER} any question"))
    left, done = [], np.zeros(table.n, dtype=np.bool_)
    for hit, reason in reasons:
        hits = np.flatnonzero(hit & ~done)
        done |= hit
        if hits.size:
            left.append((reason, int(hits.size), int(hits[0]) + 1))
    return AnswerRows(codes, found.groupings, tuple(left))


def _unknown(expected: Attribute, how: HowToRead) -> str:
    what = "categories" if expected in how.mechanism.schema.attributes else "reports"
    return f"an answer to '{expected.name}' that is not one of its {what}"


def rows_of_lines(content: bytes, name: str, how: HowToRead, receipts: set[str]) -> AnswerRows:
    """The lines of a form; receipts of those that are used are added to ``receipts``."""
    questions = [Question(each.name, codes_of(each), _unknown(each, how)) for each in how.schema.attributes]
    found = read_lines(content, name, how.mechanism.sha256, questions)
    codes, again = found.codes, []
    for row, receipt in enumerate(found.receipts):
        if receipt is not None and receipt in receipts:
            again.append(row)
        elif receipt is not None:
            receipts.add(receipt)
    codes[again] = UNUSABLE
    left = [*found.rejected, *([(HANDED_IN, len(again), int(found.numbers[again[0]]))] if again else [])]
    return AnswerRows(codes, found.beside, tuple(left))


def batch_columns(stream: Stream, how: HowToRead, wanted: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of a table that is read in batches: those that are read, in its order, and those that were not randomised.

    Read are those that answer the questions of a survey, and of the others those that are ``wanted``, or all.

    Raises
    ------
    InputError
        For a question without a column, or a wanted column that is not there.
    """
    names = tuple(name for name in stream.names if name != RELEASE and (name in how.schema.names or not marks_in([name])))
    nobody = np.zeros(0, dtype=np.int8)
    bare = TextTable(tuple(TextColumn(name, nobody, ()) for name in names))
    for attribute in how.mechanism.schema.attributes:
        if attribute.name in stream.left_out:
            raise InputError(stream.left_out[attribute.name])
    found = find_columns(bare, None, how.mechanism.reports, stream.title)
    beside = tuple(column.name for column in found.groupings)
    for name in () if wanted is None else wanted:
        if name in stream.left_out:
            raise InputError(stream.left_out[name])
    check_beside(wanted or (), beside)
    unread = () if wanted is None else set(beside) - set(wanted)
    return tuple(name for name in names if name not in unread), beside


def columns_of_lines(lines: FormLines, how: HowToRead) -> tuple[str, ...]:
    """The columns of the lines of a form that were not randomised, as its first lines have them."""
    content, _ = next(lines.parts(), (b"", 0))
    first = b"\n".join(content.split(b"\n", _FIRST_LINES)[:_FIRST_LINES])
    return tuple(column.name for column in rows_of_lines(first, lines.title, how, set()).groupings)


def text_table(batch: Batch) -> TextTable:
    """A batch as a table of texts; those of a column need not differ, nor stand in order."""
    return TextTable(tuple(_texts(name, batch.column(name)) for name in batch.schema.names))


def _texts(name: str, column: Any) -> TextColumn:
    import pyarrow as pa

    if pa.types.is_binary(column.dictionary.type):
        raise InputError(bytes_left_out(name))
    values = trim(column.dictionary).to_pylist()
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
