"""Estimators of all pairwise associations from randomized answers.

They never use true answers, and each reports its privacy loss.

Three are from the Multi-Dimensional RR paper (sections 4.1 to 4.3). The fourth estimates the true associations from one release.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np

from rrcore.arrays import Booleans, Floats, cell_numbers
from rrcore.association.debiased import debiased_dependence
from rrcore.association.pairs import PairTables, measure_pairs
from rrcore.association.secure_sum import secure_sum, secure_sum_messages
from rrcore.errors import InputError
from rrcore.estimate import Result, clip_and_rescale
from rrcore.limits import MAX_SECRET_PEOPLE
from rrcore.mechanisms import Joint, Mechanism
from rrcore.progress import Report, part, quiet
from rrcore.table.dataset import Dataset
from rrcore.wording import strength_range_text

NEIGHBOURS = 4
"""Partners on each side in the simulated secure sums. Only the number of messages follows the paper, everybody with everybody."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Pairs(Result):
    """A measure of every pair, with rows as in ``itertools.combinations``."""

    share: bool = False

    @property
    def names(self) -> list[tuple[str, str]]:
        """The two attributes in every row."""
        first, second = self.labels.values()
        return list(zip(first, second, strict=True))

    def matrix(self, values: Any) -> Any:
        """Return one value of every row as a symmetric matrix with NaN on the diagonal."""
        k = (1 + math.isqrt(1 + 8 * len(self))) // 2
        matrix = np.full((k, k), np.nan)
        matrix[np.triu_indices(k, 1)] = values
        return np.fmax(matrix, matrix.T)

    @property
    def v(self) -> Floats:
        """Estimates of V, shape (k, k)."""
        return np.asarray(self.matrix(self.estimate))


@dataclass(frozen=True, eq=False, kw_only=True)
class DependenceEstimate(Pairs):
    """Cramér's V of every pair of attributes, estimated by one method.

    The estimate includes the privacy loss and the number of messages.

    Parameters
    ----------
    title : str
        Name of the method.
    cost : float
        Privacy loss of every respondent by sequential composition, in nats. Infinite if exact counts are published.
    messages : int
        Number of numbers that the parties send to each other, as published.

    The other parameters are those of ``Result``. The ends of intervals are NaN if the method gives none.
    """

    title: str
    cost: float
    messages: int

    @classmethod
    def of(cls, names: Sequence[str], v: Floats, low: Floats | None = None, high: Floats | None = None, **about: Any) -> Self:
        """Return the estimate of attributes ``names`` from matrices of shape (k, k).

        The matrices hold V and the ends of its intervals.
        """
        pairs = np.triu_indices(len(names), 1)
        first, second = zip(*combinations(names, 2), strict=True)
        unknown = np.full(len(first), np.nan)
        return cls(
            labels={"first": first, "second": second},
            estimate=v[pairs],
            std_error=unknown,
            conf_low=unknown if low is None else low[pairs],
            conf_high=unknown if high is None else high[pairs],
            **about,
        )

    @property
    def chance(self) -> Booleans:
        """Pairs that may be independent because their interval reaches 0, shape (k, k)."""
        return np.asarray(self.matrix(self.conf_low) <= 0)

    def sentence(self, truth: Floats | None = None) -> str:
        """Return a sentence on the strongest pair, its V and its interval.

        It includes the true V, if given.

        Examples
        --------
        >>> v = np.array([[np.nan, 0.4], [0.4, np.nan]])
        >>> found = DependenceEstimate.of(["sex", "smokes"], v, v - 0.1, v + 0.1, title="", cost=2.0, messages=0)
        >>> found.sentence()
        "The strongest association is sex × smokes: Cramér's V 0.40 (95% CI 0.30 to 0.50)."
        """
        if np.isnan(self.estimate).all():
            return "The randomized answers carry no information about any association."
        row = int(np.nanargmax(self.estimate))
        first, second = (column[row] for column in self.labels.values())
        sure = "" if not self.conf_low[row] <= 0 else ", which may be chance"
        low, high = self.conf_low[row], self.conf_high[row]
        held = "" if math.isnan(low) else f" (95% CI {strength_range_text(low, high, 2)})"
        true = "" if truth is None else f" The true value is {truth[np.triu_indices(len(truth), 1)][row]:.2f}."
        return f"The strongest association is {first} × {second}{sure}: Cramér's V {self.estimate[row]:.2f}{held}.{true}"

    def agreement(self, truth: Floats) -> tuple[float, float]:
        """Return the rank correlation with the true V, and the median error.

        Spearman's rank correlation is over all pairs. The error is the estimate minus the truth.
        """
        from scipy.stats import spearmanr

        true = truth[np.triu_indices(len(truth), 1)]
        known = ~np.isnan(self.estimate) & ~np.isnan(true)
        found, true = self.estimate[known], true[known]
        if known.sum() < 2:
            return math.nan, math.nan
        rank = spearmanr(found, true).statistic if np.ptp(found) and np.ptp(true) else math.nan
        return float(rank), float(np.median(found - true))


