"""A spike-and-slab prior of pairwise associations (theory.md section 17).

A single pair randomized with a small ε does not show whether its association is weak or absent. Many pairs together show how often
and how strongly pairs are associated. This distribution is the prior for each of them.
"""

import math

import numpy as np
import scipy

from rrcore.arrays import Floats

SIZES = np.concatenate([[0.0], np.geomspace(1e-4, 1.0, 140)])
"""Grid of a pair's own V. The first value is the spike."""

# probability w0 of the spike
_SPIKES = (0.02, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.98)
# standard deviation s of the half-normal slab
_SCALES = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5)
# from this order on, the uniform expansion of the Bessel function is accurate to 1e-4
_LARGE_ORDER = 10.0


def log_density(statistic: Floats, freedom: Floats, centres: Floats) -> Floats:
    """Return the log-density of the non-central chi-square distribution.

    The result is finite even if the density underflows.

    Parameters
    ----------
    statistic, freedom : ndarrays of shape (P,)
        Positive.
    centres : ndarray of shape (P, G)
        Non-centralities, at least 0.

    Returns
    -------
    ndarray of shape (P, G), the log-densities
    """
    x, order = statistic[:, None], freedom[:, None] / 2 - 1
    centre = np.maximum(centres, 1e-300)
    found = -0.5 * (x + centre) + order / 2 * (np.log(x) - np.log(centre)) - math.log(2) + _log_bessel(order, np.sqrt(x * centre))
    central = order * np.log(x) - x / 2 - (order + 1) * math.log(2) - scipy.special.gammaln(order + 1)
    return np.where(centres > 0, found, central)


def _log_bessel(order: Floats, at: Floats) -> Floats:
    """Return ln I_order(at), by the uniform expansion for large orders (NIST Handbook, 10.41.3), else by scipy."""
    large = np.maximum(order, _LARGE_ORDER)
    root = np.hypot(large, at)
    ratio = large / root
    term = (3 * ratio - 5 * ratio**3) / (24 * large)
    term += (81 * ratio**2 - 462 * ratio**4 + 385 * ratio**6) / (1152 * large**2)
    uniform = root + large * np.log(at / (large + root)) - 0.5 * np.log(2 * np.pi * root) + np.log1p(term)
    with np.errstate(divide="ignore"):
        exact = np.log(scipy.special.ive(np.minimum(order, _LARGE_ORDER), at)) + at
    return np.where(order >= _LARGE_ORDER, uniform, exact)


def _priors() -> Floats:
    """Return a row of probabilities over ``SIZES`` for each w0 and s."""
    widths = np.gradient(SIZES[1:])
    rows = []
    for spike in _SPIKES:
        for scale in _SCALES:
            slab = np.exp(-((SIZES[1:] / scale) ** 2) / 2) * widths
            rows.append(np.concatenate([[spike], (1 - spike) * slab / slab.sum()]))
    return np.array(rows)


def posterior(statistic: Floats, freedom: Floats, per_size: Floats) -> Floats:
    """Return the posterior of the V of each pair, shape (P, G).

    It consists of probabilities over ``SIZES``.

    The spike and the scale are weighted by the likelihood of the statistics of all pairs.

    Parameters
    ----------
    statistic : ndarray of shape (P,)
        Chi-squares of the deviations from the common pattern, NaN without information.
    freedom : ndarray of shape (P,)
        Mean chi-squares without a deviation.
    per_size : ndarray of shape (P,)
        Non-centralities at V = 1.
    """
    seen, priors = ~np.isnan(statistic), _priors()
    log = np.zeros((len(statistic), len(SIZES)))
    log[seen] = log_density(np.maximum(statistic[seen], 1e-6), freedom[seen], per_size[seen][:, None] * SIZES**2)
    log -= log.max(axis=1, keepdims=True)
    likelihood = np.exp(log)
    evidence = np.maximum(likelihood @ priors.T, 1e-300)  # (P, priors)
    whole = np.log(evidence).sum(axis=0)
    weights = np.exp(whole - whole.max())
    mixed = (weights / weights.sum() / evidence) @ priors
    found = likelihood * mixed
    return np.asarray(found / found.sum(axis=1, keepdims=True))
