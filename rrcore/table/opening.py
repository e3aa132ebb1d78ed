"""Opening a table: what a file is, by its content, and a folder or list of files with one set of columns."""

import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rrcore.errors import InputError, reading
from rrcore.limits import MAX_FILE_BYTES, MAX_ROWS, MAX_TABLE_CELLS, MAX_UNPACKED_BYTES
from rrcore.progress import Report, part, quiet
from rrcore.table.reading.arrow import ParquetFile
from rrcore.table.reading.labelled import LabelledFile, tool_of
from rrcore.table.reading.options import FirstRows, ReadOptions, TableFile, guess_options, refined
from rrcore.table.reading.text import open_text
from rrcore.table.reading.workbook import open_workbook
from rrcore.table.scanning import gathered
from rrcore.table.source import LESS, MIB, Content, Source, refuse
from rrcore.table.text_table import TextTable

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".pq")
"""What files of a folder that are tables end in."""

_HEAD_CELLS = 100_000  # of one sheet that a look hands back
_ZIPPED = (b"PK\x03\x04", b"PK\x05\x06")
_REFUSED = dict.fromkeys(
    (b"X\n\0\0", b"RDX2", b"RDX3", b"RDA2", b"RDA3"), "This is a data file of R. Save the data frame as CSV or Parquet."
)
_REFUSED[b"\xd0\xcf\x11\xe0"] = "This is an old Excel workbook (.xls) or one with a password. Save it as plain .xlsx."


@dataclass(frozen=True, eq=False)
class OpenFile:
    """A file of a known format that has been looked at but not read: ``guess_options`` says where its table may be.

    Parameters
    ----------
    title : str, its name without folders and ending
    kind : str, what messages call it
    content : FirstRows
    file : TableFile
    encoding : str, as in ``ReadOptions``
    """

    title: str
    kind: str
    content: FirstRows
    file: TableFile
    encoding: str = ""

    def source(self, layout: ReadOptions | None = None, report: Report = quiet) -> Source:
        """The records of the table that stands where ``layout`` says; without one names are in the first row that is not blank."""
        layout = layout or ReadOptions(encoding=self.encoding)
        self.content.head(layout.sheet)  # refuses a sheet that does not exist
        with _understood(self.kind):
            return replace(self.file.source(layout, report), title=self.title)

    def read(self, layout: ReadOptions | None = None, report: Report = quiet) -> TextTable:
        """The table of these records.

        Raises
        ------
        InputError
            What was found, where, what was expected and what to do, in a sentence; ``UnevenRowsError`` where rows have too many or too few
            values.
        """
        with _understood(self.kind):
            table = gathered(self.source(layout, part(report, 0, 2)), self.title, part(report, 1, 2))
            return refined(table, layout or ReadOptions())


