"""Opening and reading of tables.

A table can be a file, whose content determines its format, a directory or list of files with the same columns, or a data frame of
any library.
"""

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

from rrcore.errors import InputError, TableWarning, reading, wrong_kind
from rrcore.files import read_path
from rrcore.limits import MAX_CATEGORIES, MAX_FILE_BYTES, MAX_ROWS, MAX_TABLE_CELLS, MAX_UNPACKED_BYTES
from rrcore.mark import check_not_randomized, marked_title, marks_in, take_mark
from rrcore.progress import Report, part, quiet
from rrcore.table.dataset import Dataset
from rrcore.table.reading.arrow import ArrowStream, ParquetFile, open_arrow
from rrcore.table.reading.encoding import UncertainEncodingError
from rrcore.table.reading.guesses import Guess, Proposed, guess_options, guess_refinements
from rrcore.table.reading.options import FirstRows, ReadOptions, TableFile, refined
from rrcore.table.reading.spss_stata_sas import LabeledFile, tool_of
from rrcore.table.reading.text import open_text
from rrcore.table.reading.workbook import open_workbook
from rrcore.table.recoding import OTHER, ColumnRule, changed_columns, default_rule, recode, rules_for_names
from rrcore.table.scanning import gathered
from rrcore.table.schema import Schema
from rrcore.table.source import LESS, MIB, Content, Source, UnevenRowsError, refuse
from rrcore.table.text_table import TextTable

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".pq")
"""Endings of files in a folder that are tables."""

_HEAD_CELLS = 100_000  # of one sheet that a look hands back
_ZIPPED = (b"PK\x03\x04", b"PK\x05\x06")
_REFUSED = dict.fromkeys(
    (b"X\n\0\0", b"RDX2", b"RDX3", b"RDA2", b"RDA3"), "This is a data file of R. Save the data frame as CSV or Parquet."
)
_REFUSED[b"\xd0\xcf\x11\xe0"] = "This is an old Excel workbook (.xls) or one with a password. Save it as plain .xlsx."


@dataclass(frozen=True, eq=False)
class OpenFile:
    """A file of a known format that has been inspected but not read.

    ``guess_options`` proposes the location of its table.

    Parameters
    ----------
    title : str, the name of the file without directories and extension
    kind : str, the name of the format in messages
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
        """Return the records of the table described by ``layout``.

        Without a layout, the first row that is not blank contains the names.
        """
        layout = layout or ReadOptions(encoding=self.encoding)
        self.content.head(layout.sheet)  # refuses a sheet that does not exist
        with _understood(self.kind):
            return replace(self.file.source(layout, report), title=self.title)

    def read(self, layout: ReadOptions | None = None, report: Report = quiet) -> TextTable:
        """Read the table.

        Raises
        ------
        InputError
            If the table cannot be read. The message states the problem, its location, the expected content and a remedy. This is
            ``UnevenRowsError`` if rows have too many or too few values.
        """
        with _understood(self.kind):
            table = gathered(self.source(layout, part(report, 0, 2)), self.title, part(report, 1, 2))
            return refined(table, layout or ReadOptions())


def open_file(data: bytes | None, filename: str, encoding: str = "") -> OpenFile:
    """Detect the format of a file from its content, and inspect the file.

    Parameters
    ----------
    data : bytes of a CSV file with commas, tabs, semicolons or vertical bars (plain or gzipped), XLSX, Parquet, SPSS (.sav, .zsav,
        .por), Stata (.dta) or SAS (.sas7bdat, .xpt). None for a file on disk
    filename : str, the path of a file on disk. Otherwise, it only determines the title
    encoding : str, as in ``ReadOptions``

    Raises
    ------
    InputError
        If the file cannot be opened. The message states the problem, its location, the expected content and a remedy. This is
        ``UncertainEncodingError`` if ``encoding`` is required. No other exceptions are raised.
    """
    content = Content(filename, data)
    if data is not None and content.size > MAX_FILE_BYTES:
        refuse(f"The file is {content.size / MIB:,.1f} MB, but at most {MAX_FILE_BYTES // MIB} MB are allowed.", LESS)
    with _understood("gzip file" if content.packed else "file"), content.unpack() as stored:
        begin = stored.read(4096)
    if content.packed and begin.startswith((*_ZIPPED, *_REFUSED, b"PAR1", b"\x1f\x8b\x08")):
        refuse("The gzip file contains another compressed file instead of text.", "Unpack it and choose the file inside.")
    if begin[:4] in _REFUSED:
        raise InputError(_REFUSED[begin[:4]])
    opened: Callable[[Content], TableFile]
    kind, opened = "text", partial(open_text, asked=encoding)
    if tool := tool_of(begin):
        kind, opened = f"file of {tool.split()[0]}", LabeledFile
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
    """Read a file with a known layout.

    This is equivalent to ``open_file(data, filename).read(layout)``.
    """
    return open_file(data, filename, layout.encoding if layout else "").read(layout, report)


def title_of(name: str) -> str:
    """Return a file name without its directory and extension."""
    return re.sub(r"(\.[A-Za-z0-9]{1,7}){1,2}$", "", re.split(r"[\\/]", name)[-1]) or "table"


@contextmanager
def _understood(kind: str) -> Iterator[None]:
    """Refuse a file as damaged if a library meets what it does not understand."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception:
        refuse(f"The {kind} is damaged or truncated.", "Save or download it again.")


