"""From the bytes of a file to a table of texts: CSV and its cousins (also gzipped), XLSX, Parquet, SPSS, Stata and R, by their content.

Every cell is text and stays exactly as written (``007``, ``NA``, ``1e5``), save that surrounding spaces go. A cell that is then
empty, or null, is missing. Blank lines, and empty rows of a workbook, are skipped; so in a file of one column,
which is always taken as comma separated, a missing value is written ``""``. Row numbers in messages count records and blank
lines from the first, which is row 1; in a workbook they are the numbers of the sheet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.table.reading.arrow import ParquetFile
from rrcore.table.reading.columns import LESS, MIB, check_rows, refuse, refuse_empty, without_last
from rrcore.table.reading.labelled import LabelledFile
from rrcore.table.reading.layout import Layout, TableFile
from rrcore.table.reading.rfile import RFile
from rrcore.table.reading.table import TextColumn, TextTable, to_numbers
from rrcore.table.reading.text import open_text, unpack
from rrcore.table.reading.workbook import open_workbook


@dataclass(frozen=True, eq=False)
class OpenFile:
    """A file of a known format that has been looked at but not read: ``guess_layout`` says where its table may be.

    Parameters
    ----------
    title : str, its name without folders and ending
    kind : str, what messages call it
    content : TableFile
    """

    title: str
    kind: str
    content: TableFile

    def read(self, layout: Layout | None = None) -> TextTable:
        """The table that stands where ``layout`` says; without one names are in the first row that is not blank.

        Raises
        ------
        InputError
            What was found, where, what was expected and what to do, in a sentence.
        """
        layout = layout or Layout()
        try:
            columns, notes = self.content.read(layout)
        except InputError:
            raise
        except Exception:
            _refuse_damaged(self.kind)
        trimmed = sum(was for _, was in columns)
        if trimmed:
            notes.append(f"Spaces around values were removed in {trimmed} column{'s' if trimmed > 1 else ''}.")
        found = [column for column, _ in columns]
        if layout.leave_last:
            check_rows(len(found[0].codes) - layout.leave_last)
            found = [without_last(column, layout.leave_last) for column in found]
            notes.append(f"The last {'row was' if layout.leave_last == 1 else f'{layout.leave_last} rows were'} left out.")
        return TextTable(tuple(found), self.title, tuple(notes))


def open_file(data: bytes, filename: str) -> OpenFile:
    """Recognise the format of a file that a person chose, by its content.

    Parameters
    ----------
    data : bytes, CSV with comma, tab, semicolon or vertical bar (UTF-8, UTF-16 or Latin-1; plain or gzipped), XLSX, Parquet,
        SPSS (.sav, .zsav), Stata (.dta) or a data frame of R (.rds, .RData)
    filename : str, gives the title only

    Raises
    ------
    InputError
        And nothing else: what was found, where, what was expected and what to do, in a sentence.
    """
    if len(data) > MAX_FILE_BYTES:
        refuse(f"The file has {len(data) / MIB:,.1f} MB, the limit is {MAX_FILE_BYTES // MIB} MB.", LESS)
    title = re.sub(r"(\.[A-Za-z0-9]{1,7}){1,2}$", "", re.split(r"[\\/]", filename)[-1]) or "table"
    packed = data[:2] == b"\x1f\x8b"
    if packed:
        data = unpack(data)
    if not data.strip():
        refuse_empty()
    binary = data[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"PAR1", b"\xd0\xcf\x11\xe0", b"\x1f\x8b\x08\x00", b"\x1f\x8b\x08\x08")
    if packed and binary:
        refuse("The gzip file holds another packed file instead of text.", "Unpack it and choose the file inside.")
    if data[:4] == b"\xd0\xcf\x11\xe0":
        if "EncryptedPackage".encode("utf-16-le") in data:
            refuse("The workbook is protected by a password.", "Remove the password in a spreadsheet and save it again.")
        refuse("This is an old Excel workbook (.xls).", "Open it in a spreadsheet, save it as .xlsx and choose that file.")
    if (tool := _tool(data)) in ("SPSS", "Stata"):
        return OpenFile(title, f"file of {tool}", LabelledFile(data, tool))
    if tool == "R":
        return OpenFile(title, "file of R", RFile(data))
    if data[:4] == b"PAR1":
        return OpenFile(title, "Parquet file", ParquetFile(data))
    if binary:
        try:
            return OpenFile(title, "workbook", open_workbook(data))
        except InputError:
            raise
        except Exception:
            _refuse_damaged("workbook")
    return OpenFile(title, "text", open_text(data))


def _tool(data: bytes) -> str:
    """The statistics package that wrote a file, as its first bytes tell."""
    if data[:4] in (b"$FL2", b"$FL3"):
        return "SPSS"
    if data.startswith(b"<stata_dta>") or (data[:1] in b"nopqrs" and data[1:4] in (b"\x01\x01\0", b"\x02\x01\0")):
        return "Stata"
    return "R" if data[:5] in (b"X\n\0\0\0", b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n") else ""


def _refuse_damaged(kind: str) -> NoReturn:
    refuse(f"The {kind} is damaged or cut short.", "Save or download it again.")


def read_text_table(data: bytes, filename: str, layout: Layout | None = None) -> TextTable:
    """Read a file whose layout is known: ``open_file(data, filename).read(layout)``."""
    return open_file(data, filename).read(layout)
