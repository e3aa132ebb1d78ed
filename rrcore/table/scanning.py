"""Tables of any size, scanned batch by batch: what occurs in each column, codes of categories, counts and samples."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from rrcore.arrays import Codes, Integers, code_type
from rrcore.errors import InputError
from rrcore.executors import run
from rrcore.limits import MAX_STREAM_ENTRIES, MAX_STREAM_VALUES, MAX_TEXT
from rrcore.progress import Report, quiet
from rrcore.table.dataset import Counts, Dataset, Names, cell_numbers, check_cells, codes_of, count_cells
from rrcore.table.mark import marked_title, marks_in
from rrcore.table.opening import Stream
from rrcore.table.reading.arrow import bytes_left_out, is_text
from rrcore.table.recoding import MISSING, OTHER, ColumnRule, ValueCounts, default_rule, edges_named, recodings
from rrcore.table.schema import Attribute, Schema
from rrcore.table.source import Batch, HeldPiece, Piece, encoded
from rrcore.table.text_table import TextTable, to_numbers, trim
from rrcore.wording import spreadsheet_safe

GONE, UNUSABLE, DROPPED = -1, -2, -3
"""Codes of an answer that is missing; of a text that no category stands for, so that its record cannot be used; and of an answer whose
record is to be left out."""


@dataclass(frozen=True)
class Lookup:
    """The codes of one attribute's texts.

    Parameters
    ----------
    texts : text -> code
    missing : code of an empty cell
    other : code of any other text
    edges : where other texts are numbers: the limits of the intervals that they fall into
    intervals : the code of each interval, one more than there are ``edges``; none where texts are not looked at as numbers
    """

    texts: Mapping[str, int]
    missing: int = GONE
    other: int = UNUSABLE
    edges: tuple[float, ...] = ()
    intervals: tuple[int, ...] = ()

    def codes(self, texts: Sequence[str | None]) -> list[int]:
        """The codes of texts of one column.

        Examples
        --------
        >>> from rrcore.table.scanning import Lookup
        >>> Lookup({"?": -1}, edges=(18, 65), intervals=(0, 1, 2)).codes(["18", "?", "70,5", None, "old"])
        [1, -1, 2, -1, -2]
        """
        found = [self.missing if not text else self.texts.get(text, self.other) for text in texts]
        if self.intervals:
            places = [i for i, text in enumerate(texts) if text and text not in self.texts]
            for place, code in zip(places, self._of_numbers([texts[i] or "" for i in places]), strict=True):
                found[place] = code
        return found

    def _of_numbers(self, texts: list[str]) -> list[int]:
        numbers = to_numbers(texts)
        if numbers is None:  # not all are numbers
            return [self.other] * len(texts) if len(texts) < 2 else [self._of_numbers([text])[0] for text in texts]
        return [self.intervals[place] for place in np.searchsorted(self.edges, numbers, side="right").tolist()]


@dataclass(frozen=True, eq=False)
class Coder:
    """What turns batches into codes. Picklable.

    Parameters
    ----------
    schema : Schema
    lookups : one for each attribute
    names : the column of each attribute; the attributes' own names by default
    """

    schema: Schema
    lookups: tuple[Lookup, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", self.names or self.schema.names)

    def columns(self, batch: Batch) -> Iterator[tuple[Codes, bool]]:
        """Of each attribute the codes of a batch that has a column for it, and whether any may be negative."""
        for attribute, lookup, name in zip(self.schema.attributes, self.lookups, self.names, strict=True):
            yield column_codes(name, batch.column(name), lookup, attribute.size)

    def __call__(self, batch: Batch) -> Codes:
        """The codes of a batch: ndarray of shape (rows, k) in the smallest signed type, codes 0..a_i-1 or negative as above."""
        codes = np.empty((batch.num_rows, len(self.lookups)), code_type(max(self.schema.sizes)), order="F")
        for i, (column, _) in enumerate(self.columns(batch)):
            codes[:, i] = column
        return codes


def coder(schema: Schema) -> Coder:
    """The coder for a schema whose categories are known, as ``declared_lookup`` reads each attribute.

    Raises
    ------
    InputError
        As ``codes_in_batches`` does.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from rrcore.table import Attribute, Schema
    >>> from rrcore.table.scanning import coder
    >>> batch = pa.record_batch({"smokes": pa.array(["yes", "no", None, "often"]).dictionary_encode()})
    >>> coder(Schema((Attribute("smokes", ("no", "yes")),)))(batch).ravel().tolist()
    [1, 0, -1, -2]
    """
    return Coder(schema, tuple(declared_lookup(each, codes_in_batches(each)) for each in schema.attributes))


def codes_in_batches(attribute: Attribute) -> dict[str, int]:
    """``codes_of`` where no more than a batch of texts is seen at a time.

    Raises
    ------
    InputError
        If a category is written like another one made safe for a spreadsheet: only all texts of a column together tell which is meant.

    Examples
    --------
    >>> from rrcore.table import Attribute
    >>> from rrcore.table.scanning import codes_in_batches
    >>> codes_in_batches(Attribute("q", ("=1", "no")))
    {'=1': 0, 'no': 1, "'=1": 0}
    """
    for category in attribute.categories:
        safe = spreadsheet_safe(category)
        if safe != category and safe in attribute.categories:
            raise InputError(
                f"'{attribute.name}' has the categories {category} and {safe}, and the second is how a CSV file may write the first: in a "
                "table that is read in batches they cannot be told apart, so give one of them another name."
            )
    return codes_of(attribute)


def declared_lookup(attribute: Attribute, texts: Mapping[str, int], *, gone: int = GONE) -> Lookup:
    """The codes of what stands in the column of an attribute whose categories are known, as ``texts`` write them.

    An empty cell is ``MISSING``, or ``gone`` where that is no category; a number falls into its interval where categories are the intervals
    that ``interval_names`` names; any other text is ``OTHER``, where that is a category.

    Examples
    --------
    >>> from rrcore.table import Attribute
    >>> from rrcore.table.scanning import declared_lookup
    >>> age = Attribute("age", ("below 40", "40 to below 60", "60 and more", "(missing)"), "ordinal")
    >>> declared_lookup(age, {name: code for code, name in enumerate(age.categories)}).codes(["31", "60", None, "below 40", "old"])
    [0, 2, 3, 0, -2]
    """
    code = {category: number for number, category in enumerate(attribute.categories)}
    edges = edges_named(attribute.categories)
    intervals = tuple(range(len(edges) + 1)) if edges else ()
    return Lookup(texts, code.get(MISSING, gone), code.get(OTHER, UNUSABLE), edges, intervals)


def column_codes(name: str, column: Any, lookup: Lookup, size: int) -> tuple[Codes, bool]:
    """The codes of a column of a batch, of the type for ``size`` categories, and whether any may be negative."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_binary(column.dictionary.type):
        raise InputError(bytes_left_out(name))
    known = trim(column.dictionary).to_pylist()
    code_of = np.array(lookup.codes(known), code_type(size))
    codes, negative = pa.array(code_of).take(column.indices), bool(len(code_of) and code_of.min() < 0)
    if codes.null_count:
        codes, negative = pc.fill_null(codes, code_of.dtype.type(lookup.missing)), negative or lookup.missing < 0
    return codes.to_numpy(zero_copy_only=True), negative


