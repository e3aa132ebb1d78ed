"""The levels that a record-level budget affords: one root search for every mechanism (theory.md section 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_LEVEL, MIN_LEVEL
from rrcore.mechanisms.base import Mechanism
from rrcore.wording import total_text as in_nats
from rrcore.work import Report, quiet

_CLOSE = 1e-9  # nats of the total that may be left unspent
_EXPECTED_SOLUTIONS = 12  # about how many mechanisms are built before the levels are found


@dataclass(frozen=True, eq=False)
class Afforded:
    """What a record-level budget affords.

    Parameters
    ----------
    levels : ndarray of shape (k,), nats
    mechanism : the Mechanism found for them; it spends the total to within 1e-6 nats and never exceeds it
    """

    levels: Floats
    mechanism: Mechanism


def afford(
    sizes: Sequence[int],
    total: float,
    weights: ArrayLike,
    builder: Callable[[Sequence[int], Floats], Mechanism],
    *,
    report: Report = quiet,
) -> Afforded:
    """Levels eps_i = s weight_i with which the mechanism of ``builder`` spends at most ``total`` nats on the record, s as large as it can be.

    Parameters
    ----------
    sizes : k ints
    total : float, nats
    weights : k numbers > 0, the relative importance of the attributes
    builder : makes the mechanism from sizes and levels

    Raises
    ------
    InputError
        If the total cannot be spent by levels between MIN_LEVEL and MAX_LEVEL.
    """
    ratios = np.asarray(weights, dtype=np.float64)
    if not 0 < total < np.inf:
        raise InputError(f"The total is {total:g}: give a positive number of nats, for example 4.")
    least, most = MIN_LEVEL / float(ratios.min()), MAX_LEVEL / float(ratios.max())
    tried: dict[float, float] = {}
    made: dict[float, Mechanism] = {}  # the one that may be returned

    def excess(scale: float) -> float:
        if scale not in tried:
            report(min(0.95, len(tried) / _EXPECTED_SOLUTIONS), f"trying levels, {len(tried) + 1}")
            found = builder(sizes, np.clip(scale * ratios, MIN_LEVEL, MAX_LEVEL))
            tried[scale] = found.total_level - total
            if tried[scale] <= 0 and scale > max(made, default=0.0):
                made.clear()
                made[scale] = found
        return tried[scale]

    if least > most:
        raise InputError(
            f"The weights differ too much: no level between {MIN_LEVEL:g} and {MAX_LEVEL:g} fits both the largest and the smallest. "
            "Give more even weights."
        )
    low = min(max(total / float(ratios.sum()), least), most)  # what Kronecker would take
    while excess(low) > 0:
        if low <= least:
            raise InputError(
                f"A total of {in_nats(total)} nats is too small: with these weights even the least levels cost "
                f"{in_nats(total + excess(low))}. Give a larger total or more even weights."
            )
        low = max(low / 1.5, least)
    high = low
    while excess(high) <= 0:
        if high >= most and excess(high) > -_CLOSE:
            return Afforded(high * ratios, made[high])
        if high >= most:
            raise InputError(
                f"A total of {in_nats(total)} nats is more than these attributes can use: at the highest level of {MAX_LEVEL:g} they "
                f"cost {in_nats(total + excess(high))}. Give a smaller total or more even weights."
            )
        low, high = high, min(high * 1.5, most)
    brentq(excess, low, high, xtol=1e-13 * high, rtol=1e-12)
    best = max(scale for scale, over in tried.items() if over <= 0)
    above = min(scale for scale, over in tried.items() if over > 0)
    while tried[best] < -_CLOSE and best < (middle := (best + above) / 2) < above:
        best, above = (middle, above) if excess(middle) <= 0 else (best, middle)
    return Afforded(best * ratios, made[best])
