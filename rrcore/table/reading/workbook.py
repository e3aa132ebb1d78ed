"""XLSX workbooks: one sheet, read as the CSV that it would be saved as, with each cell as the text that a person would type."""

import csv
import io
import re
import zipfile
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice
from typing import Any

import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import HEAD_ROWS, MAX_COLUMNS, MAX_SHEET_CELLS, MAX_SHEETS, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.reading.options import ReadOptions, Row
from rrcore.table.reading.text import TextFile, open_text
from rrcore.table.source import SAVE_AS, Content, HeldPiece, Source, cell_text, refuse, refuse_sheet

_CELL = re.compile(rb"<(?:\w+:)?c [^<>]*?\br=\"([A-Za-z]{1,9})([0-9]{1,9})\"")


@dataclass(frozen=True, eq=False)
class Workbook:
    """An XLSX workbook, and the first rows of those of its sheets that hold cells."""

    content: Content
    book: Any
    heads: dict[str, list[Row]]

    @property
    def sheets(self) -> tuple[str, ...]:
        return tuple(self.heads)

    def head(self, sheet: str = "") -> list[Row]:
        if sheet and sheet not in self.heads:
            refuse_sheet(sheet, self.sheets)
        return self.heads[sheet or self.sheets[0]]

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        self.head(layout.sheet)
        title = layout.sheet or self.sheets[0]
        first_only = not layout.sheet and len(self.sheets) > 1
        notes = (f"Only the first sheet '{title}' of {len(self.sheets)} was read.",) if first_only else ()
        found = _as_text(self.book, title).source(layout)
        table = pa.Table.from_batches([batch for piece in found.parts for batch in piece.batches(report=report)])
        return Source((HeldPiece(self.content.name, table, self.content.size),), notes)


def open_workbook(source: Content) -> Workbook:
    """An XLSX workbook, with a look at the first rows of each sheet. A damaged file may raise any exception."""
    calamine = need("python_calamine", "An Excel workbook")
    content = source.open()
    with zipfile.ZipFile(content) as archive:
        parts = archive.infolist()
        if "xl/workbook.xml" not in archive.namelist():
            refuse("The file is a zip archive or a document, not an .xlsx workbook.", f"Unpack it if it holds a table. {SAVE_AS}")
        if sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
            limit = f"the limit of {MAX_UNPACKED_BYTES >> 20} MB"
            refuse(f"The workbook unpacks to more than {limit}.", "Leave out columns or rows.")
        for part in parts:
            _check_cells(archive, part)
    content.seek(0)
    book = calamine.CalamineWorkbook.from_filelike(content)
    known = [one.name for one in book.sheets_metadata if "Work" in str(one.typ)][:MAX_SHEETS]
    heads = {title: head for title in known if (head := _as_text(book, title, HEAD_ROWS).head())}
    if not heads:
        refuse("The workbook has no sheet with cells.", SAVE_AS)
    return Workbook(source, book, heads)


def _check_cells(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Refuse a sheet with too many cells, out to the farthest one, before there is any room made for them.

    A part that unpacks to more than the archive promises raises BadZipFile.
    """
    rows, columns, rest = 0, 0, b""
    with archive.open(part) as stream:
        while piece := stream.read(1 << 20):
            cells = _CELL.findall(rest + piece)
            rows = max([rows, *(int(row) for _, row in cells)])
            columns = max([columns, *map(_column_number, {letters for letters, _ in cells})])
            rest = piece[-4096:]
    if columns > MAX_COLUMNS or rows * columns > MAX_SHEET_CELLS:
        found = f"The sheet in '{part.filename[:60].rpartition('/')[2]}' reaches to column {columns:,} and row {rows:,}."
        limit = f"The limit is {MAX_COLUMNS:,} columns and {MAX_SHEET_CELLS:,} cells."
        refuse(f"{found} {limit}", "Delete what is far from the table, or save it as CSV.")


def _column_number(letters: bytes) -> int:
    return reduce(lambda number, letter: 26 * number + letter - 64, letters.upper(), 0)


def _as_text(book: Any, sheet: str, most: int | None = None) -> TextFile:
    """The first rows of a sheet, or all, as CSV. A row without cells is a blank line."""
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, "utf-8", newline="") as text:
        writer = csv.writer(text)
        for row in islice(book.get_sheet_by_name(sheet).iter_rows(), most):
            cells = [cell_text(value) or "" for value in row]
            writer.writerow(cells if any(map(str.strip, cells)) else [])
        text.flush()
        return replace(open_text(Content(sheet, raw.getvalue()), "utf-8"), delimiter=",")
