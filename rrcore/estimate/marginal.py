"""The estimate of a marginal from released counts: value, error bars, and what it used."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rrcore.channel import Channel
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate.uncertainty import cell_variance, margin
from rrcore.limits import MAX_MARGINAL, MIN_FACTOR

__all__ = ["Estimate", "estimate_marginal"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """An unbiased estimate of a marginal.

    Parameters
    ----------
    released : ndarray of shape ``channel.sizes``, shares of the released records
    shares : ndarray of the same shape
        Raw estimate: sums to 1, may leave [0, 1].
    channel : Channel
        The one that was inverted.
    n : number of respondents
    """

    released: Floats
    shares: Floats
    channel: Channel
    n: int

    def standard_error(self, *, population: bool = False) -> Floats:
        """Standard error of every share; ``population`` as in ``cell_variance``."""
        return self._errors[population]

    def interval(self, confidence: float = 0.95, *, population: bool = False) -> tuple[Floats, Floats]:
        """Normal confidence interval of every share: (low, high), not cut off at 0 and 1."""
        half = margin(self.standard_error(population=population), confidence)
        return self.shares - half, self.shares + half

    def people_for(self, error: float, confidence: float = 0.95) -> int:
        """How many respondents in all make every share's interval reach at most ``error`` (a share) to each side, if shares stay alike.

        The chance of who was asked is included, as for a population.
        """
        widest = float(margin(self.standard_error(population=True), confidence).max())
        return math.ceil(self.n * (widest / error) ** 2)

    @cached_property
    def _errors(self) -> tuple[Floats, Floats]:
        finite, sampled = (
            cell_variance(self.released, self.shares, self.channel, self.n, population=population) for population in (False, True)
        )
        if self.n == 1:
            return np.sqrt(finite), np.full_like(sampled, np.inf)
        return np.sqrt(finite), np.sqrt(sampled * self.n / (self.n - 1))  # n - 1: the shares come from the same people


def estimate_marginal(counts: NDArray[np.int64], channel: Channel, *, names: Sequence[str] = ()) -> Estimate:
    """Invert released counts.

    Parameters
    ----------
    counts : ndarray of shape ``channel.sizes``, counts of the released records
    channel : Channel
        ``mechanism.marginal_channel(axes)`` of the mechanism that released them.
    names : names of the axes, for messages

    Raises
    ------
    NotIdentifiableError
        If an interaction of the marginal is erased (|mu_T| < MIN_FACTOR): nothing is invented.
    InputError
        For no records, or more than MAX_MARGINAL attributes.
    """
    if counts.shape != channel.sizes:
        raise ValueError(f"counts have shape {counts.shape}, expected {channel.sizes}")
    if counts.ndim > MAX_MARGINAL:
        raise InputError(f"A marginal of {counts.ndim} attributes was asked for: at most {MAX_MARGINAL} can be inverted.")
    n = int(counts.sum())
    if n == 0:
        raise InputError("There are no released records: at least one is needed for an estimate.")
    lost = channel.lost()
    if lost:
        labels = list(names) or [f"attribute {i}" for i in range(1, counts.ndim + 1)]
        erased = "; ".join(_erased([labels[i] for i in axes]) for axes in lost[:3])
        raise NotIdentifiableError(
            f"Not identifiable: this mechanism erases {erased} (|mu_T| is below {MIN_FACTOR:g}). "
            "Choose Pair-safe or Kronecker, which keep every pair, or raise the levels.",
            lost,
        )
    released = counts / n
    return Estimate(released, channel.invert(released), channel, n)


def _erased(names: Sequence[str]) -> str:
    quoted = " and ".join(f"'{name}'" for name in names)
    return quoted if len(names) == 1 else f"how {quoted} go together"
