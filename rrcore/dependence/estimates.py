"""Ways to find out which attributes depend on each other without seeing anybody's answers, and what each costs.

The three of the Multi-Dimensional RR paper (sections 4.1 to 4.3), and a fourth: the dependence behind the one release that is made anyway.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rrcore.arrays import Booleans, Floats, cell_numbers
from rrcore.dependence.debiased import debiased_dependence
from rrcore.dependence.pairs import PairTables, measure_pairs
from rrcore.dependence.secure_sum import secure_sum, secure_sum_messages
from rrcore.errors import InputError
from rrcore.estimate import clip_and_rescale
from rrcore.limits import MAX_SECRET_PEOPLE
from rrcore.mechanisms import Joint, Mechanism
from rrcore.progress import Report, part, quiet
from rrcore.table.dataset import Dataset
from rrcore.wording import odds_text, strength_range_text

NEIGHBOURS = 4
"""Partners on each side in the secure sums here; the paper's everybody with everybody is only counted."""


@dataclass(frozen=True, eq=False)
class DependenceEstimate:
    """Dependence of every pair of attributes as one method estimates it, and what that costs.

    Parameters
    ----------
    title : name, with the section of the Multi-Dimensional RR paper
    v : ndarray of shape (k, k), Cramer's V, NaN on the diagonal
    low, high : ends of its interval, or None
    cost : nats, what finding out costs every respondent by sequential composition; infinite where exact counts are published
    claimed : nats, the same as the paper counts it
    messages : numbers that all parties send to each other, as published
    note : what to know about it, in one line
    """

    title: str
    v: Floats
    low: Floats | None
    high: Floats | None
    cost: float
    claimed: float
    messages: int
    note: str

    @property
    def chance(self) -> Booleans | None:
        """Pairs that may well be independent, since their interval reaches 0, of shape (k, k); None without intervals."""
        return None if self.low is None else self.low <= 0

    def strongest(self) -> tuple[int, int] | None:
        """The pair with the largest V; None where no pair is known."""
        known = np.triu(np.nan_to_num(self.v, nan=-1.0) + 1, 1)
        first, second = np.unravel_index(int(known.argmax()), known.shape)
        return (int(first), int(second)) if known.max() > 0 else None

    def sentence(self, names: Sequence[str], truth: Floats | None = None) -> str:
        """The strongest pair, its V with the interval, the true one where it is at hand, and what finding out costs.

        Examples
        --------
        >>> v = np.array([[np.nan, 0.4], [0.4, np.nan]])
        >>> DependenceEstimate("", v, v - 0.1, v + 0.1, 2.0, 2.0, 0, "").sentence(["sex", "smokes"])
        "sex and smokes go together most: Cramér's V 0.40 (0.30 to 0.50), found from randomised answers that shift the odds between any \
two people by at most × 7.39."
        """
        strongest = self.strongest()
        if strongest is None:
            return "Which attributes go together cannot be said: this mechanism erases it for every pair."
        held = (
            f" ({strength_range_text(self.low[strongest], self.high[strongest], 2)})"
            if self.low is not None and self.high is not None
            else ""
        )
        true = "" if truth is None or math.isnan(truth[strongest]) else f"; it is {truth[strongest]:.2f} in the true table"
        first, second = (names[i] for i in strongest)
        sure = self.low is None or self.low[strongest] > 0
        most = (
            f"{first} and {second} go together most:"
            if sure
            else f"No pair can be said to go together: {first} and {second} have"
        )
        return (
            f"{most} Cramér's V {self.v[strongest]:.2f}{held}, found from randomised answers that shift the "
            f"odds between any two people by at most × {odds_text(self.cost)}{true}."
        )

    def agreement(self, truth: Floats) -> tuple[float, float]:
        """Spearman's rank correlation with the true V over all pairs, and the median of estimate minus truth."""
        from scipy.stats import spearmanr

        pairs = np.triu_indices(len(truth), 1)
        known = ~np.isnan(self.v[pairs]) & ~np.isnan(truth[pairs])
        if known.sum() < 2:
            return math.nan, math.nan
        found, true = self.v[pairs][known], truth[pairs][known]
        rank = spearmanr(found, true).statistic if len(set(found.tolist())) > 1 and len(set(true.tolist())) > 1 else math.nan
        return float(rank), float(np.median(found - true))


def estimate_as_released(released: PairTables, mechanism: Mechanism) -> DependenceEstimate:
    """Section 4.1: measure the released answers as they are. Dependence comes out too small, in roughly the right order."""
    cost, note = mechanism.total_level, "Too small, since lies hide dependence; roughly in the right order."
    return DependenceEstimate(
        "Released answers as they are (4.1)", measure_pairs(released), None, None, cost, cost, released.n * released.k, note
    )


