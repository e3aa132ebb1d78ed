"""Where the records of a table are: files and tables in memory, as pieces that any process reads in batches of texts."""

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
    """A file on disk, or one in memory.

    Parameters
    ----------
    name : str, its path, or the name of a file in memory
    data : bytes of a file in memory, None for one on disk
    """

    name: str
    data: bytes | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """Bytes as stored."""
        return Path(self.name).stat().st_size if self.data is None else len(self.data)

    @property
    def packed(self) -> bool:
        """Whether it is gzipped."""
        return self.start(2) == b"\x1f\x8b"

    def start(self, size: int) -> bytes:
        """The first bytes as stored."""
        with self.open() as stored:
            return stored.read(size)

    def open(self) -> BinaryIO:
        """The bytes as stored."""
        return open(self.name, "rb") if self.data is None else io.BytesIO(self.data)

    def unpack(self) -> BinaryIO:
        """The bytes once unpacked, where it is gzipped."""
        return cast(BinaryIO, gzip.GzipFile(fileobj=self.open())) if self.packed else self.open()

    def called(self, kind: str = "file") -> str:
        """What messages call it: a file in memory is the only one that somebody reads."""
        return f"The {kind} '{self.name}'" if self.data is None else f"The {kind}"


class Piece(Protocol):
    """Where some records are: picklable. Those of a file on disk hold no record, save of workbooks and of statistics packages."""

    @property
    def content(self) -> Content:
        """The file; only its name where records are in memory."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, without surrounding spaces."""

    @property
    def start(self) -> int:
        """How many records of the file are before this piece."""

    def batches(self, names: Sequence[str] | None = None, *, report: Report = quiet) -> Iterator[Batch]:
        """The records in their order, in batches; the same batches in any process.

        Parameters
        ----------
        names : the columns to read, in this order; None reads all
        report : is called with the fraction of the bytes that is read

        Raises
        ------
        InputError
            If the file is damaged, has changed, or a row has the wrong number of values.
        """


@dataclass(frozen=True)
class About:
    """What a file says of a column.

    Parameters
    ----------
    labels : tuple of (value, label), what values mean, in the order of the file
    question : str, the question as it was asked
    ordered : bool, whether the order of the labels means something
    """

    labels: tuple[tuple[str, str], ...] = ()
    question: str = ""
    ordered: bool = False


@dataclass(frozen=True, eq=False)
class Source:
    """The records of a table of any size: of files, which have been looked at but not read, or in memory.

    Parameters
    ----------
    parts : tuple of Piece, at least one: where the records are, in their order, the same for any number of processes
    notes : sentences on how they are read
    left_out : columns that cannot be read -> why, in a sentence
    about : what files say of their columns, by their names
    mark : of a simulation, where a file has one in its metadata; several are separated by semicolons
    title : str, what the table is called
    """

    parts: tuple[Piece, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, About] = field(default_factory=dict)
    mark: str = ""
    title: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.parts[0].names

    def marks(self, answers: Collection[str] = ()) -> str:
        """The marks of a simulation, of columns that are none of ``answers`` and of what files say; see ``rrcore.mark``."""
        return marks_in([*(name for name in self.names if name not in answers), *self.mark.split(";")])

    def check(self, wanted: Iterable[str]) -> None:
        """Raise InputError where one of the columns ``wanted`` does not exist, or cannot be read."""
        for name in wanted:
            if name not in self.names:
                raise InputError(self.left_out.get(name) or f"There is no column '{name}': choose among {some(self.names, 20)}.")


@dataclass(frozen=True, eq=False)
class HeldPiece:
    """Records in memory: of a data frame, or of a file that is read as a whole.

    Parameters
    ----------
    content : Content, the name by which messages call the file
    table : pyarrow Table of the columns of batches
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
    """A column of ``texts`` by their codes, -1 where missing."""
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32(), mask=codes < 0), pa.array(texts, pa.string()))


MIB = 2**20
"""Bytes of the unit that messages call MB."""


LESS = "Leave out columns or rows."
"""What to do about a file that is too large."""


SAVE_AS = "Save the table as CSV, XLSX or Parquet and choose that file."
"""What to do about a file of another kind."""


class UnevenRowsError(InputError):
    """Rows of a text have more or fewer values than there are names; ``rows`` says how many. They can be left out, if somebody says so."""

    def __init__(self, message: str, *, quoted: str = "", rows: int = 1) -> None:
        super().__init__(message, quoted=quoted)
        self.rows = rows


def refuse(found: str, action: str, *, quoted: str = "") -> NoReturn:
    """Raise InputError: what was found, then what to do, each a sentence; ``quoted`` as in InputError."""
    raise InputError(f"{found} {action}", quoted=quoted) from None


def cell_text(value: Any) -> str | None:
    """A value as text: 7 and 7.0 as ``7``, True as ``TRUE``, dates as ``2024-01-31``; None stays None."""
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
    """Column names without surrounding spaces, none empty, too long or repeated."""
    if len(names) > MAX_COLUMNS:
        refuse(f"The table has {len(names):,} columns, the limit is {MAX_COLUMNS:,}.", "Leave out columns that you do not need.")
    places: dict[str, int] = {}
    for number, name in enumerate(map(str.strip, names), 1):
        if not name:
            refuse(f"Column {number} of {len(names)} has no name.", "Write a name into the first row, or delete the column.")
        if len(name) > MAX_TEXT:
            refuse(f"The name of column {number} has {len(name):,} characters, the limit is {MAX_TEXT}.", "Shorten it.")
        if (first := places.setdefault(name, number)) < number:
            both = f"Columns {first} and {number} are both called '{name}'."
            refuse(both, "Give each column a name of its own.", quoted=name)
    return list(places)


def check_rows(n: int) -> None:
    """Refuse a table without rows, or with more than the limit."""
    if n <= 0:
        refuse("The table has column names but no rows of answers.", "Add a row for each person under the first row.")
    if n > MAX_ROWS:
        refuse(f"The table has more than {MAX_ROWS:,} rows.", "Choose a sample of the rows.")


def check_size(rows: int, columns: int, unpacked: int = 0) -> None:
    """Refuse a table with too many rows or cells, or bytes once it is unpacked, as far as these are known."""
    check_rows(max(rows, 1))
    if unpacked > MAX_UNPACKED_BYTES:
        refuse(f"The file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
    if rows * columns > MAX_TABLE_CELLS:
        what = f"The table has {rows * columns:,} cells or more, {columns:,} columns of {rows:,} rows"
        refuse(f"{what}; the limit is {MAX_TABLE_CELLS:,}.", LESS)
