"""The trailer of a file of randomised answers: whose they are and how many rows there are, so that a file that was cut short is noticed.

It stands in a column of its own, ``rr_release``, which is empty in every row but the last: whatever reads tables reads it as one more column.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import numpy as np

from rrcore.errors import InputError
from rrcore.progress import Report, quiet
from rrcore.table.dataset import Dataset
from rrcore.table.reading import TextColumn, TextTable
from rrcore.table.schema import Schema
from rrcore.table.stream import is_table
from rrcore.table.writing import Column, columns_of, table_writer
from rrcore.wording import count_text, counted

RELEASE = "rr_release"
"""Name of the column."""

AT_ONCE = 1 << 16
"""People between two reports of progress."""

_TAIL = 1 << 10  # bytes at the end of a CSV in which the trailer stands
_TEXT = re.compile(r"mechanism ([0-9a-f]{64}) draw ([0-9a-f]{32}) rows ([1-9][0-9]{0,17})")


@dataclass(frozen=True)
class Trailer:
    """What the last row says.

    Parameters
    ----------
    mechanism : str, SHA-256 of the mechanism file
    rows : int
    draw : str, 32 random hexadecimal digits that belong to this one draw; the same wherever it is given out again

    Examples
    --------
    >>> from rrcore.promise.trailer import Trailer
    >>> Trailer("0" * 64, 2201, "1" * 32).text[-42:]
    '11111111111111111111111111111111 rows 2201'
    """

    mechanism: str
    rows: int
    draw: str

    @classmethod
    def of(cls, text: str) -> Trailer | None:
        """The trailer that a text is; None for any other text."""
        found = _TEXT.fullmatch(text)
        return None if found is None else cls(found[1], int(found[3]), found[2])

    @property
    def text(self) -> str:
        """As it is written."""
        return f"mechanism {self.mechanism} draw {self.draw} rows {self.rows}"

    @property
    def column(self) -> Column:
        """The column that it stands in."""
        return Column(RELEASE, (self.text,))


def new_draw() -> str:
    """What tells a draw from any other."""
    return secrets.token_hex(16)


def take_trailers(table: TextTable, name: str) -> tuple[TextTable, tuple[Trailer, ...]]:
    """The table of the file called ``name`` without its trailers, and these; none where it never had any.

    Raises
    ------
    InputError
        If rows are missing or too many.
    """
    column = next((column for column in table.columns if column.name == RELEASE), None)
    if column is None:
        return table, ()
    texts = [column.values[code] for code in column.codes[column.codes >= 0]]
    trailers = check_trailers(texts, len(column.codes), name)
    return replace(table, columns=tuple(other for other in table.columns if other is not column)), trailers


def check_trailers(texts: Iterable[str], found: int, name: str) -> tuple[Trailer, ...]:
    """The trailers of the file called ``name``, with ``found`` rows, from their texts. Raises InputError as ``take_trailers``."""
    trailers = list[Trailer]()
    for text in texts:
        trailer = Trailer.of(text)
        if trailer is None:
            raise InputError(f"The last row of the file '{name}' was changed or cut short: copy or download the file again.")
        trailers.append(trailer)
    if not trailers:
        raise InputError(
            f"The file '{name}' is cut short: its last row, which says how many there are, is missing. Copy or download it again."
        )
    rows = sum(trailer.rows for trailer in trailers)
    if rows != found:
        raise InputError(
            f"The file '{name}' has {counted(found, 'row', 'rows')} and should have {count_text(rows)}: it was cut short or "
            f"changed. Take the whole file; where rows were left out on purpose, delete its column '{RELEASE}'."
        )
    if len({trailer.draw for trailer in trailers}) < len(trailers):
        raise InputError(f"The file '{name}' holds the same randomised answers twice: leave one copy out.")
    return tuple(trailers)


def check_one_release(first: str, last: int, texts: Sequence[str], found: int, name: str) -> tuple[Trailer, ...]:
    """``check_trailers`` of files that follow each other, of which the last has a trailer, and ``last`` rows of the ``found`` in all.

    Where its trailer is of its own rows alone, each is a release: then ``first``, which has none, was cut short.
    """
    if last < found and sum(trailer.rows for text in texts if (trailer := Trailer.of(text)) is not None) == last:
        check_trailers([], found - last, first)
    return check_trailers(texts, found, name)


def read_trailer(path: Path) -> Trailer | None:
    """What a finished file of randomised answers, CSV or Parquet, or a folder of its parts says of itself; None for any other.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    if path.is_dir():
        last = max(filter(is_table, path.iterdir()), default=None)
        return None if last is None else read_trailer(last)
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            file.seek(max(0, path.stat().st_size - _TAIL))
            tail = file.read().decode(errors="replace")
            return Trailer.of(tail[:-1].rpartition(",")[2]) if tail.endswith("\n") else None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as table:
            last = table.read_row_group(table.num_row_groups - 1, columns=[RELEASE]).column(0)
            return Trailer.of(str(last[-1].as_py()))
    except (pa.ArrowException, KeyError, IndexError):
        return None


def handed_in_before(trailers: Sequence[Trailer], receipts: set[str], name: str) -> bool:
    """Whether the draws of the file called ``name`` are among ``receipts``, those of the files before; else they are added.

    Raises
    ------
    InputError
        If only some of them are.
    """
    draws = {trailer.draw for trailer in trailers}
    before = draws & receipts
    if before and before < draws:
        raise InputError(f"The file '{name}' holds answers of which another file has a part: leave that part out of one of them.")
    receipts |= draws
    return bool(before)


def write_release(
    out: IO[bytes],
    reports: Schema,
    parts: Iterable[Sequence[np.ndarray]],
    trailer: Trailer,
    *,
    kind: str = "csv",
    more: Sequence[Column] = (),
) -> None:
    """Write randomised answers with their trailer.

    Parameters
    ----------
    out : an open binary file
    reports : Schema of what is handed in
    parts : codes of some records each, an array for every attribute and then for every column of ``more``
    trailer : Trailer
    kind : "csv" or "parquet"
    more : further columns
    """
    left = trailer.rows
    with table_writer(out, [*columns_of(reports), *more, trailer.column], kind) as writer:
        for codes in parts:
            if not len(codes[0]):
                continue
            last = np.full(len(codes[0]), -1, dtype=np.int8)
            left -= len(last)
            last[-1] = 0 if left == 0 else -1
            writer.write([*codes, last])
    assert left == 0, "a release has as many rows as it says"


def part_columns(reports: Schema) -> tuple[Column, ...]:
    """The columns of a part of a release, the last one with room for the trailer."""
    return *columns_of(reports), Column(RELEASE, ())


def dataset_parts(dataset: Dataset, beside: Sequence[TextColumn] = (), *, report: Report = quiet) -> Iterator[list[np.ndarray]]:
    """The codes of a table in memory, and of columns ``beside`` it, for ``write_release``, some records at a time.

    ``report`` is told how many are done.
    """
    for start in range(0, dataset.n, AT_ONCE):
        report(start / dataset.n, f"{count_text(start)} of {counted(dataset.n, 'person', 'people')} written")
        rows = slice(start, start + AT_ONCE)
        yield [*dataset.codes[rows].T, *(column.codes[rows] for column in beside)]
