"""Complex samples and the variation of their weighted shares.

Samples can have weights, strata, clusters and finite populations (theory.md section 22).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from rrcore.arrays import Booleans, Codes, Floats, Integers, cell_numbers, check_cells
from rrcore.channel import Channel
from rrcore.errors import InputError
from rrcore.estimate.estimators import simplex
from rrcore.limits import MAX_FACTOR_NUMBERS, MAX_MATRIX_CELLS
from rrcore.wording import counted

_NOTHING = 1e-15  # what rounding leaves of a factor

Lonely = Literal["refuse", "centre", "certain"]
"""Treatment of a stratum with a single drawn cluster."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The sampling design of a release, with one row per person.

    A simple random sample has equal weights and no other features.

    Parameters
    ----------
    weights : ndarray of shape (n,), float64, >= 0
        Number of people in the population that each person represents, up to a common factor.
    strata : ndarray of shape (n,), integer codes 0..H-1, optional
        One stratum by default.
    clusters : ndarray of shape (n,), integer codes, optional
        Primary sampling units. The same code in two strata denotes two clusters. By default, each person is a separate unit.
    populations : ndarray of shape (H,), float64, optional
        Number of clusters in the population of each stratum, or of people if there are no clusters. Infinite for a large
        population. Variances then include the finite population correction, assuming that everybody in a drawn cluster is asked.
    lonely : "refuse", "centre" or "certain"
        Treatment of a stratum with a single drawn cluster. "refuse" raises an error. "centre" uses the distance of the cluster from
        the overall mean. "certain" assumes that the cluster was certain to be drawn, so that it contributes only the variance of
        its randomization.
    names : names of the H strata for messages, optional
    times : ndarray of shape (n,), integer >= 1, optional
        Number of people that each row represents. They may differ only in their weights, and ``weights`` holds the sum of these.
    squares : ndarray of shape (n,), float64, optional
        Sum of the squared weights of the people in each row.
    whole : ndarray of shape (H,), integer, optional
        Number of clusters drawn in each stratum of the full sample of which this is a part. ``take`` sets it.
    answered : ndarray of shape (H,), float64, optional
        Fraction of the people drawn in each stratum who answered, set by ``answering``. Only their answers reduce the uncertainty
        about a finite population.

    Raises
    ------
    InputError
        If lengths differ, a weight is negative or not finite, all weights are 0, a population is smaller than the sample drawn from
        it, or a stratum has a single cluster.

    Examples
    --------
    >>> sample = Sample(np.array([10.0, 10.0, 30.0, 30.0]), strata=np.array([0, 0, 1, 1]))
    >>> sample.n, sample.freedom, round(sample.kish_effect, 2)
    (4, 2.0, 1.25)
    """

    weights: Floats
    strata: Integers | None = None
    clusters: Integers | None = None
    populations: Floats | None = None
    lonely: Lonely = "refuse"
    names: tuple[str, ...] = ()
    times: Integers | None = field(default=None, repr=False)
    squares: Floats | None = field(default=None, repr=False)
    whole: Integers | None = field(default=None, repr=False)
    answered: Floats | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64)
        if weights.ndim != 1 or not weights.size:
            raise InputError(f"Expected one weight per record in a one-dimensional array, got shape {weights.shape}.")
        bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
        if bad.size:
            raise InputError(f"The weight of record {bad[0] + 1} is {weights[bad[0]]:g}. Use weights of 0 or more.")
        if not weights.any():
            raise InputError("All weights are 0. Use at least one positive weight.")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)
        for name in ("strata", "clusters"):
            if (codes := getattr(self, name)) is None:
                continue
            codes = np.asarray(codes)
            if len(codes) != self.n:
                raise InputError(f"Expected {self.n:,} codes of {name} (one per weight), got {len(codes):,}.")
            if not np.issubdtype(codes.dtype, np.integer) or codes.min() < 0:
                raise InputError(f"The codes of {name} are not whole numbers of at least 0. Use one such number for each record.")
            object.__setattr__(self, name, codes.astype(np.int64))
        if self.whole is None:
            self._check_strata()

    def _check_strata(self) -> None:
        what = ("person", "people") if self.clusters is None else ("cluster", "clusters")
        if self.populations is not None:
            sizes = np.asarray(self.populations, dtype=np.float64)
            if sizes.shape != self.drawn.shape:
                each = "" if self.strata is None else " (one per stratum)"
                raise InputError(
                    f"Expected {counted(self.drawn.size, 'population size', 'population sizes')}{each}, got {sizes.size}."
                )
            for h in np.flatnonzero(~(sizes >= self.drawn))[:1]:
                of, here = ("", "") if self.strata is None else (f" of {self._stratum(h)}", " of this stratum")
                raise InputError(
                    f"The population size{of} is {sizes[h]:g}, but the sample contains {counted(int(self.drawn[h]), *what)}{here}. "
                    f"Enter the number of {what[1]} in the population{here}."
                )
            object.__setattr__(self, "populations", sizes)
        if self.lonely == "refuse" and self.people > 1:
            for h in np.flatnonzero((self.drawn == 1) & (self.fractions < 1))[:1]:
                name = self._stratum(h)
                other = "Merge it with a similar stratum, or choose 'centre' (its distance from the overall mean)"
                raise InputError(
                    f"{name[0].upper()}{name[1:]} has only one {what[0]}, so its variance is unknown. "
                    f"{'Use smaller clusters, or choose' if self.strata is None else other} or 'certain' (it was certain to be drawn)."
                )

    def _stratum(self, h: int) -> str:
        if not self.names:
            return "the sample" if self.strata is None else f"stratum {h + 1}"
        return f"stratum '{self.names[h]}'"

    @classmethod
    def simple(cls, n: int) -> Sample:
        """Return a simple random sample of ``n`` people from a large population."""
        return cls(np.ones(n))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.weights)

    @property
    def people(self) -> int:
        """Number of people that the rows represent."""
        return self.n if self.times is None else int(self.times.sum())

    @cached_property
    def shares(self) -> Floats:
        """The weights, normalized to sum 1."""
        return np.asarray(self.weights / self.weights.sum())

    @cached_property
    def squared_shares(self) -> Floats:
        """Sums of the squared ``shares`` of the people in each row."""
        return np.asarray(self.shares**2 if self.squares is None else self.squares / self.weights.sum() ** 2)

    @cached_property
    def stratum_codes(self) -> Integers:
        """Stratum of every record, shape (n,). All 0 if there are no strata."""
        return np.zeros(self.n, dtype=np.int64) if self.strata is None else self.strata

    @cached_property
    def units(self) -> Integers:
        """The cluster of every record, shape (n,).

        Codes run from 0 to C-1 over all strata. Without clusters, each person is a separate unit.
        """
        if self.clusters is None:
            return np.arange(self.n)
        joint = self.stratum_codes * (int(self.clusters.max()) + 1) + self.clusters
        return np.unique(joint, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def unit_strata(self) -> Integers:
        """The stratum of every cluster, shape (C,)."""
        strata = np.zeros(int(self.units.max()) + 1, dtype=np.int64)
        strata[self.units] = self.stratum_codes
        return strata

    @cached_property
    def own_drawn(self) -> Integers:
        """Number of drawn units in each stratum of these rows, shape (H,).

        Units are clusters, or people if there are no clusters.
        """
        each = self.times if self.clusters is None else None
        return np.bincount(self.unit_strata, each, minlength=max(len(self.names), 1)).astype(np.int64)

    @property
    def drawn(self) -> Integers:
        """Number of drawn units in each stratum of the full sample, shape (H,)."""
        return self.own_drawn if self.whole is None else self.whole

    @cached_property
    def fractions(self) -> Floats:
        """Fraction of the clusters in each stratum that answered, shape (H,).

        It is 0 for a large population.
        """
        drawn = np.zeros(self.drawn.size) if self.populations is None else np.asarray(self.drawn / self.populations)
        return drawn if self.answered is None else drawn * self.answered

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of variances: clusters minus strata, at least 1."""
        return float(max(int(self.own_drawn.sum()) - int(np.count_nonzero(self.own_drawn)), 1))

    @property
    def kish_effect(self) -> float:
        """Factor by which unequal weights alone increase a variance (Kish 1965).

        It is n times the sum of squared ``shares``.
        """
        return self.people * float(self.squared_shares.sum())

    @property
    def weighted(self) -> bool:
        """True if the weights differ."""
        return self.kish_effect > 1 + 1e-9

    def take(self, rows: Integers | Booleans) -> Sample:
        """Return the people of ``rows`` as a part of this sample.

        This is for groups in which everybody was asked.
        """
        places: Integers = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.int64)
        if not places.size:
            raise InputError("No record of the sample is left. At least one is needed.")
        columns = ((name, getattr(self, name)) for name in ("weights", "strata", "clusters", "times", "squares"))
        taken: dict[str, Any] = {name: None if column is None else column[places] for name, column in columns}
        return replace(self, **taken, whole=self.drawn)

    def answering(self, rows: Integers | Booleans) -> Sample:
        """Return the people of ``rows`` as those who answered a question.

        Nonresponse of the others is assumed to be random.

        For a finite population, nonresponse increases the uncertainty (theory.md section 22).

        Examples
        --------
        >>> everybody = Sample(np.ones(4), populations=np.array([4.0]))
        >>> [float(part.fractions[0]) for part in (everybody.take(np.arange(2)), everybody.answering(np.arange(2)))]
        [1.0, 0.5]
        """
        part = self.take(rows)
        if self.populations is None:
            return part
        here, asked = (np.bincount(each.stratum_codes, each.times, minlength=self.drawn.size) for each in (part, self))
        return replace(part, answered=np.where(asked > 0, here / np.maximum(asked, 1), 1.0))

    def words(self) -> str:
        """Description of the sample, such as "weighted, 3 strata, 25 clusters"."""
        parts = ["weighted" if self.weighted else "equal weights"]
        if self.strata is not None:
            parts.append(counted(self.drawn.size, "stratum", "strata"))
        if self.clusters is not None:
            parts.append(counted(int(self.drawn.sum()), "cluster", "clusters"))
        if self.populations is not None and np.isfinite(self.populations).any():
            parts.append("a finite population")
        return ", ".join(parts)


