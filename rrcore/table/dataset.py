"""A table of categorical answers: a schema and integer codes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrcore.errors import InputError
from rrcore.table.schema import Schema

__all__ = ["Dataset", "spreadsheet_safe"]

_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?")


def spreadsheet_safe(text: str) -> str:
    """``text`` with a leading apostrophe if a spreadsheet would run it as a formula; numbers stay as they are."""
    dangerous = text[:1] in {"=", "+", "-", "@", "\t", "\r", "\n"}
    return "'" + text if dangerous and not _NUMBER.fullmatch(text) else text


@dataclass(frozen=True)
class Dataset:
    """n records over a schema of k attributes.

    Parameters
    ----------
    schema : Schema
    codes : ndarray of shape (n, k), integer, codes 0..a_i-1
        Kept as int32, column by column in memory (Fortran order), read-only.
    title : str
        What the table is called on a page.

    Raises
    ------
    InputError
        If the shape does not fit the schema, there is no record, or a code is out of range.
    """

    schema: Schema
    codes: NDArray[np.int32]
    title: str = ""

    def __post_init__(self) -> None:
        raw = np.asarray(self.codes)
        if raw.ndim != 2 or raw.shape[1] != len(self.schema.attributes):
            width = len(self.schema.attributes)
            raise InputError(f"The codes have shape {raw.shape}: expected (n, {width}), one column an attribute.")
        if raw.shape[0] == 0:
            raise InputError("The table has no records: at least one is needed.")
        if not np.issubdtype(raw.dtype, np.integer):
            raise InputError(f"The codes are of type {raw.dtype}: expected integers.")
        codes = np.array(raw, dtype=np.int32, order="F")
        for i, attribute in enumerate(self.schema.attributes):
            low, high = int(raw[:, i].min()), int(raw[:, i].max())
            if low < 0 or high >= attribute.size:
                raise InputError(
                    f"A code of '{attribute.name}' is {low if low < 0 else high}: expected 0 to {attribute.size - 1}."
                )
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)

    @property
    def n(self) -> int:
        """Number of records (respondents)."""
        return int(self.codes.shape[0])

    @property
    def k(self) -> int:
        """Number of attributes."""
        return int(self.codes.shape[1])

    def select(self, names: Iterable[str]) -> Dataset:
        """The same records with the named attributes only, in the order of ``names``."""
        axes = self.schema.axes(names)
        return Dataset(Schema(tuple(self.schema.attributes[i] for i in axes)), self.codes[:, list(axes)], self.title)

    def resample(self, n: int, *, rng: np.random.Generator) -> Dataset:
        """``n`` records drawn with replacement: what a survey of n people from this population might look like."""
        if n < 1:
            raise InputError(f"The number of people is {n}: give at least 1.")
        return Dataset(self.schema, self.codes[rng.integers(0, self.n, size=n)], self.title)

    def to_csv(self) -> str:
        """The records as CSV text, every cell safe to open in a spreadsheet (see ``spreadsheet_safe``)."""
        columns = []
        for i, attribute in enumerate(self.schema.attributes):
            labels = np.array([spreadsheet_safe(c) for c in attribute.categories], dtype=object)
            columns.append(labels[self.codes[:, i]])
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([spreadsheet_safe(name) for name in self.schema.names])
        writer.writerows(zip(*columns, strict=True))
        return out.getvalue()
