"""The trailer of a file of randomised answers: whose they are and how many rows there are, so that a file that was cut short is noticed.

It stands in a column of its own, ``rr_release``, which is empty in every row but the last: whatever reads tables reads it as one more column.
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


def new_draw() -> str:
    """What tells a draw from any other."""
    return secrets.token_hex(16)


def check_trailers(texts: Iterable[str], found: int, name: str) -> tuple[Trailer, ...]:
    """The trailers of the file called ``name``, with ``found`` rows, from their texts.

    Raises
    ------
    InputError
        If rows are missing or too many.
    """
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
    columns: Sequence[Column],
    parts: Iterable[Sequence[np.ndarray]],
    mechanism: str,
    draw: str,
    *,
    kind: str = "csv",
) -> Trailer:
    """Write randomized answers with their trailer, which is returned.

    Parameters
    ----------
    out : an open binary file
    columns : those of the answers, and further ones
    parts : codes of some records each, an array for every column
    mechanism, draw : as in ``Trailer``
    kind : "csv" or "parquet"

    Raises
    ------
    InputError
        If there is no record.
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
            raise InputError("Every record of the table is left out, so there is nothing to publish.")
        trailer = Trailer(mechanism, rows, draw)
        write(held, end=trailer.text)
    return trailer


def release_columns(columns: Sequence[Column]) -> list[Column]:
    """The columns of a release, the last of which has room for the trailer."""
    return [*columns, Column(RELEASE, ())]


def dataset_parts(dataset: Dataset, beside: Sequence[TextColumn] = (), *, report: Report = quiet) -> Iterator[list[np.ndarray]]:
    """Yield the codes of a table in memory and of the columns ``beside`` it, some records at a time, for ``write_release``.

    ``report`` is called with the fraction done.
    """
    for start in range(0, dataset.n, AT_ONCE):
        report(start / dataset.n, f"{count_text(start)} of {counted(dataset.n, 'person', 'people')} written")
        rows = slice(start, start + AT_ONCE)
        yield [*dataset.codes[rows].T, *(column.codes[rows] for column in beside)]
