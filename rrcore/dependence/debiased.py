"""Dependence behind a release, in its right size and with an interval, from the one release and at no extra cost in privacy.

Released attributes depend on each other less than the true ones do, and noise alone looks like a little dependence. Dividing by the
channel's factor undoes the first and blows up the second. Here the squared dependence of a pair is the posterior mean given (a) the
pattern that all released pairs have in common (``pooled``) and (b) what the pair itself shows beyond it, as far as that rises
above the noise that theory.md section 7 predicts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import castell
from rrcore.dependence.independence import non_centrality
from rrcore.dependence.measures import mutual_information
from rrcore.dependence.pairs import PairTables
from rrcore.dependence.pooled import pooled_pairs
from rrcore.estimate import simplex
from rrcore.limits import MIN_FACTOR
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, quiet

_TYPICAL = 0.06
"""Beyond the common pattern a pair's own V is expected to be of this size (standard deviation of a half-normal prior)."""

_GRID = np.concatenate([[1e-4], np.linspace(0.01, 1.0, 100)])  # sizes of a pair's own V that are weighed against each other


@dataclass(frozen=True, eq=False)
class Debiased:
    """Dependence of every pair of attributes, estimated from a release.

    Parameters
    ----------
    v, low, high : ndarrays of shape (k, k), Cramer's V with the ends of its interval, in [0, 1]; NaN on the diagonal and where the
        mechanism erases the pair
    information : ndarray of shape (k, k), mutual information in nats, at most ln min(a_i, a_j)
    """

    v: Floats
    low: Floats
    high: Floats
    information: Floats


def debiased_dependence(
    released: PairTables, mechanism: Mechanism, *, confidence: float = 0.95, report: Report = quiet
) -> Debiased:
    """Cramer's V and mutual information of every pair behind a release.

    Parameters
    ----------
    released : PairTables of the release
    mechanism : the Mechanism that released it
    confidence : of the interval: the values of V for which the released chi-square, a non-central chi-square, is no surprise.
        It uses the pair's own counts only, so it may be much wider than the estimate is uncertain; it always contains the estimate.
    """
    v, low, high, information = (np.full((released.k, released.k), np.nan) for _ in range(4))
    if released.k < 2:
        return Debiased(v, low, high, information)
    kept, factors = mechanism.retentions, mechanism.pair_factors()
    margins = np.concatenate([_margin(released, i, float(kept[i])) for i in range(released.k)])
    pattern = pooled_pairs(released, mechanism, margins, report=report)
    for i, j in released.pairs():
        if min(abs(factors[i, j]), abs(kept[i]), abs(kept[j])) < MIN_FACTOR:
            continue
        pair = _Pair(released.table(i, j), pattern.table(i, j), float(factors[i, j]), float(kept[i] * kept[j]), released.n)
        found = pair.estimate()
        bottom, top = pair.interval(confidence)
        v[i, j] = v[j, i] = found[0]
        information[i, j] = information[j, i] = found[1]
        low[i, j] = low[j, i] = min(bottom, found[0])
        high[i, j] = high[j, i] = max(top, found[0])
    return Debiased(v, low, high, information)


def _margin(released: PairTables, i: int, kept: float) -> Floats:
    """Estimated shares of attribute i, none smaller than half its standard error."""
    shares = released.margin(i)
    if abs(kept) < MIN_FACTOR:
        return np.full(shares.size, 1 / shares.size)
    error = np.sqrt(_spread(shares) / released.n) / abs(kept)
    floored = np.maximum(simplex(castell(shares, np.array([kept]))), np.maximum(0.5 * error, 1e-9))
    return np.asarray(floored / floored.sum())


def _spread(shares: Floats) -> Floats:
    """Variance of one person's being counted; a sum of shares may be above 1 by rounding."""
    return np.maximum(shares * (1 - shares), 0.0)


