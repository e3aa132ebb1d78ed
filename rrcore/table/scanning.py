"""Batchwise scans of tables of any size.

They yield the values in each column, codes of categories, counts and samples.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rrcore.arrays import Codes, Integers, cell_numbers, code_type, count_cells
from rrcore.errors import InputError
from rrcore.executors import run
from rrcore.limits import MAX_DISTINCT, MAX_DISTINCT_BYTES
from rrcore.mark import marked_title, marks_in
from rrcore.progress import Report, part, quiet
from rrcore.table.dataset import Counts, Dataset, Names, codes_of
from rrcore.table.reading.arrow import bytes_left_out
from rrcore.table.reading.text import TextPiece
from rrcore.table.recoding import MISSING, OTHER, ColumnRule, ValueCounts, default_rule, edges_named, recodings
from rrcore.table.schema import Attribute, Schema
from rrcore.table.source import About, Batch, Content, HeldPiece, Piece, Source, check_rows, check_size, encoded
from rrcore.table.text_table import TextColumn, TextTable, in_order, numbers_in
from rrcore.wording import counted

GONE, UNUSABLE, DROPPED = -1, -2, -3
"""Codes of an answer that is missing; of a text that no category stands for, so that its record cannot be used; and of an answer whose
record is to be left out."""

_BLOCK_CELLS = 1 << 18
_TEXT_BYTES = 100  # that a text takes in memory, besides its characters

Item = TypeVar("Item")


def through(
    function: Callable[..., Iterable[Item]], tasks: Sequence[Any], executor: Executor | None, report: Report
) -> Iterator[Item]:
    """Yield the items of ``function(task, report=)`` for every task, in order.

    A task is, for example, a piece of a table.

    Without an executor, only one item at a time is in memory. An executor returns the items of a task together.
    """
    if executor is not None and len(tasks) > 1:
        found = run(functools.partial(_listed, function), tasks, executor=executor, report=report, what="parts")
        yield from itertools.chain.from_iterable(found)
        return
    for number, task in enumerate(tasks):
        yield from function(task, report=part(report, number, len(tasks)))
    report(1.0, "")


def _listed(function: Callable[..., Iterable[Item]], task: Any) -> list[Item]:
    return list(function(task))


@dataclass(frozen=True)
class Lookup:
    """The codes for the strings of one attribute.

    Parameters
    ----------
    texts : from string to code
    missing : code of an empty cell
    other : code of any other string
    edges : limits of intervals, whose codes are their numbers. Other strings that are numbers fall into these intervals. Empty
        without intervals
    """

    texts: Mapping[str, int]
    missing: int = GONE
    other: int = UNUSABLE
    edges: tuple[float, ...] = ()

    def codes(self, texts: Sequence[str | None]) -> list[int]:
        """Return the codes of the strings in one column.

        Examples
        --------
        >>> from rrcore.table.scanning import Lookup
        >>> Lookup({"?": -1}, edges=(18, 65)).codes(["18", "?", "70,5", None, "old"])
        [1, -1, 2, -1, -2]
        """
        found = [self.missing if not text else self.texts.get(text, self.other) for text in texts]
        if self.edges:
            numbers = numbers_in(texts)
            intervals = np.searchsorted(self.edges, numbers, side="right")
            for place in np.flatnonzero(~np.isnan(numbers)).tolist():
                found[place] = self.texts.get(texts[place] or "", int(intervals[place]))
        return found


@dataclass(frozen=True, eq=False)
class Coder:
    """A picklable object that converts batches to codes.

    Parameters
    ----------
    schema : Schema
    lookups : one lookup for each attribute
    names : the column of each attribute, by default the name of the attribute
    """

    schema: Schema
    lookups: tuple[Lookup, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", self.names or self.schema.names)

    def __call__(self, batch: Batch) -> Codes:
        """The codes of a batch: ndarray of shape (rows, k) in the smallest signed type, codes 0..a_i-1 or negative as above."""
        codes = np.empty((batch.num_rows, len(self.lookups)), code_type(max(self.schema.sizes)), order="F")
        for i, (name, lookup) in enumerate(zip(self.names, self.lookups, strict=True)):
            codes[:, i] = column_codes(name, batch.column(name), lookup, self.schema.sizes[i])
        return codes


def column_codes(name: str, column: Any, lookup: Lookup, size: int) -> Codes:
    """Return the codes of a column of a batch.

    Their type is the one for ``size`` categories.
    """
    if column.dictionary.type != pa.string():
        raise InputError(bytes_left_out(name))
    code_of = np.array(lookup.codes(pc.utf8_trim_whitespace(column.dictionary).to_pylist()), code_type(size))
    codes: Codes = pc.fill_null(pa.array(code_of).take(column.indices), code_of.dtype.type(lookup.missing)).to_numpy()
    return codes


def coder(schema: Schema) -> Coder:
    """Return the coder for a schema with known categories.

    ``declared_lookup`` reads each attribute.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from rrcore.table import Attribute, Schema
    >>> from rrcore.table.scanning import coder
    >>> batch = pa.record_batch({"smokes": pa.array(["yes", "no", None, "often"]).dictionary_encode()})
    >>> coder(Schema((Attribute("smokes", ("no", "yes")),)))(batch).ravel().tolist()
    [1, 0, -1, -2]
    """
    return Coder(schema, tuple(declared_lookup(each, codes_of(each)) for each in schema.attributes))


def declared_lookup(attribute: Attribute, texts: Mapping[str, int], *, gone: int = GONE) -> Lookup:
    """Return the codes for the strings of an attribute with known categories.

    ``texts`` gives the spellings of the categories.

    An empty cell is ``MISSING``, or ``gone`` if there is no such category. If the categories are the intervals of
    ``interval_names``, a number falls into its interval. Any other string is ``OTHER``, if this is a category.

    Examples
    --------
    >>> from rrcore.table import Attribute
    >>> from rrcore.table.scanning import declared_lookup
    >>> age = Attribute("age", ("below 40", "40 to below 60", "60 and more", "(missing)"), "ordinal")
    >>> declared_lookup(age, {name: code for code, name in enumerate(age.categories)}).codes(["31", "60", None, "below 40", "old"])
    [0, 2, 3, 0, -2]
    """
    code = {category: number for number, category in enumerate(attribute.categories)}
    return Lookup(texts, code.get(MISSING, gone), code.get(OTHER, UNUSABLE), edges_named(attribute.categories))


@dataclass(frozen=True, eq=False)
class Survey:
    """The values in each column of a table.

    Parameters
    ----------
    title : str
    n : int, number of records
    columns : values and counts of each column
    left_out : maps columns that are not described to the reason, as a sentence
    notes : notes from reading the table, as sentences
    """

    title: str
    n: int
    columns: tuple[ValueCounts, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def coder(self, names: Iterable[str] | None = None, rules: Mapping[str, ColumnRule] | None = None) -> Coder:
        """Return the coder for the named columns, in this order.

        By default, it covers all columns that ``rules`` use.

        Raises
        ------
        InputError
            If a column is unknown or cannot be an attribute.
        """
        wanted = None if names is None else list(names)
        if why := next((self.left_out[name] for name in wanted or () if name in self.left_out), ""):
            raise InputError(why)
        known = {column.name: column.values for column in self.columns}
        rules = {column.name: default_rule(column) for column in self.columns} if rules is None else rules
        parts = [(each, np.where(codes < 0, UNUSABLE, codes).tolist()) for each, codes in recodings(self.columns, rules, wanted)]
        lookups = tuple(Lookup(dict(zip(known[each.name], codes[:-1], strict=True)), codes[-1]) for each, codes in parts)
        return Coder(Schema(tuple(each for each, _ in parts)), lookups)


def survey(
    source: Source, *, names: Sequence[str] | None = None, executor: Executor | None = None, report: Report = quiet
) -> Survey:
    """Find the values of every column in one pass.

    Parameters
    ----------
    source : Source
    names : the columns to scan, None for all
    executor : where pieces are scanned, None for this process
    report : called with the fraction of the bytes that has been read

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rrcore.table.opening import open_stream
    >>> from rrcore.table.scanning import survey
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder, "survey.csv")
    ...     _ = place.write_text("smokes,age\\nno,31\\nyes,45\\n,31\\n")
    ...     found = survey(open_stream(place))
    >>> found.n, found.columns[0].values, found.columns[0].missing, found.coder().schema.sizes
    (3, ('no', 'yes'), 1, (3, 2))
    """
    names = source.names if names is None else tuple(names)
    whole = [_Column(name) for name in names]
    for columns in through(functools.partial(_survey_piece, names), source.parts, executor, report):
        for column, found in zip(whole, columns, strict=True):
            column.join(found)
        _limit(whole)
    left_out = {**source.left_out, **{column.name: column.why for column in whole if column.why}}
    counted = tuple(column.counted(source.about.get(column.name, About())) for column in whole if not column.why)
    return Survey(marked_title(source.title, source.marks()), int(whole[0].people.sum()), counted, left_out, source.notes)


def _survey_piece(names: tuple[str, ...], piece: Piece, *, report: Report = quiet) -> Iterator[list[_Column]]:
    columns = [_Column(name) for name in names]
    for batch in piece.batches(names, report=report):
        _take(columns, batch)
    yield columns


def gathered(source: Source, title: str, report: Report = quiet) -> TextTable:
    """Return the table of all records of a source.

    Raises
    ------
    InputError
        If none of its columns can be read, or there are too many records.
    """
    columns, rows, uneven = [_Column(name, held=True) for name in source.names], 0, [0]
    for number, piece in enumerate(source.parts):
        how: dict[str, Any] = {"uneven": uneven} if isinstance(piece, TextPiece) else {}
        for batch in piece.batches(report=part(report, number, len(source.parts)), **how):
            rows += batch.num_rows
            check_size(rows, len(columns))
            _take(columns, batch)
    if columns:
        check_rows(rows)
    left_out = (*source.left_out.values(), *(column.why for column in columns if column.why))
    found = tuple(column.coded(source.about.get(column.name, About())) for column in columns if not column.why)
    if not found:
        raise InputError(
            left_out[0] if left_out else "The table has no columns. Choose a table with one column for each question."
        )
    were = counted(uneven[0], "row was", "rows were")
    notes = [f"{were} left out for having more or fewer values than there are columns."] if uneven[0] else []
    return TextTable(found, title, (*source.notes, *notes), left_out, mark=source.mark)


def _take(columns: Sequence[_Column], batch: Batch) -> None:
    for column, values in zip(columns, batch.columns, strict=True):
        column.add(values)
    _limit(columns)


def _limit(columns: Sequence[_Column]) -> None:
    """Give up columns of too many strings, and where all together take too much room, the largest ones."""
    for column in columns:
        if len(column.place) > MAX_DISTINCT:
            column.give_up()
    while sum(column.bytes for column in columns) > MAX_DISTINCT_BYTES:
        max(columns, key=lambda column: column.bytes).give_up()


@dataclass
class _Column:
    """The strings of a column in the order in which they appeared.

    If rows are held, the object also stores their codes.

    Parameters
    ----------
    name : str
    held : bool
    why : str, the reason if the column is given up
    place : from text to its number
    people : number of rows without a string, and number of rows with each string. If the column is given up, all rows are without a
        text
    bytes : int, approximate memory used by the strings
    rows : codes of the rows of each batch, -1 if missing
    """

    name: str
    held: bool = False
    why: str = ""
    place: dict[str, int] = field(default_factory=dict)
    people: Integers = field(default_factory=lambda: np.zeros(1, np.int64))
    bytes: int = 0
    rows: list[Codes] = field(default_factory=list)

    def give_up(self, why: str = "") -> None:
        """Give up the column and discard its strings."""
        few = f"more than {MAX_DISTINCT:,} different values, or very long ones. Group or round them, or leave the column out."
        self.why, self.people = why or f"Column '{self.name}' contains {few}", self.people.sum(keepdims=True)
        self.place, self.bytes, self.rows = {}, 0, []

    def add(self, column: Any) -> None:
        """Add a column of a batch."""
        if not self.why and column.dictionary.type != pa.string():
            self.give_up(bytes_left_out(self.name))
        if self.why:
            self.people += len(column)
            return
        indices = pc.fill_null(column.indices, len(column.dictionary)).to_numpy()
        people = np.bincount(indices, minlength=len(column.dictionary) + 1)
        used, codes = np.flatnonzero(people[:-1]), np.full(len(people), -1)
        codes[used] = self.number(pc.utf8_trim_whitespace(column.dictionary.take(pa.array(used))).to_pylist(), people[used])
        self.people[0] += people[-1]
        if self.held:
            self.rows.append(codes.astype(code_type(len(self.place)))[indices])

    def join(self, other: _Column) -> None:
        """Add the same column of other records, whose rows are not held."""
        if other.why and not self.why:
            self.give_up(other.why)
        if self.why:
            self.people += other.people.sum()
        else:
            self.number(list(other.place), other.people[1:])
            self.people[0] += other.people[0]

    def number(self, texts: Sequence[str | None], people: Integers) -> Integers:
        """Return the numbers of strings that occur, -1 for a missing string."""
        place, before, known = self.place, len(self.place), self.people
        found = np.array([place.setdefault(text, len(place)) if text else -1 for text in texts], np.int64)
        self.people = np.bincount(found + 1, people, len(place) + 1).astype(np.int64)
        self.people[: len(known)] += known
        new = len(place) - before
        self.bytes += new * _TEXT_BYTES + sum(map(len, itertools.islice(reversed(place), new)))
        return found

    def counted(self, about: About) -> ValueCounts:
        """Return the values and their counts."""
        texts = list(self.place)
        order = in_order(texts)
        values = tuple(texts[i] for i in order.tolist())
        return ValueCounts(self.name, values, self.people[1:][order], int(self.people[0]), about.labels, about.ordered)

    def coded(self, about: About) -> TextColumn:
        """Return the column with its rows, and stop holding them."""
        values, codes, self.rows = self.counted(about).values, self.rows, []
        code_of = np.full(len(values) + 1, -1, code_type(len(values)))
        code_of[[self.place[value] for value in values]] = np.arange(len(values))
        return TextColumn(self.name, np.concatenate([code_of[rows] for rows in codes]), values, **vars(about))


def held_stream(table: TextTable, name: str) -> Source:
    """Return a table in memory as a source.

    Messages refer to its file as ``name``.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import TextColumn, TextTable
    >>> from rrcore.table.scanning import held_stream
    >>> table = TextTable((TextColumn("smokes", np.array([1, -1]), ("no", "yes")),), "people")
    >>> (batch,) = held_stream(table, "people.csv").parts[0].batches()
    >>> batch.column("smokes").to_pylist()
    ['yes', None]
    """
    columns = pa.table([encoded(column.codes, column.values) for column in table.columns], names=list(table.names))
    return Source((HeldPiece(Content(name), columns),), (*table.notes, *table.left_out), mark=table.mark, title=table.title)


@dataclass(frozen=True)
class Coded:
    """A table of any size with a coder for its answers.

    Parameters
    ----------
    stream : Source
    coder : Coder

    Raises
    ------
    InputError
        If the source lacks the column of an attribute.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rrcore as rr
    >>> from rrcore.table.opening import open_stream
    >>> from rrcore.table.scanning import Coded, coder, count
    >>> table, place = rr.load_demo("titanic"), pathlib.Path(tempfile.mkdtemp(), "people.csv")
    >>> _ = place.write_text(table.to_csv())
    >>> count(Coded(open_stream(place), coder(table.schema)), [("Sex",)]).of(["Sex"]).tolist()
    [1731, 470]
    """

    stream: Source
    coder: Coder

    def __post_init__(self) -> None:
        self.stream.check(self.coder.names)

    @property
    def schema(self) -> Schema:
        return self.coder.schema

    @property
    def title(self) -> str:
        """The title of the table, with the mark of a simulation."""
        return marked_title(self.stream.title, self.stream.marks(self.coder.names))

    def pieces(self) -> tuple[Coded, ...]:
        """The pieces of records in order, independent of the number of processes."""
        return tuple(replace(self, stream=replace(self.stream, parts=(piece,))) for piece in self.stream.parts)

    def batches(self, *, report: Report = quiet) -> Iterator[Codes]:
        """Yield codes of shape (rows, k), in the order of the records.

        Codes are 0..a_i-1, or negative as above.
        """
        for number, piece in enumerate(self.stream.parts):
            own = part(report, number, len(self.stream.parts))
            yield from map(self.coder, piece.batches(self.coder.names, report=own))


CodedTable = Dataset | Coded
"""What is counted, simulated and sampled. A ``Dataset`` is its only piece."""


def sample(table: CodedTable, n: int, *, of: int, rng: np.random.Generator, report: Report = quiet) -> Dataset:
    """Draw ``n`` records of a table at random, or all if there are fewer.

    Parameters
    ----------
    table : CodedTable
    n : number of records to draw. Records with missing answers are then left out
    of : number of records of the table
    rng : numpy Generator
    report : called with the fraction that has been read

    Returns
    -------
    Dataset
        The records in the order of the table.

    Raises
    ------
    InputError
        If no record is complete.

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> from rrcore.table.scanning import sample
    >>> table = rr.load_demo("titanic")
    >>> sample(table, 100, of=table.n, rng=np.random.default_rng(0)).n
    100
    """
    drawn = np.sort(rng.choice(of, min(n, of), replace=False))
    found, before = [], 0
    for codes in table.batches(report=report):
        first, last = np.searchsorted(drawn, [before, before + len(codes)])
        rows = codes[drawn[first:last] - before]
        found.append(rows[(rows >= 0).all(axis=1)])
        before += len(codes)
    return Dataset(table.schema, np.concatenate(found), table.title)


def count(
    table: CodedTable, marginals: Iterable[Sequence[str]], *, executor: Executor | None = None, report: Report = quiet
) -> Counts:
    """Count marginals of a table of any size.

    Parameters
    ----------
    table : Dataset or Coded
    marginals : tuples of names of attributes
    executor : where pieces are counted, None for this process. It does not affect the result
    report : called with the fraction of the bytes that has been counted

    Raises
    ------
    InputError
        If a marginal has too many cells, or a file cannot be read.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.table.scanning import count
    >>> count(rr.load_demo("titanic"), [("Sex",)]).of(["Sex"]).tolist()
    [1731, 470]
    """
    one = functools.partial(_count_piece, table.schema, tuple(dict.fromkeys(map(tuple, marginals))))
    found = functools.reduce(operator.add, through(one, table.pieces(), executor, report))
    return replace(found, mark=marks_in([table.title]))


def _count_piece(schema: Schema, marginals: Sequence[Names], piece: CodedTable, *, report: Report = quiet) -> Iterator[Counts]:
    tally = Tally(schema, marginals)
    for codes in piece.batches(report=report):
        tally.add(codes)
    yield tally.counts()


class Tally:
    """Counts that are accumulated over batches.

    Complete records are counted in ``blocks``, which are sets of attributes that cover the marginals. Other records are counted in
    each marginal.

    Parameters
    ----------
    schema : Schema
    marginals : tuples of names of attributes

    Raises
    ------
    InputError
        If a marginal has too many cells.
    """

    def __init__(self, schema: Schema, marginals: Sequence[Names]) -> None:
        self.schema = schema
        self.axes = {names: schema.axes(names) for names in marginals}
        sizes, nobody = schema.sizes, np.empty((0, len(schema.sizes)), np.int8)
        self.partial = {names: count_cells(nobody[:, axes], schema.select(names).sizes) for names, axes in self.axes.items()}
        self.blocks = {block: np.zeros([sizes[i] for i in block], np.int64) for block in cover(sizes, self.axes.values())}
        self.complete = self.left_out = self.incomplete = 0

    def add(self, codes: Codes) -> None:
        """Count records of shape (rows, k)."""
        if codes.size and codes.min() < 0:
            complete = (codes > GONE).all(axis=1)
            partial = codes[~complete & (codes > UNUSABLE).all(axis=1) & (codes > GONE).any(axis=1)]
            for names, axes in self.axes.items():
                own = partial[:, axes]
                self.partial[names] += count_cells(own[(own > GONE).all(axis=1)], self.partial[names].shape)
            self.incomplete += len(partial)
            self.left_out += int(np.count_nonzero(~complete)) - len(partial)
            codes = codes[complete]
        self.complete += len(codes)
        for block, total in self.blocks.items():
            numbers = cell_numbers([codes[:, i] for i in block], total.shape, np.min_scalar_type(max(total.size - 1, 1)))
            total += np.bincount(numbers, minlength=total.size).reshape(total.shape)

    def counts(self) -> Counts:
        """Return the current counts."""
        tables = {}
        for names, axes in self.axes.items():
            block = min((block for block in self.blocks if set(axes) <= set(block)), key=lambda block: self.blocks[block].size)
            places = [block.index(i) for i in axes]
            tables[names] = np.einsum(self.blocks[block], list(range(len(block))), places) + self.partial[names]
        people = self.complete + self.incomplete
        return Counts(self.schema, people, tables, left_out=self.left_out, incomplete=self.incomplete)


def cover(sizes: Sequence[int], marginals: Iterable[tuple[int, ...]], *, most: int = _BLOCK_CELLS) -> list[tuple[int, ...]]:
    """Return a small number of sets of attributes that cover every marginal.

    Each set has at most ``most`` cells, unless a marginal alone has more.

    Examples
    --------
    >>> cover((5, 5, 5), [(0, 1), (0, 2), (1, 2)]), cover((5, 5, 5), [(0, 1), (0, 2), (1, 2)], most=25)
    ([(0, 1, 2)], [(1, 2), (0, 2), (0, 1)])
    """
    left = {frozenset(axes) for axes in marginals}
    blocks = []
    while left:
        block = set(max(left, key=lambda axes: (math.prod(sizes[i] for i in axes), sorted(axes))))
        for i in sorted({i for axes in left for i in axes} - block, key=lambda i: (sizes[i], i)):
            if math.prod(sizes[j] for j in block) * sizes[i] <= most:
                block.add(i)
        blocks.append(tuple(sorted(block)))
        left = {axes for axes in left if not axes <= block}
    return blocks
