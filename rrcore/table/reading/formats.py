"""What a file is, by its content, and the table in it: read in the process that calls this."""

import re
from dataclasses import dataclass
from typing import NoReturn

from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.reading.arrow import ParquetFile
from rrcore.table.reading.columns import LESS, MIB, check_rows, refuse, refuse_empty, without_last
from rrcore.table.reading.labelled import LabelledFile
from rrcore.table.reading.layout import Layout, TableFile
from rrcore.table.reading.text import open_text, unpack
from rrcore.table.reading.text_table import TextTable
from rrcore.table.reading.workbook import open_workbook


@dataclass(frozen=True, eq=False)
class Recognised:
    """A file of a known format that has been looked at but not read.

    Parameters
    ----------
    title : str, its name without folders and ending
    kind : str, what messages call it
    content : TableFile
    encoding : str, what decided on the encoding of a text where that was in doubt, as in ``Layout``
    """

    title: str
    kind: str
    content: TableFile
    encoding: str = ""

    def read(self, layout: Layout | None = None, report: Report = quiet) -> TextTable:
        """The table that stands where ``layout`` says; without one names are in the first row that is not blank.

        Raises
        ------
        InputError
            What was found, where, what was expected and what to do, in a sentence; ``UnevenRowsError`` where rows have too many or too few
            values.
        """
        layout = layout or Layout(encoding=self.encoding)
        try:
            result = self.content.read(layout, report)
        except MemoryError:
            raise
        except InputError:
            raise
        except Exception:
            refuse_damaged(self.kind)
        found, notes, left_out = result.columns, result.notes, tuple(result.left_out.values())
        if not found:
            raise InputError(left_out[0] if left_out else "The table has no columns. Choose another file.")
        if result.trimmed:
            notes.append(f"Spaces around values were removed in {result.trimmed} column{'s' if result.trimmed > 1 else ''}.")
        if layout.leave_last:
            check_rows(len(found[0].codes) - layout.leave_last)
            found = [without_last(column, layout.leave_last) for column in found]
            notes.append(f"The last {'row was' if layout.leave_last == 1 else f'{layout.leave_last} rows were'} left out.")
        return TextTable(tuple(found), self.title, tuple(notes), left_out, mark=result.beside)


def recognise(data: memoryview, filename: str, encoding: str = "") -> Recognised:
    """Recognise the format of a file by its content, and look at it; ``encoding`` as in ``Layout``.

    Raises
    ------
    InputError
        And nothing else: what was found, where, what was expected and what to do, in a sentence.
    """
    title = re.sub(r"(\.[A-Za-z0-9]{1,7}){1,2}$", "", re.split(r"[\\/]", filename)[-1]) or "table"
    packed = bytes(data[:2]) == b"\x1f\x8b"
    if packed:
        data = unpack(data)
    begin = bytes(data[:4096])
    if not begin.strip() and not any(bytes(data[i : i + MIB]).strip() for i in range(0, len(data), MIB)):
        refuse_empty()
    binary = begin[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"PAR1", b"\xd0\xcf\x11\xe0", b"\x1f\x8b\x08\x00", b"\x1f\x8b\x08\x08")
    if packed and binary:
        refuse("The gzip file holds another packed file instead of text.", "Unpack it and choose the file inside.")
    if begin[:4] == b"\xd0\xcf\x11\xe0":
        if "EncryptedPackage".encode("utf-16-le") in bytes(data):
            refuse("The workbook is protected by a password.", "Remove the password in a spreadsheet and save it again.")
        refuse("This is an old Excel workbook (.xls).", "Open it in a spreadsheet, save it as .xlsx and choose that file.")
    if begin[:5] in (b"X\n\0\0\0", b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n"):
        refuse("This is a data file of R.", "Save the data frame as CSV or Parquet in R and choose that file.")
    if tool := _tool(begin):
        return Recognised(title, f"file of {tool}", LabelledFile(data, tool))
    if begin[:4] == b"PAR1":
        return Recognised(title, "Parquet file", ParquetFile(data))
    if binary:
        try:
            return Recognised(title, "workbook", open_workbook(data))
        except (InputError, MemoryError):
            raise
        except Exception:
            refuse_damaged("workbook")
    return Recognised(title, "text", open_text(data, encoding), encoding)


def check_bytes(size: int) -> None:
    """Refuse a file that is too large."""
    if size > MAX_FILE_BYTES:
        refuse(f"The file has {size / MIB:,.1f} MB, the limit is {MAX_FILE_BYTES // MIB} MB.", LESS)


def _tool(data: bytes) -> str:
    """The statistics package that wrote a file, as its first bytes tell."""
    if data[:4] in (b"$FL2", b"$FL3"):
        return "SPSS"
    if data.startswith(b"<stata_dta>") or (data[:1] in b"nopqrs" and data[1:4] in (b"\x01\x01\0", b"\x02\x01\0")):
        return "Stata"
    return ""


def refuse_damaged(kind: str) -> NoReturn:
    """Say that a file of that kind cannot be read."""
    refuse(f"The {kind} is damaged or cut short.", "Save or download it again.")