def missing_column(stream: Stream, wanted: Iterable[str]) -> None:
    """Raise InputError where one of ``wanted`` is no column, or one that cannot be read."""
    names = stream.names
    for name in wanted:
        if name in stream.left_out:
            raise InputError(stream.left_out[name])
        if name not in names:
            known = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
            raise InputError(f"There is no column '{name}': choose among {known}.")


@dataclass(frozen=True, eq=False)
class Survey:
    """What occurs in each column of a stream.

    Parameters
    ----------
    title : str
    n : int, number of records
    columns : what occurs, by column
    crowded : names of columns with too many values (``MAX_STREAM_VALUES``, ``MAX_STREAM_ENTRIES``), or texts of more than ``MAX_TEXT``
        characters, or bytes that are not text; not looked into
    notes : sentences about what reading did
    """

    title: str
    n: int
    columns: tuple[ValueCounts, ...]
    crowded: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def rules(self) -> dict[str, ColumnRule]:
        """The rule of each column that the Data page starts from."""
        return {column.name: default_rule(column) for column in self.columns}

    def coder(
        self,
        names: Iterable[str] | None = None,
        rules: Mapping[str, ColumnRule] | None = None,
        *,
        missing: Literal["category", "drop"] = "category",
    ) -> Coder:
        """The coder for the named columns in this order, or for all that ``rules`` use.

        Raises
        ------
        InputError
            If a column is unknown, or cannot be an attribute.
        """
        wanted = None if names is None else list(names)
        if crowded := next((name for name in wanted or () if name in self.crowded), ""):
            raise InputError(
                f"The column '{crowded}' cannot be an attribute: it has more than {MAX_STREAM_VALUES:,} different values, texts "
                f"of more than {MAX_TEXT} characters, or bytes that are not text. Choose another column."
            )
        known = {column.name: column.values for column in self.columns}
        parts = recodings(self.columns, self.rules if rules is None else rules, wanted, missing=missing)
        lookups = []
        for attribute, codes in parts:
            given = np.where(codes < 0, UNUSABLE, codes).tolist()
            lookups.append(Lookup(dict(zip(known[attribute.name], given[:-1], strict=True)), given[-1]))
        return Coder(Schema(tuple(attribute for attribute, _ in parts)), tuple(lookups))


