"""The trailer of a file of randomized answers, which reveals truncated files.

The trailer names the mechanism file and the number of rows. It is in the column ``rr_release``, which is empty in all rows but
the last. Programs that read tables treat it as an additional column.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np

from rrcore.errors import InputError
from rrcore.mark import RELEASE
from rrcore.progress import Report, quiet
from rrcore.table.dataset import Dataset
from rrcore.table.text_table import TextColumn
from rrcore.wording import count_text, counted
from rrcore.writing import Column, table_writer

AT_ONCE = 1 << 16
"""People between two reports of progress."""

_TEXT = re.compile(r"mechanism ([0-9a-f]{64}) draw ([0-9a-f]{32}) rows ([1-9][0-9]{0,17})")


@dataclass(frozen=True)
class Trailer:
    """Content of the last row.

    Parameters
    ----------
    mechanism : str, SHA-256 of the mechanism file
    rows : int
    draw : str, 32 random hexadecimal digits that identify this draw, also if it is published again

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
        """Return the trailer in a string, or None for any other string."""
        found = _TEXT.fullmatch(text)
        return None if found is None else cls(found[1], int(found[3]), found[2])

    @property
    def text(self) -> str:
        """Text of the trailer in the file."""
        return f"mechanism {self.mechanism} draw {self.draw} rows {self.rows}"


def new_draw() -> str:
    """Return a unique name of a draw."""
    return secrets.token_hex(16)


def check_trailers(texts: Iterable[str], found: int, name: str) -> tuple[Trailer, ...]:
    """Return the trailers of the file ``name``, which has ``found`` rows.

    Raises
    ------
    InputError
        If the file has too few or too many rows.
    """
    trailers = list[Trailer]()
    for text in texts:
        trailer = Trailer.of(text)
        if trailer is None:
            raise InputError(f"The last row of the file '{name}' was changed or truncated. Copy or download the file again.")
        trailers.append(trailer)
    if not trailers:
        raise InputError(
            f"The file '{name}' is truncated. The last row, which holds the number of rows, is missing. Copy or download "
            "the file again."
        )
    rows = sum(trailer.rows for trailer in trailers)
    if rows != found:
        raise InputError(
            f"The file '{name}' has {counted(found, 'row', 'rows')} but should have {count_text(rows)}, so it was truncated "
            f"or changed. Use the complete file. If you left out rows on purpose, delete its column '{RELEASE}'."
        )
    if len({trailer.draw for trailer in trailers}) < len(trailers):
        raise InputError(f"The file '{name}' contains the same randomized answers twice. Leave one copy out.")
    return tuple(trailers)


def handed_in_before(trailers: Sequence[Trailer], receipts: set[str], name: str) -> bool:
    """Return True if the draws of the file ``name`` are among ``receipts``.

    ``receipts`` are the draws of earlier files. New draws are added to them.

    Raises
    ------
    InputError
        If only some of the draws are among them.
    """
    draws = {trailer.draw for trailer in trailers}
    before = draws & receipts
    if before and before < draws:
        raise InputError(f"The file '{name}' shares some of its answers with another file. Remove them from one of the files.")
    receipts |= draws
    return bool(before)


def write_release(
    out: IO[bytes],
    columns: Sequence[Column],
    parts: Iterable[Sequence[np.ndarray]],
    mechanism: str,
    draw: str,
    *,
    kind: str = "csv",
) -> Trailer:
    """Write randomized answers with their trailer and return the trailer.

    Parameters
    ----------
    out : an open binary file
    columns : columns of the answers, and additional columns
    parts : batches of codes, with one array for every column
    mechanism, draw : as in ``Trailer``
    kind : "csv" or "parquet"

    Raises
    ------
    InputError
        If there are no records.
    """
    rows, held = 0, list[np.ndarray]()
    with table_writer(out, release_columns(columns), kind) as write:
        for codes in parts:
            if not len(codes[0]):
                continue
            if held:
                write(held)
            held = [*codes, np.full(len(codes[0]), -1, dtype=np.int8)]
            rows += len(codes[0])
        if not held:
            raise InputError("Every record of the table is left out, so nothing can be published. Keep at least one.")
        trailer = Trailer(mechanism, rows, draw)
        write(held, end=trailer.text)
    return trailer


def release_columns(columns: Sequence[Column]) -> list[Column]:
    """Return the columns of a release.

    The last column holds the trailer.
    """
    return [*columns, Column(RELEASE, ())]


def dataset_parts(dataset: Dataset, extra: Sequence[TextColumn] = (), *, report: Report = quiet) -> Iterator[list[np.ndarray]]:
    """Yield the codes of a table and of ``extra`` columns in batches.

    ``report`` is called with the completed fraction.
    """
    for start in range(0, dataset.n, AT_ONCE):
        report(start / dataset.n, f"{count_text(start)} of {counted(dataset.n, 'person', 'people')} written")
        rows = slice(start, start + AT_ONCE)
        yield [*dataset.codes[rows].T, *(column.codes[rows] for column in extra)]
