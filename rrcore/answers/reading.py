"""Reading collected answers: the rows of a table or the lines of a form as codes of what is reported, with what is wrong with the others.

Every file is read by this road, as a whole or batch by batch: what a row becomes depends on nothing but the row and its mechanism file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from rrcore.answers.answers import Answers, Rejected
from rrcore.answers.columns import together
from rrcore.arrays import Booleans, Codes, Integers, code_type
from rrcore.asking.exchange.returned import find_columns, further_codes, open_export
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES, MAX_ROWS
from rrcore.promise.groups import MechanismGroups, Survey
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import RELEASE, Trailer, handed_in_before, take_trailers
from rrcore.table.dataset import Dataset, codes_of
from rrcore.table.mark import check_true, marks_in, take_mark
from rrcore.table.reading import TextColumn, TextTable
from rrcore.table.reading.columns import trim
from rrcore.table.reading.exports import Export
from rrcore.table.reading.kinds import bytes_left_out
from rrcore.table.reading.lines import OTHER_FILE, UNUSABLE, Question, named_by_lines, read_lines
from rrcore.table.schema import Attribute, Schema
from rrcore.table.stream import Batch, Stream
from rrcore.table.stream.coder import GONE, codes_in_batches
from rrcore.wording import counted
from rrcore.work import Report, quiet

GROUP = "group"
"""Column of a table that says whose mechanism file each row went by."""

HANDED_IN = "an answer that was handed in before"
"""Why a second copy of an answer is left out."""

LeftOut = tuple[str, int, int]
"""Why rows were left out, how many they are, and the number of the first, from 1."""


@dataclass(frozen=True)
class HowToRead:
    """What rows are read by. Small and picklable.

    Parameters
    ----------
    survey : a mechanism file, or one for each group of respondents
    column : name of the column of a table that names the group
    true : whether rows are answers before they are randomised
    batches : whether a table is seen a batch at a time, so that all texts of a column together decide nothing
    """

    survey: Survey
    column: str = GROUP
    true: bool = False
    batches: bool = False

    @property
    def files(self) -> tuple[tuple[str, MechanismFile], ...]:
        """The mechanism file of each group, by its name; one without a name where there are no groups."""
        return self.survey.files if isinstance(self.survey, MechanismGroups) else (("", self.survey),)

    @property
    def schema(self) -> Schema:
        """What codes are of."""
        return self.survey.schema if self.true else self.survey.reports

    def raised(self, codes: Codes, group: int) -> Codes:
        """Codes of a group's reports as codes of pairs of the group and a report; negative ones stay."""
        if not isinstance(self.survey, MechanismGroups):
            return codes
        return np.where(codes < 0, codes.astype(np.int32), codes + self.survey.starts[group].astype(np.int32))

    def lookup(self, attribute: Attribute, values: Iterable[str] = ()) -> dict[str, int]:
        """The code of each text of a column that holds ``values``."""
        return codes_in_batches(attribute) if self.batches else codes_of(attribute, values)


@dataclass(frozen=True, eq=False)
class AnswerRows:
    """Some rows that went by one mechanism file.

    Parameters
    ----------
    codes : ndarray of shape (n, k), integer, -1 where an answer is missing and -2 where a row cannot be used
    groupings : the other columns of these rows
    left : why rows are left out
    group : number of the group whose mechanism file it was
    """

    codes: Codes
    groupings: tuple[TextColumn, ...] = ()
    left: tuple[LeftOut, ...] = ()
    group: int = 0


@dataclass(frozen=True, eq=False)
class AnswersFile:
    """One file that was read as a whole: its rows, and what messages call them."""

    title: str
    name: str
    rows: list[AnswerRows]
    what: str = "record"
    notes: tuple[str, ...] = ()
    mark: str = ""

    def rejected(self, rows: AnswerRows) -> Iterator[Rejected]:
        """What is left out of some of its rows."""
        return (Rejected(reason, times, f"{self.what} {first} of {self.name}") for reason, times, first in rows.left)


