"""Randomizing a table of any size for real: batches of codes, the exact sampler, one file that is written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from rrcore.arrays import Booleans, Codes
from rrcore.errors import InputError
from rrcore.files import check_new_file, new_file
from rrcore.mark import check_not_randomised, check_unmarked
from rrcore.progress import Report, quiet
from rrcore.promise.coder import HOW_TO_MEND, answers_coder
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomise_codes
from rrcore.promise.trailer import Trailer, new_draw, write_release
from rrcore.table.scanning import DROPPED, GONE, Coder, Lookup, column_codes, survey, through
from rrcore.table.source import Piece, Source
from rrcore.wording import count_text
from rrcore.writing import Column, columns_of, kind_of


def randomise_stream(
    mechanism: MechanismFile,
    stream: Source,
    out: Path,
    *,
    coder: Coder | None = None,
    known: Sequence[str] = (),
    within: Callable[[Trailer], AbstractContextManager[Any]] | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Randomized:
    """Randomize the true answers of a table of any size into a CSV or Parquet file.

    The ending of the name says which of the two. A run that is interrupted leaves nothing.

    Parameters
    ----------
    mechanism : MechanismFile
    stream : Source with a column for each of its attributes
    out : Path of a file that does not exist yet
    coder : turns the columns into codes of the attributes. Records with an answer that it drops are left out
    known : names of columns that are published unchanged
    within : takes the trailer and returns a context, which is entered when the file is complete and left when it has its name
    executor : randomizes the pieces of the table. None does so in this process
    report : called with the fraction of the bytes that is randomized

    Returns
    -------
    Randomized
        The numbers of records, and which draw it is.

    Raises
    ------
    InputError
        If the file exists, a record cannot be randomized, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rrcore as rr
    >>> from rrcore.promise.stream import randomise_stream
    >>> from rrcore.table.opening import open_stream
    >>> folder, table = Path(tempfile.mkdtemp()), rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> _ = (folder / "true.csv").write_text(table.to_csv())
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> found = randomise_stream(file, open_stream(folder / "true.csv"), folder / "released.parquet")
    >>> found.trailer.rows, sorted(path.name for path in folder.iterdir())
    (2201, ['released.parquet', 'true.csv'])
    """
    check_new_file(out)
    kind, made = kind_of(out.name), list[Randomized]()

    @contextmanager
    def placed() -> Iterator[None]:
        with nullcontext() if within is None else within(made[0].trailer):
            yield

    with new_file(out, within=placed()) as file:
        made.append(
            write_randomised(mechanism, stream, file, kind=kind, coder=coder, known=known, executor=executor, report=report)
        )
    return made[0]


def write_randomised(
    mechanism: MechanismFile,
    stream: Source,
    out: IO[bytes],
    *,
    kind: str = "csv",
    coder: Coder | None = None,
    known: Sequence[str] = (),
    executor: Executor | None = None,
    report: Report = quiet,
) -> Randomized:
    """Randomize as ``randomise_stream`` does, into an open binary file of the ``kind`` "csv" or "parquet"."""
    job, left_out = _job(mechanism, stream, coder, known, executor), 0

    def parts() -> Iterator[list[np.ndarray]]:
        nonlocal left_out
        for part, more in through(job.randomised, stream.parts, executor, report):
            left_out += more
            yield part

    trailer = write_release(out, job.columns, parts(), mechanism.sha256, new_draw(), kind=kind)
    return Randomized(trailer, left_out)


@dataclass(frozen=True)
class Randomized:
    """A table that was randomized.

    Parameters
    ----------
    trailer : Trailer, with the number of records and which draw it is
    left_out : number of records that were left out
    """

    trailer: Trailer
    left_out: int


def _job(mechanism: MechanismFile, stream: Source, coder: Coder | None, known: Sequence[str], executor: Executor | None) -> _Job:
    check_not_randomised(stream.names, stream.title)
    check_unmarked(stream.marks(mechanism.schema.names), f"Randomizing '{stream.title}'")
    how = answers_coder(stream, mechanism.schema) if coder is None else coder
    stream.check(how.names)
    for name in known:
        if name not in stream.names or name in how.names:
            raise InputError(f"'{name}' cannot be published unchanged. The table has no such column, or it is randomized.")
    found = survey(stream, names=tuple(known), executor=executor) if known else None
    for name in known:
        if found is not None and name in found.left_out:
            raise InputError(f"'{name}' cannot be published unchanged. {found.left_out[name]}")
    return _Job(mechanism, how, tuple(Column(each.name, each.values) for each in found.columns) if found else ())


@dataclass(frozen=True)
class _Job:
    """What becomes of each piece of a table. Picklable.

    Parameters
    ----------
    mechanism : MechanismFile
    coder : Coder of its attributes
    known : the columns that are published unchanged
    """

    mechanism: MechanismFile
    coder: Coder
    known: tuple[Column, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the release."""
        return (*columns_of(self.mechanism.reports), *self.known)

    def randomised(self, piece: Piece, *, report: Report = quiet) -> Iterator[tuple[list[np.ndarray], int]]:
        """Yield the records of a piece batch by batch, and how many others are left out.

        Records are randomized codes, then those of the known columns.
        """
        lookups = [Lookup({value: code for code, value in enumerate(column.values)}) for column in self.known]
        before, width = 0, len(self.coder.names)
        for batch in piece.batches((*self.coder.names, *(column.name for column in self.known)), report=report):
            codes = self.coder(batch.select(range(width)))
            kept = (codes != DROPPED).all(axis=1)
            self._check_usable(codes, kept, piece, before)
            before += len(codes)
            others = [
                column_codes(column.name, batch.column(width + i), lookup, len(column.values))[kept]
                for i, (column, lookup) in enumerate(zip(self.known, lookups, strict=True))
            ]
            drawn = randomise_codes(self.mechanism, codes if kept.all() else codes[kept]) if kept.any() else codes[kept]
            yield [*drawn.T, *others], int(np.count_nonzero(~kept))

    def _check_usable(self, codes: Codes, kept: Booleans, piece: Piece, before: int) -> None:
        if codes.size and codes.min() < 0 and (unusable := (codes < 0) & kept[:, None]).any():
            row, column = (int(place[0]) for place in np.nonzero(unusable))
            name = self.mechanism.schema.names[column]
            why = f"no answer to '{name}'" if codes[row, column] == GONE else f"an answer to '{name}' that is not a category"
            number = count_text(piece.start + before + row + 1)
            raise InputError(f"Record {number} of '{piece.content.name}' cannot be randomized: {why}. {HOW_TO_MEND}")
