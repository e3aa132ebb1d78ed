"""Counts of marginals: all that estimates need of a table, however many records it has."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rrcore.arrays import Integers
from rrcore.errors import InputError
from rrcore.table.mark import marks_in
from rrcore.table.schema import Schema

Names = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Counts:
    """How many of n records have each combination of answers, for some marginals over the attributes of a schema.

    Parameters
    ----------
    schema : Schema
    n : int, number of records
    tables : names of attributes -> ndarray, integer, one axis for each attribute in the order of the names; made read-only. A
        record of which an answer is missing is in those tables that do not need it, so a table may sum to less than n
    left_out : int, number of further records that could not be used
    incomplete : int, how many of the n records lack some answer
    mark : str, of what was simulated; see ``rrcore.table.mark``

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.table.scanning import count
    >>> counts = count(rr.load_demo("titanic"), [("Sex", "Survived")])
    >>> counts.n, counts.of(["Survived"]).tolist()
    (2201, [1490, 711])
    >>> (counts + counts).n
    4402
    """

    schema: Schema
    n: int
    tables: Mapping[Names, Integers]
    left_out: int = field(default=0, kw_only=True)
    incomplete: int = field(default=0, kw_only=True)
    mark: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        for table in self.tables.values():
            table.setflags(write=False)

    def __add__(self, other: Counts) -> Counts:
        """The counts of both sets of records. Raises InputError where schema or marginals differ."""
        if not isinstance(other, Counts):
            return NotImplemented
        if other.schema != self.schema or set(other.tables) != set(self.tables):
            raise InputError("Counts of different questions or marginals cannot be added: count both for the same ones.")
        tables = {names: table + other.tables[names] for names, table in self.tables.items()}
        left_out, incomplete = self.left_out + other.left_out, self.incomplete + other.incomplete
        mark = marks_in([self.mark, other.mark])
        return Counts(self.schema, self.n + other.n, tables, left_out=left_out, incomplete=incomplete, mark=mark)

    def of(self, names: Sequence[str]) -> Integers:
        """Counts of the marginal over ``names``, one axis for each in their order: a stored one, or summed out of a stored wider one.

        Raises
        ------
        InputError
            If no stored marginal has all of these attributes.
        """
        if (known := self.tables.get(tuple(names))) is not None:
            return known
        self.schema.axes(names)
        wanted = set(names)
        for stored, table in self.tables.items():
            if set(stored) == wanted:
                return np.transpose(table, [stored.index(name) for name in names])
        wider = (stored for stored, table in self.tables.items() if wanted < set(stored) and int(table.sum()) == self.n)
        stored = min(wider, key=lambda found: self.tables[found].size, default=())
        if not stored:
            raise InputError(f"{_listed(names)} was not counted together: count this marginal, or a wider one, first.")
        kept = [name for name in stored if name in wanted]
        summed = self.tables[stored].sum(axis=tuple(i for i, name in enumerate(stored) if name not in wanted))
        return np.asarray(np.transpose(summed, [kept.index(name) for name in names]))


def pairs(schema: Schema) -> tuple[Names, ...]:
    """The names of all pairs of attributes: the marginals that most estimates, and every association, need.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.table import pairs
    >>> len(pairs(rr.load_demo("census").schema))
    28
    """
    return tuple(itertools.combinations(schema.names, 2))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:10])