def survey(stream: Stream, *, executor: Executor | None = None, report: Report = quiet) -> Survey:
    """Find the values of every column in one pass.

    Parameters
    ----------
    stream : Stream
    executor : where pieces are looked at; None is this process
    report : is told the fraction of the bytes that is read

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
    whole = _Texts.over(stream.names)
    for part in work_through(functools.partial(_survey_piece, stream.names), stream, executor, report):
        whole.add(part)
    found = list(zip(stream.names, whole.texts, whole.missing, strict=True))
    columns = tuple(ValueCounts.of(name, texts, missing) for name, texts, missing in found if texts is not None)
    crowded = tuple(name for name, texts, _ in found if texts is None)
    return Survey(marked_title(stream.title, stream.mark()), whole.n, columns, crowded, stream.notes)


def _survey_piece(names: tuple[str, ...], piece: Piece, *, report: Report = quiet) -> _Texts:
    found = _Texts.over(names)
    for batch in piece.batches(names, report=report):
        found.add_batch(batch)
    return found


@dataclass
class _Texts:
    """Texts of each column and how often they occur; None where a column has too many."""

    texts: list[dict[str, int] | None]
    missing: list[int]
    n: int = 0

    @classmethod
    def over(cls, names: tuple[str, ...]) -> _Texts:
        return cls([{} for _ in names], [0] * len(names))

    def add_batch(self, batch: Batch) -> None:
        """Count the texts of a batch."""
        self.n += batch.num_rows
        for i, column in enumerate(batch.columns):
            if not is_text(column.dictionary.type):
                self.texts[i] = None
            if self.texts[i] is None:
                continue
            self.missing[i] += column.indices.null_count
            indices = column.indices.drop_null().to_numpy(zero_copy_only=False)
            counts = np.bincount(indices, minlength=len(column.dictionary)).tolist()
            self._take(i, zip(trim(column.dictionary).to_pylist(), counts, strict=True))

    def _take(self, i: int, found: Iterable[tuple[str | None, int]]) -> None:
        texts = self.texts[i]
        assert texts is not None
        for text, count in found:
            if not text:
                self.missing[i] += count
            elif count and len(text) > MAX_TEXT:
                self.texts[i] = None
                return
            elif count:
                texts[text] = texts.get(text, 0) + count
        if len(texts) > MAX_STREAM_VALUES:
            self.texts[i] = None
        while sum(len(own) for own in self.texts if own is not None) > MAX_STREAM_ENTRIES:
            largest = max(range(len(self.texts)), key=lambda j: len(self.texts[j] or ()))
            self.texts[largest] = None

    def add(self, other: _Texts) -> None:
        """Count the texts of another piece."""
        self.n += other.n
        for i, texts in enumerate(other.texts):
            self.missing[i] += other.missing[i]
            if texts is None:
                self.texts[i] = None
            elif self.texts[i] is not None:
                self._take(i, texts.items())


class CodedPiece(Protocol):
    """Some records of a table as codes. Any process can read it."""

    @property
    def bytes(self) -> int:
        """Size, for progress."""
        ...

    def batches(self, *, report: Report = quiet) -> Iterator[Codes]:
        """Yield the records in their order: shape (rows, k), codes 0..a_i-1, or negative as above."""
        ...


class CodedTable(Protocol):
    """What is counted, simulated and sampled: a ``Dataset``, or ``Coded``."""

    @property
    def schema(self) -> Schema: ...

    @property
    def title(self) -> str:
        """Its name, with the mark of a simulation."""
        ...

    def pieces(self) -> Sequence[CodedPiece]:
        """The records in their order, the same pieces for any number of processes."""
        ...


@dataclass(frozen=True)
class Coded:
    """A table of any size with what makes codes of its answers.

    Parameters
    ----------
    stream : Stream
    coder : Coder

    Raises
    ------
    InputError
        If the stream has no column for an attribute.

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

    stream: Stream
    coder: Coder

    def __post_init__(self) -> None:
        missing_column(self.stream, self.coder.names)

    @property
    def schema(self) -> Schema:
        return self.coder.schema

    @property
    def title(self) -> str:
        return marked_title(self.stream.title, self.stream.mark(self.coder.names))

    def pieces(self) -> tuple[_Piece, ...]:
        return tuple(_Piece(piece, self.coder) for piece in self.stream.pieces())


