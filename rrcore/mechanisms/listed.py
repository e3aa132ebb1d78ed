"""Mechanisms given by a list: report a uniform record, or lie about exactly one of the listed sets of attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.channel.liesets import LieSets
from rrcore.mechanisms.base import Mechanism


@dataclass(frozen=True, eq=False)
class Listed(Mechanism):
    """A uniform record with probability ``uniform``, else false answers to exactly the attributes of one of the listed sets.

    Any symmetric randomized response can be written this way; few sets are enough for many (RR-Joint and the closed form need no more
    than the sets of at most one attribute), also where the 2^k lie sets are too many to list.

    Parameters
    ----------
    sizes : tuple of k ints
    uniform : float in [0, 1]
    lying : ndarray of shape (m, k), bool, row s: the attributes reported falsely when set s is drawn; no two rows are equal
    probabilities : ndarray of shape (m,), float64, positive; with ``uniform`` they sum to 1
    """

    uniform: float
    lying: Booleans
    probabilities: Floats

    @classmethod
    def at_most_one(cls, sizes: Sequence[int], uniform: float, single: Floats, **more: Any) -> Self:
        """A uniform record, or a lie about exactly attribute i with probability ``single[i]``, or else the whole record as it is."""
        keep = max(0.0, 1.0 - uniform - float(single.sum()))
        lying, chances = np.eye(len(sizes) + 1, len(sizes), dtype=np.bool_), np.r_[single, keep]
        return cls(tuple(sizes), uniform, lying[chances > 0], chances[chances > 0], **more)

    def listing(self) -> tuple[float, Booleans, Floats]:
        return self.uniform, self.lying, self.probabilities

    @property
    def lies(self) -> Floats:
        return np.asarray(self.uniform * self.uniform_lies + self.probabilities @ self.lying)

    @cached_property
    def log_floor(self) -> float:
        """ln of the probability of one particular output whose lie set is not listed."""
        return float(np.log(self.uniform) - np.log(self.sizes).sum()) if self.uniform > 0 else -np.inf

    @cached_property
    def log_outputs(self) -> Floats:
        """ln of the probability of one particular output with each listed lie set, shape (m,)."""
        others = np.log(np.asarray(self.sizes, dtype=np.float64) - 1)
        return np.asarray(np.logaddexp(np.log(self.probabilities) - self.lying @ others, self.log_floor))

    @cached_property
    def total_level(self) -> float:
        outputs = self.log_outputs if len(self.lying) == 2**self.k else np.r_[self.log_outputs, self.log_floor]
        return float(outputs.max() - outputs.min())

    @cached_property
    def leakage(self) -> Floats:
        packed = np.ascontiguousarray(np.packbits(self.lying, axis=1))
        names = packed.view(f"S{packed.shape[1]}").ravel()
        order = np.argsort(names)
        leaks = np.zeros(self.k)
        for i in range(self.k if names.size else 0):
            other = packed.copy()
            other[:, i // 8] ^= np.uint8(128 >> i % 8)
            wanted = other.view(names.dtype).ravel()
            place = order[np.minimum(np.searchsorted(names, wanted, sorter=order), order.size - 1)]
            found = np.where(names[place] == wanted, self.log_outputs[place], self.log_floor)
            leaks[i] = np.abs(self.log_outputs - found).max()
        return leaks

    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        chosen = list(axes)
        return LieSets.listed([self.sizes[i] for i in chosen], self.uniform, self.lying[:, chosen], self.probabilities)

    @cached_property
    def _pair_factors(self) -> Floats:
        values = np.where(self.lying, -1 / (np.asarray(self.sizes, dtype=np.float64) - 1), 1.0)
        pairs = values.T @ (self.probabilities[:, None] * values)
        np.fill_diagonal(pairs, self.retentions**2)
        return np.asarray(pairs)

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        ends = np.cumsum(np.r_[self.uniform, self.probabilities])[:-1]
        drawn = np.searchsorted(ends, rng.random(n), side="right")
        lies = rng.random((self.k, n)) < self.uniform_lies[:, None]
        lies &= drawn == 0
        chosen = np.vstack([np.zeros((1, self.k), dtype=np.bool_), self.lying])
        lies |= np.take(np.ascontiguousarray(chosen.T), drawn, axis=1, mode="clip")
        return np.asarray(lies)
