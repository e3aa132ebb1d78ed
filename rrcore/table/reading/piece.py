"""Pieces of a table, which any process opens on its own: the one way in which records of any format are read."""

import gzip
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import pyarrow as pa

from rrcore.progress import Report, quiet

Batch = Any
"""A pyarrow RecordBatch of at most ``BATCH_ROWS`` rows: a column for each name asked for, dictionary<int32, string>, null where missing."""

BATCH_ROWS = 1 << 17
"""Most rows of one batch."""

PIECE_ROWS = 1 << 20
"""About so many rows of Parquet are one piece, however many processes work."""


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

    @property
    def place(self) -> str:
        """What a message puts behind the number of a row."""
        return f" of '{self.name}'" if self.data is None else ""

    def called(self, kind: str = "file") -> str:
        """What messages call it: a file in memory is the only one that somebody reads."""
        return f"The {kind} '{self.name}'" if self.data is None else f"The {kind}"


class Piece(Protocol):
    """Where some records are: picklable. Those of a file on disk hold no record, save of workbooks and of statistics packages."""

    @property
    def path(self) -> str:
        """The file."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, without surrounding spaces."""
        ...

    @property
    def bytes(self) -> int:
        """Size as stored, for progress."""
        ...

    def before(self) -> int:
        """How many records of the file stand before this piece."""
        ...

    def batches(self, names: Sequence[str] | None = None, *, report: Report = quiet) -> Iterator[Batch]:
        """The records in their order, in batches; the same batches whoever reads them.

        Parameters
        ----------
        names : the columns to read, in this order; None reads all
        report : is told the fraction of the bytes that is read

        Raises
        ------
        InputError
            If the file is damaged, has changed, or a row has the wrong number of values.
        """
        ...


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
    """The records of a file, or of a table in memory.

    Parameters
    ----------
    parts : tuple of Piece, at least one
    notes : sentences on how they are read
    left_out : columns that cannot be read -> why, in a sentence
    about : what the file says of its columns, by their names
    mark : of a simulation, where the file has one beside its columns
    """

    parts: tuple[Piece, ...]
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, About] = field(default_factory=dict)
    mark: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.parts[0].names


@dataclass(frozen=True, eq=False)
class HeldPiece:
    """Records in memory: of a data frame, or of a file that is read as a whole.

    Parameters
    ----------
    path : str, what messages call the file
    table : pyarrow Table of the columns of batches
    bytes : int
    """

    path: str
    table: Any = field(repr=False)
    bytes: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.table.column_names)

    def before(self) -> int:
        return 0

    def batches(self, names: Sequence[str] | None = None, *, report: Report = quiet) -> Iterator[Batch]:
        wanted = self.names if names is None else tuple(names)
        done = 0
        for batch in self.table.select(list(wanted)).to_batches(BATCH_ROWS):
            yield batch
            done += batch.num_rows
            report(done / self.table.num_rows, "")


def encoded(codes: Any, texts: Sequence[str | None]) -> Any:
    """A column of ``texts`` by their codes, -1 where missing."""
    indices = pa.array(codes, pa.int32(), mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()))