@dataclass(frozen=True, eq=False)
class _Pair:
    """One pair: released shares, the pooled pattern, mu_ij, r_i r_j, people.

    The model, cell by cell: the true share differs from independence by ``common`` plus something of variance t * ``apart``, and
    ``own`` shows that with variance ``noise``.
    """

    released: Floats
    pattern: Floats
    factor: float
    kept: float
    n: int

    @cached_property
    def margins(self) -> tuple[Floats, Floats]:
        return self.released.sum(axis=1), self.released.sum(axis=0)

    @cached_property
    def apart(self) -> Floats:
        """Shares of an independent pair."""
        return np.multiply.outer(self.pattern.sum(axis=1), self.pattern.sum(axis=0))

    @cached_property
    def common(self) -> Floats:
        """By how much the pattern differs from independence."""
        return self.pattern - self.apart

    @cached_property
    def own(self) -> Floats:
        """The same from the pair's own release, unbiased and noisy."""
        rows, columns = self.margins
        if abs(self.factor - self.kept) < 1e-14:
            return np.asarray((self.released - np.multiply.outer(rows, columns)) / self.factor)
        a, b = self.released.shape
        piece = self.released - rows[:, None] / b - columns[None, :] / a + 1 / (a * b)
        centred = np.multiply.outer(self.pattern.sum(axis=1) - 1 / a, self.pattern.sum(axis=0) - 1 / b)
        return np.asarray(piece / self.factor - centred)

    @cached_property
    def noise(self) -> Floats:
        rows, columns = self.margins
        return np.multiply.outer(_spread(rows), _spread(columns)) / (self.n * self.factor**2)

    @property
    def _freedom(self) -> tuple[int, int]:
        """Degrees of freedom of the pair, and what phi^2 is divided by in V^2."""
        a, b = self.released.shape
        return (a - 1) * (b - 1), min(a, b) - 1

    def _posterior(self, own_v: float) -> tuple[float, Floats, Floats]:
        """Log-likelihood of the release if the pair's own V were ``own_v``; mean and mean square of the deviation from independence."""
        freedom, most = self._freedom
        spread = own_v**2 * most / freedom * self.apart
        part = freedom / self.released.size  # of the noise in every cell, the part that is not in the marginals
        surprise = self.own - self.common
        variance = spread + self.noise
        likelihood = -0.5 * float((part * np.log(variance) + surprise**2 / variance).sum())
        weight = spread / variance
        mean = self.common + weight * surprise
        return likelihood, mean, mean**2 + part * weight * self.noise

    @cached_property
    def _weighed(self) -> tuple[Floats, list[tuple[Floats, Floats]]]:
        """Posterior probabilities over ``_GRID``, and mean and mean square for each."""
        found = [self._posterior(float(own_v)) for own_v in _GRID]
        log = np.array([likelihood for likelihood, _, _ in found]) - _GRID**2 / (2 * _TYPICAL**2)
        weights = np.exp(log - log.max())
        return weights / weights.sum(), [(mean, square) for _, mean, square in found]

    def estimate(self) -> tuple[float, float]:
        """V and mutual information (nats), both posterior means."""
        weights, moments = self._weighed
        v = [math.sqrt(min(1.0, float((square / self.apart).sum()) / self._freedom[1])) for _, square in moments]
        return float(weights @ v), float(weights @ [self._information(mean, square) for mean, square in moments])

    def _information(self, mean: Floats, square: Floats) -> float:
        table = np.maximum(self.apart + mean, 0.0)
        found = mutual_information(table / table.sum()) + float(((square - mean**2) / self.apart).sum()) / 2
        return min(found, math.log(min(table.shape)))

    def interval(self, confidence: float) -> tuple[float, float]:
        """The values of V at which the released chi-square would be no surprise: all, where everybody's released answer is the same."""
        if any(np.count_nonzero(shares) == 1 for shares in self.margins):
            return 0.0, 1.0
        weights, moments = self._weighed
        freedom, most = self._freedom
        flat = np.multiply.outer(*self.margins)
        squares = sum(weight * square for weight, (_, square) in zip(weights, moments, strict=True))
        live = flat > 0
        scale = float((squares / self.apart).sum() / (squares[live] / flat[live]).sum())  # from released to true weights
        statistic = self.n * self.factor**2 * float((self.own[live] ** 2 / flat[live]).sum())
        tail = (1 - confidence) / 2
        bottom, top = (
            math.sqrt(min(1.0, scale * non_centrality(statistic, freedom, probability) / (self.n * self.factor**2 * most)))
            for probability in (1 - tail, tail)
        )
        return bottom, top
