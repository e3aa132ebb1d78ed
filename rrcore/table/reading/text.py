"""Delimited text, plain or gzipped, in memory or on disk.

The module locates the table and reads its rows in batches.
"""

import csv
import io
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from threading import Event
from typing import Any
from weakref import finalize

import pyarrow as pa
import pyarrow.csv as pacsv

from rrcore.limits import HEAD_ROWS, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.reading.encoding import MARKED, decoder, find_encoding, named, notes
from rrcore.table.reading.options import ReadOptions, Row
from rrcore.table.source import (
    BATCH_ROWS,
    SAVE_AS,
    Batch,
    Content,
    Source,
    UnevenRowsError,
    checked_names,
    refuse,
)
from rrcore.wording import counted

BLOCK_BYTES = 4 << 20
_NO_TABLE = ("<!doctype", "<html", "<head", "<body", "<table", "<?xml", "<meta", "<script", '{"', "[{", "%pdf", "{\\rtf")


@dataclass(frozen=True)
class TextPiece:
    """A file of delimited text.

    Parameters
    ----------
    content : Content
    encoding : str, as accepted by ``rrcore.table.reading.encoding.decoder``
    delimiter : str
    names : tuple of str, names of the columns
    skip : int, number of rows above the first record, including blank lines
    leave_uneven : bool, whether to leave out rows whose number of values differs from the number of columns. Otherwise, there must
        be none
    """

    content: Content
    encoding: str
    delimiter: str
    names: tuple[str, ...]
    skip: int
    leave_uneven: bool = False
    start = 0

    def batches(
        self, names: Sequence[str] | None = None, *, report: Report = quiet, uneven: list[int] | None = None
    ) -> Iterator[Batch]:
        """Yield the records, as for any piece.

        ``uneven`` counts rows that have too many or too few values.
        """
        columns, rows, uneven_rows = list(self.names), 0, -1
        # A row of too many values is put below the text. It is the last of those, unless a quotation mark is not closed.
        end = self.delimiter.join(["end"] * (len(columns) + 1))
        wrong: list[Any] = []  # the first and the latest

        def on_wrong_row(row: Any) -> str:
            nonlocal uneven_rows
            if row.text.strip():
                wrong[1:] = [row]
                uneven_rows += 1
            return "skip"

        read = pacsv.ReadOptions(column_names=columns, block_size=BLOCK_BYTES, use_threads=False, skip_rows_after_names=self.skip)
        parse = pacsv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=on_wrong_row)
        parse.ignore_empty_lines = len(columns) > 1
        texts = dict.fromkeys(columns, pa.dictionary(pa.int32(), pa.string()))
        convert = pacsv.ConvertOptions(column_types=texts, strings_can_be_null=False, check_utf8=False)
        text, freed = _Utf8(self.content, self.encoding, end), Event()
        finalize(text, freed.set)
        try:
            for batch in pacsv.open_csv(text, read, parse, convert):
                yield from pa.Table.from_batches([batch]).select(names or columns).to_batches(BATCH_ROWS)
                rows += batch.num_rows
                report(text.fraction, f"{rows:,} rows")
        except (UnicodeError, pa.ArrowInvalid):
            wrong.clear()
        finally:  # the thread that reads must let go of Python before the process may end
            text.source.close()
            del text
            freed.wait(1)
        if not wrong or wrong[-1].text != end:
            found = f"{self.content.called()} cannot be read. It contains text that is not {self.encoding}, a quotation mark is not closed"
            refuse(f"{found}, or a row has more than {BLOCK_BYTES >> 20} MB.", "Choose another encoding, or correct the file.")
        if uneven_rows and not self.leave_uneven:
            row, quoted = wrong[0], " ".join(wrong[0].text.split())[:40]
            found = f"Row {row.number:,} has {counted(row.actual_columns, 'value', 'values')}, expected {len(columns):,}."
            check = f"Check its delimiters and quotation marks near '{quoted}' (row numbers do not count blank lines)."
            every = f"{self.content.called()} has rows that are too long or too short: {uneven_rows:,}."
            raise UnevenRowsError(f"{found} {check} {every}", quoted=quoted, rows=uneven_rows)
        if uneven:
            uneven[0] += uneven_rows
        if not rows:
            refuse("The table has column names but no rows of answers.", "Add a row for each person under the first row.")


