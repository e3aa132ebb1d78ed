"""PrivKV (Key-Value, Algorithms 1 and 2) and its unbiased counts (section III, PrivKV-A)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.research.keyvalue.protocol import Protocol, check_eps


def keep(eps: float) -> float:
    """e^eps / (e^eps + 1): how often a bit is kept."""
    return 1 / (1 + math.exp(-eps))


@dataclass(frozen=True)
class PrivKV(Protocol):
    """The key's presence is randomised at eps_1, the value at eps_2; whoever lacks the key invents a value in [-1, 1].

    Outputs: -1, no key, +1. The mean is estimated among the reports with a key, as Algorithm 2 (line 11 read as
    (n_1 - n_-1) / N) prints it: users who invented a value are counted in, which draws it towards ``default``. Line 10 clips it to [-1, 1];
    here it stays as it is, to be marked where it is shown.

    Parameters
    ----------
    split : share of eps that the key gets, in (0, 1)
    default : mean of the values that are invented; 0 as published
    """

    split: float = 0.5
    default: float = 0.0

    def __post_init__(self) -> None:
        check_eps(self.eps * self.split, "The part of the level for the key")
        check_eps(self.eps * (1 - self.split), "The part of the level for the value")

    @property
    def _keeps(self) -> tuple[float, float]:
        return keep(self.eps * self.split), keep(self.eps * (1 - self.split))

    @property
    def channel(self) -> Floats:
        p1, p2 = self._keeps
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
        p1, p2 = self._keeps
        frequency = (np.array([1.0, 0.0, 1.0]) - (1 - p1)) / (2 * p1 - 1)
        return np.array([frequency, np.array([-1.0, 0.0, 1.0]) / (2 * p2 - 1), np.array([1.0, 0.0, 1.0])])

    def published_bits(self, d: int) -> float:
        return math.log2(3 * d)

    def bits(self, d: int) -> float:
        return math.log2(3 * d)


@dataclass(frozen=True)
class PrivKVA(PrivKV):
    """The same reports, read by unbiased counts of the states (section III)."""

    @property
    def weights(self) -> Floats:
        p1, p2 = self._keeps
        frequency = (np.array([1.0, 0.0, 1.0]) - (1 - p1)) / (2 * p1 - 1)
        return np.array([frequency, np.array([-1.0, 0.0, 1.0]) / (p1 * (2 * p2 - 1)), frequency])
