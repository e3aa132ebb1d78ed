"""Reading collected answers with their records: from files, from tables that were read already, and from tables of any size."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rrcore.answers.answers import Answers, Rejected
from rrcore.answers.columns import together
from rrcore.answers.formlines import FormLines, open_answers, starts_as_lines
from rrcore.answers.returned import open_export
from rrcore.answers.rows import (
    HANDED_IN,
    AnswerRows,
    HowToRead,
    batch_columns,
    of_use,
    rows_of_lines,
    rows_of_table,
    text_table,
)
from rrcore.arrays import Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES, MAX_ROWS
from rrcore.progress import Report, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import RELEASE, Trailer, handed_in_before, take_trailers
from rrcore.table.dataset import Dataset
from rrcore.table.mark import check_true, marks_in, take_mark
from rrcore.table.read import read_path
from rrcore.table.reading import TextColumn, TextTable
from rrcore.table.reading.arrow import ArrowStream, read_arrow
from rrcore.table.reading.exports import Export
from rrcore.table.reading.lines import OTHER_FILE
from rrcore.table.stream import Stream, read_in_batches
from rrcore.table.stream.spread import work_through


@dataclass(frozen=True, eq=False)
class AnswersFile:
    """One file of which every row is held.

    Parameters
    ----------
    title, name : what the table is called, and what messages call the file
    rows : list of AnswerRows
    what : what messages call a row
    notes : sentences about what reading did
    mark : the mark of a simulation; see ``rrcore.table.mark``
    """

    title: str
    name: str
    rows: list[AnswerRows]
    what: str = "record"
    notes: tuple[str, ...] = ()
    mark: str = ""

    def rejected(self, rows: AnswerRows) -> Iterator[Rejected]:
        """What is left out of some of its rows."""
        return (Rejected(reason, times, f"{self.what} {first} of {self.name}") for reason, times, first in rows.left)


Content = bytes | TextTable | Stream | FormLines
Source = str | PathLike[str] | ArrowStream | tuple[Content, str]
"""Where answers are: a path, a data frame, or content with a name."""


def read_answers(
    files: Source | Iterable[Source],
    mechanism: MechanismFile,
    *,
    true: bool = False,
    beside: Sequence[str] | None = None,
    encoding: str = "",
    report: Report = quiet,
) -> Answers:
    """Read collected answers with their records.

    Parameters
    ----------
    files : path, data frame, (content, name), or several of these
        Tables (CSV, XLSX, Parquet, ...) with one column for every attribute of the mechanism, or JSON lines as the respondents' form
        writes them; a table of pandas, polars, pyarrow or any library with ``__arrow_c_stream__``; or as content a table of texts that was
        read already, or a table that is read in batches. Lines name their mechanism file.
    mechanism : MechanismFile
    true : whether these are the answers before they are randomised, so categories as they were asked, and not reports; rows with some
        answers missing are then left out, which otherwise are kept for the marginals that do not need what is missing
    beside : names of the columns that were not randomised and are needed; None keeps all that all files have
    encoding : str, decides where the text of a table is UTF-8 in some places and not in others, as in ``Layout``
    report : is told the fraction of each table that is read in batches

    Raises
    ------
    InputError
        If a file is neither, or no row can be used; rows that cannot be used are left out and counted otherwise.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> released = rr.randomise(file, table)
    >>> answers = rr.read_answers(released.to_arrow(), file)  # or to_pandas(), or the path of a file
    >>> answers.n, answers.left_out
    (2201, 0)
    """
    how = HowToRead(mechanism, true)
    receipts: set[str] = set()  # a line that was handed in twice counts once, in whichever files
    found = [_read(content, name, how, receipts, encoding, beside, report) for content, name in _contents(files)]
    if not found:
        raise InputError("No file is given: choose at least one file of answers.")
    return _gathered(found, how, beside)


def _contents(files: Source | Iterable[Source]) -> Iterator[tuple[Content, str]]:
    """What the files hold, and what they are called."""
    one = isinstance(files, str | PathLike | tuple) or hasattr(files, "__arrow_c_stream__")
    given: Any = [files] if one else files
    for each in given:
        if isinstance(each, tuple):
            yield each
        elif isinstance(each, str | PathLike):
            name = Path(each).name
            yield (open_answers(Path(each), name), name) if read_in_batches(str(each)) else read_path(each)
        elif hasattr(each, "__arrow_c_stream__"):
            found, _ = read_arrow(each)
            yield TextTable(tuple(found.columns), "table", left_out=tuple(found.left_out.values()), mark=found.beside), "table"
        else:
            raise InputError(
                f"Answers were expected and a {type(each).__name__} was given: give a path, or a table of pandas, polars or pyarrow."
            )


def _gathered(found: Sequence[AnswersFile], how: HowToRead, beside: Sequence[str] | None) -> Answers:
    """All rows in one release: those with all answers first, then those with some answers missing."""
    pairs = [(file, rows) for file in found for rows in file.rows]
    total = sum(len(rows.codes) for _, rows in pairs)
    if total > MAX_ROWS:
        raise InputError(f"The files have {total:,} rows together, the limit is {MAX_ROWS:,}. Leave some out.")
    given = [rows for _, rows in pairs if len(rows.codes)]
    left = left_out(each for file, rows in pairs for each in file.rejected(rows))
    check_usable(total, sum(int((rows.codes >= 0).all(axis=1).sum()) for rows in given), left)
    codes = np.concatenate([rows.codes for rows in given])
    complete = (codes >= 0).all(axis=1)
    some = of_use(codes, whole=how.true) & ~complete
    known = together([rows.groupings for rows in given])
    groupings = known if beside is None else tuple(column for column in known if column.name in beside)
    order = np.concatenate([np.flatnonzero(complete), np.flatnonzero(some)])
    return Answers(
        Dataset(how.schema, codes[complete], found[0].title if len(found) == 1 else f"{len(found)} files"),
        how.mechanism,
        _cut(groupings, order),
        left,
        tuple(dict.fromkeys(note for file in found for note in file.notes)),
        partial=codes[some] if some.any() else None,
        mark=marks_in(file.mark for file in found),
    )


def left_out(rejected: Iterable[Rejected]) -> tuple[Rejected, ...]:
    """Every reason once, what most rows were left out for first."""
    reasons: dict[str, Rejected] = {}
    for each in rejected:
        known = reasons.get(each.reason)
        reasons[each.reason] = replace(known, rows=known.rows + each.rows) if known else each
    return tuple(sorted(reasons.values(), key=lambda each: -each.rows))


def check_usable(rows: int, complete: int, left: Sequence[Rejected]) -> None:
    """Raise InputError where none of the rows has all answers."""
    if not complete:
        worst = f" Most often: {left[0].reason} ({left[0].first})." if left else " Each of them lacks some answer."
        raise InputError(f"None of the {rows:,} rows can be used.{worst} Check that the mechanism file belongs to these answers.")


def _cut(columns: Iterable[TextColumn], rows: Integers) -> tuple[TextColumn, ...]:
    return tuple(TextColumn(column.name, column.codes[rows], column.values) for column in columns)


def _read(
    content: bytes | TextTable | Stream | FormLines,
    name: str,
    how: HowToRead,
    receipts: set[str],
    encoding: str,
    beside: Sequence[str] | None,
    report: Report,
) -> AnswersFile:
    if isinstance(content, Stream):
        return _from_stream(content, name, how, receipts, beside, report)
    if isinstance(content, FormLines):
        return _from_form(content, name, how, receipts)
    if isinstance(content, TextTable):
        return _from_table(content, None, name, how, receipts)
    if len(content) > MAX_FILE_BYTES:
        raise InputError(
            f"The file '{name}' has {len(content) / 2**20:,.1f} MB, the limit is {MAX_FILE_BYTES // 2**20} MB: split it."
        )
    if starts_as_lines(content):
        return AnswersFile(name, name, [rows_of_lines(content, name, how, receipts)], "line")
    return _from_table(*open_export(content, name, encoding), name, how, receipts)


def _from_table(table: TextTable, export: Export | None, name: str, how: HowToRead, receipts: set[str]) -> AnswersFile:
    table, words = take_trailers(table, name)
    table, mark = take_mark(table, how.schema.names)
    if how.true:
        check_true(mark, name)
    if words and how.true:
        raise InputError(f"The file '{name}' holds answers that are randomised already: choose the table of true answers.")
    why = why_left_out(words, how, receipts, name)
    return AnswersFile(table.title, name, [rows_of_table(table, export, name, how, why=why)], "record", table.notes, mark)


def _from_form(lines: FormLines, name: str, how: HowToRead, receipts: set[str]) -> AnswersFile:
    """All lines of a file that is read a part at a time."""
    rows: list[AnswerRows] = []
    before = 0
    for content, lines_of_part in lines.parts():
        each = rows_of_lines(content, name, how, receipts)
        rows.append(replace(each, left=tuple((why, times, before + first) for why, times, first in each.left)))
        before += lines_of_part
    return AnswersFile(name, name, rows, "line")


def why_left_out(words: Sequence[Trailer], how: HowToRead, receipts: set[str], name: str) -> str:
    """Why no row of a table with these trailers is used; empty where some may be."""
    if handed_in_before(words, receipts, name):
        return HANDED_IN
    made_by = {word.mechanism for word in words}
    return OTHER_FILE if words and how.mechanism.sha256 not in made_by else ""


def _from_stream(
    stream: Stream, name: str, how: HowToRead, receipts: set[str], beside: Sequence[str] | None, report: Report
) -> AnswersFile:
    """All rows of a table that is read in batches."""
    own = replace(how, batches=True)
    names, _ = batch_columns(stream, own, beside)
    held: list[TextTable] = []

    def look(piece: Any, *, report: Report = quiet) -> None:
        more = (RELEASE,) if RELEASE in stream.names else ()
        held.extend(text_table(batch) for batch in piece.batches((*names, *more), report=report))

    for _ in work_through(look, stream, None, report):
        pass
    whole = TextTable(together([table.columns for table in held]), stream.title, stream.notes, mark=stream.mark(how.schema.names))
    return _from_table(whole, None, name, own, receipts)
