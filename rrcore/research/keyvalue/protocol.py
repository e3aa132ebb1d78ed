"""What every key-value protocol is: one key per user at random, one of three states through a channel, and linear estimates from counts.

The states of a key after discretisation are -1, no key, +1 (index 0, 1, 2). Counts of what is reported are all that an estimate uses, so
a simulation may draw them directly: for each key and state the reports are multinomial.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate import margin
from rrcore.limits import MAX_LEVEL
from rrcore.research.keyvalue.data import KeyValueData

Counts = Integers

_LEAST = 1e-9  # nats, far below which what a bit tells is lost in rounding


def check_eps(eps: float, name: str = "The level") -> float:
    """``eps``, above 0 and at most ``MAX_LEVEL``. Raises InputError."""
    if not 0 < eps <= MAX_LEVEL:
        raise InputError(f"{name} is {eps:g}: give a positive number of nats up to {MAX_LEVEL:g}, for example 1.")
    if eps < _LEAST:
        raise InputError(f"{name} is {eps:g}: every report would be pure noise. Give at least {_LEAST:g}.")
    return float(eps)


def keep(eps: float) -> float:
    """e^eps / (e^eps + 1): how often a bit is kept."""
    return 1 / (1 + math.exp(-eps))


def channel_level(channel: Floats) -> float:
    """The exact level of a channel in nats: the largest ratio of two entries in one column; infinite where one of them is 0."""
    live = channel[:, channel.max(axis=0) > 0]
    with np.errstate(divide="ignore"):
        return float(np.log(live.max(axis=0) / live.min(axis=0)).max())


def sample_states(data: KeyValueData, *, rng: np.random.Generator) -> Counts:
    """Every user picks one key and discretises its value; how often each key is found in each state, shape (d, 3)."""
    picked = rng.integers(0, data.d, data.n)
    values = data.values[np.arange(data.n), picked]
    up = rng.random(data.n, dtype=np.float32) < (1 + values) / 2
    state = np.where(np.isnan(values), 1, np.where(up, 2, 0))
    return np.bincount(picked * 3 + state, minlength=3 * data.d).reshape(data.d, 3)


@dataclass(frozen=True, eq=False)
class KeyEstimates:
    """Frequency and mean of every key.

    Parameters
    ----------
    frequency, mean : ndarrays of shape (d,), raw; the frequency may leave [0, 1], the mean [-1, 1]
    frequency_error, mean_error : their standard errors (delta method for the mean), as estimates for the population
    reports : ndarray of shape (d,), int, how many users reported about each key
    """

    frequency: Floats
    mean: Floats
    frequency_error: Floats
    mean_error: Floats
    reports: Counts

    def interval(self, what: str, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Normal interval of "frequency" or "mean": (low, high)."""
        value, half = getattr(self, what), margin(getattr(self, f"{what}_error"), confidence)
        return value - half, value + half


@dataclass(frozen=True)
class Protocol(ABC):
    """One protocol at level ``eps`` (nats), as published."""

    eps: float

    def __post_init__(self) -> None:
        check_eps(self.eps)

    @property
    @abstractmethod
    def channel(self) -> Floats:
        """P(output | state), shape (3, outputs)."""

    @property
    @abstractmethod
    def weights(self) -> Floats:
        """Rows: weights on the shares of outputs whose sums estimate the frequency, the numerator and the denominator of the mean."""

    @property
    def exact_level(self) -> float:
        """The level of the channel itself, nats; the published one is ``eps``."""
        return channel_level(self.channel)

    def published_bits(self, d: int) -> float:
        """Bits a user sends, Table IV."""
        return self.bits(d)

    def bits(self, d: int) -> float:
        """Bits a user has to send: the key's number and the output."""
        return math.log2(self.channel.shape[1] * d)

    def bound(self, n: float, frequency: float, delta: float = 0.05) -> tuple[float, float] | None:
        """The paper's bounds on the errors of frequency and mean from ``n`` reports about a key, with probability (1 - delta)^2; None
        where it gives none. Infinite where the bound on the mean says nothing.
        """
        return None

    def simulate(self, data: KeyValueData, *, rng: np.random.Generator) -> Counts:
        """Counts of what is reported about each key, shape (d, outputs): for trying the protocol out, not for collecting."""
        return self.collect(lambda: sample_states(data, rng=rng), rng=rng)

    def collect(self, draw: Callable[[], Counts], *, rng: np.random.Generator) -> Counts:
        """Counts of what is reported, from counts of states, shape (d, 3), that ``draw`` gives for every round of the protocol."""
        return self.report(draw(), rng=rng)

    def report(self, states: Counts, *, rng: np.random.Generator) -> Counts:
        """Counts of outputs from counts of states, shape (d, 3)."""
        outputs = [rng.multinomial(states[:, state], row) for state, row in enumerate(self.channel)]
        return np.asarray(sum(outputs))

    def estimate(self, counts: Counts) -> KeyEstimates:
        """Frequency and mean of every key from counts of outputs, shape (d, outputs)."""
        reports = counts.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = counts / reports[:, None]
            found, top, bottom = self.weights @ shares.T
            mean = top / bottom
            slope = (self.weights[1][None, :] - mean[:, None] * self.weights[2][None, :]) / bottom[:, None]
            error = _spread(slope, shares, reports)
            own = _spread(np.broadcast_to(self.weights[0], shares.shape), shares, reports)
        return KeyEstimates(found, mean, own, error, reports)

    def expected(self, frequency: float, mean: float) -> tuple[float, float]:
        """The limits of the estimates as the sample size grows: the truth if the estimator is consistent."""
        states = np.array([frequency * (1 - mean) / 2, 1 - frequency, frequency * (1 + mean) / 2])
        found, top, bottom = self.weights @ (states @ self.channel)
        return float(found), float(top / bottom)


def _spread(weights: Floats, shares: Floats, reports: Counts) -> Floats:
    """Standard error of the sums of ``weights`` times shares, row by row; infinite from fewer than two reports."""
    first, second = (weights * shares).sum(axis=1), (weights**2 * shares).sum(axis=1)
    spread = np.sqrt(np.maximum(second - first**2, 0.0) / np.maximum(reports - 1, 1))
    return np.where(reports > 1, spread, np.inf)
