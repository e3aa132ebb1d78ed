"""XLSX workbooks: one sheet, each cell as the text that a person would type."""

from __future__ import annotations

import io
import zipfile
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import HEAD_ROWS, MAX_ROWS, MAX_SHEETS, MAX_UNPACKED_BYTES
from rrcore.table.reading.columns import (
    LESS,
    MIB,
    SAVE_AS,
    Columns,
    cell_text,
    check_rows,
    checked_names,
    make_column,
    name_count,
    refuse,
    value_count,
)
from rrcore.table.reading.layout import Layout, Row, column_names
from rrcore.table.reading.table import TextColumn


@dataclass(frozen=True, eq=False)
class Workbook:
    """An XLSX workbook and the names of its sheets that hold cells, at least one."""

    data: bytes
    sheets: tuple[str, ...]
    heads: dict[str, tuple[Row, ...]]

    def head(self, sheet: str = "") -> tuple[Row, ...]:
        return self.heads[self._named(sheet)]

    def read(self, layout: Layout) -> tuple[Columns, list[str]]:
        title = self._named(layout.sheet)
        rows = _rows(_load(self.data)[title])
        notes = []
        if not layout.sheet and len(self.sheets) > 1:
            notes.append(f"Only the first sheet '{title}' of {len(self.sheets)} was read.")
        first = next((row for number, row in rows if number >= layout.start and row), None)
        if first is None:
            refuse(f"The sheet '{title}' is empty from row {layout.start:,} on.", "Choose another row or sheet.")
        width = max(len(first), *(len(cells) for number, cells in self.head(title) if number > layout.start))
        names = [(cell or "").strip() for cell in first] if layout.names else column_names(width)
        what = f"the header has {name_count(len(first))}" if layout.names else f"the first rows have {value_count(width)}"
        found: list[dict[str | None, int]] = [{None: -1} for _ in names]
        codes = [array("i") for _ in names]

        def add(cells: list[str | None]) -> None:
            for cell, texts, column in zip(cells + [None] * (len(names) - len(cells)), found, codes, strict=True):
                column.append(texts.setdefault(cell, len(texts) - 1))

        if not layout.names:
            add(first)
        blank = skipped = taken = 0
        for number, cells in rows:
            if number > MAX_ROWS + 1 + layout.start:
                check_rows(number)
            if not cells:
                blank += 1
                continue
            if layout.names and taken < layout.skip:
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
        used = [i for i, name in enumerate(names) if (name and layout.names) or any(code >= 0 for code in codes[i])]
        parsed = zip(checked_names([names[i] for i in used]), used, strict=True)
        return [_column(name, found[i], codes[i]) for name, i in parsed], notes

    def _named(self, sheet: str) -> str:
        if sheet and sheet not in self.sheets:
            known = ", ".join(f"'{name}'" for name in self.sheets[:20])
            refuse(f"There is no sheet '{sheet[:40]}' with cells.", f"Choose among {known}.", quoted=sheet[:40])
        return sheet or self.sheets[0]


def open_workbook(data: bytes) -> Workbook:
    """An XLSX workbook, with a look at the first rows of each sheet. A damaged file may raise any exception."""
    need("openpyxl", "An Excel workbook")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    if "xl/workbook.xml" not in {part.filename for part in parts}:
        refuse("The file is a zip archive or a document, not an .xlsx workbook.", f"Unpack it if it holds a table. {SAVE_AS}")
    if sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
        refuse(f"The workbook unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
    book = _load(data)
    if not book.worksheets:
        refuse("The workbook has no sheet with cells.", SAVE_AS)
    heads = {}
    for sheet in book.worksheets[:MAX_SHEETS]:
        filled = ((number, tuple((cell or "").strip() for cell in cells)) for number, cells in _rows(sheet) if cells)
        heads[sheet.title] = tuple(islice(filled, HEAD_ROWS))
    sheets = tuple(title for title, head in heads.items() if head)
    if not sheets:
        refuse(f"The first sheet '{book.worksheets[0].title}' is empty.", "Put the table on the first sheet.")
    return Workbook(data, sheets, heads)


def _load(data: bytes) -> Any:
    import openpyxl

    return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)


def _rows(sheet: Any) -> Iterator[tuple[int, list[str | None]]]:
    """Numbers and cells of all rows, without empty cells at the end of a row."""
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = [cell_text(value) for value in row]
        while cells and not (cells[-1] or "").strip():
            cells.pop()
        yield number, cells


def _column(name: str, texts: dict[str | None, int], codes: array[int]) -> tuple[TextColumn, bool]:
    return make_column(name, pa.array(list(texts)[1:], pa.string()), np.array(codes, np.int32))