def open_stream(place: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, encoding: str = "", **given: Any) -> Source:
    """Open a table of any size.

    Parameters
    ----------
    place : path of a file, of a directory of CSV and Parquet files (sorted by name, without subdirectories), or a list of files
    encoding, header, start, skip : options for reading each file, as in ``ReadOptions``. A file that is ambiguous without them is
        rejected

    Raises
    ------
    InputError
        If there are no files, one cannot be read, or the columns of one differ from those of the first.
    """
    files, title = ([place], "") if isinstance(place, str | os.PathLike) else (list(place), "")
    if len(files) == 1 and Path(files[0]).is_dir() and os.fspath(files[0]):
        title, files = Path(files[0]).name, _files(Path(files[0]))
    if not files or not all(map(os.fspath, files)):
        raise InputError("No file was given. Enter the name of a file or folder.")
    sources = [_source(Path(file), encoding, given) for file in files]
    first = sources[0]
    for file, other in zip(files, sources, strict=True):
        if odd := sorted(set(first.names) ^ set(other.names)):
            why = next((each.left_out[odd[0]] for each in (first, other) if odd[0] in each.left_out), "")
            what = f"The file '{file}' has other columns than '{files[0]}', such as '{odd[0]}'. {why}".strip()
            refuse(what, "Use files with the same columns, or leave this file out.")
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
        raise InputError(f"The folder '{folder}' contains no tables. Put CSV or Parquet files into it.")
    return list(found)


def _source(file: Path, encoding: str, given: Mapping[str, Any]) -> Source:
    """The records of one file; refuses where it is not certain where its table is."""
    with reading(file):
        if not file.is_file():
            raise InputError(f"'{file}' is not a file. Enter the name of a file or folder.")
        opened = open_file(None, str(file), encoding)
    guess = guess_options(opened.content, {**given, "encoding": encoding})
    guess.refuse()
    return opened.source(guess.options)


def read_in_batches(place: str | os.PathLike[str]) -> bool:
    """Return whether a file or directory is too large to read at once.

    It must be possible to read it in batches, which is so for directories and for large CSV or Parquet files.

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
    r"""Read a table of answers with one row for each person.

    Columns with many different numbers become a few intervals with rounded edges and open ends (``rounded_edges``). Missing values
    become a category. Identifiers, weights, constants and columns with too many strings are left out. A single ``TableWarning`` lists
    the columns that were left out or grouped.

    Categorical columns keep their declared categories and order. Other columns use the categories that occur. Their names in a plan
    or a mechanism file therefore reveal which answers exist. To avoid this, declare the possible answers with a Schema.

    Parameters
    ----------
    source : path, bytes or data frame
        Delimited text, XLSX, Parquet, SPSS, Stata or SAS data. Alternatively, a table from pandas, polars, pyarrow or any library
        with ``__arrow_c_stream__``.
    columns : str, list of str or Schema, optional
        The columns to use, in this order. A Schema also declares their categories. By default, all columns that can be attributes.
    bins : mapping of str to list of float, optional
        Limits of the intervals of numeric columns, for example ``{"age": [18, 40, 65]}``.
    title : str
        Title of the table. By default, the name of the file.
    **options
        Options for reading a file that is ambiguous. These are the fields of ``ReadOptions`` (``header``, ``sheet``, ``start``,
        ``skip``, ``names``, ``encoding``, ``uneven``, ``totals``, ``counts``, ``weights``, ``missing_codes``, ``decimal``), and
        ``fix_names=True``. The latter numbers repeated names and leaves out a column that only numbers the rows.

    Returns
    -------
    Dataset
        The records, coded as categories.

    Raises
    ------
    InputError
        If the table cannot be read, an option is required, or a column cannot be an attribute.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import rrcore as rr
    >>> frame = pa.table({"smokes": ["no", "yes", "no", None], "age": [31, 45, 31, 60]})
    >>> table = rr.read_table(frame, columns=["age", "smokes"])
    >>> table.schema.names, table.schema.attributes[1].categories
    (('age', 'smokes'), ('no', 'yes', '(missing)'))
    >>> rr.read_table(b"sex,smokes,people\nf,no,7\nf,yes,2\nm,no,5\nm,yes,1\n", counts="people").n
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
        raise InputError(f"Expected a path, bytes, or a table from pandas, polars or pyarrow, got {type(source).__name__}.")
    table = replace(table, title=marked_title(title, marks_in([table.title])) if title else table.title)
    if isinstance(columns, Schema):
        declared_rules = {a.name: ColumnRule(kind=a.kind, categories=a.categories) for a in columns.attributes}
        return recode(table, declared_rules, columns.names)
    wanted = [columns] if isinstance(columns, str) else columns
    names, limits = None if wanted is None else list(wanted), dict(bins or {})
    rules = rules_for_names(table.columns, rules, names or (), limits)
    changed = changed_columns(table.columns, rules, names, bins=limits, how=("columns=", "bins="))
    if changes := [*(table.left_out if names is None else ()), *([changed] if changed else [])]:
        warnings.warn(" ".join(changes), TableWarning, stacklevel=2)
    return recode(table, rules, names)


