"""Looking at a file, and reading it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rrcore.errors import InputError
from rrcore.progress import Report, quiet
from rrcore.table.reading.columns import refuse_sheet
from rrcore.table.reading.formats import Recognised, check_bytes, recognise, refuse_damaged
from rrcore.table.reading.layout import Layout, Row
from rrcore.table.reading.text_table import TextTable

_HEAD_CELLS = 100_000  # of one sheet that a look hands back
_HEAD_TEXT = 4_000  # characters of one of them


@dataclass(frozen=True, eq=False)
class FirstRows:
    """What a file shows before it is read.

    Parameters
    ----------
    sheets : names of the sheets that hold cells; of anything but a workbook none
    heads : sheet, or "", -> its first rows that are not blank; none where the format itself knows the names
    """

    sheets: tuple[str, ...]
    heads: Mapping[str, tuple[Row, ...]]

    def head(self, sheet: str = "") -> tuple[Row, ...]:
        """The first rows of a sheet, by default the first one. Raises InputError if there is no such sheet."""
        if self.sheets and sheet and sheet not in self.sheets:
            refuse_sheet(sheet, self.sheets)
        return self.heads[(sheet or self.sheets[0]) if self.sheets else ""]


@dataclass(frozen=True, eq=False)
class OpenFile:
    """A file of a known format that has been looked at but not read: ``guess_layout`` says where its table may be.

    Parameters
    ----------
    title : str, its name without folders and ending
    kind : str, what messages call it
    content : FirstRows
    data, name : what was chosen
    encoding : what decided on the encoding of a text where that was in doubt, as in ``Layout``
    """

    title: str
    kind: str
    content: FirstRows
    data: bytes
    name: str
    encoding: str = ""

    def read(self, layout: Layout | None = None, report: Report = quiet) -> TextTable:
        """The table that stands where ``layout`` says; without one names are in the first row that is not blank.

        Raises
        ------
        InputError
            What was found, where, what was expected and what to do, in a sentence; ``UnevenRowsError`` where rows have too many or too few
            values.
        """
        return read_text_table(self.data, self.name, layout or Layout(encoding=self.encoding), report)


def open_file(data: bytes, filename: str, encoding: str = "") -> OpenFile:
    """Recognise the format of a file that a person chose, by its content.

    Parameters
    ----------
    data : bytes, CSV with comma, tab, semicolon or vertical bar (UTF-8, UTF-16 or Latin-1; plain or gzipped), XLSX, Parquet,
        SPSS (.sav, .zsav) or Stata (.dta)
    filename : str, gives the title only
    encoding : str, decides where a text is UTF-8 in some places and not in others, as in ``Layout``

    Raises
    ------
    InputError
        What was found, where, what was expected and what to do, in a sentence; ``MixedEncodingError`` where ``encoding`` is needed.
    """
    with _understood("file"):
        file = _recognised(data, filename, encoding)
        sheets = file.content.sheets
        heads = {sheet: _cut(file.content.head(sheet)) for sheet in sheets or ("",)}
    return OpenFile(file.title, file.kind, FirstRows(tuple(sheets), heads), data, filename, encoding)


def read_text_table(data: bytes, filename: str, layout: Layout | None = None, report: Report = quiet) -> TextTable:
    """Read a file whose layout is known: ``open_file(data, filename).read(layout)``."""
    layout = layout or Layout()
    with _understood("file"):
        return _recognised(data, filename, layout.encoding).read(layout, report)


def _recognised(data: bytes, filename: str, encoding: str) -> Recognised:
    check_bytes(len(data))
    return recognise(memoryview(data), filename, encoding)


@contextmanager
def _understood(kind: str) -> Iterator[None]:
    """Refuse a file as damaged if a library meets what it does not understand."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception:
        refuse_damaged(kind)


def _cut(rows: Sequence[Row]) -> tuple[Row, ...]:
    """So much of the first rows as is handed back."""
    shown: list[Row] = []
    cells = 0
    for number, row in rows:
        cells += len(row)
        if shown and cells > _HEAD_CELLS:
            break
        shown.append((number, tuple(cell[:_HEAD_TEXT] for cell in row)))
    return tuple(shown)
