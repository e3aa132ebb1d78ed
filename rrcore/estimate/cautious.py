"""How far off one share of a marginal can be, whatever the true answers are (theory.md section 18)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rrcore.channel import LieSets, factors_of, kernel_from_factors, log_lie_counts
from rrcore.errors import InputError


@dataclass(frozen=True)
class ShareVariance:
    """The largest variance of one person's part in an estimated share, over all true distributions in which that share is x.

    ``elsewhere + x (own - elsewhere) - x^2`` against the population, ``- x`` against the people themselves.

    Parameters
    ----------
    own : what a person adds whose true answer is the cell itself, sum over u of kappa(u, v)^2 P(u | v)
    elsewhere : the most that one adds whose true answer is another cell

    Examples
    --------
    A coin that is never turned is the classical case, and the cautious share is one half:

    >>> exact = ShareVariance(1.0, 0.0)
    >>> exact.cautious(), round(exact.error(2_401), 6)
    (0.5, 0.010204)
    """

    own: float
    elsewhere: float

    @classmethod
    def of(cls, channel: LieSets) -> ShareVariance:
        """That of every cell of the marginal that ``channel`` randomises; it may erase nothing (``channel.lost()``)."""
        kappa = kernel_from_factors(1 / channel.factors, channel.sizes)
        squared = factors_of(kappa**2 * np.exp(log_lie_counts(channel.sizes)), channel.sizes)
        adds = kernel_from_factors(squared * channel.factors, channel.sizes)
        return cls(float(adds.flat[0]), max(0.0, float(adds.ravel()[1:].max())))

    def cautious(self, *, population: bool = True) -> float:
        """The share that is read worst."""
        turn = (self.own - self.elsewhere) / 2 if population else math.copysign(math.inf, self.own - self.elsewhere - 1)
        return min(1.0, max(0.0, turn))

    def variance(self, share: float | None = None, *, population: bool = True) -> float:
        """That of one person's part where the share is ``share`` (0 to 1), by default the one that is read worst."""
        if share is not None and not 0 <= share <= 1:
            raise InputError(f"The expected share is {share:g}: give a number from 0 to 1.")
        x = self.cautious(population=population) if share is None else share
        return max(0.0, self.elsewhere + x * (self.own - self.elsewhere) - (x * x if population else x))

    def error(self, n: int, share: float | None = None, *, population: bool = True) -> float:
        """Standard error of the share from ``n`` people, 0.01 being one point; never more, whatever the other answers are."""
        return float(np.sqrt(self.variance(share, population=population) / n))
