"""A table in memory as a source of batches, so that small and large tables go the same way."""

from __future__ import annotations

from rrcore.table.reading.piece import HeldPiece, encoded
from rrcore.table.reading.text_table import TextTable
from rrcore.table.stream.opening import Stream


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
    import pyarrow as pa

    columns = pa.table([encoded(column.codes, column.values) for column in table.columns], names=list(table.names))
    piece = HeldPiece(name, columns, sum(column.codes.nbytes for column in table.columns))
    return Stream(table.title, table.names, (piece,), (*table.notes, *table.left_out), beside=tuple(filter(None, [table.mark])))
