"""One pass over the answers of any source: each file is checked, and its rows are held or counted."""

from __future__ import annotations

import functools
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

import numpy as np

from rrcore.answers.formlines import FormLines, starts_as_lines
from rrcore.answers.lines import OTHER_FILE, UNUSABLE
from rrcore.answers.returned import open_export
from rrcore.answers.rows import HANDED_IN, AnswerRows, LeftOut, rows_of_lines, rows_of_table, text_table
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.mark import RELEASE, take_mark
from rrcore.progress import Report, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import Trailer, check_trailers, handed_in_before
from rrcore.table.reading.options import Export
from rrcore.table.scanning import held_stream, through
from rrcore.table.source import HeldPiece, Piece, Source
from rrcore.table.text_table import TextTable

Content = bytes | TextTable | Source | FormLines
"""What holds answers."""


@dataclass(frozen=True, eq=False)
class AnswerSource:
    """Answers that are read batch by batch.

    Parameters
    ----------
    content : a table, or lines of the form
    name : what messages call the file
    export : what is known of the survey tool that wrote it
    mark : the mark of a simulation. See ``rrcore.mark``
    """

    content: Source | FormLines
    name: str
    export: Export | None = None
    mark: str = ""


def open_source(content: Content, name: str, mechanism: MechanismFile, encoding: str = "") -> AnswerSource:
    """Open answers of any kind.

    Raises
    ------
    InputError
        If they are in memory and cannot be read.
    """
    answers, export = mechanism.reports.names, None
    if isinstance(content, Source):
        return AnswerSource(content, name, mark=content.marks(answers))
    if isinstance(content, FormLines):
        return AnswerSource(content, name)
    if isinstance(content, bytes):
        if len(content) > MAX_FILE_BYTES:
            raise InputError(
                f"The file '{name}' has {len(content) / 2**20:,.1f} MB, the limit is {MAX_FILE_BYTES // 2**20} MB: split it."
            )
        if starts_as_lines(content):
            return AnswerSource(FormLines("", name, content), name)
        content, export = open_export(content, name, encoding)
    table, mark = take_mark(content, answers)
    return AnswerSource(held_stream(table, name), name, export, mark)


@dataclass
class Gathered(ABC):
    """Rows that were read so far.

    Parameters
    ----------
    rows : number of rows, whether used or not
    left : why rows are left out -> how many, and the number of the first
    unmatched : the same of answers that count as missing because they are none of the reports
    words : what the column of trailers says, and how often
    """

    rows: int = field(default=0, init=False)
    left: dict[str, tuple[int, int]] = field(default_factory=dict, init=False)
    unmatched: dict[str, tuple[int, int]] = field(default_factory=dict, init=False)
    words: dict[str, int] = field(default_factory=dict, init=False)

    def add_rows(self, found: AnswerRows, rows: int) -> None:
        """Take rows that follow those before; they are numbered from 1."""
        _add(self.left, found.left, self.rows)
        _add(self.unmatched, found.unmatched, self.rows)
        if len(found.codes):
            self._take(found)
        self.rows += rows

    def join(self, other: Self) -> None:
        """Add rows that follow these."""
        for own, found in ((self.left, other.left), (self.unmatched, other.unmatched)):
            _add(own, ((reason, times, first) for reason, (times, first) in found.items()), self.rows)
        self.rows += other.rows
        for text, times in other.words.items():
            self.words[text] = self.words.get(text, 0) + times
        self._join(other)

    def leave_out(self, why: str) -> Self:
        """The same rows, none of which is used."""
        found = self._without()
        found.rows, found.left = self.rows, {why: (self.rows, 1)}
        return found

    @abstractmethod
    def settle(self) -> None:
        """Bring together what was found so far."""

    @abstractmethod
    def _take(self, rows: AnswerRows) -> None: ...

    @abstractmethod
    def _join(self, other: Self) -> None: ...

    @abstractmethod
    def _without(self) -> Self: ...


@dataclass
class HeldRows(Gathered):
    """Rows that are held."""

    held: list[AnswerRows] = field(default_factory=list)

    def _take(self, rows: AnswerRows) -> None:
        self.held.append(rows)

    def _join(self, other: HeldRows) -> None:
        self.held += other.held

    def settle(self) -> None:
        """Leave the rows as they are."""

    def _without(self) -> HeldRows:
        return HeldRows([replace(rows, codes=np.full(rows.codes.shape, UNUSABLE, np.int8)) for rows in self.held])


G = TypeVar("G", bound=Gathered)


def gather(
    source: AnswerSource,
    mechanism: MechanismFile,
    columns: Sequence[str],
    begin: Callable[[], G],
    receipts: set[str],
    *,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Iterator[tuple[str, str, G]]:
    """Read the rows of a source.

    Parameters
    ----------
    source : AnswerSource
    mechanism : MechanismFile
    columns : of a table, those that are read
    begin : makes what rows are gathered in. Picklable
    receipts : of answers that were read before. Those that are used are added
    executor : where pieces are read. None is this process
    report : called with the fraction of the bytes that is read

    Yields
    ------
    tuple of str, str, Gathered
        The path of each file, what messages call a row of it, and its rows.

    Raises
    ------
    InputError
        If a file is cut short, or a column is missing.
    """
    stream = source.content
    if isinstance(stream, FormLines):
        found = begin()
        for content, lines in stream.parts():
            found.add_rows(rows_of_lines(content, source.name, mechanism, receipts), lines)
        yield source.name, "line", found
        return
    released = RELEASE in stream.names
    one = functools.partial(read_piece, begin, mechanism, (*columns, *((RELEASE,) if released else ())), source.export)
    results = zip(stream.parts, through(one, stream.parts, executor, report), strict=True)
    for path, parts in itertools.groupby(results, lambda part: part[0].content.name):
        found = begin()
        for _, part in parts:
            found.join(part)
        if released:
            texts = [text for text, times in found.words.items() for _ in range(times)]
            why = _why_left_out(check_trailers(texts, found.rows, path), mechanism, receipts, path)
            found = found.leave_out(why) if why else found
        yield path, "record", found


def read_piece(
    begin: Callable[[], G],
    mechanism: MechanismFile,
    names: tuple[str, ...],
    export: Export | None,
    piece: Piece,
    *,
    report: Report = quiet,
) -> Iterator[G]:
    """Yield the rows of one piece, of which the columns ``names`` are read."""
    found = begin()
    for batch in piece.batches(names, report=report):
        table = text_table(batch)
        kept = tuple(column for column in table.columns if column.name != RELEASE)
        for column in table.columns[len(kept) :]:
            for code in column.codes[column.codes >= 0].tolist():
                found.words[column.values[code]] = found.words.get(column.values[code], 0) + 1
        whole = isinstance(piece, HeldPiece)
        found.add_rows(rows_of_table(replace(table, columns=kept), export, piece.content.name, mechanism, whole=whole), table.n)
    found.settle()
    yield found


def _why_left_out(words: Sequence[Trailer], mechanism: MechanismFile, receipts: set[str], name: str) -> str:
    """Why no row of a table with these trailers is used; empty where some may be."""
    if handed_in_before(words, receipts, name):
        return HANDED_IN
    return OTHER_FILE if mechanism.sha256 not in {word.mechanism for word in words} else ""


def _add(known: dict[str, tuple[int, int]], found: Iterable[LeftOut], before: int) -> None:
    """Add rows that follow ``before`` others."""
    for reason, times, first in found:
        rows, place = known.get(reason, (0, before + first))
        known[reason] = (rows + times, place)
