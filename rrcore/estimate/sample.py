"""Samples that are not simple, and how weighted shares of them vary: weights, strata, clusters, finite populations (theory.md section 22)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from rrcore.arrays import Booleans, Codes, Floats, Integers, cell_numbers, check_cells
from rrcore.channel import Channel
from rrcore.errors import InputError
from rrcore.estimate.projections import simplex
from rrcore.limits import MAX_FACTOR_NUMBERS, MAX_MATRIX_CELLS
from rrcore.wording import counted

_NOTHING = 1e-15  # what rounding leaves of a factor

Lonely = Literal["refuse", "centre", "certain"]
"""What becomes of a stratum of which one cluster only was drawn."""


def no_weight(record: int, weight: float) -> InputError:
    """What is said of a weight that is none; ``record`` counts from 1."""
    return InputError(
        f"The weight of record {record} is {weight:g}: weights are how many people each person stands for, so give numbers of 0 or more."
    )


@dataclass(frozen=True, eq=False)
class Sample:
    """One row per person of a release. A simple random sample is the one with equal weights and nothing else.

    Parameters
    ----------
    weights : ndarray of shape (n,), float64, >= 0: how many people of the population each person stands for, up to a common factor
    strata : ndarray of shape (n,), integer codes 0..H-1, or None: one stratum
    clusters : ndarray of shape (n,), integer codes, or None: everybody was drawn on their own. What was drawn first (primary sampling
        units); the same code in two strata means two clusters
    populations : ndarray of shape (H,), float64, or None: of each stratum how many clusters, or people where there are no clusters, the
        population has; infinite where it is large. Variances then count that it is finite; everybody of a drawn cluster is taken to be asked
    lonely : a stratum of which one cluster only was drawn is refused; or counted by its distance from the mean of all ("centre"); or was
        certain to be drawn ("certain") and adds nothing but its randomisation
    names : names of the H strata for messages, or none
    times : ndarray of shape (n,), integer >= 1, or None: how many people each row stands for, who are alike in everything but their weights;
        its weight is the sum of theirs. None is one person each
    squares : ndarray of shape (n,), float64: the sum of the squares of their weights, where rows stand for several people
    whole, rows : the Sample that this one is a part of, and which of its records it has, ndarray of shape (n,); None where it is none.
        Made by ``take``
    answered : ndarray of shape (H,), float64, or None: which part of the people who were drawn in each stratum answered, where others did
        not; those do not make anything certain about a finite population. None is everybody. Made by ``answering``

    Raises
    ------
    InputError
        Where lengths differ, a weight is negative or not finite, all are 0, a population is smaller than what was drawn from it, or a
        stratum has one cluster only.

    Examples
    --------
    >>> sample = Sample(np.array([10.0, 10.0, 30.0, 30.0]), strata=np.array([0, 0, 1, 1]))
    >>> sample.n, sample.freedom, round(sample.kish_effect, 2)
    (4, 2.0, 1.25)
    >>> Sample(np.array([1.0, -2.0]))
    Traceback (most recent call last):
    ...
    rrcore.errors.InputError: The weight of record 2 is -2: weights are how many people each person stands for, so give numbers of 0 or more.
    """

    weights: Floats
    strata: Integers | None = None
    clusters: Integers | None = None
    populations: Floats | None = None
    lonely: Lonely = "refuse"
    names: tuple[str, ...] = ()
    times: Integers | None = field(default=None, repr=False)
    squares: Floats | None = field(default=None, repr=False)
    whole: Sample | None = field(default=None, repr=False)
    rows: Integers | None = field(default=None, repr=False)
    answered: Floats | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64)
        if weights.ndim != 1 or not weights.size:
            raise InputError(f"The weights have the shape {weights.shape}: give one number for each record.")
        bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
        if bad.size:
            raise no_weight(bad[0] + 1, weights[bad[0]])
        if not weights.any():
            raise InputError("All weights are 0: at least one record has to count.")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)
        for name in ("strata", "clusters"):
            codes = getattr(self, name)
            if codes is None:
                continue
            codes = np.asarray(codes)
            self._fits(name, len(codes))
            if not np.issubdtype(codes.dtype, np.integer) or codes.min() < 0:
                raise InputError(f"The {name} are not codes from 0: give one whole number of at least 0 for each record.")
            object.__setattr__(self, name, codes.astype(np.int64))
        if self.whole is None:
            self._check_strata()

    def _fits(self, what: str, rows: int) -> None:
        if rows != self.n:
            raise InputError(f"The {what} have {rows:,} rows and the weights {self.n:,}: give one of each for every record.")

    def _check_strata(self) -> None:
        if self.populations is not None:
            sizes = np.asarray(self.populations, dtype=np.float64)
            if sizes.shape != self.drawn.shape:
                raise InputError(
                    f"There are {sizes.size} population sizes and {counted(self.drawn.size, 'stratum', 'strata')}: give one for each."
                )
            small = np.flatnonzero(~(sizes >= self.drawn))
            if small.size:
                h = int(small[0])
                what = "people" if self.clusters is None else "clusters"
                raise InputError(
                    f"The population size of {self.stratum(h)} is {sizes[h]:g}, and {self.drawn[h]:,} of its {what} are in the sample: give "
                    f"how many {what} the whole population has there."
                )
            object.__setattr__(self, "populations", sizes)
        if self.lonely == "refuse":
            alone = np.flatnonzero((self.drawn == 1) & (self._sampled < 1))
            if alone.size and self.people > 1:
                what = "person" if self.clusters is None else "cluster"
                name = self.stratum(int(alone[0]))
                raise InputError(
                    f"{name[0].upper()}{name[1:]} has one {what} only, so how it varies cannot be told: merge it with a similar stratum, or "
                    "say that such a stratum counts by its distance from the mean of all ('centre') or was certain to be drawn ('certain')."
                )

    @classmethod
    def simple(cls, n: int) -> Sample:
        """A simple random sample of ``n`` people from a large population."""
        return cls(np.ones(n))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.weights)

    @property
    def people(self) -> int:
        """Number of people that the rows stand for."""
        return self.n if self.times is None else int(self.times.sum())

    def stratum(self, h: int) -> str:
        """Stratum ``h`` in words."""
        if not self.names:
            return "the sample" if self.strata is None else f"stratum {h + 1}"
        return f"stratum '{self.names[h]}'"

    @cached_property
    def shares(self) -> Floats:
        """The weights, summing to 1."""
        return np.asarray(self.weights / self.weights.sum())

    @cached_property
    def squared_shares(self) -> Floats:
        """Sums of the squares of the people's ``shares``, one of each row."""
        return np.asarray(self.shares**2 if self.squares is None else self.squares / self.weights.sum() ** 2)

    @cached_property
    def stratum_codes(self) -> Integers:
        """The stratum of every record, shape (n,); zeros where there are none."""
        return np.zeros(self.n, dtype=np.int64) if self.strata is None else self.strata

    @cached_property
    def units(self) -> Integers:
        """The cluster of every record, shape (n,): codes 0..C-1 over all strata; everybody their own where there are no clusters."""
        if self.clusters is None:
            return np.arange(self.n)
        joint = self.stratum_codes * (int(self.clusters.max()) + 1) + self.clusters
        if joint.size and int(joint.max()) < 2 * joint.size:  # a place for each code takes less than sorting them
            return (np.cumsum(np.bincount(joint) > 0) - 1)[joint]
        return np.unique(joint, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def unit_strata(self) -> Integers:
        """The stratum of every cluster, shape (C,)."""
        strata = np.zeros(int(self.units.max()) + 1, dtype=np.int64)
        strata[self.units] = self.stratum_codes
        return strata

    @cached_property
    def drawn(self) -> Integers:
        """How many clusters, or people where there are none, were drawn in each stratum, shape (H,); of the whole sample."""
        return self._drawn if self.whole is None else self.whole.drawn

    @property
    def _drawn(self) -> Integers:
        """Those of these rows alone."""
        each = self.times if self.clusters is None else None
        return np.bincount(self.unit_strata, each, minlength=max(len(self.names), 1)).astype(np.int64)

    @property
    def _sampled(self) -> Floats:
        """Part of each stratum's clusters that was drawn, whether they answered or not."""
        return np.zeros(self.drawn.size) if self.populations is None else np.asarray(self.drawn / self.populations)

    @cached_property
    def fractions(self) -> Floats:
        """Part of each stratum's clusters that was drawn and answered, shape (H,); 0 from a large population."""
        return self._sampled if self.answered is None else self._sampled * self.answered

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of variances: clusters less strata, at least 1."""
        drawn = self._drawn
        return float(max(int(drawn.sum()) - int(np.count_nonzero(drawn)), 1))

    @property
    def kish_effect(self) -> float:
        """n times the sum of squares of ``shares``: by how much unequal weights alone widen a variance (Kish 1965)."""
        return self.people * float(self.squared_shares.sum())

    @property
    def weighted(self) -> bool:
        """Whether weights differ."""
        if self.times is not None:
            return self.kish_effect > 1 + 1e-9
        return bool(np.ptp(self.weights) > 1e-12 * self.weights.max())

    def take(self, rows: Integers | Booleans) -> Sample:
        """The people of ``rows`` as a part of this sample: for groups, of which everybody was asked.

        It remembers the whole, also the clusters of which nobody is in the part, as errors of a part need.
        """
        places: Integers = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.int64)
        if not places.size:
            raise InputError("Nobody of the sample is left: at least one record is needed.")
        columns = ((name, getattr(self, name)) for name in ("weights", "strata", "clusters", "times", "squares"))
        taken: dict[str, Any] = {name: None if column is None else column[places] for name, column in columns}
        whole, mine = (self, places) if self.whole is None or self.rows is None else (self.whole, self.rows[places])
        return replace(self, **taken, whole=whole, rows=mine)

    def answering(self, rows: Integers | Booleans) -> Sample:
        """The people of ``rows`` as those who answered a question that others of the sample did not, by chance as far as is known.

        From a finite population less is certain then (theory.md section 22).

        Examples
        --------
        >>> everybody = Sample(np.ones(4), populations=np.array([4.0]))
        >>> [float(part.fractions[0]) for part in (everybody.take(np.arange(2)), everybody.answering(np.arange(2)))]
        [1.0, 0.5]
        """
        part = self.take(rows)
        if self.populations is None or part.whole is None:
            return part
        here, asked = (np.bincount(each.stratum_codes, each.times, minlength=self.drawn.size) for each in (part, self))
        answered = np.where(asked > 0, here / np.maximum(asked, 1), 1.0)
        return replace(part, answered=answered, whole=replace(part.whole, answered=answered))

    @property
    def apart(self) -> Sample:
        """This sample; but a part of which every stratum has one cluster at most is taken as people drawn at random from those clusters.

        How clusters differ cannot be told from one of them, and that totals do not vary would be a wrong answer.
        """
        clusters_differ = self.unit_strata.size > np.unique(self.unit_strata).size
        if self.whole is None or self.clusters is None or clusters_differ:
            return self
        return Sample(self.weights, self.strata, lonely="centre", times=self.times, squares=self.squares)

    def words(self) -> str:
        """What kind of sample it is: "weighted, 3 strata, 25 clusters"."""
        parts = ["weighted" if self.weighted else "equal weights"]
        if self.strata is not None:
            parts.append(counted(self.drawn.size, "stratum", "strata"))
        if self.clusters is not None:
            parts.append(counted(int(self.drawn.sum()), "cluster", "clusters"))
        if self.populations is not None and np.isfinite(self.populations).any():
            parts.append("a finite population")
        return ", ".join(parts)


def codes_by_name(values: Sequence[str]) -> tuple[Integers, tuple[str, ...]]:
    """Codes 0..H-1 of texts and the H different texts, in their order.

    Examples
    --------
    >>> codes, names = codes_by_name(["north", "south", "north"])
    >>> codes.tolist(), names
    ([0, 1, 0], ('north', 'south'))
    """
    names, codes = np.unique(np.asarray(values, dtype=object).astype(str), return_inverse=True)
    return codes.astype(np.int64), tuple(names.tolist())


@dataclass(frozen=True, eq=False)
class Spread:
    """The covariance of the released shares of a marginal: a diagonal, factors with signs, and what is certain about the people.

    Against the population it is ``diag(diagonal) + sum_r signs_r f_r f_r'`` less ``P diag(tau) P'`` with tau the inverse of ``fixed``: of
    people who are certain to be asked only the randomisation varies. Against the people themselves everybody is certain: the diagonal and
    what is fixed are both ``people``, and there are no factors.

    Parameters
    ----------
    diagonal : ndarray of shape ``report_sizes`` of the channel
    factors : ndarray of shape ``(*report_sizes, R)``, the f_r
    signs : ndarray of shape (R,)
    fixed : ndarray of shape ``report_sizes``, sum of f w^2 over the people who reported each cell, f being their sampling fraction
    people : ndarray of the same shape, sum of w^2, weights w summing to 1
    freedom : float, degrees of freedom of the variances; infinite for a simple random sample
    random : whether people are a simple random sample

    Examples
    --------
    >>> import rrcore as rr
    >>> channel = rr.build("kronecker", (2,), (1.0,)).marginal_channel((0,))
    >>> spread = Spread.simple(np.array([0.4, 0.6]), 1_000)
    >>> bool(np.isclose(spread.variance(np.array([1.0, 0.0]), channel), 0.4 * 0.6 / 999))
    True
    """

    diagonal: Floats
    factors: Floats
    signs: Floats
    fixed: Floats
    people: Floats
    freedom: float
    random: bool = False

    @classmethod
    def simple(cls, released: Floats, n: int) -> Spread:
        """That of a simple random sample of ``n`` people from a large population; 0 for one person, of whom nothing is known to vary."""
        each = 1 / max(n - 1, 1)
        return cls(
            released * each, released[..., None], np.array([-each]), np.zeros_like(released), released / n, math.inf, random=True
        )

    @property
    def kish(self) -> float:
        """1 / sum of w^2: how many people of equal weight would tell as much (Kish 1965)."""
        return 1 / float(self.people.sum())

    def variance(self, added: Floats, channel: Channel, *, population: bool = True) -> float:
        """Variance of the sum of ``added * released shares``; it may come out below 0 by sampling noise.

        Parameters
        ----------
        added : ndarray of shape ``report_sizes``, what a report of each cell adds, such as ``channel.invert_back(weights)``
        channel : Channel of the marginal
        population : as in ``cell_variance``
        """
        diagonal, fixed = (self.diagonal, self.fixed) if population else (self.people, self.people)
        found = float((diagonal * added**2).sum())
        if population:
            parts = self.factors.reshape(added.size, -1).T @ added.ravel()
            found += float(self.signs @ parts**2)
        if fixed.any():
            found -= float((channel.invert(fixed) * channel.pull(added) ** 2).sum())
        return found

    def cell_variances(self, channel: Channel, *, population: bool = True) -> Floats:
        """Variance of every inverted share, ndarray of shape ``channel.sizes``, >= 0.

        What is certain about the people is projected onto probabilities, so that noise in it never makes an error too small.
        """
        found = _randomization(self.fixed if population else self.people, channel)
        if population:
            found = found + channel.squared_inverse(self.diagonal - self.fixed)
        if population and self.signs.size:
            found = found + np.square(channel.invert(self.factors)) @ self.signs
        return np.maximum(found, 0.0)

    def sum_variances(self, added: Floats, channel: Channel, *, population: bool = True) -> Floats:
        """Variances of sums of shares of one attribute, ndarray of shape (m,), >= 0; ``added`` has the shape (reports, m).

        What is certain about the people is projected as in ``cell_variances``.
        """
        certain = self.fixed if population else self.people
        true = _projected(certain, channel)
        found = channel.push(true) @ added**2 - true @ channel.pull(added) ** 2
        if population:
            found = found + (self.diagonal - certain) @ added**2 + self.signs @ (self.factors.T @ added) ** 2
        return np.maximum(found, 0.0)

    def covariance(self, channel: Channel, *, population: bool = True) -> Floats:
        """Covariance of the released shares, shape (M, M), M the number of cells of a report."""
        diagonal, fixed = (self.diagonal, self.fixed) if population else (self.people, self.people)
        m = diagonal.size
        found = np.diag(diagonal.ravel())
        if population:
            flat = self.factors.reshape(m, -1)
            found = found + (flat * self.signs) @ flat.T
        if fixed.any():
            certain = channel.invert(fixed)
            pushed = channel.push(np.eye(certain.size).reshape(*certain.shape, certain.size)).reshape(m, certain.size)
            found = found - (pushed * certain.ravel()) @ pushed.T
        return np.asarray(found)


def _randomization(fixed: Floats, channel: Channel) -> Floats:
    """Variance of every inverted share from the randomisation of people of whom ``fixed`` (sum of w^2 by report) is known."""
    true = _projected(fixed, channel)
    return np.maximum(channel.squared_inverse(channel.push(true)) - true, 0.0)


def _projected(fixed: Floats, channel: Channel) -> Floats:
    """The same by true answer, none below 0."""
    total = float(fixed.sum())
    return total * simplex(channel.invert(fixed) / total) if total else np.zeros(channel.sizes)


@dataclass(frozen=True, eq=False)
class Tally:
    """Released records of a marginal, counted: all that an estimate needs of them.

    Parameters
    ----------
    released : ndarray of shape ``report_sizes``, weighted shares of the released records, summing to 1
    n : number of records
    spread : Spread
    """

    released: Floats
    n: int
    spread: Spread


def tally(codes: Codes, sizes: Sequence[int], sample: Sample) -> Tally:
    """Count the released records of a marginal by their weights.

    Linearisation: the share of cell u is a ratio whose error is the sum over people of w_i (1[u_i = u] - lambda_u), with lambda_u the
    share itself (Sarndal, Swensson and Wretman 1992, section 5.6). Totals of it by cluster vary around those of their stratum. From a
    finite population a part f of that is certain; the randomisation of the people is not, so f times its own variance stays (two phases,
    there section 9.3).

    Parameters
    ----------
    codes : ndarray of shape (n, w), released codes of the marginal
    sizes : numbers of reports of its w attributes
    sample : Sample of the same n records; where they stand for several people each, of these people
    """
    check_cells(sizes)
    if len(codes) != sample.n:
        raise InputError(f"There are {len(codes):,} records and {sample.n:,} weights: give one weight for each record.")
    if not sample.weights.any():
        raise InputError("The weights of these people are all 0: at least one record has to count.")
    sample = sample.apart
    cells, m, shape = cell_numbers(codes, sizes), math.prod(sizes), tuple(sizes)
    w = sample.shares
    released, people = _counts(cells, w, m), _counts(cells, sample.squared_shares, m)
    fixed = _counts(cells, sample.fractions[sample.stratum_codes] * sample.squared_shares, m)
    diagonal: Floats
    parts: Iterator[tuple[Floats, float]]
    if sample.whole is None or sample.rows is None:
        line = _Linearised(sample, cells, m)
        diagonal, parts = line.diagonal, line.parts()
    else:
        diagonal, parts = _of_part(sample.whole, sample.rows, cells, released)
    factors, signs = _gather(parts, m)
    spread = Spread(
        (diagonal + fixed).reshape(shape),
        factors.reshape(*shape, -1),
        signs,
        fixed.reshape(shape),
        people.reshape(shape),
        sample.freedom,
    )
    return Tally(released.reshape(shape), sample.people, spread)


def _counts(cells: Integers, weights: Floats, m: int) -> Floats:
    return np.asarray(np.bincount(cells, weights=weights, minlength=m), dtype=np.float64)


def _of_part(whole: Sample, rows: Integers, cells: Integers, released: Floats) -> tuple[Floats, Iterator[tuple[Floats, float]]]:
    """The diagonal and the factors of shares within a part of the sample.

    Who is outside has a cell of their own in the whole; the shares within are ratios of what is left, linearised once more.
    """
    m = released.size
    every = np.full(whole.n, m)
    every[rows] = cells
    line, inside = _Linearised(whole, every, m + 1), float(whole.shares[rows].sum())
    diagonal = line.diagonal[:m] / inside**2
    total = float(diagonal.sum())

    def parts() -> Iterator[tuple[Floats, float]]:
        if total > 0:
            yield ((diagonal - total * released) / math.sqrt(total))[:, None], 1.0
            yield (diagonal / math.sqrt(total))[:, None], -1.0
        for factor, sign in line.parts():
            own = factor[:m]
            yield (own - np.multiply.outer(released, own.sum(axis=0))) / inside, sign

    return diagonal, parts()


class _Linearised:
    """What people, clusters and strata add to the variance of the released shares of m cells."""

    def __init__(self, sample: Sample, cells: Integers, m: int) -> None:
        self.cells, self.m, self.w = cells, m, sample.shares
        drawn, strata = sample.drawn, sample.stratum_codes
        several = drawn > 1
        alone = 0.0 if sample.lonely == "certain" else 1.0  # one person in all is refused by whoever reads an error
        self.scale = (1 - sample.fractions) * np.where(several, drawn / np.maximum(drawn - 1, 1), alone)
        self.centred = np.where(several, self.scale / np.maximum(drawn, 1), 0.0)
        self.released = _counts(cells, self.w, m)
        units = np.bincount(
            sample.units, None if sample.clusters is None else sample.times
        )  # without clusters all are on their own
        own = self.scale[strata] * sample.squared_shares * (units[sample.units] == 1)
        self.diagonal = _counts(cells, own, m)
        self.units, self.unit_strata, self.strata = sample.units, sample.unit_strata, strata
        self.large = np.flatnonzero(units > 1)

    def parts(self) -> Iterator[tuple[Floats, float]]:
        """Factors of shape (m, .) with their sign."""
        yield from self._people()
        rank = np.full(self.unit_strata.size, -1)
        rank[self.large] = np.arange(self.large.size)
        yield from self._groups(rank[self.units], self.scale[self.unit_strata[self.large]], 1.0)
        if self.centred.size > 1 or self.large.size:
            yield from self._groups(self.strata, self.centred, -1.0)

    def _people(self) -> Iterator[tuple[Floats, float]]:
        """Those who are a cluster of their own: sum of own (e_u - released)(e_u - released)', less its diagonal, the square completed."""
        total = float(self.diagonal.sum())
        if total > 0:
            yield ((self.diagonal - total * self.released) / math.sqrt(total))[:, None], 1.0
            yield (self.diagonal / math.sqrt(total))[:, None], -1.0

    def _groups(self, group: Integers, scale: Floats, sign: float) -> Iterator[tuple[Floats, float]]:
        """Totals by group, of everybody whose group is not -1, less those expected; of many groups, as few factors as cells."""
        if not scale.size:
            return
        cells, groups, w = self.cells, group, self.w
        if not (inside := group >= 0).all():
            cells, groups, w = cells[inside], groups[inside], w[inside]
        known = _counts(groups, w, scale.size)
        if scale.size <= self.m or self.m > MAX_MATRIX_CELLS:
            _check_size(self.m, scale.size)
            yield (self._dense(cells, groups, w, scale.size) - np.outer(self.released, known)) * np.sqrt(scale), sign
            return
        if self.m * scale.size <= len(w):  # in no more room than the records take
            totals = self._dense(cells, groups, w, scale.size)
            scaled = totals * scale
            square = scaled @ totals.T
        else:
            from scipy.sparse import csr_array

            few = csr_array((w, (cells, groups)), shape=(self.m, scale.size))
            scaled = few * scale[None, :]
            square = (scaled @ few.T).toarray()
        cross = np.outer(scaled @ known, self.released)
        expected = float(scale @ known**2) * np.outer(self.released, self.released)
        yield from _factors(square - cross - cross.T + expected, sign)

    def _dense(self, cells: Integers, groups: Integers, w: Floats, size: int) -> Floats:
        """Totals of the weights ``w`` by cell and group, shape (m, size)."""
        return _counts(cells * size + groups, w, self.m * size).reshape(self.m, size)


def _gather(parts: Iterable[tuple[Floats, float]], m: int) -> tuple[Floats, Floats]:
    """All factors side by side, those that nothing is in left out; as few as there are cells where they are more."""
    kept: list[Floats] = [np.zeros((m, 0))]
    signs: list[Floats] = [np.zeros(0)]
    for part, sign in parts:
        live = np.abs(part).max(axis=0) > _NOTHING
        kept.append(part[:, live])
        signs.append(np.full(int(live.sum()), sign))
    factors, signed = np.concatenate(kept, axis=1), np.concatenate(signs)
    _check_size(m, signed.size)
    if signed.size <= m or m > MAX_MATRIX_CELLS:
        return factors, signed
    few = list(_factors((factors * signed) @ factors.T, 1.0))
    return np.concatenate([part for part, _ in few], axis=1), np.concatenate([np.full(part.shape[1], sign) for part, sign in few])


def _factors(matrix: Floats, sign: float) -> Iterator[tuple[Floats, float]]:
    """A symmetric matrix as signed squares of at most as many factors as it has rows."""
    values, vectors = np.linalg.eigh(matrix)
    for way in (1.0, -1.0):
        live = way * values > _NOTHING * np.abs(values).max()
        yield vectors[:, live] * np.sqrt(np.abs(values[live])), way * sign


def _check_size(m: int, factors: int) -> None:
    if m * factors > MAX_FACTOR_NUMBERS:
        raise InputError(f"{m:,} combinations in {factors:,} clusters or strata are too many: choose fewer attributes.")
