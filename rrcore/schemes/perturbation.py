"""Simulated releases of a table whose truth is known: for learning and for planning, never for collecting answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

import numpy as np

from rrcore.arrays import Codes, Floats
from rrcore.dependence import DependenceEstimate, PairTables, estimate_as_released, estimate_debiased
from rrcore.errors import InputError
from rrcore.estimate import Estimate, Release, coverage
from rrcore.executors import run
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, quiet
from rrcore.table import Counts, Dataset, Schema
from rrcore.table.dataset import Names
from rrcore.table.scanning import CodedTable, Tally, through


@dataclass(frozen=True)
class Simulated:
    """The counts of a simulation.

    Parameters
    ----------
    truth, released : Counts of the same marginals before and after
    """

    truth: Counts
    released: Counts

    def __add__(self, other: Simulated) -> Simulated:
        return Simulated(self.truth + other.truth, self.released + other.released)


def simulate(
    table: CodedTable,
    mechanism: Mechanism,
    marginals: Iterable[Sequence[str]] = (),
    *,
    rng: np.random.Generator,
    write: Callable[[Codes], object] | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Simulated:
    """Randomize every complete record of a table of any size, from a seeded generator: not for releasing anybody's answers.

    A table of one piece uses ``rng`` itself. Otherwise each piece has a generator that is spawned from ``rng``.

    Parameters
    ----------
    table : Dataset or Coded
    mechanism : Mechanism over the same attributes
    marginals : names of attributes each, which are counted before and after
    rng : numpy Generator
    write : called with randomized records, shape (rows, k), in the order of the table
    executor : where pieces are randomized. None is this process. The result is the same.
    report : called with the fraction done, by bytes

    Raises
    ------
    InputError
        If the mechanism has other numbers of categories, or no record is complete.

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> from rrcore.schemes import simulate
    >>> table = rr.load_demo("titanic")
    >>> mechanism = rr.Plan.for_levels(table, 2.0).build()
    >>> found = simulate(table, mechanism, [["Survived"]], rng=np.random.default_rng(0))
    >>> found.truth.of(["Survived"]).tolist(), found.released.of(["Survived"]).tolist()
    ([1490, 711], [1390, 811])
    """
    if mechanism.sizes != table.schema.sizes:
        raise InputError(f"The table has {_listed(table.schema.sizes)} categories, the mechanism {_listed(mechanism.sizes)}.")
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
            "No record has an answer to every question: choose other attributes, or count what is missing as a category."
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
        released = mechanism.perturb(complete, rng=rng).astype(complete.dtype)
        truth.add(complete)
        after.add(released)
        if wanted:
            yield released
    yield Simulated(truth.counts(), after.counts())


def perturb(dataset: Dataset, mechanism: Mechanism, *, rng: np.random.Generator) -> Release[Mechanism]:
    """Randomize every record once, from a seeded generator: for learning and planning, not for releasing anybody's answers.

    Raises
    ------
    InputError
        If the mechanism is for other numbers of categories than the table has, ``mechanism`` or ``rng`` is something else.

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> release = rr.perturb(table, rr.Plan.for_levels(table, 2.0).build(), rng=np.random.default_rng(0))
    >>> release.n
    2201
    """
    if not isinstance(rng, np.random.Generator):
        raise InputError(f"rng is {str(rng)[:40]}: give a numpy Generator, for example np.random.default_rng(0).")
    if not isinstance(mechanism, Mechanism):
        raise InputError(f"A {type(mechanism).__name__} is given in place of a mechanism: give what plan.build() returns.")
    released = list[Codes]()
    simulate(dataset, mechanism, rng=rng, write=released.append)
    return Release(Dataset(dataset.schema, released[0], dataset.title), mechanism)


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes[:20])) + (", ..." if len(sizes) > 20 else "")


def dependence_after_release(
    dataset: Dataset, mechanism: Mechanism, *, rng: np.random.Generator, report: Report = quiet
) -> list[DependenceEstimate]:
    """Release once, and find the dependence of every pair in the two ways that need nothing but the release."""
    tables = PairTables.count(perturb(dataset, mechanism, rng=rng).dataset.codes, dataset.schema.sizes)
    return [estimate_debiased(tables, mechanism, report=report), estimate_as_released(tables, mechanism)]


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
) -> Iterator[Estimate]:
    """Estimates from so many fresh releases, the same whoever works on them: each has a generator of its own, spawned from ``rng``.

    Parameters
    ----------
    dataset, mechanism : over the same attributes
    names : the attributes of the marginal
    n : int, optional
        If given, every release first draws n people from ``dataset`` with replacement, so that the estimates also
        vary as samples do. By default the people stay the same and only the randomization varies.
    executor : works on several releases at a time, see ``open_executor``; None for this process
    report : called with how far it is; may raise to stop
    """
    one = partial(_estimate_once, dataset, mechanism, tuple(names), n)
    return run(one, rng.spawn(repeats), executor=executor, report=report, what="releases")


def _estimate_once(
    dataset: Dataset, mechanism: Mechanism, names: Sequence[str], n: int | None, rng: np.random.Generator
) -> Estimate:
    people = dataset if n is None else dataset.resample(n, rng=rng)
    return perturb(people, mechanism, rng=rng).estimate(names)


@dataclass(frozen=True)
class Repeats:
    """What many releases of the same table say about an estimator.

    Parameters
    ----------
    truth : ndarray of shape (a_1, ..., a_w), true shares
    shares : ndarray of shape (R, a_1, ..., a_w), raw estimates
    covered : ndarray of shape (R,), fraction of cells whose interval covered the truth, one per release
    """

    truth: Floats
    shares: Floats
    covered: Floats

    @classmethod
    def collect(cls, truth: Floats, estimates: Sequence[Estimate], *, population: bool = False) -> Repeats:
        """Gather estimates and the coverage of their 95 % intervals (``population`` as in ``cell_variance``)."""
        shares = np.array([estimate.shares for estimate in estimates])
        covered = [coverage(truth, *estimate.interval(population=population)) for estimate in estimates]
        return cls(truth, shares, np.array(covered))

    @property
    def coverage(self) -> float:
        """Measured coverage of the 95 % intervals over all releases and cells."""
        return float(self.covered.mean())

    @property
    def bias(self) -> Floats:
        """Mean estimate minus truth, one per cell."""
        return np.asarray(self.shares.mean(axis=0) - self.truth)

    @property
    def largest_bias(self) -> float:
        """The most by which the mean estimate of a cell is off, to either side."""
        return float(np.abs(self.bias).max())

    @property
    def largest_spread(self) -> float:
        """The largest standard deviation of a cell's estimates."""
        return float(self.spread.max())

    @property
    def spread(self) -> Floats:
        """Standard deviation of the estimates, one per cell."""
        return np.asarray(self.shares.std(axis=0, ddof=1) if len(self.shares) > 1 else np.zeros_like(self.truth))
