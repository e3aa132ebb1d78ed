"""Opening a table: what a file is, by its content; a folder or list of files with one set of columns; and reading a file as a whole."""

import gzip
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from rrcore.errors import InputError, reading
from rrcore.limits import MAX_FILE_BYTES, MAX_ROWS, MAX_UNPACKED_BYTES
from rrcore.progress import Report, part, quiet
from rrcore.table.mark import marks_in
from rrcore.table.reading.arrow import ArrowStream, ParquetFile, bytes_left_out, open_arrow
from rrcore.table.reading.guess import guess_options
from rrcore.table.reading.labelled import LabelledFile, tool_of
from rrcore.table.reading.options import ReadOptions, Row, TableFile, refined
from rrcore.table.reading.text import TextPiece, open_text, unpacking
from rrcore.table.reading.workbook import open_workbook
from rrcore.table.source import (
    LESS,
    MIB,
    About,
    Content,
    Piece,
    Source,
    check_rows,
    check_size,
    refuse,
    refuse_empty,
    refuse_sheet,
)
from rrcore.table.text_table import FoundColumns, Growing, TextTable

_HEAD_CELLS = 100_000  # of one sheet that a look hands back
_HEAD_TEXT = 4_000  # characters of one of them
_PACKED = (b"PK\x03\x04", b"PK\x05\x06", b"PAR1", b"\xd0\xcf\x11\xe0", b"\x1f\x8b\x08\x00", b"\x1f\x8b\x08\x08")


@dataclass(frozen=True, eq=False)
class Recognised:
    """A file of a known format that has been looked at but not read.

    Parameters
    ----------
    title : str, its name without folders and ending
    kind : str, what messages call it
    content : TableFile
    encoding : str, as in ``ReadOptions``
    """

    title: str
    kind: str
    content: TableFile
    encoding: str = ""

    def source(self, layout: ReadOptions | None = None, report: Report = quiet) -> Source:
        """The records of the table that stands where ``layout`` says; without one names are in the first row that is not blank."""
        with _understood(self.kind):
            return self.content.source(layout or ReadOptions(encoding=self.encoding), report)

    def read(self, layout: ReadOptions | None = None, report: Report = quiet) -> TextTable:
        """The table of these records.

        Raises
        ------
        InputError
            What was found, where, what was expected and what to do, in a sentence; ``UnevenRowsError`` where rows have too many or too few
            values.
        """
        with _understood(self.kind):
            table = gathered(self.source(layout, part(report, 0, 2)), self.title, part(report, 1, 2))
            return refined(table, layout or ReadOptions())


def read_frame(source: ArrowStream) -> tuple[TextTable, dict[str, tuple[tuple[str, ...], bool]]]:
    """A table in memory, of any library, and what ``open_arrow`` finds declared in it."""
    found, declared = open_arrow(source)
    return gathered(found, "table"), declared


def gathered(source: Source, title: str, report: Report = quiet) -> TextTable:
    """The table of all records of a source. Raises InputError where none of its columns can be read."""
    found = gather(source, report)
    left_out = tuple(found.left_out.values())
    if not found.columns:
        raise InputError(left_out[0] if left_out else "The table has no columns. Choose one with a column for each question.")
    return TextTable(tuple(found.columns), title, tuple(found.notes), left_out, mark=source.mark)


def gather(source: Source, report: Report = quiet) -> FoundColumns:
    """All records of a source put together. Raises InputError where they are too many to be held."""
    names, rows, uneven = source.names, 0, [0]
    columns = [Growing() for _ in names]
    for number, piece in enumerate(source.parts):
        own = part(report, number, len(source.parts))
        batches = piece.batches(report=own, uneven=uneven) if isinstance(piece, TextPiece) else piece.batches(report=own)
        for batch in batches:
            rows += batch.num_rows
            check_size(rows, len(names))
            for column, values in zip(columns, batch.columns, strict=True):
                column.add(values)
    if names:
        check_rows(rows)
    found = FoundColumns(notes=list(source.notes), left_out=dict(source.left_out))
    if uneven[0]:
        rows_were = "row was" if uneven[0] == 1 else "rows were"
        found.notes.append(f"{uneven[0]:,} {rows_were} left out for having more or fewer values than there are columns.")
    for name in names:
        column = columns.pop(0)
        if not column.text:
            found.left_out[name] = bytes_left_out(name)
        elif column.crowded:
            found.give_up(name)
        else:
            found.add(name, *column.finish())
    about = source.about
    found.columns = [replace(column, **vars(about[column.name])) if column.name in about else column for column in found.columns]
    if found.trimmed:
        found.notes.append(f"Spaces around values were removed in {found.trimmed} column{'s' if found.trimmed > 1 else ''}.")
    return found


