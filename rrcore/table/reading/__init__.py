"""From the bytes of a file to a table of texts: CSV and its cousins (also gzipped), XLSX, Parquet, SPSS, Stata and R, by their content.

Every cell is text and stays exactly as written (``007``, ``NA``, ``1e5``), save that surrounding spaces go. A cell that is then
empty, or null, is missing. Blank lines, and empty rows of a workbook, are skipped; so in a file of one column,
which is always taken as comma separated, a missing value is written ``""``. Row numbers in messages count records and blank
lines from the first, which is row 1; in a workbook they are the numbers of the sheet.
"""

from __future__ import annotations

from rrcore.table.reading.apart import OpenFile, open_apart, read_apart
from rrcore.table.reading.columns import UnevenRowsError
from rrcore.table.reading.encoding import ENCODINGS, MixedEncodingError
from rrcore.table.reading.formats import check_bytes
from rrcore.table.reading.layout import Layout
from rrcore.table.reading.table import TextColumn, TextTable, to_numbers


def open_file(data: bytes, filename: str, encoding: str = "") -> OpenFile:
    """Recognise the format of a file that a person chose, by its content.

    This and all reading of it is done in a process of its own, with the present ``Bounds`` of memory and time (``rrcore.work.bounded``).

    Parameters
    ----------
    data : bytes, CSV with comma, tab, semicolon or vertical bar (UTF-8, UTF-16 or Latin-1; plain or gzipped), XLSX, Parquet,
        SPSS (.sav, .zsav), Stata (.dta) or a data frame of R (.rds, .RData)
    filename : str, gives the title only
    encoding : str, decides where a text is UTF-8 in some places and not in others, as in ``Layout``

    Raises
    ------
    InputError
        And nothing else: what was found, where, what was expected and what to do, in a sentence; ``MixedEncodingError`` where ``encoding``
        is needed.
    """
    check_bytes(len(data))
    return open_apart(data, filename, encoding)


def read_text_table(data: bytes, filename: str, layout: Layout | None = None) -> TextTable:
    """Read a file whose layout is known: ``open_file(data, filename).read(layout)``."""
    check_bytes(len(data))
    return read_apart(data, filename, layout or Layout())