@dataclass(frozen=True)
class _Piece:
    piece: Piece
    coder: Coder

    @property
    def bytes(self) -> int:
        return self.piece.bytes

    def batches(self, *, report: Report = quiet) -> Iterator[Codes]:
        return map(self.coder, self.piece.batches(self.coder.names, report=report))


def sample(table: CodedTable, n: int, *, of: int, rng: np.random.Generator, report: Report = quiet) -> Dataset:
    """Draw ``n`` of the records of a table at random, or take all if there are no more.

    Parameters
    ----------
    table : CodedTable
    n : number of records to draw. Of these, records without all answers are left out
    of : number of records of the table
    rng : numpy Generator
    report : called with the fraction that is read

    Returns
    -------
    Dataset
        The records in the order of the table.

    Raises
    ------
    InputError
        If no record has all answers.

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
    for number, piece in enumerate(pieces := table.pieces()):
        for codes in piece.batches():
            first, last = np.searchsorted(drawn, [before, before + len(codes)])
            rows = codes[drawn[first:last] - before]
            found.append(rows[(rows >= 0).all(axis=1)])
            before += len(codes)
        report((number + 1) / len(pieces), "")
    codes = np.concatenate(found)
    if not len(codes):
        raise InputError("Every record lacks an answer. Leave out a column, or let missing be a category.")
    return Dataset(table.schema, codes, table.title)


_BLOCK_CELLS = 1 << 18


def count(
    table: CodedTable, marginals: Iterable[Sequence[str]], *, executor: Executor | None = None, report: Report = quiet
) -> Counts:
    """Count marginals of a table of any size.

    Parameters
    ----------
    table : Dataset or Coded
    marginals : names of attributes each
    executor : where pieces are counted. None is this process. The result is the same.
    report : called with the fraction of the bytes that is counted

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
    nothing = Tally.over(table.schema, tuple(dict.fromkeys(map(tuple, marginals))))
    found = work_through(functools.partial(_count_piece, nothing), table, executor, report)
    return replace(functools.reduce(operator.add, found), mark=marks_in([table.title]))