@dataclass(frozen=True, eq=False)
class Spread:
    """The covariance of the released shares of a marginal.

    It consists of a diagonal, signed factors, and a part for people who are certain to be asked.

    For the population, the covariance is ``diag(diagonal) + sum_r signs_r f_r f_r' - P diag(tau) P'``, where tau is the
    element-wise inverse of ``fixed``. For people who are certain to be asked, only the randomization varies. For the
    respondents, everybody is certain: the diagonal and ``fixed`` both equal ``people``, and there are no factors.

    Parameters
    ----------
    diagonal : ndarray of shape ``report_sizes`` of the channel
    factors : ndarray of shape ``(*report_sizes, R)``, the f_r
    signs : ndarray of shape (R,)
    fixed : ndarray of shape ``report_sizes``, sum of f w^2 over the people who reported each cell, where f is their sampling
        fraction
    people : ndarray of the same shape, sum of w^2, where the weights w sum to 1
    freedom : float, degrees of freedom of the variances. Infinite for a simple random sample
    random : whether the people are a simple random sample

    Examples
    --------
    >>> from rrcore.budget import build
    >>> channel = build("independent", (2,), (1.0,)).channel((0,))
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
        """Return the spread of a simple random sample from a large population.

        For ``n`` = 1 the spread is 0, because one person shows no variation.
        """
        each = 1 / max(n - 1, 1)
        return cls(
            released * each, released[..., None], np.array([-each]), np.zeros_like(released), released / n, math.inf, random=True
        )

    @property
    def kish(self) -> float:
        """Effective number of people with equal weights, 1 / sum of w^2 (Kish 1965)."""
        return 1 / float(self.people.sum())

    def variance(self, added: Floats, channel: Channel, *, population: bool = True) -> float:
        """Return the variance of the sum of ``added * released shares``.

        The estimate can be negative because of sampling noise.

        Parameters
        ----------
        added : ndarray of shape ``report_sizes``, the contribution of a report of each cell, such as
            ``channel.invert_back(weights)``
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
        """Return the variance of every inverted share, shape ``channel.sizes``, >= 0.

        The part for people who are certain to be asked is projected onto probabilities. Its noise can therefore not make an error
        too small.
        """
        found = _randomization(self.fixed if population else self.people, channel)
        if population:
            found = found + channel.squared_inverse(self.diagonal - self.fixed)
        if population and self.signs.size:
            found = found + np.square(channel.invert(self.factors)) @ self.signs
        return np.maximum(found, 0.0)

    def covariance(self, channel: Channel, *, population: bool = True) -> Floats:
        """Return the covariance of the released shares, shape (M, M).

        M is the number of cells of a report.
        """
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
    """Variance of every inverted share from the randomization of people whose ``fixed`` (sum of w^2 by report) is known."""
    true = _projected(fixed, channel)
    return np.maximum(channel.squared_inverse(channel.push(true)) - true, 0.0)


