"""The levels that a record-level budget affords: one root search for every mechanism (theory.md section 9)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_LEVEL, MIN_LEVEL
from rrcore.mechanisms.base import Mechanism
from rrcore.progress import Report, quiet
from rrcore.wording import total_text as in_nats

_CLOSE = 1e-9  # nats of the total that may be left unspent
_EXPECTED_SOLUTIONS = 12  # about how many mechanisms are built before the levels are found


@dataclass(frozen=True, eq=False)
class ScaledLevels:
    """What a record-level budget affords.

    Parameters
    ----------
    levels : ndarray of shape (k,), nats
    mechanism : the Mechanism found for them; it spends the total to within 1e-6 nats and never exceeds it
    """

    levels: Floats
    mechanism: Mechanism


@dataclass
class _Trials:
    """The mechanisms for scaled levels: by how many nats each is above the total, and the dearest one that is not."""

    build: Callable[[float], Mechanism]
    total: float
    report: Report
    excess: dict[float, float] = field(default_factory=dict)
    best: tuple[float, Mechanism | None] = (0.0, None)

    def __call__(self, scale: float) -> float:
        if scale not in self.excess:
            done = len(self.excess)
            self.report(min(0.95, done / _EXPECTED_SOLUTIONS), f"trying levels, {done + 1}")
            found = self.build(scale)
            self.excess[scale] = found.total_level - self.total
            if self.excess[scale] <= 0 and scale > self.best[0]:
                self.best = scale, found
        return self.excess[scale]


def scale_levels(
    sizes: Sequence[int],
    total: float,
    weights: ArrayLike,
    builder: Callable[[Sequence[int], Floats], Mechanism],
    *,
    report: Report = quiet,
) -> ScaledLevels:
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
    from scipy.optimize import brentq  # heavy

    ratios = np.asarray(weights, dtype=np.float64)
    trials = _Trials(lambda scale: builder(sizes, np.clip(scale * ratios, MIN_LEVEL, MAX_LEVEL)), total, report)
    low, high = _bracket(trials, ratios)
    if low < high:
        brentq(trials, low, high, xtol=1e-13 * high, rtol=1e-12)
        low = max(scale for scale, over in trials.excess.items() if over <= 0)
        above = min(scale for scale, over in trials.excess.items() if over > 0)
        while trials(low) < -_CLOSE and low < (middle := (low + above) / 2) < above:
            low, above = (middle, above) if trials(middle) <= 0 else (low, middle)
    assert trials.best[1] is not None
    return ScaledLevels(low * ratios, trials.best[1])


def _bracket(trials: _Trials, ratios: Floats) -> tuple[float, float]:
    """A scale of which the total is not exceeded and one of which it is; twice the largest of all where that spends it."""
    least, most = MIN_LEVEL / float(ratios.min()), MAX_LEVEL / float(ratios.max())
    if least > most:
        raise InputError(f"The weights differ too much for levels from {MIN_LEVEL:g} to {MAX_LEVEL:g}: give more even weights.")
    low = min(max(trials.total / float(ratios.sum()), least), most)  # what Kronecker would take
    while trials(low) > 0:
        if low <= least:
            raise InputError(
                f"A total of {in_nats(trials.total)} nats is too small: with these weights even the least levels cost "
                f"{in_nats(trials.total + trials(low))}. Give a larger total or more even weights."
            )
        low = max(low / 1.5, least)
    high = low
    while trials(high) <= 0:
        if high >= most and trials(high) > -_CLOSE:
            return high, high
        if high >= most:
            raise InputError(
                f"A total of {in_nats(trials.total)} nats is more than these attributes can use: at the highest level of {MAX_LEVEL:g} they "
                f"cost {in_nats(trials.total + trials(high))}. Give a smaller total or more even weights."
            )
        low, high = high, min(high * 1.5, most)
    return low, high
