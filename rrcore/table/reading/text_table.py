"""Columns of texts and the table they form, as read from a file; and whether texts are numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rrcore.arrays import Codes, Floats, Integers, code_type
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT

_NUMBER = r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$"
_ONE_NUMBER = re.compile(_NUMBER, re.ASCII)


def to_numbers(texts: tuple[str, ...] | list[str]) -> Floats | None:
    """The numbers that the texts write, ndarray of shape (len(texts),), or None if there is no text or one is not a finite number.

    A comma is read as the decimal sign only if no text has a point, as in ``3,5``.
    """
    words = pa.array(texts, pa.string())
    if not len(words) or not pc.all(pc.match_substring_regex(words, _NUMBER)).as_py():
        return None
    if pc.any(pc.match_substring(words, ",")).as_py():
        if pc.any(pc.match_substring(words, ".")).as_py():
            return None
        words = pc.replace_substring(words, ",", ".")
    try:
        numbers: Floats = words.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:  # an older Arrow reads no plus sign
        numbers = np.array([float(word) for word in words.to_pylist()])
    return numbers if np.isfinite(numbers).all() else None


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

    Raises
    ------
    InputError
        If ``codes`` is not a row of integers or a code is out of range.
    """

    name: str
    codes: Codes
    values: tuple[str, ...]
    labels: tuple[tuple[str, str], ...] = ()
    question: str = ""
    ordered: bool = False
    read_as: str = ""

    def __post_init__(self) -> None:
        raw = np.asarray(self.codes)
        if raw.ndim != 1 or (raw.size and not np.issubdtype(raw.dtype, np.integer)):
            raise InputError(f"The codes of '{self.name}' have shape {raw.shape} and type {raw.dtype}: expected integers, (n,).")
        if raw.size and (raw.min() < -1 or raw.max() >= len(self.values)):
            raise InputError(f"A code of '{self.name}' is out of range: expected -1 to {len(self.values) - 1}.")
        codes = raw.astype(code_type(len(self.values)))
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "values", tuple(self.values))

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
    mark : the mark of a simulation that the file has beside its columns; see ``rrcore.table.mark``
    """

    columns: tuple[TextColumn, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    mark: str = ""

    def __post_init__(self) -> None:
        if len({len(c.codes) for c in self.columns}) != 1 or len(set(self.names)) != len(self.columns):
            raise InputError("A table needs columns of one length with different names: check the columns.")

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.columns[0].codes)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def renamed(self, names: Mapping[str, str]) -> TextTable:
        """This table with columns called otherwise (present name -> new name).

        Raises InputError where two columns would have one name, or a name is empty or too long.
        """
        new = [names.get(name, name).strip() for name in self.names]
        for name in new:
            if not 0 < len(name) <= MAX_TEXT:
                raise InputError(f"A column is to be called '{name[:40]}': give it a name of 1 to {MAX_TEXT} characters.")
            if new.count(name) > 1:
                raise InputError(f"Two columns would be called '{name}': give each column a name of its own.")
        called = [
            column if column.name == name else replace(column, name=name, read_as=column.read_as or column.name)
            for column, name in zip(self.columns, new, strict=True)
        ]
        return replace(self, columns=tuple(called))

    @property
    def given_names(self) -> dict[str, str]:
        """Names that columns were given, by the names they have in the file."""
        return {column.read_as: column.name for column in self.columns if column.read_as not in ("", column.name)}

    def with_given(self, names: Mapping[str, str]) -> TextTable:
        """The table with its columns called by ``names``, as in ``given_names`` of a table from the same file."""
        found = {column.name: names.get(column.read_as or column.name, column.name) for column in self.columns}
        return self.renamed(found) if names else self

    def column(self, name: str) -> TextColumn:
        """The column of that name. Raises InputError, listing the names, if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        known = ", ".join(self.names[:20]) + (", ..." if len(self.columns) > 20 else "")
        raise InputError(f"There is no column '{name}': choose among {known}.")
