"""All pairs of attributes at once: their joint shares, side by side in one square array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Codes, Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_PAIR_CATEGORIES
from rrcore.table.cells import count_cells


def check_categories(sizes: Sequence[int]) -> None:
    """Raise InputError if attributes of these ``sizes`` have more than ``MAX_PAIR_CATEGORIES`` categories in all."""
    if sum(sizes) > MAX_PAIR_CATEGORIES:
        raise InputError(
            f"The attributes have {sum(sizes):,} categories in all: dependence is measured for at most {MAX_PAIR_CATEGORIES:,}, "
            "so choose fewer attributes or merge categories."
        )


@dataclass(frozen=True, eq=False)
class PairTables:
    """Shares of every pair of attributes: the Burt table without its diagonal blocks.

    Parameters
    ----------
    sizes : tuple of k ints, numbers of categories
    shares : ndarray of shape (K, K), K the sum of the sizes; block (i, j) holds the joint shares of attributes i and j, blocks
        on the diagonal are 0; symmetric
    n : number of people
    """

    sizes: tuple[int, ...]
    shares: Floats
    n: int

    @classmethod
    def count(cls, codes: Codes, sizes: Sequence[int]) -> PairTables:
        """Count the pairs of a table of codes of shape (n, k).

        Raises
        ------
        InputError
            Above ``MAX_PAIR_CATEGORIES`` categories in all, or for no record.
        """
        check_categories(sizes)
        if len(codes) == 0:
            raise InputError("There are no records: at least one is needed to measure dependence.")
        tables = {
            (i, j): count_cells(codes[:, [i, j]], (sizes[i], sizes[j])) / len(codes)
            for i, j in combinations(range(len(sizes)), 2)
        }
        return cls.assemble(sizes, tables, len(codes))

    @classmethod
    def assemble(cls, sizes: Sequence[int], tables: Mapping[tuple[int, int], Floats], n: int) -> PairTables:
        """Put the tables of all pairs i < j side by side."""
        ends = np.cumsum([0, *sizes])
        shares = np.zeros((ends[-1], ends[-1]))
        for (i, j), table in tables.items():
            shares[ends[i] : ends[i + 1], ends[j] : ends[j + 1]] = table
            shares[ends[j] : ends[j + 1], ends[i] : ends[i + 1]] = table.T
        return cls(tuple(int(a) for a in sizes), shares, n)

    @property
    def k(self) -> int:
        """Number of attributes."""
        return len(self.sizes)

    @cached_property
    def blocks(self) -> tuple[slice, ...]:
        """Where each attribute's categories stand."""
        ends = np.cumsum([0, *self.sizes]).tolist()
        return tuple(slice(start, end) for start, end in pairwise(ends))

    @cached_property
    def owner(self) -> NDArray[np.intp]:
        """The attribute of each category, shape (K,)."""
        return np.repeat(np.arange(self.k), self.sizes)

    def table(self, i: int, j: int) -> Floats:
        """Joint shares of attributes i and j, shape (a_i, a_j)."""
        return self.shares[self.blocks[i], self.blocks[j]]

    def margin(self, i: int) -> Floats:
        """Shares of attribute i, shape (a_i,)."""
        return np.asarray(self.table(i, 1 if i == 0 else 0).sum(axis=1))

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Every pair i < j."""
        yield from combinations(range(self.k), 2)

    def resample(self, *, rng: np.random.Generator) -> PairTables:
        """As many people drawn anew for every pair, from its shares; pairs do not share their people."""
        drawn = {}
        for i, j in self.pairs():
            table = np.maximum(self.table(i, j), 0.0)
            drawn[i, j] = rng.multinomial(self.n, (table / table.sum()).ravel()).reshape(table.shape) / self.n
        return PairTables.assemble(self.sizes, drawn, self.n)
