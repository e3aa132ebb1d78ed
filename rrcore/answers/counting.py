"""Count rows of answers by kind of person.

Rows of one kind have the same answers and the same values of the relevant columns. Only counts over batches are stored: the
number of people of each kind, and the sums of their weights and squared weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.answers.rows import AnswerRows
from rrcore.answers.unrandomized import together
from rrcore.arrays import Codes, Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_STREAM_KINDS
from rrcore.table.text_table import TextColumn, to_numbers

_DENSE = 1 << 20  # kinds among which rows are counted without being sorted


@dataclass(frozen=True)
class Counting:
    """Specification of the counts. Small and picklable.

    Parameters
    ----------
    blocks : tuple of tuple of int
        Sets of attributes. Each set has its own kinds, which differ in the answers to these attributes.
    keys : tuple of str
        Unrandomized columns in which kinds also differ.
    weights : str
        Column of the weights, or "".
    """

    blocks: tuple[tuple[int, ...], ...]
    keys: tuple[str, ...] = ()
    weights: str = ""

    def kinds(self, rows: AnswerRows) -> list[Kinds]:
        """Return the kinds of each block. Missing weights are NaN.

        Raises
        ------
        InputError
            If a weight is negative or not a number.
        """
        known = {column.name: column for column in rows.groupings}
        keys, sums = tuple(known[name] for name in self.keys), [np.ones(len(rows.codes))]
        if self.weights:
            weights = _weights(known[self.weights])
            sums += [weights, weights**2]
        return [Kinds(rows.codes[:, list(block)], keys, np.stack(sums)).distinct() for block in self.blocks]


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of people, with their counts.

    Parameters
    ----------
    codes : ndarray of shape (m, w)
        -1 where an answer is missing.
    keys : tuple of TextColumn
        Columns in which kinds differ.
    sums : ndarray of shape (1 or 3, m)
        Number of people, sum of their weights, and sum of the squared weights.
    """

    codes: Codes
    keys: tuple[TextColumn, ...]
    sums: Floats

    @classmethod
    def together(cls, parts: Sequence[Kinds]) -> Kinds:
        """Combine the counts of several parts.

        Raises InputError for more than ``MAX_STREAM_KINDS`` kinds.
        """
        codes, sums = np.concatenate([part.codes for part in parts]), np.concatenate([part.sums for part in parts], axis=1)
        found = cls(codes, together([part.keys for part in parts]), sums).distinct()
        if (kinds := len(found.codes)) > MAX_STREAM_KINDS:
            named = " and ".join(f"'{column.name}'" for column in found.keys[:5])
            raise InputError(
                f"There are {kinds:,} different combinations of {named or 'answers'}, too many to count. Choose columns with "
                "fewer values, or fewer attributes."
            )
        return found

    def distinct(self) -> Kinds:
        """Merge rows of the same kind, in the order of their codes."""
        number, size = np.zeros(len(self.codes), np.int64), 1
        for codes in (*self.codes.T, *(column.codes for column in self.keys)):
            values = int(codes.max(initial=-1)) + 2
            if size * values > np.iinfo(np.int64).max:
                number = np.unique(number, return_inverse=True)[1]
                size = len(number)
            number, size = number * values + codes + 1, size * values
        if size <= _DENSE:
            first = np.full(size, -1)
            first[number[::-1]] = np.arange(len(number))[::-1]
            found, place = first[first >= 0], (np.cumsum(first >= 0) - 1)[number]
        else:
            _, found, place = np.unique(number, return_index=True, return_inverse=True)
        keys = tuple(TextColumn(column.name, column.codes[found], column.values) for column in self.keys)
        return Kinds(self.codes[found], keys, np.stack([np.bincount(place, own, len(found)) for own in self.sums]))


def put(found: list[Kinds], new: Kinds) -> None:
    """Append kinds and merge equal kinds when there are many."""
    found.append(new)
    if sum(len(part.codes) for part in found[1:]) > max(len(found[0].codes), _DENSE):
        found[:] = [Kinds.together(found)]


def _weights(column: TextColumn) -> Floats:
    """Return the weight of each row, NaN if there is none."""
    live = [value or "0" for value in column.values]
    numbers = to_numbers(live) if live else np.zeros(0)
    if numbers is None:
        raise InputError(f"The weight column '{column.name}' contains non-numeric values. Choose another column.")
    found = np.append(numbers, np.nan)[column.codes]
    if (found < 0).any():
        raise InputError(f"The weight column '{column.name}' contains {np.nanmin(found):g}. Use weights of 0 or more.")
    return np.asarray(found)