def given_table(table: Dataset | str | os.PathLike[str] | ArrowStream, schema: Schema | None = None) -> Dataset:
    """Return a table, or read it if a path or data frame stands for it, with the categories of ``schema`` if there is one.

    Raises
    ------
    InputError
        If this is something else, or cannot be read.
    """
    if isinstance(table, Dataset):
        return table
    if not isinstance(table, str | os.PathLike) and not hasattr(table, "__arrow_c_stream__"):
        raise wrong_kind("The table", table, "a Dataset, a data frame or a path")
    found = read_table(table, columns=schema)
    if schema is None or isinstance(table, pa.RecordBatchReader) or not _with_others(found.schema, schema):
        return found
    return read_table(table, columns=schema.names)  # so that messages name the values that are no categories


def _with_others(found: Schema, wanted: Schema) -> bool:
    pairs = zip(found.attributes, wanted.attributes, strict=True)
    return any(OTHER in own.categories and OTHER not in asked.categories for own, asked in pairs)


def read_file(data: bytes, filename: str, **given: Any) -> tuple[TextTable, dict[str, ColumnRule]]:
    """Return the table of a file and the initial rule of each column.

    Ambiguous files are rejected.

    Parameters
    ----------
    data, filename
        As in ``open_file``.
    **given
        Options, as in ``read_table``.

    Raises
    ------
    InputError
        If the file is ambiguous. The message names the option that resolves the ambiguity.
    """
    found = inspect_file(data, filename, given)
    found.guess.refuse()
    return found.result()


@dataclass(frozen=True, eq=False)
class InspectedFile:
    """A file that was inspected and read with proposed options.

    Parameters
    ----------
    title, kind : str
        The name of the file without its extension, and the name of its format in messages.
    content : FirstRows
        The rows that are visible before reading.
    guess : Guess
        The options that were used, and those that need a decision.
    table : TextTable or None
        The table. None if it cannot be read with the proposed options.
    problem : InputError or None
        The reason why it cannot be read.
    """

    title: str
    kind: str
    content: FirstRows
    guess: Guess
    table: TextTable | None = None
    problem: InputError | None = None

    def result(self) -> tuple[TextTable, dict[str, ColumnRule]]:
        """Return the table and the initial rule of each column, or raise the problem."""
        if self.table is None:
            raise self.problem or InputError("The file was not read. Choose it again.")
        return self.table, first_rules(self.table, self.guess.export.interview)


def inspect_file(data: bytes, filename: str, given: Mapping[str, Any] | None = None, *, report: Report = quiet) -> InspectedFile:
    """Read a file with the options ``given`` and proposals for the others.

    Parameters
    ----------
    data, filename
        As in ``open_file``.
    given : mapping
        Values of fields of ``ReadOptions``, or of ``fix_names``.

    Raises
    ------
    InputError
        If the file cannot be inspected.
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
    check_not_randomized(table.names, table.title)
    kept, mark = take_mark(table)
    guess_refinements(kept, guess)
    table = refined(replace(kept, title=marked_title(kept.title, mark)), replace(guess.options, names=()))
    asked = guess.export.questions
    return replace(table, columns=tuple(replace(c, question=c.question or asked.get(c.name, "")) for c in table.columns))


def first_rules(table: TextTable, unused: Collection[str] = ()) -> dict[str, ColumnRule]:
    """Return the initial rule of each column on page Data.

    Columns with a name in ``unused`` are left out.
    """
    rules = {column.name: default_rule(column) for column in table.columns}
    return {name: replace(rule, use=rule.use and name not in unused) for name, rule in rules.items()}
