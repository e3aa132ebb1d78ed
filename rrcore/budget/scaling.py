"""Epsilons of attributes for a given epsilon of the record.

A single root search works for every mechanism (theory.md section 9).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_EPSILON, MIN_EPSILON
from rrcore.mechanisms.base import Mechanism
from rrcore.progress import Report, quiet
from rrcore.wording import total_text as in_nats

_CLOSE = 1e-9  # nats of the total that may be left unspent
_EXPECTED_SOLUTIONS = 12  # about how many mechanisms are built before the levels are found


@dataclass(frozen=True, eq=False)
class ScaledLevels:
    """Epsilons of attributes that use a given epsilon of the record.

    Parameters
    ----------
    epsilon : ndarray of shape (k,), nats
    mechanism : the mechanism with these epsilons. Its epsilon of the record is within 1e-6 nats of the total and never exceeds it
    """

    epsilon: Floats
    mechanism: Mechanism


def scale_levels(
    sizes: Sequence[int],
    total: float,
    weights: ArrayLike,
    builder: Callable[[Sequence[int], Floats], Mechanism],
    *,
    report: Report = quiet,
) -> ScaledLevels:
    """Return the largest epsilons eps_i = s weight_i with a given total.

    The mechanism of ``builder`` has an epsilon of the record of at most ``total`` nats.

    Parameters
    ----------
    sizes : k ints
    total : float, nats
    weights : k numbers > 0, the relative importance of the attributes
    builder : returns the mechanism for sizes and epsilons

    Raises
    ------
    InputError
        If epsilons between MIN_EPSILON and MAX_EPSILON cannot reach the total.
    """
    from scipy.optimize import brentq  # heavy

    ratios = np.asarray(weights, dtype=np.float64)
    least, most = MIN_EPSILON / float(ratios.min()), MAX_EPSILON / float(ratios.max())
    if least > most:
        raise InputError(
            f"The weights differ too much for values of ε from {MIN_EPSILON:g} to {MAX_EPSILON:g}. Choose more similar weights."
        )
    tried: dict[float, Mechanism] = {}

    def excess(scale: float) -> float:
        """Return by how many nats the mechanism exceeds the total."""
        if scale not in tried:
            report(min(0.95, len(tried) / _EXPECTED_SOLUTIONS), f"trying levels, {len(tried) + 1}")
            tried[scale] = builder(sizes, np.clip(scale * ratios, MIN_EPSILON, MAX_EPSILON))
        return tried[scale].epsilon_total - total

    low = min(max(total / float(ratios.sum()), least), most)  # what Kronecker would take
    while excess(low) > 0:
        if low <= least:
            raise InputError(
                f"A total ε of {in_nats(total)} is too small. With these weights, the smallest possible total is "
                f"{in_nats(total + excess(low))}. Choose a larger total, or more similar weights."
            )
        low = max(low / 1.5, least)
    high = low
    while excess(high) <= 0 and high < most:
        low, high = high, min(high * 1.5, most)
    if excess(high) <= -_CLOSE:
        raise InputError(
            f"A total ε of {in_nats(total)} is too large. If every ε is at most {MAX_EPSILON:g}, the total of these "
            f"attributes is at most {in_nats(total + excess(high))}. Choose a smaller total, or more similar weights."
        )
    if excess(high) > 0:
        brentq(excess, low, high, xtol=1e-13 * high, rtol=1e-12)
    low = max(scale for scale in tried if excess(scale) <= 0)
    high = min((scale for scale in tried if excess(scale) > 0), default=low)
    while excess(low) < -_CLOSE and low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if excess(middle) <= 0 else (low, middle)
    return ScaledLevels(low * ratios, tried[low])
