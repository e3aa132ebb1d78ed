"""What every format shares: making a column from Arrow texts, checking names and rows, and refusing in the same words."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rrcore.arrays import Codes, code_type
from rrcore.errors import InputError
from rrcore.limits import MAX_COLUMNS, MAX_ROWS, MAX_TEXT
from rrcore.table.reading.table import TextColumn, to_numbers

MIB = 2**20
"""Bytes of the unit that messages call MB."""

LESS = "Leave out columns or rows."
"""What to do about a file that is too large."""

SAVE_AS = "Save the table as CSV, XLSX or Parquet and choose that file."
"""What to do about a file of another kind."""

Columns = list[tuple[TextColumn, bool]]
"""Columns, each with whether spaces were removed from its values."""

_SPACES = "".join(chr(c) for c in range(0x10000) if chr(c).isspace())


def refuse(found: str, action: str, *, quoted: str = "") -> NoReturn:
    """Raise InputError: what was found, then what to do, each a sentence; ``quoted`` as in InputError."""
    raise InputError(f"{found} {action}", quoted=quoted) from None


def refuse_empty() -> NoReturn:
    """Refuse a file without any text."""
    refuse("The file is empty.", "Choose a file with a row of column names and a row for each person.")


def cell_text(value: Any) -> str | None:
    """A value as text: 7 and 7.0 as ``7``, True as ``TRUE``, dates as ``2024-01-31``; None stays None."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else format(value, ".15g")
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
    used = np.bincount(indices + 1, minlength=len(texts) + 1)[1:] > 0
    trimmed = trim(texts)
    live = pc.unique(trimmed.filter(pa.array(used)).drop_null())
    live = live.filter(pc.not_equal(live, ""))
    live = in_order(live)
    codes = pc.fill_null(pc.index_in(trimmed, value_set=live), -1).to_numpy(zero_copy_only=False).astype(code_type(len(live)))
    changed = pc.any(pc.and_(pc.not_equal(texts, trimmed), pa.array(used)))
    return TextColumn(name, np.append(codes, codes.dtype.type(-1))[indices], tuple(live.to_pylist())), bool(changed.as_py())


def encoded(chunks: Any) -> tuple[Any, Codes]:
    """Distinct values (Arrow array) and row indices (-1 where null) of a chunked Arrow array."""
    if not pa.types.is_dictionary(chunks.type):
        chunks = chunks.dictionary_encode()
    whole = chunks.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks)
    return whole.dictionary, pc.fill_null(whole.indices.cast(pa.int32()), -1).to_numpy(zero_copy_only=False)


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


def name_count(count: int) -> str:
    """A number of names in words for a message: ``1 name``, ``2 names``."""
    return f"{count:,} name{'s' if count > 1 else ''}"


def without_last(column: TextColumn, rows: int) -> TextColumn:
    """The column without its last ``rows`` rows, and without the values that occur only there."""
    codes = column.codes[: len(column.codes) - rows]
    kept = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(column.values)))
    numbers = to_numbers([column.values[code] for code in kept])
    if numbers is not None:
        kept = kept[np.argsort(numbers, kind="stable")]
    position = np.full(len(column.values) + 1, -1, code_type(len(column.values)))
    position[kept] = np.arange(len(kept))
    return replace(column, codes=position[codes], values=tuple(column.values[code] for code in kept))


def value_count(count: int) -> str:
    """A number of values in words for a message: ``1 value``, ``2 values``."""
    return f"{count:,} value{'s' if count > 1 else ''}"
