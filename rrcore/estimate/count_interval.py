"""How many of a few people have an answer, from how many reported it: an interval that is exact at any size and never empty."""

from functools import lru_cache

import numpy as np

from rrcore.arrays import Floats, Integers

_MISSED, _MOST_MISSED = 0.05, 0.065  # asked, and at most where counts in whole people come no closer
_ALIKE = 10  # digits within which two ratios of likelihoods are one


def count_interval(reports: int, people: int, true: float, false: float) -> tuple[int, int]:
    """The least and the largest number of ``people`` who may have an answer of which ``reports`` reports came, (low, high); 95 %.

    It inverts the exact test of each number whose rejected reports are those with the least likelihood beside that of the likeliest number
    (Feldman and Cousins 1998, section IV; theory section 15): whatever was reported, its likeliest number is never rejected. Reports are
    whole numbers, so that a level is met by the nearest there is (mid-p), as long as at most 6.5 % are rejected: the interval holds the
    number in 93.5 of 100 polls or more, whoever answered.

    Parameters
    ----------
    reports : 0 to ``people``
    people : who answered
    true, false : how likely people with the answer report it, and people with another one, 0 <= false < true <= 1

    Examples
    --------
    >>> count_interval(14, 30, 0.75, 0.25), count_interval(0, 30, 0.75, 0.25), count_interval(4, 5, 1.0, 0.0)
    ((5, 22), (0, 1), (4, 4))
    """
    low, high = _intervals(people, true, false)
    return int(low[reports]), int(high[reports])


@lru_cache(maxsize=16)
def _intervals(people: int, true: float, false: float) -> tuple[Integers, Integers]:
    """``count_interval`` of every number of reports, two ndarrays of shape (people + 1,)."""
    law = _law(people, true, false)
    best = law.max(axis=0)
    ratios = np.divide(law, best, out=np.zeros_like(law), where=best > 0)
    ratios[-1, best == 0] = 1  # so many reports that they are too rare for a float: all have the answer
    kept = np.empty(law.shape, bool)
    for chances, beside, keeps in zip(law, ratios.round(_ALIKE), kept, strict=True):
        _, kind = np.unique(beside, return_inverse=True)
        alike = np.bincount(kind, chances)
        missed = np.cumsum(alike)  # where these and all of less likelihood are rejected
        keeps[:] = ((missed - alike / 2 > _MISSED) | (missed > _MOST_MISSED))[kind]
    return kept.argmax(axis=0), people - kept[::-1].argmax(axis=0)


def _law(people: int, true: float, false: float) -> Floats:
    """How likely each number of reports is (second axis) for each number who have the answer (first): a sum of two binomials."""
    from scipy.stats import binom  # heavy

    numbers = np.arange(people + 1)
    meant, mixed = (binom.pmf(numbers, numbers[:, None], rate) for rate in (true, false))
    return np.array([np.convolve(meant[have, : have + 1], mixed[people - have, : people - have + 1]) for have in numbers])
