"""Columns of texts and the table they form; and whether texts are numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rrcore.arrays import Codes, Floats, Integers, code_type
from rrcore.errors import InputError
from rrcore.limits import MAX_DISTINCT, MAX_DISTINCT_BYTES, MAX_DISTINCT_IN_ALL, MAX_TEXT
from rrcore.table.source import MIB

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


_SPACES = "".join(chr(c) for c in range(0x10000) if chr(c).isspace())


@dataclass
class FoundColumns:
    """What was found in a file.

    Parameters
    ----------
    columns : list of TextColumn
    notes : sentences on how they were read
    left_out : name of a column that cannot be used -> why, in a sentence
    trimmed : in how many columns spaces were removed from values
    """

    columns: list[TextColumn] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    trimmed: int = 0
    _values: int = 0

    def add(self, name: str, texts: Any, indices: Codes) -> TextColumn | None:
        """Make a column of an Arrow array of texts and the index of each row into it; None where it has to be left out."""
        if len(texts) > MAX_DISTINCT + 1:  # an empty text is no value
            self.give_up(name)
            return None
        if texts.nbytes > MAX_DISTINCT_BYTES:
            size = f"{texts.nbytes // MIB:,} MB of different texts, the limit is {MAX_DISTINCT_BYTES // MIB} MB"
            self.left_out[name] = f"Column '{name}' holds {size}. Leave it out: answers in own words cannot be counted."
            return None
        values = len(texts) - int(pc.sum(pc.equal(texts, "")).as_py() or 0)
        if values > MAX_DISTINCT:
            self.give_up(name)
            return None
        if self._values + values > MAX_DISTINCT_IN_ALL:
            what = (
                f"holds {values:,} different values, the columns before it {self._values:,}; the limit is {MAX_DISTINCT_IN_ALL:,}"
            )
            self.left_out[name] = f"Column '{name}' {what}. Group or round them, or leave the column out."
            return None
        column, trimmed = make_column(name, texts, indices)
        self.columns.append(column)
        self._values += values
        self.trimmed += trimmed
        return column

    def give_up(self, name: str) -> None:
        """Leave out a column of too many different values."""
        few = "Group or round them, or leave the column out"
        self.left_out[name] = f"Column '{name}' holds more than {MAX_DISTINCT:,} different values, too many to count. {few}."


class Growing:
    """One column while it is read block by block: an index of each row into distinct values, in the smallest type.

    Blocks of few different texts share one list of them; others keep lists of their own until the end. Where these hold too many different
    values the column is ``crowded``: only its rows are counted from then on.
    """

    def __init__(self) -> None:
        self.rows, self.crowded, self.text = 0, False, True
        self._kept, self._looked = 0, 2 * MAX_DISTINCT  # values in lists, and at how many they are looked through
        self.lists: list[Any] = []
        self.known: dict[str | None, int] = {}
        self.blocks: list[tuple[int, Codes]] = []  # which list, -1 for the shared one, and the indices

    def add(self, block: Any) -> None:
        """Take a block, an Arrow array of type dictionary<int32, string>; of another type it is no text."""
        self.rows += len(block)
        self.text = self.text and block.type.value_type == pa.string()
        if self.crowded or not self.text:
            return
        values = block.dictionary
        indices = pc.fill_null(block.indices, -1).to_numpy(zero_copy_only=False)
        few = len(values) <= _FEW and len(self.known) <= _MANY and values.nbytes <= MIB
        if few:
            places = [self.known.setdefault(value, len(self.known)) for value in values.to_pylist()]
            own = np.array([*places, -1], code_type(len(self.known)))
            self.blocks.append((-1, own[indices]))
        else:
            if not self.lists or not self.lists[-1].equals(values):  # batches often share their dictionary
                self.lists.append(values)
                self._kept += len(values)
            self.blocks.append((len(self.lists) - 1, indices.astype(code_type(len(values)))))
        if self._kept > self._looked:
            self._looked = 2 * self._kept
            if len(pc.unique(pa.chunked_array(self.lists))) > MAX_DISTINCT + 1:
                self.crowded = True
                self.lists.clear()
                self.blocks.clear()

    def finish(self) -> tuple[Any, Codes]:
        """Distinct values of all blocks (Arrow array) and row indices (-1 where null), unless it is crowded; nothing is added after that."""
        lists = [*self.lists, pa.array(list(self.known), pa.string())] if self.known or not self.lists else self.lists
        starts = np.cumsum([0, *map(len, lists)])
        whole = pa.concat_arrays(lists)
        lists.clear()
        self.lists.clear()
        distinct = whole.dictionary_encode()
        del whole
        codes = pc.fill_null(distinct.indices, -1).to_numpy(zero_copy_only=False)
        codes = codes.astype(code_type(len(distinct.dictionary)))
        indices = np.empty(sum(len(block) for _, block in self.blocks), codes.dtype)
        at = 0
        for number, block in self.blocks:
            place = number if number >= 0 else len(starts) - 2
            own = np.append(codes[starts[place] : starts[place + 1]], codes.dtype.type(-1))
            indices[at : at + len(block)] = own[block]
            at += len(block)
        self.blocks.clear()
        return distinct.dictionary, indices


_FEW, _MANY = 1_000, 10_000  # different texts of one block, and of the blocks before, that share a list


def trim(texts: Any) -> Any:
    """An Arrow string array without the spaces around its texts."""
    return pc.utf8_trim(texts, characters=_SPACES)


def in_order(texts: Any) -> Any:
    """Different texts of an Arrow string array: in number order if all are numbers, else in text order."""
    texts = texts.take(pc.sort_indices(texts))
    numbers = to_numbers(texts.to_pylist())
    return texts if numbers is None else texts.take(pa.array(np.argsort(numbers, kind="stable")))


def make_column(name: str, texts: Any, indices: Codes) -> tuple[TextColumn, bool]:
    """A column from an Arrow string array and the index of each row into it, -1 where null: trims, merges, sorts."""
    used = np.bincount(indices[indices >= 0], minlength=len(texts)) > 0
    trimmed = trim(texts)
    live = pc.unique(trimmed.filter(pa.array(used)).drop_null())
    live = live.filter(pc.not_equal(live, ""))
    live = in_order(live)
    codes = pc.fill_null(pc.index_in(trimmed, value_set=live), -1).to_numpy(zero_copy_only=False).astype(code_type(len(live)))
    changed = pc.any(pc.and_(pc.not_equal(texts, trimmed), pa.array(used)))
    return TextColumn(name, np.append(codes, codes.dtype.type(-1))[indices], tuple(live.to_pylist())), bool(changed.as_py())
