"""Looking at a file, and reading it: what it is, by its content, and all its records put together."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import NoReturn

from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES, MAX_UNPACKED_BYTES
from rrcore.progress import Report, part, quiet
from rrcore.table.reading.arrow import ArrowStream, ParquetFile, bytes_left_out, open_arrow
from rrcore.table.reading.columns import (
    LESS,
    MIB,
    FoundColumns,
    Growing,
    check_rows,
    check_size,
    refuse,
    refuse_empty,
    refuse_sheet,
)
from rrcore.table.reading.labelled import LabelledFile, tool_of
from rrcore.table.reading.options import ReadOptions, Row, TableFile, refined
from rrcore.table.reading.piece import Content, Source
from rrcore.table.reading.text import TextPiece, open_text, unpacking
from rrcore.table.reading.text_table import TextTable
from rrcore.table.reading.workbook import open_workbook

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
