"""How the people of a release were drawn: weights, strata, clusters, finite populations, replicate weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.sample.replicates import Replicates
from rrcore.wording import counted

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
    replicates : Replicates, or None: variances come from them then instead of strata and clusters
    lonely : a stratum of which one cluster only was drawn is refused; or counted by its distance from the mean of all ("centre"); or was
        certain to be drawn ("certain") and adds nothing but its randomisation
    names : names of the H strata for messages, or none
    calibrated : ndarray of shape (n, p), or None: columns whose population totals the weights were made to reach, such as by ``rake``;
        None is the constant alone, of which shares are a ratio in any case
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
    replicates: Replicates | None = None
    lonely: Lonely = "refuse"
    names: tuple[str, ...] = ()
    calibrated: Floats | None = field(default=None, repr=False)
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
        if self.calibrated is not None:
            self._fits("calibrated columns", len(self.calibrated))
        if self.replicates is not None:
            self._fits("replicate weights", self.replicates.weights.shape[0])
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
        if self.replicates is None and self.lonely == "refuse":
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
    def auxiliary(self) -> Floats:
        """The columns that the weights are calibrated to, shape (n, p); the constant where there are none."""
        return np.ones((self.n, 1)) if self.calibrated is None else self.calibrated

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of variances: clusters less strata, or what the replicates leave of the whole sample; at least 1."""
        if self.replicates is not None:
            return self.replicates.freedom if self.whole is None else self.whole.freedom
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
        columns = ((name, getattr(self, name)) for name in ("weights", "strata", "clusters", "calibrated"))
        taken: dict[str, Any] = {name: None if column is None else column[places] for name, column in columns}
        whole, mine = (self, places) if self.whole is None or self.rows is None else (self.whole, self.rows[places])
        return replace(
            self,
            **taken,
            replicates=None if self.replicates is None else self.replicates.take(places),
            times=None if self.times is None else self.times[places],
            squares=None if self.squares is None else self.squares[places],
            whole=whole,
            rows=mine,
        )

    def answering(self, rows: Integers | Booleans) -> Sample:
        """The people of ``rows`` as those who answered, by chance as far as is known, or who were dealt out by chance.

        Of the others nothing was observed: from a finite population less is certain then (theory.md section 22). Replicate weights, whose
        scales are given, stay as they are.

        Examples
        --------
        >>> everybody = Sample(np.ones(4), populations=np.array([4.0]))
        >>> [float(part.fractions[0]) for part in (everybody.take(np.arange(2)), everybody.answering(np.arange(2)))]
        [1.0, 0.5]
        """
        part = self.take(rows)
        if self.populations is None or self.replicates is not None or part.whole is None:
            return part
        here, asked = (np.bincount(each.stratum_codes, each.times, minlength=self.drawn.size) for each in (part, self))
        answered = np.where(asked > 0, here / np.maximum(asked, 1), 1.0) * (1.0 if self.answered is None else self.answered)
        return replace(part, answered=answered, whole=replace(part.whole, answered=answered))

    @property
    def apart(self) -> Sample:
        """This sample; but a part of which every stratum has one cluster at most is taken as people drawn at random from those clusters.

        How clusters differ cannot be told from one of them, and that totals do not vary would be a wrong answer.
        """
        clusters_differ = self.unit_strata.size > np.unique(self.unit_strata).size
        if self.whole is None or self.clusters is None or self.replicates is not None or clusters_differ:
            return self
        return Sample(self.weights, self.strata, lonely="centre", times=self.times, squares=self.squares)

    def words(self) -> str:
        """What kind of sample it is: "weighted, 3 strata, 25 clusters"."""
        parts = ["weighted" if self.weighted else "equal weights"]
        if self.strata is not None:
            parts.append(counted(self.drawn.size, "stratum", "strata"))
        if self.clusters is not None:
            parts.append(counted(int(self.drawn.sum()), "cluster", "clusters"))
        if self.replicates is not None:
            parts.append(counted(self.replicates.weights.shape[1], "replicate weight", "replicate weights"))
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
