"""How strongly two attributes depend on each other, from their joint shares (Multi-Dimensional RR, section 4)."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from rrcore.arrays import Floats
from rrcore.dependence.pairs import PairTables


def phi_squared(table: Floats) -> float:
    """Chi-square of independence divided by the number of people: sum of (pi_ij - pi_i pi_j)^2 / (pi_i pi_j).

    Parameters
    ----------
    table : ndarray of shape (a, b), non-negative shares summing to 1; empty rows and columns count for nothing
    """
    expected = np.multiply.outer(table.sum(axis=1), table.sum(axis=0))
    live = expected > 0
    return float((np.square(table - expected)[live] / expected[live]).sum())


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
    expected = np.multiply.outer(table.sum(axis=1), table.sum(axis=0))
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