def _projected(fixed: Floats, channel: Channel) -> Floats:
    """The same by true answer, none below 0."""
    total = float(fixed.sum())
    return total * simplex(channel.invert(fixed) / total) if total else np.zeros(channel.sizes)


@dataclass(frozen=True, eq=False)
class Tally:
    """Counted records of a marginal after randomization.

    They contain everything that an estimate needs.

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

    The variance uses linearization. The share of cell u is a ratio whose error is the sum over people of w_i (1[u_i = u] -
    lambda_u), where lambda_u is the share itself (Sarndal, Swensson and Wretman 1992, section 5.6). Cluster totals of these errors
    vary around the mean of their stratum. The errors of people outside a part of a sample are 0, but their clusters still count.
    For a finite population, a fraction f of the variance vanishes. The randomization of these people still varies, so f times its
    own variance remains (two phases, section 9.3 there).

    Parameters
    ----------
    codes : ndarray of shape (n, w), released codes of the marginal
    sizes : numbers of reports of the w attributes
    sample : Sample of the same n records. If records represent several people, it describes these people
    """
    check_cells(sizes)
    if len(codes) != sample.n:
        raise InputError(f"Expected {len(codes):,} weights (one per record), got {sample.n:,}.")
    if sample.whole is not None and sample.clusters is not None and sample.unit_strata.size == np.unique(sample.unit_strata).size:
        # One cluster does not show how clusters differ, so its people count as drawn at random from it.
        sample = Sample(sample.weights, sample.strata, lonely="centre", times=sample.times, squares=sample.squares)
    cells, m, shape, strata = cell_numbers(codes, sizes), math.prod(sizes), tuple(sizes), sample.stratum_codes
    released, people = _counts(cells, sample.shares, m), _counts(cells, sample.squared_shares, m)
    fixed = _counts(cells, sample.fractions[strata] * sample.squared_shares, m)
    drawn, several = sample.drawn, sample.drawn > 1
    alone = 0.0 if sample.lonely == "certain" else 1.0  # an error of one person in all is refused elsewhere
    scale = (1 - sample.fractions) * np.where(several, drawn / np.maximum(drawn - 1, 1), alone)
    units = np.bincount(sample.units, None if sample.clusters is None else sample.times)
    single = units[sample.units] == 1
    diagonal = _counts(cells, np.where(single, scale[strata] * sample.squared_shares, 0.0), m)
    rank = np.cumsum(units > 1) - 1
    groups = (
        (np.where(single, -1, rank[sample.units]), scale[sample.unit_strata[units > 1]], 1.0),
        (strata, np.where(several, scale / np.maximum(drawn, 1), 0.0), -1.0),
    )
    factors, signs = _factors(cells, sample.shares, released, diagonal, groups)
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


