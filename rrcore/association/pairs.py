"""Joint shares of all pairs of attributes and measures of association.

See Multi-Dimensional RR, section 4. One array holds all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Codes, Floats, count_cells
from rrcore.errors import InputError
from rrcore.limits import MAX_PAIR_CATEGORIES


def check_categories(sizes: Sequence[int]) -> None:
    """Raise InputError if the attributes have too many categories.

    ``sizes`` are the numbers of categories, and their sum must not exceed ``MAX_PAIR_CATEGORIES``.
    """
    if sum(sizes) > MAX_PAIR_CATEGORIES:
        raise InputError(
            f"There are {sum(sizes):,} categories in total, but at most {MAX_PAIR_CATEGORIES:,} are allowed. Use fewer attributes."
        )


@dataclass(frozen=True, eq=False)
class PairTables:
    """Shares of every pair of attributes.

    This is the Burt table without its diagonal blocks.

    Parameters
    ----------
    sizes : tuple of int
        Numbers of categories.
    shares : ndarray of shape (K, K)
        Symmetric, with K the sum of the sizes. Block (i, j) holds the joint shares of attributes i and j. Diagonal blocks are 0.
    n : int
        The sample size.
    of_pair : mapping
        Sample sizes of pairs i < j that differ from ``n``.
    """

    sizes: tuple[int, ...]
    shares: Floats
    n: int
    of_pair: Mapping[tuple[int, int], int] = field(default_factory=dict)

    @classmethod
    def count(cls, codes: Codes, sizes: Sequence[int]) -> PairTables:
        """Count the pairs of a table of codes with shape (n, k).

        Raises
        ------
        InputError
            If there are more than ``MAX_PAIR_CATEGORIES`` categories in total, or no records.
        """
        check_categories(sizes)
        if len(codes) == 0:
            raise InputError("The table contains no records. Use a table with at least one.")
        tables = {
            (i, j): count_cells(codes[:, [i, j]], (sizes[i], sizes[j])) / len(codes)
            for i, j in combinations(range(len(sizes)), 2)
        }
        return cls.assemble(sizes, tables, len(codes))

    @classmethod
    def assemble(
        cls,
        sizes: Sequence[int],
        tables: Mapping[tuple[int, int], Floats],
        n: int,
        of_pair: Mapping[tuple[int, int], int] = {},
    ) -> PairTables:
        """Assemble the tables of all pairs i < j."""
        ends = np.cumsum([0, *sizes])
        shares = np.zeros((ends[-1], ends[-1]))
        for (i, j), table in tables.items():
            shares[ends[i] : ends[i + 1], ends[j] : ends[j + 1]] = table
            shares[ends[j] : ends[j + 1], ends[i] : ends[i + 1]] = table.T
        return cls(tuple(int(a) for a in sizes), shares, n, of_pair)

    @property
    def k(self) -> int:
        """Number of attributes."""
        return len(self.sizes)

    @cached_property
    def blocks(self) -> tuple[slice, ...]:
        """Slices of rows that belong to the categories of each attribute."""
        ends = np.cumsum([0, *self.sizes]).tolist()
        return tuple(slice(start, end) for start, end in pairwise(ends))

    @cached_property
    def owner(self) -> NDArray[np.intp]:
        """The attribute to which each category belongs, shape (K,)."""
        return np.repeat(np.arange(self.k), self.sizes)

    def table(self, i: int, j: int) -> Floats:
        """Return the joint shares of attributes i and j, shape (a_i, a_j)."""
        return self.shares[self.blocks[i], self.blocks[j]]

    def people(self, i: int, j: int) -> int:
        """Return the sample size of the pair of attributes i and j."""
        return self.of_pair.get((min(i, j), max(i, j)), self.n)

    def best_known(self, i: int) -> int:
        """Return the attribute whose pair with attribute i has the most respondents."""
        return max((j for j in range(self.k) if j != i), key=lambda j: self.people(i, j))

    def margin(self, i: int) -> Floats:
        """Return the shares of attribute i, shape (a_i,), in its ``best_known`` pair."""
        return np.asarray(self.table(i, self.best_known(i)).sum(axis=1))

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield every pair i < j."""
        yield from combinations(range(self.k), 2)

    def resample(self, *, rng: np.random.Generator) -> PairTables:
        """Draw a new sample of every pair from its shares, independently of the other pairs."""
        drawn = {}
        for i, j in self.pairs():
            table, n = np.maximum(self.table(i, j), 0.0), self.people(i, j)
            drawn[i, j] = rng.multinomial(n, (table / table.sum()).ravel()).reshape(table.shape) / n
        return PairTables.assemble(self.sizes, drawn, self.n, self.of_pair)


def phi_squared(table: Floats) -> float:
    """Return phi^2, the chi-square of independence divided by n.

    It is the sum of (pi_ij - pi_i pi_j)^2 / (pi_i pi_j).

    ``table`` has non-negative shares with sum 1. Empty rows and columns are ignored.
    """
    expected = _expected(table)
    live = expected > 0
    return float((np.square(table - expected)[live] / expected[live]).sum())


def _expected(table: Floats) -> Floats:
    """Return the shares of two independent attributes with these margins."""
    return np.multiply.outer(table.sum(axis=1), table.sum(axis=0))


def cramers_v(table: Floats) -> float:
    """Return Cramér's V in [0, 1], sqrt(phi^2 / (min(a, b) - 1)).

    See Multi-Dimensional RR, eq. 9.

    a and b count all categories, including empty ones.
    """
    return math.sqrt(min(1.0, phi_squared(table) / (min(table.shape) - 1)))


def mutual_information(table: Floats) -> float:
    """Return the mutual information in nats."""
    expected = _expected(table)
    live = table > 0
    return max(0.0, float((table[live] * np.log(table[live] / expected[live])).sum()))


def pearson(table: Floats) -> float:
    """Return the absolute correlation of the category numbers.

    It is 0 if one of them is constant (Multi-Dimensional RR, eq. 8).
    """
    rows, columns = (np.arange(a) for a in table.shape)
    first, second = table.sum(axis=1), table.sum(axis=0)
    rows, columns = rows - rows @ first, columns - columns @ second
    spread = math.sqrt(float(np.square(rows) @ first) * float(np.square(columns) @ second))
    return min(1.0, abs(float(rows @ table @ columns)) / spread) if spread > 1e-12 else 0.0


def measure_pairs(tables: PairTables, measure: Callable[[Floats], float] = cramers_v, *, ordinal: Sequence[bool] = ()) -> Floats:
    """Return the association of every pair, shape (k, k).

    The matrix is symmetric, with NaN on the diagonal.

    Parameters
    ----------
    tables : PairTables
        The pairs of k attributes.
    measure : callable
        Measures a table.
    ordinal : sequence of bool
        Which attributes are ordinal. Pairs of ordinal attributes are measured by ``pearson``. By default, no attribute is ordinal.
    """
    found = np.full((tables.k, tables.k), np.nan)
    for i, j in tables.pairs():
        both = bool(ordinal) and ordinal[i] and ordinal[j]
        found[i, j] = found[j, i] = (pearson if both else measure)(tables.table(i, j))
    return found
