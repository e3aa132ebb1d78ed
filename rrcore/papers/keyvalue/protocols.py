"""Protocols for key-value data: PrivKV, PrivKV-A, PrivKVM, F2M, KVUE and KVOH (Key-Value, sections II to IV and VI).

Every user reports about one random key. Discretization gives the key one of the states -1, no key, +1 (indices 0, 1, 2), and a
channel randomizes it. Estimates are linear in the counts of outputs, so a simulation draws these counts directly.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import scipy

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate import Result, margin
from rrcore.limits import MAX_EPSILON, MAX_ROUNDS
from rrcore.papers.keyvalue.data import KeyValueData

Counts = Integers

# below this ε, rounding hides the information of a bit
_LEAST = 1e-9

# values over the outputs -1, no key, +1
_PRESENT, _SIGN = np.array([1.0, 0.0, 1.0]), np.array([-1.0, 0.0, 1.0])

# the eight outputs of KVOH, one bit per state
_BITS = np.array(list(product((0, 1), repeat=3)))


def check_eps(eps: float, name: str = "ε") -> float:
    """Return ``eps``. Raises InputError unless it is above 0 and at most ``MAX_EPSILON``."""
    if not 0 < eps <= MAX_EPSILON:
        raise InputError(f"{name} is {eps:g}. Choose a positive number up to {MAX_EPSILON:g}, for example 1.")
    if eps < _LEAST:
        raise InputError(f"{name} is {eps:g}. Choose at least {_LEAST:g}. Below that, the randomized data are pure noise.")
    return float(eps)


def keep(eps: float) -> float:
    """Return e^ε / (e^ε + 1), the probability of keeping a bit."""
    return 1 / (1 + math.exp(-eps))


def channel_level(channel: Floats) -> float:
    """Return the exact ε of a channel.

    It is the log of the largest ratio of two entries in one column.
    """
    live = channel[:, channel.max(axis=0) > 0]
    with np.errstate(divide="ignore"):
        return float(np.log(live.max(axis=0) / live.min(axis=0)).max())


def sample_states(data: KeyValueData, *, rng: np.random.Generator) -> Counts:
    """Return the counts of states of each key, shape (d, 3).

    Every user picks one key at random and discretizes its value.
    """
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
    frequency, mean : ndarrays of shape (d,)
        Unbounded: the frequency may leave [0, 1] and the mean [-1, 1].
    frequency_error, mean_error : ndarrays of shape (d,)
        Their standard errors for the population, by the delta method for the mean.
    reports : ndarray of shape (d,)
        The number of reports about each key.
    """

    frequency: Floats
    mean: Floats
    frequency_error: Floats
    mean_error: Floats
    reports: Counts

    def result(self, what: str, names: Sequence[str], truth: Floats | None = None) -> Result:
        """Return "frequency" or "mean" of every key as rows with normal intervals, with the ``truth`` if it is given."""
        value, error = getattr(self, what), getattr(self, f"{what}_error")
        return Result(
            labels={"key": names},
            estimate=value,
            std_error=error,
            conf_low=value - margin(error),
            conf_high=value + margin(error),
            columns={} if truth is None else {"truth": truth.tolist()},
            share=what == "frequency",
        )


@dataclass(frozen=True)
class Protocol(ABC):
    """A protocol whose reports have a loss of ``eps``, as published."""

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
        """Rows of weights on the shares of outputs.

        Their sums estimate the frequency, and the numerator and denominator of the mean.
        """

    @property
    def exact_epsilon(self) -> float:
        """ε of the channel itself."""
        return channel_level(self.channel)

    def bits(self, d: int) -> float:
        """Return the bits that a user has to send for the key's number and the output."""
        return math.log2(self.channel.shape[1] * d)

    def simulate(self, data: KeyValueData, *, rng: np.random.Generator) -> Counts:
        """Return counts of outputs of each key, shape (d, outputs), for simulation only."""
        return self.collect(lambda: sample_states(data, rng=rng), rng=rng)

    def collect(self, draw: Callable[[], Counts], *, rng: np.random.Generator) -> Counts:
        """Return counts of outputs.

        ``draw`` returns the counts of states, shape (d, 3), for every round of the protocol.
        """
        states = draw()
        outputs = [rng.multinomial(states[:, state], row) for state, row in enumerate(self.channel)]
        return np.asarray(sum(outputs))

    def estimate(self, counts: Counts) -> KeyEstimates:
        """Estimate frequency and mean of every key from counts of outputs, shape (d, outputs)."""
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
        """Return the limits of the estimates as the sample size grows.

        A consistent estimator converges to the truth.
        """
        states = np.array([frequency * (1 - mean) / 2, 1 - frequency, frequency * (1 + mean) / 2])
        found, top, bottom = self.weights @ (states @ self.channel)
        return float(found), float(top / bottom)


