"""CSV and its cousins, gzipped or not, read in blocks by the rules of ``rrcore.table.reading.text``."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from rrcore.errors import InputError, reading
from rrcore.progress import Report, quiet
from rrcore.table.reading.columns import MIB, UnevenRowsError, checked_names, name_count, refuse, value_count
from rrcore.table.reading.cutting import BLOCK_BYTES, width_told
from rrcore.table.reading.encoding import MARK, MixedEncodingError, decide, decoder, find_encoding, wide_encoding
from rrcore.table.reading.formats import Recognised
from rrcore.table.reading.guess import guess_layout
from rrcore.table.reading.layout import column_names
from rrcore.table.reading.text import TextFile, decode_text, find_delimiter
from rrcore.table.stream.piece import BATCH_ROWS, Batch

_AT_ONCE = MIB
_LOOKED_AT = 16 * MIB  # bytes in which a file shows whether it is UTF-8
_PIECE_BYTES = 64 * MIB  # of a large file are one piece, or more


@dataclass(frozen=True)
class TextPiece:
    """A file of delimited text, or the part of it between two line ends.

    Parameters
    ----------
    path : str
    packed : bool, whether it is gzipped
    encoding : str, as ``rrcore.table.reading.encoding.decoder`` takes it
    delimiter : str
    skip : int, bytes, in UTF-8, above the first record of the file
    number : int, number of the row of the first record of the file, from 1
    names : tuple of str, the columns
    what : str, what says how many values a row has: "the header has 3 names"
    start, end : int, where it begins and ends, in bytes as stored
    """

    path: str
    packed: bool
    encoding: str
    delimiter: str
    skip: int
    number: int
    names: tuple[str, ...]
    what: str
    start: int
    end: int

    @property
    def bytes(self) -> int:
        return self.end - self.start

    def before(self) -> int:
        if not self.start:
            return 0
        return sum(batch.num_rows for batch in replace(self, start=0, end=self.start).batches(self.names[:1]))

    def batches(self, names: Sequence[str] | None = None, *, report: Report = quiet) -> Iterator[Batch]:
        import pyarrow as pa
        import pyarrow.csv as pacsv

        wanted = self.names if names is None else tuple(names)
        keys = [str(self.names.index(name)) for name in wanted]
        wrong: list[str] = []

        def on_wrong_row(row: Any) -> str:
            if row.text.strip():
                wrong.append(row.text)
                return "error"
            return "skip"

        every = [str(i) for i in range(len(self.names))]
        with self._text(self.start, self.end) as text:
            options = pacsv.ReadOptions(column_names=every, block_size=BLOCK_BYTES, use_threads=False)
            parse = pacsv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=on_wrong_row)
            convert = pacsv.ConvertOptions(
                column_types=dict.fromkeys(every, pa.dictionary(pa.int32(), pa.string())),
                strings_can_be_null=False,
                check_utf8=False,
            )
            try:
                rows = 0
                for batch in _without_last(pacsv.open_csv(text, options, parse, convert), self._refuse_row):
                    chosen = batch.select(keys).rename_columns(list(wanted))
                    for start in range(0, batch.num_rows, BATCH_ROWS):
                        yield chosen.slice(start, BATCH_ROWS)
                    rows += batch.num_rows
                    report(text.fraction, "")
            except pa.ArrowInvalid as error:
                if wrong:
                    self._refuse_row(wrong[0])
                if "straddling" in str(error):
                    self._refuse_row("")
                raise self._error("cannot be cut into rows and columns", "save it again as CSV or Parquet") from error
        if not rows and not self.start:
            raise self._error("has column names but no rows of answers", "add a row for each person, or leave it out")

    def _text(self, start: int, end: int | None) -> _Text:
        """The records from one place in the file to another, without what stands above the first one."""
        last = "\n{}\n".format(self.delimiter.join(['""'] * len(self.names))).encode()
        text = _Text(self.path, self.packed, self.encoding, last, start, end)
        left = 0 if start else self.skip
        while left and (piece := text.read(left)):
            left -= len(piece)
        return text

    def _error(self, found: str, action: str) -> InputError:
        return InputError(f"The file '{self.path}' {found}: {action}.")

    def _refuse_row(self, text: str) -> NoReturn:
        """Say which row has the wrong number of values or an unclosed quotation mark, after going through the rows once more."""
        width, number, record, row = len(self.names), self.number - 1, [""], "A row"
        with self._text(0, None) as source:
            reader = csv.reader(
                io.TextIOWrapper(io.BufferedReader(source), "utf-8", "ignore", newline=""), delimiter=self.delimiter
            )
            try:
                for number, record in enumerate(reader, self.number):
                    if len(record) != width and self.delimiter.join(record).strip():
                        text, row = self.delimiter.join(record), f"Row {number:,}"
                        break
                unclosed = next(reader, None) is None and any(record)
            except csv.Error:
                number, unclosed = number + 1, True
        if unclosed:
            refuse(
                f"Row {number:,} of '{self.path}' opens a quotation mark that is not closed.",
                "Close it, or double it inside a quoted value.",
            )
        found = len(record) if len(record) != width else text.count(self.delimiter) + 1
        if not text or found == width:
            raise self._error(f"has a row of more than {BLOCK_BYTES // MIB} MB", "shorten it, or leave the file out")
        sentence, quoted = width_told(f"{row} of '{self.path}'", text, found, width, self.delimiter, self.what)
        raise UnevenRowsError(sentence, quoted=quoted)


def _without_last(batches: Any, refuse_row: Any) -> Iterator[Any]:
    """The batches without the row of empty cells that ends the text: an unclosed quotation mark swallows it."""
    import pyarrow.compute as pc

    held = None
    for batch in batches:
        if not batch.num_rows:  # a block of empty lines
            continue
        if held is not None:
            yield held
        held = batch
    if held is None:
        return
    last = held.slice(held.num_rows - 1)
    if any(pc.any(pc.not_equal(column.cast("string"), "")).as_py() for column in last.columns):
        refuse_row("")
    yield held.slice(0, held.num_rows - 1)


class _Text(io.RawIOBase):
    """A file as UTF-8 text without byte order mark, from one of its bytes to another or to its end; ``last`` is put at its end."""

    def __init__(self, path: str, packed: bool, encoding: str, last: bytes, start: int, end: int | None) -> None:
        super().__init__()
        self.path, self._packed = path, packed
        with reading(path):
            self._stored: Any = open(path, "rb")  # noqa: SIM115
            self._stored.seek(start)
            self._start, self._end = start, Path(path).stat().st_size if end is None else end
        self._content: Any = gzip.GzipFile(fileobj=self._stored) if packed else self._stored
        self._encoding = encoding
        self._decoder = decoder(encoding)
        self._last: bytes | None = last
        self._ready = b""
        self._taken = start

    @property
    def fraction(self) -> float:
        """How much of the stored bytes is read."""
        return min((self._stored.tell() - self._start) / max(self._end - self._start, 1), 1.0)

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
        try:
            piece = self._content.read(_AT_ONCE if self._packed else min(_AT_ONCE, self._end - self._taken))
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"The gzip file '{self.path}' is damaged or cut short: pack or download it again.") from error
        end = b""
        if not piece:
            assert self._last is not None
            end, self._last = self._last, None
        if 0 in piece and not self._encoding.startswith("utf-16"):
            at = self._taken + piece.index(0) + 1
            raise InputError(f"The file '{self.path}' is not text: byte {at:,} is zero. Save the table again as CSV or Parquet.")
        marked = not self._taken and piece.startswith(MARK)
        try:
            text = self._decoder.decode(piece[len(MARK) :] if marked else piece, final=not piece)
        except UnicodeError as error:
            known = self._encoding.upper()
            raise InputError(
                f"The file '{self.path}' is not {known} text throughout, though it begins so: save it again as UTF-8."
            ) from error
        self._taken += len(piece)
        return text.encode() + end

    def close(self) -> None:
        if not self.closed:
            self._content.close()
            self._stored.close()
        super().close()


def text_pieces(path: str, *, header: bool | None = None, encoding: str = "") -> tuple[tuple[TextPiece, ...], list[str]]:
    """The pieces of a file of delimited text, and notes on how it is read; ``header`` and ``encoding`` as in ``open_stream``.

    Raises
    ------
    InputError
        If it is no text, or it is not certain where its names are or which encoding it is in.
    """
    place = Path(path)
    with place.open("rb") as stored:
        packed = stored.read(2) == b"\x1f\x8b"
    with gzip.open(path) if packed else place.open("rb") as content:
        try:
            data = content.read(_LOOKED_AT)
            wide = wide_encoding(data[: 2**12], len(data))
            rest = iter(lambda: content.read(_AT_ONCE), b"")
            encoded = "" if wide else find_encoding(itertools.chain([data.removeprefix(MARK)], rest))
            cut = content.tell() > len(data) or bool(content.read(1))
        except (OSError, EOFError, zlib.error):
            raise InputError(f"The gzip file '{path}' is damaged or cut short: pack or download it again.") from None
    if not data.strip():
        raise InputError(f"The file '{path}' is empty: give a file with a row of column names and a row for each person.")
    head, known, notes = _head(data, cut, encoded, encoding)
    file = TextFile(head, find_delimiter(head), tuple(notes))
    guess = guess_layout(Recognised(place.name, "text", file))
    if guess.export is not None:
        raise InputError(
            f"{guess.why} Leave only the row of names above the answers of '{path}': in batches it is read as a plain table."
        )
    if not guess.sure and header is None:
        raise InputError(
            f"{guess.why} Write names above the columns of '{path}', or say whether they are there, with 'header' yes or no.",
            quoted=guess.why,
        )
    before, after, found, number = file.find_start(guess.layout.start)
    if guess.layout.names if header is None else header:
        names, what, skip, number = checked_names(found), f"the header has {name_count(len(found))}", after, number + 1
    else:
        names, skip = checked_names(column_names(len(found))), before
        what = f"row {number:,} has {value_count(len(found))}"
    size = place.stat().st_size
    cuttable = not packed and known in ("utf-8", "mixed") and bytes(head[skip:]).strip()
    cuts = [0, *(_cuts(path, size) if cuttable else ()), size]
    whole = TextPiece(path, packed, known, file.delimiter, skip, number, tuple(names), what, 0, size)
    return tuple(replace(whole, start=start, end=end) for start, end in itertools.pairwise(cuts)), notes


def _cuts(path: str, size: int) -> Iterator[int]:
    """Places in a large file of UTF-8 text, about ``_PIECE_BYTES`` apart, at which a record certainly begins.

    Such a place follows on a line end with no quotation mark in so many bytes before it that a row around all of them would be refused: a
    row in two blocks is read, one that begins before a whole block and ends after it is not. Where there are quotation marks nothing is
    certain, since one within a value that does not begin with one is a part of it.
    """
    with open(path, "rb") as file:
        for place in range(_PIECE_BYTES, size - _PIECE_BYTES // 2, _PIECE_BYTES):
            file.seek(place)
            window = file.read(3 * BLOCK_BYTES)
            cut = window.rfind(b"\n") + 1
            if cut > 2 * BLOCK_BYTES and b'"' not in window[:cut]:
                yield place + cut


def _head(data: bytes, cut: bool, found: str | MixedEncodingError, asked: str) -> tuple[memoryview, str, list[str]]:
    """The first text of a file as UTF-8, the encoding of the file, and notes on it.

    ``cut`` says whether the file goes on, ``found`` is what all of it is in, and ``asked`` decides where that is in doubt.
    """
    wide = wide_encoding(data[: 2**12], len(data))
    if cut:
        whole = data.rfind(b"\n") + 1 or len(data)
        data = data[: whole + (whole & 1)] if wide else data[:whole]
    text, notes = decode_text(data, asked, found="" if wide else found)
    return text, wide or decide(found, asked), notes
