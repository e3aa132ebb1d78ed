"""Looking at a file and reading it in a process of its own: what is asked there, what comes back, and the table made of it again."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from rrcore.errors import InputError
from rrcore.limits import MAX_READING_MEGABYTES
from rrcore.table.reading.columns import LESS, MIB, UnevenRowsError, refuse_sheet
from rrcore.table.reading.encoding import Example, MixedEncodingError
from rrcore.table.reading.formats import check_bytes, recognise, refuse_damaged
from rrcore.table.reading.layout import Layout, Row, TableFile
from rrcore.table.reading.text_table import TextColumn, TextTable
from rrcore.work import Report
from rrcore.work.bounded import CrashedError, Returned, bounded, present, within

LARGE = 400
"""Memory, in units of 2^20 bytes, from which on it is told before a file is read."""

LIBRARIES = 120
"""Memory that the libraries take, in units of 2^20 bytes."""

_HEAD_CELLS = 100_000  # of one sheet that a look hands back
_HEAD_TEXT = 4_000  # characters of one of them


def look(content: memoryview, *, report: Report, name: str, encoding: str) -> tuple[Any, tuple[Any, ...]]:
    """Title, kind and first rows of a file."""
    try:
        file = recognise(content, name, encoding)
    except MixedEncodingError as error:
        return {"mixed": [asdict(example) for example in error.examples]}, ()
    heads = {sheet: _cut(file.content.head(sheet)) for sheet in file.content.sheets or ("",)}
    about = {"title": file.title, "kind": file.kind, "sheets": file.content.sheets, "heads": heads}
    return about | {"memory": _memory(file.content, len(content))}, ()


def read(content: memoryview, *, report: Report, name: str, layout: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    """The table of a file: of each column the codes in one Arrow table, the values in another."""
    try:
        table = recognise(content, name, layout["encoding"]).read(Layout(**layout), report)
    except MixedEncodingError as error:
        return {"mixed": [asdict(example) for example in error.examples]}, ()
    except UnevenRowsError as error:
        return {"uneven": {"message": str(error), "quoted": error.quoted, "rows": error.rows}}, ()
    keys = [str(i) for i in range(len(table.columns))]
    codes = pa.table([pa.array(column.codes) for column in table.columns], names=keys)
    values = pa.table([pa.array([column.values], pa.large_list(pa.large_string())) for column in table.columns], names=keys)
    about = [[column.name, column.labels, column.question, column.ordered] for column in table.columns]
    return {"title": table.title, "notes": table.notes, "left_out": table.left_out, "columns": about, "mark": table.mark}, (
        codes,
        values,
    )


def _memory(content: TableFile, size: int) -> int:
    """What reading takes at most, in units of 2^20 bytes; 0 where that cannot be told."""
    try:
        known = content.memory
    except Exception:  # of a damaged file: reading it says so
        return 0
    return LIBRARIES + (size + known) // MIB if known else 0


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
    megabytes : memory that reading it takes at most, the file included, in units of 2^20 bytes; no more is given to it
    encoding : what decided on the encoding of a text where that was in doubt, as in ``Layout``
    """

    title: str
    kind: str
    content: FirstRows
    data: bytes
    name: str
    megabytes: int
    encoding: str = ""

    def read(self, layout: Layout | None = None) -> TextTable:
        """The table that stands where ``layout`` says; without one names are in the first row that is not blank.

        Raises
        ------
        InputError
            What was found, where, what was expected and what to do, in a sentence; ``UnevenRowsError`` where rows have too many or too few
            values.
        """
        bounds = present()
        most = min(self.megabytes, bounds.megabytes)

        def report(fraction: float, text: str) -> None:
            promised = f"up to {most:,} MB of memory" if most >= LARGE else ""
            bounds.report(fraction, ", ".join(filter(None, (text, promised))))

        with within(replace(bounds, megabytes=most, report=report)):
            return read_apart(self.data, self.name, layout or Layout(encoding=self.encoding), self.kind)


