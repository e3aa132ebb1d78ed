"""What every format shares: making a column from Arrow texts, checking names and rows, and refusing in the same words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rrcore.arrays import Codes, code_type
from rrcore.errors import InputError
from rrcore.limits import MAX_COLUMNS, MAX_DISTINCT, MAX_DISTINCT_BYTES, MAX_DISTINCT_IN_ALL, MAX_ROWS, MAX_TABLE_CELLS, MAX_TEXT
from rrcore.table.reading.text_table import TextColumn, to_numbers

MIB = 2**20
"""Bytes of the unit that messages call MB."""

LESS = "Leave out columns or rows."
"""What to do about a file that is too large."""

SAVE_AS = "Save the table as CSV, XLSX or Parquet and choose that file."
"""What to do about a file of another kind."""

_SPACES = "".join(chr(c) for c in range(0x10000) if chr(c).isspace())


class UnevenRowsError(InputError):
    """Rows of a text have more or fewer values than there are names; ``rows`` says how many. They can be left out, if somebody says so."""

    def __init__(self, message: str, *, quoted: str = "", rows: int = 1) -> None:
        super().__init__(message, quoted=quoted)
        self.rows = rows


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


def refuse(found: str, action: str, *, quoted: str = "") -> NoReturn:
    """Raise InputError: what was found, then what to do, each a sentence; ``quoted`` as in InputError."""
    raise InputError(f"{found} {action}", quoted=quoted) from None


def refuse_empty(file: str = "The file") -> NoReturn:
    """Refuse a file without any text."""
    refuse(f"{file} is empty.", "Choose a file with a row of column names and a row for each person.")


def refuse_sheet(sheet: str, sheets: Sequence[str]) -> NoReturn:
    """Refuse a sheet that is not among those of a workbook."""
    known = ", ".join(f"'{name}'" for name in sheets[:20])
    refuse(f"There is no sheet '{sheet[:40]}' with cells.", f"Choose among {known}.", quoted=sheet[:40])


def cell_text(value: Any) -> str | None:
    """A value as text: 7 and 7.0 as ``7``, True as ``TRUE``, dates as ``2024-01-31``; None stays None."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        if value.is_integer():
            return str(int(value)) if abs(value) < 1e15 else format(value, ".15g")
        single = np.float32(value) if 1e-30 < abs(value) < 1e30 else None
        return str(single) if single == value else format(value, ".15g")  # 0.1 in single precision is 0.10000000149 in double
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, date | time):
        return value.isoformat()
    return None if value is None else str(value)


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


def checked_names(names: list[str]) -> list[str]:
    """Column names without surrounding spaces, none empty, too long or repeated."""
    if len(names) > MAX_COLUMNS:
        refuse(f"The table has {len(names):,} columns, the limit is {MAX_COLUMNS:,}.", "Leave out columns that you do not need.")
    names = [name.strip() for name in names]
    seen: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if not name:
            refuse(f"Column {number} of {len(names)} has no name.", "Write a name into the first row, or delete the column.")
        if len(name) > MAX_TEXT:
            refuse(f"The name of column {number} has {len(name):,} characters, the limit is {MAX_TEXT}.", "Shorten it.")
        if name in seen:
            refuse(
                f"Columns {seen[name]} and {number} are both called '{name}'.", "Give each column a name of its own.", quoted=name
            )
        seen[name] = number
    return names


def check_rows(n: int) -> None:
    """Refuse a table without rows, or with more than the limit."""
    if n <= 0:
        refuse("The table has column names but no rows of answers.", "Add a row for each person under the first row.")
    if n > MAX_ROWS:
        refuse(f"The table has more than {MAX_ROWS:,} rows.", "Choose a sample of the rows.")


def check_size(rows: int, columns: int) -> None:
    """Refuse a table with too many rows or cells."""
    if rows > MAX_ROWS:
        check_rows(rows)
    if rows * columns > MAX_TABLE_CELLS:
        what = f"The table has {rows * columns:,} cells or more, {columns:,} columns of {rows:,} rows"
        refuse(f"{what}; the limit is {MAX_TABLE_CELLS:,}.", LESS)


def name_count(count: int) -> str:
    """A number of names in words for a message: ``1 name``, ``2 names``."""
    return f"{count:,} name{'s' if count > 1 else ''}"


def value_count(count: int) -> str:
    """A number of values in words for a message: ``1 value``, ``2 values``."""
    return f"{count:,} value{'s' if count > 1 else ''}"
