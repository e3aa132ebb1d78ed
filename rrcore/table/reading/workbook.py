"""XLSX workbooks: the first sheet, each cell as the text that a person would type."""

from __future__ import annotations

import io
import zipfile
from array import array
from datetime import date, datetime, time
from typing import Any

import numpy as np
import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import MAX_ROWS, MAX_UNPACKED_BYTES
from rrcore.table.reading.columns import LESS, MIB, SAVE_AS, Columns, check_rows, checked_names, make_column, name_count, refuse


def _cell(value: Any) -> str | None:
    """A workbook cell as text: 7 and 7.0 as ``7``, True as ``TRUE``, dates as ``2024-01-31``; None stays None."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else format(value, ".15g")
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, date | time):
        return value.isoformat()
    return None if value is None else str(value)


def read_workbook(data: bytes) -> tuple[Columns, list[str]]:
    """Columns and notes of the first sheet of an XLSX workbook. A damaged file may raise any exception."""
    openpyxl = need("openpyxl", "An Excel workbook")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    if "xl/workbook.xml" not in {part.filename for part in parts}:
        refuse("The file is a zip archive or a document, not an .xlsx workbook.", f"Unpack it if it holds a table. {SAVE_AS}")
    if sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
        refuse(f"The workbook unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    if not book.worksheets:
        refuse("The workbook has no sheet with cells.", SAVE_AS)
    sheet = book.worksheets[0]
    notes = [f"Only the first sheet '{sheet.title}' of {len(book.sheetnames)} was read."] if len(book.sheetnames) > 1 else []
    sheet.reset_dimensions()
    names: list[str] = []
    found: list[dict[str | None, int]] = []
    codes: list[array[int]] = []
    blank = skipped = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = [_cell(value) for value in row]
        while cells and not (cells[-1] or "").strip():
            cells.pop()
        if number > MAX_ROWS + 1:
            check_rows(number)
        if not cells:
            blank += 1
        elif not names:
            names, blank = checked_names([cell or "" for cell in cells]), 0
            found, codes = [{None: -1} for _ in names], [array("i") for _ in names]
        else:
            if len(cells) > len(names):
                near = (cells[-1] or "").strip()[:40]
                refuse(
                    f"Row {number:,} of the sheet has '{near}' in column {len(cells):,}, the header has {name_count(len(names))}.",
                    "Write a name above every column, or clear the cell.",
                    quoted=near,
                )
            cells += [None] * (len(names) - len(cells))
            skipped, blank = skipped + blank, 0
            for cell, texts, column in zip(cells, found, codes, strict=True):
                column.append(texts.setdefault(cell, len(texts) - 1))
    if not names:
        refuse(f"The first sheet '{sheet.title}' is empty.", "Put the table on the first sheet.")
    check_rows(len(codes[0]))
    if skipped:
        notes.append(f"{skipped:,} empty row{'s were' if skipped > 1 else ' was'} skipped.")
    parsed = zip(names, found, codes, strict=True)
    columns = [make_column(name, pa.array(list(texts)[1:], pa.string()), np.array(ids, np.int32)) for name, texts, ids in parsed]
    return columns, notes
