"""Writing tables of any size, CSV or Parquet, some records at a time: every file of records that leaves is written here."""

import csv
import io
import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np

from rrcore.errors import InputError
from rrcore.table.mark import BESIDE
from rrcore.table.schema import Schema
from rrcore.wording import spreadsheet_safe

_CHUNK = 1 << 16  # rows of CSV made at a time
_CHUNK_BYTES = 1 << 25  # and most of their bytes, about
_COMBINED = 1 << 12  # texts of columns that are written as one
_GROUP_CELLS = 1 << 22  # of Parquet are written as one row group, if they come in smaller parts

_KINDS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}

KINDS_TEXT = "Parquet if the name ends in .parquet, CSV if it ends in .csv or has no ending"
"""``kind_of`` in words, for the help of every command that writes a table."""


@dataclass(frozen=True)
class Column:
    """What a column is called and holds.

    Parameters
    ----------
    name : str
    values : tuple of str; code c stands for ``values[c]``, and -1 for an empty cell
    ordered : whether their order means anything
    mark : the mark of a simulation, where the column is one: a Parquet file then has it beside its columns, too
    """

    name: str
    values: tuple[str, ...]
    ordered: bool = False
    mark: str = ""


def columns_of(schema: Schema) -> tuple[Column, ...]:
    """A column for each attribute."""
    return tuple(Column(each.name, each.categories, each.kind == "ordinal") for each in schema.attributes)


def kind_of(name: str) -> str:
    """ "parquet" or "csv", by the ending of a file's name; CSV where it has none, as a pipe.

    Raises
    ------
    InputError
        For any other ending.

    Examples
    --------
    >>> kind_of("a.parquet"), kind_of("released.csv"), kind_of("-")
    ('parquet', 'csv', 'csv')
    """
    ending = Path(name).suffix.lower()
    if ending not in ("", *_KINDS):
        raise InputError(f"'{name}' does not say which kind of file it is: let it end in .csv or .parquet.")
    return _KINDS.get(ending, "csv")


class TableWriter(Protocol):
    """Takes records in their order."""

    def write(self, codes: Sequence[np.ndarray], end: str = "") -> None:
        """Write records: for each column an integer array of shape (n,), -1 where the cell is empty.

        ``end`` is the last cell of the last record, which is empty.
        """


@contextmanager
def table_writer(out: IO[bytes], columns: Sequence[Column], kind: str = "csv") -> Iterator[TableWriter]:
    """A writer to an open binary file; the table is whole when the block has ended.

    Parameters
    ----------
    out : an open binary file
    columns : Sequence of Column
    kind : "csv", every cell safe to open in a spreadsheet (see ``spreadsheet_safe``), lines ending in a line feed; or "parquet",
        dictionary columns

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from rrcore.table.writing import Column, table_writer
    >>> out = io.BytesIO()
    >>> with table_writer(out, [Column("smokes", ("no", "yes")), Column("age", ("0-9", "10+"))]) as writer:
    ...     writer.write([np.array([0, 1]), np.array([-1, 1])])
    >>> print(out.getvalue().decode(), end="")
    smokes,age
    no,
    yes,10+
    """
    if kind == "csv":
        yield _CsvWriter(out, columns)
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = [pa.field(c.name, pa.dictionary(pa.int32(), pa.string(), ordered=c.ordered)) for c in columns]
    mark = next((column.mark for column in columns if column.mark), "")
    schema = pa.schema(fields, metadata={BESIDE: mark} if mark else None)
    with pq.ParquetWriter(out, schema, write_statistics=False) as file:  # nobody searches, and they take a third of the time
        writer = _ParquetWriter(file, columns)
        yield writer
        writer.flush()