def _factors(
    cells: Integers, w: Floats, released: Floats, diagonal: Floats, groups: Sequence[tuple[Integers, Floats, float]]
) -> tuple[Floats, Floats]:
    """The covariance of released shares but for its diagonal, as signed squares of factors: at most as many as there are cells.

    Parameters
    ----------
    diagonal : ndarray of shape (m,), what those add who are a cluster of their own
    groups : for clusters and for strata the group of every row, -1 for none, the factor of each group's square, and its sign
    """
    m, total = released.size, float(diagonal.sum())
    kept, signs = [np.zeros((m, 0))], [np.zeros(0)]
    if total > 0:  # sum of own (e_u - released)(e_u - released)', less its diagonal, the square completed
        kept.append(np.stack([diagonal - total * released, diagonal], axis=1) / math.sqrt(total))
        signs.append(np.array([1.0, -1.0]))
    dense = sum(scale.size for _, scale, _ in groups) <= m or m > MAX_MATRIX_CELLS
    for group, scale, sign in groups:
        if dense and m * scale.size > MAX_FACTOR_NUMBERS:
            raise InputError(
                f"There are too many combinations ({m:,}) for {scale.size:,} clusters or strata. Choose fewer attributes."
            )
        inside = group >= 0
        known = _counts(group[inside], w[inside], scale.size)
        if dense:
            totals = _counts(cells[inside] * scale.size + group[inside], w[inside], m * scale.size).reshape(m, scale.size)
            kept.append((totals - np.outer(released, known)) * np.sqrt(scale))
            signs.append(np.full(scale.size, sign))
            continue
        from scipy.sparse import csr_array

        few = csr_array((w[inside], (cells[inside], group[inside])), shape=(m, scale.size))
        cross = np.outer((few * scale[None, :]) @ known, released)
        square = ((few * scale[None, :]) @ few.T).toarray() - cross - cross.T
        values, vectors = np.linalg.eigh(square + float(scale @ known**2) * np.outer(released, released))
        kept.append(vectors * np.sqrt(np.abs(values)))
        signs.append(sign * np.sign(values))
    factors, signed = np.concatenate(kept, axis=1), np.concatenate(signs)
    live = np.abs(factors).max(axis=0) > _NOTHING
    factors, signed = factors[:, live], signed[live]
    if signed.size <= m or m > MAX_MATRIX_CELLS:
        return factors, signed
    values, vectors = np.linalg.eigh((factors * signed) @ factors.T)
    live = np.abs(values) > _NOTHING * np.abs(values).max()
    return (vectors * np.sqrt(np.abs(values)))[:, live], np.sign(values[live])
