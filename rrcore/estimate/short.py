"""Shorter intervals around what is read of the whole table at once: they hold over the cells of a table on average, not cell by cell.

Theory section 25, by robust empirical Bayes (Armstrong, Kolesar and Plagborg-Moller 2022): what the reader does not keep of an interaction is
a bias, of which only the mean square over the cells is known; however it is spread over them, 95 % of the intervals hold the true share.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.estimate.shrinkage import Axes, Shrinkage
from rrcore.estimate.uncertainty import cell_variance, normal_point

KEPT = (0.02, 0.1, 0.3)
"""Up to which part of the interaction of all attributes that was kept a setting goes; where more was, intervals are not shorter."""

PEOPLE = (100, 500, 5_000, 50_000, 500_000)
"""Settings are of more people than one of these and at most the next; of no others anything was measured."""

PROMISED = 0.95

SHORTER_PROMISE = "Of 100 cells of a table 95 have their true share in the shorter intervals, on average, not every cell."

COVERAGE: Mapping[int, str] = {
    2: "0.986 0.966 -  0.990 0.970 0.924  0.983 0.976 0.967  0.979 0.989 0.916",
    3: "0.972 0.968 0.968  0.969 0.975 0.970  0.992 0.968 0.975  0.968 0.973 0.909",
    4: "0.955 - -  0.950 - -  0.992 0.982 -  0.949 - -",
}
"""Number of attributes -> coverage by people, and within each number of people by ``KEPT``: of the table where it was least.

