"""Read collected answers as records, or as counts if there are too many.

One pass checks every file and row in either case.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rrcore.answers.answers import Answers, Rejected
from rrcore.answers.counting import Counting, Kinds, put
from rrcore.answers.json_lines import OTHER_FILE, FormLines, open_answers, starts_as_lines
from rrcore.answers.rows import (
    HANDED_IN,
    AnswerRows,
    LeftOut,
    batch_columns,
    columns_of_lines,
    open_export,
    rows_of_lines,
    rows_of_table,
    text_table,
)
from rrcore.answers.sample_design import sample_of
from rrcore.answers.unrandomized import SIMPLE, SampleColumns, check_extra, lacking_column, together
from rrcore.errors import InputError
from rrcore.estimate import Release, Rows
from rrcore.estimate.shrinkage import listed_sets
from rrcore.files import read_path
from rrcore.limits import MAX_FILE_BYTES, MAX_ROWS
from rrcore.mark import RELEASE, marks_in, take_mark
from rrcore.progress import Report, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import Trailer, check_trailers, handed_in_before
from rrcore.table.opening import read_in_batches
from rrcore.table.reading.arrow import ArrowStream, open_arrow
from rrcore.table.reading.exports import Export
from rrcore.table.scanning import cover, gathered, held_stream, through
from rrcore.table.source import HeldPiece, Piece, Source
from rrcore.table.text_table import TextTable

Content = bytes | TextTable | Source | FormLines
"""What holds answers."""

Given = str | PathLike[str] | ArrowStream | tuple[Content, str]
"""Source of answers: a path, a data frame, or content with a name."""

_FEW_CELLS = 1 << 8  # of a set of attributes, where people also differ in other columns


def read_answers(
    files: Given | bytes | Iterable[Given],
    mechanism: MechanismFile | str | PathLike[str],
    *,
    keep_columns: str | Sequence[str] | None = None,
    encoding: str = "",
    report: Report = quiet,
) -> Answers:
    """Read collected answers as records.

    Rows that cannot be used are left out and counted.

    Parameters
    ----------
    files : path, data frame, bytes, (content, name), or a list of these
        Tables with a column for every attribute of the mechanism, or JSON lines as the respondents' form writes them. A data frame is a table
        of pandas, polars, pyarrow or any library with ``__arrow_c_stream__``.
    mechanism : MechanismFile or path
        How the answers were randomized.
    keep_columns : str or list of str, optional
        Unrandomized columns to keep. The default is all columns that every file has.
    encoding : str
        Encoding of texts that are not UTF-8 throughout, as in ``ReadOptions``.
    report : callable
        Called with the completed fraction of each large table.

    Returns
    -------
    Answers
        The answers with their mechanism.

    Raises
    ------
    InputError
        If a file has other content, or no row can be used.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> file = rr.MechanismFile.from_plan(rr.Plan(table, epsilon=2.0))
    >>> released = rr.randomize(table, file)
    >>> answers = rr.read_answers(released.to_arrow(), file)  # or to_pandas(), or the path of a file
    >>> answers.n, answers.left_out
    (2201, 0)
    """
    file, keep_columns = MechanismFile.given(mechanism), [keep_columns] if isinstance(keep_columns, str) else keep_columns
    receipts: set[str] = set()  # a line that was handed in twice counts once, in whichever files
    found, sources = list[_Found](), list[AnswerSource]()
    for content, name in _contents(files):
        source = open_source(content, name, file, encoding)
        sources.append(source)
        columns: Sequence[str] = ()
        if isinstance(source.content, Source):
            columns, _ = batch_columns(source.content, file, keep_columns, source.export)
        found += gather(source, file, columns, None, receipts, report=report)
    total = Gathered()
    for each in found:
        total.join(each.rows)
    check_usable(sources, found, total.seen, total.used - total.incomplete)
    if total.seen > MAX_ROWS:
        raise InputError(
            f"The files contain {total.seen:,} rows in total, but at most {MAX_ROWS:,} are allowed. Leave some files out."
        )
    known = tuple(
        column
        for column in together([rows.groupings for rows in total.held])
        if keep_columns is None or column.name in keep_columns
    )
    rows = Rows(file.reports, np.concatenate([rows.codes for rows in total.held]), extra=known)
    return _answers(Release((rows,), file), sources, found, total.incomplete)


def count_answers(
    sources: Iterable[Source | FormLines],
    mechanism: MechanismFile,
    marginals: Sequence[Sequence[str]],
    *,
    sample: SampleColumns = SIMPLE,
    by: str = "",
    executor: Executor | None = None,
    report: Report = quiet,
) -> Answers:
    """Count collected answers of any size in one pass.

    The result has counts of people with the same answers instead of records.

    Parameters
    ----------
    sources : tables with a column for every attribute of the mechanism, and lines of the form
    mechanism : MechanismFile
    marginals : sets of attribute names for which you want estimates
    sample : columns that describe the sample
    by : name of the column by which you want to ``split`` the answers
    executor : executor that counts pieces; None counts in this process
    report : called with the fraction of bytes read, for each table in turn

    Raises
    ------
    InputError
        If a column does not exist, a file is truncated, no row can be used, or there are too many kinds of people.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rrcore as rr
    >>> from rrcore.budget import build
    >>> from rrcore.promise import integer_groups
    >>> from rrcore.answers import count_answers
    >>> from rrcore.table.opening import open_stream
    >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> file = rr.MechanismFile(table.schema, integer_groups(build("independent", (2, 2), [1.0, 1.0])))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder, "released.csv")
    ...     _ = place.write_text(rr.randomize(table, file).to_csv())
    ...     answers = count_answers([open_stream(place)], file, [("Sex", "Survived")])
    >>> answers.n, answers.estimate(["Survived"]).shares.shape
    (2201, (2,))
    """
    given = [open_source(each, each.title, mechanism) for each in sources]
    schema, receipts, found = mechanism.reports, set[str](), list[_Found]()
    wanted = [schema.axes(names) for names in marginals]
    wanted += [axes for width in range(2, max(map(len, wanted)) + 1) for axes in listed_sets(schema.sizes, width)]
    keys = tuple(dict.fromkeys(name for name in (sample.strata, sample.clusters, by) if name))
    needed = list(dict.fromkeys((*keys, *([sample.weights] if sample.weights else []))))
    counting = Counting(tuple(cover(schema.sizes, wanted, **({"most": _FEW_CELLS} if keys else {}))), keys, sample.weights)
    total = Gathered(counting)
    for source in given:
        columns: Sequence[str] = ()
        if isinstance(source.content, Source):
            columns, _ = batch_columns(source.content, mechanism, needed)
        else:
            check_extra(needed, columns_of_lines(source.content, mechanism))
        for each in gather(source, mechanism, columns, counting, receipts, executor=executor, report=report):
            total.join(each.rows)
            each.rows.kinds = []
            found.append(each)
    check_usable(given, found, total.seen, total.used)
    if total.lacking:
        raise lacking_column(sample.weights, "weights", total.lacking)
    blocks = []
    for axes, parts in zip(counting.blocks, total.kinds, strict=True):
        kinds = Kinds.together(parts)
        rows = Rows(schema.select(schema.names[i] for i in axes), kinds.codes, kinds.sums[0].astype(np.int64), extra=kinds.keys)
        weighted = (kinds.sums[1], kinds.sums[2]) if sample.weights else None
        blocks.append(replace(rows, sample=sample_of(rows, sample, weighted)))
    return replace(_answers(Release(tuple(blocks), mechanism), given, found, total.incomplete), columns=sample)


@dataclass(frozen=True, eq=False)
class AnswerSource:
    """A source of answers that is read in batches.

    Parameters
    ----------
    content : a table, or lines of the form
    name : name of the file in messages
    export : information about the survey tool that wrote the file
    mark : mark of a simulation, see ``rrcore.mark``
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
        If content in memory cannot be read.
    """
    answers, export = mechanism.reports.names, None
    if isinstance(content, Source):
        return AnswerSource(content, name, mark=content.marks(answers))
    if isinstance(content, FormLines):
        return AnswerSource(content, name)
    if isinstance(content, bytes):
        if len(content) > MAX_FILE_BYTES:
            raise InputError(
                f"The file '{name}' is {len(content) / 2**20:,.1f} MB, but at most {MAX_FILE_BYTES // 2**20} MB are "
                "allowed. Split it."
            )
        if starts_as_lines(content):
            return AnswerSource(FormLines("", name, content), name)
        content, export = open_export(content, name, encoding)
    table, mark = take_mark(content, answers)
    return AnswerSource(held_stream(table, name), name, export, mark)


def _contents(files: Given | bytes | Iterable[Given]) -> Iterator[tuple[Content, str]]:
    """What the files hold, and what they are called."""
    one = isinstance(files, str | PathLike | tuple | bytes) or hasattr(files, "__arrow_c_stream__")
    given: Any = [files] if one else files
    for each in given:
        if isinstance(each, tuple):
            yield each
        elif isinstance(each, bytes):
            yield each, "answers"
        elif isinstance(each, str | PathLike):
            name = Path(each).name
            yield (open_answers(Path(each), name), name) if read_in_batches(str(each)) else read_path(each)
        elif hasattr(each, "__arrow_c_stream__"):
            yield gathered(open_arrow(each)[0], "table"), "table"
        else:
            raise InputError(
                f"Expected answers, got {type(each).__name__}. Pass a path, or a table from pandas, polars or pyarrow."
            )


@dataclass
class Gathered:
    """Rows that have been read so far, as records or counts.

    Parameters
    ----------
    counting : Counting, optional
        Specification of the counts. By default, the rows are stored.
    rows : number of rows, used or not
    seen, used, incomplete, lacking : numbers of rows that may have answers, have an answer, lack an answer, and lack a weight
    left : for every reason to leave out rows: their number, and the number of the first row
    unmatched : the same for answers that count as missing because they match no report
    words : strings in the column of trailers, with their frequency
    held : stored rows with an answer
    kinds : the counts of each block
    """

    counting: Counting | None = None
    rows: int = 0
    seen: int = 0
    used: int = 0
    incomplete: int = 0
    lacking: int = 0
    left: dict[str, tuple[int, int]] = field(default_factory=dict)
    unmatched: dict[str, tuple[int, int]] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    held: list[AnswerRows] = field(default_factory=list)
    kinds: list[list[Kinds]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kinds = self.kinds or [[] for _ in (self.counting.blocks if self.counting else ())]

    def add(self, found: AnswerRows, rows: int) -> None:
        """Add the next rows, which are numbered from 1."""
        _add(self.left, found.left, self.rows)
        _add(self.unmatched, found.unmatched, self.rows)
        usable = found.usable()
        self.rows, self.seen, self.used = self.rows + rows, self.seen + len(found.codes), self.used + len(usable.codes)
        self.incomplete += int((usable.codes < 0).any(axis=1).sum())
        if self.counting is None:
            self.held.append(usable)
        elif len(usable.codes):
            self.lacking += sum(each.missing for each in usable.groupings if each.name == self.counting.weights)
            for own, kinds in zip(self.kinds, self.counting.kinds(usable), strict=True):
                put(own, kinds)

    def join(self, other: Gathered) -> None:
        """Add the rows of another part, which follow these."""
        for own, found in ((self.left, other.left), (self.unmatched, other.unmatched)):
            _add(own, ((reason, times, first) for reason, (times, first) in found.items()), self.rows)
        for what in ("rows", "seen", "used", "incomplete", "lacking"):
            setattr(self, what, getattr(self, what) + getattr(other, what))
        for text, times in other.words.items():
            self.words[text] = self.words.get(text, 0) + times
        self.held += other.held
        for mine, parts in zip(self.kinds, other.kinds, strict=True):
            for part in parts:
                put(mine, part)


@dataclass(frozen=True)
class _Found:
    """The rows of one file, and what messages call the file and a row of it."""

    path: str
    what: str
    rows: Gathered


def gather(
    source: AnswerSource,
    mechanism: MechanismFile,
    columns: Sequence[str],
    counting: Counting | None,
    receipts: set[str],
    *,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Iterator[_Found]:
    """Read the rows of a source and yield those of each file.

    Parameters
    ----------
    columns : columns of a table that are read
    counting : specification of the counts, or None to store the rows
    receipts : receipts of answers that were read before; those of used rows are added

    Raises
    ------
    InputError
        If a file is truncated or a column is missing.
    """
    stream, found = source.content, Gathered(counting)
    if isinstance(stream, FormLines):
        for content, lines in stream.parts():
            found.add(rows_of_lines(content, source.name, mechanism, receipts), lines)
        yield _Found(source.name, "line", found)
        return
    released = RELEASE in stream.names
    one = functools.partial(_read_piece, counting, mechanism, (*columns, *((RELEASE,) if released else ())), source.export)
    results = zip(stream.parts, through(one, stream.parts, executor, report), strict=True)
    for path, parts in itertools.groupby(results, lambda part: part[0].content.name):
        found = Gathered(counting)
        for _, part in parts:
            found.join(part)
        if released:
            texts = [text for text, times in found.words.items() for _ in range(times)]
            why = _why_left_out(check_trailers(texts, found.rows, path), mechanism, receipts, path)
            if why:
                found = Gathered(counting, found.rows, found.seen, left={why: (found.rows, 1)})
        yield _Found(path, "record", found)


def _read_piece(
    counting: Counting | None,
    mechanism: MechanismFile,
    names: tuple[str, ...],
    export: Export | None,
    piece: Piece,
    *,
    report: Report = quiet,
) -> Iterator[Gathered]:
    """Yield the rows of one piece, reading only the columns ``names``."""
    found, whole = Gathered(counting), isinstance(piece, HeldPiece)
    for batch in piece.batches(names, report=report):
        table = text_table(batch)
        kept = tuple(column for column in table.columns if column.name != RELEASE)
        for column in table.columns[len(kept) :]:
            for code in column.codes[column.codes >= 0].tolist():
                found.words[column.values[code]] = found.words.get(column.values[code], 0) + 1
        found.add(rows_of_table(replace(table, columns=kept), export, piece.content.name, mechanism, whole=whole), table.n)
    found.kinds = [[Kinds.together(parts)] if parts else [] for parts in found.kinds]
    yield found


def _why_left_out(words: Sequence[Trailer], mechanism: MechanismFile, receipts: set[str], name: str) -> str:
    """Return why no row of a table with these trailers can be used, or an empty string."""
    if handed_in_before(words, receipts, name):
        return HANDED_IN
    return OTHER_FILE if mechanism.sha256 not in {word.mechanism for word in words} else ""


def _add(known: dict[str, tuple[int, int]], found: Iterable[LeftOut], before: int) -> None:
    """Add rows that follow ``before`` others."""
    for reason, times, first in found:
        rows, place = known.get(reason, (0, before + first))
        known[reason] = (rows + times, place)


def _answers(
    release: Release[MechanismFile], sources: Sequence[AnswerSource], found: Sequence[_Found], incomplete: int
) -> Answers:
    """Return the release with what was found about the files."""
    return Answers(
        release,
        sources[0].content.title if len(sources) == 1 else f"{len(sources)} files",
        incomplete,
        _rejected(found),
        _rejected(found, unmatched=True),
        tuple(dict.fromkeys(note for source in sources for note in source.content.notes)),
        marks_in(source.mark for source in sources),
    )


def _rejected(files: Sequence[_Found], *, unmatched: bool = False) -> tuple[Rejected, ...]:
    """Return every reason once, the most frequent first.

    If ``unmatched``, the reasons are those for counting answers as missing.
    """
    reasons: dict[str, Rejected] = {}
    for each in files:
        for reason, (rows, first) in (each.rows.unmatched if unmatched else each.rows.left).items():
            known = reasons.get(reason, Rejected(reason, 0, f"{each.what} {first} of {Path(each.path).name}"))
            reasons[reason] = replace(known, rows=known.rows + rows)
    return tuple(sorted(reasons.values(), key=lambda each: -each.rows))


def check_usable(sources: Sequence[AnswerSource], found: Sequence[_Found], seen: int, used: int) -> None:
    """Raise InputError if no row can be used."""
    if not sources:
        raise InputError("No file was given. Choose at least one file of answers.")
    if not used:
        most = max((*_rejected(found), *_rejected(found, unmatched=True)), key=lambda each: each.rows, default=None)
        worst = f" The most frequent problem: {most.reason} ({most.first})." if most else " Each of them lacks some answer."
        raise InputError(f"None of the {seen:,} rows can be used.{worst} Check that the mechanism file belongs to these answers.")
