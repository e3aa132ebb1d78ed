"""XLSX workbooks: one sheet, each cell as the text that a person would type."""

import re
import zipfile
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import HEAD_ROWS, MAX_COLUMNS, MAX_ROWS, MAX_SHEET_CELLS, MAX_SHEETS, MAX_UNPACKED_BYTES
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
    encoded,
    name_count,
    refuse,
    refuse_sheet,
    value_count,
)

_CELL = re.compile(rb"<(?:\w+:)?c [^<>]*?\br=\"([A-Za-z]{1,9})([0-9]{1,9})\"")
_OVERLAP = 4096


@dataclass(frozen=True, eq=False)
class Workbook:
    """An XLSX workbook and the names of its sheets that hold cells, at least one."""

    content: Content
    book: Any
    sheets: tuple[str, ...]
    heads: dict[str, tuple[Row, ...]]

    def head(self, sheet: str = "") -> tuple[Row, ...]:
        return self.heads[self._named(sheet)]

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        title = self._named(layout.sheet)
        sheet = self.book.get_sheet_by_name(title)
        rows = _rows(sheet)
        notes = []
        if not layout.sheet and len(self.sheets) > 1:
            notes.append(f"Only the first sheet '{title}' of {len(self.sheets)} was read.")
        first = next((row for number, row in rows if number >= layout.start and row), None)
        if first is None:
            refuse(f"The sheet '{title}' is empty from row {layout.start:,} on.", "Choose another row or sheet.")
        width = max(len(first), *(len(cells) for number, cells in self.head(title) if number > layout.start))
        names = layout.called([(cell or "").strip() for cell in first] if layout.header else [""] * width)
        what = f"the header has {name_count(len(names))}" if layout.header else f"the first rows have {value_count(width)}"
        found: list[dict[str | None, int]] = [{None: -1} for _ in names]
        codes = [array("i") for _ in names]

        def add(cells: list[str | None]) -> None:
            for cell, texts, column in zip(cells + [None] * (len(names) - len(cells)), found, codes, strict=True):
                column.append(texts.setdefault(cell, len(texts) - 1))

        if not layout.header:
            add(first)
        blank = skipped = taken = 0
        for number, cells in rows:
            if number % 10_000 == 0:
                report(number / max(sheet.total_height, 1), f"row {number:,} of {sheet.total_height:,}")
            if number > MAX_ROWS + 1 + layout.start:
                check_rows(number)
            if not cells:
                blank += 1
                continue
            if layout.header and taken < layout.skip:
                taken += 1
                continue
            if len(cells) > len(names):
                near = (cells[-1] or "").strip()[:40]
                found_there = f"Row {number:,} of the sheet has '{near}' in column {len(cells):,}"
                refuse(f"{found_there}, {what}.", "Write a name above every column, or clear the cell.", quoted=near)
            skipped, blank = skipped + blank, 0
            add(cells)
        check_rows(len(codes[0]))
        if skipped:
            notes.append(f"{skipped:,} empty row{'s were' if skipped > 1 else ' was'} skipped.")
        used = [i for i, name in enumerate(names) if (name and layout.header) or any(code >= 0 for code in codes[i])]
        columns = [encoded(np.frombuffer(codes[i], np.int32), list(found[i])[1:]) for i in used]
        table = pa.table(columns, names=checked_names([names[i] for i in used]))
        return Source((HeldPiece(self.content.name, table, self.content.size),), tuple(notes))

    def _named(self, sheet: str) -> str:
        if sheet and sheet not in self.sheets:
            refuse_sheet(sheet, self.sheets)
        return sheet or self.sheets[0]


def open_workbook(source: Content) -> Workbook:
    """An XLSX workbook, with a look at the first rows of each sheet. A damaged file may raise any exception."""
    calamine = need("python_calamine", "An Excel workbook")
    content = source.open()
    with zipfile.ZipFile(content) as archive:
        parts = archive.infolist()
        if "xl/workbook.xml" not in {part.filename for part in parts}:
            refuse("The file is a zip archive or a document, not an .xlsx workbook.", f"Unpack it if it holds a table. {SAVE_AS}")
        unpacked = sum(part.file_size for part in parts)
        if unpacked > MAX_UNPACKED_BYTES:
            refuse(f"The workbook unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
        sheets = [part for part in parts if part.filename.startswith("xl/worksheets/") and part.filename.endswith(".xml")]
        for part in sheets:
            _extent(archive, part)
    content.seek(0)
    book = calamine.CalamineWorkbook.from_filelike(content)
    known = [one.name for one in book.sheets_metadata if "Work" in str(one.typ)]
    if not known:
        refuse("The workbook has no sheet with cells.", SAVE_AS)
    heads = {}
    for title in known[:MAX_SHEETS]:
        rows = _rows(book.get_sheet_by_name(title))
        filled = ((number, tuple((cell or "").strip() for cell in cells)) for number, cells in rows if cells)
        heads[title] = tuple(islice(filled, HEAD_ROWS))
    filled_sheets = tuple(title for title, head in heads.items() if head)
    if not filled_sheets:
        refuse(f"The first sheet '{known[0]}' is empty.", "Put the table on the first sheet.")
    return Workbook(source, book, filled_sheets, heads)


def _extent(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> int:
    """How many cells a sheet has out to the farthest; refuses one where they are too many before any room is made for them."""
    rows, names, rest = 0, set(), b""
    with archive.open(part) as stream:
        size = 0
        while piece := stream.read(MIB):
            size += len(piece)
            if size > MAX_UNPACKED_BYTES:  # more than the archive says
                refuse(f"The workbook unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
            for name, row in _CELL.findall(rest + piece):
                names.add(name)
                rows = max(rows, int(row))
            rest = piece[-_OVERLAP:]
            if len(names) > 100 * MAX_COLUMNS:
                break
    columns, farthest = max(((_column_number(name), name.decode()) for name in names), default=(0, ""))
    where = f"The sheet in '{part.filename[:60].rpartition('/')[2]}' has a cell in column {farthest}"
    if columns > MAX_COLUMNS:
        refuse(f"{where}, the {columns:,}th; the limit is {MAX_COLUMNS:,} columns.", "Delete what stands far from the table.")
    if rows * columns > MAX_SHEET_CELLS:
        far = f"{where} and one in row {rows:,}, so {rows * columns:,} cells; the limit is {MAX_SHEET_CELLS:,}."
        refuse(far, "Delete what stands far from the table, or save it as CSV.")
    return rows * columns


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _rows(sheet: Any) -> Iterator[tuple[int, list[str | None]]]:
    """Numbers and cells of all rows, without empty cells at the end of a row."""
    for number, row in enumerate(sheet.iter_rows(), 1):
        cells = [None if value == "" else cell_text(value) for value in row]
        while cells and not (cells[-1] or "").strip():
            cells.pop()
        yield number, cells
