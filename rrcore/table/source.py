"""Sources of records: files and tables in memory.

A source consists of pieces that any process can read in batches of strings.
"""

import gzip
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Protocol, cast

import numpy as np
import pyarrow as pa

from rrcore.errors import InputError
from rrcore.limits import MAX_COLUMNS, MAX_ROWS, MAX_TABLE_CELLS, MAX_TEXT, MAX_UNPACKED_BYTES
from rrcore.mark import marks_in
from rrcore.progress import Report, quiet
from rrcore.wording.short import some

Batch = Any
"""A pyarrow RecordBatch of at most ``BATCH_ROWS`` rows: a column for each name asked for, dictionary<int32, string>, null where missing."""

BATCH_ROWS = 1 << 17
"""Most rows of one batch."""


@dataclass(frozen=True)
class Content:
    """A file on disk or in memory.

    Parameters
    ----------
    name : str, the path of a file on disk, or the name of a file in memory
    data : bytes of a file in memory, None for a file on disk
    """

    name: str
    data: bytes | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """Number of bytes as stored."""
        return Path(self.name).stat().st_size if self.data is None else len(self.data)

    @property
    def packed(self) -> bool:
        """True if the file is gzipped."""
        return self.start(2) == b"\x1f\x8b"

    def start(self, size: int) -> bytes:
        """Return the first bytes as stored."""
        with self.open() as stored:
            return stored.read(size)

    def open(self) -> BinaryIO:
        """Open the bytes as stored."""
        return open(self.name, "rb") if self.data is None else io.BytesIO(self.data)

    def unpack(self) -> BinaryIO:
        """Open the bytes, unpacked if the file is gzipped."""
        return cast(BinaryIO, gzip.GzipFile(fileobj=self.open())) if self.packed else self.open()

    def called(self, kind: str = "file") -> str:
        """Return the name of the file in messages.

        A file in memory has no name, because it is the only file that is read.
        """
        return f"The {kind} '{self.name}'" if self.data is None else f"The {kind}"


class Piece(Protocol):
    """A picklable reference to some records.

    For a file on disk, it contains no records, except for workbooks and files of statistics packages.
    """

    @property
    def content(self) -> Content:
        """The file. Only its name if the records are in memory."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns without surrounding spaces."""

    @property
    def start(self) -> int:
        """Number of records of the file before this piece."""

    def batches(self, names: Sequence[str] | None = None, *, report: Report = quiet) -> Iterator[Batch]:
        """Yield the records in order and in batches.

        Any process yields the same batches.

        Parameters
        ----------
        names : the columns to read, in this order. None reads all
        report : called with the fraction of the bytes that has been read

        Raises
        ------
        InputError
            If the file is damaged or has changed, or a row has the wrong number of values.
        """


@dataclass(frozen=True)
class About:
    """The metadata of a column in a file.

    Parameters
    ----------
    labels : tuple of (value, label), the labels of values, in the order of the file
    question : str, the wording of the question
    ordered : bool, whether the order of the labels is meaningful
    """

    labels: tuple[tuple[str, str], ...] = ()
    question: str = ""
    ordered: bool = False


@dataclass(frozen=True, eq=False)
class Source:
    """The records of a table of any size.

    They are in memory, or in files that have been inspected but not read.

    Parameters
    ----------
    parts : tuple of Piece, at least one. The pieces are ordered and do not depend on the number of processes
    notes : sentences on how the records are read
    left_out : maps columns that cannot be read to the reason, as a sentence
    about : maps columns to their metadata in files
    mark : the mark of a simulation in the metadata of a file. Semicolons separate several marks
    title : str, the title of the table
    """

    parts: tuple[Piece, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, About] = field(default_factory=dict)
    mark: str = ""
    title: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.parts[0].names

    def marks(self, answers: Collection[str] = ()) -> str:
        """Return the marks of a simulation in columns and file metadata.

        Columns in ``answers`` are ignored (see ``rrcore.mark``).
        """
        return marks_in([*(name for name in self.names if name not in answers), *self.mark.split(";")])

    def check(self, wanted: Iterable[str]) -> None:
        """Raise InputError if a column in ``wanted`` does not exist or cannot be read."""
        for name in wanted:
            if name not in self.names:
                raise InputError(self.left_out.get(name) or f"There is no column '{name}'. Choose one of {some(self.names, 20)}.")


