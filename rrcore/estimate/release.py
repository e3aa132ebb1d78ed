"""Releases: randomized answers with their mechanism and sample.

The answers are records or counts. Simulated and collected answers are analyzed in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np

from rrcore.arrays import Codes, Floats, Integers, cell_numbers, count_cells
from rrcore.channel import Channel, Randomizer
from rrcore.errors import InputError
from rrcore.estimate.estimate import Estimate, cell_categories, invert_counts, invert_tally
from rrcore.estimate.estimators import simplex
from rrcore.estimate.intervals import Functionals
from rrcore.estimate.result import Result
from rrcore.estimate.sample import Sample, Spread, Tally, tally
from rrcore.estimate.shrinkage import Chooser, Shrinkage, listed_sets
from rrcore.estimate.table_model import TableModel, table_model
from rrcore.limits import MAX_MATRIX_CELLS
from rrcore.progress import Report, quiet
from rrcore.table import Counts, Dataset, Schema
from rrcore.table.text_table import TextColumn
from rrcore.wording import counted
from rrcore.wording.short import Short, some

FEW = 10  # people expected in a group, below which intervals are less reliable
_HELD = 10_000  # numbers of a tally's factors, up to which it is kept for the next estimate

How = TypeVar("How", bound=Randomizer, covariant=True)


@dataclass(frozen=True, eq=False)
class Rows:
    """Answers to some attributes.

    Each row stands for one person, or for several people with the same answers.

    Parameters
    ----------
    schema : Schema
        The attributes with the categories of the randomized answers.
    codes : ndarray of shape (n, w)
        Codes of the randomized answers, -1 for a missing one. A marginal uses the rows that contain all of its answers. This is
        valid if answers are missing independently of their values.
    times : ndarray of shape (n,), optional
        Number of people that each row represents. One by default.
    sample : Sample, optional
        Sample of these rows. A simple random sample by default.
    extra : tuple of TextColumn
        Columns of these rows that were not randomized.
    """

    schema: Schema
    codes: Codes
    times: Integers | None = None
    sample: Sample | None = None
    extra: tuple[TextColumn, ...] = ()

    def people(self, rows: np.ndarray | slice = slice(None)) -> int:
        """Return the number of people that the rows represent, by default all rows."""
        return len(self.codes[rows]) if self.times is None else int(self.times[rows].sum())

    def answered(self, names: Sequence[str]) -> tuple[Codes, Integers]:
        """Return the codes and positions of rows that answer all named attributes."""
        codes = self.codes[:, list(self.schema.axes(names))]
        if not codes.size or codes.min() >= 0:
            return codes, np.arange(len(codes))
        rows = np.flatnonzero((codes >= 0).all(axis=1))
        return codes[rows], rows

    def take(self, rows: Integers) -> Rows:
        """Return some of the rows as a part of their sample."""
        times = None if self.times is None else self.times[rows]
        sample = None if self.sample is None else self.sample.take(rows)
        extra = tuple(replace(column, codes=column.codes[rows]) for column in self.extra)
        return Rows(self.schema, self.codes[rows], times, sample, extra)


@dataclass(frozen=True, eq=False)
class Release(Short, Generic[How]):
    """Randomized answers and their mechanism, without true answers.

    Parameters
    ----------
    data : Dataset, Counts or tuple of Rows
        Records, counts of some marginals, or rows. Several ``Rows`` contain different attributes of the same people.
    mechanism : Mechanism or MechanismFile
        The mechanism that randomized these attributes.
    sample : Sample, optional
        Sample of the records of a ``Dataset``. A simple random sample by default.

    Raises
    ------
    InputError
        If there are no records, or the size of the sample differs from the number of records.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> release = rr.simulate(table, rr.Plan(table, 2.0), rng=0)
    >>> release.counts("Survived").tolist(), release.estimate(["Sex", "Survived"]).shares.shape
    ([1408, 793], (2, 2))
    """

    data: Dataset | Counts | tuple[Rows, ...]
    mechanism: How
    sample: Sample | None = field(default=None, kw_only=True)
    _counted: dict[tuple[str, ...], Integers] = field(default_factory=dict, init=False, repr=False)
    _tallies: dict[tuple[str, ...], Tally] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.data, tuple):
            object.__setattr__(self, "sample", self.data[0].sample)
        elif self.data.n == 0:
            raise InputError("None of the records can be used. Check that the mechanism belongs to these answers.")
        if self.blocks and self.sample is not None and self.sample.n != len(self.blocks[0].codes):
            raise InputError(
                f"The sample has {self.sample.n:,} records, but the release has {len(self.blocks[0].codes):,}. "
                "Pass the sample that belongs to this release."
            )

    def _summary(self) -> str:
        return f"{counted(self.n, 'person', 'people')}, {self.reports._summary()}"

    def _repr_html_(self) -> str:
        """Return the attributes with the categories of the randomized answers, for a notebook."""
        return self.reports._repr_html_(f"Randomized answers of {counted(self.n, 'person', 'people')}")

    @cached_property
    def blocks(self) -> tuple[Rows, ...]:
        """The rows, empty if only counts are stored."""
        if isinstance(self.data, Dataset):
            return (Rows(self.data.schema, self.data.codes, sample=self.sample),)
        return () if isinstance(self.data, Counts) else self.data

    @property
    def records(self) -> Rows | None:
        """The rows if each is one person, None if only counts are stored."""
        return self.blocks[0] if len(self.blocks) == 1 and self.blocks[0].times is None else None

    @cached_property
    def dataset(self) -> Dataset:
        """Records without missing answers.

        Raises InputError if only counts are stored.
        """
        if isinstance(self.data, Dataset):
            return self.data
        if self.records is None:
            raise InputError("Only counts of these answers are available. Read the answers with their records.")
        return Dataset(self.reports, self.records.answered(self.reports.names)[0])

    def to_pandas(self) -> Any:
        """Return the randomized records as a pandas DataFrame.

        Returns
        -------
        DataFrame
            A Categorical column for each attribute.

        Raises
        ------
        InputError
            If only counts are held.
        """
        return self.dataset.to_pandas()

    @property
    def n(self) -> int:
        """Number of people, including those with missing answers."""
        return self.blocks[0].people() if isinstance(self.data, tuple) else self.data.n

    @property
    def reports(self) -> Schema:
        """Attributes with the categories of the randomized answers."""
        if isinstance(self.data, tuple):
            return getattr(self.mechanism, "reports", None) or self.data[0].schema
        return self.data.schema

    @property
    def schema(self) -> Schema:
        """The attributes to estimate, with the categories of the true answers."""
        return getattr(self.mechanism, "schema", None) or self.reports

    def channel(self, names: str | Sequence[str]) -> Channel:
        """Return the channel of the marginal over the named attributes.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.

        Returns
        -------
        Channel
            Probabilities of the randomized answers for each true answer.

        Raises
        ------
        InputError
            If the mechanism lacks one of these attributes.
        """
        axes, sizes = self.reports.axes(_listed(names)), self.reports.sizes
        channel = self.mechanism.channel(axes) if len(self.mechanism.sizes) == len(sizes) else None
        if channel is None or channel.report_sizes != tuple(sizes[i] for i in axes):
            raise InputError(
                "The mechanism and the release have different numbers of attributes or categories. Pass the mechanism of "
                "this release."
            )
        return channel

    def counts(self, names: str | Sequence[str]) -> Integers:
        """Count the randomized answers without weights.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.

        Returns
        -------
        ndarray of int
            One axis for each attribute, in the order of ``names``.

        Raises
        ------
        InputError
            If a name is unknown, or this marginal was not counted.
        """
        names = _listed(names)
        if isinstance(self.data, Counts):
            return self.data.of(names)
        if names not in self._counted:
            block = self._block(names)
            codes, rows = block.answered(names)
            times = None if block.times is None else block.times[rows]
            self._counted[names] = count_cells(codes, self.reports.select(names).sizes, times)
            self._counted[names].setflags(write=False)  # the next estimate uses them
        return self._counted[names]

    def released(self, names: Sequence[str]) -> Floats:
        """Return shares of the randomized answers, with the weights of the sample.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.

        Returns
        -------
        ndarray
            One axis for each attribute, in the order of ``names``.

        Raises
        ------
        InputError
            If a name is unknown, or this marginal was not counted.
        """
        if self.sample is not None:
            return self._tally(names).released
        counts = self.counts(names)
        return np.asarray(counts / max(int(counts.sum()), 1))

    def spread(self, names: Sequence[str]) -> Spread:
        """Return the variation of the shares of the randomized answers.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.

        Returns
        -------
        Spread
            The covariance of the shares under the design of the sample.

        Raises
        ------
        InputError
            If a name is unknown, or this marginal was not counted.
        """
        return (
            Spread.simple(self.released(names), int(self.counts(names).sum()))
            if self.sample is None
            else self._tally(names).spread
        )

    def effective(self, names: Sequence[str]) -> float:
        """Return the effective sample size with respect to randomization.

        A simple random sample of this size has the same variance from the randomization.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.

        Returns
        -------
        float
            The sample size, 0 if nobody answered all of ``names``.

        Raises
        ------
        InputError
            If a name is unknown, or this marginal was not counted.
        """
        if self.blocks and not self._having(names):
            return 0.0
        if self.sample is None:
            return float(self.counts(names).sum())
        block = self._block(names)
        assert block.sample is not None
        if not block.sample.weights[block.answered(names)[1]].any():
            return 0.0
        if self.channel(names).lost():
            return self._tally(names).spread.kish
        return self._unbiased(names).effective(population=False)

    @overload
    def estimate(
        self,
        names: str | Sequence[str],
        *,
        within: None = None,
        population: bool | None = None,
        confidence: float | None = None,
    ) -> Estimate: ...
    @overload
    def estimate(
        self,
        names: str | Sequence[str],
        *,
        within: Mapping[str, str],
        population: bool | None = None,
        confidence: float | None = None,
    ) -> Result: ...
    def estimate(
        self,
        names: str | Sequence[str],
        *,
        within: Mapping[str, str] | None = None,
        population: bool | None = None,
        confidence: float | None = None,
    ) -> Estimate | Result:
        """Estimate the marginal over the named attributes.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.
        within : dict of str to str, optional
            One category for each of these attributes. Shares are then estimated among people with these true answers.
        population : bool, optional
            Used only with ``within``. If True (the default), intervals are for the population, otherwise for the respondents only.
        confidence : float, optional
            Used only with ``within``. Confidence of the intervals, 0.95 by default. Without ``within``, pass both to ``interval``.

        Returns
        -------
        Estimate or Result
            The joint distribution, or a Result with the shares if ``within`` is given.

        Raises
        ------
        NotIdentifiableError
            If the randomized answers carry no information about an interaction of the marginal.
        InputError
            If a name or category is unknown, or ``population`` or ``confidence`` is given without ``within``.

        Examples
        --------
        >>> import rrcore as rr
        >>> table = rr.load_demo("titanic")
        >>> release = rr.simulate(table, rr.Plan(table, 2.0), rng=0)
        >>> release.estimate("Survived").shares.round(2).tolist()
        [0.68, 0.32]
        >>> release.estimate("Survived", within={"Sex": "Female"}).labels["Survived"]
        ['No', 'Yes']
        """
        names = _listed(names)
        if within is not None:
            joint = self.estimate((*names, *within))
            found = conditional_shares(
                joint,
                range(len(names), joint.shares.ndim),
                population=population is None or population,
                confidence=0.95 if confidence is None else confidence,
            )
            for name, category in within.items():
                if category not in (known := joint.schema.select([name]).attributes[0].categories):
                    raise InputError(f"'{name}' has no category '{category}'. Choose one of {some(known, 20)}.")
                found = found.take([i for i, own in enumerate(found.labels[name]) if own == category])
            return found
        for name, value in {"population": population, "confidence": confidence}.items():
            if value is not None:
                raise InputError(f"{name} is {value} without within=. Pass it to interval() of the estimate instead.")
        unbiased = self._unbiased(names)
        if not self._learns(len(names)):
            return unbiased
        return replace(unbiased, chosen=partial(self.chooser.read, self.schema.axes(names)))

    def model(self, *, report: Report = quiet) -> TableModel:
        """Fit a joint table of all attributes.

        Shrinkage estimates all pairs and those triples that clearly differ from what the pairs imply (theory.md section 25).

        Parameters
        ----------
        report : callable
            Called with the fraction done and a description of the next step.

        Returns
        -------
        TableModel
            A joint distribution of all attributes, from which records can be drawn.

        Raises
        ------
        InputError
            If there are too many attributes, or nobody answered some pair of them.
        """
        for one, other in combinations(self.schema.names, 2):
            if not self.effective([one, other]):
                raise InputError(
                    f"'{one}' and '{other}' were not counted together, or nobody answered both. Count all pairs first."
                )
        return table_model(self.shrinkage, report=report)

    @cached_property
    def shrinkage(self) -> Shrinkage:
        """The shrinkage estimator of all attributes."""
        return Shrinkage(self)

    @cached_property
    def chooser(self) -> Chooser:
        """The default estimator of this release."""
        return Chooser(self, self.shrinkage)

    def parted(self, names: Sequence[str], parts: int) -> Floats | None:
        """Return weighted counts of random parts of the people.

        Repeated calls return the same parts.

        Parameters
        ----------
        names : list of str
            Names of attributes.
        parts : int
            Number of parts.

        Returns
        -------
        ndarray of shape (parts, *report sizes), or None
            The counts. None if the joint counts of all attributes are unknown, or if people have several rows.
        """
        if len(self.blocks) > 1:
            return None
        rng, sizes = np.random.default_rng(parts), self.reports.select(names).sizes
        if isinstance(self.data, Counts):
            every = self.reports.names
            if not any(set(own) == set(every) for own in self.data.tables):
                return None
            found = rng.multinomial(self.data.of(every), np.full(parts, 1 / parts)).reshape(-1, parts)
            codes = np.stack(np.unravel_index(np.arange(len(found)), self.reports.sizes), axis=1)[
                :, list(self.reports.axes(names))
            ]
            return np.stack([count_cells(codes, sizes, own) for own in found.T]).astype(np.float64)
        block = self._block(names)
        codes, rows = block.answered(names)
        weights = np.ones(len(block.codes)) if block.sample is None else block.sample.weights
        cells, number = cell_numbers(codes, sizes), math.prod(sizes)
        if block.times is None:
            place = rng.integers(0, parts, len(block.codes))[rows] * number + cells
            return np.asarray(np.bincount(place, weights[rows], parts * number).reshape(parts, *sizes), dtype=np.float64)
        shared = rng.multinomial(block.times, np.full(parts, 1 / parts))[rows].T / block.times[rows]
        return np.stack([np.bincount(cells, weights[rows] * own, number).reshape(sizes) for own in shared])

    def _learns(self, width: int) -> bool:
        """Return True if all marginals are known that shrinkage of ``width`` attributes learns from."""
        if not isinstance(self.data, Counts):
            return True
        stored = [set(self.reports.axes(names)) for names in self.data.tables]
        needed = (axes for w in range(2, width + 1) for axes in listed_sets(self.reports.sizes, w))
        return all(any(own.issuperset(axes) for own in stored) for axes in needed)

    def _having(self, names: Sequence[str]) -> list[Rows]:
        """Return the blocks that have all of these attributes."""
        return [block for block in self.blocks if set(names) <= set(block.schema.names)]

    def _block(self, names: Sequence[str]) -> Rows:
        """Return the smallest of them."""
        self.reports.axes(names)
        if not (having := self._having(names)):
            raise InputError(f"There is no count of {some(names)}. First count this joint distribution, or one that contains it.")
        return min(having, key=lambda block: len(block.codes))

    def _tally(self, names: Sequence[str]) -> Tally:
        """Return the weighted marginal. It is counted once if it takes little room."""
        names = _listed(names)
        if (found := self._tallies.get(names)) is None:
            block = self._block(names)
            codes, rows = block.answered(names)
            assert block.sample is not None
            own = block.sample if len(rows) == len(block.codes) else block.sample.answering(rows)
            found = tally(codes, self.reports.select(names).sizes, own)
            found.released.setflags(write=False)  # the next estimate uses them
            if found.spread.factors.size <= _HELD:
                self._tallies[names] = found
        return found

    def _unbiased(self, names: Sequence[str]) -> Estimate:
        asked, reported = self.schema.select(names), self.reports.select(names)
        if self.sample is None:
            return invert_counts(self.counts(names), self.channel(names), schema=asked, reports=reported)
        return invert_tally(self._tally(names), self.channel(names), schema=asked, reports=reported)


def conditional_shares(estimate: Estimate, given: Sequence[int], *, population: bool = True, confidence: float = 0.95) -> Result:
    """Estimate the shares among people with the same answers on ``given``.

    Parameters
    ----------
    estimate : Estimate
        The estimate of the joint distribution.
    given : sequence of int
        Axes of the marginal, at least one but not all of them.
    population : bool
        As in ``cell_variance``.
    confidence : float
        Confidence of every interval.

    Returns
    -------
    Result
        One row for each cell. The column "group" is the estimated share of its group, and "n" is the expected number of people in
        that group.

    Raises
    ------
    InputError
        If ``given`` is not a valid selection of axes, or the marginal has too many cells.
    """
    shares, w = estimate.shares, estimate.shares.ndim
    if not (0 < len(set(given)) == len(given) < w and set(given) <= set(range(w))):
        raise InputError(
            f"Expected distinct axes from 0 to {w - 1} as the condition, but not all of them, got "
            f"{', '.join(map(str, given))[:40] or 'none'}."
        )
    if shares.size > MAX_MATRIX_CELLS:
        raise InputError(f"Expected at most {MAX_MATRIX_CELLS:,} combinations of answers, got {shares.size:,}.")
    places = np.indices(shares.shape).reshape(w, -1)
    alike = (places[list(given), :, None] == places[list(given), None, :]).all(axis=0)  # cells of the same group
    groups = (alike.astype(np.int64) + np.eye(shares.size, dtype=np.int64)).reshape(*shares.shape, -1)
    found = estimate.functionals(groups, np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]), population=population)
    people = np.maximum(np.rint(found.n * found.size), 0).astype(np.int64)
    categories = cell_categories(estimate.schema, ())
    few = {
        ", ".join(categories[estimate.schema.names[i]][cell] for i in given): n
        for cell, n in enumerate(people.tolist())
        if n < FEW
    }
    return found.result(
        confidence,
        estimate=np.clip(found.estimate, 0.0, 1.0),
        labels=categories,
        columns={"group": found.size.tolist(), "n": people.tolist()},
        note="; ".join(f"about {counted(n, 'person', 'people')} expected in {group}" for group, n in few.items()),
    )


def merged_shares(release: Release[Any], name: str, *, confidence: float = 0.95, population: bool = True) -> Result:
    r"""Estimate shares of merged categories of an attribute.

    Use this function if randomized answers do not distinguish some of its categories.

    Parameters
    ----------
    release : Release
        The randomized answers.
    name : str
        The attribute.
    confidence : float
        Confidence of each interval.
    population : bool
        As in ``cell_variance``.

    Returns
    -------
    Result
        The smallest sets of categories with an estimable share. There are no rows if only the set of all categories is estimable.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.promise.weights import MatrixWeights
    >>> asked = rr.Schema((rr.Attribute("how often", ("never", "seldom", "often")),))
    >>> reported = rr.Schema((rr.Attribute("how often", ("black", "white")),))
    >>> file = rr.MechanismFile(asked, (((0,), MatrixWeights(((8, 2), (8, 2), (1, 9)))),), reports=reported)
    >>> answers = rr.read_answers([(b"how often\n" + b"black\n" * 450 + b"white\n" * 550, "a.csv")], file)
    >>> merged_shares(answers.release, "how often").sentences
    ["'never' or 'seldom': 50% (46 to 54)", "'often': 50% (46 to 54)"]
    """
    (attribute,) = release.schema.select([name]).attributes
    channel, released, spread = release.channel([name]), release.released([name]), release.spread([name])
    sets = [chosen for chosen in channel.estimable(0) if len(chosen) < attribute.size]
    groups = np.array([[x in chosen for chosen in sets] for x in range(attribute.size)], dtype=np.int64)
    people = np.full(len(sets), int(release.counts([name]).sum()))
    labels = {name: [" or ".join(f"'{attribute.categories[x]}'" for x in chosen) for chosen in sets]}
    if not sets:
        nothing = np.zeros(0)
        return Result(labels=labels, estimate=nothing, std_error=nothing, conf_low=nothing, conf_high=nothing)
    about = (released, simplex(channel.invert(released)), channel, people)
    found = Functionals.of(groups, np.array([0.0, 1.0]), None, *about, population=population)
    found = found if spread.random else found.by_design(spread, channel)
    categories = [[attribute.categories[x] for x in chosen] for chosen in sets]
    return found.result(confidence, labels=labels, columns={"categories": categories})


class Released(Protocol):
    """Any object with a release, such as collected answers."""

    @property
    def release(self) -> Release[Any]: ...


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
