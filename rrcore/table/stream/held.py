"""A table in memory as a source of batches, so that small and large tables go the same way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.progress import Report, quiet
from rrcore.table.reading.text_table import TextTable
from rrcore.table.stream.opening import Stream
from rrcore.table.stream.piece import BATCH_ROWS, Batch


@dataclass(frozen=True, eq=False)
class HeldPiece:
    """A table in memory as one piece.

    Parameters
    ----------
    table : TextTable
    path : str, the name of its file, for messages
    """

    table: TextTable
    path: str

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.table.names

    @property
    def mark(self) -> str:
        """The mark of a simulation that the file has beside its columns."""
        return self.table.mark

    @property
    def bytes(self) -> int:
        """Size in memory, for progress."""
        return sum(column.codes.nbytes for column in self.table.columns)

    def before(self) -> int:
        """No record of the file is in another piece."""
        return 0

    def batches(self, names: Sequence[str] | None = None, *, report: Report = quiet) -> Iterator[Batch]:
        """Yield the records in batches, as every ``Piece`` does."""
        import pyarrow as pa

        columns = [self.table.column(name) for name in (self.names if names is None else names)]
        values = [pa.array(column.values, pa.string()) for column in columns]
        for start in range(0, self.table.n, BATCH_ROWS):
            parts = [column.codes[start : start + BATCH_ROWS].astype(np.int32) for column in columns]
            arrays = [
                pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), texts)
                for codes, texts in zip(parts, values, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, names=[column.name for column in columns])
            report(min(1.0, (start + BATCH_ROWS) / self.table.n), "")


def held_stream(table: TextTable, name: str) -> Stream:
    """Return a table in memory as a stream; messages call its file ``name``.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import TextColumn, TextTable
    >>> from rrcore.table.stream.held import held_stream
    >>> table = TextTable((TextColumn("smokes", np.array([1, -1]), ("no", "yes")),), "people")
    >>> (batch,) = held_stream(table, "people.csv").pieces()[0].batches()
    >>> batch.column("smokes").to_pylist()
    ['yes', None]
    """
    return Stream(table.title, table.names, (HeldPiece(table, name),), (*table.notes, *table.left_out))