def _spread(weights: Floats, shares: Floats, reports: Counts) -> Floats:
    """Return the standard errors of the sums of ``weights`` times shares, infinite for fewer than two reports."""
    first, second = (weights * shares).sum(axis=1), (weights**2 * shares).sum(axis=1)
    spread = np.sqrt(np.maximum(second - first**2, 0.0) / np.maximum(reports - 1, 1))
    return np.where(reports > 1, spread, np.inf)


@dataclass(frozen=True)
class Split(Protocol):
    """A protocol that randomizes presence with ε_1 and the value with ε_2.

    Parameters
    ----------
    split : float
        The part of ``eps`` for the key, in (0, 1).
    """

    split: float = 0.5

    def __post_init__(self) -> None:
        check_eps(self.eps * self.split, "ε for the key")
        check_eps(self.eps * (1 - self.split), "ε for the value")

    @property
    def keeps(self) -> tuple[float, float]:
        """The probabilities of keeping presence and value."""
        return keep(self.eps * self.split), keep(self.eps * (1 - self.split))


@dataclass(frozen=True)
class PrivKV(Split):
    """PrivKV by Algorithms 1 and 2.

    Users without the key invent a value in [-1, 1].

    The outputs are -1, no key, +1. The mean is estimated among the reports with a key, as Algorithm 2 prints it (line 11 read as
    (n_1 - n_-1) / N). Invented values are included, which draws the mean toward ``default``. Line 10 clips it to [-1, 1]. Here it
    is not clipped.

    Parameters
    ----------
    default : float
        The mean of the invented values, 0 as published.
    """

    default: float = 0.0

    @property
    def channel(self) -> Floats:
        p1, p2 = self.keeps
        low = (1 - self.default * (2 * p2 - 1)) / 2
        return np.array(
            [
                [p1 * p2, 1 - p1, p1 * (1 - p2)],
                [(1 - p1) * low, p1, (1 - p1) * (1 - low)],
                [p1 * (1 - p2), 1 - p1, p1 * p2],
            ]
        )

    @property
    def weights(self) -> Floats:
        p1, p2 = self.keeps
        return np.array([(_PRESENT - (1 - p1)) / (2 * p1 - 1), _SIGN / (2 * p2 - 1), _PRESENT])


@dataclass(frozen=True)
class PrivKVA(PrivKV):
    """The reports of PrivKV with unbiased counts of the states (section III)."""

    @property
    def weights(self) -> Floats:
        p1, p2 = self.keeps
        frequency = (_PRESENT - (1 - p1)) / (2 * p1 - 1)
        return np.array([frequency, _SIGN / (p1 * (2 * p2 - 1)), frequency])


