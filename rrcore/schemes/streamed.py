"""Simulated releases of tables of any size: seeded, piece by piece, the same for any number of processes."""

from __future__ import annotations

import functools
import operator
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rrcore.errors import InputError
from rrcore.estimate import simulated_columns
from rrcore.mechanisms import Mechanism
from rrcore.table import Counts
from rrcore.table.counts import Names
from rrcore.table.stream import Coder, Piece, Stream
from rrcore.table.stream.coder import missing_column
from rrcore.table.writing import kind_of, read_codes, save_codes, table_writer
from rrcore.wording import counted
from rrcore.work import Report, UnwrittenError, new_file, quiet, run


@dataclass(frozen=True)
class Simulated:
    """What a simulation counts.

    Parameters
    ----------
    truth, released : Counts of the same marginals before and after
    """

    truth: Counts
    released: Counts

    def __add__(self, other: Simulated) -> Simulated:
        return Simulated(self.truth + other.truth, self.released + other.released)


def perturb_stream(
    stream: Stream,
    how: Coder,
    mechanism: Mechanism,
    marginals: Iterable[Sequence[str]],
    *,
    seed: int,
    out: Path | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Simulated:
    """Randomise every complete record of a table of any size once, from seeds: for learning and planning, not for releasing answers.

    The n-th batch of the m-th piece has the seed (``seed``, m, n), as ``numpy.random.SeedSequence.spawn`` makes them.

    Parameters
    ----------
    stream : Stream
    how : Coder, what makes its answers codes; records with a code below 0 are left out
    mechanism : Mechanism over the coder's attributes
    marginals : names of attributes each, which are counted
    seed : int
    out : where to write the released records, CSV or Parquet by the ending of its name, marked as a simulation; None for nowhere
    executor : where pieces are perturbed; None is this process
    report : is told the fraction done, by bytes

    Raises
    ------
    InputError
        If an attribute is no column, a file cannot be read, or the file to be written exists already.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rrcore as rr
    >>> from rrcore.schemes import perturb_stream
    >>> from rrcore.table.stream import coder, open_stream
    >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> place = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = place.write_text(table.to_csv())
    >>> mechanism = rr.build("kronecker", (2, 2), [1.0, 1.0])
    >>> found = perturb_stream(open_stream(place), coder(table.schema), mechanism, [["Sex", "Survived"]], seed=1)
    >>> found.truth.of(["Sex"]).tolist(), found.released.n
    ([1731, 470], 2201)
    """
    if mechanism.sizes != how.schema.sizes:
        raise InputError(
            "The mechanism is for other numbers of categories than the table has: build it from a plan for this table."
        )
    missing_column(stream.names, how.names)
    wanted = tuple(tuple(names) for names in marginals)
    pieces = stream.pieces()
    with _folder(out) as folder:
        tasks = [_Task(how, mechanism, wanted, seed, number, piece, folder) for number, piece in enumerate(pieces)]
        found = functools.reduce(operator.add, _done(tasks, executor, report))
        if found.truth.n == 0:
            raise InputError(
                "No record has an answer to every question: choose other attributes, or count what is missing as a category."
            )
        if out is not None:
            _join(tasks, out, found.released.n, report)
    return found


@contextmanager
def _folder(out: Path | None) -> Iterator[Path | None]:
    """A folder beside the file to be, for its pieces; None for no file."""
    if out is None:
        yield None
        return
    kind_of(out.name)
    try:
        folder = tempfile.TemporaryDirectory(prefix=".", suffix=".part", dir=out.parent)
    except OSError as error:
        raise UnwrittenError(f"The file '{out}' cannot be written ({error.strerror}): choose another place.") from error
    with folder as name:
        yield Path(name)


@dataclass(frozen=True)
class _Task:
    """A piece that is to be perturbed, and where its records go."""

    how: Coder
    mechanism: Mechanism
    marginals: tuple[Names, ...]
    seed: int
    number: int
    piece: Piece
    folder: Path | None

    @property
    def path(self) -> Path | None:
        return None if self.folder is None else self.folder / f"{self.number:06}.codes"


_DRAWING = 0.8  # share of the time, about, that goes by before the records are joined into a file


def _done(tasks: Sequence[_Task], executor: Executor | None, report: Report) -> Iterator[Simulated]:
    done, size = 0, max(sum(task.piece.bytes for task in tasks), 1)

    def tell(fraction: float = 0, text: str = "") -> None:
        report(_DRAWING * done / size, f"{done / 2**20:,.0f} of {size / 2**20:,.0f} MB perturbed")

    for task, found in zip(tasks, run(_perturb_piece, tasks, executor=executor, report=tell), strict=True):
        done += task.piece.bytes
        tell()
        yield found


def _perturb_piece(task: _Task) -> Simulated:
    path = task.path
    if path is None:
        return functools.reduce(operator.add, (found for found, _ in _batches(task)))
    total: Simulated | None = None
    with new_file(path) as out:
        for found, released in _batches(task):
            save_codes(out, released)
            total = found if total is None else total + found
    assert total is not None, "a file without records is refused when it is opened"
    return total


def _batches(task: _Task) -> Iterator[tuple[Simulated, np.ndarray]]:
    schema = task.how.schema
    for number, batch in enumerate(task.piece.batches(task.how.names)):
        codes = task.how(batch)
        codes = codes[(codes >= 0).all(axis=1)] if codes.size and codes.min() < 0 else codes
        rng = np.random.default_rng(np.random.SeedSequence(task.seed, spawn_key=(task.number, number)))
        released = task.mechanism.perturb(codes, rng=rng).astype(codes.dtype)
        truth, after = (Counts.of_codes(schema, each, task.marginals) for each in (codes, released))
        yield Simulated(truth, after), released


def _join(tasks: Sequence[_Task], out: Path, n: int, report: Report) -> None:
    written, columns = 0, simulated_columns(tasks[0].how.schema, tasks[0].seed)
    with new_file(out) as file, table_writer(file, columns, kind_of(out.name)) as writer:
        for task in tasks:
            assert task.path is not None
            for codes in read_codes(task.path):
                writer.write([np.zeros(len(codes), dtype=np.int8), *codes.T])
                written += len(codes)
                report(_DRAWING + (1 - _DRAWING) * written / n, f"{counted(written, 'record', 'records')} written")
