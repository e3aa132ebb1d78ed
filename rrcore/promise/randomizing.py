"""Randomize a table of any size in batches, into one complete file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np

from rrcore.arrays import Booleans, Codes
from rrcore.errors import InputError
from rrcore.files import check_new_file, new_file
from rrcore.mark import check_not_randomized, check_unmarked, marks_in
from rrcore.progress import Report, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.name_matching import HOW_TO_MEND, answers_coder
from rrcore.promise.sampler import randomize_codes
from rrcore.promise.trailer import Trailer, new_draw, write_release
from rrcore.table.dataset import Dataset
from rrcore.table.opening import given_table, open_stream
from rrcore.table.reading.arrow import ArrowStream, open_arrow
from rrcore.table.scanning import DROPPED, GONE, Coder, Lookup, column_codes, survey, through
from rrcore.table.schema import Schema
from rrcore.table.source import Piece, Source
from rrcore.wording import count_text
from rrcore.wording.short import shortened, some
from rrcore.writing import Column, columns_of, kind_of


def randomize(
    table: Dataset | ArrowStream | str | PathLike[str],
    mechanism: MechanismFile | str | PathLike[str],
    *,
    out: str | PathLike[str] | None = None,
    keep_columns: str | Sequence[str] = (),
) -> Any:
    """Randomize true answers with the system's random number generator.

    There is no seed, so every call draws different records. Publishing two draws of the same answers spends the privacy budget twice.

    Parameters
    ----------
    table : Dataset, path, or data frame
        True answers, with a column for each attribute of the mechanism. With ``out`` they can be of any size.
    mechanism : MechanismFile or path
        How to randomize.
    out : path, optional
        A CSV or Parquet file that does not exist yet. Its last column ``rr_release`` says in the last row which mechanism file
        randomized how many records, and ``read_answers`` checks that.
    keep_columns : str or list of str
        Columns that are published unchanged in ``out``.

    Returns
    -------
    Dataset or Randomized
        The randomized answers, or what was written to ``out``.

    Raises
    ------
    InputError
        If a record cannot be randomized, or the file cannot be written.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> file = rr.MechanismFile.from_plan(rr.Plan(table, epsilon=1.0))
    >>> rr.randomize(table, file).n
    2201
    """
    file = MechanismFile.given(mechanism)
    if out is None:
        return randomize_dataset(file, given_table(table, file.schema))
    source = open_stream(table) if isinstance(table, str | PathLike) else open_arrow(table)[0]
    if isinstance(table, Dataset):
        source = replace(source, mark=marks_in([table.title]), title=table.title)
    kept = (keep_columns,) if isinstance(keep_columns, str) else keep_columns
    return randomize_stream(file, source, Path(out), keep_columns=kept)


def randomize_dataset(mechanism: MechanismFile, answers: Dataset) -> Dataset:
    """Randomize true answers in memory, as ``randomize`` does.

    Raises
    ------
    InputError
        If the mechanism is for other questions, or the title has the mark of a simulation.
    """
    if answers.schema != mechanism.schema:
        raise _other_schema(answers.schema, mechanism.schema)
    check_unmarked(marks_in([answers.title]), f"Randomizing '{answers.title}'")
    return Dataset(mechanism.reports, randomize_codes(mechanism, answers.codes), answers.title)


def _other_schema(found: Schema, wanted: Schema) -> InputError:
    """Return the error for true answers with other attributes or categories than the mechanism file."""
    if found.names != wanted.names:
        names = f"The table has the attributes {some(found.names)}. The mechanism file has {some(wanted.names)}."
        return InputError(f"{names} Use the mechanism file of this table.")
    pairs = [pair for pair in zip(found.attributes, wanted.attributes, strict=True) if pair[0] != pair[1]]
    own, asked = max(pairs, key=lambda pair: not set(pair[0].categories) <= set(pair[1].categories))
    other = some([each for each in own.categories if each not in asked.categories] or own.categories)
    what = f"The column '{own.name}' has the categories {other}. The mechanism file has {some(asked.categories, 20)}."
    return InputError(f"{what} Correct these answers, or use the mechanism file of this table.", quoted=other)


def randomize_stream(
    mechanism: MechanismFile,
    stream: Source,
    out: Path,
    *,
    coder: Coder | None = None,
    keep_columns: Sequence[str] = (),
    within: Callable[[Trailer], AbstractContextManager[Any]] | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Randomized:
    """Randomize a table of true answers of any size into a CSV or Parquet file.

    The ending of the file name determines the format. An interrupted run leaves no file behind.

    Parameters
    ----------
    mechanism : MechanismFile
    stream : Source with a column for each of its attributes
    out : Path of a file that does not exist yet
    coder : converts the columns to codes; records with an answer that it drops are left out
    keep_columns : names of columns that are published unchanged
    within : function of the trailer that returns a context, which is entered when the file is complete and exited when it has its name
    executor : executor that randomizes the pieces of the table; None uses this process
    report : called with the fraction of bytes randomized

    Returns
    -------
    Randomized
        The numbers of records, and the name of the draw.

    Raises
    ------
    InputError
        If the file exists, a record cannot be randomized, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rrcore as rr
    >>> from rrcore.budget import build
    >>> from rrcore.promise import integer_groups
    >>> from rrcore.promise.randomizing import randomize_stream
    >>> from rrcore.table.opening import open_stream
    >>> folder, table = Path(tempfile.mkdtemp()), rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> _ = (folder / "true.csv").write_text(table.to_csv())
    >>> file = rr.MechanismFile(table.schema, integer_groups(build("independent", (2, 2), [1.0, 1.0])))
    >>> found = randomize_stream(file, open_stream(folder / "true.csv"), folder / "released.parquet")
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
            write_randomized(
                mechanism, stream, file, kind=kind, coder=coder, keep_columns=keep_columns, executor=executor, report=report
            )
        )
    return made[0]


