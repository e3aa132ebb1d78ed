"""Mixtures of "keep everything", "randomise everything" and "lie about exactly one attribute".

RR-Joint (seeds/002 section 3.2) is the mixture of the first two; the closed form (theory.md section 3) uses all three.
Everything is O(k) or O(k^2) and works with ln M, so any number of attributes will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrcore.channel.liesets import LieSets
from rrcore.mechanisms.base import Floats, Mechanism

__all__ = ["Mixture"]


@dataclass(frozen=True, eq=False)
class Mixture(Mechanism):
    """Keep the record, replace it by a uniform one, or lie about exactly one attribute.

    Parameters
    ----------
    sizes : tuple of k ints
    uniform : float in (0, 1]
        Probability 1/T of a uniform record.
    single : ndarray of shape (k,)
        Probability of lying about exactly attribute i on purpose: (a_i - 1) y_i / T.
    """

    uniform: float
    single: Floats

    @property
    def keep(self) -> float:
        """Probability y_0/T of keeping the whole record on purpose."""
        return max(0.0, 1.0 - self.uniform - float(self.single.sum()))

    @property
    def lies(self) -> Floats:
        sizes = np.asarray(self.sizes, dtype=np.float64)
        return np.asarray(self.uniform * (1 - 1 / sizes) + self.single)

    @property
    def _log_domain(self) -> float:
        return float(np.log(self.sizes).sum())

    def _log_gain(self, weight: Floats | float) -> Floats:
        """ln(X_S / X_uniform) of a lie set that gets ``weight`` on each of its outputs beside the uniform record's share."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.logaddexp(0.0, self._log_domain + np.log(weight) - np.log(self.uniform)))

    @property
    def _log_gains(self) -> tuple[float, Floats]:
        others = np.asarray(self.sizes, dtype=np.float64) - 1
        return float(self._log_gain(self.keep)), self._log_gain(self.single / others)

    @property
    def total_level(self) -> float:
        kept, single = self._log_gains
        lowest = 0.0 if self.k > 1 else float(single[0])
        return max(kept, float(single.max())) - min(kept, lowest)

    @property
    def leakage(self) -> Floats:
        kept, single = self._log_gains
        leaks = np.abs(kept - single)
        if self.k > 1:  # from {l} to {l, i}: the largest single gain of another attribute
            first, second = np.sort(single)[::-1][:2]
            leaks = np.maximum(leaks, np.where(single == first, second, first))
        return np.asarray(leaks)

    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        chosen = list(axes)
        sizes = tuple(self.sizes[i] for i in chosen)
        q = self.uniform * LieSets.product(sizes, 1 - 1 / np.asarray(sizes, dtype=np.float64)).probabilities
        q[(0,) * len(chosen)] += 1 - self.uniform - float(self.single[chosen].sum())
        for position, i in enumerate(chosen):
            q[tuple(int(j == position) for j in range(len(chosen)))] += self.single[i]
        return LieSets(sizes, q)

    def pair_factors(self) -> Floats:
        share = self.single * np.asarray(self.sizes) / (np.asarray(self.sizes, dtype=np.float64) - 1)
        pairs = 1 - self.uniform - np.add.outer(share, share)
        np.fill_diagonal(pairs, self.retentions**2)
        return np.asarray(pairs)

    def _draw_lies(self, n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        ends = np.cumsum(np.r_[self.uniform, self.single])
        kind = np.searchsorted(ends, rng.random(n), side="right")  # 0 uniform, 1..k single lie, k+1 keep
        single = kind == np.arange(1, self.k + 1)[:, None]
        chance = 1 - 1 / np.asarray(self.sizes, dtype=np.float64)
        return np.asarray(single | (rng.random((self.k, n)) < np.multiply.outer(chance, kind == 0)))