@dataclass(frozen=True, eq=False)
class FirstRows:
    """What a file shows before it is read.

    Parameters
    ----------
    sheets : names of the sheets that hold cells; of anything but a workbook none
    heads : sheet, or "", -> its first rows that are not blank; none where the format itself knows the names
    """

    sheets: tuple[str, ...]
    heads: Mapping[str, tuple[Row, ...]]

    def head(self, sheet: str = "") -> tuple[Row, ...]:
        """The first rows of a sheet, by default the first one. Raises InputError if there is no such sheet."""
        if self.sheets and sheet and sheet not in self.sheets:
            refuse_sheet(sheet, self.sheets)
        return self.heads[(sheet or self.sheets[0]) if self.sheets else ""]


@dataclass(frozen=True, eq=False)
class OpenFile:
    """A file of a known format that has been looked at but not read: ``guess_options`` says where its table may be.

    Parameters
    ----------
    title : str, its name without folders and ending
    kind : str, what messages call it
    content : FirstRows
    data, name : what was chosen
    encoding : str, as in ``ReadOptions``
    """

    title: str
    kind: str
    content: FirstRows
    data: bytes
    name: str
    encoding: str = ""

    def read(self, layout: ReadOptions | None = None, report: Report = quiet) -> TextTable:
        """The table that stands where ``layout`` says; without one names are in the first row that is not blank.

        Raises
        ------
        InputError
            As ``Recognised.read``.
        """
        return read_text_table(self.data, self.name, layout or ReadOptions(encoding=self.encoding), report)


def open_file(data: bytes, filename: str, encoding: str = "") -> OpenFile:
    """Recognise the format of a file that a person chose, by its content.

    Parameters
    ----------
    data : bytes, CSV with comma, tab, semicolon or vertical bar (plain or gzipped), XLSX, Parquet, SPSS (.sav, .zsav, .por),
        Stata (.dta) or SAS (.sas7bdat, .xpt)
    filename : str, gives the title only
    encoding : str, as in ``ReadOptions``

    Raises
    ------
    InputError
        What was found, where, what was expected and what to do, in a sentence; ``UncertainEncodingError`` where ``encoding`` is needed.
    """
    file = recognise(Content(filename, data), encoding)
    with _understood(file.kind):
        sheets = tuple(file.content.sheets)
        heads = {sheet: _cut(file.content.head(sheet)) for sheet in sheets or ("",)}
    return OpenFile(file.title, file.kind, FirstRows(sheets, heads), data, filename, encoding)


def read_text_table(data: bytes, filename: str, layout: ReadOptions | None = None, report: Report = quiet) -> TextTable:
    """Read a file whose layout is known: ``open_file(data, filename).read(layout)``."""
    layout = layout or ReadOptions()
    return recognise(Content(filename, data), layout.encoding).read(layout, report)