class _CsvWriter:
    """Neighbouring columns of few categories are written as one: there are few different pieces of a line then."""

    def __init__(self, out: IO[bytes], columns: Sequence[Column]) -> None:
        import pyarrow as pa

        self._out = out
        self._blocks = list(_blocks([len(column.values) + 1 for column in columns]))
        ends = [","] * (len(columns) - 1) + ["\n"]
        alone = '""' if len(columns) == 1 else ""  # an empty line would be no row
        cells = [[alone + end, *(csv_cell(v) + end for v in c.values)] for c, end in zip(columns, ends, strict=True)]
        texts = [["".join(parts) for parts in itertools.product(*(cells[i] for i in block))] for block in self._blocks]
        self._sizes = [len(own) for own in cells]
        self._texts = [pa.array(own, pa.large_string()) for own in texts]
        longest = sum(max(len(text.encode()) for text in own) for own in texts)
        self._rows = max(1, min(_CHUNK, _CHUNK_BYTES // longest))
        self._head = (",".join(csv_cell(column.name) for column in columns) + "\n").encode()
        out.write(self._head)

    def write(self, codes: Sequence[np.ndarray], end: str = "") -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        none = pa.scalar("", pa.large_string())
        n = len(codes[0])
        for start in range(0, n, self._rows):
            rows = slice(start, start + self._rows)
            parts = [
                texts.take(pa.array(self._together(block, codes, rows)))
                for texts, block in zip(self._texts, self._blocks, strict=True)
            ]
            lines = parts[0] if len(parts) == 1 else pc.binary_join_element_wise(*parts, none)
            first, last = np.frombuffer(lines.buffers()[1], np.int64)[[0, len(lines)]]
            if end and start + self._rows >= n:
                self._out.write(memoryview(lines.buffers()[2])[first : last - 1])
                self._out.write(f"{csv_cell(end)}\n".encode())
            else:
                self._out.write(memoryview(lines.buffers()[2])[first:last])

    def _together(self, block: Sequence[int], codes: Sequence[np.ndarray], rows: slice) -> np.ndarray:
        """The numbers of the texts of a block of columns."""
        number = codes[block[0]][rows].astype(np.int32) + 1
        for i in block[1:]:
            number *= self._sizes[i]
            number += codes[i][rows]
            number += 1
        return number


def _blocks(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Neighbours whose sizes have a product of at most ``_COMBINED``."""
    block: list[int] = []
    for i in range(len(sizes)):
        if block and math.prod(sizes[j] for j in [*block, i]) > _COMBINED:
            yield block
            block = []
        block.append(i)
    yield block


def csv_cell(text: str) -> str:
    """As the csv module writes it, safe for a spreadsheet."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([spreadsheet_safe(text), ""])  # which quotes either of the two
    return out.getvalue()[:-3]


class _ParquetWriter:
    def __init__(self, file: Any, columns: Sequence[Column]) -> None:
        import pyarrow as pa

        self._file, self._columns = file, columns
        self._values = [pa.array(column.values, pa.string()) for column in columns]
        self._held: list[Any] = []

    def write(self, codes: Sequence[np.ndarray], end: str = "") -> None:
        import pyarrow as pa

        if not len(codes[0]):
            return
        arrays = [
            pa.DictionaryArray.from_arrays(
                pa.array(own.astype(np.int32), mask=own < 0 if own.min(initial=0) < 0 else None), values, ordered=column.ordered
            )
            for own, values, column in zip(codes, self._values, self._columns, strict=True)
        ]
        if sum(table.num_rows for table in self._held) + len(codes[0]) > _GROUP_CELLS // len(self._columns):
            self.flush()
        table = pa.table(arrays, schema=self._file.schema)
        self._held.append(self._ended(table, end) if end else table)

    def _ended(self, table: Any, end: str) -> Any:
        """The table with ``end`` in its last cell, the only one of its column that is not empty."""
        import pyarrow as pa

        last = pa.array([*[None] * (table.num_rows - 1), end]).dictionary_encode()
        return table.set_column(table.num_columns - 1, self._file.schema.field(-1), last)

    def flush(self) -> None:
        """Write what is held back."""
        import pyarrow as pa

        if self._held:
            self._file.write_table(pa.concat_tables(self._held))
            self._held.clear()
