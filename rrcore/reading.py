"""From the bytes of a file to a table of texts: CSV and its cousins (also gzipped), XLSX and Parquet, told apart by content.

Every cell is text and stays exactly as written (``007``, ``NA``, ``1e5``), save that surrounding spaces go. A cell that is then
empty, or null, is missing. Blank lines, and empty rows of a workbook, are skipped; so in a file of one column,
which is always taken as comma separated, a missing value is written ``""``. Row numbers in messages count records and blank
lines from the header, which is row 1; in a workbook they are the numbers of the sheet.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zipfile
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import islice
from typing import Any, NoReturn

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from rrcore.errors import InputError
from rrcore.limits import MAX_COLUMNS, MAX_FILE_BYTES, MAX_ROWS, MAX_TEXT, MAX_UNPACKED_BYTES

__all__ = ["TextColumn", "TextTable", "read_table", "to_numbers"]

_SPACES = "".join(chr(c) for c in range(0x10000) if chr(c).isspace())
_NUMBER = r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$"
_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar"}
_MIB = 2**20
_HEADER_BYTES = 4 * _MIB
_BLOCK_BYTES = 4 * _MIB
_LESS = "Leave out columns or rows."
_SAVE_AS = "Save the table as CSV, XLSX or Parquet and choose that file."
_FOREIGN = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF document",
    b"7z\xbc\xaf": "a 7z archive",
    b"\xfd7zXZ": "an xz archive",
    b"SQLite format 3": "an SQLite database",
    b"$FL2": "an SPSS file",
    b"<stata_dta>": "a Stata file",
    b"{\\rtf": "an RTF document",
}
_PAGES = ("<!doctype", "<html", "<head", "<body", "<table", "<?xml", "<meta", "<script")


def to_numbers(texts: tuple[str, ...] | list[str]) -> NDArray[np.float64] | None:
    """The numbers that the texts write, ndarray of shape (len(texts),), or None if there is no text or one is no finite number.

    A comma is read as the decimal sign only if no text has a point, as in ``3,5``.
    """
    words = pa.array(texts, pa.string())
    if not len(words) or not pc.all(pc.match_substring_regex(words, _NUMBER)).as_py():
        return None
    if pc.any(pc.match_substring(words, ",")).as_py():
        if pc.any(pc.match_substring(words, ".")).as_py():
            return None
        words = pc.replace_substring(words, ",", ".")
    numbers: NDArray[np.float64] = np.array([float(word) for word in words.to_pylist()])
    return numbers if np.isfinite(numbers).all() else None


@dataclass(frozen=True, eq=False)
class TextColumn:
    """One column of texts.

    Parameters
    ----------
    name : str
    codes : ndarray of shape (n,), int32, codes 0..len(values)-1, or -1 for a missing value
    values : tuple of str
        The distinct texts, in number order if all are numbers, else in text order (so the order of the rows does not show).

    Raises
    ------
    InputError
        If ``codes`` is no row of integers or a code is out of range.
    """

    name: str
    codes: NDArray[np.int32]
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        raw = np.asarray(self.codes)
        if raw.ndim != 1 or (raw.size and not np.issubdtype(raw.dtype, np.integer)):
            raise InputError(f"The codes of '{self.name}' have shape {raw.shape} and type {raw.dtype}: expected integers, (n,).")
        if raw.size and (raw.min() < -1 or raw.max() >= len(self.values)):
            raise InputError(f"A code of '{self.name}' is out of range: expected -1 to {len(self.values) - 1}.")
        codes = raw.astype(np.int32)
        codes.flags.writeable = False
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "values", tuple(self.values))

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows have each value: ndarray of shape (len(values),), int64."""
        return np.bincount(self.codes + 1, minlength=len(self.values) + 1)[1:]

    @property
    def missing(self) -> int:
        """How many rows have no value."""
        return int(np.count_nonzero(self.codes < 0))


