"""Intervals that hold for a whole marginal at once: the point that the largest |z| of all its cells seldom exceeds."""

from __future__ import annotations

import math

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import Channel
from rrcore.estimate.sample import Spread
from rrcore.estimate.score import two_sided_point

_DRAWS = 4_000
_MOST = 500  # cells whose covariance is written out; beyond, Sidak's point is used
_SEED = 15  # fixed, so that the same release always gets the same intervals


def joint_point(shares: Floats, channel: Channel, confidence: float, *, population: bool, drawn: Spread | None = None) -> float:
    """z such that all normal intervals of a marginal hold at once with probability ``confidence``.

    The quantile of the largest |z| of all cells, drawn from the normal law with the covariance of their estimates; never above Sidak's
    point, which is right whatever the covariance (Sidak 1967), and Sidak's where the marginal is too large to write the covariance out.

    Parameters
    ----------
    shares : ndarray of shape ``channel.sizes``, probabilities
    population : as in ``cell_variance``
    drawn : how the released shares vary by the sample's design; None for a simple random sample

    Examples
    --------
    Of a yes/no question both shares are off by the same: nothing has to be widened.

    >>> import rrcore as rr
    >>> channel = rr.build("kronecker", (2,), (1.0,)).marginal_channel((0,))
    >>> abs(joint_point(np.array([0.3, 0.7]), channel, 0.95, population=True) - 1.96) < 0.1
    True
    """
    two_sided_point(confidence)
    freedom = math.inf if drawn is None or not population else drawn.freedom
    sidak = two_sided_point(confidence ** (1 / shares.size), freedom)
    if shares.size > _MOST:
        return sidak
    correlation = _correlation(shares, channel, population, drawn)
    values, vectors = np.linalg.eigh(correlation)
    rng = np.random.default_rng(_SEED)
    deviates = (vectors * np.sqrt(np.maximum(values, 0.0))) @ rng.standard_normal((shares.size, _DRAWS))
    largest = np.abs(deviates).max(axis=0)
    if math.isfinite(freedom):
        largest = largest / np.sqrt(rng.chisquare(freedom, _DRAWS) / freedom)
    return min(sidak, float(np.quantile(largest, confidence)))


def _correlation(shares: Floats, channel: Channel, population: bool, drawn: Spread | None) -> Floats:
    """Correlations of the estimates of all cells (theory.md section 7), shape (M, M)."""
    m, flat = shares.size, shares.ravel()
    reports = math.prod(channel.report_sizes)
    inverse = channel.invert(np.eye(reports).reshape(*channel.report_sizes, reports)).reshape(m, reports)
    if drawn is None:
        covariance = (inverse * channel.push(shares).ravel()) @ inverse.T
        covariance -= np.outer(flat, flat) if population else np.diag(flat)
    else:
        covariance = inverse @ drawn.covariance(channel, population=population) @ inverse.T
    deviation = np.sqrt(np.maximum(np.diag(covariance), np.finfo(np.float64).tiny))
    return np.asarray(covariance / np.outer(deviation, deviation))
