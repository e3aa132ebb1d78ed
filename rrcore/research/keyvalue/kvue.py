"""KVUE: the three states of a key through generalised randomized response (Key-Value, section IV-B)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.research.keyvalue.protocol import Protocol


@dataclass(frozen=True)
class KVUE(Protocol):
    """Outputs: -1, no key, +1; the true state with probability e^eps / (e^eps + 2)."""

    @property
    def channel(self) -> Floats:
        other = 1 / (math.exp(self.eps) + 2)
        return np.full((3, 3), other) + (1 - 3 * other) * np.eye(3)

    @property
    def weights(self) -> Floats:
        p = 1 - 2 / (math.exp(self.eps) + 2)
        states = (2 * np.eye(3) - (1 - p)) / (3 * p - 1)  # eq. (4)
        return np.array([states[0] + states[2], states[2] - states[0], states[0] + states[2]])

    def published_bits(self, d: int) -> float:
        return math.log2(3 * d)

    def bits(self, d: int) -> float:
        return math.log2(3 * d)

    def bound(self, n: float, frequency: float, delta: float = 0.05) -> tuple[float, float] | None:
        return state_bounds((math.exp(self.eps) + 2) / (math.exp(self.eps) - 1), n, frequency, delta)


def state_bounds(factor: float, n: float, frequency: float, delta: float) -> tuple[float, float]:
    """Section IV-D: 2 r / N for the frequency, 1 / (f N / (2 r) - 1) for the mean, r = factor sqrt(N / 2 ln(2 / delta))."""
    r = factor * math.sqrt(n / 2 * math.log(2 / delta))
    bottom = frequency * n / (2 * r) - 1
    return 2 * r / n, 1 / bottom if bottom > 0 else math.inf
