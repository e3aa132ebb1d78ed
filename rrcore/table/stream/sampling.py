"""A random sample of the records of a stream, drawn in one pass."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rrcore.errors import InputError
from rrcore.progress import Report, quiet
from rrcore.table.dataset import Dataset
from rrcore.table.mark import marked_title
from rrcore.table.stream.coder import Coder, missing_column
from rrcore.table.stream.opening import Stream
from rrcore.table.stream.piece import Piece
from rrcore.table.stream.spread import work_through


def sample_stream(stream: Stream, how: Coder, n: int, *, rng: np.random.Generator, report: Report = quiet) -> Dataset:
    """At most ``n`` records, every set of n as likely as any other, in the order of the table; all of them where there are no more.

    Each record draws a number, and those with the smallest stay. Records with an answer that ``how`` has no code for are left out.

    Parameters
    ----------
    stream : Stream
    how : Coder
    n : most records
    rng : numpy Generator
    report : is told the fraction of the bytes that is read

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> import rrcore as rr
    >>> from rrcore.table.stream import coder, open_stream, sample_stream
    >>> table = rr.load_demo("titanic")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder, "titanic.csv")
    ...     _ = place.write_text(table.to_csv())
    ...     some = sample_stream(open_stream(place), coder(table.schema), 100, rng=np.random.default_rng(0))
    >>> some.n, some.schema == table.schema
    (100, True)
    """
    missing_column(stream, how.names)
    kept = _Kept(n)

    def look(piece: Piece, *, report: Report = quiet) -> None:
        for batch in piece.batches(how.names, report=report):
            codes = how(batch)
            kept.add(rng.random(len(codes)), codes)

    for _ in work_through(look, stream, None, report):
        pass
    kept.cut()
    codes = np.concatenate(kept.codes)
    if not len(codes):
        raise InputError("Every record lacks an answer that is needed: leave a column out, or let missing be a category.")
    return Dataset(how.schema, codes, marked_title(stream.title, stream.mark()))


@dataclass
class _Kept:
    """The records with the ``n`` smallest numbers so far, and some more."""

    n: int
    most: float = 1.0
    held: int = 0
    numbers: list[np.ndarray] = field(default_factory=list)
    codes: list[np.ndarray] = field(default_factory=list)

    def add(self, drawn: np.ndarray, codes: np.ndarray) -> None:
        rows = np.flatnonzero((drawn <= self.most) & (codes >= 0).all(axis=1))
        self.codes.append(codes[rows])
        self.numbers.append(drawn[rows])
        self.held += len(rows)
        if self.held > 2 * self.n:
            self.most, self.held = self.cut(), self.n

    def cut(self) -> float:
        """Let go of all but the n records with the smallest numbers; the largest of these."""
        drawn, codes = np.concatenate(self.numbers), np.concatenate(self.codes)
        if len(drawn) <= self.n:
            return 1.0
        limit = float(np.partition(drawn, self.n - 1)[self.n - 1])
        rows = np.flatnonzero(drawn <= limit)[: self.n]
        self.numbers, self.codes = [drawn[rows]], [codes[rows]]
        return limit
