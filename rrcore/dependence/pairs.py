"""All pairs of attributes: their joint shares in one square array, and how strongly two depend on each other (Multi-Dimensional RR, 4)."""

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
    """Raise InputError if attributes of these ``sizes`` have more than ``MAX_PAIR_CATEGORIES`` categories in all."""
    if sum(sizes) > MAX_PAIR_CATEGORIES:
        raise InputError(f"There are {sum(sizes):,} categories, the limit is {MAX_PAIR_CATEGORIES:,}: choose fewer attributes.")


@dataclass(frozen=True, eq=False)
class PairTables:
    """Shares of every pair of attributes: the Burt table without its diagonal blocks.

    Parameters
    ----------
    sizes : tuple of k ints, numbers of categories
    shares : ndarray of shape (K, K), K the sum of the sizes; block (i, j) holds the joint shares of attributes i and j, blocks
        on the diagonal are 0; symmetric
    n : number of people
    of_pair : number of people behind pairs i < j that another number answered
    """

    sizes: tuple[int, ...]
    shares: Floats
    n: int
    of_pair: Mapping[tuple[int, int], int] = field(default_factory=dict)

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
    def assemble(
        cls,
        sizes: Sequence[int],
        tables: Mapping[tuple[int, int], Floats],
        n: int,
        of_pair: Mapping[tuple[int, int], int] = {},
    ) -> PairTables:
        """Put the tables of all pairs i < j side by side."""
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

    def people(self, i: int, j: int) -> int:
        """Number of people behind the pair of attributes i and j."""
        return self.of_pair.get((min(i, j), max(i, j)), self.n)

    def best_known(self, i: int) -> int:
        """The attribute whose pair with attribute i the most people answered."""
        return max((j for j in range(self.k) if j != i), key=lambda j: self.people(i, j))

    def margin(self, i: int) -> Floats:
        """Shares of attribute i, shape (a_i,), among those who answered its ``best_known`` pair."""
        return np.asarray(self.table(i, self.best_known(i)).sum(axis=1))

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Every pair i < j."""
        yield from combinations(range(self.k), 2)

    def resample(self, *, rng: np.random.Generator) -> PairTables:
        """As many people drawn anew for every pair, from its shares; pairs do not share their people."""
        drawn = {}
        for i, j in self.pairs():
            table, n = np.maximum(self.table(i, j), 0.0), self.people(i, j)
            drawn[i, j] = rng.multinomial(n, (table / table.sum()).ravel()).reshape(table.shape) / n
        return PairTables.assemble(self.sizes, drawn, self.n, self.of_pair)


def phi_squared(table: Floats) -> float:
    """Chi-square of independence divided by the number of people: sum of (pi_ij - pi_i pi_j)^2 / (pi_i pi_j).

    Parameters
    ----------
    table : ndarray of shape (a, b), non-negative shares summing to 1; empty rows and columns count for nothing
    """
    expected = _expected(table)
    live = expected > 0
    return float((np.square(table - expected)[live] / expected[live]).sum())


def _expected(table: Floats) -> Floats:
    """The shares of two attributes that are independent."""
    return np.multiply.outer(table.sum(axis=1), table.sum(axis=0))


def cramers_v(table: Floats, n: int = 0) -> float:
    """Cramér's V in [0, 1], eq. (9) of the Multi-Dimensional RR paper: sqrt(phi^2 / (min(a, b) - 1)).

    a and b count all categories, also those that nobody has.

    ``n`` is not used; it is there so that all measures share one signature.
    """
    return math.sqrt(min(1.0, phi_squared(table) / (min(table.shape) - 1)))


def corrected_cramers_v(table: Floats, n: int) -> float:
    """Cramér's V without the part that sampling ``n`` people adds on average (Bergsma 2013, Journal of the Korean Statistical Society)."""
    if n < 2:
        return 0.0
    rows, columns = table.shape
    excess = max(0.0, phi_squared(table) - (rows - 1) * (columns - 1) / (n - 1))
    shrunk = min(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)) - 1
    return math.sqrt(min(1.0, excess / shrunk)) if shrunk > 0 else 0.0


def mutual_information(table: Floats, n: int = 0) -> float:
    """Sum of pi_ij ln(pi_ij / (pi_i pi_j)), in nats, >= 0."""
    expected = _expected(table)
    live = table > 0
    return max(0.0, float((table[live] * np.log(table[live] / expected[live])).sum()))


def pearson(table: Floats, n: int = 0) -> float:
    """|Pearson's correlation| of the category numbers, eq. (8) of the Multi-Dimensional RR paper; 0 where one is constant."""
    rows, columns = (np.arange(a) for a in table.shape)
    first, second = table.sum(axis=1), table.sum(axis=0)
    rows, columns = rows - rows @ first, columns - columns @ second
    spread = math.sqrt(float(np.square(rows) @ first) * float(np.square(columns) @ second))
    return min(1.0, abs(float(rows @ table @ columns)) / spread) if spread > 1e-12 else 0.0


MEASURES: dict[str, Callable[[Floats, int], float]] = {
    "Cramer's V": cramers_v,
    "Cramer's V, bias-corrected": corrected_cramers_v,
    "mutual information (nats)": mutual_information,
}
"""Name in project files -> measure of a table of shares and the number of people behind it."""


def measure_pairs(
    tables: PairTables, measure: Callable[[Floats, int], float] = cramers_v, *, ordinal: Sequence[bool] = ()
) -> Floats:
    """The dependence of every pair.

    Parameters
    ----------
    tables : PairTables of k attributes
    measure : what is measured
    ordinal : k booleans; pairs of ordinal attributes are measured by |Pearson| instead. None are ordinal if left out.

    Returns
    -------
    ndarray of shape (k, k), symmetric, NaN on the diagonal
    """
    found = np.full((tables.k, tables.k), np.nan)
    for i, j in tables.pairs():
        both = bool(ordinal) and ordinal[i] and ordinal[j]
        found[i, j] = found[j, i] = (pearson if both else measure)(tables.table(i, j), tables.n)
    return found
