"""Delimited text: unpacking gzip, decoding, finding the delimiter and where the table starts."""

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from rrcore.limits import HEAD_ROWS, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.reading.columns import (
    LESS,
    MIB,
    SAVE_AS,
    FoundColumns,
    check_rows,
    checked_names,
    name_count,
    refuse,
    refuse_empty,
    value_count,
)
from rrcore.table.reading.cutting import DELIMITERS, Body, Views, records
from rrcore.table.reading.encoding import (
    MARK,
    NOTES,
    MixedEncodingError,
    check_encoding,
    decide,
    decoder,
    find_encoding,
    wide_encoding,
)
from rrcore.table.reading.layout import Layout, Row, column_names

HEADER_BYTES = 4 * MIB
_FOREIGN = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF document",
    b"7z\xbc\xaf": "a 7z archive",
    b"\xfd7zXZ": "an xz archive",
    b"ARROW1\0\0": "an Arrow (Feather) file",
    b"SQLite format 3": "an SQLite database",
    b"{\\rtf": "an RTF document",
}
_PAGES = ("<!doctype", "<html", "<head", "<body", "<table", "<?xml", "<meta", "<script")


def unpack(data: memoryview) -> memoryview:
    """The content of a gzip file; it is measured first, so that one beyond the limit takes no memory."""
    size = 0
    for piece in _unpacked(data):
        size += len(piece)
        if size > MAX_UNPACKED_BYTES:
            refuse(f"The gzip file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
    out, at = memoryview(bytearray(size)), 0
    for piece in _unpacked(data):
        out[at : at + len(piece)] = piece
        at += len(piece)
    return out.toreadonly()


def _unpacked(data: memoryview) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=io.BufferedReader(Views(data))) as stream:
            while piece := stream.read(MIB):
                yield piece
    except (OSError, EOFError, zlib.error):
        refuse("The gzip file is damaged or cut short.", "Pack or download it again.")


def _blocks(data: memoryview) -> Iterator[bytes]:
    for start in range(0, len(data), MIB):
        yield bytes(data[start : start + MIB])


def _transcoded(data: memoryview, encoding: str) -> memoryview:
    """``data`` as UTF-8. Raises UnicodeError where it is not in ``encoding``."""
    decode, out = decoder(encoding).decode, bytearray()
    for block in _blocks(data):
        out += decode(block).encode()
    out += decode(b"", final=True).encode()
    return memoryview(out).toreadonly()


def decode_text(
    data: bytes | memoryview, encoding: str = "", *, found: str | MixedEncodingError = ""
) -> tuple[memoryview, list[str]]:
    """The text as UTF-8 without byte order mark, and notes on its encoding.

    ``encoding`` decides where that is in doubt, as in ``Layout``; ``found`` is what the file is in of which ``data`` is the beginning.

    Raises
    ------
    InputError
        Where it is no text; ``MixedEncodingError`` where it is UTF-8 in some places and not in others, and nobody decided.
    """
    check_encoding(encoding)
    data = memoryview(data)
    begin = bytes(data[: 2**12])
    for magic, kind in _FOREIGN.items():
        if begin.startswith(magic):
            refuse(f"The file is {kind}, not a table.", SAVE_AS)
    wide = wide_encoding(begin, len(data))
    notes = []
    text = data[len(MARK) :] if begin.startswith(MARK) else data
    if wide:
        try:
            text = _transcoded(data, wide)
        except UnicodeError:
            refuse("The file starts like UTF-16 text but is not.", "Save it again as CSV in UTF-8.")
        notes.append("Read as UTF-16 text.")
    _check_zeros(text)
    found = found or find_encoding(_blocks(text))
    if found != "utf-8":
        first = bytes(text[:MIB])
        if len(re.findall(rb"[\x01-\x08\x0e-\x1f\x7f]", first)) > 0.01 * len(first):
            refuse("The file is not text: it is full of control characters.", SAVE_AS)
        known = decide(found, encoding)
        text = _transcoded(text, known)
        notes += NOTES[known]
    start = bytes(text[:200]).decode(errors="ignore").strip().lower()
    if start.startswith(_PAGES):
        refuse("The file is a web page or XML, not a table.", "Download the table itself, for example as CSV.")
    if start.startswith(('{"', "[{")):
        refuse("The file is JSON, not a table.", SAVE_AS)
    return text, notes