def read_answers(
    files: Iterable[tuple[bytes | TextTable | Stream, str]],
    mechanism: Survey,
    *,
    true: bool = False,
    column: str = GROUP,
    encoding: str = "",
    report: Report = quiet,
) -> Answers:
    """Read collected answers with their records.

    Where groups of respondents had mechanism files of their own, all are one release: its reports are pairs of a group and a report, and
    estimates combine the groups by generalised least squares, given how many people are in each; their errors are those within groups.

    Parameters
    ----------
    files : (content, name) each
        Tables (CSV, XLSX, Parquet, ...) with one column for every attribute of the mechanism, or JSON lines as the respondents' form
        writes them; or a table of texts that was read already, or a table that is read in batches. Lines name their mechanism file.
    mechanism : MechanismFile, or MechanismGroups
    true : whether these are the answers before they are randomised, so categories as they were asked, and not reports; rows with some
        answers missing are then left out, which otherwise are kept for the marginals that do not need what is missing
    column : with groups, the column of a table that names the group, or the fingerprint of its mechanism file
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
    >>> released = rr.randomise(file, table).to_csv().encode()
    >>> answers = rr.read_answers([(released, "answers.csv")], file)
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
    found = [_read(content, name, how, receipts, encoding, report) for content, name in files]
    if not found:
        raise InputError("No file is given: choose at least one file of answers.")
    return _gathered(found, how)


def _gathered(found: Sequence[AnswersFile], how: HowToRead) -> Answers:
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
    groupings = together([rows.groupings for rows in given])
    order = np.concatenate([np.flatnonzero(complete), np.flatnonzero(some)])
    single = found[0].name if isinstance(how.survey, MechanismGroups) else found[0].title
    return Answers(
        Dataset(how.schema, codes[complete], single if len(found) == 1 else f"{len(found)} files"),
        cast(MechanismFile, how.survey),
        _cut(groupings, order),
        left_out(each for file, rows in pairs for each in file.rejected(rows)),
        (*dict.fromkeys(note for file in found for note in file.notes), *note_of_groups(sizes)),
        _cut(groupings, np.flatnonzero((codes == GONE).all(axis=1))),
        partial=codes[some] if some.any() else None,
        mark=marks_in(file.mark for file in found),
    )


def of_use(codes: Codes, *, whole: bool = False) -> Booleans:
    """Which rows can be used: those with an answer, and with all answers if ``whole``."""
    return np.asarray((codes >= 0).all(axis=1) if whole else (codes >= GONE).all(axis=1) & (codes > GONE).any(axis=1))


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
            f"{_of_group(group)}None of the {rows:,} rows can be used.{worst} Check that the mechanism file belongs to "
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
    told = ", ".join(f"{counted(n, 'answer', 'answers')} of '{name}'" for n, name in sizes)
    return (f"Groups with mechanism files of their own: {told}.",) if sizes[0][1] else ()


def _cut(columns: Iterable[TextColumn], rows: Integers) -> tuple[TextColumn, ...]:
    return tuple(TextColumn(column.name, column.codes[rows], column.values) for column in columns)


def _of_group(name: str) -> str:
    return f"Group '{name}': " if name else ""


def starts_as_lines(content: bytes) -> bool:
    """Whether ``content`` is not a table but JSON lines."""
    return content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def _read(
    content: bytes | TextTable | Stream, name: str, how: HowToRead, receipts: set[str], encoding: str, report: Report
) -> AnswersFile:
    if isinstance(content, Stream):
        return _from_stream(content, name, how, receipts, report)
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


def why_left_out(words: Sequence[Trailer], how: HowToRead, receipts: set[str], name: str) -> str:
    """Why no row of a table with these trailers is used; empty where some may be."""
    if handed_in_before(words, receipts, name):
        return HANDED_IN
    made_by = {word.mechanism for word in words}
    single = not isinstance(how.survey, MechanismGroups)
    return OTHER_FILE if single and words and how.survey.sha256 not in made_by else ""


def rows_of_table(table: TextTable, export: Export | None, name: str, how: HowToRead, *, why: str = "") -> list[AnswerRows]:
    """The rows of a table without trailers and marks, group by group.

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
    single = not isinstance(how.survey, MechanismGroups)
    if single and not why:
        return [_coded(table, export, name, how)]
    if single or why:
        beside = find_columns(table, export, how.schema, name).groupings if single else ()
        codes = np.full((table.n if single else 0, len(how.schema.names)), UNUSABLE, np.int8)
        return [AnswerRows(codes, beside, ((why, table.n, 1),))]
    group = next((one for one in table.columns if one.name == how.column), None)
    if group is None:
        have = ", ".join(f"'{one[:40]}'" for one in table.names[:8])
        raise InputError(
            f"The file '{name}' has no column '{how.column}', which says by which of the {len(how.files)} mechanism files each row was "
            f"randomised; it has {have}. Name that column.",
            quoted=have,
        )
    number = {key: g for g, (own, file) in enumerate(how.files) for key in (own, file.sha256)}
    places = np.array([number.get(value.strip(), -2) for value in group.values] + [-1], dtype=np.int64)[group.codes]
    none = ((-1, "no group"), (-2, "a group without a mechanism file"))
    strangers = [(why, np.flatnonzero(places == code)) for code, why in none if (places == code).any()]
    left = tuple((why, len(rows), int(rows[0]) + 1) for why, rows in strangers)
    found = [AnswerRows(np.zeros((0, len(how.schema.names)), np.int8), (), left)]
    for g in range(len(how.files)):
        rows = np.flatnonzero(places == g)
        if rows.size:
            kept = (replace(column, codes=column.codes[rows]) for column in table.columns if column is not group)
            found.append(_coded(replace(table, columns=tuple(kept)), export, name, how, g, rows))
    return found


