"""What every mechanism offers: peers share one signature, so that a page or a benchmark can loop over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrcore.channel.levels import level_from_lie
from rrcore.channel.liesets import LieSets

__all__ = ["PROVED", "Mechanism"]

Floats = NDArray[np.float64]

PROVED = 1e-6
"""Below this gap, in nats, between a total and its lower bound the mechanism counts as the optimum."""

_CHUNK = 1 << 15
"""Records randomised at a time, so that the work stays in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Mechanism(ABC):
    """A symmetric randomized response over k attributes: a way to draw lie sets (theory.md section 1).

    Parameters
    ----------
    sizes : tuple of k ints
        Numbers of categories a_i >= 2.
    """

    sizes: tuple[int, ...]

    @property
    def k(self) -> int:
        """Number of attributes."""
        return len(self.sizes)

    @property
    @abstractmethod
    def lies(self) -> Floats:
        """1 - p_i, the probability that attribute i is reported falsely, shape (k,)."""

    @property
    def levels(self) -> Floats:
        """Achieved levels eps_i in nats, shape (k,)."""
        return level_from_lie(self.lies, self.sizes)

    @property
    def method(self) -> str:
        """How it was found, in a few plain words; empty where its title says it all."""
        return ""

    @property
    def lower_bound(self) -> float | None:
        """Certified lower bound, in nats, on the total of every mechanism with these levels; None where none is known."""
        return None

    @property
    def gap(self) -> float | None:
        """How far the total may be above the least possible one, in nats; None where no lower bound is known."""
        return None if self.lower_bound is None else max(0.0, self.total_level - self.lower_bound)

    @property
    def is_optimal(self) -> bool:
        """Whether it is proved that no mechanism with these levels has a smaller total (to within ``PROVED``)."""
        return self.gap is not None and self.gap <= PROVED

    @property
    @abstractmethod
    def total_level(self) -> float:
        """Record-level budget eps_total in nats, computed from the mechanism itself."""

    @property
    @abstractmethod
    def leakage(self) -> Floats:
        """L_i in nats, shape (k,): attribute i's protection against someone who knows the others (section 5)."""

    @abstractmethod
    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        """The channel on the marginal over ``axes`` (positions of attributes, in the order wanted)."""

    @abstractmethod
    def pair_factors(self) -> Floats:
        """mu_ij for every pair, shape (k, k); the diagonal holds r_i^2, so that ratios to Kronecker are 1 there."""

    @abstractmethod
    def _draw_lies(self, n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Which attributes each of n respondents lies about, shape (k, n)."""

    def factor(self, axes: Sequence[int]) -> float:
        """mu_T for T = ``axes``: the factor by which their interaction survives."""
        return float(self.marginal_channel(axes).factors[(1,) * len(axes)])

    @property
    def retentions(self) -> Floats:
        """r_i = mu_{i}, shape (k,)."""
        others = np.asarray(self.sizes, dtype=np.float64) - 1
        return np.asarray(1 - self.lies * (others + 1) / others)

    def pair_ratios(self) -> Floats:
        """mu_ij / (r_i r_j), shape (k, k): how well pairs survive compared with Kronecker; 1 on the diagonal."""
        r = self.retentions
        return np.asarray(self.pair_factors() / np.multiply.outer(r, r))

    def min_pair_ratio(self) -> float | None:
        """Smallest (signed) mu_ij / (r_i r_j) over pairs i < j; None with a single attribute."""
        if self.k < 2:
            return None
        return float(self.pair_ratios()[np.triu_indices(self.k, 1)].min())

    def perturb(self, codes: NDArray[np.int32], *, rng: np.random.Generator) -> NDArray[np.int32]:
        """Simulate the release of a table: seeded, in floating point, for what-ifs; not for collecting real answers.

        Parameters
        ----------
        codes : ndarray of shape (n, k), integer, codes 0..a_i-1
        rng : numpy Generator

        Returns
        -------
        ndarray of shape (n, k), int32, Fortran order: draw S, then replace each x_i, i in S, by another value.

        Raises
        ------
        ValueError
            If ``codes`` is not a table of k columns.
        """
        if codes.ndim != 2 or codes.shape[1] != self.k:
            raise ValueError(f"codes have shape {codes.shape}, expected (n, {self.k})")
        n = codes.shape[0]
        released = np.empty((n, self.k), dtype=np.int32, order="F")
        for start in range(0, n, _CHUNK):
            rows = slice(start, min(start + _CHUNK, n))
            lies = self._draw_lies(rows.stop - start, rng)
            for i, size in enumerate(self.sizes):
                released[rows, i] = _replace(codes[rows, i], lies[i], size, rng)
        return released


def _replace(values: NDArray[np.int32], lies: NDArray[np.bool_], size: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """``values`` with each one marked in ``lies`` replaced by one of the ``size - 1`` other values, uniformly."""
    if size == 2:
        return np.asarray(values ^ lies, dtype=np.int32)
    shift = rng.integers(1, size, size=values.size, dtype=np.uint16)
    shift *= lies
    out = np.add(values, shift, dtype=np.int32)
    out -= (out >= size) * np.int32(size)
    return np.asarray(out)
