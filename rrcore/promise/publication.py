"""What a published table gives away: counts of how often each report occurs, which are reports in no order (theory.md section 26).

Nothing here knows how a mechanism was found: its total is all that is asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.errors import check_number
from rrcore.limits import LARGEST_PUBLISHED_CHANCE, MAX_SHUFFLED_PEOPLE, MAX_TOTAL
from rrcore.wording import count_text, odds_text

_PIECES = 200  # that the numbers of clones are cut into, each taken for its fewest
_FAR = 40.0  # fewer clones than looked at have a chance below e^-40
_LOST = 1e-13  # chance that rounding of doubles, and leaving those out, may lose
_SLACK = 1e-6  # relative, far above the rounding of what is computed in doubles


@dataclass(frozen=True, eq=False)
class Shuffled:
    """Reports of many people in no order, against whoever knows the true answers of all but one of them.

    Every other person gives, with probability ``share``, a report that one of the two compared records might as well have given: a clone.
    Among C clones, of which half would speak for either record, the one person's own report hides.

    Parameters
    ----------
    total : eps_0 in nats, above 0
    fewest : ndarray of shape (m,), increasing: pieces of the numbers of clones begin there
    chances : ndarray of shape (m,), the probability of each piece

    Examples
    --------
    >>> reports = Shuffled.of(1.0, 10_000)
    >>> round(reports.eps(1e-6), 3), round(reports.shift(1e-6), 3)
    (0.043, 0.064)
    """

    total: float
    fewest: Floats
    chances: Floats

    @classmethod
    def of(cls, total: float, people: int, *, share: float | None = None) -> Shuffled:
        """Reports of ``people`` under a mechanism with this ``total``, from 0 to 700 nats.

        ``share`` of clones: by default 2 / (e^total + 1), as in Feldman, McMillan, Talwar (2023), "Stronger privacy amplification by
        shuffling for Renyi and approximate differential privacy"; it was e^-total in "Hiding among the clones" (2021) by the same.
        """
        others = min(people, MAX_SHUFFLED_PEOPLE) - 1
        share = 2 / (math.exp(total) + 1) if share is None else share
        mean = others * share
        reach = math.sqrt(2 * mean * _FAR)  # Chernoff: the chance of fewer clones than mean - reach is at most e^-_FAR
        ends = max(0, math.floor(mean - reach)), min(others, math.ceil(mean + reach + _FAR))
        fewest = np.unique(np.floor(np.linspace(*ends, _PIECES + 1)))
        least = np.where(fewest > 0, scipy.special.betainc(np.maximum(fewest, 1), others + 1 - np.maximum(fewest, 1), share), 1.0)
        return cls(total, fewest, np.maximum(-np.diff(least, append=0.0), 0.0))

    def delta(self, eps: float) -> float:
        """By how much any event can be more probable than e^``eps`` times its probability for another record, rounded up."""
        if eps >= self.total:
            return 0.0
        up, clones = math.exp(eps), self.fewest
        against = up * math.expm1(self.total - eps) / (math.expm1(self.total) * (up + 1))
        most = np.ceil((clones + 1) * against) - 1  # reports that speak against the record, where it is e^eps times as likely
        even = np.exp(
            scipy.special.gammaln(clones + 1)
            - scipy.special.gammaln(most + 1)
            - scipy.special.gammaln(clones - most + 1)
            - clones * math.log(2)
        )
        tail = scipy.special.betainc(clones + 1 - most, most + 1, 0.5)
        gain = math.tanh(self.total / 2) / 2 * (up + 1) * even * (1 + _SLACK)
        return _LOST + float(self.chances @ np.maximum(gain - math.expm1(eps) * tail * (1 - _SLACK), 0.0))

    def eps(self, delta: float) -> float:
        """The least eps, in nats and rounded up, that goes with ``delta``; the total where there is no smaller one."""
        low, high = 0.0, self.total
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if self.delta(middle) <= delta else (middle, high)
        return high

    def shift(self, chance: float) -> float:
        """By how much, in nats and rounded up, odds between two records move at most, either way, except with probability ``chance``.

        More than ``eps(chance)``, which lets every outcome exceed it a little: if odds rise by more than ``shift`` with probability c, then
        delta(eps) >= c (1 - e^(eps - shift)) for every eps; and by as much they fall at most as often.
        """
        from scipy.optimize import minimize_scalar

        def enough(log: float) -> float:
            eps = math.exp(log)
            missed = 2 * self.delta(eps) / chance
            return eps - math.log1p(-missed) if missed < 1 else math.inf

        ends = math.log(self.eps(chance / 2)), math.log(self.total)
        best = minimize_scalar(enough, bounds=ends, method="bounded", options={"xatol": 1e-3})
        return min(float(best.fun), self.total)


@dataclass(frozen=True)
class Publication:
    """What counts of the reports of many people give away, where it is less than what the reports do.

    Parameters
    ----------
    people : whose reports were counted, all of them randomised alike
    total : eps_0 in nats, of one whole record's report
    delta : a chance that is small beside one in ``people``
    eps : in nats; the counts are (eps, delta)-differentially private
    shift : in nats; with probability 1 - delta the counts move the odds between any two records of a person by no more
    """

    people: int
    total: float
    delta: float
    eps: float
    shift: float

    def sentence(self) -> str:
        """What is promised to whom, and to whom it is not.

        Examples
        --------
        >>> print(published(1.0, 10_000).sentence())  # doctest: +NORMALIZE_WHITESPACE
        What is published, counts or shares of the reports of 10,000 people, shifts the odds between any two people's answers by at most
        1.07 times, even for someone who knows everybody else's answers, in all but one of 1,000,000 such surveys. Whoever holds single
        reports, as a receiver's operator does, or sees their order or times, is not covered: for them it stays 2.72 times. A second
        publication adds to the first.
        """
        return (
            f"What is published, counts or shares of the reports of {count_text(self.people)} people, shifts the odds between any two "
            f"people's answers by at most {odds_text(self.shift)} times, even for someone who knows everybody else's answers, in all but one "
            f"of {count_text(round(1 / self.delta))} such surveys. Whoever holds single reports, as a receiver's operator does, or sees "
            f"their order or times, is not covered: for them it stays {odds_text(self.total)} times. A second publication adds to the first."
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; amounts in nats, rounded up."""
        eps, shift = (math.ceil(nats * 1e9) / 1e9 for nats in (self.eps, self.shift))
        return {"people": self.people, "eps": eps, "delta": self.delta, "shift": shift, "sentence": self.sentence()}


@lru_cache(maxsize=1_000)
def published(total: float, people: int) -> Publication | None:
    """What counts of the reports of ``people`` give away under a mechanism; None where no less can be promised than its ``total``.

    Parameters
    ----------
    total : eps_0 in nats; of none at all, inf
    people : int, at least 1, who answer by one mechanism and are all in the table

    Notes
    -----
    delta is a millionth, or a tenth of one in ``people`` where that is less: below 1 / people, as is asked of it, since a mechanism that
    publishes one record in ``people`` as it is has delta = 1 / people.

    Examples
    --------
    >>> found = published(2.0, 1_000)
    >>> round(found.eps, 2), found.delta, round(found.shift, 2)
    (0.4, 1e-06, 0.52)
    >>> published(4.49, 200) is None
    True
    """
    check_number("The number of people", people, 0, whole=True)
    if people < 2 or not 0 < total <= MAX_TOTAL:
        return None
    delta = min(LARGEST_PUBLISHED_CHANCE, 0.1 / people)
    reports = Shuffled.of(total, people)
    found = Publication(people, total, delta, reports.eps(delta), reports.shift(delta))
    return found if found.shift < total and odds_text(found.shift) != odds_text(total) else None
