"""A piece of a stream: a few row groups of a Parquet file, or a CSV file, that any process opens on its own."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from rrcore.progress import Report, quiet

Batch = Any
"""A pyarrow RecordBatch of at most ``BATCH_ROWS`` rows: a column for each name asked for, dictionary<int32, string>, null where missing."""

BATCH_ROWS = 1 << 17
"""Most rows of one batch."""

PIECE_ROWS = 1 << 20
"""About so many rows of Parquet are one piece, however many processes work."""


class Piece(Protocol):
    """Where some records are. Small and picklable; it holds no record."""

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
