"""Counting tables of any size: each piece by itself, by one pass over cells that are wide enough for several marginals at once."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from rrcore.arrays import Codes, Integers
from rrcore.progress import Report, quiet
from rrcore.table.cells import cell_numbers, check_cells, count_cells
from rrcore.table.counts import Counts, Names
from rrcore.table.mark import marks_in
from rrcore.table.schema import Schema
from rrcore.table.stream.coded import CodedPiece, CodedTable
from rrcore.table.stream.coder import GONE, UNUSABLE
from rrcore.table.stream.spread import work_through

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
    >>> from rrcore.table.stream import count
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
