"""Rows of answers as kinds of people: who reported the same, and is alike in the columns that matter, stands in one row with all the others.

Sums over batches are all that is kept: of each kind how many people there are, the sum of their weights, and that of the squares.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rrcore.answers.columns import Crowd
from rrcore.answers.gathering import Gathered
from rrcore.answers.rows import AnswerRows, of_use
from rrcore.arrays import Codes, Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.sample import no_weight
from rrcore.limits import MAX_STREAM_ENTRIES, MAX_STREAM_KINDS
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.text_table import TextColumn, in_order, to_numbers

_DENSE = 1 << 20  # kinds among which rows are counted without being sorted

Key = tuple[str | None, ...]
"""The values of the columns that matter, None where one is missing."""


@dataclass(frozen=True)
class TabulatedAnswers:
    """What is counted of rows. Small and picklable.

    Parameters
    ----------
    mechanism : MechanismFile
    blocks : sets of attributes by their numbers; people are told apart by their answers to those of one block at a time
    keys : names of the columns that matter, which were not randomised
    weights : name of the column whose numbers are summed, or ""
    beside : names of all columns that were not randomised
    """

    mechanism: MechanismFile
    blocks: tuple[tuple[int, ...], ...]
    keys: tuple[str, ...] = ()
    weights: str = ""
    beside: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read beside the answers."""
        return (*self.keys, *((self.weights,) if self.weights else ()))

    def common(self, other: TabulatedAnswers) -> TabulatedAnswers:
        """What both tell apart."""
        keys = tuple(name for name in self.keys if name in other.keys)
        weights = self.weights if self.weights == other.weights else ""
        return replace(self, keys=keys, weights=weights)

    def strides(self, block: Sequence[int]) -> tuple[list[int], int]:
        """What each code, raised by one, adds to the number of a row's kind, and how many kinds there are."""
        sizes = [self.mechanism.reports.sizes[i] + 1 for i in block]
        return [math.prod(sizes[i + 1 :]) for i in range(len(sizes))], math.prod(sizes)


@dataclass
class Kinds:
    """Kinds that occur, in the order of their numbers, with three sums of each: people, weights, squares of weights."""

    numbers: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    sums: Floats = field(default_factory=lambda: np.zeros((1, 0)))

    @classmethod
    def of(cls, numbers: Integers, weights: Floats | None) -> Kinds:
        """Those of rows."""
        return cls._summed(numbers, [None] if weights is None else [None, weights, weights**2])

    @classmethod
    def together(cls, parts: Sequence[Kinds]) -> Kinds:
        """The sums of several."""
        if len(parts) == 1:
            return parts[0]
        whole = np.concatenate([part.sums for part in parts], axis=1)
        return cls._summed(np.concatenate([part.numbers for part in parts]), list(whole))

    @classmethod
    def _summed(cls, numbers: Integers, each: list[Any]) -> Kinds:
        """Sums by number; None counts."""
        if numbers.size and int(numbers.max()) < _DENSE:
            found = np.flatnonzero(np.bincount(numbers))
            return cls(found, np.stack([np.bincount(numbers, own)[found].astype(np.float64) for own in each]))
        found, place = np.unique(numbers, return_inverse=True)
        return cls(found, np.stack([np.bincount(place, own, found.size).astype(np.float64) for own in each]))


@dataclass(frozen=True, eq=False)
class PeopleByKind:
    """Kinds of people, told apart by their answers to some attributes.

    Parameters
    ----------
    codes : ndarray of shape (rows, w), -1 where an answer is missing
    complete : how many rows have all answers; they come first
    crowd : what rows stand for
    groupings : the columns that matter, of these rows
    """

    codes: Codes
    complete: int
    crowd: Crowd
    groupings: tuple[TextColumn, ...]

    def answered(self, block: Sequence[int], wanted: Sequence[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], PeopleByKind]]:
        """Attributes with the people who answered them: all of ``block``, or where nobody did those of ``wanted`` that are in it."""
        if self.complete:
            yield tuple(block), self
            return
        for axes in (axes for axes in dict.fromkeys(wanted) if set(axes) <= set(block)):
            places = [block.index(i) for i in axes]
            rows = np.flatnonzero((self.codes[:, places] >= 0).all(axis=1))
            if rows.size:
                crowd = self.crowd.take(rows)
                columns = tuple(replace(column, codes=column.codes[rows]) for column in self.groupings)
                yield axes, PeopleByKind(self.codes[rows][:, places], rows.size, crowd, columns)


