"""KVOH: one bit for each of the three states, each bit randomised at eps / 2 (Key-Value, section IV-C)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from rrcore.arrays import Floats
from rrcore.research.keyvalue.kvue import state_bounds
from rrcore.research.keyvalue.privkv import keep
from rrcore.research.keyvalue.protocol import Protocol

_OUTPUTS = np.array(list(product((0, 1), repeat=3)))  # the eight outputs, one bit per state


@dataclass(frozen=True)
class KVOH(Protocol):
    """Outputs: three bits, for -1, no key and +1."""

    @property
    def channel(self) -> Floats:
        p = keep(self.eps / 2)
        return np.array([np.where(np.eye(3, dtype=int)[state] == _OUTPUTS, p, 1 - p).prod(axis=1) for state in range(3)])

    @property
    def weights(self) -> Floats:
        p = keep(self.eps / 2)
        states = (_OUTPUTS.T - (1 - p)) / (2 * p - 1)
        return np.array([states[0] + states[2], states[2] - states[0], states[0] + states[2]])

    def published_bits(self, d: int) -> float:
        return 3 * math.log2(d)

    def bits(self, d: int) -> float:
        return math.log2(d) + 3

    def bound(self, n: float, frequency: float, delta: float = 0.05) -> tuple[float, float] | None:
        """With r = t times the inverse of the printed factor (theory.md section 10)."""
        half = math.exp(self.eps / 2)
        return state_bounds((half + 1) / (half - 1), n, frequency, delta)
