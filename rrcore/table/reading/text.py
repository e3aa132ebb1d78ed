"""Delimited text: unpacking gzip, decoding, finding the delimiter, cutting into columns, and saying which row is wrong."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from rrcore.limits import HEAD_ROWS, MAX_ROWS, MAX_UNPACKED_BYTES
from rrcore.table.reading.columns import (
    LESS,
    MIB,
    SAVE_AS,
    Columns,
    check_rows,
    checked_names,
    encoded,
    make_column,
    name_count,
    refuse,
    refuse_empty,
    value_count,
)
from rrcore.table.reading.layout import Layout, Row, column_names

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar"}
HEADER_BYTES = 4 * MIB
BLOCK_BYTES = 4 * MIB
_FOREIGN = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF document",
    b"7z\xbc\xaf": "a 7z archive",
    b"\xfd7zXZ": "an xz archive",
    b"SQLite format 3": "an SQLite database",
    b"{\\rtf": "an RTF document",
}
_PAGES = ("<!doctype", "<html", "<head", "<body", "<table", "<?xml", "<meta", "<script")


def unpack(data: bytes) -> bytes:
    """The content of a gzip file, in pieces so that it stops at the limit."""
    out, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            while piece := stream.read(8 * MIB):
                out.append(piece)
                size += len(piece)
                if size > MAX_UNPACKED_BYTES:
                    refuse(f"The gzip file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
    except (OSError, EOFError, zlib.error):
        refuse("The gzip file is damaged or cut short.", "Pack or download it again.")
    return b"".join(out)


def wide_encoding(head: bytes, size: int) -> str:
    """The UTF-16 that a file of ``size`` bytes is in by its first ones, at most 4,096; "" where it is in none."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    first = np.frombuffer(head[: min(2**12, len(head) & ~1)], np.uint8)
    odd, even = np.count_nonzero(first[1::2] == 0), np.count_nonzero(first[::2] == 0)
    if size % 2 == 0 and max(odd, even) > 0.3 * len(first) and min(odd, even) <= 0.02 * len(first):
        return "utf-16-le" if odd > even else "utf-16-be"
    return ""


def decode_text(data: bytes) -> tuple[bytes, list[str]]:
    """The text as UTF-8 without byte order mark, and notes on its encoding."""
    for magic, kind in _FOREIGN.items():
        if data.startswith(magic):
            refuse(f"The file is {kind}, not a table.", SAVE_AS)
    wide = wide_encoding(data[: 2**12], len(data))
    notes = []
    text = data.removeprefix(b"\xef\xbb\xbf")
    if wide:
        try:
            text = data.decode(wide).encode()
        except UnicodeError:
            refuse("The file starts like UTF-16 text but is not.", "Save it again as CSV in UTF-8.")
        notes.append("Read as UTF-16 text.")
    if (position := text.find(b"\0")) >= 0:
        refuse(f"The file is not text: byte {position + 1:,} is zero.", SAVE_AS)
    try:
        text.decode()
    except UnicodeDecodeError:
        if len(re.findall(rb"[\x01-\x08\x0e-\x1f\x7f]", text[:MIB])) > 0.01 * len(text[:MIB]):
            refuse("The file is not text: it is full of control characters.", SAVE_AS)
        try:
            text = text.decode("cp1252").encode()
        except UnicodeDecodeError:
            text = text.decode("latin-1").encode()
        notes.append("Read as Latin-1 text.")
    start = text[:200].decode(errors="ignore").strip().lower()
    if start.startswith(_PAGES):
        refuse("The file is a web page or XML, not a table.", "Download the table itself, for example as CSV.")
    if start.startswith(('{"', "[{")):
        refuse("The file is JSON, not a table.", SAVE_AS)
    return text, notes


def records(text: bytes, delimiter: str, used: list[int] | None = None) -> Iterator[list[str]]:
    """Records by the csv module; adds the bytes of the lines taken so far to ``used``. May raise csv.Error."""

    def lines() -> Iterator[str]:
        for line in io.TextIOWrapper(io.BytesIO(text), "utf-8", errors="ignore", newline=""):
            if used is not None:
                used[0] += len(line.encode())
            yield line

    return csv.reader(lines(), delimiter=delimiter)


def find_delimiter(text: bytes) -> str:
    """The delimiter that cuts the first rows most often into equally many values, two or more.

    Where one cuts the very first row it is as many as there; where none does, that row may be a title, and it is as many as in most.
    """

    def score(delimiter: str) -> tuple[bool, float, int]:
        try:
            rows = [row for row in islice(records(text[: 2**16], delimiter), 40) if delimiter.join(row).strip()]
        except csv.Error:
            return False, 0.0, 0
        if len(rows) > 1 and len(text) > 2**16:
            rows.pop()
        widths = [len(row) for row in rows] or [0]
        width = widths[0] if widths[0] > 1 else max(widths, key=widths.count)
        return (widths[0] > 1, widths.count(width) / len(widths), width) if width > 1 else (False, 0.0, 0)

    return max(DELIMITERS, key=score)


