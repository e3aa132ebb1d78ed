"""Errors of an estimated table of shares, each by its exact name.

Two papers use the name "AVD" for different errors. Castell means ``largest_absolute_error`` and LoPub means ``half_l1``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.wording import amount_text, points


def largest_absolute_error(truth: Floats, estimate: Floats) -> float:
    """Return the maximum over cells of |truth - estimate|.

    This is the "AVD" of the Castell paper.
    """
    return float(np.abs(truth - estimate).max())


def half_l1(truth: Floats, estimate: Floats) -> float:
    """Return half the sum of |truth - estimate|, the total variation distance.

    This is the "AVD" of the LoPub paper.
    """
    return float(np.abs(truth - estimate).sum() / 2)


def mean_absolute_error(truth: Floats, estimate: Floats) -> float:
    """Return the mean over cells of |truth - estimate|."""
    return float(np.abs(truth - estimate).mean())


def mean_squared_error(truth: Floats, estimate: Floats) -> float:
    """Return the mean over cells of (truth - estimate)^2."""
    return float(np.square(truth - estimate).mean())


def hellinger(truth: Floats, estimate: Floats) -> float:
    """Return the Hellinger distance, in [0, 1].

    It is undefined and therefore NaN if ``estimate`` has a negative share.
    """
    if (estimate < 0).any():
        return float("nan")
    return float(np.sqrt(np.square(np.sqrt(truth) - np.sqrt(estimate)).sum() / 2))


def coverage(truth: Floats, low: Floats, high: Floats) -> float:
    """Return the fraction of cells whose interval [low, high] contains the truth.

    The comparison allows for rounding errors of 1e-12.
    """
    return float(np.mean((low - 1e-12 <= truth) & (truth <= high + 1e-12)))


def random_query(shape: Sequence[int], fraction: float, *, rng: np.random.Generator) -> Booleans:
    """Choose ``fraction`` of the cells of a table at random, at least one.

    See Multi-Dimensional RR, section 6.5.

    Returns
    -------
    ndarray of ``shape``, bool, True for chosen cells
    """
    cells = math.prod(shape)
    chosen = np.zeros(cells, dtype=bool)
    chosen[rng.permutation(cells)[: max(1, round(fraction * cells))]] = True
    return chosen.reshape(tuple(shape))


def count_query_errors(truth: Floats, estimate: Floats, query: Booleans, n: int) -> tuple[float, float]:
    """Return the errors of the number of people in the cells of ``query``.

    See Multi-Dimensional RR, eq. 16.

    Returns
    -------
    absolute : float
        Error as a number of people.
    relative : float
        Error relative to the true number. NaN if that number is 0.
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
"""Name -> error measure."""

ABSOLUTE, RELATIVE = "count query, absolute error (share of people)", "count query, relative error"

SHARES = ("largest absolute cell error", "half L1 (total variation)", "mean absolute error", ABSOLUTE)
"""Names of the errors that are shares of people and are printed in points. The others have no unit."""


def metric_text(name: str, value: float, unit: str = "points") -> str:
    """Return an error as text.

    ``name`` is one of ``METRICS``, or the error of a count query. ``unit`` is as in ``points``.

    Examples
    --------
    >>> metric_text("half L1 (total variation)", 0.0213), metric_text("Hellinger distance", math.nan)
    ('2.1 points', 'not defined')
    """
    if math.isnan(value):
        return "not defined"
    return points(value, unit) if name in SHARES else amount_text(value)