def _count_piece(tally: Tally, piece: CodedPiece, *, report: Report = quiet) -> Counts:
    tally = tally.again()
    for codes in piece.batches(report=report):
        tally.add(codes)
    return tally.counts()


@dataclass
class Tally:
    """Counts that grow.

    Complete records are counted in ``blocks``, sets of attributes that cover the marginals. Other records are counted in each marginal.
    """

    schema: Schema
    marginals: Sequence[Names]
    blocks: list[tuple[int, ...]]
    sums: list[Integers]
    partial: dict[Names, Integers]
    n: int = 0
    left_out: int = 0
    incomplete: int = 0

    @classmethod
    def over(cls, schema: Schema, marginals: Sequence[Names]) -> Tally:
        """Start with no record. Raises InputError if a marginal has too many cells."""
        for names in marginals:
            check_cells(schema.select(names).sizes)
        blocks = cover(schema.sizes, [schema.axes(names) for names in marginals])
        return cls(schema, marginals, blocks, [], {}).again()

    def again(self) -> Tally:
        """The same marginals of no record."""
        sizes = self.schema.sizes
        sums = [np.zeros(math.prod(sizes[i] for i in block), np.int64) for block in self.blocks]
        return Tally(self.schema, self.marginals, self.blocks, sums, {})

    def add(self, codes: Codes) -> None:
        """Count records of shape (rows, k)."""
        rows, sizes = len(codes), self.schema.sizes
        if codes.size and codes.min() < 0:
            usable = (codes > UNUSABLE).all(axis=1) & (codes > GONE).any(axis=1)
            fine = (codes >= 0).all(axis=1)
            self.left_out += rows - int(np.count_nonzero(usable))
            rows = int(np.count_nonzero(usable))
            self._add_partial(codes[usable & ~fine])
            codes = codes[fine]
        self.n += rows
        for block, total in zip(self.blocks, self.sums, strict=True):
            own = [sizes[i] for i in block]
            kind = np.min_scalar_type(max(len(total) - 1, 1))
            total += np.bincount(cell_numbers([codes[:, i] for i in block], own, kind), minlength=len(total))

    def _add_partial(self, codes: Codes) -> None:
        self.incomplete += len(codes)
        for names in self.marginals:
            axes = list(self.schema.axes(names))
            own = codes[:, axes]
            more = count_cells(own[(own >= 0).all(axis=1)], [self.schema.sizes[i] for i in axes])
            self.partial[names] = more + self.partial.get(names, 0)

    def counts(self) -> Counts:
        """The counts so far."""
        sizes = self.schema.sizes
        tables: dict[Names, Integers] = {}
        for names in self.marginals:
            axes = self.schema.axes(names)
            number = min((i for i, b in enumerate(self.blocks) if set(axes) <= set(b)), key=lambda i: len(self.sums[i]))
            block = self.blocks[number]
            whole = self.sums[number].reshape([sizes[i] for i in block])
            summed = whole.sum(axis=tuple(p for p, i in enumerate(block) if i not in axes))
            kept = [i for i in block if i in axes]
            complete: Integers = np.transpose(summed, [kept.index(i) for i in axes])
            tables[names] = complete + self.partial[names] if names in self.partial else complete
        return Counts(self.schema, self.n, tables, left_out=self.left_out, incomplete=self.incomplete)


