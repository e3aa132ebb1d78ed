"""Collected answers of any size: their records are looked at once, in batches, and kinds of people are counted and not kept apart."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from pathlib import Path
from typing import cast

from rrcore.answers.answers import Answers, Collected, Rejected
from rrcore.answers.columns import SIMPLE, SampleColumns, lacking
from rrcore.answers.formlines import FormLines
from rrcore.answers.reading import (
    GROUP,
    HowToRead,
    batch_columns,
    check_groups,
    check_usable,
    left_out,
    note_of_groups,
    rows_of_lines,
    rows_of_table,
    text_table,
    why_left_out,
)
from rrcore.answers.tabulating import Tabulated, Tabulation
from rrcore.arrays import Floats, Integers
from rrcore.channel import Channel
from rrcore.errors import InputError
from rrcore.estimate import Estimate, Sample
from rrcore.estimate.sample import Spread
from rrcore.limits import MAX_CELLS, MAX_COUNTED_MARGINALS, MAX_PAGE_MARGINAL
from rrcore.promise.groups import MechanismGroups, Survey
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import RELEASE, check_trailers
from rrcore.table.counts import Counts, Names
from rrcore.table.dataset import Dataset
from rrcore.table.mark import marks_in
from rrcore.table.reading import TextColumn
from rrcore.table.schema import Schema
from rrcore.table.stream import Piece, Stream
from rrcore.table.stream.counting import cover
from rrcore.table.stream.kept import Kept, Place, digest, kept_beside
from rrcore.table.stream.spread import work_through
from rrcore.work import Report, new_file, quiet

_FEW_CELLS = 1 << 8  # of a block of attributes, where people also differ in other columns


@dataclass(frozen=True, eq=False)
class CountedAnswers(Collected):
    """Collected answers of which kinds of people are held, and not each of them.

    Parameters
    ----------
    mechanism : MechanismFile, or MechanismGroups
    blocks : Answers of which each row is a kind of people, for some attributes each; together they have the wanted marginals
    wanted : names of the attributes of these marginals
    title, rejected, notes, mark, incomplete : as in ``Collected``
    beside : names of the columns that were not randomised
    tabulated : by what kinds are told apart
    columns : which columns ``sample`` was read from, by ``with_sample``
    """

    mechanism: MechanismFile
    blocks: tuple[Answers, ...]
    wanted: tuple[Names, ...] = ()
    title: str = ""
    rejected: tuple[Rejected, ...] = ()
    notes: tuple[str, ...] = ()
    mark: str = ""
    incomplete: int = 0
    beside: tuple[str, ...] = ()
    tabulated: Tabulated | None = None
    columns: SampleColumns = SIMPLE
    sample: Sample | None = None

    @property
    def n(self) -> int:
        return self.blocks[0].n

    @property
    def table(self) -> Counts:
        """The counts of the wanted marginals."""
        tables = {names: self.counts(names) for names in self.wanted}
        return Counts(self.reports, self.n, tables, left_out=self.left_out, incomplete=self.incomplete, mark=self.mark)

    def knows(self, names: Sequence[str]) -> bool:
        """Whether the marginal over ``names`` was counted, or a wider one."""
        return any(set(names) <= set(block.dataset.schema.names) for block in self.blocks)

    @property
    def groupings(self) -> tuple[TextColumn, ...]:
        return ()

    @property
    def numeric(self) -> tuple[str, ...]:
        return self.beside

    def takes(self, sample: SampleColumns) -> bool:
        """Whether answers were counted by the columns of a sample."""
        known = self.tabulated
        if known is None or sample.simple:
            return sample.simple
        weighted = sample.weights in ("", known.weights, *known.keys)
        return set(sample.keys(self.beside)) <= set(known.keys) and weighted and known.silent >= bool(sample.classes)

    def joined(self, other: CountedAnswers) -> CountedAnswers:
        """The same answers with the marginals of both. Raises InputError where ``other`` counts other answers."""
        if (other.mechanism, other.n, other.left_out) != (self.mechanism, self.n, self.left_out):
            raise InputError(f"'{self.title}' has changed since it was counted: count it again.")
        return replace(self, blocks=(*self.blocks, *other.blocks), wanted=(*self.wanted, *other.wanted))

    def split(self, name: str) -> dict[str, CountedAnswers]:
        parts = [block.split(name) for block in self.blocks]
        common = [value for value in parts[0] if all(value in each for each in parts)]
        found = {value: tuple(each[value] for each in parts) for value in common}
        return {
            value: replace(
                self,
                blocks=blocks,
                sample=blocks[0].sample,
                title=f"{self.title}, {name}: {value}",
                rejected=(),
                incomplete=max(block.incomplete for block in blocks),
            )
            for value, blocks in found.items()
        }

    def _block(self, names: Sequence[str]) -> Answers:
        """The smallest one that has the marginal."""
        having = [block for block in self.blocks if set(names) <= set(block.dataset.schema.names)]
        if not having:
            self.schema.axes(names)
            listed = ", ".join(f"'{name}'" for name in names[:10])
            raise InputError(f"{listed} was not counted together: count this marginal, or a wider one, first.")
        return min(having, key=lambda block: block.rows)

    def counts(self, names: Sequence[str]) -> Integers:
        return self._block(names).counts(names)

    def channel(self, names: Sequence[str]) -> Channel:
        return self._block(names).channel(names)

    def released(self, names: Sequence[str]) -> Floats:
        return self._block(names).released(names)

    def spread(self, names: Sequence[str]) -> Spread:
        return self._block(names).spread(names)

    def estimate(self, names: Sequence[str]) -> Estimate:
        return self._block(names).estimate(names)


def count_answers(
    sources: Iterable[Stream | FormLines],
    mechanism: Survey,
    marginals: Sequence[Sequence[str]],
    *,
    sample: SampleColumns = SIMPLE,
    by: str = "",
    column: str = GROUP,
    out: Path | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> CountedAnswers:
    """Read collected answers of any size in one pass that keeps sums over kinds of people. One into a file is taken up if it is stopped.

    Parameters
    ----------
    sources : tables with a column for every attribute of the mechanism, and lines of the form
    mechanism : MechanismFile, or MechanismGroups
    marginals : names of attributes each, of which estimates are wanted
    sample : columns that ``with_sample`` is to read afterwards
    by : name of a column that answers are to be ``split`` by
    column : with groups, the column of a table that names the group
    out : where the counts go, a file that does not exist yet, for ``Counts.load``; None for nowhere
    executor : where pieces are counted; None is this process
    report : is told the fraction of the bytes that is read, of each table anew

    Raises
    ------
    InputError
        If a column is not there, a file is cut short, no row can be used, people differ in too many ways, or ``out`` cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rrcore as rr
    >>> from rrcore.answers import count_answers
    >>> from rrcore.table.stream import open_stream
    >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder, "released.csv")
    ...     _ = place.write_text(rr.randomise(file, table).to_csv())
    ...     answers = count_answers([open_stream(place)], file, [("Sex", "Survived")])
    >>> answers.n, answers.estimate(["Survived"]).shares.shape
    (2201, (2,))
    """
    given = tuple(sources)
    if not given:
        raise InputError("No file is given: choose at least one file of answers.")
    wanted = tuple(dict.fromkeys(map(tuple, marginals)))
    how = HowToRead(mechanism, column, batches=True)
    about = {"count": digest((mechanism.sha256, wanted, sample, by))}
    with kept_beside(out, given, about) as kept:
        try:
            answers = _Count(how, wanted, sample, by).answers(given, kept, executor, report)
        except InputError:
            kept.forget()
            raise
        if out is not None:
            with new_file(out) as file:
                answers.table.write(file)
    return answers


@dataclass(frozen=True)
class _Count:
    """What is counted, and how it becomes answers."""

    how: HowToRead
    wanted: tuple[Names, ...]
    sample: SampleColumns
    by: str

    def tabulated(self, beside: Sequence[str]) -> Tabulated:
        """What is told apart where these columns were not randomised."""
        sample, schema = self.sample, self.how.schema
        named = tuple(dict.fromkeys((*sample.keys(beside), *((self.by,) if self.by else ()))))
        most = {"most": _FEW_CELLS} if named else {}
        blocks = cover(schema.sizes, [schema.axes(names) for names in self.wanted], **most)
        weights = "" if sample.weights in named else sample.weights
        return Tabulated(self.how, tuple(blocks), named, weights, bool(sample.classes))

    def answers(
        self, sources: Sequence[Stream | FormLines], kept: Kept, executor: Executor | None, report: Report
    ) -> CountedAnswers:
        how, by_group = self.how, isinstance(self.how.survey, MechanismGroups)
        every = [
            batch_columns(source, how, None).beside if isinstance(source, Stream) else (how.column,) * by_group
            for source in sources
        ]
        beside = tuple(name for name in every[0] if all(name in own for own in every))
        wanted, total, first = self.tabulated(beside), None, 0
        receipts: set[str] = set()
        rejected: list[Rejected] = []
        for source in sources:
            for path, what, found in self._files(source, wanted, kept.places(source, first), executor, report, receipts):
                rejected += [Rejected(why, rows, f"{what} {row} of {Path(path).name}") for why, (rows, row) in found.left.items()]
                total = found if total is None else total
                if total is not found:
                    total.join(found)
            first += len(source.pieces())
        assert total is not None
        return self._made(total, sources, beside, left_out(rejected))

    def _files(
        self,
        source: Stream | FormLines,
        wanted: Tabulated,
        places: Sequence[Place | None],
        executor: Executor | None,
        report: Report,
        receipts: set[str],
    ) -> Iterator[tuple[str, str, Tabulation]]:
        """The rows of each file, and what they are called in messages."""
        if isinstance(source, FormLines):
            _check_columns(wanted.columns, (self.how.column,) * isinstance(self.how.survey, MechanismGroups))
            found = Tabulation(wanted)
            for content, lines in source.parts():
                found.add_rows(rows_of_lines(content, source.title, self.how, receipts), lines)
            yield source.title, "line", found
            return
        names = batch_columns(source, self.how, wanted.columns).names
        names = (*names, *((RELEASE,) if RELEASE in source.names else ()))
        one = functools.partial(_piece, wanted, names)
        results = zip(source.pieces(), work_through(one, source, executor, report, each=places), strict=True)
        for path, parts in itertools.groupby(results, lambda part: part[0].path):
            found = Tabulation(wanted)
            for _, part in parts:
                found.join(part)
            if RELEASE in source.names:
                said = [text for text, times in found.words.items() for _ in range(times)]
                why = why_left_out(check_trailers(said, found.rows, path), self.how, receipts, path)
                found = found.leave_out(why) if why else found
            yield path, "record", found

    def _made(
        self, total: Tabulation, sources: Sequence[Stream | FormLines], beside: tuple[str, ...], rejected: tuple[Rejected, ...]
    ) -> CountedAnswers:
        how, mechanism = self.how, cast(MechanismFile, self.how.survey)
        sizes = [(int(n), name) for (rows, n, _), (name, _) in zip(total.groups, how.files, strict=True) if rows]
        check_groups(sizes, how)
        for (rows, _, complete), (name, _) in zip(total.groups.tolist(), how.files, strict=True):
            if rows:
                check_usable(rows, complete, rejected, name)
        if total.lacking:
            raise lacking(self.sample.weights, "weights", total.lacking)
        total.settle()
        mark = marks_in(source.mark(how.schema.names) for source in sources if isinstance(source, Stream))
        blocks = []
        for number, block in enumerate(total.wanted.blocks):
            codes, complete, crowd, groupings, silent = total.people(number)
            table = Dataset(Schema(tuple(how.schema.attributes[i] for i in block)), codes[:complete], sources[0].title)
            partial = codes[complete:] if len(codes) > complete else None
            blocks.append(Answers(table, mechanism, groupings, silent=silent, partial=partial, mark=mark, crowd=crowd))
        used, whole = (int(total.groups[:, i].sum()) for i in (1, 2))
        notes = dict.fromkeys(note for source in sources for note in source.notes)
        return CountedAnswers(
            mechanism,
            tuple(blocks),
            self.wanted,
            sources[0].title if len(sources) == 1 else f"{len(sources)} files",
            rejected,
            (*notes, *note_of_groups(sizes)),
            mark,
            used - whole,
            beside,
            total.wanted,
        )


def _check_columns(wanted: Sequence[str], known: Sequence[str]) -> None:
    for name in wanted:
        if name not in known:
            have = ", ".join(known) or "none"
            raise InputError(f"There is no column '{name}' that was not randomised: choose among {have}.", quoted=have)


def _piece(wanted: Tabulated, names: tuple[str, ...], task: tuple[Piece, Place | None], *, report: Report = quiet) -> Tabulation:
    """The rows of one piece, if they are not kept from a run before."""
    piece, place = task
    if place is not None and (said := place.finished()) is not None:
        return Tabulation.load(wanted, place.file("kinds.npz"), said)
    found = tabulate_piece(wanted, names, piece, report=report)
    if place is not None:
        place.finish(found.save(place.file("kinds.npz")))
    return found


def tabulate_piece(wanted: Tabulated, names: tuple[str, ...], piece: Piece, *, report: Report = quiet) -> Tabulation:
    """The rows of one piece, of which the columns ``names`` are read."""
    found = Tabulation(wanted)
    for batch in piece.batches(names, report=report):
        table = text_table(batch)
        kept = tuple(column for column in table.columns if column.name != RELEASE)
        for column in table.columns[len(kept) :]:
            for code in column.codes[column.codes >= 0].tolist():
                found.words[column.values[code]] = found.words.get(column.values[code], 0) + 1
        found.add_rows(rows_of_table(replace(table, columns=kept), None, piece.path, wanted.how), table.n)
    found.settle()
    return found


def small_marginals(schema: Schema) -> tuple[Names, ...]:
    """Names of the marginals that are counted before anybody has asked for one: each attribute, and so many together as is quickly done.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.answers.counted import small_marginals
    >>> len(small_marginals(rr.load_demo("titanic").schema))  # of four attributes all
    15
    """
    found: list[Names] = [(name,) for name in schema.names]
    cells = sum(schema.sizes)
    for w in range(2, min(MAX_PAGE_MARGINAL, len(schema.names)) + 1):
        more = list(combinations(range(len(schema.names)), w))
        cells += sum(prod(schema.sizes[i] for i in axes) for axes in more)
        if cells > MAX_CELLS or len(found) + len(more) > MAX_COUNTED_MARGINALS:
            break
        found += [tuple(schema.names[i] for i in axes) for axes in more]
    return tuple(found)
