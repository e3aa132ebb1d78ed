"""Exact variances of inverted marginals and of shares within groups.

They apply before and after collection (theory.md sections 7 and 18).
"""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.channel import Channel
from rrcore.errors import InputError


def cell_variance(released: Floats, shares: Floats, channel: Channel, n: float, *, population: bool) -> Floats:
    """Return the variance of every estimated share.

    Parameters
    ----------
    released : ndarray of shape ``channel.report_sizes``, released shares
    shares : ndarray of shape ``channel.sizes``, true shares pi or their estimate
    n : number of respondents
    population : bool
        If False, the error with respect to the n respondents, (sum kappa^2 lambda - pi) / n, from the randomization alone. If True,
        the error with respect to the population from which they were drawn, (sum kappa^2 lambda - pi^2) / n.

    Returns
    -------
    ndarray of shape ``channel.sizes``, >= 0. Estimated variances below 0, which sampling noise can cause, are reported as 0
    """
    own = shares**2 if population else shares
    return np.maximum(channel.squared_inverse(released) - own, 0.0) / n


def margin(standard_error: Floats | float, confidence: float = 0.95, freedom: float = math.inf) -> Floats:
    """Return half the width of a confidence interval.

    It is a normal interval, or a Student's t interval if ``freedom`` is finite.

    Raises InputError if ``confidence`` is not between 0 and 1.
    """
    return np.asarray(two_sided_point(confidence, freedom) * standard_error)


def check_confidence(confidence: float) -> None:
    """Raise InputError unless the confidence is a number between 0 and 1."""
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
        found = f"{confidence:g}" if isinstance(confidence, Real) else repr(confidence)[:40]
        raise InputError(f"The confidence is {found}. Choose a number between 0 and 1, for example 0.95.")


def normal_point(confidence: float) -> float:
    """Return z of a two-sided normal interval.

    Raises InputError if ``confidence`` is not between 0 and 1.
    """
    check_confidence(confidence)
    return float(scipy.special.ndtri((1 + confidence) / 2))


def two_sided_point(confidence: float, freedom: float = math.inf) -> float:
    """Return the quantile of Student's t for a two-sided interval.

    ``freedom`` gives the degrees of freedom, which are few if a variance is based on few clusters.
    """
    z = normal_point(confidence)
    return z if math.isinf(freedom) else float(scipy.special.stdtrit(freedom, (1 + confidence) / 2))


def significance(confidence: float, freedom: float = math.inf) -> float:
    """Return the probability that a normal statistic exceeds ``two_sided_point``.

    It is 1 - ``confidence``, and smaller if ``freedom`` is small.
    """
    return float(2 * scipy.special.ndtr(-two_sided_point(confidence, freedom)))


def two_sided_chance(distance: Floats, freedom: float = math.inf) -> Floats:
    """Return two-sided p-values of estimates, given in standard errors from 0.

    They are consistent with the intervals.
    """
    far = -np.abs(distance)
    return np.asarray(2 * (scipy.special.ndtr(far) if math.isinf(freedom) else scipy.special.stdtr(freedom, far)))
