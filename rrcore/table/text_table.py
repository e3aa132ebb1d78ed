"""Columns of texts and the table they form; and whether texts are numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rrcore.arrays import Codes, Floats, Integers, code_type
from rrcore.errors import InputError
from rrcore.table.source import checked_names
from rrcore.wording.short import some

_NUMBER = r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$"
_ONE_NUMBER = re.compile(_NUMBER, re.ASCII)


def numbers_in(texts: Sequence[str | None]) -> Floats:
    """The number that each text writes, ndarray of shape (len(texts),), NaN where that is none; a comma is read as the decimal sign."""
    words = pa.array(texts, pa.string())
    words = pc.if_else(pc.match_substring_regex(words, _NUMBER), pc.utf8_ltrim(words, "+"), pa.scalar(None, pa.string()))
    numbers: Floats = pc.replace_substring(words, ",", ".").cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def to_numbers(texts: Sequence[str]) -> Floats | None:
    """The numbers that the texts write, ndarray of shape (len(texts),), or None if there is no text or one is not a finite number.

    A comma is read as the decimal sign only if no text has a point, as in ``3,5``.
    """
    numbers = numbers_in(texts)
    comma, point = (pc.any(pc.match_substring(pa.array(texts, pa.string()), sign)).as_py() for sign in ",.")
    return None if (comma and point) or not len(numbers) or np.isnan(numbers).any() else numbers


def in_order(texts: Sequence[str]) -> Integers:
    """The places of different texts in number order if all are numbers, else in text order."""
    order: Integers = pc.sort_indices(pa.array(texts, pa.string())).to_numpy()
    numbers = to_numbers(texts)
    return order if numbers is None else order[np.argsort(numbers[order], kind="stable")]


def is_number(text: str) -> bool:
    """Whether ``to_numbers`` reads a number from this text alone, which it takes much longer to tell."""
    return _ONE_NUMBER.fullmatch(text) is not None and math.isfinite(float(text.replace(",", ".")))


@dataclass(frozen=True, eq=False)
class TextColumn:
    """One column of texts.

    Parameters
    ----------
    name : str
    codes : ndarray of shape (n,), integer, codes 0..len(values)-1, or -1 for a missing value; kept in the smallest type (``code_type``)
    values : tuple of str
        The distinct texts, in number order if all are numbers, else in text order (so the order of the rows does not show).
    labels : tuple of (value, label), what the file says that values mean, in its order
    question : str, the question as it was asked, where the file knows it
    ordered : bool, whether the file says that the order of its labels means something
    read_as : str, the name in the file, where the column was given another one since
    """

    name: str
    codes: Codes
    values: tuple[str, ...]
    labels: tuple[tuple[str, str], ...] = ()
    question: str = ""
    ordered: bool = False
    read_as: str = ""

    def __post_init__(self) -> None:
        codes = np.asarray(self.codes).astype(code_type(len(self.values)))
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def counts(self) -> Integers:
        """How many rows have each value: ndarray of shape (len(values),), int64."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    @property
    def missing(self) -> int:
        """How many rows have no value."""
        return int(np.count_nonzero(self.codes < 0))


@dataclass(frozen=True, eq=False)
class TextTable:
    """Columns of equal length with distinct names.

    Parameters
    ----------
    columns : tuple of TextColumn
    title : str, what the table is called
    notes : sentences about what reading did
    left_out : sentences about columns of the file that cannot be used and are not here
    mark : the mark of a simulation that the file has in its metadata; see ``rrcore.mark``
    """

    columns: tuple[TextColumn, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    mark: str = ""

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.columns[0].codes)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def renamed(self, names: Mapping[str, str]) -> TextTable:
        """This table with columns called otherwise (name in the file -> new name).

        Raises InputError where two columns would have one name, or a name is empty or too long.
        """
        new = checked_names([names.get(column.read_as or column.name, column.name) for column in self.columns])
        pairs = zip(self.columns, new, strict=True)
        return replace(self, columns=tuple(replace(each, name=name, read_as=each.read_as or each.name) for each, name in pairs))

    def column(self, name: str) -> TextColumn:
        """The column of that name. Raises InputError, listing the names, if there is none."""
        if name not in self.names:
            raise InputError(f"There is no column '{name}': choose among {some(self.names, 20)}.")
        return self.columns[self.names.index(name)]