@dataclass
class Tabulation(Gathered):
    """Rows that were counted: they add up.

    Parameters
    ----------
    wanted : TabulatedAnswers
    people : the rows with or without answers, those of use, and those with all answers: ndarray of shape (3,)
    lacking : how many rows of use have no weight
    places : key -> its number
    parts : for each block, what was found so far
    """

    wanted: TabulatedAnswers
    people: Integers = field(default_factory=lambda: np.zeros(3, np.int64))
    lacking: int = 0
    places: dict[Key, int] = field(default_factory=dict)
    parts: list[list[Kinds]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.parts:
            self.parts = [[] for _ in self.wanted.blocks]

    def _take(self, rows: AnswerRows) -> None:
        codes = rows.codes
        whole = bool(codes.min() >= 0)
        used = np.ones(len(codes), np.bool_) if whole else of_use(codes)
        complete = len(codes) if whole else int((codes >= 0).all(axis=1).sum())
        self.people += (len(codes), int(used.sum()), complete)
        known = {column.name: column for column in rows.groupings}
        key = self._numbered([known[name] for name in self.wanted.keys], len(codes))
        weights = self._weights(known.get(self.wanted.weights), used)
        for block, found in zip(self.wanted.blocks, self.parts, strict=True):
            strides, size = self.wanted.strides(block)
            numbers = key * size
            for i, stride in zip(block, strides, strict=True):
                numbers += (codes[:, i].astype(np.int64) + 1) * stride
            own = weights if whole or weights is None else weights[used]
            _put(found, Kinds.of(numbers if whole else numbers[used], own))

    def _numbered(self, columns: Sequence[TextColumn], n: int) -> Integers:
        """The number of each row's key."""
        if not columns:
            self.places.setdefault((), 0)
            return np.zeros(n, np.int64)
        joint = np.zeros(n, np.int64)
        for column in columns:
            joint = np.unique(joint * (len(column.values) + 1) + column.codes + 1, return_inverse=True)[1]
        first = np.unique(joint, return_index=True)[1]
        texts = [[column.values[code] if code >= 0 else None for code in column.codes[first].tolist()] for column in columns]
        numbers = [self.places.setdefault(key, len(self.places)) for key in zip(*texts, strict=True)]
        if len(self.places) > MAX_STREAM_ENTRIES:
            self._too_many(len(self.places))
        return np.array(numbers, np.int64)[joint]

    def _weights(self, column: TextColumn | None, counted: Any) -> Floats | None:
        """The weight of each row that counts; 0 where there is none, which is told at the end."""
        if column is None:
            return None
        live = [value if value else "0" for value in column.values]
        numbers = to_numbers(live) if live else np.zeros(0)
        if numbers is None:
            raise InputError(
                f"The column '{column.name}' of the weights holds values that are not numbers: choose another column."
            )
        self.lacking += int((counted & (column.codes < 0)).sum())
        found = np.append(numbers, 0.0)[column.codes]
        if found.size and found.min() < 0:
            raise no_weight(self.rows + int(np.argmin(found)) + 1, found.min())
        return np.asarray(found)

    def _too_many(self, kinds: int) -> None:
        named = " and ".join(f"'{name}'" for name in self.wanted.keys[:5])
        raise InputError(
            f"People differ in {kinds:,} ways in {named or 'their answers'}, too many to count: choose columns of fewer values, or fewer "
            "attributes."
        )

    def _join(self, other: Tabulation) -> None:
        self.people += other.people
        self.lacking += other.lacking
        place = np.array([self.places.setdefault(key, len(self.places)) for key in other.places], np.int64)
        sizes = [self.wanted.strides(block)[1] for block in self.wanted.blocks]
        for size, own, parts in zip(sizes, self.parts, other.parts, strict=True):
            for part in parts:
                numbers = place[part.numbers // size] * size + part.numbers % size
                order = np.argsort(numbers, kind="stable")
                _put(own, Kinds(numbers[order], part.sums[:, order]))
        if len(self.places) > MAX_STREAM_ENTRIES:
            self._too_many(len(self.places))

    def settle(self) -> None:
        """Bring together what was found so far."""
        for found in self.parts:
            found[:] = [Kinds.together(found)] if found else []
            if found and found[0].numbers.size > MAX_STREAM_KINDS:
                self._too_many(found[0].numbers.size)

    def _without(self) -> Tabulation:
        found = Tabulation(self.wanted)
        found.people[0] = self.rows
        return found

    def kinds(self, block: int) -> PeopleByKind:
        """The kinds of people of one block."""
        (found,) = self.parts[block]
        strides, size = self.wanted.strides(self.wanted.blocks[block])
        sizes = [self.wanted.mechanism.reports.sizes[i] + 1 for i in self.wanted.blocks[block]]
        cells = found.numbers % size
        codes = np.stack([cells // stride % a for stride, a in zip(strides, sizes, strict=True)], axis=1).astype(np.int32) - 1
        complete = (codes >= 0).all(axis=1)
        order = np.concatenate([np.flatnonzero(complete), np.flatnonzero(~complete)])
        sums, keys = found.sums[:, order], found.numbers[order] // size
        times = sums[0].round().astype(np.int64)
        crowd = Crowd(times, self.wanted.weights, sums[1], sums[2]) if self.wanted.weights else Crowd(times)
        return PeopleByKind(codes[order], int(complete.sum()), crowd, self._columns(keys))

    def _columns(self, keys: Integers) -> tuple[TextColumn, ...]:
        """The columns that matter, of rows with these keys."""
        found = []
        for i, name in enumerate(self.wanted.keys):
            texts = [key[i] for key in self.places]
            known = list({text for text in texts if text is not None})
            values = tuple(known[number] for number in in_order(known).tolist())
            place = {text: number for number, text in enumerate(values)}
            codes = np.array([-1 if text is None else place[text] for text in texts], np.int64)
            found.append(TextColumn(name, codes[keys], values))
        return tuple(found)


def _put(found: list[Kinds], new: Kinds) -> None:
    """Keep lists short: many small ones are brought together."""
    found.append(new)
    if len(found) > 1 and sum(part.numbers.size for part in found[1:]) > max(found[0].numbers.size, _DENSE):
        found[:] = [Kinds.together(found)]