@dataclass(frozen=True)
class PrivKVM(PrivKV):
    """PrivKV in several rounds, each with ε / rounds.

    Users without a key use the mean of the previous round as their value.

    Each round multiplies the bias by the weight of invented values, (1 - p_1)(1 - f) / (p_1 f + (1 - p_1)(1 - f)). The noise does
    not shrink, since each round has only its part of ε. Frequencies are averaged over the rounds, and the mean is that of the last.
    """

    rounds: int = 10

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MAX_ROUNDS:
            raise InputError(f"The number of rounds is {self.rounds}. Choose a number from 1 to {MAX_ROUNDS:,}.")
        # raises an error for an invalid ε or split
        self.one_round()

    def one_round(self, default: float = 0.0) -> PrivKV:
        """Return the protocol of a single round."""
        return PrivKV(self.eps / self.rounds, self.split, default)

    @property
    def exact_epsilon(self) -> float:
        """The sum over the rounds, for the worst default, -1 or 1."""
        return self.rounds * max(channel_level(self.one_round(default).channel) for default in (-1.0, 0.0, 1.0))

    def bits(self, d: int) -> float:
        return self.rounds * super().bits(d)

    def collect(self, draw: Callable[[], Counts], *, rng: np.random.Generator) -> Counts:
        """Return the counts of every round, shape (rounds, d, 3)."""
        defaults: Floats = np.zeros(1)
        found = []
        for _ in range(self.rounds):
            states = draw()
            channels = np.array([self.one_round(m).channel for m in np.broadcast_to(defaults, len(states)).tolist()])
            counts = rng.multinomial(states, channels).sum(axis=1)
            found.append(counts)
            mean = self.one_round().estimate(counts).mean
            defaults = np.clip(np.where(np.isfinite(mean), mean, 0.0), -1, 1)
        return np.stack(found)

    def estimate(self, counts: Counts) -> KeyEstimates:
        """Estimate from the counts of every round, shape (rounds, d, 3).

        Rounds depend on each other in two ways, and the errors include both. The mean of a round contains that of the previous one,
        clipped to [-1, 1] and weighted by the invented values. All rounds ask the same people, so the sampling error does not average
        out.
        """
        each = [self.one_round().estimate(one) for one in counts]
        frequency = np.mean([one.frequency for one in each], axis=0)
        present = np.clip(frequency, 0.0, 1.0)
        # everybody reports about one key in every round
        people = counts.sum(axis=(1, 2)).mean()
        repeated = (1 - 1 / len(each)) * present * (1 - present) / people
        own = np.sum([one.frequency_error**2 for one in each], axis=0) / len(each) ** 2
        spread = self._carried(each, present, people)
        return KeyEstimates(frequency, each[-1].mean, np.sqrt(own + repeated), np.sqrt(spread), counts.sum(axis=(0, 2)))

    def _carried(self, each: list[KeyEstimates], present: Floats, people: float) -> Floats:
        """Return the variance of the last round's mean, including that of the means of earlier rounds."""
        kept = self.one_round().keeps[0]
        true_part, invented = kept * present, (1 - kept) * (1 - present)
        with np.errstate(divide="ignore", invalid="ignore"):
            # weight of the default in the mean of a round, and covariance with the sample mean relative to its variance
            weight = invented / (true_part + invented)
            spread, tied = each[0].mean_error ** 2, 1 - weight
            for before, now in pairwise(each):
                moves, scatter = _clipped(before.mean, spread)
                # the variance of the sample mean of people with the key, at most that of values -1 and 1
                shared = np.maximum(1 - np.clip(now.mean, -1, 1) ** 2, 0.0) / (people * present)
                together = 2 * (1 - weight) * weight * moves * tied * np.where(present > 0, shared, 0.0)
                spread = now.mean_error**2 + weight**2 * scatter + together
                tied = 1 - weight + weight * moves * tied
        return np.asarray(spread)

    def expected(self, frequency: float, mean: float) -> tuple[float, float]:
        found = (frequency, 0.0)
        for _ in range(self.rounds):
            found = self.one_round(found[1]).expected(frequency, mean)
        return found