@dataclass(frozen=True, eq=False)
class TextTable:
    """Columns of equal length with distinct names; ``notes`` are sentences about what reading did."""

    columns: tuple[TextColumn, ...]
    title: str = ""
    notes: tuple[str, ...] = ()

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

    def column(self, name: str) -> TextColumn:
        """The column of that name. Raises InputError, listing the names, if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        known = ", ".join(self.names[:20]) + (", ..." if len(self.columns) > 20 else "")
        raise InputError(f"There is no column '{name}': choose among {known}.")


def read_table(data: bytes, filename: str) -> TextTable:
    """Read a file that a person chose.

    Parameters
    ----------
    data : bytes
        CSV with comma, tab, semicolon or vertical bar (UTF-8, UTF-16 or Latin-1; plain or gzipped), XLSX or Parquet.
    filename : str
        Gives the title only; the format is told from the content.

    Raises
    ------
    InputError
        And nothing else: what was found, where, what was expected and what to do, in a sentence.
    """
    if len(data) > MAX_FILE_BYTES:
        _refuse(f"The file has {len(data) / _MIB:,.1f} MB, the limit is {MAX_FILE_BYTES // _MIB} MB.", _LESS)
    title = re.sub(r"(\.[A-Za-z0-9]{1,7}){1,2}$", "", re.split(r"[\\/]", filename)[-1]) or "table"
    packed = data[:2] == b"\x1f\x8b"
    if packed:
        data = _unpack(data)
    if not data.strip():
        _refuse_empty()
    binary = data[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"PAR1", b"\xd0\xcf\x11\xe0", b"\x1f\x8b\x08\x00", b"\x1f\x8b\x08\x08")
    if packed and binary:
        _refuse("The gzip file holds another packed file instead of text.", "Unpack it and choose the file inside.")
    if data[:4] == b"\xd0\xcf\x11\xe0":
        if "EncryptedPackage".encode("utf-16-le") in data:
            _refuse("The workbook is protected by a password.", "Remove the password in a spreadsheet and save it again.")
        _refuse("This is an old Excel workbook (.xls).", "Open it in a spreadsheet, save it as .xlsx and choose that file.")
    if binary:
        kind, read = ("Parquet file", _read_parquet) if data[:4] == b"PAR1" else ("workbook", _read_workbook)
        try:
            columns, notes = read(data)
        except InputError:
            raise
        except Exception:
            _refuse(f"The {kind} is damaged or cut short.", "Save or download it again.")
    else:
        columns, notes = _read_text(data)
    trimmed = sum(was for _, was in columns)
    if trimmed:
        notes.append(f"Spaces around values were removed in {trimmed} column{'s' if trimmed > 1 else ''}.")
    if all(to_numbers([column.name]) is not None for column, _ in columns):
        notes.append("All column names are numbers: check that the first row holds names and not answers.")
    return TextTable(tuple(column for column, _ in columns), title, tuple(notes))


_Columns = list[tuple[TextColumn, bool]]
"""Columns, each with whether spaces were removed from its values."""


def _refuse(found: str, action: str) -> NoReturn:
    raise InputError(f"{found} {action}") from None


def _refuse_empty() -> NoReturn:
    _refuse("The file is empty.", "Choose a file with a row of column names and a row for each person.")


def _column(name: str, texts: Any, indices: NDArray[np.int32]) -> tuple[TextColumn, bool]:
    """A column from an Arrow string array and the index of each row into it, -1 where null: trims, merges, sorts."""
    used = np.bincount(indices + 1, minlength=len(texts) + 1)[1:] > 0
    trimmed = pc.utf8_trim(texts, characters=_SPACES)
    live = pc.unique(trimmed.filter(pa.array(used)).drop_null())
    live = live.filter(pc.not_equal(live, ""))
    live = live.take(pc.sort_indices(live))
    numbers = to_numbers(live.to_pylist())
    if numbers is not None:
        live = live.take(pa.array(np.argsort(numbers, kind="stable")))
    codes = pc.fill_null(pc.index_in(trimmed, value_set=live), -1).to_numpy(zero_copy_only=False).astype(np.int32)
    changed = pc.any(pc.and_(pc.not_equal(texts, trimmed), pa.array(used)))
    return TextColumn(name, np.append(codes, np.int32(-1))[indices], tuple(live.to_pylist())), bool(changed.as_py())


def _encoded(chunks: Any) -> tuple[Any, NDArray[np.int32]]:
    """Distinct values (Arrow array) and row indices (-1 where null) of a chunked Arrow array."""
    if not pa.types.is_dictionary(chunks.type):
        chunks = chunks.dictionary_encode()
    whole = chunks.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks)
    return whole.dictionary, pc.fill_null(whole.indices.cast(pa.int32()), -1).to_numpy(zero_copy_only=False)


def _checked_names(names: list[str]) -> list[str]:
    """Column names without surrounding spaces, none empty, too long or repeated."""
    if len(names) > MAX_COLUMNS:
        _refuse(f"The table has {len(names):,} columns, the limit is {MAX_COLUMNS:,}.", "Leave out columns that you do not need.")
    names = [name.strip() for name in names]
    seen: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if not name:
            _refuse(f"Column {number} of {len(names)} has no name.", "Write a name into the first row, or delete the column.")
        if len(name) > MAX_TEXT:
            _refuse(f"The name of column {number} has {len(name):,} characters, the limit is {MAX_TEXT}.", "Shorten it.")
        if name in seen:
            _refuse(f"Columns {seen[name]} and {number} are both called '{name}'.", "Give each column a name of its own.")
        seen[name] = number
    return names


def _check_rows(n: int) -> None:
    if n <= 0:
        _refuse("The file has column names but no rows of answers.", "Add a row for each person under the first row.")
    if n > MAX_ROWS:
        _refuse(f"The table has more than {MAX_ROWS:,} rows.", "Choose a sample of the rows.")


def _unpack(data: bytes) -> bytes:
    """The content of a gzip file, in pieces so that it stops at the limit."""
    out, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            while piece := stream.read(8 * _MIB):
                out.append(piece)
                size += len(piece)
                if size > MAX_UNPACKED_BYTES:
                    _refuse(f"The gzip file unpacks to more than the limit of {MAX_UNPACKED_BYTES // _MIB} MB.", _LESS)
    except (OSError, EOFError, zlib.error):
        _refuse("The gzip file is damaged or cut short.", "Pack or download it again.")
    return b"".join(out)


def _decode(data: bytes) -> tuple[bytes, list[str]]:
    """The text as UTF-8 without byte order mark, and notes on its encoding."""
    for magic, kind in _FOREIGN.items():
        if data.startswith(magic):
            _refuse(f"The file is {kind}, not a table.", _SAVE_AS)
    head = np.frombuffer(data[: min(2**12, len(data) & ~1)], np.uint8)
    odd, even = np.count_nonzero(head[1::2] == 0), np.count_nonzero(head[::2] == 0)
    wide = None
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        wide = "utf-16"
    elif len(data) % 2 == 0 and max(odd, even) > 0.3 * len(head) and min(odd, even) <= 0.02 * len(head):
        wide = "utf-16-le" if odd > even else "utf-16-be"
    notes = []
    text = data.removeprefix(b"\xef\xbb\xbf")
    if wide:
        try:
            text = data.decode(wide).encode()
        except UnicodeError:
            _refuse("The file starts like UTF-16 text but is not.", "Save it again as CSV in UTF-8.")
        notes.append("Read as UTF-16 text.")
    if (position := text.find(b"\0")) >= 0:
        _refuse(f"The file is not text: byte {position + 1:,} is zero.", _SAVE_AS)
    try:
        text.decode()
    except UnicodeDecodeError:
        if len(re.findall(rb"[\x01-\x08\x0e-\x1f\x7f]", text[:_MIB])) > 0.01 * len(text[:_MIB]):
            _refuse("The file is not text: it is full of control characters.", _SAVE_AS)
        try:
            text = text.decode("cp1252").encode()
        except UnicodeDecodeError:
            text = text.decode("latin-1").encode()
        notes.append("Read as Latin-1 text.")
    start = text[:200].decode(errors="ignore").strip().lower()
    if start.startswith(_PAGES):
        _refuse("The file is a web page or XML, not a table.", "Download the table itself, for example as CSV.")
    if start.startswith(('{"', "[{")):
        _refuse("The file is JSON, not a table.", _SAVE_AS)
    return text, notes


def _records(text: bytes, delimiter: str, used: list[int] | None = None) -> Iterator[list[str]]:
    """Records by the csv module; adds the bytes of the lines taken so far to ``used``. May raise csv.Error."""

    def lines() -> Iterator[str]:
        for line in io.TextIOWrapper(io.BytesIO(text), "utf-8", errors="ignore", newline=""):
            if used is not None:
                used[0] += len(line.encode())
            yield line

    return csv.reader(lines(), delimiter=delimiter)


def _delimiter(text: bytes) -> str:
    """The delimiter that cuts the header into two or more names and the first rows most often into as many values."""

    def score(delimiter: str) -> tuple[float, int]:
        try:
            rows = [row for row in islice(_records(text[: 2**16], delimiter), 40) if delimiter.join(row).strip()]
        except csv.Error:
            return 0.0, 0
        if len(rows) > 1 and len(text) > 2**16:
            rows.pop()
        width = len(rows[0]) if rows else 0
        return (sum(len(row) == width for row in rows) / len(rows), width) if width > 1 else (0.0, 0)

    return max(_DELIMITERS, key=score)


def _read_text(data: bytes) -> tuple[_Columns, list[str]]:
    text, notes = _decode(data)
    delimiter, used, names = _delimiter(text), [0], [""]
    try:
        for names in _records(text[:_HEADER_BYTES], delimiter, used):
            if delimiter.join(names).strip():
                break
    except csv.Error:
        used[0] = _HEADER_BYTES
    if used[0] >= _HEADER_BYTES:
        _refuse("The first row is far too long for column names.", "Check for an unclosed quotation mark.")
    if not delimiter.join(names).strip():
        _refuse_empty()
    names = _checked_names(names)
    ending = delimiter.join(['""'] * len(names))
    body = b"".join([memoryview(text)[used[0] :], f"\n{ending}\n".encode()])
    table = _parse(body, delimiter, len(names))
    if any(column[-1].as_py() for column in table.columns):
        _refuse_row(body, delimiter, len(names), "")
    _check_rows(table.num_rows - 1)
    table = table.slice(0, table.num_rows - 1)
    return [_column(name, *_encoded(column)) for name, column in zip(names, table.columns, strict=True)], notes


def _parse(body: bytes, delimiter: str, width: int) -> Any:
    """An Arrow table of dictionary-encoded texts, still with the row of empty cells that ends ``body``.

    That row is how an unclosed quotation mark shows: it swallows the row.
    """
    wrong: list[str] = []

    def on_wrong_row(row: Any) -> str:
        if row.text.strip():
            wrong.append(row.text)
            return "error"
        return "skip"

    keys = [str(i) for i in range(width)]
    kinds = dict.fromkeys(keys, pa.dictionary(pa.int32(), pa.string()))
    parse = pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=on_wrong_row)
    convert = pacsv.ConvertOptions(column_types=kinds, strings_can_be_null=False, check_utf8=False)
    for block in (_BLOCK_BYTES, len(body) + 1):
        try:
            reader = pacsv.open_csv(pa.BufferReader(body), pacsv.ReadOptions(column_names=keys, block_size=block), parse, convert)
            batches, rows = [], 0
            for batch in reader:
                batches.append(batch)
                rows += batch.num_rows
                if rows > MAX_ROWS + 1:
                    _check_rows(rows)
            return pa.Table.from_batches(batches, reader.schema)
        except pa.ArrowInvalid:
            if wrong:
                _refuse_row(body, delimiter, width, wrong[0])
    _refuse("The file cannot be cut into rows and columns.", _SAVE_AS)


def _refuse_row(body: bytes, delimiter: str, width: int, text: str) -> NoReturn:
    """Say which row of ``body`` has the wrong number of values or an unclosed quote; ``text`` serves if none is found."""
    number, record, row = 1, [""], "A row"
    reader = _records(body, delimiter)
    try:
        for number, record in enumerate(reader, 2):
            if len(record) != width and delimiter.join(record).strip():
                text, row = delimiter.join(record), f"Row {number:,}"
                break
        unclosed = next(reader, None) is None and any(record)
    except csv.Error:
        number, unclosed = number + 1, True
    if unclosed:
        _refuse(f"Row {number:,} opens a quotation mark that is not closed.", "Close it, or double it inside a quoted value.")
    _refuse_width(row, text, len(record) if len(record) != width else text.count(delimiter) + 1, width, delimiter)


def _names(count: int) -> str:
    return f"{count:,} name{'s' if count > 1 else ''}"


def _refuse_width(row: str, text: str, found: int, width: int, delimiter: str) -> NoReturn:
    sign = re.escape(delimiter)
    near = re.search(rf"[^{sign}\"]+{sign}[ \u00a0][^{sign}\"]*", text) if found > width else None
    quoted = " ".join((near.group() if near else text).split())
    fault = "an unquoted" if found > width else "a missing"
    _refuse(
        f"{row} has {found:,} value{'s' if found > 1 else ''}, the header has {_names(width)}.",
        f"Check for {fault} {_DELIMITERS[delimiter]} near '{quoted[:40]}{'...' if len(quoted) > 40 else ''}'.",
    )


def _cell(value: Any) -> str | None:
    """A workbook cell as text: 7 and 7.0 as ``7``, True as ``TRUE``, dates as ``2024-01-31``; None stays None."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else format(value, ".15g")
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, date | time):
        return value.isoformat()
    return None if value is None else str(value)