def open_file(data: bytes | None, filename: str, encoding: str = "") -> OpenFile:
    """Recognise the format of a file by its content, and look at it.

    Parameters
    ----------
    data : bytes, CSV with comma, tab, semicolon or vertical bar (plain or gzipped), XLSX, Parquet, SPSS (.sav, .zsav, .por),
        Stata (.dta) or SAS (.sas7bdat, .xpt); None for a file on disk
    filename : str, gives the title only, or is the path of a file on disk
    encoding : str, as in ``ReadOptions``

    Raises
    ------
    InputError
        And nothing else: what was found, where, what was expected and what to do, in a sentence; ``UncertainEncodingError`` where
        ``encoding`` is needed.
    """
    content = Content(filename, data)
    if data is not None and content.size > MAX_FILE_BYTES:
        refuse(f"The file has {content.size / MIB:,.1f} MB, the limit is {MAX_FILE_BYTES // MIB} MB.", LESS)
    with _understood("gzip file" if content.packed else "file"), content.unpack() as stored:
        begin = stored.read(4096)
    if content.packed and begin.startswith((*_ZIPPED, *_REFUSED, b"PAR1", b"\x1f\x8b\x08")):
        refuse("The gzip file holds another packed file instead of text.", "Unpack it and choose the file inside.")
    if begin[:4] in _REFUSED:
        raise InputError(_REFUSED[begin[:4]])
    opened: Callable[[Content], TableFile]
    kind, opened = "text", partial(open_text, asked=encoding)
    if tool := tool_of(begin):
        kind, opened = f"file of {tool.split()[0]}", LabelledFile
    elif begin.startswith(b"PAR1"):
        kind, opened = "Parquet file", ParquetFile
    elif begin.startswith(_ZIPPED):
        kind, opened = "workbook", open_workbook
    with _understood(kind):
        file = opened(content)
        widths = {sheet: max((len(cells) for _, cells in rows), default=1) for sheet, rows in file.heads.items()}
        heads = {sheet: rows[: 1 + _HEAD_CELLS // widths[sheet]] for sheet, rows in file.heads.items()}
    return OpenFile(title_of(filename), kind, FirstRows(heads), file, encoding)


def read_text_table(data: bytes, filename: str, layout: ReadOptions | None = None, report: Report = quiet) -> TextTable:
    """Read a file whose layout is known: ``open_file(data, filename).read(layout)``."""
    return open_file(data, filename, layout.encoding if layout else "").read(layout, report)


def title_of(name: str) -> str:
    """The name of a file without folders and ending."""
    return re.sub(r"(\.[A-Za-z0-9]{1,7}){1,2}$", "", re.split(r"[\\/]", name)[-1]) or "table"


@contextmanager
def _understood(kind: str) -> Iterator[None]:
    """Refuse a file as damaged if a library meets what it does not understand."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception:
        refuse(f"The {kind} is damaged or cut short.", "Save or download it again.")


def open_stream(place: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, encoding: str = "", **given: Any) -> Source:
    """Open a table of any size.

    Parameters
    ----------
    place : path of a file, of a folder of CSV and Parquet files (by their names, without those below it), or a list of files
    encoding, header, start, skip : how each file is read, as in ``ReadOptions``; what is uncertain without them is refused

    Raises
    ------
    InputError
        If there is no file, one cannot be read, or one has other columns than the first.
    """
    files, title = ([place], "") if isinstance(place, str | os.PathLike) else (list(place), "")
    if len(files) == 1 and Path(files[0]).is_dir() and os.fspath(files[0]):
        title, files = Path(files[0]).name, _files(Path(files[0]))
    if not files or not all(map(os.fspath, files)):
        raise InputError("No file is given: give the name of a file or folder.")
    sources = [_source(Path(file), encoding, given) for file in files]
    first = sources[0]
    for file, other in zip(files, sources, strict=True):
        if odd := sorted(set(first.names) ^ set(other.names)):
            why = next((each.left_out[odd[0]] for each in (first, other) if odd[0] in each.left_out), "")
            what = f"The file '{file}' has other columns than '{files[0]}', such as '{odd[0]}'. {why}".strip()
            refuse(what, "Give every file the same columns, or leave it out.")
    return Source(
        tuple(piece for source in sources for piece in source.parts),
        tuple(dict.fromkeys(note for source in sources for note in (*source.notes, *source.left_out.values()))),
        {name: why for source in sources for name, why in source.left_out.items()},
        {name: about for source in sources for name, about in source.about.items()},
        "; ".join(sorted({source.mark for source in sources} - {""})),
        title or (first.title if len(files) == 1 else f"{len(files)} files"),
    )


def _files(folder: Path) -> list[str | os.PathLike[str]]:
    with reading(folder, kind="folder"):
        files = sorted(each for each in folder.iterdir() if each.is_file() and each.name.lower().endswith(ENDINGS))
    if not (found := [file for file in files if not file.name.startswith((".", "_"))]):
        raise InputError(f"The folder '{folder}' holds no table: put CSV or Parquet files into it.")
    return list(found)


def _source(file: Path, encoding: str, given: Mapping[str, Any]) -> Source:
    """The records of one file; refuses where it is not certain where its table is."""
    with reading(file):
        if not file.is_file():
            raise InputError(f"'{file}' is not a file: give the name of a file or folder.")
        opened = open_file(None, str(file), encoding)
    guess = guess_options(opened.content, {**given, "encoding": encoding})
    guess.refuse()
    return opened.source(guess.options)


def read_in_batches(place: str | os.PathLike[str]) -> bool:
    """Whether a file or folder goes beyond what is read whole, and can be read in batches: folders, and large CSV or Parquet files.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    path, content = Path(place), Content(str(place))
    if not path.is_file():
        return path.is_dir()
    with reading(path):
        begin = content.start(300)
    whole = begin[:4] in (*_REFUSED, *_ZIPPED) or bool(tool_of(begin))
    if whole or content.size > MAX_FILE_BYTES:
        return not whole
    rows = columns = size = 0
    # reading it whole says better what is wrong
    with suppress(pa.ArrowException, OSError, EOFError, ValueError, zlib.error), content.unpack() as stored:
        if begin[:4] == b"PAR1":
            meta = pq.read_metadata(path)
            rows, columns = meta.num_rows, meta.num_columns
            size = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
        while not columns and rows <= MAX_ROWS and size <= MAX_UNPACKED_BYTES and (block := stored.read(4 * MIB)):
            rows, size = rows + block.count(b"\n"), size + len(block)
    return rows > MAX_ROWS or rows * columns > MAX_TABLE_CELLS or size > MAX_UNPACKED_BYTES
