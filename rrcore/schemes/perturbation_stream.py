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
from rrcore.files import new_file
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, quiet
from rrcore.table import Counts
from rrcore.table.counts import Names
from rrcore.table.stream import Coder, Piece, Stream
from rrcore.table.stream.coder import missing_column
from rrcore.table.stream.kept import Kept, KeptPlace, digest, kept_beside, unless_made
from rrcore.table.stream.spread import work_through
from rrcore.table.writing import Column, join_tables, kind_of, table_writer
from rrcore.wording import count_text, counted

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
    mark = simulation_mark(seed)
    wanted = tuple(dict.fromkeys(tuple(names) for names in marginals))
    simulation = _Simulation(how, mechanism, wanted, seed, "" if out is None else kind_of(out.name))
    with kept_beside(out, [stream], {"simulation": simulation.fingerprint()}) as kept:
        found = simulation.run(stream, kept, executor, report)
        if out is not None:
            simulation.join(kept.places(stream), out, found.released.n, report)
    return replace(found, released=replace(found.released, mark=mark))


@dataclass(frozen=True)
class _Simulation:
    """How pieces are perturbed and counted; it is called with a piece, its number, and where its records and counts are kept."""

    how: Coder
    mechanism: Mechanism
    marginals: tuple[Names, ...]
    seed: int
    kind: str

    def fingerprint(self) -> str:
        """Of what it depends on beside its table; a mechanism shows which it is by what it makes of some records."""
        rng, mechanism = np.random.default_rng(0), self.mechanism
        records = np.stack([rng.integers(0, size, _TRIED) for size in mechanism.sizes], axis=1)
        drawn = mechanism.perturb(records, rng=rng)
        return digest((self.how, mechanism.method, mechanism.levels.tolist(), drawn.tolist(), self.marginals, self.seed))

    def run(self, stream: Stream, kept: Kept, executor: Executor | None, report: Report) -> Simulated:
        """Perturb all pieces. Raises InputError where no record can be."""

        def tell(fraction: float, text: str) -> None:
            report(fraction * (1 - _JOINING), text)

        places = tuple(enumerate(kept.places(stream)))
        found = functools.reduce(operator.add, work_through(self, stream, executor, tell, each=places, done="perturbed"))
        if found.truth.n == 0:
            kept.forget()
            raise InputError(
                "No record has an answer to every question: choose other attributes, or count what is missing as a category."
            )
        return found

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those of the file that is written."""
        return simulated_columns(self.how.schema, self.seed)

    def __call__(self, task: tuple[Piece, tuple[int, KeptPlace | None]], *, report: Report = quiet) -> Simulated:
        piece, (number, place) = task
        if place is None:
            return functools.reduce(operator.add, (found for found, _ in self.batches(piece, number, report)), self.nothing())
        files = truth, released = [place.file(f"{name}.arrow") for name in ("truth", "released")]
        if place.finished() is None:
            found = _write_piece(self, piece, number, place, report)
            for path, counts in zip(files, (found.truth, found.released), strict=True):
                with unless_made(path) as out:
                    counts.write(out)
            place.finish(found.released.n)
        return Simulated(Counts.load(truth), Counts.load(released))

    def nothing(self) -> Simulated:
        """The counts of no record."""
        none = Counts.of_codes(self.how.schema, np.empty((0, len(self.how.schema.names)), np.int8), self.marginals)
        return Simulated(none, none)

    def batches(self, piece: Piece, number: int, report: Report) -> Iterator[tuple[Simulated, np.ndarray]]:
        """The counts and the perturbed records of each batch."""
        for place, batch in enumerate(piece.batches(self.how.names, report=report)):
            codes = self.how(batch)
            codes = codes[(codes >= 0).all(axis=1)] if codes.size and codes.min() < 0 else codes
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number, place)))
            released = self.mechanism.perturb(codes, rng=rng).astype(codes.dtype)
            yield Simulated(*(Counts.of_codes(self.how.schema, each, self.marginals) for each in (codes, released))), released

    def join(self, places: Sequence[KeptPlace | None], out: Path, n: int, report: Report) -> None:
        """Make one file of those of all pieces."""

        def tell(fraction: float, _: str) -> None:
            report(
                1 - _JOINING * (1 - fraction), f"{count_text(round(fraction * n))} of {counted(n, 'record', 'records')} written"
            )

        with new_file(out) as file:
            paths = [place.file(self.kind) for place in places if place is not None]
            join_tables(file, self.columns, paths, self.kind, report=tell)


def _write_piece(simulation: _Simulation, piece: Piece, number: int, place: KeptPlace, report: Report) -> Simulated:
    """Write the perturbed records, and count them."""
    total = simulation.nothing()
    with (
        unless_made(place.file(simulation.kind)) as out,
        table_writer(out, simulation.columns, simulation.kind) as writer,
    ):
        for found, released in simulation.batches(piece, number, report):
            writer.write([np.zeros(len(released), dtype=np.int8), *released.T])
            total += found
    return total
