"""Simulated releases of tables of any size: seeded, piece by piece, the same for any number of processes."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rrcore.errors import InputError
from rrcore.estimate import simulated_columns, simulation_mark
from rrcore.mechanisms import Mechanism
from rrcore.table import Counts
from rrcore.table.counts import Names
from rrcore.table.stream import Coder, Piece, Stream
from rrcore.table.stream.coder import missing_column
from rrcore.table.stream.kept import Place, digest, kept_beside, unless_made
from rrcore.table.writing import join_tables, kind_of, table_writer
from rrcore.wording import count_text, counted
from rrcore.work import Report, new_file, quiet, run

_JOINING = 0.05  # share of the time, about, that joining takes
_TRIED = 1000  # records that tell two mechanisms apart


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
    missing_column(stream, how.names)
    wanted = tuple(dict.fromkeys(tuple(names) for names in marginals))
    kind = "" if out is None else kind_of(out.name)
    with kept_beside(out, [stream], {"simulation": _fingerprint(how, mechanism, wanted, seed)}) as kept:
        pieces = zip(stream.pieces(), kept.places(stream), strict=True)
        tasks = [_Task(how, mechanism, wanted, seed, number, piece, kind, place) for number, (piece, place) in enumerate(pieces)]
        drawn = run(
            _perturb_piece,
            tasks,
            executor=executor,
            report=_share(stream, report),
            sizes=[task.piece.bytes for task in tasks],
            tells=True,
        )
        found = functools.reduce(operator.add, drawn)
        if found.truth.n == 0:
            kept.forget()
            raise InputError(
                "No record has an answer to every question: choose other attributes, or count what is missing as a category."
            )
        if out is not None:
            _join(tasks, out, found.released.n, report)
    return replace(found, released=replace(found.released, mark=simulation_mark(seed)))


def _fingerprint(how: Coder, mechanism: Mechanism, marginals: tuple[Names, ...], seed: int) -> str:
    """What a simulation depends on beside its table, as a fingerprint; a mechanism shows which it is by what it makes of some records."""
    rng = np.random.default_rng(0)
    records = np.stack([rng.integers(0, size, _TRIED) for size in mechanism.sizes], axis=1)
    drawn = mechanism.perturb(records, rng=rng)
    about = (how, mechanism.method, mechanism.levels.tolist(), drawn.tolist(), marginals, seed)
    return digest(about)


def _share(stream: Stream, report: Report) -> Report:
    size = stream.bytes / 2**20

    def tell(fraction: float, _: str) -> None:
        report(fraction * (1 - _JOINING), f"{fraction * size:,.0f} of {size:,.0f} MB perturbed")

    return tell


@dataclass(frozen=True)
class _Task:
    """A piece that is to be perturbed, and where its records and counts are kept."""

    how: Coder
    mechanism: Mechanism
    marginals: tuple[Names, ...]
    seed: int
    number: int
    piece: Piece
    kind: str
    place: Place | None


def _perturb_piece(task: _Task, *, report: Report = quiet) -> Simulated:
    if task.place is None:
        return functools.reduce(operator.add, (found for found, _ in _batches(task, report)), _nothing(task))
    files = truth, released = [task.place.file(f"{name}.arrow") for name in ("truth", "released")]
    if task.place.finished() is None:
        found = _write_piece(task, task.place, report)
        for path, counts in zip(files, (found.truth, found.released), strict=True):
            with unless_made(path) as out:
                counts.write(out)
        task.place.finish(found.released.n)
    return Simulated(Counts.load(truth), Counts.load(released))


def _write_piece(task: _Task, place: Place, report: Report) -> Simulated:
    """Write the perturbed records, and count them."""
    total, columns = _nothing(task), simulated_columns(task.how.schema, task.seed)
    with unless_made(place.file(task.kind)) as out, table_writer(out, columns, task.kind) as writer:
        for found, released in _batches(task, report):
            writer.write([np.zeros(len(released), dtype=np.int8), *released.T])
            total += found
    return total


def _nothing(task: _Task) -> Simulated:
    """The counts of no record."""
    none = Counts.of_codes(task.how.schema, np.empty((0, len(task.how.schema.names)), np.int8), task.marginals)
    return Simulated(none, none)


def _batches(task: _Task, report: Report) -> Iterator[tuple[Simulated, np.ndarray]]:
    schema = task.how.schema
    for number, batch in enumerate(task.piece.batches(task.how.names, report=report)):
        codes = task.how(batch)
        codes = codes[(codes >= 0).all(axis=1)] if codes.size and codes.min() < 0 else codes
        rng = np.random.default_rng(np.random.SeedSequence(task.seed, spawn_key=(task.number, number)))
        released = task.mechanism.perturb(codes, rng=rng).astype(codes.dtype)
        truth, after = (Counts.of_codes(schema, each, task.marginals) for each in (codes, released))
        yield Simulated(truth, after), released


def _join(tasks: Sequence[_Task], out: Path, n: int, report: Report) -> None:
    columns = simulated_columns(tasks[0].how.schema, tasks[0].seed)
    paths = [task.place.file(task.kind) for task in tasks if task.place is not None]

    def tell(fraction: float, _: str) -> None:
        report(1 - _JOINING * (1 - fraction), f"{count_text(round(fraction * n))} of {counted(n, 'record', 'records')} written")

    with new_file(out) as file:
        join_tables(file, columns, paths, tasks[0].kind, report=tell)