def estimate_debiased(released: PairTables, mechanism: Mechanism, *, report: Report = quiet) -> DependenceEstimate:
    """The one release, read through the known channel (``debiased``)."""
    found, cost = debiased_dependence(released, mechanism, report=report), mechanism.total_level
    note = "Right in size, with intervals; the same release serves for the estimates, so it costs nothing extra."
    return DependenceEstimate(
        "Released answers, debiased", found.v, found.low, found.high, cost, cost, released.n * released.k, note
    )


def estimate_secretly(
    dataset: Dataset, levels: Sequence[float], *, rng: np.random.Generator, report: Report = quiet
) -> Iterator[DependenceEstimate]:
    """The three ways by secure sums, one after the other."""
    yield estimate_by_secure_sums(dataset, rng=rng, report=part(report, 0, 3))
    yield estimate_by_randomised_pairs(dataset, levels, rng=rng, report=part(report, 1, 3))
    yield estimate_by_randomised_pairs(dataset, levels, rng=rng, counted=True, report=part(report, 2, 3))


def estimate_by_secure_sums(dataset: Dataset, *, rng: np.random.Generator, report: Report = quiet) -> DependenceEstimate:
    """Section 4.2: exact counts of every pair by secure sums. No local differential privacy: true counts are published.

    Raises InputError for more than ``MAX_SECRET_PEOPLE`` people.
    """
    v = measure_pairs(_summed(dataset, rng, report))
    note = "Exact, but the true counts of every pair become public: small counts can give people away."
    return DependenceEstimate("Exact pairs by secure sum (4.2)", v, None, None, math.inf, math.inf, _messages(dataset), note)


def estimate_by_randomised_pairs(
    dataset: Dataset, levels: Sequence[float], *, rng: np.random.Generator, counted: bool = False, report: Report = quiet
) -> DependenceEstimate:
    """Section 4.3: every pair randomised by RR-Joint, summed in secret, inverted and put back to probabilities.

    Parameters
    ----------
    levels : k levels in nats; a pair spends the sum of its two levels
    counted : whether the pairs share the sum of all levels instead, as sequential composition asks: every answer is used k - 1 times
    """
    sizes, k = dataset.schema.sizes, dataset.k
    whole, pairs = math.fsum(levels), k * (k - 1) // 2
    spent = {(i, j): whole / pairs if counted else levels[i] + levels[j] for i, j in combinations(range(k), 2)}
    made = {(i, j): Joint.from_total((sizes[i], sizes[j]), total) for (i, j), total in spent.items()}
    masked = _summed(dataset, rng, report, made)
    tables = {(i, j): clip_and_rescale(one.marginal_channel([0, 1]).invert(masked.table(i, j))) for (i, j), one in made.items()}
    v, cost = measure_pairs(PairTables.assemble(sizes, tables, dataset.n)), math.fsum(spent.values())
    title, note = "Randomised pairs by secure sum (4.3)", "the paper counts that once, since sums cannot be traced to a person."
    if counted:
        title, note = f"{title}, counted in full", "here the total is shared among the pairs."
    return DependenceEstimate(
        title, v, None, None, cost, whole, _messages(dataset), f"Every answer is used in every pair; {note}"
    )


def _summed(
    dataset: Dataset, rng: np.random.Generator, report: Report, made: Mapping[tuple[int, int], Joint] | None = None
) -> PairTables:
    """Shares of every pair from secure sums over all people, each putting 1 into one cell: of the answers as the mechanisms ``made``
    for the pairs randomise them.
    """
    if dataset.n > MAX_SECRET_PEOPLE:
        raise InputError(
            f"Secure sums among {dataset.n:,} people were asked for: they are simulated for at most {MAX_SECRET_PEOPLE:,}."
        )
    sizes = dataset.schema.sizes
    pairs = list(combinations(range(dataset.k), 2))
    tables = {}
    for done, (i, j) in enumerate(pairs):
        codes = dataset.codes[:, [i, j]]
        cells = cell_numbers(codes if made is None else made[i, j].perturb(codes, rng=rng), (sizes[i], sizes[j]))
        inputs = (cells[:, None] == np.arange(sizes[i] * sizes[j])).astype(np.int64)
        portion = part(report, done, len(pairs), f"pair {done + 1} of {len(pairs)}")
        sums = secure_sum(inputs, rng=rng, neighbours=NEIGHBOURS, report=portion).sums
        tables[i, j] = sums.reshape(sizes[i], sizes[j]) / dataset.n
    return PairTables.assemble(sizes, tables, dataset.n)


def _messages(dataset: Dataset) -> int:
    return secure_sum_messages(dataset.n, sum(math.prod(pair) for pair in combinations(dataset.schema.sizes, 2)))