Printed by ``python benchmarks/bench_short.py``, the lower one of runs with other seeds and with one part for all directions; "-" where fewer
than three tables came to it, or less than 90 % of the cells that somebody is in were covered.
"""


def measured(width: int, kept: float, n: int) -> float | None:
    """The coverage of shorter intervals of ``width`` attributes, of what they have in common the part ``kept`` being kept, and ``n`` people.

    Of the table where it was least; None where nothing was measured.

    Examples
    --------
    >>> measured(2, 0.05, 1_000) >= 0.95, measured(2, 0.9, 1_000)
    (True, None)
    """
    people, part = bisect_left(PEOPLE, n) - 1, bisect_left(KEPT, kept)
    if width not in COVERAGE or not 0 <= people < len(PEOPLE) - 1 or part == len(KEPT):
        return None
    found = COVERAGE[width].split()[people * len(KEPT) + part]
    return None if found == "-" else float(found)


STRETCH = 1.25
"""What intervals are multiplied by, since how strong dependence is was learned, often of few sets."""

_LARGEST = 1e6  # squared bias, in variances, above which the variance is taken to be larger
_POINTS, _FINE = (400, 600), 4_000  # of the table of points: up to 8 and beyond; places where a bias may lie, for each


def robust_point(bias: Floats, confidence: float = 0.95) -> Floats:
    """How many standard deviations an interval reaches to each side to hold ``confidence`` of many normal means, whatever their biases.

    cva(m2) of Armstrong, Kolesar and Plagborg-Moller (2022), section 3, without a bound on the fourth moment. Interpolated in a table,
    to a relative 1e-3.

    Parameters
    ----------
    bias : ndarray, m2, the mean square of the biases in variances, 0 to 1e6

    Examples
    --------
    >>> robust_point(np.array([0.0, 1.0, 4.0])).round(2).tolist()
    [1.96, 3.26, 7.22]
    """
    squares, points = _point_table(confidence)
    return np.asarray(np.interp(bias, squares, points))


@lru_cache(maxsize=8)
def _point_table(confidence: float) -> tuple[Floats, Floats]:
    """Mean squares of the bias and the points that they take: missed is P(|Z + b| > point) at its worst, two values of b^2, one of them 0."""
    z = normal_point(confidence)
    points = np.concatenate([np.linspace(z, 8.0, _POINTS[0]), np.geomspace(8.0, 5 * math.sqrt(_LARGEST), _POINTS[1])[1:]])
    squares = np.zeros(len(points))
    for i, point in enumerate(points[1:], 1):
        biases = np.linspace(0.0, point + 8.0, _FINE)[1:]
        missed = scipy.special.ndtr(-point - biases) + scipy.special.ndtr(biases - point)
        least = 2 * scipy.special.ndtr(-point)
        steepest = int(((missed - least) / biases**2).argmax())
        if missed[steepest] >= 1 - confidence:
            squares[i] = (1 - confidence - least) * biases[steepest] ** 2 / (missed[steepest] - least)
        else:  # all biases alike are worst
            squares[i] = np.interp(1 - confidence, missed, biases) ** 2
    return squares, points


@dataclass(frozen=True, eq=False)
class ShrunkErrors:
    """What the shares of a marginal that shrinkage reads are expected to be off by, about these people.

    Parameters
    ----------
    noise : ndarray of the shape of the marginal, variance of every share
    left : ndarray of that shape, squared share to expect of what is true and was not kept
    kept : which part of the interaction of all its attributes was kept, 0 to 1
    """

    noise: Floats
    left: Floats
    kept: float

    def interval(self, shares: Floats, n: int, *, population: bool = False) -> tuple[Floats, Floats]:
        """(low, high) around ``shares`` of ``n`` people, between 0 and 1; ``population`` adds the chance of who was asked."""
        noise = np.maximum(self.noise + (shares * (1 - shares) / n if population else 0.0), self.left / _LARGEST)
        bias = np.divide(self.left, noise, out=np.zeros_like(noise), where=noise > 0)
        reach = STRETCH * robust_point(bias) * np.sqrt(noise)
        return np.maximum(shares - reach, 0.0), np.minimum(shares + reach, 1.0)


def shrunk_errors(whole: Shrinkage, axes: Sequence[int]) -> ShrunkErrors:
    """Those of the attributes at ``axes``, of two or more of which nothing is erased.

    An error of the interaction of some attributes is spread over each of the others: as its shares, where nothing was kept of what it has in
    common with them, and evenly, where all was.
    """
    order = tuple(sorted(axes))
    subsets = [chosen for width in range(1, len(order) + 1) for chosen in combinations(order, width)]
    unsure = {chosen: _variance(whole, chosen) for chosen in subsets}
    kept = {chosen: whole.beyond(chosen).part(whole.law(len(chosen))) for chosen in subsets if len(chosen) > 1}
    noise, left = np.zeros(unsure[order].shape), np.zeros(unsure[order].shape)
    for chosen in subsets:
        variance, bias = unsure[chosen], 0.0
        if len(chosen) > 1:
            own, part = whole.beyond(chosen), kept[chosen]
            scale = float(variance.sum())
            variance = part**2 * own.noise * (variance / scale if scale else np.full(variance.shape, 1 / variance.size))
            bias = own.left(whole.law(len(chosen))) / variance.size
        spread = np.ones(())
        for i in order:
            along = np.ones(unsure[i,].size)
            if i not in chosen:
                part = kept[tuple(sorted((*chosen, i)))]
                along = ((1 - part) * whole.shares((i,)) + part / along.size) ** 2 + (1 - part) ** 2 * unsure[i,]
            spread = np.multiply.outer(spread, along)
        shape = [unsure[i,].size if i in chosen else 1 for i in order]
        noise += variance.reshape(shape) * spread
        left += bias * spread
    places = [order.index(i) for i in axes]
    return ShrunkErrors(noise.transpose(places), left.transpose(places), kept[order])


def _variance(whole: Shrinkage, chosen: Axes) -> Floats:
    """Of every share of ``chosen`` that is inverted alone, about these people."""
    names = [whole.release.reports.names[i] for i in chosen]
    channel, people = whole.release.channel(names), whole.release.effective(names)
    return cell_variance(whole.release.released(names), whole.shares(chosen), channel, people, population=False)
