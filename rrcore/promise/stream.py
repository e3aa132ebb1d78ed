"""Randomising a table of any size for real: piece by piece, with bounded memory, in any number of processes, stopped and taken up again.

Pieces that are finished are kept in a folder beside the file to be. They hold randomised answers only, as they are to stand in the file, and
are never drawn again. When all are there they become the parts of a folder, or one file that is written from them.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rrcore.arrays import Booleans, Codes
from rrcore.errors import InputError
from rrcore.executors import run
from rrcore.files import check_new_file, new_file, new_folder
from rrcore.progress import Report, quiet
from rrcore.promise.coder import HOW_TO_MEND, answers_coder
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomise_codes
from rrcore.promise.trailer import RELEASE, Trailer, part_columns, read_trailer
from rrcore.table.mark import check_true
from rrcore.table.stream import Coder, Piece, Stream
from rrcore.table.stream.coder import DROPPED, GONE, missing_column
from rrcore.table.stream.kept import Kept, KeptPlace, digest, draw_of, folder_of, kept_beside, unless_made
from rrcore.table.writing import join_tables, kind_of, table_writer
from rrcore.wording import count_text, counted

_BATCHES = 8  # of the table, randomised into one file of the folder
_MEND = "Say what becomes of such answers where the categories are chosen, or leave such records out; nothing was written."
_JOINING = 0.1  # share of the time, about, that it takes to write all once more


def randomise_stream(
    mechanism: MechanismFile,
    stream: Stream,
    out: Path,
    *,
    parts: bool = False,
    coder: Coder | None = None,
    within: Callable[[Trailer], AbstractContextManager[Any]] | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Trailer:
    """Randomise the true answers of a table of any size, into CSV or Parquet by the ending of the name.

    A run that is stopped by whatever means leaves no file, and is taken up by the same call: nothing is drawn twice.

    Parameters
    ----------
    mechanism : MechanismFile
    stream : Stream with a column for each of its attributes
    out : Path of a file or folder that does not exist yet
    parts : whether it is to be a folder of files, as workers made them; else this process writes all once more, as one file
    coder : what the columns become, where they do not hold the categories of the attributes: for these in their order, and for further
        attributes that are not released. Records with an answer that it says is to be left out are left out.
    within : is given what the file says of itself, and a context that is entered when the file is whole and left when it has its name: a
        transaction that stands and falls with it
    executor : where pieces are randomised; None is this process
    report : is told the fraction done, by bytes; may raise to stop

    Returns
    -------
    Trailer : how many records there are, and which draw it is

    Raises
    ------
    InputError
        If the file exists, a record cannot be randomised, or nothing can be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rrcore as rr
    >>> from rrcore.promise.stream import randomise_stream
    >>> from rrcore.table.stream import open_stream
    >>> folder, table = Path(tempfile.mkdtemp()), rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> _ = (folder / "true.csv").write_text(table.to_csv())
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> trailer = randomise_stream(file, open_stream(folder / "true.csv"), folder / "released.parquet")
    >>> trailer.rows, sorted(path.name for path in folder.iterdir())
    (2201, ['released.parquet', 'true.csv'])
    """
    kind = _kind_of_new(out)
    how, mend = _coder(mechanism, stream, coder)
    about = {"mechanism": mechanism.sha256} | ({} if coder is None else {"coder": digest(coder)})
    with kept_beside(out, [stream], about) as kept:
        pieces = zip(stream.pieces(), kept.places(stream), strict=True)
        tasks = [_Task(mechanism, how, piece, kind, place, mend) for piece, place in pieces if place is not None]
        trailer = Trailer(mechanism.sha256, _draw(tasks, stream, kept, executor, report), kept.draw)
        _write(tasks, out, trailer, parts, None if within is None else within(trailer), report)
    return trailer


def _kind_of_new(out: Path) -> str:
    """The kind of a file or folder to be. Refuses a name that is taken; of a run that was stopped just after it had one the pieces go."""
    folder = folder_of(out)
    if out.exists() and (made := read_trailer(out)) is not None and draw_of(folder) == made.draw:
        shutil.rmtree(folder)
    check_new_file(out)
    return kind_of(out.name)


def _coder(mechanism: MechanismFile, stream: Stream, coder: Coder | None) -> tuple[Coder, str]:
    """What makes codes of the answers, and what to do about one that has none. Refuses a table that is not one of true answers to these."""
    if RELEASE in stream.names:
        raise InputError(f"'{stream.title}' holds answers that are randomised already: choose the table of true answers.")
    check_true(stream.mark(mechanism.schema.names), stream.title)
    how, mend = (answers_coder(stream, mechanism.schema), HOW_TO_MEND) if coder is None else (coder, _MEND)
    if how.schema.attributes[: len(mechanism.schema.names)] != mechanism.schema.attributes:
        raise InputError(
            "The table is recoded into other categories than the mechanism file has: choose the mechanism file of this plan."
        )
    missing_column(stream, how.names)
    return how, mend


def _write(
    tasks: Sequence[_Task], out: Path, trailer: Trailer, parts: bool, within: AbstractContextManager[Any] | None, report: Report
) -> None:
    """Make one file, or a folder, of the files of the pieces."""
    files, kind = [path for task in tasks for path in task.files()], tasks[0].kind

    def tell(fraction: float, _: str) -> None:
        done = f"{count_text(round(fraction * trailer.rows))} of {counted(trailer.rows, 'record', 'records')} written"
        report(1 - _JOINING * (1 - fraction), done)

    write = partial(join_tables, columns=part_columns(tasks[0].mechanism.reports), kind=kind, end=trailer.text, report=tell)
    if not parts:
        with new_file(out, within=within) as file:
            write(file, paths=files)
        return
    with new_folder(out, within=within) as folder:
        for number, path in enumerate(files[:-1]):
            name = folder / part_name(number, kind)
            try:
                os.link(path, name)
            except OSError:  # a file system without second names
                shutil.copyfile(path, name)
        with (folder / part_name(len(files) - 1, kind)).open("wb") as file:
            write(file, paths=files[-1:])
            file.flush()
            os.fsync(file.fileno())


def part_name(number: int, kind: str) -> str:
    """What the files of a folder are called, in the order of their records."""
    return f"part-{number:06}.{kind}"


@dataclass(frozen=True)
class _Task:
    """A piece that is to be randomised, and where its files stand."""

    mechanism: MechanismFile
    coder: Coder
    piece: Piece
    kind: str
    place: KeptPlace
    mend: str

    def file(self, number: int) -> Path:
        return self.place.file(f"{number:06}.{self.kind}")

    def files(self) -> Iterator[Path]:
        """Those that are there, in the order of the records."""
        return itertools.takewhile(Path.exists, map(self.file, itertools.count()))


class _UnusableError(InputError):
    """A record that cannot be randomised."""


def _draw(tasks: Sequence[_Task], stream: Stream, kept: Kept, executor: Executor | None, report: Report) -> int:
    """Randomise all pieces; returns the number of records, without those that are left out."""
    sizes = [task.piece.bytes for task in tasks]

    def tell(fraction: float, _: str) -> None:
        done = f"{fraction * sum(sizes) / 2**20:,.0f} of {sum(sizes) / 2**20:,.0f} MB randomised"
        report(fraction * (1 - _JOINING), done)

    try:
        rows = sum(run(_randomise_piece, tasks, executor=executor, report=tell, sizes=sizes, tells=True))
        if not rows:
            raise _UnusableError(f"Every record of '{stream.title}' is to be left out, so there is nothing to release.")
    except _UnusableError:
        kept.forget()
        raise
    return rows


def _randomise_piece(task: _Task, *, report: Report = quiet) -> int:
    """Randomise what is not yet randomised of a piece; returns its number of records, without those that are left out."""
    if (known := task.place.finished()) is not None:
        return int(known)
    answers, rows = _answers(task, report), 0
    for number in itertools.count():
        group = itertools.islice(answers, _BATCHES)
        first = next(group, None)
        if first is None:
            break
        own = itertools.chain([first], group)
        path = task.file(number)
        rows += sum(map(len, own)) if path.exists() else _randomise_group(task, own, path)
    task.place.finish(rows)
    return rows


def _randomise_group(task: _Task, answers: Iterator[Codes], path: Path) -> int:
    rows = 0
    with unless_made(path) as out, table_writer(out, part_columns(task.mechanism.reports), task.kind) as writer:
        for codes in answers:
            writer.write([*randomise_codes(task.mechanism, codes).T, np.full(len(codes), -1, dtype=np.int8)])
            rows += len(codes)
    return rows


def _answers(task: _Task, report: Report) -> Iterator[Codes]:
    """The true answers of a piece, batch for batch, without the records that are left out."""
    width, before = len(task.mechanism.schema.names), 0
    for batch in task.piece.batches(task.coder.names, report=report):
        codes = task.coder(batch)
        kept = (codes != DROPPED).all(axis=1)
        _check_usable(codes[:, :width], kept, task, before)
        try:
            task.mechanism.schema.check_possible(codes[kept, :width])
        except InputError as error:
            raise _UnusableError(f"'{task.piece.path}' cannot be randomised: {error}") from None
        before += len(codes)
        if kept.any():
            yield codes[kept, :width] if not kept.all() else codes[:, :width]


def _check_usable(codes: Codes, kept: Booleans, task: _Task, before: int) -> None:
    if codes.size and codes.min() < 0 and (unusable := (codes < 0) & kept[:, None]).any():
        row, column = (int(place[0]) for place in np.nonzero(unusable))
        name = task.mechanism.schema.names[column]
        why = (
            f"no answer to '{name}'" if codes[row, column] == GONE else f"an answer to '{name}' that is not one of its categories"
        )
        number = count_text(task.piece.before() + before + row + 1)
        raise _UnusableError(f"Record {number} of '{task.piece.path}' cannot be randomised: {why}. {task.mend}")
