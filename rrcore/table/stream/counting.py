"""Counting a stream: each piece on its own, by one pass over cells that are wide enough for several marginals at once."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rrcore.arrays import Booleans, Codes, Integers
from rrcore.files import new_file
from rrcore.progress import Report, quiet
from rrcore.table.cells import check_cells
from rrcore.table.counts import Counts, Names
from rrcore.table.schema import Schema
from rrcore.table.stream.coder import GONE, UNUSABLE, Coder, coder, missing_column
from rrcore.table.stream.kept import KeptPlace, digest, kept_beside, unless_made
from rrcore.table.stream.opening import Stream
from rrcore.table.stream.piece import Piece
from rrcore.table.stream.spread import work_through

_BLOCK_CELLS = 1 << 18


def count(
    stream: Stream,
    schema: Schema | Coder,
    marginals: Iterable[Sequence[str]],
    *,
    out: Path | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Counts:
    """Count marginals of a table of any size. A count into a file that is stopped by whatever means is taken up by the same call.

    Parameters
    ----------
    stream : Stream
    schema : the attributes and their categories, or a coder made for them
    marginals : names of attributes each
    out : where the counts go, a file that does not exist yet, for ``Counts.load``; None for nowhere
    executor : where pieces are counted; None is this process. The result is the same.
    report : is told the fraction of the bytes that is counted

    Raises
    ------
    InputError
        If an attribute is no column, a marginal has too many cells, a file cannot be read, or ``out`` cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rrcore as rr
    >>> from rrcore.table import Counts
    >>> from rrcore.table.stream import count, open_stream
    >>> folder, table = Path(tempfile.mkdtemp()), rr.load_demo("titanic")
    >>> _ = (folder / "people.csv").write_text(table.to_csv())
    >>> found = count(open_stream(folder / "people.csv"), table.schema, [("Sex",)], out=folder / "counts.arrow")
    >>> Counts.load(folder / "counts.arrow").of(["Sex"]).tolist()
    [1731, 470]
    """
    how = schema if isinstance(schema, Coder) else coder(schema)
    missing_column(stream, how.names)
    wanted = tuple(dict.fromkeys(map(tuple, marginals)))
    with kept_beside(out, [stream], {"count": digest((how, wanted))}) as kept:
        one = functools.partial(_count_once, how, wanted)
        found = work_through(one, stream, executor, report, each=kept.places(stream))
        counts = replace(functools.reduce(operator.add, found), mark=stream.mark(how.names))
        if out is not None:
            with new_file(out) as file:
                counts.write(file)
    return counts


def count_piece(how: Coder, marginals: Sequence[Names], piece: Piece, *, report: Report = quiet) -> Counts:
    """The counts of one piece."""
    tally = RunningCounts.over(how.schema, marginals)
    for batch in piece.batches(how.names, report=report):
        columns = list(how.columns(batch))
        tally.add([codes for codes, _ in columns], any(negative for _, negative in columns))
    return tally.counts()


def _count_once(
    how: Coder, marginals: Sequence[Names], task: tuple[Piece, KeptPlace | None], *, report: Report = quiet
) -> Counts:
    """Those that a run before kept, or counted now."""
    piece, place = task
    if place is None:
        return count_piece(how, marginals, piece, report=report)
    path = place.file("counts.arrow")
    if place.finished() is None:
        with unless_made(path) as out:
            count_piece(how, marginals, piece, report=report).write(out)
        place.finish({})
    return Counts.load(path)


@dataclass
class RunningCounts:
    """Counts that grow. Complete records are counted in ``blocks``, sets of attributes that cover the marginals; others in each marginal."""

    schema: Schema
    marginals: Sequence[Names]
    blocks: list[tuple[int, ...]]
    sums: list[Integers]
    partial: dict[Names, Integers]
    n: int = 0
    left_out: int = 0
    incomplete: int = 0

    @classmethod
    def over(cls, schema: Schema, marginals: Sequence[Names]) -> RunningCounts:
        for names in marginals:
            check_cells(schema.select(names).sizes)
        blocks = cover(schema.sizes, [schema.axes(names) for names in marginals])
        sums = [np.zeros(math.prod(schema.sizes[i] for i in block), np.int64) for block in blocks]
        return cls(schema, marginals, blocks, sums, {})

    def add(self, columns: list[Codes], negative: bool) -> None:
        """Count records, given by column."""
        rows = len(columns[0])
        if negative:
            fine = functools.reduce(np.logical_and, (column >= 0 for column in columns))
            usable = functools.reduce(np.logical_and, (column > UNUSABLE for column in columns))
            usable &= functools.reduce(np.logical_or, (column > GONE for column in columns))
            self.left_out += rows - int(np.count_nonzero(usable))
            rows = int(np.count_nonzero(usable))
            usable &= ~fine
            self.incomplete += int(np.count_nonzero(usable))
            self._add_partial(columns, usable)
            columns = [column[fine] for column in columns]
        self.n += rows
        for block, total in zip(self.blocks, self.sums, strict=True):
            cells = _cells([columns[i] for i in block], [self.schema.sizes[i] for i in block])
            total += np.bincount(cells, minlength=len(total))

    def _add_partial(self, columns: list[Codes], which: Booleans) -> None:
        if not which.any():
            return
        codes: Codes = np.stack([column[which] for column in columns], axis=1)
        more = Counts.of_codes(self.schema, codes, self.marginals).tables
        self.partial = {names: table + self.partial[names] if self.partial else table for names, table in more.items()}

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


def _cells(columns: list[Codes], sizes: Sequence[int]) -> np.ndarray:
    """The number of the cell of every record, in the order of a raveled table, in the smallest type that holds them."""
    if not columns:
        return np.zeros(0, np.int64)
    kind = np.min_scalar_type(max(math.prod(sizes) - 1, 1))
    cells = columns[0].astype(kind)
    for column, size in itertools.islice(zip(columns, sizes, strict=True), 1, None):
        cells *= kind.type(size)
        cells += column.astype(kind)
    return cells
