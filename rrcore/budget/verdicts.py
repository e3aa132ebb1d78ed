"""The two verdicts on a plan, on protection and on accuracy.

Protection depends only on the whole-record epsilon, and accuracy on the pairs that are usable.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.budget.plan import Plan
from rrcore.budget.recipes import build, recommended_recipe
from rrcore.channel import SubsetChannel
from rrcore.errors import InputError
from rrcore.estimate import normal_point
from rrcore.limits import MAX_EPSILON, MIN_EPSILON, MIN_FACTOR
from rrcore.mechanisms import Mechanism

STRONG, MODERATE = math.log(3), math.log(19)
"""Largest whole-record epsilons of strong and moderate protection: 50:50 becomes at most 75% and 95%. A convention of ours."""

CONFIDENCE = 0.95
_ROUNDED = 1e-9  # by which arithmetic may put a total above the one that was sought
_NEAR = 1.0005  # factors of all epsilons are found to within this


def surety(epsilon_total: float) -> float:
    """Return the largest possible certainty about a yes/no fact.

    It applies to someone who was undecided before seeing the record.

    Examples
    --------
    >>> round(surety(2.6), 3)
    0.931
    """
    return 1 / (1 + math.exp(-min(epsilon_total, 700.0)))


def protection(epsilon_total: float) -> Literal["Strong", "Moderate", "Weak"]:
    """Return the protection verdict on a whole-record epsilon.

    Examples
    --------
    >>> [protection(epsilon) for epsilon in (1.0, 2.6, 6.4)]
    ['Strong', 'Moderate', 'Weak']
    """
    if epsilon_total <= STRONG + _ROUNDED:
        return "Strong"
    return "Moderate" if epsilon_total <= MODERATE + _ROUNDED else "Weak"


@dataclass(frozen=True, eq=False)
class Accuracy:
    """The margins of error of all pairs of a plan, and which pairs are usable.

    Parameters
    ----------
    margins : ndarray of shape (k, k)
        Half the width of the 95% interval of the share that is hardest to estimate, where 0.01 is one point. Infinite if a pair is
        erased. The diagonal holds the margins of single attributes
    cells : ndarray of shape (k, k)
        The average cell of the joint distribution. A pair is usable if its margin does not exceed this value
    """

    margins: Floats
    cells: Floats

    @property
    def usable(self) -> Booleans:
        """Which pairs are usable, shape (k, k)."""
        return np.asarray(self.margins <= self.cells)

    @property
    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the pairs; the attribute itself if there is one only."""
        k = len(self.margins)
        return np.triu_indices(k, 1 if k > 1 else 0)

    @property
    def pairs(self) -> int:
        """Number of pairs, 1 if there is a single attribute."""
        return len(self._pairs[0])

    @property
    def number(self) -> int:
        """Number of usable pairs."""
        return int(self.usable[self._pairs].sum())

    @property
    def verdict(self) -> Literal["Good", "Limited", "Poor"]:
        """Accuracy verdict."""
        if self.number == self.pairs:
            return "Good"
        return "Limited" if self.number else "Poor"

    @property
    def best(self) -> tuple[int, int]:
        """Pair with the smallest margin relative to its average cell."""
        first, second = self._pairs
        place = int((self.margins / self.cells)[first, second].argmin())
        return int(first[place]), int(second[place])


def accuracy(plan: Plan, mechanism: Mechanism, *, population: bool = True) -> Accuracy:
    """Return the margins of error of all pairs of ``plan``.

    The margins hold for any true shares. With ``population``, they include the sampling error of the plan's ``n`` people.

    Examples
    --------
    >>> import rrcore as rr
    >>> plan = rr.Plan(rr.load_demo("titanic"), 1.0)
    >>> found = accuracy(plan, plan.build())
    >>> found.verdict, found.number, found.pairs, round(float(found.margins[1, 3]), 3)
    ('Good', 6, 6, 0.055)
    """
    others = np.asarray(mechanism.sizes, dtype=np.float64) - 1
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        variance = _variances(others, mechanism.retentions, mechanism.pair_factors, population)
    margins = normal_point(CONFIDENCE) * np.sqrt(variance / plan.n)
    cells = 1 / np.multiply.outer(others + 1, others + 1)
    np.fill_diagonal(cells, 1 / (others + 1))
    return Accuracy(margins, cells)


