"""Write any number of records as CSV or Parquet, in batches."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rrcore.errors import InputError
from rrcore.mark import METADATA_KEY, TRUE_SHARES, simulation_mark
from rrcore.wording import spreadsheet_safe

_ROWS, _BYTES = 1 << 14, 1 << 25  # of CSV made at a time: more rows are slower, long texts need memory


@dataclass(frozen=True)
class Column:
    """Name and content of a column.

    Parameters
    ----------
    name : str
    values : tuple of str
        Code c stands for ``values[c]``, and -1 for an empty cell.
    ordered : bool
        Whether the order of the values is meaningful.
    mark : str
        Mark of a simulation, if the column is a mark. A Parquet file then also has the mark in its metadata.
    """

    name: str
    values: tuple[str, ...]
    ordered: bool = False
    mark: str = ""


def columns_of(schema: Any) -> tuple[Column, ...]:
    """Return a column for each attribute of a ``Schema``."""
    return tuple(Column(each.name, each.categories, each.kind == "ordinal") for each in schema.attributes)


def simulated_columns(schema: Any, seed: int, *, truth: bool = False) -> tuple[Column, ...]:
    """Return the columns of simulated records: the mark and the attributes.

    The column of the mark contains "yes" in every row.

    Parameters
    ----------
    schema : Schema
    seed : int
        Seed of the simulation, which the mark names.
    truth : bool
        Whether the records show true shares. The mark then also states this.
    """
    mark = simulation_mark(seed)
    name = "; ".join([*([TRUE_SHARES] if truth else []), mark])
    while name in schema.names:
        name = f"{name} (mark)"
    return Column(name, ("yes",), mark=mark), *columns_of(schema)


def simulated_table(dataset: Any, seed: int, kind: str = "csv", *, truth: bool = False) -> bytes:
    """Return simulated records as a CSV or Parquet file with the columns of ``simulated_columns``.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.writing import simulated_table
    >>> table = rr.Dataset(rr.Schema((rr.Attribute("smokes", ("no", "yes")),)), [[0], [1]])
    >>> print(simulated_table(table, 3).decode().splitlines()[0])
    "simulation, seed 3: not a release",smokes
    """
    out = io.BytesIO()
    with table_writer(out, simulated_columns(dataset.schema, seed, truth=truth), kind) as write:
        write([np.zeros(dataset.n, dtype=np.int8), *dataset.codes.T])
    return out.getvalue()


def kind_of(name: str) -> str:
    """Return "parquet" or "csv", depending on the ending of a file name.

    A name without an ending, such as a pipe, is CSV.

    Raises
    ------
    InputError
        For any other ending.

    Examples
    --------
    >>> kind_of("a.parquet"), kind_of("released.csv"), kind_of("-")
    ('parquet', 'csv', 'csv')
    """
    kinds = {"": "csv", ".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}
    if (ending := Path(name).suffix.lower()) not in kinds:
        raise InputError(f"'{name}' does not show the file type. Use a name that ends in .csv or .parquet.")
    return kinds[ending]


@contextmanager
def table_writer(out: IO[bytes], columns: Sequence[Column], kind: str = "csv") -> Iterator[Callable[..., None]]:
    """Return a function that writes records to an open binary file.

    The table is complete when the block has ended.

    Parameters
    ----------
    out : an open binary file
    columns : Sequence of Column
    kind : str
        "csv" or "parquet". CSV cells are safe in spreadsheets, and lines end in a line feed. Parquet columns are dictionary columns.

    Yields
    ------
    write(codes, end="")
        Takes an integer array of shape (n,) for each column, -1 for an empty cell. ``end`` is the last cell of the last record,
        which is empty.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from rrcore.writing import Column, table_writer
    >>> out = io.BytesIO()
    >>> with table_writer(out, [Column("smokes", ("no", "yes")), Column("age", ("0-9", "10+"))]) as write:
    ...     write([np.array([0, 1]), np.array([-1, 1])])
    >>> print(out.getvalue().decode(), end="")
    smokes,age
    no,
    yes,10+
    """
    if kind == "csv":
        yield _csv(out, columns)
        return
    mark = next((column.mark for column in columns if column.mark), "")
    fields = [pa.field(c.name, pa.dictionary(pa.int32(), pa.string(), ordered=c.ordered)) for c in columns]
    schema = pa.schema(fields, metadata={METADATA_KEY: mark} if mark else None)

    def write(codes: Sequence[np.ndarray], end: str = "") -> None:
        indices = [pa.array(own, pa.int32(), mask=own < 0) for own in codes]
        cells = [
            pa.DictionaryArray.from_arrays(own, pa.array(column.values, pa.string()), ordered=column.ordered)
            for own, column in zip(indices, columns, strict=True)
        ]
        if end:
            cells[-1] = pa.array([*[None] * (len(codes[0]) - 1), end]).dictionary_encode()
        file.write_table(pa.table(cells, schema=schema))

    # statistics would serve searches only, and take a third of the time
    with pq.ParquetWriter(out, schema, write_statistics=False) as file:
        yield write


def _csv(out: IO[bytes], columns: Sequence[Column]) -> Callable[..., None]:
    """Write the names and return the function that writes records."""
    empty = '""' if len(columns) == 1 else ""  # an empty line would be no row
    ends = [*[","] * (len(columns) - 1), "\n"]
    texts = [[text + end for text in (empty, *map(csv_cell, c.values))] for c, end in zip(columns, ends, strict=True)]
    most = max(1, min(_ROWS, _BYTES // sum(max(len(text.encode()) for text in own) for own in texts)))
    cells = [pa.array(own, pa.large_string()) for own in texts]
    out.write((",".join(csv_cell(column.name) for column in columns) + "\n").encode())

    def write(codes: Sequence[np.ndarray], end: str = "") -> None:
        for start in range(0, len(codes[0]), most):
            parts = [pa.array(own[start : start + most].astype(np.int32) + 1) for own in codes]
            parts = [own.take(part) for own, part in zip(cells, parts, strict=True)]
            lines = pc.binary_join_element_wise(*parts, pa.scalar("", pa.large_string()))
            size = np.frombuffer(lines.buffers()[1], np.int64)[len(lines)]
            last = end and start + most >= len(codes[0])
            out.write(memoryview(lines.buffers()[2])[: size - 1 if last else size])
        if end:
            out.write(f"{csv_cell(end)}\n".encode())

    return write


def csv_cell(text: str) -> str:
    """Return the text in the format of the csv module, safe for a spreadsheet."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([spreadsheet_safe(text), ""])  # which quotes either of the two
    return out.getvalue()[:-3]
