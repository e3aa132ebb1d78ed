"""What occurs in a column and how often, which is all that rules, advice and descriptions ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rrcore.arrays import Integers


class Values(Protocol):
    """A column of texts: held as a whole (``TextColumn``), or counted in one pass (``ValueCounts``)."""

    @property
    def name(self) -> str: ...

    @property
    def values(self) -> tuple[str, ...]:
        """The distinct texts, in number order if all are numbers, else in text order."""

    @property
    def counts(self) -> Integers:
        """How many rows have each value: ndarray of shape (len(values),), int64."""

    @property
    def missing(self) -> int:
        """How many rows have no value."""

    @property
    def n(self) -> int:
        """Number of rows."""

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """What the file says that values mean."""

    @property
    def ordered(self) -> bool:
        """Whether the file says that the order of its labels means something."""


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """What occurs in a column of a table that is too large to hold.

    Parameters
    ----------
    name, values, counts, missing, labels, ordered : as in ``Values``
    """

    name: str
    values: tuple[str, ...]
    counts: Integers
    missing: int = 0
    labels: tuple[tuple[str, str], ...] = ()
    ordered: bool = False

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.counts.sum()) + self.missing

    @classmethod
    def of(cls, name: str, texts: Mapping[str, int], missing: int = 0) -> ValueCounts:
        """From texts and how often they occur.

        Examples
        --------
        >>> from rrcore.table.values import ValueCounts
        >>> column = ValueCounts.of("age", {"31": 2, "9": 1}, missing=1)
        >>> column.values, column.n
        (('9', '31'), 4)
        """
        import pyarrow as pa

        from rrcore.table.reading.columns import in_order

        values = tuple(in_order(pa.array(list(texts), pa.string())).to_pylist())
        return cls(name, values, np.array([texts[value] for value in values], dtype=np.int64), missing)
