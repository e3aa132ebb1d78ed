"""F2M: presence and value randomised apart, a default value where the key is missing (Key-Value, section IV-A)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.research.keyvalue.privkv import keep
from rrcore.research.keyvalue.protocol import Protocol, check_eps


@dataclass(frozen=True)
class F2M(Protocol):
    """Outputs (key, value): (0, -1), (0, 1), (1, -1), (1, 1). The value part runs on eps_2 (theory.md section 10).

    Parameters
    ----------
    split : share of eps that the key gets, in (0, 1)
    default : value in [-1, 1] that users without the key start from
    """

    split: float = 0.5
    default: float = 1.0

    def __post_init__(self) -> None:
        check_eps(self.eps * self.split, "The part of the level for the key")
        check_eps(self.eps * (1 - self.split), "The part of the level for the value")
        if not -1 <= self.default <= 1:
            raise InputError(f"The default value is {self.default:g}: give a number from -1 to 1.")

    @property
    def channel(self) -> Floats:
        p1, p2 = keep(self.eps * self.split), keep(self.eps * (1 - self.split))
        up = [(1 + value * (2 * p2 - 1)) / 2 for value in (-1.0, self.default, 1.0)]
        has = [p1, 1 - p1, p1]
        return np.array([[(1 - h) * (1 - u), (1 - h) * u, h * (1 - u), h * u] for h, u in zip(has, up, strict=True)])

    @property
    def weights(self) -> Floats:
        p1, p2 = keep(self.eps * self.split), keep(self.eps * (1 - self.split))
        frequency = (np.array([0.0, 0.0, 1.0, 1.0]) - (1 - p1)) / (2 * p1 - 1)
        overall = np.array([-1.0, 1.0, -1.0, 1.0]) / (2 * p2 - 1)
        return np.array([frequency, overall - (1 - frequency) * self.default, frequency])

    def published_bits(self, d: int) -> float:
        return 2 * math.log2(d)

    def bits(self, d: int) -> float:
        return math.log2(4 * d)

    def bound(self, n: float, frequency: float, delta: float = 0.05) -> tuple[float, float] | None:
        """Appendix A, with the parts of the level that the key and the value have."""
        root = math.sqrt(math.log(2 / delta))
        one, two = math.exp(self.eps * self.split), math.exp(self.eps * (1 - self.split))
        alone = (one + 1) / (one - 1) * root / math.sqrt(2 * n)
        bottom = math.sqrt(2 * n) * frequency**2 * (two - 1) - frequency * (two - 1) * root
        return alone, 2 * (frequency + 1) * (two + 1) * root / bottom if bottom > 0 else math.inf