def _coded(
    table: TextTable, export: Export | None, name: str, how: HowToRead, group: int = 0, rows: Integers | None = None
) -> AnswerRows:
    """Rows of one group, which are ``rows`` of the table that messages number."""
    label, mechanism = how.files[group]
    schema = mechanism.schema if how.true else mechanism.reports
    try:
        found = find_columns(table, export, schema, name)
    except InputError as error:
        raise InputError(f"{_of_group(label)}{error}", quoted=error.quoted) from None
    codes = np.full((table.n, len(schema.attributes)), GONE, dtype=code_type(max(schema.sizes)), order="F")
    others = np.zeros(table.n, dtype=np.bool_)
    if found.mechanism is not None:
        others = np.array([value != mechanism.sha256 for value in found.mechanism.values] + [True])[found.mechanism.codes]
    reasons: list[tuple[Booleans, str]] = [(others, OTHER_FILE)]
    for i, (attribute, column) in enumerate(zip(schema.attributes, found.answers, strict=True)):
        lookup = how.lookup(attribute, column.values)
        if export is not None or found.mechanism is not None:
            lookup = further_codes(attribute, column, lookup, export, name)
        code_of = np.array([lookup.get(value, UNUSABLE) for value in column.values] + [GONE], dtype=codes.dtype)
        np.take(code_of, column.codes, out=codes[:, i], mode="wrap")
        if how.true or len(schema.attributes) == 1:
            reasons.append((codes[:, i] == GONE, f"no answer to '{attribute.name}'"))
        reasons.append((codes[:, i] == UNUSABLE, _unknown(attribute, mechanism)))
    if not others.any() and (not codes.size or codes.min() >= 0):
        reasons = []
    else:
        reasons.append(((codes == GONE).all(axis=1), "no answer to any question"))
    left, done = [], np.zeros(table.n, dtype=np.bool_)
    for hit, reason in reasons:
        hits = np.flatnonzero(hit & ~done)
        done |= hit
        if hits.size:
            left.append((reason, int(hits.size), int(hits[0] if rows is None else rows[hits[0]]) + 1))
    codes[others] = UNUSABLE
    return AnswerRows(how.raised(codes, group), _labelled(found.groupings, how, group, table.n), tuple(left), group)


def _labelled(columns: tuple[TextColumn, ...], how: HowToRead, group: int, n: int) -> tuple[TextColumn, ...]:
    """With a last column that names the group, where there are groups."""
    label = how.files[group][0]
    return (*columns, TextColumn(how.column, np.zeros(n, dtype=np.int32), (label,))) if label else columns


def _unknown(expected: Attribute, mechanism: MechanismFile) -> str:
    what = "categories" if expected in mechanism.schema.attributes else "reports"
    return f"an answer to '{expected.name}' that is not one of its {what}"


