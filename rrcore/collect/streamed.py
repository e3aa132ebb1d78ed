"""Randomising a table of any size for real: piece by piece, with bounded memory, in any number of processes, stopped and taken up again.

Pieces that are finished stand in a folder beside the file to be, called like it with ".pieces" at its end. They hold randomised answers only,
and are never drawn again; when all are there they are joined into one file, which then has its name, and the folder goes.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rrcore.arrays import Codes
from rrcore.collect.counted import answers_coder
from rrcore.collect.document import MechanismFile
from rrcore.collect.lastword import RELEASE, LastWord, last_word_of, new_draw, write_release
from rrcore.collect.sampler import randomise_codes
from rrcore.errors import InputError
from rrcore.table.stream import Batch, Coder, Piece, Stream
from rrcore.table.stream.coder import GONE
from rrcore.table.writing import kind_of, read_codes, save_codes
from rrcore.wording import count_text, counted
from rrcore.work import Report, UnwrittenError, check_new, new_file, quiet, run

_BATCHES = 8  # of the table, randomised into one file of the folder
_RUN = "run.json"
_JOINING = 0.15  # share of the time, about, that joining takes


def randomise_stream(
    mechanism: MechanismFile,
    stream: Stream,
    out: Path,
    *,
    within: Callable[[LastWord], AbstractContextManager[Any]] | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> LastWord:
    """Randomise the true answers of a table of any size into one file, CSV or Parquet by the ending of its name.

    A run that is stopped by whatever means leaves no file, and is taken up by the same call: nothing is drawn twice.

    Parameters
    ----------
    mechanism : MechanismFile
    stream : Stream with a column for each of its attributes
    out : Path of a file that does not exist yet
    within : is given what the file says of itself, and a context that is entered when the file is whole and left when it has its name: a
        transaction that stands and falls with it
    executor : where pieces are randomised; None is this process
    report : is told the fraction done, by bytes; may raise to stop

    Returns
    -------
    LastWord : how many records there are, and which draw it is

    Raises
    ------
    InputError
        If the file exists, a record cannot be randomised, or nothing can be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rrcore as rr
    >>> from rrcore.collect.streamed import randomise_stream
    >>> from rrcore.table.stream import open_stream
    >>> folder, table = Path(tempfile.mkdtemp()), rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> _ = (folder / "true.csv").write_text(table.to_csv())
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> word = randomise_stream(file, open_stream(folder / "true.csv"), folder / "released.parquet")
    >>> word.rows, sorted(path.name for path in folder.iterdir())
    (2201, ['released.parquet', 'true.csv'])
    """
    folder = out.with_name(f"{out.name}.pieces")
    if out.is_file() and (word := last_word_of(out)) is not None and _read_run(folder / _RUN).get("draw") == word.draw:
        shutil.rmtree(folder)  # a run that was stopped just after the file had its name
    check_new(out)
    kind = kind_of(out.name)
    if RELEASE in stream.names:
        raise InputError(f"'{stream.title}' holds answers that are randomised already: choose the table of true answers.")
    draw = _begin(folder, mechanism, stream)
    how = answers_coder(stream, mechanism.schema)
    tasks = [_Task(mechanism, how, piece, folder / f"{number:06}") for number, piece in enumerate(stream.pieces())]
    try:
        rows = sum(_drawn(tasks, executor, lambda fraction, text: report(fraction * (1 - _JOINING), text)))
        word = LastWord(mechanism.sha256, rows, draw)
        with new_file(out, within=None if within is None else within(word)) as file:
            write_release(file, mechanism.reports, _parts(tasks, rows, report), word, kind=kind)
    except _UnusableError:
        shutil.rmtree(folder)
        raise
    except (UnwrittenError, FileNotFoundError) as error:
        if out.exists() or not folder.is_dir():
            check_new(out)
        raise InputError(
            f"{error} What is randomised already is kept in '{folder}': run the same again, and nothing is drawn twice."
        ) from error
    shutil.rmtree(folder, ignore_errors=True)
    return word


def _begin(folder: Path, mechanism: MechanismFile, stream: Stream) -> str:
    """The name of the draw whose pieces are to stand in ``folder``, which is made, or taken up if it is of the same release."""
    about = {"format": "rrcore pieces", "version": 1, "mechanism": mechanism.sha256, "answers": _fingerprint(stream)}
    try:
        folder.mkdir(exist_ok=True)
        if not (folder / _RUN).exists():
            with new_file(folder / _RUN) as file:
                file.write(json.dumps(about | {"draw": new_draw()}).encode())
    except OSError as error:
        raise UnwrittenError(f"The folder '{folder}' cannot be made ({error.strerror}): choose another place.") from error
    known = _read_run(folder / _RUN)
    if known != about | {"draw": known.get("draw")} or not re.fullmatch("[0-9a-f]{32}", str(known["draw"])):
        raise InputError(
            f"The folder '{folder}' holds a release that was stopped, of other answers or by another mechanism file: finish that one, "
            "or delete the folder."
        )
    return str(known["draw"])


def _read_run(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _fingerprint(stream: Stream) -> str:
    """Of which files there are, how large and how old: it is another one where the answers may have changed."""
    try:
        files = [
            (path, stat.st_size, stat.st_mtime_ns) for path, stat in ((p.path, Path(p.path).stat()) for p in stream.pieces())
        ]
    except OSError as error:
        raise InputError(f"A file of '{stream.title}' cannot be read ({error.strerror}): check its name and place.") from error
    return hashlib.sha256(repr((files, stream.pieces())).encode()).hexdigest()


@dataclass(frozen=True)
class _Task:
    """A piece that is to be randomised, and how the files begin that it makes."""

    mechanism: MechanismFile
    coder: Coder
    piece: Piece
    place: Path

    @property
    def finished(self) -> Path:
        """Says how many records the piece has, once all of its files are there."""
        return self.place.with_name(f"{self.place.name}.done")

    def file(self, number: int) -> Path:
        return self.place.with_name(f"{self.place.name}-{number:06}.codes")


class _UnusableError(InputError):
    """A record that cannot be randomised."""


def _drawn(tasks: Sequence[_Task], executor: Executor | None, report: Report) -> Iterator[int]:
    """The records of each piece, when they are randomised."""
    sizes = [task.piece.bytes for task in tasks]

    def tell(fraction: float, _: str) -> None:
        report(fraction, f"{fraction * sum(sizes) / 2**20:,.0f} of {sum(sizes) / 2**20:,.0f} MB randomised")

    return run(_randomise_piece, tasks, executor=executor, report=tell, sizes=sizes, tells=True)


def _randomise_piece(task: _Task, *, report: Report = quiet) -> int:
    """Randomise what is not yet randomised of a piece; returns its number of records."""
    if task.finished.exists():
        return int(task.finished.read_text())
    batches, rows = task.piece.batches(task.coder.names, report=report), 0
    for number in itertools.count():
        group = itertools.islice(batches, _BATCHES)
        first = next(group, None)
        if first is None:
            break
        own = itertools.chain([first], group)
        path = task.file(number)
        if path.exists():
            rows += sum(batch.num_rows for batch in own)
        else:
            rows += _randomise_group(task, own, path, rows)
    with _unless_made(task.finished) as out:
        out.write(str(rows).encode())
    return rows


def _randomise_group(task: _Task, batches: Iterator[Batch], path: Path, before: int) -> int:
    rows = 0
    with _unless_made(path) as out:
        for batch in batches:
            codes = task.coder(batch)
            _check_usable(codes, task, before + rows)
            save_codes(out, randomise_codes(task.mechanism, codes))
            rows += len(codes)
    return rows


@contextmanager
def _unless_made(path: Path) -> Iterator[BinaryIO]:
    """A new file; where another run has made it meanwhile, that one stands."""
    try:
        with new_file(path) as out:
            yield out
    except UnwrittenError:
        raise
    except InputError:
        if not path.exists():
            raise


def _check_usable(codes: Codes, task: _Task, before: int) -> None:
    if codes.size and codes.min() < 0:
        row, column = (int(place[0]) for place in np.nonzero(codes < 0))
        name = task.mechanism.schema.names[column]
        why = (
            f"no answer to '{name}'" if codes[row, column] == GONE else f"an answer to '{name}' that is not one of its categories"
        )
        number = count_text(task.piece.before() + before + row + 1)
        raise _UnusableError(
            f"Record {number} of '{task.piece.path}' cannot be randomised: {why}. Complete such records or remove them; nothing was written."
        )


def _parts(tasks: Sequence[_Task], rows: int, report: Report) -> Iterator[list[np.ndarray]]:
    """What was randomised, in the order of the table."""
    done = 0
    for task in tasks:
        for number in itertools.count():
            path = task.file(number)
            if not path.exists():
                break
            for codes in read_codes(path):
                yield list(codes.T)
                done += len(codes)
                report(1 - _JOINING * (1 - done / rows), f"{count_text(done)} of {counted(rows, 'record', 'records')} written")
