"""Answers that were collected: read from files, checked against the mechanism file, and counted. No truth anywhere."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from rrcore.answers.columns import SIMPLE, SampleColumns, together
from rrcore.arrays import Booleans, Codes, Integers, code_type
from rrcore.asking.exchange.returned import find_columns, further_codes, open_export
from rrcore.errors import InputError
from rrcore.estimate import Countable, Release, Sample
from rrcore.limits import MAX_FILE_BYTES, MAX_ROWS
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import handed_in_before, take_trailers
from rrcore.table.dataset import Dataset, codes_of
from rrcore.table.mark import check_true, marks_in, take_mark
from rrcore.table.reading import TextColumn, TextTable
from rrcore.table.reading.exports import Export
from rrcore.table.reading.lines import OTHER_FILE, UNUSABLE, Question, read_lines
from rrcore.table.schema import Attribute, Schema

_MISSING, _UNUSABLE = -1, UNUSABLE  # codes of an answer that is not there, and of one that makes its row useless


HANDED_IN = "an answer that was handed in before"
"""Why a second copy of an answer is left out."""


@dataclass(frozen=True)
class Rejected:
    """Rows that were left out for one reason.

    Parameters
    ----------
    reason : str
    rows : int, how many
    first : the first of them, as "row 12 of survey.csv"
    """

    reason: str
    rows: int
    first: str


class Collected(Countable[MechanismFile]):
    """Collected answers, with their records or only their counts, and what reading them did.

    ``sample`` is None for a simple random sample, ``groupings`` are columns that were not randomised, ``rejected`` says what was left out.
    """

    sample: Sample | None
    groupings: tuple[TextColumn, ...]
    rejected: tuple[Rejected, ...]
    notes: tuple[str, ...]

    @property
    @abstractmethod
    def title(self) -> str:
        """Where they come from."""

    @property
    @abstractmethod
    def mark(self) -> str:
        """The mark of what was simulated and not collected; see ``rrcore.table.mark``. Empty for collected answers."""

    @property
    @abstractmethod
    def incomplete(self) -> int:
        """Number of records of which some answers are missing: each is used where what is missing is not needed."""

    @property
    def schema(self) -> Schema:
        return self.mechanism.schema

    @property
    def left_out(self) -> int:
        """Number of rows that were rejected."""
        return sum(rejected.rows for rejected in self.rejected)


@dataclass(frozen=True, eq=False)
class Answers(Release[MechanismFile], Collected):
    """Collected records with the mechanism file that they were randomised by.

    Parameters
    ----------
    dataset, mechanism : as in ``Release``
    groupings : columns of the files that were not randomised, cut to the n records, those of ``dataset`` first; for estimates by group
    rejected : what was left out, and why
    silent : the same columns of people who gave no answer at all; they are left out, and weights may let others stand for them
    columns : which columns ``sample`` was read from, by ``with_sample``
    notes : sentences about what reading did
    mark : as in ``Collected``

    Examples
    --------
    >>> from rrcore.answers.example import nigeria
    >>> answers = nigeria()  # asked with a die in the Niger Delta
    >>> answers.n, answers.left_out
    (2435, 22)
    >>> low, high = answers.estimate(["connected to an armed group"]).interval(population=True)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.709, 0.234], [0.766, 0.291])
    """

    groupings: tuple[TextColumn, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    notes: tuple[str, ...] = ()
    silent: tuple[TextColumn, ...] = ()
    columns: SampleColumns = SIMPLE
    mark: str = ""

    @property
    def title(self) -> str:
        return self.dataset.title

    @property
    def schema(self) -> Schema:
        return self.mechanism.schema

    @property
    def incomplete(self) -> int:
        return self.n - self.dataset.n

    def split(self, name: str) -> dict[str, Answers]:
        """The answers by the values of the grouping column ``name``; people without a value are left out."""
        (column,) = (column for column in self.groupings if column.name == name)
        whole, parts = self.dataset.n, {}
        for code, value in enumerate(column.values):
            rows = np.flatnonzero(column.codes == code)
            complete = rows[rows < whole]
            if complete.size:
                own = Dataset(self.dataset.schema, self.dataset.codes[complete], f"{name}: {value}")
                partial = None if self.partial is None else self.partial[rows[rows >= whole] - whole]
                sample = None if self.sample is None else self.sample.take(rows)
                parts[value] = replace(
                    self, dataset=own, partial=partial, sample=sample, groupings=(), rejected=(), silent=(), _counted={}
                )
        return parts


def read_answers(
    files: Iterable[tuple[bytes | TextTable, str]], mechanism: MechanismFile, *, true: bool = False, encoding: str = ""
) -> Answers:
    """Read collected answers.

    Parameters
    ----------
    files : (content, name) each
        Tables (CSV, XLSX, Parquet, ...) with one column for every attribute of the mechanism, or JSON lines as the respondents' form
        writes them; or a table of texts that was read already.
    mechanism : MechanismFile
    true : whether these are the answers before they are randomised, so categories as they were asked, and not reports; rows with some
        answers missing are then left out, which otherwise are kept for the marginals that do not need what is missing
    encoding : str, decides where the text of a table is UTF-8 in some places and not in others, as in ``Layout``

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
    """
    schema = mechanism.schema if true else mechanism.reports
    receipts: set[str] = set()  # a line that was handed in twice counts once, in whichever files
    found = [_read(content, name, mechanism, schema, true, receipts, encoding) for content, name in files]
    if not found:
        raise InputError("No file is given: choose at least one file of answers.")
    codes = np.concatenate([part.codes for part in found])
    if len(codes) > MAX_ROWS:
        raise InputError(f"The files have {len(codes):,} rows together, the limit is {MAX_ROWS:,}. Leave some out.")
    fine, gone = (codes >= 0).all(axis=1), codes == _MISSING
    some = gone.any(axis=1) & (codes >= _MISSING).all(axis=1) & ~gone.all(axis=1) & (not true)
    reasons: dict[str, Rejected] = {}
    for part in found:
        for rejected in part.rejected:
            known = reasons.get(rejected.reason)
            reasons[rejected.reason] = replace(known, rows=known.rows + rejected.rows) if known else rejected
    listed = tuple(sorted(reasons.values(), key=lambda rejected: -rejected.rows))
    if not fine.any():
        worst = f" Most often: {listed[0].reason} ({listed[0].first})." if listed else " Each of them lacks some answer."
        raise InputError(
            f"None of the {len(codes):,} rows can be used.{worst} Check that the mechanism file belongs to these answers."
        )
    table = Dataset(schema, codes[fine], found[0].title if len(found) == 1 else f"{len(found)} files")
    groupings = together([part.groupings for part in found])
    order = np.concatenate([np.flatnonzero(fine), np.flatnonzero(some)])
    notes = tuple(dict.fromkeys(note for part in found for note in part.notes))
    return Answers(
        table,
        mechanism,
        _cut(groupings, order),
        listed,
        notes,
        _cut(groupings, np.flatnonzero(gone.all(axis=1))),
        partial=codes[some] if some.any() else None,
        mark=marks_in(part.mark for part in found),
    )


def _cut(columns: Iterable[TextColumn], rows: Integers) -> tuple[TextColumn, ...]:
    return tuple(TextColumn(column.name, column.codes[rows], column.values) for column in columns)


"""What to do about true answers that cannot be randomised; a mechanism file knows its categories, not what they were made of."""


@dataclass(frozen=True)
class _Part:
    """One file: codes with -1 where an answer is missing and -2 where it cannot be used, and why rows are left out."""

    codes: Codes
    title: str
    groupings: tuple[TextColumn, ...]
    rejected: list[Rejected]
    notes: tuple[str, ...] = ()
    mark: str = ""


def starts_as_lines(content: bytes) -> bool:
    """Whether ``content`` is not a table but JSON lines."""
    return content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def _read(
    content: bytes | TextTable,
    name: str,
    mechanism: MechanismFile,
    schema: Schema,
    whole: bool,
    receipts: set[str],
    encoding: str,
) -> _Part:
    if isinstance(content, TextTable):
        return _from_table(content, None, name, mechanism, schema, whole, receipts)
    if len(content) > MAX_FILE_BYTES:
        raise InputError(
            f"The file '{name}' has {len(content) / 2**20:,.1f} MB, the limit is {MAX_FILE_BYTES // 2**20} MB: split it."
        )
    if starts_as_lines(content):
        return _from_lines(content, name, mechanism, schema, receipts)
    return _from_table(*open_export(content, name, encoding), name, mechanism, schema, whole, receipts)


def _from_table(
    table: TextTable, export: Export | None, name: str, mechanism: MechanismFile, schema: Schema, whole: bool, receipts: set[str]
) -> _Part:
    table, words = take_trailers(table, name)
    table, mark = take_mark(table, schema.names)
    if whole:
        check_true(mark, name)
    if words and whole:
        raise InputError(f"The file '{name}' holds answers that are randomised already: choose the table of true answers.")
    found = find_columns(table, export, schema, name)
    codes = np.full((table.n, len(schema.attributes)), _MISSING, dtype=code_type(max(schema.sizes)), order="F")
    reasons: list[tuple[Booleans, str]] = []
    others = np.full(table.n, bool(words) and mechanism.sha256 not in {word.mechanism for word in words})
    again = np.full(table.n, handed_in_before(words, receipts, name))
    reasons += [(others, OTHER_FILE), (again, HANDED_IN)]
    if found.mechanism is not None:
        others |= np.array([value != mechanism.sha256 for value in found.mechanism.values] + [True])[found.mechanism.codes]
    for i, (attribute, column) in enumerate(zip(schema.attributes, found.answers, strict=True)):
        lookup = codes_of(attribute, column.values)
        if export is not None or found.mechanism is not None:
            lookup = further_codes(attribute, column, lookup, export, name)
        code_of = np.array([lookup.get(value, _UNUSABLE) for value in column.values] + [_MISSING], dtype=codes.dtype)
        codes[:, i] = code_of[column.codes]
        if whole or len(schema.attributes) == 1:
            reasons.append((codes[:, i] == _MISSING, f"no answer to '{attribute.name}'"))
        reasons.append((codes[:, i] == _UNUSABLE, _unknown(attribute, mechanism)))
    reasons.append(((codes == _MISSING).all(axis=1), "no answer to any question"))
    rejected, done = [], np.zeros(table.n, dtype=np.bool_)
    for hit, reason in reasons:
        rows = np.flatnonzero(hit & ~done)
        done |= hit
        if rows.size:
            rejected.append(Rejected(reason, int(rows.size), f"record {rows[0] + 1} of {name}"))
    codes[others | again] = _UNUSABLE
    return _Part(codes, table.title, found.groupings, rejected, table.notes, mark)


def _unknown(expected: Attribute, mechanism: MechanismFile) -> str:
    what = "categories" if expected in mechanism.schema.attributes else "reports"
    return f"an answer to '{expected.name}' that is not one of its {what}"


def _from_lines(content: bytes, name: str, mechanism: MechanismFile, schema: Schema, receipts: set[str]) -> _Part:
    questions = [Question(each.name, codes_of(each), _unknown(each, mechanism)) for each in schema.attributes]
    found = read_lines(content, name, mechanism.sha256, questions)
    codes, again = found.codes, []
    for row, receipt in enumerate(found.receipts):
        if receipt is not None and receipt in receipts:
            again.append(row)
        elif receipt is not None:
            receipts.add(receipt)
    codes[again] = _UNUSABLE
    left = [*found.rejected, *([(HANDED_IN, len(again), int(found.numbers[again[0]]))] if again else [])]
    rejected = [Rejected(reason, lines, f"line {first} of {name}") for reason, lines, first in left]
    return _Part(codes, name, (), rejected)