def write_randomized(
    mechanism: MechanismFile,
    stream: Source,
    out: IO[bytes],
    *,
    kind: str = "csv",
    coder: Coder | None = None,
    keep_columns: Sequence[str] = (),
    executor: Executor | None = None,
    report: Report = quiet,
) -> Randomized:
    """Randomize as ``randomize_stream`` does, into an open binary file.

    The ``kind`` of the file is "csv" or "parquet".
    """
    job, left_out = _job(mechanism, stream, coder, keep_columns, executor), 0

    def parts() -> Iterator[list[np.ndarray]]:
        nonlocal left_out
        for part, more in through(job.randomized, stream.parts, executor, report):
            left_out += more
            yield part

    trailer = write_release(out, job.columns, parts(), mechanism.sha256, new_draw(), kind=kind)
    return Randomized(trailer, left_out)


@dataclass(frozen=True)
class Randomized:
    """Result of randomizing a table.

    Parameters
    ----------
    trailer : Trailer with the number of records and the name of the draw
    left_out : number of records that were left out
    """

    trailer: Trailer
    left_out: int


def _job(mechanism: MechanismFile, stream: Source, coder: Coder | None, kept: Sequence[str], executor: Executor | None) -> _Job:
    check_not_randomized(stream.names, stream.title)
    check_unmarked(stream.marks(mechanism.schema.names), f"Randomizing '{stream.title}'")
    how = answers_coder(stream, mechanism.schema) if coder is None else coder
    stream.check(how.names)
    for name in kept:
        if name not in stream.names or name in how.names:
            raise InputError(
                f"'{name}' cannot be published unchanged, because it is randomized or not in the table. Choose another column."
            )
    found = survey(stream, names=tuple(kept), executor=executor) if kept else None
    for name in kept:
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

    def randomized(self, piece: Piece, *, report: Report = quiet) -> Iterator[tuple[list[np.ndarray], int]]:
        """Yield the records of a piece in batches, and the number of records left out.

        A record has randomized codes, followed by the codes of the known columns.
        """
        lookups = [Lookup({value: code for code, value in enumerate(column.values)}) for column in self.known]
        before, width = 0, len(self.coder.names)
        for batch in piece.batches((*self.coder.names, *(column.name for column in self.known)), report=report):
            codes = self.coder(batch.select(range(width)))
            kept = (codes != DROPPED).all(axis=1)
            self._check_usable(codes, kept, piece, before, batch)
            before += len(codes)
            others = [
                column_codes(column.name, batch.column(width + i), lookup, len(column.values))[kept]
                for i, (column, lookup) in enumerate(zip(self.known, lookups, strict=True))
            ]
            drawn = randomize_codes(self.mechanism, codes if kept.all() else codes[kept]) if kept.any() else codes[kept]
            yield [*drawn.T, *others], int(np.count_nonzero(~kept))

    def _check_usable(self, codes: Codes, kept: Booleans, piece: Piece, before: int, batch: Any) -> None:
        if codes.size and codes.min() < 0 and (unusable := (codes < 0) & kept[:, None]).any():
            row, column = (int(place[0]) for place in np.nonzero(unusable))
            name = self.mechanism.schema.names[column]
            text = "" if codes[row, column] == GONE else shortened(str(batch.column(column)[row]))
            why = f"the answer '{text}' to '{name}' is not a category" if text else f"no answer to '{name}'"
            number = count_text(piece.start + before + row + 1)
            raise InputError(f"Record {number} of '{piece.content.name}' cannot be randomized: {why}. {HOW_TO_MEND}", quoted=text)