def rows_of_lines(content: bytes, name: str, how: HowToRead, receipts: set[str]) -> list[AnswerRows]:
    """The lines of a form, group by group; receipts of those that are used are added to ``receipts``.

    Lines that name the mechanism file of no group go to the first, which says what is wrong with them.
    """
    if len(how.files) == 1:
        return [_from_lines(content, name, how, 0, receipts)]
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError(f"The file '{name}' is not UTF-8 text: choose the answers as the forms saved them.") from None
    places = named_by_lines(content, name, [file.sha256 for _, file in how.files])
    places = np.append(places, np.full(len(lines) - len(places), -1))  # an empty line at the end
    found = []
    for g in range(len(how.files)):
        if (places == g).any():
            mine = "\n".join(line if place == g else "" for line, place in zip(lines, places.tolist(), strict=True))
            found.append(_from_lines(mine.encode(), name, how, g, receipts))
    return found


def _from_lines(content: bytes, name: str, how: HowToRead, group: int, receipts: set[str]) -> AnswerRows:
    mechanism = how.files[group][1]
    schema = mechanism.schema if how.true else mechanism.reports
    questions = [Question(each.name, codes_of(each), _unknown(each, mechanism)) for each in schema.attributes]
    found = read_lines(content, name, mechanism.sha256, questions)
    codes, again = found.codes, []
    for row, receipt in enumerate(found.receipts):
        if receipt is not None and receipt in receipts:
            again.append(row)
        elif receipt is not None:
            receipts.add(receipt)
    codes[again] = UNUSABLE
    left = [*found.rejected, *([(HANDED_IN, len(again), int(found.numbers[again[0]]))] if again else [])]
    return AnswerRows(how.raised(codes, group), _labelled((), how, group, len(codes)), tuple(left), group)


@dataclass(frozen=True)
class BatchColumns:
    """Which columns of a table that is read in batches are read.

    Parameters
    ----------
    names : those that are read, in the order of the table
    beside : those that were not randomised, whether they are read or not
    """

    names: tuple[str, ...]
    beside: tuple[str, ...] = field(default=())


def batch_columns(stream: Stream, how: HowToRead, wanted: Sequence[str] | None) -> BatchColumns:
    """The columns that answer the questions of a survey, and of the others those that are ``wanted``, or all.

    Raises
    ------
    InputError
        For a question without a column, or a wanted column that is not there.
    """
    names = tuple(name for name in stream.names if name != RELEASE and (name in how.schema.names or not marks_in([name])))
    nobody = np.zeros(0, dtype=np.int8)
    by_group = (how.column,) if isinstance(how.survey, MechanismGroups) else ()
    bare = TextTable(tuple(TextColumn(name, nobody, ()) for name in names if name not in by_group))
    for attribute in how.survey.schema.attributes:
        if attribute.name in stream.left_out:
            raise InputError(stream.left_out[attribute.name])
    found = find_columns(bare, None, how.files[0][1].reports, stream.title)
    beside = tuple(column.name for column in found.groupings)
    known = (*beside, *by_group)
    for name in () if wanted is None else wanted:
        if name in stream.left_out:
            raise InputError(stream.left_out[name])
        if name not in known:
            have = ", ".join(known[:20]) or "none"
            raise InputError(f"There is no column '{name}' that was not randomised: choose among {have}.", quoted=have)
    unread = () if wanted is None else set(beside) - set(wanted)
    return BatchColumns(tuple(name for name in names if name not in unread), known)


def text_table(batch: Batch, title: str = "") -> TextTable:
    """A batch as a table of texts; those of a column need not differ, nor stand in order."""
    return TextTable(tuple(_texts(name, batch.column(name)) for name in batch.schema.names), title)


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


def _from_stream(stream: Stream, name: str, how: HowToRead, receipts: set[str], report: Report) -> AnswersFile:
    """All rows of a table that is read in batches."""
    from rrcore.table.stream.spread import work_through

    own = replace(how, batches=True)
    columns = batch_columns(stream, own, None)
    held: list[TextTable] = []

    def look(piece: Any, *, report: Report = quiet) -> None:
        more = (RELEASE,) if RELEASE in stream.names else ()
        held.extend(text_table(batch) for batch in piece.batches((*columns.names, *more), report=report))

    for _ in work_through(look, stream, None, report):
        pass
    whole = TextTable(together([table.columns for table in held]), stream.title, stream.notes, mark=stream.mark(how.schema.names))
    return _from_table(whole, None, name, own, receipts)
