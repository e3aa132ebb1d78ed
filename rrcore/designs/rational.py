"""Ranks of matrices of fractions: whether something can be estimated is decided exactly, not by rounding."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Row = tuple[Fraction, ...]


def rank(rows: Sequence[Sequence[Fraction]]) -> int:
    """The rank of a matrix of fractions.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> rank([(half, half), (half, half)])
    1
    """
    table, found = [list(row) for row in rows], 0
    for column in range(len(table[0])):
        chosen = next((row for row in range(found, len(table)) if table[row][column]), None)
        if chosen is None:
            continue
        table[found], table[chosen] = table[chosen], table[found]
        top = table[found]
        for row in range(found + 1, len(table)):
            factor = table[row][column] / top[column]
            if factor:
                table[row] = [entry - factor * above for entry, above in zip(table[row], top, strict=True)]
        found += 1
        if found == len(table):
            break
    return found


def spans(rows: Sequence[Sequence[Fraction]], target: Sequence[Fraction]) -> bool:
    """Whether some s solves ``rows`` s = ``target``.

    Examples
    --------
    >>> one, half = Fraction(1), Fraction(1, 2)
    >>> spans([(one, one), (one, one)], (one, half))
    False
    """
    return rank(rows) == rank([(*row, value) for row, value in zip(rows, target, strict=True)])
