"""Opening and reading a table: a file by its content, a folder or list of files with one set of columns, or a data frame of any library."""

import os
import re
import warnings
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rrcore.errors import InputError, TableWarning, reading
from rrcore.files import read_path
from rrcore.limits import MAX_CATEGORIES, MAX_FILE_BYTES, MAX_ROWS, MAX_TABLE_CELLS, MAX_UNPACKED_BYTES
from rrcore.mark import check_not_randomised, marked_title, marks_in, take_mark
from rrcore.progress import Report, part, quiet
from rrcore.table.dataset import Dataset
from rrcore.table.reading.arrow import ArrowStream, ParquetFile, open_arrow
from rrcore.table.reading.encoding import UncertainEncodingError
from rrcore.table.reading.labelled import LabelledFile, tool_of
from rrcore.table.reading.options import (
    FirstRows,
    Guess,
    Proposed,
    ReadOptions,
    TableFile,
    guess_options,
    guess_refinements,
    refined,
)
from rrcore.table.reading.text import open_text, open_workbook
from rrcore.table.recoding import ColumnRule, changed_columns, default_rule, recode, rules_for_names
from rrcore.table.scanning import gathered
from rrcore.table.schema import Schema
from rrcore.table.source import LESS, MIB, Content, Source, UnevenRowsError, refuse
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


def read_table(
    source: str | os.PathLike[str] | bytes | ArrowStream,
    *,
    columns: Iterable[str] | Schema | None = None,
    bins: Mapping[str, Iterable[float]] | None = None,
    title: str = "",
    **options: Any,
) -> Dataset:
    """Read a table of answers, one row for each person.

    Numbers of many kinds fall into a few intervals with rounded edges and open ends (``rounded_edges``). Missing values become a category.
    Identifiers, weights, constants and columns of too many texts are left out. One ``TableWarning`` names the columns that were left out or
    grouped. Categorical columns keep their declared categories in their order. Other categories are those that occur, so their names, in a
    plan or a mechanism file, reveal which those are: declare what could have been answered with a Schema.

    Parameters
    ----------
    source : path, bytes or data frame
        CSV and its cousins, XLSX or Parquet; or a table of pandas, polars, pyarrow or any library with ``__arrow_c_stream__``.
    columns : names, Schema or None
        The columns to take, in this order; with a Schema also their categories. None takes all that look like attributes.
    bins : mapping from names of columns of numbers to the limits of their intervals, for example ``{"age": [18, 40, 65]}``
    title : str
        Title of the table; the name of the file by default.
    **options
        How a file is read, if that is in doubt: the fields of ``ReadOptions`` (``header``, ``sheet``, ``start``, ``skip``, ``names``,
        ``encoding``, ``uneven``, ``totals``, ``counts``, ``weights``, ``missing_codes``, ``decimal``), and ``fix_names=True``, which
        numbers repeated names and leaves out a column that only numbers the rows.

    Raises
    ------
    InputError
        With one sentence: what cannot be read, which option decides, or which column cannot be an attribute and why.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import rrcore as rr
    >>> frame = pa.table({"smokes": ["no", "yes", "no", None], "age": [31, 45, 31, 60]})
    >>> table = rr.read_table(frame, columns=["age", "smokes"])
    >>> table.schema.names, table.schema.attributes[1].categories
    (('age', 'smokes'), ('no', 'yes', '(missing)'))
    >>> rr.read_table(b"sex,smokes,people\\nf,no,7\\nf,yes,2\\nm,no,5\\nm,yes,1\\n", counts="people").n
    15
    """
    if isinstance(source, str | os.PathLike | bytes):
        table, rules = read_file(*((source, "table") if isinstance(source, bytes) else read_path(source)), **options)
    elif hasattr(source, "__arrow_c_stream__"):
        guess, (found, declared) = Guess(options), open_arrow(source)
        table = _refined(gathered(found, "table"), guess)
        guess.refuse()
        rules = first_rules(table) | {
            name: ColumnRule(kind="ordinal" if ordered else "nominal", categories=categories)
            for name, (categories, ordered) in declared.items()
            if name in table.names and 2 <= len(categories) <= MAX_CATEGORIES
        }
    else:
        raise InputError(f"Expected a path, bytes, or a table of pandas, polars or pyarrow, got a {type(source).__name__}.")
    table = replace(table, title=marked_title(title, marks_in([table.title])) if title else table.title)
    if isinstance(columns, Schema):
        declared_rules = {a.name: ColumnRule(kind=a.kind, categories=a.categories) for a in columns.attributes}
        return recode(table, declared_rules, columns.names)
    names, limits = None if columns is None else list(columns), dict(bins or {})
    rules = rules_for_names(table.columns, rules, names or (), limits)
    changed = changed_columns(table.columns, rules, names, bins=limits, how=("columns=", "bins="))
    if changes := [*(table.left_out if names is None else ()), *([changed] if changed else [])]:
        warnings.warn(" ".join(changes), TableWarning, stacklevel=2)
    return recode(table, rules, names)