class _Utf8:
    """A text as a UTF-8 file with an additional line at the end."""

    closed = False

    def __init__(self, content: Content, encoding: str, last: str) -> None:
        self.source, self._size, self._decoder = content.unpack(), content.size, decoder(encoding)
        self._ready, self._last, self.fraction = b"", f"{last}\n".encode(), 0.0

    def read(self, size: int) -> bytes:
        while self._last and len(self._ready) <= size:
            block = self.source.read(1 << 20)
            self.fraction = getattr(self.source, "fileobj", self.source).tell() / self._size
            self._ready += self._decoder.decode(block, final=not block).encode()
            if 0 in self._ready:
                raise UnicodeError
            if not block:
                last, self._last = self._last, b""
                self._ready += last if self._ready[-1:] in b"\r\n" else b"\n" + last
        size -= self._ready[size - 1 : size] == b"\r"  # Arrow would lose a newline between two blocks
        ready, self._ready = self._ready[:size], self._ready[size:]
        return ready


@dataclass(frozen=True, eq=False)
class TextFile:
    """A file of delimited text.

    It holds the beginning of the text, the delimiter, and notes on the encoding.
    """

    content: Content
    text: str
    encoding: str
    delimiter: str
    notes: tuple[str, ...]

    @property
    def heads(self) -> dict[str, list[Row]]:
        return {"": list(islice(self._filled(), HEAD_ROWS))}

    def _filled(self) -> Iterator[Row]:
        """The first rows that are not blank."""
        for number, cells in records(self.text, self.delimiter):
            if any(map(str.strip, cells)):
                yield number, tuple(map(str.strip, cells))

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        """Return the location of the rows of answers."""
        number, cells = next((row for row in self._filled() if row[0] >= layout.start), (0, ()))
        if not number:
            if not self.text.strip():
                refuse(f"{self.content.called()} is empty.", SAVE_AS)
            refuse(
                f"{self.content.called()} has no row of column names.", "Check where its table starts, and its quotation marks."
            )
        names, skip = tuple(checked_names(layout.called(cells))), number - 1 + layout.header + layout.skip
        piece = TextPiece(self.content, self.encoding, self.delimiter, names, skip, bool(layout.uneven))
        return Source((piece,), self.notes)


def open_text(content: Content, asked: str = "") -> TextFile:
    """Open a file of delimited text.

    ``asked`` is its encoding, as in ``ReadOptions``.

    Raises
    ------
    InputError
        If the file is not text, or its encoding is uncertain.
    """
    with content.unpack() as source:
        first = source.read(BLOCK_BYTES)
        marked = next((name for mark, name in MARKED.items() if first.startswith(mark)), "")
        encoding = named(asked) if asked and marked != "utf-8" else marked
        if not encoding.startswith(("utf-16", "utf-32")) and re.search(rb"\0|[\x01-\x08\x0e-\x1f\x7f]{2}", first[: 1 << 16]):
            refuse(f"{content.called()} is not text, because it contains zero bytes or control characters.", SAVE_AS)
        limit = None if content.data is None else MAX_UNPACKED_BYTES >> 20
        blocks = chain([first], islice(iter(lambda: source.read(1 << 20), b""), limit))
        encoding = encoding or find_encoding(blocks)
        deque(blocks, 0)
        if limit and source.tell() > MAX_UNPACKED_BYTES:
            refuse(f"The gzip file unpacks to more than the limit of {MAX_UNPACKED_BYTES >> 20} MB.", "Leave out columns.")
    text = decoder(encoding, "replace").decode(first, final=len(first) < BLOCK_BYTES)
    if text[:200].strip().lower().startswith(_NO_TABLE):
        refuse(f"{content.called()} is a web page, JSON or another document, not a table.", SAVE_AS)
    return TextFile(content, text, encoding, find_delimiter(text[: 1 << 16]), notes(encoding))


def find_delimiter(text: str) -> str:
    """Return the delimiter that splits most first rows into equally many values.

    There must be at least two values. If possible, the very first row is among these rows.
    """

    def score(delimiter: str) -> tuple[int, bool, int]:
        widths = [len(cells) for _, cells in islice(records(text, delimiter), 40) if cells] or [1]
        width = widths[0] if widths[0] > 1 else max(widths, key=widths.count)
        return widths.count(width) * (width > 1), widths[0] == width, width

    return max(",\t;|", key=score)


def records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield row numbers and cells by the csv module, up to a row that is too long."""
    with suppress(csv.Error):
        yield from enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1)