def estimate_as_released(names: Sequence[str], released: PairTables, mechanism: Mechanism) -> DependenceEstimate:
    """Measure associations of the randomized answers without correction.

    These associations are too weak (section 4.1).
    """
    return DependenceEstimate.of(
        names,
        measure_pairs(released),
        title="Randomized data",
        cost=mechanism.epsilon_total,
        messages=released.n * released.k,
    )


def estimate_debiased(
    names: Sequence[str], released: PairTables, mechanism: Mechanism, *, report: Report = quiet
) -> DependenceEstimate:
    """Estimate the association of the true answers from one release (``debiased``)."""
    return DependenceEstimate.of(
        names,
        *debiased_dependence(released, mechanism, report=report),
        title="Estimate",
        cost=mechanism.epsilon_total,
        messages=released.n * released.k,
    )


def estimate_secretly(
    dataset: Dataset, epsilon: Sequence[float], *, rng: np.random.Generator, report: Report = quiet
) -> Iterator[DependenceEstimate]:
    """Yield the three estimates that use secure sums."""
    yield estimate_by_secure_sums(dataset, rng=rng, report=part(report, 0, 3))
    yield estimate_by_randomized_pairs(dataset, epsilon, rng=rng, report=part(report, 1, 3))
    yield estimate_by_randomized_pairs(dataset, epsilon, rng=rng, counted=True, report=part(report, 2, 3))


def estimate_by_secure_sums(dataset: Dataset, *, rng: np.random.Generator, report: Report = quiet) -> DependenceEstimate:
    """Count every pair exactly by secure sums (section 4.2).

    True counts are published without local differential privacy.

    Raises InputError if there are more than ``MAX_SECRET_PEOPLE`` people.
    """
    return DependenceEstimate.of(
        dataset.schema.names,
        measure_pairs(_summed(dataset, rng, report)),
        title="Joint sums, true answers",
        cost=math.inf,
        messages=_messages(dataset),
    )


def estimate_by_randomized_pairs(
    dataset: Dataset, epsilon: Sequence[float], *, rng: np.random.Generator, counted: bool = False, report: Report = quiet
) -> DependenceEstimate:
    """Randomize every pair by RR-Joint, add by secure sums and invert (section 4.3).

    Parameters
    ----------
    dataset : Dataset
        The true answers.
    epsilon : sequence of float
        ε of each attribute. A pair spends the sum of the two.
    rng : Generator
        The source of randomness.
    counted : bool
        If True, all pairs share the sum of ``epsilon``, as sequential composition requires. Every answer is then used k - 1
        times.
    report : callable
        Called with the progress.
    """
    sizes, k = dataset.schema.sizes, dataset.k
    whole, pairs = math.fsum(epsilon), k * (k - 1) // 2
    spent = {(i, j): whole / pairs if counted else epsilon[i] + epsilon[j] for i, j in combinations(range(k), 2)}
    made = {(i, j): Joint.from_total((sizes[i], sizes[j]), total) for (i, j), total in spent.items()}
    masked = _summed(dataset, rng, report, made)
    tables = {(i, j): clip_and_rescale(one.channel([0, 1]).invert(masked.table(i, j))) for (i, j), one in made.items()}
    return DependenceEstimate.of(
        dataset.schema.names,
        measure_pairs(PairTables.assemble(sizes, tables, dataset.n)),
        title="Joint sums within ε" if counted else "Joint sums, randomized",
        cost=math.fsum(spent.values()),
        messages=_messages(dataset),
    )


def _summed(
    dataset: Dataset, rng: np.random.Generator, report: Report, made: Mapping[tuple[int, int], Joint] | None = None
) -> PairTables:
    """Return the shares of every pair by secure sums over all people, of true answers or as the mechanisms ``made`` randomize them."""
    if dataset.n > MAX_SECRET_PEOPLE:
        raise InputError(f"Expected at most {MAX_SECRET_PEOPLE:,} people for simulated secure sums, got {dataset.n:,}.")
    sizes = dataset.schema.sizes
    pairs = list(combinations(range(dataset.k), 2))
    tables = {}
    for done, (i, j) in enumerate(pairs):
        codes = dataset.codes[:, [i, j]]
        cells = cell_numbers(codes if made is None else made[i, j].sample(codes, rng=rng), (sizes[i], sizes[j]))
        inputs = (cells[:, None] == np.arange(sizes[i] * sizes[j])).astype(np.int64)
        portion = part(report, done, len(pairs), f"pair {done + 1} of {len(pairs)}")
        sums = secure_sum(inputs, rng=rng, neighbours=NEIGHBOURS, report=portion)
        tables[i, j] = sums.reshape(sizes[i], sizes[j]) / dataset.n
    return PairTables.assemble(sizes, tables, dataset.n)


def _messages(dataset: Dataset) -> int:
    return secure_sum_messages(dataset.n, sum(math.prod(pair) for pair in combinations(dataset.schema.sizes, 2)))