def _check_zeros(text: memoryview) -> None:
    """Refuse zero bytes, which no text has: with the place of the first where all else is text."""
    counts = [(place, block.count(0)) for place, block in enumerate(_blocks(text)) if 0 in block]
    if not counts:
        return
    number = sum(count for _, count in counts)
    place = counts[0][0] * MIB
    first = place + bytes(text[place : place + MIB]).index(0)
    begin = bytes(text[:MIB])
    if begin.count(0) > 0.2 * len(begin) or len(re.findall(rb"[\x01-\x08\x0e-\x1f\x7f]", begin)) > 0.01 * len(begin):
        refuse(f"The file is not text: byte {first + 1:,} is zero.", SAVE_AS)
    line = 1 + sum(block.count(b"\n") for block in _blocks(text[:first]))
    since = bytes(text[max(0, first - MIB) : first]).replace(b"\r", b"\n").rpartition(b"\n")[2]
    delimiter = find_delimiter(begin.replace(b"\0", b""))
    # quoted delimiters are counted too, in a file that is no use as it is
    column = len(since.decode(errors="replace").split(delimiter))
    more = f"; there are {number:,} of them in all" if number > 1 else ""
    refuse(
        f"Row {line:,} holds a zero byte (NUL), which is no character of any text, in column {column:,}{more}.",
        "Take zero bytes out, for example with 'tr -d \"\\000\" < old.csv > new.csv', or export the table anew.",
    )


def find_delimiter(text: bytes | memoryview) -> str:
    """The delimiter that cuts the first rows most often into equally many values, two or more.

    Where one cuts the very first row it is as many as there; where none does, that row may be a title, and it is as many as in most.
    """

    def score(delimiter: str) -> tuple[bool, float, int]:
        try:
            rows = [row for row in islice(records([text[: 2**16]], delimiter), 40) if delimiter.join(row).strip()]
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

    text: memoryview
    delimiter: str
    notes: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()

    def head(self, sheet: str = "") -> list[Row]:
        rows: list[Row] = []
        piece = self.text[:HEADER_BYTES]
        try:
            for number, record in enumerate(records([piece], self.delimiter), 1):
                if any(cell.strip() for cell in record):
                    rows.append((number, tuple(cell.strip() for cell in record)))
                if len(rows) > HEAD_ROWS:
                    break
        except csv.Error:
            pass
        cut = len(rows) > HEAD_ROWS or (len(rows) > 1 and len(self.text) > len(piece))
        return rows[:-1] if cut else rows

    def read(self, layout: Layout, report: Report = quiet) -> FoundColumns:
        before, after, names, number = self.find_start(layout.start)
        if layout.names:
            names, what, place, number = checked_names(names), f"the header has {name_count(len(names))}", after, number + 1
        else:
            what, place, names = f"row {number:,} has {value_count(len(names))}", before, checked_names(column_names(len(names)))
        if layout.skip:
            rows = records([self.text[place : place + HEADER_BYTES]], self.delimiter, used := [0])
            for _ in range(layout.skip):
                next(rows, None)
            place, number = place + used[0], number + layout.skip
        body = Body(self.text[place:], self.delimiter, number, what, len(names))
        columns, uneven = body.cut(leave_uneven=layout.leave_uneven, report=report)
        found = FoundColumns(notes=list(self.notes))
        if uneven:
            rows_were = "row was" if uneven == 1 else "rows were"
            found.notes.append(f"{uneven:,} {rows_were} left out for having more or fewer values than there are columns.")
        for name in names:
            column = columns.pop(0)
            check_rows(column.rows - 1)
            if column.crowded:
                found.give_up(name)
                continue
            values, indices = column.finish()
            found.add(name, values, indices[:-1])
        return found

    def find_start(self, start: int) -> tuple[int, int, list[str], int]:
        """Of the row that the table starts with: the bytes before it and through it, its cells, and its number."""
        used, before, record, number = [0], 0, [""], 0
        try:
            for number, record in enumerate(records([self.text[:HEADER_BYTES]], self.delimiter, used), 1):
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


def open_text(data: memoryview, encoding: str = "") -> TextFile:
    """A file of delimited text, decoded; ``encoding`` as in ``Layout``."""
    text, notes = decode_text(data, encoding)
    return TextFile(text, find_delimiter(bytes(text[: 2**17])), tuple(notes))
