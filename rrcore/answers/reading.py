"""Reading collected answers with their records: from files, from tables that were read already, and from tables of any size."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, cast

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
    beginning_of_group,
    of_use,
    rows_of_lines,
    rows_of_table,
    text_table,
)
from rrcore.arrays import Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES, MAX_ROWS
from rrcore.progress import Report, quiet
from rrcore.promise.groups import GROUP, Survey
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
from rrcore.wording import counted


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
    mechanism: Survey,
    *,
    true: bool = False,
    column: str = GROUP,
    beside: Sequence[str] | None = None,
    encoding: str = "",
    report: Report = quiet,
) -> Answers:
    """Read collected answers with their records.

    Where groups of respondents had mechanism files of their own, all are one release: its reports are pairs of a group and a report, and
    estimates combine the groups by generalised least squares, given how many people are in each; their errors are those within groups.

    Parameters
    ----------
    files : path, data frame, (content, name), or several of these
        Tables (CSV, XLSX, Parquet, ...) with one column for every attribute of the mechanism, or JSON lines as the respondents' form
        writes them; a table of pandas, polars, pyarrow or any library with ``__arrow_c_stream__``; or as content a table of texts that was
        read already, or a table that is read in batches. Lines name their mechanism file.
    mechanism : MechanismFile, or MechanismGroups
    true : whether these are the answers before they are randomised, so categories as they were asked, and not reports; rows with some
        answers missing are then left out, which otherwise are kept for the marginals that do not need what is missing
    column : with groups, the column of a table that names the group, or the fingerprint of its mechanism file
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

    Groups with mechanism files of their own:

    >>> from rrcore.promise import MechanismGroups
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> own = [rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2,), [eps]))) for eps in (2.0, 1.0)]
    >>> rows = b"smokes,group\\nno,die\\nyes,die\\nno,deck\\nno,deck\\nno,nobody\\n"
    >>> answers = rr.read_answers([(rows, "answers.csv")], MechanismGroups({"die": own[0], "deck": own[1]}))
    >>> answers.n, answers.counts(["smokes"]).tolist(), answers.rejected[0].reason
    (4, [1, 1, 2, 0], 'a group without a mechanism file')
    """
    how = HowToRead(mechanism, column, true)
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
    """All rows in one release: those with all answers first, group by group, then those with some answers missing."""
    pairs = sorted(((file, rows) for file in found for rows in file.rows), key=lambda pair: pair[1].group)
    total = sum(len(rows.codes) for _, rows in pairs)
    if total > MAX_ROWS:
        raise InputError(f"The files have {total:,} rows together, the limit is {MAX_ROWS:,}. Leave some out.")
    sizes = []
    for group, (name, _) in enumerate(how.files):
        own = [(file, rows) for file, rows in pairs if rows.group == group and len(rows.codes)]
        if own:
            left = left_out(each for file, rows in own for each in file.rejected(rows))
            codes = np.concatenate([rows.codes for _, rows in own])
            check_usable(len(codes), int((codes >= 0).all(axis=1).sum()), left, name)
            sizes.append((int(of_use(codes, whole=how.true).sum()), name))
    check_groups(sizes, how)
    given = [rows for _, rows in pairs if len(rows.codes)]
    codes = np.concatenate([rows.codes for rows in given])
    complete = (codes >= 0).all(axis=1)
    some = of_use(codes, whole=how.true) & ~complete
    known = together([rows.groupings for rows in given])
    groupings = known if beside is None else tuple(column for column in known if column.name in beside)
    order = np.concatenate([np.flatnonzero(complete), np.flatnonzero(some)])
    single = found[0].name if how.by_group else found[0].title
    return Answers(
        Dataset(how.schema, codes[complete], single if len(found) == 1 else f"{len(found)} files"),
        cast(MechanismFile, how.survey),
        _cut(groupings, order),
        left_out(each for file, rows in pairs for each in file.rejected(rows)),
        (*dict.fromkeys(note for file in found for note in file.notes), *note_of_groups(sizes)),
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


def check_usable(rows: int, complete: int, left: Sequence[Rejected], group: str = "") -> None:
    """Raise InputError where none of so many rows, of a group if it has a name, has all answers."""
    if not complete:
        worst = f" Most often: {left[0].reason} ({left[0].first})." if left else " Each of them lacks some answer."
        raise InputError(
            f"{beginning_of_group(group)}None of the {rows:,} rows can be used.{worst} Check that the mechanism file belongs to "
            "these answers."
        )


def check_groups(sizes: Sequence[tuple[int, str]], how: HowToRead) -> None:
    """Raise InputError where no row is of any group; ``sizes`` are those of groups with rows."""
    if not sizes:
        names = ", ".join(f"'{name}'" for name, _ in how.files)
        raise InputError(
            f"None of the answers is of one of the groups {names}. Check that the mechanism files belong to these answers."
        )


def note_of_groups(sizes: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """How many answers each group has, in a sentence; none where there are no groups."""
    text = ", ".join(f"{counted(n, 'answer', 'answers')} of '{name}'" for n, name in sizes)
    return (f"Groups with mechanism files of their own: {text}.",) if sizes[0][1] else ()


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
        return AnswersFile(name, name, rows_of_lines(content, name, how, receipts), "line")
    return _from_table(*open_export(content, name, encoding), name, how, receipts)


def _from_table(table: TextTable, export: Export | None, name: str, how: HowToRead, receipts: set[str]) -> AnswersFile:
    table, words = take_trailers(table, name)
    table, mark = take_mark(table, how.schema.names)
    if how.true:
        check_true(mark, name)
    if words and how.true:
        raise InputError(f"The file '{name}' holds answers that are randomised already: choose the table of true answers.")
    why = why_left_out(words, how, receipts, name)
    return AnswersFile(table.title, name, rows_of_table(table, export, name, how, why=why), "record", table.notes, mark)


def _from_form(lines: FormLines, name: str, how: HowToRead, receipts: set[str]) -> AnswersFile:
    """All lines of a file that is read a part at a time."""
    rows: list[AnswerRows] = []
    before = 0
    for content, lines_of_part in lines.parts():
        for each in rows_of_lines(content, name, how, receipts):
            rows.append(replace(each, left=tuple((why, times, before + first) for why, times, first in each.left)))
        before += lines_of_part
    return AnswersFile(name, name, rows, "line")


def why_left_out(words: Sequence[Trailer], how: HowToRead, receipts: set[str], name: str) -> str:
    """Why no row of a table with these trailers is used; empty where some may be."""
    if handed_in_before(words, receipts, name):
        return HANDED_IN
    made_by = {word.mechanism for word in words}
    return OTHER_FILE if words and not how.by_group and how.survey.sha256 not in made_by else ""


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
