"""Do counts fit known probabilities? P-values that hold far out in the tail, where audits look."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rrcore.arrays import Floats

FEWEST = 5.0
"""Cells with a smaller expected count are pooled."""


def fits(counts: ArrayLike, shares: ArrayLike) -> float:
    """P-value of counts under known shares: the likelihood-ratio chi-square with the correction of Williams (1976).

    Cells that are expected fewer than ``FEWEST`` times are pooled; where two are left the binomial test is exact. Anything counted that has
    probability 0 gives 0. Where the records differ and ``shares`` is the mean over them, the test is on the safe side.

    Parameters
    ----------
    counts, shares : of the same size; shares sum to 1

    Examples
    --------
    >>> from rrcore.audit.fit import fits
    >>> fits([260, 240, 500], [0.25, 0.25, 0.5]) > 0.5, fits([300, 200, 500], [0.25, 0.25, 0.5]) < 1e-4
    (True, True)
    """
    from scipy.stats import chi2  # heavy

    seen, p = np.asarray(counts, dtype=np.float64).ravel(), np.asarray(shares, dtype=np.float64).ravel()
    n = float(seen.sum())
    if n == 0:
        return 1.0
    if (seen[p <= 0] > 0).any():
        return 0.0
    seen, p = _pooled(seen[p > 0], p[p > 0] / p.sum(), n)
    if p.size < 2:
        return 1.0
    if p.size == 2:
        return float(often(seen[0], n, p[0]))
    statistic = 2 * float((scipy.special.xlogy(seen, seen) - scipy.special.xlogy(seen, n * p)).sum())
    williams = 1 + (float((1 / p).sum()) - 1) / (6 * n * (p.size - 1))
    return float(chi2.sf(statistic / williams, p.size - 1))


def _pooled(seen: Floats, p: Floats, n: float) -> tuple[Floats, Floats]:
    """The cells with the rarest ones together, so that each is expected ``FEWEST`` times or more."""
    rare = n * p < FEWEST
    if not rare.any():
        return seen, p
    order = np.argsort(p, kind="stable")
    pooled = max(int(rare.sum()), int(np.searchsorted(n * p[order].cumsum(), FEWEST)) + 1)
    first, rest = order[:pooled], order[pooled:]
    return np.append(seen[rest], seen[first].sum()), np.append(p[rest], p[first].sum())


def often(hits: ArrayLike, n: ArrayLike, *chances: ArrayLike) -> Floats:
    """Two-sided p-values of ``hits`` in ``n`` trials of known probability (a mean over trials is on the safe side): exact, elementwise.

    Of several ``chances`` the one counts that makes the hits look least odd.
    """
    from scipy.stats import binom  # heavy

    h = np.asarray(hits, dtype=np.float64)
    found = []
    for p in chances:
        chance = np.clip(p, 0.0, 1.0)
        found.append(np.minimum(1.0, 2 * np.minimum(binom.cdf(h, n, chance), binom.sf(h - 1, n, chance))))
    return np.asarray(np.max(found, axis=0))
