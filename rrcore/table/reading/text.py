"""Delimited text, gzipped or not, in memory or on disk: where its table is, and its rows in batches."""

from __future__ import annotations

import csv
import io
import itertools
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from rrcore.limits import HEAD_ROWS, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.reading.encoding import MARK, UncertainEncodingError, decoder, find_encoding, named, notes, wide_encoding
from rrcore.table.reading.options import ReadOptions, Row
from rrcore.table.source import (
    BATCH_ROWS,
    LESS,
    MIB,
    SAVE_AS,
    Batch,
    Content,
    Source,
    UnevenRowsError,
    checked_names,
    name_count,
    refuse,
    refuse_empty,
    value_count,
)

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar"}
"""What may stand between two values, and what messages call it."""

BLOCK_BYTES = 4 * MIB
HEADER_BYTES = 4 * MIB
_PIECE_BYTES = 64 * MIB  # of a large file are one piece, or more
_FIRST = 3  # wrong rows that a message names
_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x1f\x7f]")
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


@dataclass(frozen=True)
class TextPiece:
    """A file of delimited text, or the part of it between two line ends.

    Parameters
    ----------
    content : Content
    encoding : str, as ``rrcore.table.reading.encoding.decoder`` takes it
    delimiter : str
    skip : int, bytes, in UTF-8, above the first record of the file
    number : int, number of the row of the first record of the file, from 1
    names : tuple of str, the columns
    what : str, what says how many values a row has: "the header has 3 names"
    start, end : int, where it begins and ends, in bytes as stored
    leave_uneven : bool, whether rows with more or fewer values than there are columns are left out; else there must be none
    """

    content: Content
    encoding: str
    delimiter: str
    skip: int
    number: int
    names: tuple[str, ...]
    what: str
    start: int
    end: int
    leave_uneven: bool = False

    @property
    def path(self) -> str:
        return self.content.name

    @property
    def bytes(self) -> int:
        return self.end - self.start

    def before(self) -> int:
        if not self.start:
            return 0
        return sum(batch.num_rows for batch in replace(self, start=0, end=self.start).batches(self.names[:1]))

    def batches(
        self, names: Sequence[str] | None = None, *, report: Report = quiet, uneven: list[int] | None = None
    ) -> Iterator[Batch]:
        """The records, as of any piece; counts in ``uneven`` rows that have too many or too few values."""
        wrong = [0] if uneven is None else uneven
        names = self.names if names is None else names

        def on_wrong_row(row: Any) -> str:
            wrong[0] += bool(row.text.strip())
            return "skip"

        every = [str(i) for i in range(len(self.names))]
        keys = [str(self.names.index(name)) for name in names]
        rows = 0
        with self._text(self.start, self.end) as text:
            try:
                stream = pacsv.open_csv(
                    text,
                    pacsv.ReadOptions(column_names=every, block_size=BLOCK_BYTES, use_threads=False),
                    pacsv.ParseOptions(
                        delimiter=self.delimiter,
                        newlines_in_values=True,
                        ignore_empty_lines=len(every) > 1,
                        invalid_row_handler=on_wrong_row,
                    ),
                    pacsv.ConvertOptions(
                        column_types=dict.fromkeys(every, pa.dictionary(pa.int32(), pa.string())),
                        strings_can_be_null=False,
                        check_utf8=False,
                    ),
                )
                for batch in self._without_last(stream):
                    chosen = batch.select(keys).rename_columns(list(names))
                    for start in range(0, batch.num_rows, BATCH_ROWS):
                        yield chosen.slice(start, BATCH_ROWS)
                    rows += batch.num_rows
                    report(text.fraction, f"{rows:,} rows")
            except pa.ArrowInvalid:
                self._refuse_block()
        if wrong[0] and not self.leave_uneven:
            self._refuse_uneven(wrong[0])
        if not rows and not self.start:
            what = f"{self.content.called('file' if self.content.data is None else 'table')} has column names but no rows of answers."
            refuse(what, "Add a row for each person under the first row.")

    def _text(self, start: int, end: int | None) -> _Text:
        """The records from one place in the file to another, without what stands above the first one."""
        last = "{}\n".format(self.delimiter.join(['""'] * len(self.names))).encode()
        text = _Text(self.content, self.encoding, last, start, end)
        left = 0 if start else self.skip
        while left and (piece := text.read(left)):
            left -= len(piece)
        return text

    def _without_last(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The batches without the row of empty cells that ends the text: an unclosed quotation mark swallows it."""
        held = None
        for batch in batches:
            if not batch.num_rows:  # a block of empty lines
                continue
            if held is not None:
                yield held
            held = batch
        last = None if held is None else held.slice(held.num_rows - 1)
        if held is None or last is None or any(pc.any(pc.not_equal(c.cast("string"), "")).as_py() for c in last.columns):
            self._refuse_unclosed(self._unclosed())
        yield held.slice(0, held.num_rows - 1)

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """All records of the file and the numbers of their rows, by the csv module, which is slow. May raise csv.Error."""
        with self._text(0, None) as source:
            lines = io.TextIOWrapper(io.BufferedReader(source), "utf-8", "ignore", newline="")
            yield from enumerate(csv.reader(lines, delimiter=self.delimiter), self.number)

    def _unclosed(self) -> int:
        """The number of the row with a quotation mark that is not closed; 0 if there is none."""
        number, filled = self.number - 1, False
        try:
            for place, record in self._records():
                number, filled = place, any(record)
        except csv.Error:
            return number + 1
        return number if filled else 0

    def _refuse_unclosed(self, number: int) -> NoReturn:
        row = f"Row {number:,}" if number else "A row"
        refuse(
            f"{row}{self.content.place} opens a quotation mark that is not closed.",
            "Close it, or double it inside a quoted value.",
        )

    def _refuse_block(self) -> NoReturn:
        """Refuse what cannot be cut into rows: a quotation mark that is not closed, or a row that is longer than a block."""
        if number := self._unclosed():
            self._refuse_unclosed(number)
        refuse(f"{self.content.called()} has a row of more than {BLOCK_BYTES // MIB} MB.", "Shorten it, or leave it out.")

    def _refuse_uneven(self, rows: int) -> NoReturn:
        """Say which rows have too many or too few values, and where in the first a delimiter seems too many or missing."""
        width, text = len(self.names), self.delimiter.join
        try:
            found = ((number, each) for number, each in self._records() if len(each) != width and text(each).strip())
            wrong = list(islice(found, min(rows, _FIRST)))
        except csv.Error:
            wrong = []
        if not wrong:
            raise UnevenRowsError(
                f"{rows:,} rows have more or fewer values than {self.what}. Check how they are quoted.", rows=rows
            )
        number, record = wrong[0]
        many, sign = len(record) > width, re.escape(self.delimiter)
        near = re.search(rf"[^{sign}\"]+{sign}[ \u00a0][^{sign}\"]*", text(record)) if many else None
        words = " ".join((near.group() if near else text(record)).split())
        quoted = words[:40] + ("..." if len(words) > 40 else "")
        fault = f"{'an unquoted' if many else 'a missing'} {DELIMITERS.get(self.delimiter, repr(self.delimiter))}"
        message = (
            f"Row {number:,}{self.content.place} has {value_count(len(record))}, {self.what}. Check for {fault} near '{quoted}'."
        )
        if rows > 1:
            others = " and ".join(f"row {other:,}" for other, _ in wrong[1:])
            are = "1 more row is" if rows == 2 else f"{rows - 1:,} more rows are"
            message += f" {are} too long or too short{', such as ' if rows > len(wrong) else ': '}{others}."
        raise UnevenRowsError(message, quoted=quoted, rows=rows)


class _Text(io.RawIOBase):
    """A file as UTF-8 text without byte order mark, from one of its bytes to another or to its end; ``last`` is put on a line at its end."""

    def __init__(self, content: Content, encoding: str, last: bytes, start: int, end: int | None) -> None:
        super().__init__()
        self._content, self._encoding = content, encoding
        self._start, self._end = start, content.size if end is None else end
        self._source = content.unpack()
        self._packed = content.packed
        if not self._packed:
            self._source.seek(start)
        self._decoder = decoder(encoding)
        self._last: bytes | None = last
        self._ready = b""
        self._taken, self._open_line = start, False

    @property
    def fraction(self) -> float:
        """How much of the stored bytes is read."""
        raw = self._source.fileobj if self._packed else self._source  # type: ignore[attr-defined]
        return min((raw.tell() - self._start) / max(self._end - self._start, 1), 1.0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def read(self, size: int = -1) -> bytes:
        while not self._ready and self._last is not None:
            self._ready = self._more()
        size = len(self._ready) if size < 0 else size
        piece, self._ready = self._ready[:size], self._ready[size:]
        return piece

    def _more(self) -> bytes:
        with unpacking(self._content):
            piece = self._source.read(MIB if self._packed else min(MIB, self._end - self._taken))
        marked = not self._taken and piece.startswith(MARK)
        try:
            text = self._decoder.decode(piece[len(MARK) :] if marked else piece, final=not piece).encode()
        except UnicodeError:
            known = self._encoding.upper()
            refuse(f"{self._content.called()} is not {known} text throughout, though it begins so.", "Save it again as UTF-8.")
        self._taken += len(piece)
        if text:
            self._open_line = text[-1:] not in b"\r\n"
        if not piece:
            assert self._last is not None
            text, self._last = text + b"\n" * self._open_line + self._last, None
        return text

    def close(self) -> None:
        if not self.closed:
            self._source.close()
        super().close()


@contextmanager
def unpacking(content: Content) -> Iterator[None]:
    """Refuse a gzip file that cannot be unpacked."""
    try:
        yield
    except (OSError, EOFError, zlib.error):
        if not content.packed:
            raise
        refuse(f"{content.called('gzip file')} is damaged or cut short.", "Pack or download it again.")


@dataclass(frozen=True, eq=False)
class TextFile:
    """A file of delimited text: its first text as UTF-8, and whether it goes on; what cuts it into values; and notes on its encoding."""

    content: Content
    text: bytes
    cut: bool
    encoding: str
    delimiter: str
    notes: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()

    def head(self, sheet: str = "") -> list[Row]:
        rows: list[Row] = []
        try:
            for number, record in enumerate(records(self.text, self.delimiter), 1):
                if any(cell.strip() for cell in record):
                    rows.append((number, tuple(cell.strip() for cell in record)))
                if len(rows) > HEAD_ROWS:
                    break
        except csv.Error:
            pass
        cut = len(rows) > HEAD_ROWS or (len(rows) > 1 and self.cut)
        return rows[:-1] if cut else rows

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        """Where the rows of answers are."""
        before, skip, cells, number = self._find(layout.start)
        names = checked_names(layout.called(cells))
        if layout.header:
            what, number = f"the header has {name_count(len(cells))}", number + 1
        else:
            what, skip = f"row {number:,} has {value_count(len(cells))}", before
        if layout.skip:
            rows = records(self.text[skip:], self.delimiter, used := [0])
            for _ in range(layout.skip):
                next(rows, None)
            skip, number = skip + used[0], number + layout.skip
        size = self.content.size
        cuttable = (
            self.content.data is None and not self.content.packed and self.encoding.startswith(("utf-8", "mixed", "windows"))
        )
        cuts = [0, *(_cuts(self.content, size) if cuttable and self.text[skip:].strip() else ()), size]
        whole = TextPiece(
            self.content, self.encoding, self.delimiter, skip, number, tuple(names), what, 0, size, bool(layout.uneven)
        )
        return Source(tuple(replace(whole, start=start, end=end) for start, end in itertools.pairwise(cuts)), self.notes)

    def _find(self, start: int) -> tuple[int, int, list[str], int]:
        """Of the row that the table starts with: the bytes before it and through it, its cells, and its number."""
        used, before, record, number = [0], 0, [""], 0
        try:
            for number, record in enumerate(records(self.text, self.delimiter, used), 1):
                if number >= start and self.delimiter.join(record).strip():
                    break
                before = used[0]
        except csv.Error:
            used[0] = len(self.text)
            number = 0
        if not number or (self.cut and used[0] >= len(self.text)):
            refuse("The first row is far too long for column names.", "Check for an unclosed quotation mark.")
        if not self.delimiter.join(record).strip():
            refuse_empty()
        return before, used[0], record, number


def open_text(content: Content, asked: str = "") -> TextFile:
    """A file of delimited text; ``asked`` is its encoding, as in ``ReadOptions``.

    Raises
    ------
    InputError
        If it is no text, or it is not certain which encoding it is in.
    """
    with unpacking(content), content.unpack() as source:
        first = source.read(HEADER_BYTES)
        blocks = _limited(content, itertools.chain([first.removeprefix(MARK)], iter(lambda: source.read(MIB), b"")))
        asked = "utf-8" if first.startswith(MARK) else asked and named(asked)
        wide = "" if asked else wide_encoding(first[: 2**12], len(first))
        found = wide or _text_encoding(content, first, blocks, asked)
        for _ in blocks:
            pass
        cut = source.tell() > len(first)
    try:
        text = decoder(found).decode(first.removeprefix(MARK), final=not cut)
    except UnicodeError:
        if not wide:
            refuse(f"{content.called()} is not {found} text.", "Give another encoding.")
        refuse("The file starts like UTF-16 text but is not.", "Save it again as CSV in UTF-8.")
    if cut:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    start = text[:200].strip().lower()
    if start.startswith(_PAGES):
        refuse("The file is a web page or XML, not a table.", "Download the table itself, for example as CSV.")
    if start.startswith(('{"', "[{")):
        refuse("The file is JSON, not a table.", SAVE_AS)
    data = text.encode()
    return TextFile(content, data, cut, found, find_delimiter(data[: 2**17]), notes(found))


def _limited(content: Content, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The blocks, no more of a file in memory than may be read whole."""
    size = 0
    for block in blocks:
        size += len(block)
        if content.data is not None and size > MAX_UNPACKED_BYTES:
            refuse(f"The gzip file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
        yield block


def _text_encoding(content: Content, first: bytes, blocks: Iterable[bytes], asked: str) -> str:
    """The encoding of a file that is not UTF-16, and whether it is text at all."""
    for magic, kind in _FOREIGN.items():
        if first.startswith(magic):
            refuse(f"{content.called()} is {kind}, not a table.", SAVE_AS)
    if asked.startswith(("utf-16", "utf-32")):
        return asked
    checked = _without_zeros(content, first, blocks)
    found = asked or find_encoding(checked)
    for _ in checked:
        pass
    controls = len(_CONTROLS.findall(first[:MIB]))
    if not asked and found != "utf-8" and controls > 0.01 * len(first[:MIB]):
        refuse(f"{content.called()} is not text: it is full of control characters.", SAVE_AS)
    if isinstance(found, UncertainEncodingError):
        raise found
    return found


def _without_zeros(content: Content, first: bytes, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The blocks; refuses zero bytes, which no text has."""
    line = taken = 0
    for block in blocks:
        if 0 in block:
            at = block.index(0)
            if first.count(0) > 0.2 * len(first) or len(_CONTROLS.findall(first[:MIB])) > 0.01 * len(first[:MIB]):
                refuse(f"{content.called()} is not text: byte {taken + at + 1:,} is zero.", SAVE_AS)
            line += block[:at].count(b"\n") + 1
            refuse(
                f"Row {line:,}{content.place} holds a zero byte (NUL), which is no character of any text.",
                "Take zero bytes out, for example with 'tr -d \"\\000\" < old.csv > new.csv', or export the table again.",
            )
        line, taken = line + block.count(b"\n"), taken + len(block)
        yield block


def _cuts(content: Content, size: int) -> Iterator[int]:
    """Places in a large file of UTF-8 text, about ``_PIECE_BYTES`` apart, at which a record certainly begins.

    Such a place follows on a line end with no quotation mark in so many bytes before it that a row around all of them would be refused: a
    row in two blocks is read, one that begins before a whole block and ends after it is not. Where there are quotation marks nothing is
    certain, since one within a value that does not begin with one is a part of it.
    """
    with content.open() as file:
        for place in range(_PIECE_BYTES, size - _PIECE_BYTES // 2, _PIECE_BYTES):
            file.seek(place)
            window = file.read(3 * BLOCK_BYTES)
            cut = window.rfind(b"\n") + 1
            if cut > 2 * BLOCK_BYTES and b'"' not in window[:cut]:
                yield place + cut


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


def records(text: bytes, delimiter: str, used: list[int] | None = None) -> Iterator[list[str]]:
    """Records by the csv module; adds the bytes of the lines taken so far to ``used``. May raise csv.Error."""

    def lines() -> Iterator[str]:
        for line in io.TextIOWrapper(io.BytesIO(text), "utf-8", errors="ignore", newline=""):
            if used is not None:
                used[0] += len(line.encode())
            yield line

    return csv.reader(lines(), delimiter=delimiter)
