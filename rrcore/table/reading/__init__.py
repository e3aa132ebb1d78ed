"""From the bytes of a file to a table of texts: CSV and its cousins (also gzipped), XLSX and Parquet, recognised by their content.

Every cell is text and stays exactly as written (``007``, ``NA``, ``1e5``), save that surrounding spaces go. A cell that is then
empty, or null, is missing. Blank lines, and empty rows of a workbook, are skipped; so in a file of one column,
which is always taken as comma separated, a missing value is written ``""``. Row numbers in messages count records and blank
lines from the header, which is row 1; in a workbook they are the numbers of the sheet.
"""

from __future__ import annotations

import re

from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.table.reading.arrow import read_parquet
from rrcore.table.reading.columns import LESS, MIB, refuse, refuse_empty
from rrcore.table.reading.table import TextColumn, TextTable, to_numbers
from rrcore.table.reading.text import read_text, unpack
from rrcore.table.reading.workbook import read_workbook


def read_text_table(data: bytes, filename: str) -> TextTable:
    """Read a file that a person chose.

    Parameters
    ----------
    data : bytes, CSV with comma, tab, semicolon or vertical bar (UTF-8, UTF-16 or Latin-1; plain or gzipped), XLSX or Parquet
    filename : str, gives the title only; the format is recognised from the content

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
    if binary:
        kind, read = ("Parquet file", read_parquet) if data[:4] == b"PAR1" else ("workbook", read_workbook)
        try:
            columns, notes = read(data)
        except InputError:
            raise
        except Exception:
            refuse(f"The {kind} is damaged or cut short.", "Save or download it again.")
    else:
        columns, notes = read_text(data)
    trimmed = sum(was for _, was in columns)
    if trimmed:
        notes.append(f"Spaces around values were removed in {trimmed} column{'s' if trimmed > 1 else ''}.")
    if all(to_numbers([column.name]) is not None for column, _ in columns):
        notes.append("All column names are numbers: check that the first row holds names and not answers.")
    return TextTable(tuple(column for column, _ in columns), title, tuple(notes))
