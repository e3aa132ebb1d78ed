"""Excel workbooks.

A sheet is read like its CSV export, with each cell as a person would type it.
"""

import csv
import io
import re
import zipfile
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import HEAD_ROWS, MAX_COLUMNS, MAX_SHEET_CELLS, MAX_SHEETS
from rrcore.mark import RandomizedError
from rrcore.progress import Report, quiet
from rrcore.table.reading.options import ReadOptions, Row
from rrcore.table.reading.text import TextFile, open_text
from rrcore.table.source import (
    SAVE_AS,
    Content,
    HeldPiece,
    Source,
    cell_text,
    check_size,
    refuse,
)

_CELL = re.compile(rb"<(?:\w+:)?c [^<>]*?\br=\"([A-Za-z]{1,9})([0-9]{1,9})\"")


@dataclass(frozen=True, eq=False)
class Workbook:
    """An XLSX workbook with the first rows of each sheet that contains cells."""

    content: Content
    book: Any
    heads: dict[str, list[Row]]

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        title, number = layout.sheet or next(iter(self.heads)), len(self.heads)
        notes = () if layout.sheet or number == 1 else (f"Only the first sheet '{title}' of {number} was read.",)
        found = _as_text(self.book, title).source(layout)
        table = pa.Table.from_batches([batch for piece in found.parts for batch in piece.batches(report=report)])
        return Source((HeldPiece(Content(self.content.name), table),), notes)


def open_workbook(source: Content) -> Workbook:
    """Open an XLSX workbook and inspect the first rows of each sheet.

    A damaged file can raise any exception.
    """
    calamine = need("python_calamine", "An Excel workbook")
    with source.open() as content, zipfile.ZipFile(content) as archive:
        if any(name.endswith("mechanism.json") for name in archive.namelist()):
            raise RandomizedError("This is a release archive, so its answers are randomized. Choose it on Analyze.")
        if "xl/workbook.xml" not in archive.namelist():
            refuse(
                "The file is a zip archive or a document, not an .xlsx workbook.", f"Unpack it if it contains a table. {SAVE_AS}"
            )
        check_size(0, 0, sum(part.file_size for part in archive.infolist()))
        for part in archive.infolist():
            _check_cells(archive, part)
    book = calamine.CalamineWorkbook.from_filelike(source.open())
    known = [one.name for one in book.sheets_metadata if "Work" in str(one.typ)][:MAX_SHEETS]
    heads = {title: head for title in known if (head := _as_text(book, title, HEAD_ROWS).heads[""])}
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
        found = f"The sheet in '{part.filename[:60].rpartition('/')[2]}' extends to column {columns:,} and row {rows:,}."
        refuse(
            found,
            f"Delete cells that are far from the table. At most {MAX_COLUMNS:,} columns and {MAX_SHEET_CELLS:,} "
            "cells are allowed.",
        )


def _column_number(letters: bytes) -> int:
    return sum((letter - 64) * 26**place for place, letter in enumerate(reversed(letters.upper())))


def _as_text(book: Any, sheet: str, most: int | None = None) -> TextFile:
    """The first rows of a sheet, or all, as CSV. A row without cells is a blank line."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    for row in islice(book.get_sheet_by_name(sheet).iter_rows(), most):
        cells = [cell_text(value) or "" for value in row]
        writer.writerow(cells if any(map(str.strip, cells)) else [])
    return replace(open_text(Content(sheet, text.getvalue().encode()), "utf-8"), delimiter=",")
