"""Do counts fit known probabilities, and how much is given away? P-values and bounds that hold far out in the tail, where audits look."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rrcore.arrays import Floats, Integers
from rrcore.limits import AUDIT_CONFIDENCE, MAX_AUDIT_RUNS

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


_MOST_EVENTS = 400  # nested events among which the best one is sought


def lower_bound(hits: ArrayLike, other_hits: ArrayLike, runs: int, confidence: float, *, other_runs: int | None = None) -> Floats:
    """Lower bound on ln(p / q), at least 0, for an event of probability p under one record and q under another.

    Parameters
    ----------
    hits, other_hits : ints of the same shape, how often the event happened in ``runs`` runs of the one and of the other
    runs : int >= 1
    confidence : in (0, 1)
        The bound is too high with probability at most 1 - ``confidence``: half of that for each of the two probabilities.
    other_runs : runs of the other record, where they are not as many
    """
    from scipy.stats import beta  # heavy

    others = runs if other_runs is None else other_runs
    h, other = np.asarray(hits, dtype=np.float64), np.asarray(other_hits, dtype=np.float64)
    half = (1 - confidence) / 2
    low = np.where(h > 0, beta.ppf(half, np.maximum(h, 1), runs - h + 1), 0.0)
    high = np.where(other < others, beta.isf(half, other + 1, np.maximum(others - other, 1)), 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(0.0, np.log(low) - np.log(high)))


def largest_bound(runs: int, confidence: float) -> float:
    """The most that ``lower_bound`` can be, in nats: an event that always happens under one record and never under the other."""
    return float(lower_bound(runs, 0, runs, confidence))


def best_event(scores: Floats, hits: Integers, other_hits: Integers, runs: int, confidence: float) -> float:
    """The threshold t for which the event {score >= t} shows the most, on runs that are not used for the bound afterwards.

    Parameters
    ----------
    scores : ndarray of shape (m,), distinct, increasing
    hits, other_hits : ndarray of shape (m,), how often each score came up under the one record and the other
    """
    above, other_above = hits[::-1].cumsum(), other_hits[::-1].cumsum()
    places = np.unique(np.geomspace(1, scores.size, min(scores.size, _MOST_EVENTS)).astype(np.intp)) - 1
    bounds = lower_bound(above[places], other_above[places], runs, confidence)
    return float(scores[::-1][places[int(np.argmax(bounds))]])


def runs_to_catch(
    p: float, q: float, claim: float, *, confidence: float, power: float = AUDIT_CONFIDENCE, most: int = MAX_AUDIT_RUNS
) -> int | None:
    """Runs after which ``lower_bound`` is above ``claim``, in nats, with probability ``power`` or more.

    Parameters
    ----------
    p, q : what the event's probability really is under the one record and under the other
    confidence, power : in (0, 1)
    most : None is returned where more runs would be needed, as where ln(p / q) is not above the claim
    """
    from scipy.stats import binom  # heavy

    miss = (1 - power) / 2

    def caught(runs: int) -> bool:
        return bool(lower_bound(binom.ppf(miss, runs, p), binom.isf(miss, runs, q), runs, confidence) > claim)

    high = 16
    while not caught(high):
        high *= 2
        if high > most:
            return None
    low = high // 2
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if caught(middle) else (middle, high)
    return high
