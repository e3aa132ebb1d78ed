"""Conditional questions: how often, and how highly, do people with some keys rate another one? (Key-Value, section V)

Three ways to answer at equal level: IOH as published; and, since the three states of a key are a categorical attribute, randomized response
on the d ternary attributes, independent (RR-Ind-Joint) or coupled (pair-safe), inverted on the few keys that a question names.
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
from rrcore.estimate import Release, functional_error, margin
from rrcore.limits import MAX_INDEX_KEYS, MAX_MARGINAL
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, part, quiet
from rrcore.research.keyvalue.data import KeyValueData
from rrcore.research.keyvalue.protocol import check_eps, keep
from rrcore.schemes import design
from rrcore.schemes.perturbation import perturb
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema


def index_of(states: NDArray[np.integer]) -> Integers:
    """The index I of Algorithm 6 of every user: the states -1, none, +1 (0, 1, 2) read as a number to base 3, the first key highest.

    Parameters
    ----------
    states : ndarray of shape (n, d), 0..2
    """
    found = np.zeros(len(states), dtype=np.int64)
    for column in states.T:
        found = found * 3 + column
    return found


@dataclass(frozen=True)
class IOH:
    """Indexing one-hot encoding of d keys at level ``eps`` (nats).

    Raises
    ------
    InputError
        Above ``MAX_INDEX_KEYS`` keys: every user would send 3^d bits.
    """

    eps: float
    d: int

    def __post_init__(self) -> None:
        check_eps(self.eps)
        if not 1 <= self.d <= MAX_INDEX_KEYS:
            raise InputError(f"IOH over {self.d} keys sends {3**self.d:,} bits per user: choose at most {MAX_INDEX_KEYS} keys.")

    def simulate(self, data: KeyValueData, *, rng: np.random.Generator) -> Integers:
        """How often every bit is reported as 1, shape (3,) * d: for trying it out, not for collecting.

        The bits of different users are independent, so their sums are drawn: a binomial number of kept and of flipped ones.
        """
        return self.report(np.bincount(index_of(data.states(rng=rng)), minlength=3**self.d), rng=rng)

    def report(self, users: Integers, *, rng: np.random.Generator) -> Integers:
        """How often every bit is reported as 1, from the number of users with every combination of states in the order of ``index_of``."""
        p = keep(self.eps / 2)
        return (rng.binomial(users, p) + rng.binomial(users.sum() - users, 1 - p)).reshape((3,) * self.d)

    def table(self, sums: Integers, n: int) -> Floats:
        """Unbiased shares of users with every combination of states, eq. (9) divided by N; shape (3,) * d."""
        half = math.exp(self.eps / 2)
        return ((half + 1) * sums - n) / (half - 1) / n

    def variance(self, sums: Integers, n: int) -> Floats:
        """Estimated variance of every share, for these users: each is flipped with probability 1 - p, whatever its true bit."""
        p = keep(self.eps / 2)
        return np.full(sums.shape, p * (1 - p) / (n * (2 * p - 1) ** 2))

    def marginal(self, table: Floats, variance: Floats, axes: Sequence[int]) -> tuple[Floats, Floats]:
        """Shares and variances of the states of the keys at ``axes``, in that order: sums over all other keys."""
        others = tuple(i for i in range(self.d) if i not in axes)
        kept = sorted(axes)
        order = [kept.index(i) for i in axes]
        return table.sum(axis=others).transpose(order), variance.sum(axis=others).transpose(order)


WAYS = {
    "ioh": "IOH (as published)",
    "rr-ind-joint": "RR-Ind-Joint on states",
    "pair-safe": "Pair-safe on states",
    "design": "Designed for pairs",
}
"""Key -> name on a page."""

STATES = ("-1", "none", "+1")
"""Categories of a key as an attribute."""


@dataclass(frozen=True)
class ConditionalQuestion:
    """Frequency and mean of ``key`` among users with the ``conditions``.

    Parameters
    ----------
    key : position of the key that is asked about
    conditions : position -> whether users have that key; none, to ask about everybody
    """

    key: int
    conditions: Mapping[int, bool]

    def __post_init__(self) -> None:
        if self.key in self.conditions:
            raise InputError("The key that is asked about is also a condition: choose another condition.")
        if len(self.conditions) + 1 > MAX_MARGINAL:
            raise InputError(
                f"The question names {len(self.conditions) + 1} keys: at most {MAX_MARGINAL} can be asked about at once."
            )

    @property
    def axes(self) -> tuple[int, ...]:
        """Keys that the question names, the one asked about first."""
        return (self.key, *self.conditions)

    @property
    def masks(self) -> tuple[Floats, Floats, Floats]:
        """Over the states of ``axes``: who meets the conditions, who of them has the key, and the sum of their values."""
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
    """Conditional frequency and mean with standard errors; NaN where too few users meet the conditions to tell."""

    frequency: float
    frequency_error: float
    mean: float
    mean_error: float

    def interval(self, what: str, confidence: float = 0.95) -> tuple[float, float]:
        """Normal interval of "frequency" or "mean"."""
        value, half = getattr(self, what), float(margin(getattr(self, f"{what}_error"), confidence))
        return value - half, value + half


def true_answer(data: KeyValueData, question: ConditionalQuestion) -> Answer:
    """Answered from the data themselves; the errors are 0."""
    meets = np.ones(data.n, dtype=np.bool_)
    for key, wanted in question.conditions.items():
        meets &= ~np.isnan(data.values[:, key]) == wanted
    column = data.values[meets, question.key]
    has = ~np.isnan(column)
    frequency = float(has.mean()) if meets.any() else math.nan
    return Answer(frequency, 0.0, float(column[has].mean(dtype=np.float64)) if has.any() else math.nan, 0.0)


@dataclass(frozen=True, eq=False)
class Collection:
    """What was collected about all keys by one of the ``WAYS``, ready for any question.

    Parameters
    ----------
    way : a key of ``WAYS``
    eps : level of the whole record, nats
    bits : bits that a user sends
    marginal : axes -> (shares over the states of those keys, standard error of any weighted sum of them)
    """

    way: str
    eps: float
    bits: float
    marginal: Callable[[Sequence[int]], tuple[Floats, Callable[[Floats], float]]]

    def answer(self, question: ConditionalQuestion) -> Answer:
        """Frequency and mean by eqs. (12) and (13), with errors by the delta method.

        Raises
        ------
        NotIdentifiableError
            If the mechanism erases how the keys go together.
        """
        shares, error = self.marginal(question.axes)
        group, have, values = question.masks
        frequency, frequency_error = _ratio(have, group, shares, error)
        mean, mean_error = _ratio(values, have, shares, error)
        return Answer(frequency, frequency_error, mean, mean_error)


def _ratio(top: Floats, bottom: Floats, shares: Floats, error: Callable[[Floats], float]) -> tuple[float, float]:
    """A ratio of two weighted sums and its standard error; NaN where the lower one may be 0."""
    below = float((bottom * shares).sum())
    if not below > 2 * error(bottom):
        return math.nan, math.nan
    ratio = float((top * shares).sum()) / below
    return ratio, error((top - ratio * bottom) / below)


def collect_states(way: str, data: KeyValueData, eps: float, *, rng: np.random.Generator, report: Report = quiet) -> Collection:
    """Simulate a collection of all keys of every user at level ``eps`` for the whole record.

    Raises
    ------
    InputError
        For an unknown way, a bad level, or too many keys for IOH.
    """
    check_eps(eps)
    if way not in WAYS:
        raise InputError(f"There is no way '{way}': choose among {', '.join(WAYS)}.")
    if way == "ioh":
        protocol = IOH(eps, data.d)
        sums = protocol.simulate(data, rng=rng)
        table, variance = protocol.table(sums, data.n), protocol.variance(sums, data.n)
        return Collection(way, eps, float(3**data.d), _IndexedMarginals(protocol, table, variance))
    schema = Schema(tuple(Attribute(key, STATES, "ordinal") for key in data.keys))
    mechanism = _mechanism(way, data.d, eps, report)
    release = perturb(Dataset(schema, data.states(rng=rng).astype(np.int32)), mechanism, rng=rng)
    return Collection(way, eps, data.d * math.log2(3), _InvertedMarginals(release, data.keys))


def collect_every_way(
    data: KeyValueData, eps: float, *, rngs: Sequence[np.random.Generator], report: Report = quiet
) -> dict[str, Collection | InputError]:
    """``collect_states`` in each of ``WAYS``, each with a generator of its own, or why it cannot be done that way."""
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
        return found.shares, lambda weights: functional_error(weights, found, population=False)


def _mechanism(way: str, d: int, eps: float, report: Report) -> Mechanism:
    """Randomised response on d attributes of three states whose record costs ``eps``."""
    sizes = (3,) * d
    if way == "design" and d > 1:
        return Questions(eps, tuple(combinations(range(d), 2))).build(sizes, report=report)
    key = "pair-safe" if way == "pair-safe" else "kronecker"
    return design(key, sizes, np.full(d, eps / d), spend="total", report=report)
