"""XLSX workbooks: one sheet, each cell as the text that a person would type."""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import chain, islice, zip_longest
from typing import Any

import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import HEAD_ROWS, MAX_COLUMNS, MAX_SHEET_CELLS, MAX_SHEETS, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.reading.options import ReadOptions, Row
from rrcore.table.source import (
    LESS,
    MIB,
    SAVE_AS,
    Content,
    HeldPiece,
    Source,
    cell_text,
    check_rows,
    checked_names,
    refuse,
    refuse_sheet,
)

_CELL = re.compile(rb"<(?:\w+:)?c [^<>]*?\br=\"([A-Za-z]{1,9})([0-9]{1,9})\"")
_OVERLAP = 4096
_BLOCK_ROWS = 10_000


@dataclass(frozen=True, eq=False)
class Workbook:
    """An XLSX workbook and the first rows of its sheets that hold cells, at least one."""

    content: Content
    book: Any
    heads: dict[str, tuple[Row, ...]]

    @property
    def sheets(self) -> tuple[str, ...]:
        return tuple(self.heads)

    def head(self, sheet: str = "") -> tuple[Row, ...]:
        if sheet and sheet not in self.heads:
            refuse_sheet(sheet, self.sheets)
        return self.heads[sheet or self.sheets[0]]

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        head, title = self.head(layout.sheet), layout.sheet or self.sheets[0]
        notes = []
        if not layout.sheet and len(self.sheets) > 1:
            notes.append(f"Only the first sheet '{title}' of {len(self.sheets)} was read.")
        sheet = self.book.get_sheet_by_name(title)
        filled = ((number, cells) for number, cells in _rows(sheet) if cells and number >= layout.start)
        start, first = next(filled, (0, []))
        if not first:
            refuse(f"The sheet '{title}' is empty from row {layout.start:,} on.", "Choose another row or sheet.")
        width = len(first) if layout.header else max(len(cells) for number, cells in head if number >= start)
        names = layout.called([(cell or "").strip() for cell in first] if layout.header else [""] * width)
        above = 1 + layout.skip if layout.header else 0
        rows, blocks, end = islice(chain([(start, first)], filled), above, None), [], start
        while block := list(islice(rows, _BLOCK_ROWS)):
            for end, cells in block:
                if len(cells) > len(names):
                    near, what = (cells[-1] or "").strip()[:40], "the header has" if layout.header else "the first rows have"
                    found = f"Row {end:,} of the sheet has '{near}' in column {len(cells):,}, {what} {len(names):,}."
                    refuse(found, "Write a name above every column, or clear the cell.", quoted=near)
            by_name = zip_longest(names, *(cells for _, cells in block))
            blocks.append([pa.array(column[1:], pa.string()).dictionary_encode() for column in by_name])
            report(end / max(sheet.total_height, 1), f"row {end:,} of {sheet.total_height:,}")
        columns = [pa.chunked_array(chunks) for chunks in zip(*blocks, strict=True)]
        check_rows(len(columns[0]) if columns else 0)
        if skipped := end - start + 1 - above - len(columns[0]):
            notes.append(f"{skipped:,} empty row{'s were' if skipped > 1 else ' was'} skipped.")
        used = [i for i, name in enumerate(names) if (name and layout.header) or columns[i].null_count < len(columns[i])]
        table = pa.table([columns[i] for i in used], names=checked_names([names[i] for i in used]))
        return Source((HeldPiece(self.content.name, table, self.content.size),), tuple(notes))


def open_workbook(source: Content) -> Workbook:
    """An XLSX workbook, with a look at the first rows of each sheet. A damaged file may raise any exception."""
    calamine = need("python_calamine", "An Excel workbook")
    content = source.open()
    with zipfile.ZipFile(content) as archive:
        parts = archive.infolist()
        if "xl/workbook.xml" not in archive.namelist():
            refuse("The file is a zip archive or a document, not an .xlsx workbook.", f"Unpack it if it holds a table. {SAVE_AS}")
        if sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
            refuse(f"The workbook unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
        for part in parts:
            _check_cells(archive, part)
    content.seek(0)
    book = calamine.CalamineWorkbook.from_filelike(content)
    known = [one.name for one in book.sheets_metadata if "Work" in str(one.typ)][:MAX_SHEETS]
    heads = {}
    for title in known:
        rows = ((number, tuple((cell or "").strip() for cell in cells)) for number, cells in _rows(book.get_sheet_by_name(title)))
        if head := tuple(islice((row for row in rows if row[1]), HEAD_ROWS)):
            heads[title] = head
    if not heads:
        refuse(f"The first sheet '{known[0]}' is empty." if known else "The workbook has no sheet with cells.", SAVE_AS)
    return Workbook(source, book, heads)


def _check_cells(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Refuse a sheet with too many cells, out to the farthest one, before there is any room made for them.

    A part that unpacks to more than the archive promises raises BadZipFile.
    """
    rows, columns, rest = 0, 0, b""
    with archive.open(part) as stream:
        while piece := stream.read(MIB):
            cells = _CELL.findall(rest + piece)
            rows = max([rows, *(int(row) for _, row in cells)])
            columns = max([columns, *map(_column_number, {letters for letters, _ in cells})])
            rest = piece[-_OVERLAP:]
    if columns > MAX_COLUMNS or rows * columns > MAX_SHEET_CELLS:
        limit = f"The limit is {MAX_COLUMNS:,} columns and {MAX_SHEET_CELLS:,} cells."
        found = f"The sheet in '{part.filename[:60].rpartition('/')[2]}' reaches to column {columns:,} and row {rows:,}."
        refuse(f"{found} {limit}", "Delete what is far from the table, or save it as CSV.")


def _column_number(letters: bytes) -> int:
    return reduce(lambda number, letter: 26 * number + letter - 64, letters.upper(), 0)


def _rows(sheet: Any) -> Iterator[tuple[int, list[str | None]]]:
    """Numbers and cells of all rows, without empty cells at the end of a row."""
    for number, row in enumerate(sheet.iter_rows(), 1):
        cells = [None if value == "" else cell_text(value) for value in row]
        while cells and not (cells[-1] or "").strip():
            cells.pop()
        yield number, cells