def recognise(content: Content, encoding: str = "") -> Recognised:
    """Recognise the format of a file by its content, and look at it; ``encoding`` as in ``ReadOptions``.

    Raises
    ------
    InputError
        And nothing else: what was found, where, what was expected and what to do, in a sentence.
    """
    if content.data is not None and content.size > MAX_FILE_BYTES:
        refuse(f"The file has {content.size / MIB:,.1f} MB, the limit is {MAX_FILE_BYTES // MIB} MB.", LESS)
    title = title_of(content.name)
    with unpacking(content), content.unpack() as source:
        begin = source.read(4096)
        rest = islice(iter(lambda: source.read(MIB), b""), MAX_UNPACKED_BYTES // MIB)
        blank = not begin.strip() and not any(block.strip() for block in rest) and not source.read(1)
    if blank:
        refuse_empty(content.called())
    if content.packed and begin.startswith(_PACKED):
        refuse("The gzip file holds another packed file instead of text.", "Unpack it and choose the file inside.")
    if begin[:4] == b"\xd0\xcf\x11\xe0":
        with content.open() as stored:
            if "EncryptedPackage".encode("utf-16-le") in stored.read(MAX_FILE_BYTES):
                refuse("The workbook is protected by a password.", "Remove the password in a spreadsheet and save it again.")
        refuse("This is an old Excel workbook (.xls).", "Open it in a spreadsheet, save it as .xlsx and choose that file.")
    if begin[:5] in (b"X\n\0\0\0", b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n"):
        refuse("This is a data file of R.", "Save the data frame as CSV or Parquet in R and choose that file.")
    if tool := tool_of(begin):
        return Recognised(title, f"file of {tool.split()[0]}", LabelledFile(content, tool))
    if begin[:4] == b"PAR1":
        return Recognised(title, "Parquet file", ParquetFile(content))
    kind = "workbook" if begin.startswith(_PACKED) else "file"
    with _understood(kind):
        if kind == "workbook":
            return Recognised(title, kind, open_workbook(content))
        return Recognised(title, "text", open_text(content, encoding), encoding)


def title_of(name: str) -> str:
    """The name of a file without folders and ending."""
    return re.sub(r"(\.[A-Za-z0-9]{1,7}){1,2}$", "", re.split(r"[\\/]", name)[-1]) or "table"


def refuse_damaged(kind: str) -> NoReturn:
    """Say that a file of that kind cannot be read."""
    refuse(f"The {kind} is damaged or cut short.", "Save or download it again.")


@contextmanager
def _understood(kind: str) -> Iterator[None]:
    """Refuse a file as damaged if a library meets what it does not understand."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception:
        refuse_damaged(kind)


def _cut(rows: Sequence[Row]) -> tuple[Row, ...]:
    """So much of the first rows as is handed back."""
    shown: list[Row] = []
    cells = 0
    for number, row in rows:
        cells += len(row)
        if shown and cells > _HEAD_CELLS:
            break
        shown.append((number, tuple(cell[:_HEAD_TEXT] for cell in row)))
    return tuple(shown)


ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".pq")
"""What files of a folder that are tables end in."""

_AT_ONCE = 1 << 22
# of programs: read whole or not at all
_TABLES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"RDX2", b"RDX3", b"X\n\0\0")


@dataclass(frozen=True)
class Stream:
    """A table of any size that has been looked at but not read.

    Parameters
    ----------
    title : str, its name without folders
    names : tuple of str, the columns, the same in every file
    parts : the pieces
    notes : sentences about what was found
    left_out : columns that cannot be read -> why, in a sentence that is among the notes, too
    about : what files say of their columns, by their names
    beside : marks of a simulation that files have beside their columns
    """

    title: str
    names: tuple[str, ...]
    parts: tuple[Piece, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, About] = field(default_factory=dict)
    beside: tuple[str, ...] = ()

    @property
    def bytes(self) -> int:
        """Size as stored."""
        return sum(piece.bytes for piece in self.parts)

    def mark(self, answers: Collection[str] = ()) -> str:
        """The marks of a simulation, of columns that are none of ``answers`` and of what files say; see ``rrcore.table.mark``."""
        return marks_in([*(name for name in self.names if name not in answers), *self.beside])

    def pieces(self) -> tuple[Piece, ...]:
        """Where the records are, in their order: small and picklable, the same for any number of processes."""
        return self.parts


def open_stream(place: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, encoding: str = "", **given: Any) -> Stream:
    """Open a table of any size.

    Parameters
    ----------
    place : path of a file, of a folder of CSV and Parquet files (by their names, without those below it), or a list of files
    encoding, header, start, skip : how each file is read, as in ``ReadOptions``; what is uncertain without them is refused

    Raises
    ------
    InputError
        If there is no file, one cannot be read, or one has other columns than the first.
    """
    if isinstance(place, str | os.PathLike):
        if not os.fspath(place):
            raise InputError("The name of the table is empty: give that of a file or folder.")
        path = Path(place)
        files, title = (_files(path), path.name) if path.is_dir() else ([path], title_of(path.name))
    else:
        files = [Path(each) for each in place]
        title = title_of(files[0].name) if len(files) == 1 else f"{len(files)} files"
    if not files:
        raise InputError("No file is given: choose at least one table.")
    found: list[Piece] = []
    notes: dict[str, None] = {}
    left_out: dict[str, str] = {}
    about: dict[str, About] = {}
    marks: dict[str, None] = {}
    for file in files:
        source = _source(file, encoding, given)
        notes |= dict.fromkeys([*source.notes, *source.left_out.values()])
        left_out |= source.left_out
        marks[source.mark] = None
        about |= source.about
        found += source.parts
        _check_same(found[0], source.parts[0], left_out)
    return Stream(title, found[0].names, tuple(found), tuple(notes), left_out, about, tuple(filter(None, sorted(marks))))


def _files(folder: Path) -> list[Path]:
    with reading(folder, kind="folder"):
        files = sorted(each for each in folder.iterdir() if each.is_file() and each.name.lower().endswith(ENDINGS))
    files = [file for file in files if not file.name.startswith((".", "_"))]
    if not files:
        raise InputError(f"The folder '{folder}' holds no table: put CSV or Parquet files into it.")
    return files


def _source(file: Path, encoding: str, given: Mapping[str, Any]) -> Source:
    """The records of one file; refuses where it is not certain where its table is."""
    with reading(file):
        if not file.is_file():
            raise InputError(f"'{file}' is not a file: give the name of a file or folder.")
        opened = recognise(Content(str(file)), encoding)
    guess = guess_options(opened, given)
    for each in guess.proposed:
        each.refuse()
    return opened.source(guess.options)


def _check_same(first: Piece, other: Piece, left_out: Mapping[str, str]) -> None:
    if set(first.names) == set(other.names):
        return
    marks = {piece.path: marks_in(piece.names) for piece in (first, other)}
    if len(set(marks.values())) > 1:
        path, mark = next((path, mark) for path, mark in reversed(marks.items()) if mark)
        raise InputError(f"The file '{path}' is marked '{mark}', unlike others: leave it out, or choose it alone.")
    lacks = [name for name in first.names if name not in other.names]
    more = [name for name in other.names if name not in first.names]
    for name in (name for name in (*lacks, *more) if name in left_out):
        raise InputError(f"Of a column that '{first.path}' and '{other.path}' both have, one cannot be read. {left_out[name]}")
    what = f"has no column '{lacks[0]}'" if lacks else f"has a column '{more[0]}'"
    raise InputError(f"The file '{other.path}' {what}, unlike '{first.path}': give every file the same columns, or leave it out.")


def read_in_batches(place: str | os.PathLike[str]) -> bool:
    """Whether a file or folder goes beyond what is read whole, and can be read in batches: folders, and large CSV or Parquet files.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    path, content = Path(place), Content(str(place))
    if path.is_dir():
        return True
    if not path.is_file():
        return False
    with reading(path):
        start = content.start(4)
        if start == b"PAR1":
            return content.size > MAX_FILE_BYTES or _large_parquet(path)
        if start in _TABLES or tool_of(content.start(300)):
            return False
        try:
            return content.size > MAX_FILE_BYTES or _long(content)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return False  # which reading it whole says better


def _long(content: Content) -> bool:
    """Whether a text has too many rows, or, once unpacked, too many bytes."""
    rows = size = 0
    with content.unpack() as stored:
        while block := stored.read(_AT_ONCE):
            rows, size = rows + block.count(b"\n"), size + len(block)
            if rows > MAX_ROWS or size > MAX_UNPACKED_BYTES:
                return True
    return False


def _large_parquet(path: Path) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        meta = pq.read_metadata(path)
    except (pa.ArrowException, ValueError):
        return False  # which reading it whole says better
    unpacked = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
    return meta.num_rows > MAX_ROWS or max(unpacked, meta.num_rows * meta.num_columns) > MAX_UNPACKED_BYTES
