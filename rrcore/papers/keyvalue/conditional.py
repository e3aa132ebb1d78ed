"""Conditional frequencies and means of keys (Key-Value, section V).

They show how often, and how highly, people with some keys rate another one.

IOH is the published method. The three states of a key are also a categorical attribute. Randomized response on these attributes,
independent or optimized, answers the same questions with the same ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Floats, Integers
from rrcore.budget import Questions
from rrcore.errors import InputError
from rrcore.estimate import Release
from rrcore.limits import MAX_INDEX_KEYS, MAX_MARGINAL
from rrcore.mechanisms import Mechanism
from rrcore.papers.keyvalue.data import KeyValueData
from rrcore.papers.keyvalue.protocols import check_eps, keep
from rrcore.papers.methods import design
from rrcore.progress import Report, part, quiet
from rrcore.simulation import simulate
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema


def index_of(states: NDArray[np.integer]) -> Integers:
    """Return the index I of Algorithm 6 of every user.

    The states 0..2, shape (n, d), are the digits of a number in base 3.
    """
    found = np.zeros(len(states), dtype=np.int64)
    for column in states.T:
        found = found * 3 + column
    return found


@dataclass(frozen=True)
class IOH:
    """Indexing one-hot encoding of d keys with ``eps`` for the record.

    Raises
    ------
    InputError
        If there are more than ``MAX_INDEX_KEYS`` keys. Every user would send 3^d bits.
    """

    eps: float
    d: int

    def __post_init__(self) -> None:
        check_eps(self.eps)
        if not 1 <= self.d <= MAX_INDEX_KEYS:
            raise InputError(f"IOH over {self.d} keys sends {3**self.d:,} bits per user. Choose at most {MAX_INDEX_KEYS} keys.")

    def simulate(self, data: KeyValueData, *, rng: np.random.Generator) -> Integers:
        """Return how often every bit is reported as 1, shape (3,) * d.

        This is a simulation only.
        """
        return self.report(np.bincount(index_of(data.states(rng=rng)), minlength=3**self.d), rng=rng)

    def report(self, users: Integers, *, rng: np.random.Generator) -> Integers:
        """Return how often every bit is reported as 1, from the number of users with each index.

        The bits of different users are independent, so the numbers of unchanged and of flipped bits are binomial.
        """
        p = keep(self.eps / 2)
        return (rng.binomial(users, p) + rng.binomial(users.sum() - users, 1 - p)).reshape((3,) * self.d)

    def table(self, sums: Integers, n: int) -> Floats:
        """Return unbiased shares of users with every combination of states.

        This is eq. (9) divided by N, shape (3,) * d.
        """
        half = math.exp(self.eps / 2)
        return ((half + 1) * sums - n) / (half - 1) / n

    def variance(self, sums: Integers, n: int) -> Floats:
        """Return the variance of every share for fixed users. It does not depend on the true bits."""
        p = keep(self.eps / 2)
        return np.full(sums.shape, p * (1 - p) / (n * (2 * p - 1) ** 2))

    def marginal(self, table: Floats, variance: Floats, axes: Sequence[int]) -> tuple[Floats, Floats]:
        """Return shares and variances of the states of the keys at ``axes``.

        They are sums over all other keys.
        """
        others = tuple(i for i in range(self.d) if i not in axes)
        kept = sorted(axes)
        order = [kept.index(i) for i in axes]
        return table.sum(axis=others).transpose(order), variance.sum(axis=others).transpose(order)


WAYS = {
    "ioh": "IOH (as published)",
    "rr-ind-joint": "RR-Ind-Joint on states",
    "preserving-2": "Pairwise-preserving on states",
    "workload": "Designed for pairs",
}
"""Key -> name on a page."""

STATES = ("-1", "none", "+1")
"""Categories of a key as an attribute."""


@dataclass(frozen=True)
class ConditionalQuestion:
    """Frequency and mean of ``key`` among users with the ``conditions``.

    Parameters
    ----------
    key : int
        Position of the key in question.
    conditions : mapping
        Position -> whether users have that key. Empty for all users.
    """

    key: int
    conditions: Mapping[int, bool]

    def __post_init__(self) -> None:
        if self.key in self.conditions:
            raise InputError("The key to estimate is also a condition. Choose another condition.")
        if len(self.conditions) + 1 > MAX_MARGINAL:
            raise InputError(f"The question is about {len(self.conditions) + 1} keys. Choose at most {MAX_MARGINAL} keys.")

    @property
    def axes(self) -> tuple[int, ...]:
        """Positions of the keys in the question, with the key in question first."""
        return (self.key, *self.conditions)

    @property
    def masks(self) -> tuple[Floats, Floats, Floats]:
        """Weights over the states of ``axes``.

        They select users with the conditions and those of them with the key, and give the values of the latter.
        """
        shape = (3,) * len(self.axes)
        group = np.ones(shape)
        for position, wanted in enumerate(self.conditions.values(), 1):
            side = [1] * len(shape)
            side[position] = 3
            group = group * np.array([wanted, not wanted, wanted], dtype=np.float64).reshape(side)
        first = (3, *[1] * (len(shape) - 1))
        return group, group * np.array([1.0, 0.0, 1.0]).reshape(first), group * np.array([-1.0, 0.0, 1.0]).reshape(first)


@dataclass(frozen=True)
class Answer:
    """Conditional frequency and mean with standard errors.

    They are NaN if too few users meet the conditions.
    """

    frequency: float
    frequency_error: float
    mean: float
    mean_error: float


def true_answer(data: KeyValueData, question: ConditionalQuestion) -> Answer:
    """Return the answer of the true data. Its errors are 0."""
    meets = np.ones(data.n, dtype=np.bool_)
    for key, wanted in question.conditions.items():
        meets &= ~np.isnan(data.values[:, key]) == wanted
    column = data.values[meets, question.key]
    has = ~np.isnan(column)
    frequency = float(has.mean()) if meets.any() else math.nan
    return Answer(frequency, 0.0, float(column[has].mean(dtype=np.float64)) if has.any() else math.nan, 0.0)


@dataclass(frozen=True, eq=False)
class Collection:
    """A simulated collection of all keys by one of the ``WAYS``.

    Parameters
    ----------
    way : str
        A key of ``WAYS``.
    eps : float
        ε of the whole record.
    bits : float
        The number of bits that a user sends.
    marginal : callable
        Returns the shares over the states of some keys, and the standard error of any weighted sum of them.
    """

    way: str
    eps: float
    bits: float
    marginal: Callable[[Sequence[int]], tuple[Floats, Callable[[Floats], float]]]

    def answer(self, question: ConditionalQuestion) -> Answer:
        """Return frequency and mean by eqs. (12) and (13).

        The standard errors use the delta method.

        Raises
        ------
        NotIdentifiableError
            If the mechanism erases the association of the keys.
        """
        shares, error = self.marginal(question.axes)
        group, have, values = question.masks
        frequency, frequency_error = _ratio(have, group, shares, error)
        mean, mean_error = _ratio(values, have, shares, error)
        return Answer(frequency, frequency_error, mean, mean_error)


def _ratio(top: Floats, bottom: Floats, shares: Floats, error: Callable[[Floats], float]) -> tuple[float, float]:
    """Return a ratio of two weighted sums and its standard error, NaN if the denominator may be 0."""
    below = float((bottom * shares).sum())
    if not below > 2 * error(bottom):
        return math.nan, math.nan
    ratio = float((top * shares).sum()) / below
    return ratio, error((top - ratio * bottom) / below)


def collect_states(way: str, data: KeyValueData, eps: float, *, rng: np.random.Generator, report: Report = quiet) -> Collection:
    """Simulate a collection of all keys of every user with ``eps`` for the whole record.

    Raises
    ------
    InputError
        If the way is unknown, ε is out of range, or there are too many keys for IOH.
    """
    check_eps(eps)
    if way not in WAYS:
        raise InputError(f"There is no method '{way}'. Choose one of {', '.join(WAYS)}.")
    if way == "ioh":
        protocol = IOH(eps, data.d)
        sums = protocol.simulate(data, rng=rng)
        table, variance = protocol.table(sums, data.n), protocol.variance(sums, data.n)
        return Collection(way, eps, float(3**data.d), _IndexedMarginals(protocol, table, variance))
    schema = Schema(tuple(Attribute(key, STATES, "ordinal") for key in data.keys))
    mechanism = _mechanism(way, data.d, eps, report)
    release = simulate(Dataset(schema, data.states(rng=rng).astype(np.int32)), mechanism, rng=rng)
    return Collection(way, eps, data.d * math.log2(3), _InvertedMarginals(release, data.keys))


def collect_every_way(
    data: KeyValueData, eps: float, *, rngs: Sequence[np.random.Generator], report: Report = quiet
) -> dict[str, Collection | InputError]:
    """Call ``collect_states`` for each of ``WAYS``, with separate generators.

    If a way is impossible, the result contains its error message.
    """
    found: dict[str, Collection | InputError] = {}
    for number, (way, rng) in enumerate(zip(WAYS, rngs, strict=True)):
        portion = part(report, number, len(WAYS), WAYS[way])
        portion(0, "")
        try:
            found[way] = collect_states(way, data, eps, rng=rng, report=portion)
        except InputError as error:
            found[way] = error
    return found


@dataclass(frozen=True, eq=False)
class _IndexedMarginals:
    protocol: IOH
    table: Floats
    variance: Floats

    def __call__(self, axes: Sequence[int]) -> tuple[Floats, Callable[[Floats], float]]:
        shares, spread = self.protocol.marginal(self.table, self.variance, axes)
        return shares, lambda weights: float(np.sqrt((weights**2 * spread).sum()))


@dataclass(frozen=True, eq=False)
class _InvertedMarginals:
    release: Release
    keys: Sequence[str]

    def __call__(self, axes: Sequence[int]) -> tuple[Floats, Callable[[Floats], float]]:
        found = self.release.estimate([self.keys[i] for i in axes])

        def error(weights: Floats) -> float:
            variance = found.spread.variance(found.channel.invert_back(weights), found.channel, population=False)
            return math.sqrt(max(variance, 0.0))

        return found.shares, error


def _mechanism(way: str, d: int, eps: float, report: Report) -> Mechanism:
    """Return randomized response on d attributes of three states with ``eps`` for the record."""
    sizes = (3,) * d
    if way == "workload" and d > 1:
        return Questions(eps, tuple(combinations(range(d), 2))).build(sizes, report=report)
    key = "preserving-2" if way == "preserving-2" else "independent"
    return design(key, sizes, np.full(d, eps / d), spend="total", report=report)