def _variances(others: Floats, retentions: Floats, pairs: Floats, population: bool) -> Floats:
    """Largest variance of one person's part in a share of each pair, and of each attribute on the diagonal (theory.md section 18).

    A table of shape (2, 2, k, k) has an entry for each of the two answers being the one in question or another one.
    """
    first, second = np.broadcast_arrays(others[:, None], others)
    factors = np.array([[np.ones_like(pairs), np.broadcast_to(retentions, pairs.shape)], [pairs, pairs]])
    factors[1, 0] = factors[0, 1].T

    def turned(table: Floats) -> Floats:
        """Convert factors to kernel entries times the number of cells, or back."""
        rows = np.array([table[0] + first * table[1], table[0] - table[1]])
        return np.array([rows[:, 0] + second * rows[:, 1], rows[:, 0] - rows[:, 1]]).swapaxes(0, 1)

    cells = (first + 1) * (second + 1)
    moment = turned(factors * turned((turned(1 / factors) / cells) ** 2)) / cells
    variance = worst_variance(moment[0, 0], np.maximum(moment[0, 1], np.maximum(moment[1, 0], moment[1, 1])), population)
    single = 1 / retentions
    own, other = (1 + others * single) / (others + 1), (1 - single) / (others + 1)
    mean, contrast = own**2 + others * other**2, retentions * (own**2 - other**2)
    np.fill_diagonal(
        variance, worst_variance((mean + others * contrast) / (others + 1), (mean - contrast) / (others + 1), population)
    )
    erased = np.abs(factors).min(axis=(0, 1)) < MIN_FACTOR
    np.fill_diagonal(erased, np.abs(retentions) < MIN_FACTOR)
    return np.where(erased, np.inf, variance)


def largest_error(channel: SubsetChannel, people: int) -> float:
    """Return the largest standard error of a share of an attribute or a pair.

    The error refers to the population and holds for any true shares.
    """
    axes = np.eye(channel.w, dtype=int)
    retentions = np.array([channel.factors[tuple(one)] for one in axes])
    pairs = np.array([[channel.factors[tuple(np.maximum(one, other))] for other in axes] for one in axes])
    variances = _variances(np.asarray(channel.sizes, dtype=np.float64) - 1, retentions, pairs, True)
    return math.sqrt(float(variances[0, -1]) / people)


def worst_variance(own: Floats, elsewhere: Floats, population: bool) -> Floats:
    """Return the maximum of x own + (1 - x) elsewhere - x^2 over shares x.

    Without sampling error, x (1 - x) is subtracted, which makes the expression linear in x.
    """
    if not population:
        return np.maximum(np.maximum(elsewhere, own - 1), 0.0)
    share = np.clip((own - elsewhere) / 2, 0, 1)
    return np.asarray(share * own + (1 - share) * elsewhere - share**2)


@lru_cache(maxsize=256)
def default_epsilon(sizes: tuple[int, ...]) -> float:
    """Return the default epsilon for attributes with these sizes.

    It is the largest common epsilon, at most 1, for which the pairwise-preserving mechanism does not give weak protection.

    It has two digits and depends only on the numbers of categories.

    Examples
    --------
    >>> default_epsilon((4, 2, 2, 2)), default_epsilon((9, 16, 7, 15, 6, 5, 2, 2))
    (1.0, 0.9)
    """
    name = recommended_recipe(len(sizes))

    def weak(epsilon: float) -> bool:
        return protection(build(name, sizes, [epsilon] * len(sizes)).epsilon_total) == "Weak"

    steps = [step / scale for scale in (1000, 100) for step in range(10 if scale == 100 else 1, 100)] + [1.0]
    low, high = 0, len(steps)
    while high - low > 1:
        middle = high - 1 if high == len(steps) else (low + high) // 2
        low, high = (low, middle) if weak(steps[middle]) else (middle, high)
    return steps[low]


