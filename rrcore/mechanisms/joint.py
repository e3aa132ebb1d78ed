"""RR-Joint: keep the whole record, or report a uniform one (Multi-Dimensional RR, section 3.2; theory.md section 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from rrcore.channel.levels import lie_probability
from rrcore.mechanisms.listed import Listed


@dataclass(frozen=True, eq=False)
class Joint(Listed):
    """Keep the whole record with probability rho, else report a uniform record.

    All attributes share r_i = rho, so unequal levels cannot all be met: ``from_levels`` never exceeds any.
    """

    @classmethod
    def with_retention(cls, sizes: Sequence[int], rho: float) -> Joint:
        """RR-Joint that keeps the record with probability ``rho`` in [0, 1)."""
        return cls.at_most_one(sizes, 1.0 - rho, np.zeros(len(sizes)))

    @classmethod
    def from_levels(cls, sizes: Sequence[int], levels: ArrayLike) -> Joint:
        """The most truthful RR-Joint that exceeds no requested level (nats, shape (k,)): rho = min r_i."""
        others = np.asarray(sizes, dtype=np.float64) - 1
        uniform = float((lie_probability(levels, sizes) * (1 + 1 / others)).max())  # 1 - min r_i, without cancellation
        return cls.at_most_one(sizes, uniform, np.zeros(len(sizes)))

    @classmethod
    def from_total(cls, sizes: Sequence[int], total: float) -> Joint:
        """RR-Joint with record-level budget ``total`` in nats: rho = (e^total - 1) / (e^total + M - 1)."""
        log_odds = total + np.log(-np.expm1(-total)) - np.log(sizes).sum()  # of keeping: (e^total - 1) / M
        return cls.at_most_one(sizes, float(expit(-log_odds)), np.zeros(len(sizes)))
