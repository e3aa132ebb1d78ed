"""Tables of any size as codes: a dataset in memory, or a stream with what makes codes of its answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rrcore.arrays import Codes
from rrcore.errors import InputError
from rrcore.progress import Report, quiet
from rrcore.table.dataset import Dataset
from rrcore.table.mark import marked_title
from rrcore.table.reading.piece import Piece
from rrcore.table.schema import Schema
from rrcore.table.stream.coder import Coder, missing_column
from rrcore.table.stream.opening import Stream


class CodedPiece(Protocol):
    """Some records of a table as codes. Any process can read it."""

    @property
    def bytes(self) -> int:
        """Size, for progress."""
        ...

    def batches(self, *, report: Report = quiet) -> Iterator[Codes]:
        """Yield the records in their order: shape (rows, k), codes 0..a_i-1, or negative as in ``rrcore.table.stream.coder``."""
        ...


class CodedTable(Protocol):
    """What is counted, simulated and sampled: a ``Dataset``, or ``Coded``."""

    @property
    def schema(self) -> Schema: ...

    @property
    def title(self) -> str:
        """Its name, with the mark of a simulation."""
        ...

    def pieces(self) -> Sequence[CodedPiece]:
        """The records in their order, the same pieces for any number of processes."""
        ...


@dataclass(frozen=True)
class Coded:
    """A table of any size with what makes codes of its answers.

    Parameters
    ----------
    stream : Stream
    coder : Coder

    Raises
    ------
    InputError
        If the stream has no column for an attribute.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rrcore as rr
    >>> from rrcore.table.stream import Coded, coder, count, open_stream
    >>> table, place = rr.load_demo("titanic"), pathlib.Path(tempfile.mkdtemp(), "people.csv")
    >>> _ = place.write_text(table.to_csv())
    >>> count(Coded(open_stream(place), coder(table.schema)), [("Sex",)]).of(["Sex"]).tolist()
    [1731, 470]
    """

    stream: Stream
    coder: Coder

    def __post_init__(self) -> None:
        missing_column(self.stream, self.coder.names)

    @property
    def schema(self) -> Schema:
        return self.coder.schema

    @property
    def title(self) -> str:
        return marked_title(self.stream.title, self.stream.mark(self.coder.names))

    def pieces(self) -> tuple[_Piece, ...]:
        return tuple(_Piece(piece, self.coder) for piece in self.stream.pieces())


@dataclass(frozen=True)
class _Piece:
    piece: Piece
    coder: Coder

    @property
    def bytes(self) -> int:
        return self.piece.bytes

    def batches(self, *, report: Report = quiet) -> Iterator[Codes]:
        return map(self.coder, self.piece.batches(self.coder.names, report=report))


def sample(table: CodedTable, n: int, *, of: int, rng: np.random.Generator, report: Report = quiet) -> Dataset:
    """Draw ``n`` of the records of a table at random, or take all if there are no more.

    Parameters
    ----------
    table : CodedTable
    n : number of records to draw. Of these, records without all answers are left out
    of : number of records of the table
    rng : numpy Generator
    report : called with the fraction that is read

    Returns
    -------
    Dataset
        The records in the order of the table.

    Raises
    ------
    InputError
        If no record has all answers.

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> from rrcore.table.stream import sample
    >>> table = rr.load_demo("titanic")
    >>> sample(table, 100, of=table.n, rng=np.random.default_rng(0)).n
    100
    """
    drawn = np.sort(rng.choice(of, min(n, of), replace=False))
    found, before = [], 0
    for number, piece in enumerate(pieces := table.pieces()):
        for codes in piece.batches():
            first, last = np.searchsorted(drawn, [before, before + len(codes)])
            rows = codes[drawn[first:last] - before]
            found.append(rows[(rows >= 0).all(axis=1)])
            before += len(codes)
        report((number + 1) / len(pieces), "")
    codes = np.concatenate(found)
    if not len(codes):
        raise InputError("Every record lacks an answer. Leave out a column, or let missing be a category.")
    return Dataset(table.schema, codes, table.title)