def largest_epsilon_not_weak(plan: Plan, *, rows: int = 1) -> Plan:
    """Return ``plan`` with the largest epsilons that do not give weak protection.

    All epsilons are multiplied by the same factor.

    Parameters
    ----------
    rows : largest number of rows per person, all of which are randomized

    Raises
    ------
    InputError
        If no epsilon is small enough, or the mechanism does not support such small epsilons.

    Examples
    --------
    >>> import rrcore as rr
    >>> largest_epsilon_not_weak(rr.Plan(rr.load_demo("titanic"), 2.0)).epsilon
    (1.13, 1.13, 1.13, 1.13)
    >>> largest_epsilon_not_weak(rr.Plan(rr.load_demo("titanic"), 2.0), rows=3).epsilon
    (0.39, 0.39, 0.39, 0.39)
    """

    def weak(scaled: Plan) -> bool:
        return protection(rows * scaled.build().epsilon_total) == "Weak"

    low, _ = _turn(plan, weak)
    if low is None:
        raise InputError("No ε gives this plan moderate protection. Choose fewer attributes.")
    return _two_decimals(plan, low, math.floor)


def smallest_epsilon_usable(plan: Plan, pair: Sequence[int], *, population: bool = True) -> Plan:
    """Return ``plan`` with the smallest epsilons for which ``pair`` is usable.

    All epsilons are multiplied by the same factor.

    Parameters
    ----------
    pair : two positions of attributes, equal for a single attribute

    Raises
    ------
    InputError
        If no epsilon is large enough, or the mechanism does not support such large epsilons.

    Examples
    --------
    >>> import rrcore as rr
    >>> smallest_epsilon_usable(rr.Plan(rr.load_demo("titanic"), 2.0), (1, 3)).epsilon
    (0.27, 0.27, 0.27, 0.27)
    """
    first, second = pair

    def usable(scaled: Plan) -> bool:
        return bool(accuracy(scaled, scaled.build(), population=population).usable[first, second])

    _, high = _turn(plan, usable)
    if high is None:
        raise InputError("At this sample size, no ε makes this pair usable. Choose a larger sample or another pair.")
    return _two_decimals(plan, high, math.ceil)


def _turn(plan: Plan, reached: Callable[[Plan], bool]) -> tuple[float | None, float | None]:
    """Two factors of all epsilons, close to each other, between which ``reached`` becomes true; None if there is no such factor."""
    start = [plan.budget / len(plan.epsilon)] if plan.budget is not None else plan.epsilon
    least, most = MIN_EPSILON / min(start), MAX_EPSILON / max(start)
    low = high = min(max(1.0, least), most)
    if reached(plan.scaled(low)):
        while reached(plan.scaled(low := max(low / 1.6, least))):
            high = low
            if low == least:
                return None, high
    else:
        while not reached(plan.scaled(high := min(high * 1.6, most))):
            low = high
            if high == most:
                return low, None
    while high / low > _NEAR:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if reached(plan.scaled(middle)) else (middle, high)
    return low, high


def _two_decimals(plan: Plan, factor: float, rounded: Callable[[float], int]) -> Plan:
    """``plan`` scaled, with epsilons as people type them: two decimals, and two digits of those below 0.1."""
    scaled = plan.scaled(factor)
    if scaled.budget is not None:
        return plan.scaled(rounded(100 * scaled.budget) / 100 / plan.budget) if plan.budget else scaled

    def near(epsilon: float) -> float:
        unit = 10.0 ** max(2, 1 - math.floor(math.log10(epsilon)))
        return min(MAX_EPSILON, max(MIN_EPSILON, rounded(unit * epsilon) / unit))

    return Plan(plan.schema, [near(epsilon) for epsilon in scaled.epsilon], plan.n, plan.key, plan.safeguards)