def _clipped(mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Return the probability that a normal estimate is in [-1, 1], and its variance after clipping. Both are 0 if it is unknown."""
    known = np.isfinite(mean) & np.isfinite(variance) & (variance > 0)
    center, deviation = np.where(known, mean, 0.0), np.sqrt(np.where(known, variance, 1.0))
    low, high = (-1 - center) / deviation, (1 - center) / deviation
    at_low, at_high = (np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) for z in (low, high))
    below, above = scipy.special.ndtr(low), scipy.special.ndtr(-high)
    inside = 1 - below - above
    middle = low * below + at_low - at_high + high * above
    square = low**2 * below + inside + low * at_low - high * at_high + high**2 * above
    scatter = np.maximum(square - middle**2, 0.0) * deviation**2
    return np.where(known, inside, 0.0), np.where(known, scatter, 0.0)


@dataclass(frozen=True)
class F2M(Split):
    """Section IV-A. The value is randomized with ε_2 (theory.md section 10).

    The outputs (key, value) are (0, -1), (0, 1), (1, -1), (1, 1).

    Parameters
    ----------
    default : float
        The value in [-1, 1] of users without the key.
    """

    default: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not -1 <= self.default <= 1:
            raise InputError(f"The default value is {self.default:g}. Choose a number from -1 to 1.")

    @property
    def channel(self) -> Floats:
        p1, p2 = self.keeps
        up = [(1 + value * (2 * p2 - 1)) / 2 for value in (-1.0, self.default, 1.0)]
        has = [p1, 1 - p1, p1]
        return np.array([[(1 - h) * (1 - u), (1 - h) * u, h * (1 - u), h * u] for h, u in zip(has, up, strict=True)])

    @property
    def weights(self) -> Floats:
        p1, p2 = self.keeps
        frequency = (np.array([0.0, 0.0, 1.0, 1.0]) - (1 - p1)) / (2 * p1 - 1)
        overall = np.array([-1.0, 1.0, -1.0, 1.0]) / (2 * p2 - 1)
        return np.array([frequency, overall - (1 - frequency) * self.default, frequency])


@dataclass(frozen=True)
class OfStates(Protocol):
    """A protocol that estimates the shares of the three states, from which frequency and mean follow."""

    @property
    @abstractmethod
    def states(self) -> Floats:
        """Rows of weights on the shares of outputs.

        Their sums estimate the shares of -1, no key and +1.
        """

    @property
    def weights(self) -> Floats:
        low, _, high = self.states
        return np.array([low + high, high - low, low + high])

    def state_variances(self, shares: Floats) -> Floats:
        """Return the variance of the estimated number of each state, per user.

        The users are fixed and have these ``shares``.
        """
        return np.asarray(shares @ (self.channel @ self.states.T**2 - (self.channel @ self.states.T) ** 2))


@dataclass(frozen=True)
class KVUE(OfStates):
    """KVUE, generalized randomized response on -1, no key and +1 (section IV-B).

    The state is unchanged with probability e^ε / (e^ε + 2).
    """

    @property
    def channel(self) -> Floats:
        other = 1 / (math.exp(self.eps) + 2)
        return np.full((3, 3), other) + (1 - 3 * other) * np.eye(3)

    @property
    def states(self) -> Floats:
        """Eq. (4)."""
        p = 1 - 2 / (math.exp(self.eps) + 2)
        return np.asarray((2 * np.eye(3) - (1 - p)) / (3 * p - 1))


@dataclass(frozen=True)
class KVOH(OfStates):
    """KVOH, whose outputs are three bits for -1, no key and +1 (section IV-C).

    Each bit is randomized with ε / 2.
    """

    @property
    def channel(self) -> Floats:
        p = keep(self.eps / 2)
        return np.array([np.where(np.eye(3, dtype=int)[state] == _BITS, p, 1 - p).prod(axis=1) for state in range(3)])

    @property
    def states(self) -> Floats:
        p = keep(self.eps / 2)
        return np.asarray((_BITS.T - (1 - p)) / (2 * p - 1))

    def bits(self, d: int) -> float:
        return math.log2(d) + 3


PROTOCOLS: dict[str, tuple[str, Callable[..., Protocol]]] = {
    "privkv": ("PrivKV", PrivKV),
    "privkv-a": ("PrivKV-A (unbiased counts)", PrivKVA),
    "privkvm": ("PrivKVM", PrivKVM),
    "f2m": ("F2M", F2M),
    "kvue": ("KVUE", KVUE),
    "kvoh": ("KVOH", KVOH),
}
"""Key -> name on a page, and its class. The paper names PrivKVM+ too, but does not specify it."""

_OPTIONS = {"privkv": ("split",), "privkv-a": ("split",), "privkvm": ("split", "rounds"), "f2m": ("split", "default")}


def make_protocol(key: str, eps: float, *, split: float = 0.5, rounds: int = 10, default: float = 1.0) -> Protocol:
    """Return the protocol called ``key`` with its options.

    Parameters
    ----------
    key : str
        A key of ``PROTOCOLS``.
    eps : float
        ε of a user's reports.
    split : float
        The part of ε for the key (PrivKV, PrivKV-A, PrivKVM, F2M).
    rounds : int
        The number of rounds of PrivKVM.
    default : float
        The default value of F2M.

    Raises
    ------
    InputError
        If the protocol is unknown or an option is out of range.
    """
    if key not in PROTOCOLS:
        raise InputError(f"There is no protocol '{key}'. Choose one of {', '.join(PROTOCOLS)}.")
    if not 0 < split < 1:
        raise InputError(f"The fraction of ε for the key is {split:g}. Choose a number between 0 and 1, for example 0.5.")
    options = {"split": split, "rounds": rounds, "default": default}
    return PROTOCOLS[key][1](eps, **{name: options[name] for name in _OPTIONS.get(key, ())})