def cover(sizes: Sequence[int], marginals: Iterable[tuple[int, ...]], *, most: int = _BLOCK_CELLS) -> list[tuple[int, ...]]:
    """Few sets of attributes, of at most ``most`` cells where no marginal alone has more, that together contain every marginal.

    Examples
    --------
    >>> cover((5, 5, 5), [(0, 1), (0, 2), (1, 2)]), cover((5, 5, 5), [(0, 1), (0, 2), (1, 2)], most=25)
    ([(0, 1, 2)], [(1, 2), (0, 2), (0, 1)])
    """
    left = {frozenset(axes) for axes in marginals}
    blocks = []
    while left:
        block = set(max(left, key=lambda axes: (math.prod(sizes[i] for i in axes), sorted(axes))))
        while True:
            cells = math.prod(sizes[i] for i in block)
            near = {i for axes in left for i in axes} - block
            fitting = [i for i in near if cells * sizes[i] <= most]
            if not fitting:
                break
            gains = {i: sum(i in axes and axes - {i} <= block for axes in left) for i in fitting}
            block.add(max(fitting, key=lambda i: (gains[i] / math.log(sizes[i]), -i)))
        blocks.append(tuple(sorted(block)))
        left = {axes for axes in left if not axes <= block}
    return blocks


Result = TypeVar("Result")
Item = TypeVar("Item")


class Pieced(Protocol):
    """A table that is read piece by piece."""

    def pieces(self) -> Sequence[Any]:
        """Each has ``bytes``."""
        ...


def work_through(
    function: Callable[..., Result],
    table: Pieced,
    executor: Executor | None,
    report: Report,
    *,
    each: Sequence[Any] | None = None,
    done: str = "read",
) -> Iterator[Result]:
    """Yield ``function(piece, report=)`` of every piece, in their order.

    With ``each``, which has something for every piece, it is ``function((piece, own))``. ``done`` is the word for what was done with
    the bytes. A table of one piece is done in this process.
    """
    pieces = table.pieces()
    tasks: Sequence[Any] = pieces if each is None else tuple(zip(pieces, each, strict=True))
    size = sum(piece.bytes for piece in pieces)

    def tell(fraction: float, _: str) -> None:
        report(fraction, f"{fraction * size / 2**20:,.0f} of {size / 2**20:,.0f} MB {done}")

    spread = executor if len(tasks) > 1 else None
    yield from run(function, tasks, executor=spread, report=tell, sizes=[piece.bytes for piece in pieces], tells=True)
    tell(1.0, "")


def items_of(
    function: Callable[..., Iterable[Item]],
    table: Pieced,
    executor: Executor | None,
    report: Report,
    *,
    each: Sequence[Any] | None = None,
    done: str = "read",
) -> Iterator[Item]:
    """Yield the items of ``function(piece, report=)`` of every piece, in their order. Parameters are those of ``work_through``.

    In this process one item at a time is in memory. An executor hands over the items of a piece together.
    """
    pieces = table.pieces()
    if executor is not None and len(pieces) > 1:
        for items in work_through(partial(_listed, function), table, executor, report, each=each, done=done):
            yield from items
        return
    size, before = sum(piece.bytes for piece in pieces) or 1, 0

    def tell(fraction: float, _: str) -> None:
        bytes_done = before + fraction * piece.bytes
        report(bytes_done / size, f"{bytes_done / 2**20:,.0f} of {size / 2**20:,.0f} MB {done}")

    for number, piece in enumerate(pieces):
        yield from function(piece if each is None else (piece, each[number]), report=tell)
        tell(1.0, "")
        before += piece.bytes


def _listed(function: Callable[..., Iterable[Item]], task: Any) -> list[Item]:
    return list(function(task))


def held_stream(table: TextTable, name: str) -> Stream:
    """Return a table in memory as a stream; messages call its file ``name``.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import TextColumn, TextTable
    >>> from rrcore.table.scanning import held_stream
    >>> table = TextTable((TextColumn("smokes", np.array([1, -1]), ("no", "yes")),), "people")
    >>> (batch,) = held_stream(table, "people.csv").pieces()[0].batches()
    >>> batch.column("smokes").to_pylist()
    ['yes', None]
    """
    import pyarrow as pa

    columns = pa.table([encoded(column.codes, column.values) for column in table.columns], names=list(table.names))
    piece = HeldPiece(name, columns, sum(column.codes.nbytes for column in table.columns))
    return Stream(table.title, table.names, (piece,), (*table.notes, *table.left_out), beside=tuple(filter(None, [table.mark])))
