"""Error measures between a true and an estimated table of shares, each under its exact name.

Two papers call different things "AVD": the Castell paper means ``largest_absolute_error``, the LoPub paper means ``half_l1``
(theory.md section 10). They are never compared with each other here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.wording import amount_text, points


def largest_absolute_error(truth: Floats, estimate: Floats) -> float:
    """max over cells of |truth - estimate|: the "AVD" of the Castell paper."""
    return float(np.abs(truth - estimate).max())


def half_l1(truth: Floats, estimate: Floats) -> float:
    """Half the sum of |truth - estimate|, the total variation distance: the "AVD" of the LoPub paper."""
    return float(np.abs(truth - estimate).sum() / 2)


def mean_absolute_error(truth: Floats, estimate: Floats) -> float:
    """Mean over cells of |truth - estimate|."""
    return float(np.abs(truth - estimate).mean())


def mean_squared_error(truth: Floats, estimate: Floats) -> float:
    """Mean over cells of (truth - estimate)^2."""
    return float(np.square(truth - estimate).mean())


def hellinger(truth: Floats, estimate: Floats) -> float:
    """Hellinger distance, in [0, 1]; NaN when ``estimate`` has a negative share, for which it is not defined."""
    if (estimate < 0).any():
        return float("nan")
    return float(np.sqrt(np.square(np.sqrt(truth) - np.sqrt(estimate)).sum() / 2))


def coverage(truth: Floats, low: Floats, high: Floats) -> float:
    """Fraction of cells whose interval [low, high] contains the truth (to rounding, 1e-12)."""
    return float(np.mean((low - 1e-12 <= truth) & (truth <= high + 1e-12)))


def random_query(shape: Sequence[int], fraction: float, *, rng: np.random.Generator) -> Booleans:
    """A random set of cells of a table: ``fraction`` of them (0..1, at least one cell), as in Multi-Dimensional RR, section 6.5.

    Returns
    -------
    ndarray of ``shape``, bool
    """
    cells = math.prod(shape)
    chosen = np.zeros(cells, dtype=bool)
    chosen[rng.permutation(cells)[: max(1, round(fraction * cells))]] = True
    return chosen.reshape(tuple(shape))


def count_query_errors(truth: Floats, estimate: Floats, query: Booleans, n: int) -> tuple[float, float]:
    """Error of "how many of the n people are in these cells?" (Multi-Dimensional RR, section 6.5, eq. 16).

    Returns
    -------
    absolute : float, people
    relative : float, to the true number; NaN where that is 0
    """
    true, found = float(truth[query].sum()), float(estimate[query].sum())
    return n * abs(found - true), abs(found - true) / true if true > 0 else math.nan


METRICS: dict[str, Callable[[Floats, Floats], float]] = {
    "largest absolute cell error": largest_absolute_error,
    "half L1 (total variation)": half_l1,
    "mean absolute error": mean_absolute_error,
    "mean squared error": mean_squared_error,
    "Hellinger distance": hellinger,
}
"""Name on pages and in files -> measure."""

ABSOLUTE, RELATIVE = "count query, absolute error (share of people)", "count query, relative error"

WITHIN: dict[str, Callable[[Floats, Floats], float]] = {
    "largest error of a share within a group": largest_absolute_error,
    "mean error of a share within a group": mean_absolute_error,
}
"""Name -> measure of shares within groups, of which every group has its own 100 %."""

SHARES = ("largest absolute cell error", "half L1 (total variation)", "mean absolute error", ABSOLUTE, *WITHIN)
"""Names of the errors that are shares of people, told in points; the others have no unit."""


def errors_within(truth: Floats, estimate: Floats, given: Sequence[int]) -> dict[str, float]:
    """The ``WITHIN`` of shares within groups that anybody is truly in; NaN where such a group has no estimated share above 0.

    Parameters
    ----------
    truth, estimate : ndarrays of the same shape, shares of a joint distribution
    given : axes that people are grouped by, at least one, not all

    Examples
    --------
    >>> import numpy as np
    >>> truth, estimate = np.array([[0.1, 0.4], [0.1, 0.4]]), np.array([[0.2, 0.4], [0.0, 0.4]])
    >>> errors_within(truth, estimate, [1])
    {'largest error of a share within a group': 0.5, 'mean error of a share within a group': 0.25}
    """
    others = tuple(axis for axis in range(truth.ndim) if axis not in given)

    def within(shares: Floats) -> Floats:
        group = shares.sum(axis=others, keepdims=True)
        return np.divide(shares, group, out=np.full(shares.shape, np.nan), where=group > 0)

    true, found = within(truth), within(estimate)
    known = ~np.isnan(true)
    return {name: measure(true[known], found[known]) for name, measure in WITHIN.items()}


def metric_text(name: str, value: float) -> str:
    """An error by the name ``name``, one of the ``METRICS`` or of a count query, as people read it.

    Examples
    --------
    >>> metric_text("half L1 (total variation)", 0.0213), metric_text("Hellinger distance", math.nan)
    ('2.1 points', 'not defined')
    """
    if math.isnan(value):
        return "not defined"
    return points(value) if name in SHARES else amount_text(value)