def open_file(data: bytes, filename: str, encoding: str = "") -> OpenFile:
    """Recognise the format of a file that a person chose, by its content.

    This and all reading of it is done in a process of its own, with the present ``Bounds`` of memory and time (``rrcore.work.bounded``).

    Parameters
    ----------
    data : bytes, CSV with comma, tab, semicolon or vertical bar (UTF-8, UTF-16 or Latin-1; plain or gzipped), XLSX, Parquet,
        SPSS (.sav, .zsav) or Stata (.dta)
    filename : str, gives the title only
    encoding : str, decides where a text is UTF-8 in some places and not in others, as in ``Layout``

    Raises
    ------
    InputError
        And nothing else: what was found, where, what was expected and what to do, in a sentence; ``MixedEncodingError`` where ``encoding``
        is needed.
    """
    check_bytes(len(data))
    about = _done("look", data, {"name": filename[-500:], "encoding": encoding}, "file").about
    with _understood("file"):
        _check_encoding_known(about)
        heads = {sheet: tuple((number, tuple(cells)) for number, cells in rows) for sheet, rows in about["heads"].items()}
        most = min(max(int(about["memory"]), LARGE // 2) if about["memory"] else MAX_READING_MEGABYTES, present().megabytes)
        return OpenFile(about["title"], about["kind"], FirstRows(tuple(about["sheets"]), heads), data, filename, most, encoding)


def read_text_table(data: bytes, filename: str, layout: Layout | None = None) -> TextTable:
    """Read a file whose layout is known: ``open_file(data, filename).read(layout)``."""
    check_bytes(len(data))
    return read_apart(data, filename, layout or Layout())


def read_apart(data: bytes, name: str, layout: Layout, kind: str = "file") -> TextTable:
    """Read a file that messages call ``kind``, of whatever size."""
    found = _done("read", data, {"name": name[-500:], "layout": asdict(layout)}, kind)
    with _understood(kind):
        about = found.about
        _check_encoding_known(about)
        if uneven := about.get("uneven"):
            raise UnevenRowsError(uneven["message"], quoted=uneven["quoted"], rows=uneven["rows"])
        codes, values = found.tables
        columns = []
        for i, (key, labels, question, ordered) in enumerate(about["columns"]):
            texts = tuple(values.column(i).chunk(0).values.to_pylist())
            called = tuple((str(value), str(label)) for value, label in labels)
            row = codes.column(i).combine_chunks().to_numpy()
            columns.append(TextColumn(key, row, texts, called, question, bool(ordered)))
        return TextTable(tuple(columns), about["title"], tuple(about["notes"]), tuple(about["left_out"]), mark=str(about["mark"]))


def _check_encoding_known(about: Mapping[str, Any]) -> None:
    if mixed := about.get("mixed"):
        raise MixedEncodingError(Example(int(each["line"]), str(each["mixed"]), str(each["latin"])) for each in mixed)


@contextmanager
def _understood(kind: str) -> Iterator[None]:
    """What came back may be anything: where it is not what was asked for, the file is refused as a damaged one."""
    try:
        yield
    except InputError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError):
        refuse_damaged(kind)


def _done(task: str, data: bytes, asked: Mapping[str, Any], kind: str) -> Returned:
    try:
        return bounded(f"{__name__}:{task}", data, asked, what=f"Reading the {kind}", action=LESS)
    except CrashedError:
        refuse_damaged(kind)


def _cut(rows: Sequence[Row]) -> list[tuple[int, list[str]]]:
    """So much of the first rows as is handed back."""
    shown: list[tuple[int, list[str]]] = []
    cells = 0
    for number, row in rows:
        cells += len(row)
        if shown and cells > _HEAD_CELLS:
            break
        shown.append((number, [cell[:_HEAD_TEXT] for cell in row]))
    return shown
