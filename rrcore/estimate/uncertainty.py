"""Exact variance of an inverted marginal, before or after collection (theory.md section 7)."""

from __future__ import annotations

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import Channel
from rrcore.estimate.score import normal_point


def cell_variance(released: Floats, shares: Floats, channel: Channel, n: float, *, population: bool) -> Floats:
    """Variance of every estimated share.

    Parameters
    ----------
    released : ndarray of shape ``channel.report_sizes``, released shares
    shares : ndarray of shape ``channel.sizes``, true shares pi or their estimate
    n : number of respondents
    population : bool
        False: error against the n people at hand, (sum kappa^2 lambda - pi) / n, from the randomization alone.
        True: error against the population they were drawn from, (sum kappa^2 lambda - pi^2) / n.

    Returns
    -------
    ndarray of shape ``channel.sizes``, >= 0 (an estimated variance below 0 by sampling noise is reported as 0)
    """
    own = shares**2 if population else shares
    return np.maximum(channel.squared_inverse(released) - own, 0.0) / n


def margin(standard_error: Floats | float, confidence: float = 0.95) -> Floats:
    """Half the width of a normal confidence interval. Raises InputError for a ``confidence`` that is not between 0 and 1."""
    return np.asarray(normal_point(confidence) * standard_error)


def expected_error(channel: Channel, n: int, *, shares: Floats | None = None, population: bool = False) -> float:
    """Root-mean-square standard error of the estimated shares of a marginal, before any answer is collected.

    Parameters
    ----------
    channel : Channel, the mechanism on that marginal; it may erase nothing
    n : number of respondents
    shares : ndarray of shape ``channel.sizes``, default uniform
        A declared guess of the true shares. For uniform shares every cell has the same variance, the sum over T of
        d_T (1/mu_T^2 - 1) / (M^2 n) with d_T = prod (a_i - 1) over T, so that no table is built.
    """
    if shares is not None:
        return float(np.sqrt(cell_variance(channel.push(shares), shares, channel, n, population=population).mean()))
    cells = float(np.prod(channel.sizes, dtype=np.float64))
    return float(np.sqrt((max(channel.uniform_variance, 0.0) + population * (1 - 1 / cells) / cells) / n))