def _read_workbook(data: bytes) -> tuple[_Columns, list[str]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    if "xl/workbook.xml" not in {part.filename for part in parts}:
        _refuse("The file is a zip archive or a document, not an .xlsx workbook.", f"Unpack it if it holds a table. {_SAVE_AS}")
    if sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
        _refuse(f"The workbook unpacks to more than the limit of {MAX_UNPACKED_BYTES // _MIB} MB.", _LESS)
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    if not book.worksheets:
        _refuse("The workbook has no sheet with cells.", _SAVE_AS)
    sheet = book.worksheets[0]
    notes = [f"Only the first sheet '{sheet.title}' of {len(book.sheetnames)} was read."] if len(book.sheetnames) > 1 else []
    sheet.reset_dimensions()
    names: list[str] = []
    found: list[dict[str | None, int]] = []
    codes: list[array[int]] = []
    blank = skipped = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = [_cell(value) for value in row]
        while cells and not (cells[-1] or "").strip():
            cells.pop()
        if number > MAX_ROWS + 1:
            _check_rows(number)
        if not cells:
            blank += 1
        elif not names:
            names, blank = _checked_names([cell or "" for cell in cells]), 0
            found, codes = [{None: -1} for _ in names], [array("i") for _ in names]
        else:
            if len(cells) > len(names):
                near = (cells[-1] or "").strip()[:40]
                _refuse(
                    f"Row {number:,} of the sheet has '{near}' in column {len(cells):,}, the header has {_names(len(names))}.",
                    "Write a name above every column, or clear the cell.",
                )
            cells += [None] * (len(names) - len(cells))
            skipped, blank = skipped + blank, 0
            for cell, texts, column in zip(cells, found, codes, strict=True):
                column.append(texts.setdefault(cell, len(texts) - 1))
    if not names:
        _refuse(f"The first sheet '{sheet.title}' is empty.", "Put the table on the first sheet.")
    _check_rows(len(codes[0]))
    if skipped:
        notes.append(f"{skipped:,} empty row{'s were' if skipped > 1 else ' was'} skipped.")
    parsed = zip(names, found, codes, strict=True)
    columns = [_column(name, pa.array(list(texts)[1:], pa.string()), np.array(ids, np.int32)) for name, texts, ids in parsed]
    return columns, notes


def _arrow_texts(values: Any) -> Any:
    """Arrow values of any flat type as texts, written as in ``_cell``."""
    kind = values.type
    if pa.types.is_boolean(kind):
        return pc.if_else(values, "TRUE", "FALSE")
    if pa.types.is_floating(kind):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, kind), values)
    texts = values.cast(pa.string())
    if pa.types.is_decimal(kind) or pa.types.is_temporal(kind):
        texts = pc.replace_substring_regex(pc.replace_substring_regex(texts, r"\.0+$", ""), " 00:00:00$", "")
    return texts


def _read_parquet(data: bytes) -> tuple[_Columns, list[str]]:
    file = pq.ParquetFile(pa.BufferReader(data))
    rows, schema = file.metadata.num_rows, file.schema_arrow
    names = _checked_names(schema.names)
    _check_rows(rows)
    stored = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
    if max(stored, rows * len(names)) > MAX_UNPACKED_BYTES:
        _refuse(f"The Parquet file unpacks to more than the limit of {MAX_UNPACKED_BYTES // _MIB} MB.", _LESS)
    for field in schema:
        if pa.types.is_nested(field.type):
            _refuse(f"Column '{field.name}' holds lists or records, one value a cell was expected.", "Leave it out.")
    texts = [field.name for field in schema if field.type in (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())]
    file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
    columns = []
    for name, key in zip(names, schema.names, strict=True):
        values, indices = _encoded(file.read(columns=[key]).column(0))
        if len(indices) != rows:
            raise ValueError("a column is shorter or longer than the file says")
        columns.append(_column(name, _arrow_texts(values), indices))
    return columns, []