@dataclass(frozen=True, eq=False)
class TextFile:
    """Delimited text: its content as UTF-8, what cuts it into values, and notes on its encoding."""

    text: bytes
    delimiter: str
    notes: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()

    def head(self, sheet: str = "") -> list[Row]:
        rows: list[Row] = []
        piece = self.text[:HEADER_BYTES]
        try:
            for number, record in enumerate(records(piece, self.delimiter), 1):
                if any(cell.strip() for cell in record):
                    rows.append((number, tuple(cell.strip() for cell in record)))
                if len(rows) > HEAD_ROWS:
                    break
        except csv.Error:
            pass
        cut = len(rows) > HEAD_ROWS or (len(rows) > 1 and len(self.text) > len(piece))
        return rows[:-1] if cut else rows

    def read(self, layout: Layout) -> tuple[Columns, list[str]]:
        before, after, names, number = self.find_start(layout.start)
        if layout.names:
            names, what, place, number = checked_names(names), f"the header has {name_count(len(names))}", after, number + 1
        else:
            what, place, names = f"row {number:,} has {value_count(len(names))}", before, checked_names(column_names(len(names)))
        if layout.skip:
            rows = records(self.text[place : place + HEADER_BYTES], self.delimiter, used := [0])
            for _ in range(layout.skip):
                next(rows, None)
            place, number = place + used[0], number + layout.skip
        end = "\n{}\n".format(self.delimiter.join(['""'] * len(names))).encode()
        body, width = _Body(_owned(memoryview(self.text)[place:], end), self.delimiter, number, what), len(names)
        table = _parse(body, width)
        if any(column[-1].as_py() for column in table.columns):
            _refuse_row(body, width, "")
        check_rows(table.num_rows - 1)
        table = table.slice(0, table.num_rows - 1)
        columns = [make_column(name, *encoded(column)) for name, column in zip(names, table.columns, strict=True)]
        return columns, list(self.notes)

    def find_start(self, start: int) -> tuple[int, int, list[str], int]:
        """Of the row that the table starts with: the bytes before it and through it, its cells, and its number."""
        used, before, record, number = [0], 0, [""], 0
        try:
            for number, record in enumerate(records(self.text[:HEADER_BYTES], self.delimiter, used), 1):
                if number >= start and self.delimiter.join(record).strip():
                    break
                before = used[0]
        except csv.Error:
            used[0] = HEADER_BYTES
        if used[0] >= HEADER_BYTES:
            refuse("The first row is far too long for column names.", "Check for an unclosed quotation mark.")
        if not self.delimiter.join(record).strip():
            refuse_empty()
        return before, used[0], record, number


def open_text(data: bytes) -> TextFile:
    """A file of delimited text, decoded."""
    text, notes = decode_text(data)
    return TextFile(text, find_delimiter(text), tuple(notes))


@dataclass(frozen=True, eq=False)
class _Body:
    """The rows of answers: their bytes, the number of the first one, and ``what`` says how many values each is to have."""

    content: Any
    delimiter: str
    number: int
    what: str


def _owned(*parts: bytes | memoryview) -> Any:
    """Bytes in a row, in Arrow's own memory: Python's, let go by a thread of Arrow's, may abort Python at its end before pyarrow 25."""
    sink = pa.BufferOutputStream()
    for part in parts:
        sink.write(part)
    return sink.getvalue()


def _parse(body: _Body, width: int) -> Any:
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
    parse = pacsv.ParseOptions(delimiter=body.delimiter, newlines_in_values=True, invalid_row_handler=on_wrong_row)
    convert = pacsv.ConvertOptions(column_types=kinds, strings_can_be_null=False, check_utf8=False)
    for block in (BLOCK_BYTES, len(body.content) + 1):
        try:
            options = pacsv.ReadOptions(column_names=keys, block_size=block)
            reader = pacsv.open_csv(pa.BufferReader(body.content), options, parse, convert)
            batches, rows = [], 0
            for batch in reader:
                batches.append(batch)
                rows += batch.num_rows
                if rows > MAX_ROWS + 1:
                    check_rows(rows)
            return pa.Table.from_batches(batches, reader.schema)
        except pa.ArrowInvalid:
            if wrong:
                _refuse_row(body, width, wrong[0])
    refuse("The file cannot be cut into rows and columns.", SAVE_AS)


def _refuse_row(body: _Body, width: int, text: str) -> NoReturn:
    """Say which row of ``body`` has the wrong number of values or an unclosed quote; ``text`` serves if none is found."""
    number, record, row = body.number - 1, [""], "A row"
    reader = records(body.content, body.delimiter)
    try:
        for number, record in enumerate(reader, body.number):
            if len(record) != width and body.delimiter.join(record).strip():
                text, row = body.delimiter.join(record), f"Row {number:,}"
                break
        unclosed = next(reader, None) is None and any(record)
    except csv.Error:
        number, unclosed = number + 1, True
    if unclosed:
        refuse(f"Row {number:,} opens a quotation mark that is not closed.", "Close it, or double it inside a quoted value.")
    refuse_width(
        row, text, len(record) if len(record) != width else text.count(body.delimiter) + 1, width, body.delimiter, body.what
    )


def refuse_width(row: str, text: str, found: int, width: int, delimiter: str, what: str) -> NoReturn:
    """Refuse a row of ``found`` values, with the place in its text where a delimiter seems too many or missing."""
    sign = re.escape(delimiter)
    near = re.search(rf"[^{sign}\"]+{sign}[ \u00a0][^{sign}\"]*", text) if found > width else None
    words = " ".join((near.group() if near else text).split())
    quoted = words[:40] + ("..." if len(words) > 40 else "")
    fault = "an unquoted" if found > width else "a missing"
    refuse(
        f"{row} has {value_count(found)}, {what}.",
        f"Check for {fault} {DELIMITERS[delimiter]} near '{quoted}'.",
        quoted=quoted,
    )
