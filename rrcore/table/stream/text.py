"""CSV and its cousins, gzipped or not, read from start to end in blocks by the rules of ``rrcore.table.reading.text``."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from rrcore.errors import InputError
from rrcore.table.reading.columns import MIB, UnevenRowsError, checked_names, name_count, refuse, value_count
from rrcore.table.reading.cutting import BLOCK_BYTES, width_told
from rrcore.table.reading.formats import Recognised
from rrcore.table.reading.guess import guess_layout
from rrcore.table.reading.layout import column_names
from rrcore.table.reading.text import TextFile, decode_text, find_delimiter, wide_encoding
from rrcore.table.stream.piece import BATCH_ROWS, Batch
from rrcore.work import Report, quiet

_AT_ONCE = MIB
_LOOKED_AT = 16 * MIB  # bytes in which a file shows whether it is UTF-8


@dataclass(frozen=True)
class TextPiece:
    """A file of delimited text.

    Parameters
    ----------
    path : str
    packed : bool, whether it is gzipped
    encoding : str, as Python calls it
    delimiter : str
    skip : int, bytes, in UTF-8, above the first record
    number : int, number of the row of the first record, from 1
    names : tuple of str, the columns
    what : str, what says how many values a row has: "the header has 3 names"
    bytes : int, its size as stored
    """

    path: str
    packed: bool
    encoding: str
    delimiter: str
    skip: int
    number: int
    names: tuple[str, ...]
    what: str
    bytes: int

    def before(self) -> int:
        return 0

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
        with self._text() as text:
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
        if not rows:
            raise self._error("has column names but no rows of answers", "add a row for each person, or leave it out")

    def _text(self) -> _Text:
        end = "\n{}\n".format(self.delimiter.join(['""'] * len(self.names))).encode()
        text = _Text(self.path, self.packed, self.encoding, end)
        left = self.skip
        while left and (piece := text.read(left)):
            left -= len(piece)
        return text

    def _error(self, found: str, action: str) -> InputError:
        return InputError(f"The file '{self.path}' {found}: {action}.")

    def _refuse_row(self, text: str) -> NoReturn:
        """Say which row has the wrong number of values or an unclosed quotation mark, after going through the rows once more."""
        width, number, record, row = len(self.names), self.number - 1, [""], "A row"
        with self._text() as source:
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
        told, quoted = width_told(f"{row} of '{self.path}'", text, found, width, self.delimiter, self.what)
        raise UnevenRowsError(told, quoted=quoted)


def _without_last(batches: Any, refuse_row: Any) -> Iterator[Any]:
    """The batches without the row of empty cells that ends the text: an unclosed quotation mark swallows it."""
    import pyarrow.compute as pc

    held = None
    for batch in batches:
        if held is not None:
            yield held
        if batch.num_rows:
            held = batch
    if held is None:
        return
    last = held.slice(held.num_rows - 1)
    if any(pc.any(pc.not_equal(column.cast("string"), "")).as_py() for column in last.columns):
        refuse_row("")
    yield held.slice(0, held.num_rows - 1)


class _Text(io.RawIOBase):
    """A file as UTF-8 text without byte order mark, from its start; ``end`` is put at its end."""

    def __init__(self, path: str, packed: bool, encoding: str, end: bytes) -> None:
        super().__init__()
        self.path = path
        try:
            self._stored: Any = open(path, "rb")  # noqa: SIM115
            self._size = max(Path(path).stat().st_size, 1)
        except OSError as error:
            raise InputError(f"The file '{path}' cannot be read ({error.strerror}): check its name and place.") from error
        self._content: Any = gzip.GzipFile(fileobj=self._stored) if packed else self._stored
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._end: bytes | None = end
        self._ready = b""
        self._taken = 0

    @property
    def fraction(self) -> float:
        """How much of the stored bytes is read."""
        return min(self._stored.tell() / self._size, 1.0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def read(self, size: int = -1) -> bytes:
        while not self._ready and self._end is not None:
            self._ready = self._more()
        size = len(self._ready) if size < 0 else size
        piece, self._ready = self._ready[:size], self._ready[size:]
        return piece

    def _more(self) -> bytes:
        try:
            piece = self._content.read(_AT_ONCE)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"The gzip file '{self.path}' is damaged or cut short: pack or download it again.") from error
        end = b""
        if not piece:
            assert self._end is not None
            end, self._end = self._end, None
        if 0 in piece and not self._encoding.startswith("utf-16"):
            at = self._taken + piece.index(0) + 1
            raise InputError(f"The file '{self.path}' is not text: byte {at:,} is zero. Save the table again as CSV or Parquet.")
        try:
            text = self._decoder.decode(piece, final=not piece)
        except UnicodeError as error:
            known = self._encoding.removesuffix("-sig").upper()
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


def text_pieces(path: str, *, header: bool | None = None) -> tuple[tuple[TextPiece, ...], list[str]]:
    """The one piece of a file of delimited text, and notes on how it is read; ``header`` as in ``open_stream``.

    Raises
    ------
    InputError
        If it is no text, or it is not certain where its names are.
    """
    place = Path(path)
    with place.open("rb") as stored:
        packed = stored.read(2) == b"\x1f\x8b"
    with gzip.open(path) if packed else place.open("rb") as content:
        try:
            data = content.read(_LOOKED_AT)
            cut = bool(content.read(1))
        except (OSError, EOFError, zlib.error):
            raise InputError(f"The gzip file '{path}' is damaged or cut short: pack or download it again.") from None
    if not data.strip():
        raise InputError(f"The file '{path}' is empty: give a file with a row of column names and a row for each person.")
    head, encoding, notes = _head(data, cut)
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
    piece = TextPiece(path, packed, encoding, file.delimiter, skip, number, tuple(names), what, size)
    return (piece,), notes


def _head(data: bytes, cut: bool) -> tuple[memoryview, str, list[str]]:
    """The first text of a file as UTF-8, the encoding of the file, and notes on it; ``cut`` says whether the file goes on."""
    wide = wide_encoding(data[: 2**12], len(data))
    if cut:
        whole = data.rfind(b"\n") + 1 or len(data)
        data = data[: whole + (whole & 1)] if wide else data[:whole]
    text, notes = decode_text(data)
    if wide:
        return text, wide, notes
    if not notes:
        return text, "utf-8-sig", notes
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return text, "latin-1", notes
    return text, "cp1252", notes