@dataclass(frozen=True, eq=False)
class HeldPiece:
    """Records in memory, from a data frame or from a file read as a whole.

    Parameters
    ----------
    content : Content, whose name messages use for the file
    table : pyarrow Table with the columns of batches
    """

    content: Content
    table: Any = field(repr=False)
    start = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.table.column_names)

    def batches(self, names: Sequence[str] | None = None, *, report: Report = quiet) -> Iterator[Batch]:
        batches = self.table.select(list(self.names if names is None else names)).to_batches(BATCH_ROWS)
        for number, batch in enumerate(batches, 1):
            yield batch
            report(number / len(batches), "")


def encoded(codes: Any, texts: Sequence[str | None]) -> Any:
    """Return a column as ``texts`` and their codes, -1 for a missing value."""
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32(), mask=codes < 0), pa.array(texts, pa.string()))


MIB = 2**20
"""Bytes of the unit that messages call MB."""


LESS = "Leave out columns or rows."
"""Advice for a file that is too large."""


SAVE_AS = "Save the table as CSV, XLSX or Parquet and choose that file."
"""Advice for a file of another kind."""


class UnevenRowsError(InputError):
    """Raised if rows have more or fewer values than there are names.

    ``rows`` is the number of such rows. An option can leave them out.
    """

    def __init__(self, message: str, *, quoted: str = "", rows: int = 1) -> None:
        super().__init__(message, quoted=quoted)
        self.rows = rows


def refuse(found: str, action: str, *, quoted: str = "") -> NoReturn:
    """Raise InputError with a finding and a remedy, each a sentence.

    ``quoted`` is as in InputError.
    """
    raise InputError(f"{found} {action}", quoted=quoted) from None


def cell_text(value: Any) -> str | None:
    """Return a value as text.

    Examples are ``7`` for 7 and 7.0, ``TRUE`` for True, and ``2024-01-31`` for a date. None remains None.
    """
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        single = np.float32(value) if 1e-30 < abs(value) < 1e30 and not value.is_integer() else None
        # 0.1 in single precision is 0.10000000149 in double
        return str(single) if single == value else format(value + 0.0, ".15g")
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, date | time):
        return value.isoformat()
    return None if value is None else str(value)


def checked_names(names: Sequence[str]) -> list[str]:
    """Return column names without surrounding spaces.

    Raises InputError if a name is empty, too long or repeated.
    """
    if len(names) > MAX_COLUMNS:
        refuse(
            f"The table has {len(names):,} columns, but at most {MAX_COLUMNS:,} are allowed.",
            "Leave out columns that you do not need.",
        )
    places: dict[str, int] = {}
    for number, name in enumerate(map(str.strip, names), 1):
        if not name:
            refuse(f"Column {number} of {len(names)} has no name.", "Write a name into the first row, or delete the column.")
        if len(name) > MAX_TEXT:
            refuse(
                f"The name of column {number} has {len(name):,} characters, but at most {MAX_TEXT} are allowed.", "Shorten it."
            )
        if (first := places.setdefault(name, number)) < number:
            both = f"Columns {first} and {number} are both called '{name}'."
            refuse(both, "Give each column its own name.", quoted=name)
    return list(places)


def check_rows(n: int) -> None:
    """Raise InputError if a table has no rows or too many."""
    if n <= 0:
        refuse("The table has column names but no rows of answers.", "Add a row for each person under the first row.")
    if n > MAX_ROWS:
        refuse(f"The table has more than {MAX_ROWS:,} rows.", "Choose a sample of the rows.")


def check_size(rows: int, columns: int, unpacked: int = 0) -> None:
    """Raise InputError if a table has too many rows, cells or unpacked bytes.

    Unknown sizes are not checked.
    """
    check_rows(max(rows, 1))
    if unpacked > MAX_UNPACKED_BYTES:
        refuse(f"The file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
    if rows * columns > MAX_TABLE_CELLS:
        what = f"The table has {rows * columns:,} cells or more, {columns:,} columns of {rows:,} rows"
        refuse(f"{what}, but at most {MAX_TABLE_CELLS:,} are allowed.", LESS)
