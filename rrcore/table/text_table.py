"""Columns of strings, tables of such columns, and detection of numbers."""

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
    """Return the number in each string, shape (len(texts),), NaN if there is none.

    A comma is the decimal sign.
    """
    words = pa.array(texts, pa.string())
    words = pc.if_else(pc.match_substring_regex(words, _NUMBER), pc.utf8_ltrim(words, "+"), pa.scalar(None, pa.string()))
    numbers: Floats = pc.replace_substring(words, ",", ".").cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def to_numbers(texts: Sequence[str]) -> Floats | None:
    """Return the numbers in the strings, shape (len(texts),).

    The result is None if there are no strings, or some string is not a finite number.

    A comma is the decimal sign only if no string contains a point, as in ``3,5``.
    """
    numbers = numbers_in(texts)
    comma, point = (pc.any(pc.match_substring(pa.array(texts, pa.string()), sign)).as_py() for sign in ",.")
    return None if (comma and point) or not len(numbers) or np.isnan(numbers).any() else numbers


def in_order(texts: Sequence[str]) -> Integers:
    """Return the positions that sort distinct strings.

    Texts are sorted numerically if all of them are numbers, otherwise alphabetically.
    """
    order: Integers = pc.sort_indices(pa.array(texts, pa.string())).to_numpy()
    numbers = to_numbers(texts)
    return order if numbers is None else order[np.argsort(numbers[order], kind="stable")]


def is_number(text: str) -> bool:
    """Return whether ``to_numbers`` reads a number from a single string.

    For one string, this function is much faster than ``to_numbers``.
    """
    return _ONE_NUMBER.fullmatch(text) is not None and math.isfinite(float(text.replace(",", ".")))


@dataclass(frozen=True, eq=False)
class TextColumn:
    """One column of strings.

    Parameters
    ----------
    name : str
    codes : ndarray of shape (n,), integer codes 0..len(values)-1, -1 for a missing value, in the smallest type (``code_type``)
    values : tuple of str
        The distinct strings, sorted numerically if all are numbers, otherwise alphabetically. The order does not reveal that of the
        rows.
    labels : tuple of (value, label), the labels of values in the file, in its order
    question : str, the wording of the question, if the file contains it
    ordered : bool, whether the file declares the order of its labels as meaningful
    read_as : str, the name in the file if the column was renamed
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
        """Number of rows with each value, int64 ndarray of shape (len(values),)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    @property
    def missing(self) -> int:
        """Number of rows without a value."""
        return int(np.count_nonzero(self.codes < 0))


@dataclass(frozen=True, eq=False)
class TextTable:
    """Columns of equal length with distinct names.

    Parameters
    ----------
    columns : tuple of TextColumn
    title : str, the title of the table
    notes : notes from reading the table, as sentences
    left_out : sentences on columns of the file that cannot be used and were left out
    mark : the mark of a simulation in the metadata of the file (see ``rrcore.mark``)
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
        """Return this table with renamed columns, from names in the file to new names.

        Raises InputError if two columns would have the same name, or a name is empty or too long.
        """
        new = checked_names([names.get(column.read_as or column.name, column.name) for column in self.columns])
        pairs = zip(self.columns, new, strict=True)
        return replace(self, columns=tuple(replace(each, name=name, read_as=each.read_as or each.name) for each, name in pairs))

    def column(self, name: str) -> TextColumn:
        """Return the column with that name.

        If there is none, InputError lists the known names.
        """
        if name not in self.names:
            raise InputError(f"There is no column '{name}'. Choose one of {some(self.names, 20)}.")
        return self.columns[self.names.index(name)]
