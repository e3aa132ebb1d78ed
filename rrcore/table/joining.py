"""Tables that were written apart, by any number of workers, joined into one byte for byte: nothing is decoded again."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from rrcore.table.footer import MAGIC, Footer
from rrcore.table.writing import Column, csv_cell, csv_header, parquet_file
from rrcore.work import Report, quiet

_AT_ONCE = 1 << 20  # bytes


def join_tables(
    out: IO[bytes], columns: Sequence[Column], paths: Sequence[Path], kind: str, *, end: str = "", report: Report = quiet
) -> None:
    """Write the records of files that ``table_writer`` made of the same columns as one file, in the order of the files.

    Parameters
    ----------
    out : an open binary file
    columns : those of the files
    paths : one file or more, one record or more in the last
    kind : "csv" or "parquet", as the files are
    end : what the last cell of the last record, empty in its file, says in place of nothing
    report : is told the fraction of the bytes that is written

    Examples
    --------
    >>> import io, tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from rrcore.table.joining import join_tables
    >>> from rrcore.table.writing import Column, table_writer
    >>> columns, paths = [Column("smokes", ("no", "yes")), Column("end", ())], []
    >>> for code in (0, 1):
    ...     paths.append(Path(tempfile.mkdtemp()) / "part.csv")
    ...     with paths[-1].open("wb") as file, table_writer(file, columns) as writer:
    ...         writer.write([np.array([code]), np.array([-1])])
    >>> out = io.BytesIO()
    >>> join_tables(out, columns, paths, "csv", end="2 rows")
    >>> out.getvalue()
    b'smokes,end\\nno,\\nyes,2 rows\\n'
    """
    join = _join_csv if kind == "csv" else _join_parquet
    for number in join(out, columns, paths, end):
        report(number / len(paths), "")


def _join_csv(out: IO[bytes], columns: Sequence[Column], paths: Sequence[Path], end: str) -> Iterator[int]:
    head = csv_header(columns)
    out.write(head)
    for number, path in enumerate(paths, 1):
        with path.open("rb") as file:
            file.seek(len(head))
            _copy(file, path.stat().st_size - len(head) - (1 if end and number == len(paths) else 0), out)
        yield number
    if end:
        out.write(f"{csv_cell(end)}\n".encode())


def _join_parquet(out: IO[bytes], columns: Sequence[Column], paths: Sequence[Path], end: str) -> Iterator[int]:
    out.write(MAGIC)
    joined = _Joined(out)
    for number, path in enumerate(paths, 1):
        last = bool(end) and number == len(paths)
        with path.open("rb") as file:
            joined.add(file, leave=1 if last else 0)
            if last:
                joined.add(_ended(file, end))
        yield number
    out.write(joined.footer())


class _Joined:
    """Row groups of several files one after the other."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out, self._place = out, len(MAGIC)
        self._first: Footer | None = None
        self._groups: list[bytes] = []
        self._rows = 0

    def add(self, file: IO[bytes], *, leave: int = 0) -> None:
        """Add the row groups of an open file, but the last ``leave`` ones."""
        footer = Footer.of(file)
        self._first = self._first or footer
        assert footer.schema == self._first.schema, "the files have the same columns"
        groups = footer.groups
        count = len(groups) - leave
        self._groups += [group.moved(self._place - len(MAGIC)) for group in groups[:count]]
        self._rows += sum(group.rows for group in groups[:count])
        size = (groups[count].start if leave else footer.start) - len(MAGIC)
        file.seek(len(MAGIC))
        _copy(file, size, self._out)
        self._place += size

    def footer(self) -> bytes:
        """What stands at the end of the file."""
        assert self._first is not None
        return self._first.over(self._rows, self._groups)


def _ended(file: IO[bytes], end: str) -> IO[bytes]:
    """The last row group of a file with its last cell filled in, as a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    with pq.ParquetFile(file) as source:
        group = source.read_row_group(source.num_row_groups - 1)
        told = pa.array([end]).take(pa.array([None] * (group.num_rows - 1) + [0], pa.int32())).dictionary_encode()
        with parquet_file(out, source.schema_arrow) as writer:
            writer.write_table(group.set_column(group.num_columns - 1, source.schema_arrow.field(-1), told))
    out.seek(0)
    return out


def _copy(file: IO[bytes], size: int, out: IO[bytes]) -> None:
    """The next ``size`` bytes of an open file."""
    while size:
        piece = file.read(min(size, _AT_ONCE))
        assert piece, "a file of our own is whole"
        out.write(piece)
        size -= len(piece)
