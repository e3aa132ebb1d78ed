"""Simulated releases of a table whose truth is known.

They are for learning and planning. Never use them to collect answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rrcore.arrays import Codes, Floats
from rrcore.association import DependenceEstimate, PairTables, estimate_as_released, estimate_debiased
from rrcore.budget import Plan
from rrcore.errors import InputError, wrong_kind
from rrcore.estimate import Release
from rrcore.executors import run
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, quiet
from rrcore.simulation.metrics import coverage
from rrcore.table import Counts, Dataset, Schema, given_table
from rrcore.table.dataset import Names
from rrcore.table.reading.arrow import ArrowStream
from rrcore.table.scanning import CodedTable, Tally, through
from rrcore.wording.short import some

Seed = int | np.random.SeedSequence | np.random.Generator | None

_STREAM = 1_382_178_111
"""Spawn key of simulations. Their noise is therefore independent of a table that was made from the same seed."""


@dataclass(frozen=True)
class Simulated:
    """The counts of a simulation.

    Parameters
    ----------
    truth, released : Counts
        Counts of the same marginals before and after randomization.
    """

    truth: Counts
    released: Counts

    def __add__(self, other: Simulated) -> Simulated:
        return Simulated(self.truth + other.truth, self.released + other.released)


def simulate_counts(
    table: CodedTable,
    mechanism: Mechanism,
    marginals: Iterable[Sequence[str]] = (),
    *,
    rng: np.random.Generator,
    write: Callable[[Codes], object] | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Simulated:
    """Randomize every complete record of a table of any size, for simulation only.

    If the table has a single piece, ``rng`` itself is used. Otherwise, each piece has a generator spawned from ``rng``.

    Parameters
    ----------
    table : Dataset or Coded
        The true answers.
    mechanism : Mechanism
        A mechanism over the same attributes.
    marginals : iterable of sequences of str
        Names of the attributes of each marginal to count before and after randomization.
    rng : Generator
        The source of randomness.
    write : callable, optional
        Called with randomized records of shape (rows, k), in the order of the table.
    executor : Executor, optional
        Where pieces are randomized. None is this process. It does not affect the result.
    report : callable
        Called with the fraction of the bytes that has been processed.

    Returns
    -------
    Simulated

    Raises
    ------
    InputError
        If the mechanism has different numbers of categories, or no record is complete.

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> from rrcore.simulation import simulate_counts
    >>> table = rr.load_demo("titanic")
    >>> mechanism = rr.Plan(table, 2.0).build()
    >>> found = simulate_counts(table, mechanism, [["Survived"]], rng=np.random.default_rng(0))
    >>> found.truth.of(["Survived"]).tolist(), found.released.of(["Survived"]).tolist()
    ([1490, 711], [1390, 811])
    """
    if mechanism.sizes != table.schema.sizes:
        raise InputError(
            f"The table has {some(table.schema.sizes, 20)} categories, but the mechanism has "
            f"{some(mechanism.sizes, 20)}. Use a mechanism for this table."
        )
    sets = tuple(dict.fromkeys(map(tuple, marginals)))
    pieces = table.pieces()
    own = [rng] if len(pieces) == 1 else rng.spawn(len(pieces))
    one = partial(_simulate_piece, mechanism, table.schema, sets, write is not None)
    total: Simulated | None = None
    for found in through(one, list(zip(pieces, own, strict=True)), executor, report):
        if isinstance(found, Simulated):
            total = total + found if total else found
        elif write is not None:
            write(found)
    if not total or not total.truth.n:
        raise InputError(
            "No record has an answer to every question. Choose other attributes, or count missing answers as a category."
        )
    return total


def _simulate_piece(
    mechanism: Mechanism,
    schema: Schema,
    sets: Sequence[Names],
    wanted: bool,
    task: tuple[CodedTable, np.random.Generator],
    *,
    report: Report = quiet,
) -> Iterator[Codes | Simulated]:
    """Yield the randomized records of a piece if they are wanted, and then its counts."""
    piece, rng = task
    truth, after = Tally(schema, sets), Tally(schema, sets)
    for codes in piece.batches(report=report):
        complete = codes[(codes >= 0).all(axis=1)] if codes.size and codes.min() < 0 else codes
        if not len(complete):
            continue
        released = mechanism.sample(complete, rng=rng).astype(complete.dtype)
        truth.add(complete)
        after.add(released)
        if wanted:
            yield released
    yield Simulated(truth.counts(), after.counts())


def simulate(table: Dataset | ArrowStream | Path | str, plan: Plan | Mechanism | Path | str, rng: Seed = 0) -> Release[Mechanism]:
    """Randomize every record once, from a seed, for simulation only.

    Parameters
    ----------
    table : Dataset, path, or data frame
        A table with at least the attributes of the plan.
    plan : Plan, Mechanism, or path of a plan file
        A mechanism must cover all attributes of the table.
    rng : int, SeedSequence, Generator or None
        The same seed gives the same release, so give another one each time in a loop. With None, every call uses a different
        seed. The draws from an integer are independent of ``default_rng`` with the same integer.

    Returns
    -------
    Release
        The randomized answers with their mechanism.

    Raises
    ------
    InputError
        If the table lacks attributes of the plan, or an argument has an invalid type.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> rr.simulate(table, rr.Plan(table, 2.0), rng=0).n
    2201
    """
    if isinstance(plan, (str, Path)):
        plan = Plan.load(plan)
    if not isinstance(plan, Plan | Mechanism):
        raise wrong_kind("The plan (second argument)", plan, "a Plan, the result of plan.build(), or the path of a plan file")
    dataset = given_table(table, plan.schema if isinstance(plan, Plan) else None)
    if isinstance(plan, Plan):
        dataset, plan = dataset.select(plan.schema.names), plan.build()
    released = list[Codes]()
    simulate_counts(dataset, plan, rng=generator(rng), write=released.append)
    return Release(Dataset(dataset.schema, released[0], dataset.title), plan)


def generator(rng: Seed) -> np.random.Generator:
    """Return the generator of a seed. Raises InputError for an invalid seed.

    A Generator or SeedSequence is used as given. An integer has a separate stream from ``numpy.random.default_rng``.
    """
    try:
        if not isinstance(rng, np.random.Generator | np.random.SeedSequence):
            rng = np.random.SeedSequence(rng, spawn_key=(_STREAM,))
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InputError(f"rng is {str(rng)[:40]}. Pass a whole number from 0, a SeedSequence, a Generator or None.") from None


def repeat_perturbation(
    dataset: Dataset,
    mechanism: Mechanism,
    names: Sequence[str],
    repeats: int,
    *,
    n: int | None = None,
    rng: np.random.Generator,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Iterator[Repeat]:
    """Yield estimates from independent releases.

    The results do not depend on the number of workers.

    Each release has a separate generator, spawned from ``rng``.

    Parameters
    ----------
    dataset, mechanism : Dataset and Mechanism
        Both must have the same attributes.
    names : sequence of str
        The attributes of the marginal.
    repeats : int
        The number of releases.
    n : int, optional
        Number of people to draw from ``dataset`` with replacement for every release, so that the estimates include sampling error.
        By default, the people are always the same, and only the randomization varies.
    rng : Generator
        The source of randomness.
    executor : Executor, optional
        Processes several releases at a time, see ``open_executor``. None is this process.
    report : callable
        Called with the progress. It may raise an exception to stop.
    """
    one = partial(_estimate_once, dataset, mechanism, tuple(names), n)
    return run(one, rng.spawn(repeats), executor=executor, report=report, what="releases")


class Repeat(NamedTuple):
    """Unbiased estimates from one release, and the coverage of their intervals.

    The coverage is the fraction of cells whose 95% interval contains the truth.
    """

    shares: Floats
    covered: float


def _estimate_once(
    dataset: Dataset, mechanism: Mechanism, names: Sequence[str], n: int | None, rng: np.random.Generator
) -> Repeat:
    people = dataset if n is None else dataset.resample(n, rng=rng)
    estimate = simulate(people, mechanism, rng=rng).estimate(names)
    return Repeat(estimate.shares, coverage(dataset.shares(names), *estimate.interval(population=n is not None)))


@dataclass(frozen=True)
class Repeats:
    """Unbiased estimates from many releases of the same table.

    Parameters
    ----------
    shares : ndarray of shape (R, a_1, ..., a_w)
        The estimates of each release.
    covered : ndarray of shape (R,)
        Fraction of cells whose interval contains the truth, one per release.
    """

    shares: Floats
    covered: Floats

    @classmethod
    def collect(cls, repeats: Sequence[Repeat]) -> Repeats:
        """Gather the results of ``repeat_perturbation``."""
        return cls(np.array([one.shares for one in repeats]), np.array([one.covered for one in repeats]))

    @property
    def coverage(self) -> float:
        """Coverage of the 95% intervals over all releases and cells."""
        return float(self.covered.mean())

    @property
    def mean(self) -> Floats:
        """Mean of the estimates, one per cell."""
        return np.asarray(self.shares.mean(axis=0))

    @property
    def middle(self) -> tuple[Floats, Floats]:
        """Range that contains the middle 95% of the estimates of every cell."""
        low, high = np.quantile(self.shares, [0.025, 0.975], axis=0)
        return low, high


def dependence_after_release(
    dataset: Dataset, mechanism: Mechanism, *, rng: np.random.Generator, report: Report = quiet
) -> list[DependenceEstimate]:
    """Simulate one release and return the two estimates that need only it."""
    tables = PairTables.count(simulate(dataset, mechanism, rng=rng).dataset.codes, dataset.schema.sizes)
    names = dataset.schema.names
    return [estimate_debiased(names, tables, mechanism, report=report), estimate_as_released(names, tables, mechanism)]
