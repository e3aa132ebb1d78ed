"""The published protocols of one round: PrivKV, PrivKV-A, F2M, KVUE and KVOH (Key-Value, sections II to IV)."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from itertools import product

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.research.keyvalue.protocol import Protocol, check_eps, keep

_PRESENT, _SIGN = np.array([1.0, 0.0, 1.0]), np.array([-1.0, 0.0, 1.0])  # over the outputs -1, no key, +1
_BITS = np.array(list(product((0, 1), repeat=3)))  # the eight outputs of KVOH, one bit per state


@dataclass(frozen=True)
class Split(Protocol):
    """A protocol that randomises presence at eps_1 and the value at eps_2.

    Parameters
    ----------
    split : share of eps that the key gets, in (0, 1)
    """

    split: float = 0.5

    def __post_init__(self) -> None:
        check_eps(self.eps * self.split, "The part of the level for the key")
        check_eps(self.eps * (1 - self.split), "The part of the level for the value")

    @property
    def keeps(self) -> tuple[float, float]:
        """How often presence and how often the value are kept."""
        return keep(self.eps * self.split), keep(self.eps * (1 - self.split))


@dataclass(frozen=True)
class PrivKV(Split):
    """Algorithms 1 and 2: whoever lacks the key invents a value in [-1, 1].

    Outputs: -1, no key, +1. The mean is estimated among the reports with a key, as Algorithm 2 (line 11 read as
    (n_1 - n_-1) / N) prints it: users who invented a value are counted in, which draws it towards ``default``. Line 10 clips it to [-1, 1];
    here it stays as it is, to be marked where it is shown.

    Parameters
    ----------
    split : share of eps that the key gets, in (0, 1)
    default : mean of the values that are invented; 0 as published
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
    """The reports of PrivKV, read by unbiased counts of the states (section III)."""

    @property
    def weights(self) -> Floats:
        p1, p2 = self.keeps
        frequency = (_PRESENT - (1 - p1)) / (2 * p1 - 1)
        return np.array([frequency, _SIGN / (p1 * (2 * p2 - 1)), frequency])


@dataclass(frozen=True)
class F2M(Split):
    """Section IV-A. Outputs (key, value): (0, -1), (0, 1), (1, -1), (1, 1). The value part runs on eps_2 (theory.md section 10).

    Parameters
    ----------
    split : share of eps that the key gets, in (0, 1)
    default : value in [-1, 1] that users without the key start from
    """

    default: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not -1 <= self.default <= 1:
            raise InputError(f"The default value is {self.default:g}: give a number from -1 to 1.")

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

    def published_bits(self, d: int) -> float:
        return 2 * math.log2(d)

    def bound(self, n: float, frequency: float, delta: float = 0.05) -> tuple[float, float] | None:
        """Appendix A, with the parts of the level that the key and the value have."""
        root = math.sqrt(math.log(2 / delta))
        one, two = math.exp(self.eps * self.split), math.exp(self.eps * (1 - self.split))
        alone = (one + 1) / (one - 1) * root / math.sqrt(2 * n)
        bottom = math.sqrt(2 * n) * frequency**2 * (two - 1) - frequency * (two - 1) * root
        return alone, 2 * (frequency + 1) * (two + 1) * root / bottom if bottom > 0 else math.inf


@dataclass(frozen=True)
class OfStates(Protocol):
    """A protocol that estimates the shares of the three states, from which frequency and mean follow."""

    @property
    @abstractmethod
    def states(self) -> Floats:
        """Rows: weights on the shares of outputs whose sums estimate the shares of -1, no key and +1."""

    @property
    @abstractmethod
    def factor(self) -> float:
        """By how much the level widens the bounds of section IV-D."""

    @property
    def weights(self) -> Floats:
        low, _, high = self.states
        return np.array([low + high, high - low, low + high])

    def bound(self, n: float, frequency: float, delta: float = 0.05) -> tuple[float, float] | None:
        """Section IV-D: 2 r / N for the frequency, 1 / (f N / (2 r) - 1) for the mean, r = factor sqrt(N / 2 ln(2 / delta))."""
        r = self.factor * math.sqrt(n / 2 * math.log(2 / delta))
        bottom = frequency * n / (2 * r) - 1
        return 2 * r / n, 1 / bottom if bottom > 0 else math.inf


@dataclass(frozen=True)
class KVUE(OfStates):
    """Section IV-B, generalised randomized response. Outputs: -1, no key, +1; the true state with probability e^eps / (e^eps + 2)."""

    @property
    def channel(self) -> Floats:
        other = 1 / (math.exp(self.eps) + 2)
        return np.full((3, 3), other) + (1 - 3 * other) * np.eye(3)

    @property
    def states(self) -> Floats:
        """Eq. (4)."""
        p = 1 - 2 / (math.exp(self.eps) + 2)
        return np.asarray((2 * np.eye(3) - (1 - p)) / (3 * p - 1))

    @property
    def factor(self) -> float:
        return (math.exp(self.eps) + 2) / (math.exp(self.eps) - 1)


@dataclass(frozen=True)
class KVOH(OfStates):
    """Section IV-C. Outputs: three bits, for -1, no key and +1, each randomised at eps / 2."""

    @property
    def channel(self) -> Floats:
        p = keep(self.eps / 2)
        return np.array([np.where(np.eye(3, dtype=int)[state] == _BITS, p, 1 - p).prod(axis=1) for state in range(3)])

    @property
    def states(self) -> Floats:
        p = keep(self.eps / 2)
        return np.asarray((_BITS.T - (1 - p)) / (2 * p - 1))

    @property
    def factor(self) -> float:
        """The inverse of the printed factor (theory.md section 10)."""
        half = math.exp(self.eps / 2)
        return (half + 1) / (half - 1)

    def published_bits(self, d: int) -> float:
        return 3 * math.log2(d)

    def bits(self, d: int) -> float:
        return math.log2(d) + 3