def read_file(data: bytes, filename: str, **given: Any) -> tuple[TextTable, dict[str, ColumnRule]]:
    """Return the table of a file and the first rule of each column. Whatever is in doubt is refused.

    Parameters
    ----------
    data, filename
        As in ``open_file``.
    **given
        As the options of ``read_table``.

    Raises
    ------
    InputError
        With one sentence, which names the option that decides.
    """
    found = inspect_file(data, filename, given)
    found.guess.refuse()
    return found.result()


@dataclass(frozen=True, eq=False)
class InspectedFile:
    """A file that was looked at, and read as proposed.

    Parameters
    ----------
    title, kind : str
        The name of the file without its ending, and what messages call it.
    content : FirstRows
        What it shows before it is read.
    guess : Guess
        How it was read, and what has to be asked.
    table : TextTable or None
        What was read; None if that is impossible as proposed.
    problem : InputError or None
        Why it is impossible.
    """

    title: str
    kind: str
    content: FirstRows
    guess: Guess
    table: TextTable | None = None
    problem: InputError | None = None

    def result(self) -> tuple[TextTable, dict[str, ColumnRule]]:
        """Return the table and the first rule of each column, or raise the problem."""
        if self.table is None:
            raise self.problem or InputError("The file was not read: read it again.")
        return self.table, first_rules(self.table, self.guess.export.interview)


def inspect_file(data: bytes, filename: str, given: Mapping[str, Any] | None = None, *, report: Report = quiet) -> InspectedFile:
    """Read a file by the options ``given``, and by proposals for those that are not.

    Parameters
    ----------
    data, filename
        As in ``open_file``.
    given : mapping
        Fields of ``ReadOptions``, or ``fix_names``, with their values.

    Raises
    ------
    InputError
        If the file cannot be looked at.
    """
    given, doubts = dict(given or {}), []
    try:
        file = open_file(data, filename, given.get("encoding", ""))
    except UncertainEncodingError as error:
        given["encoding"] = next(iter(error.candidates))
        doubts = [Proposed("encoding", given["encoding"], str(error), error=error)]
        file = open_file(data, filename, given["encoding"])
    guess = guess_options(file.content, given)
    guess.proposed[:0] = doubts
    found = InspectedFile(file.title, file.kind, file.content, guess)
    plain = replace(guess.options, totals=0, counts="", weights="", missing_codes=(), decimal="")
    try:
        try:
            table = file.read(plain, report)
        except UnevenRowsError as error:
            guess.propose(Proposed("uneven", "drop", str(error), choices="drop"))
            table = file.read(replace(plain, uneven=guess.options.uneven), report)
        return replace(found, table=_refined(table, guess))
    except InputError as error:
        return replace(found, problem=error)


def _refined(table: TextTable, guess: Guess) -> TextTable:
    """The table by the options that were given and those that its rows propose. Refuses randomized answers."""
    check_not_randomised(table.names, table.title)
    kept, mark = take_mark(table)
    guess_refinements(kept, guess)
    table = refined(replace(kept, title=marked_title(kept.title, mark)), replace(guess.options, names=()))
    asked = guess.export.questions
    return replace(table, columns=tuple(replace(c, question=c.question or asked.get(c.name, "")) for c in table.columns))


def first_rules(table: TextTable, unused: Collection[str] = ()) -> dict[str, ColumnRule]:
    """Return the rule of each column that page Data starts from. Columns called as in ``unused`` are not used."""
    rules = {column.name: default_rule(column) for column in table.columns}
    return {name: replace(rule, use=rule.use and name not in unused) for name, rule in rules.items()}
