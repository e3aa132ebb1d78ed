"""Dependence behind a release, in its right size and with an interval, from the one release and at no extra cost in privacy.

Released attributes depend on each other less than the true ones do, and noise alone looks like a little dependence. Dividing by the
channel's factor undoes the first and blows up the second. Here the squared dependence of a pair is the posterior mean given (a) the
pattern that all released pairs have in common (``latent_classes``), less what of it is noise, and (b) what the pair itself shows beyond
it, by a prior that is estimated from all pairs (``spike_and_slab``; theory.md section 17).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import invert_each_axis
from rrcore.dependence.independence import non_centrality
from rrcore.dependence.latent_classes import latent_class_pairs
from rrcore.dependence.pairs import PairTables, mutual_information
from rrcore.dependence.spike_and_slab import SIZES, posterior
from rrcore.estimate import simplex
from rrcore.limits import MIN_FACTOR
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, part, quiet

_RESAMPLES = 3  # releases drawn anew from the released shares, to see how much of a pattern is noise

_LEAST_FREEDOM = 0.5  # least part of the degrees of freedom that a pattern is taken to leave


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
    known = [(i, j) for i, j in released.pairs() if min(abs(factors[i, j]), abs(kept[i]), abs(kept[j])) >= MIN_FACTOR]

    def look(tables: PairTables, done: int) -> list[_Pair]:
        pattern = latent_class_pairs(tables, mechanism, margins, report=part(report, done, 1 + _RESAMPLES))
        return [
            _Pair(tables.table(i, j), pattern.table(i, j), float(factors[i, j]), float(kept[i] * kept[j]), tables.people(i, j))
            for i, j in known
        ]

    pairs, rng = look(released, 0), np.random.default_rng(0)  # the resamples are the same at every call
    again = [look(released.resample(rng=rng), 1 + number) for number in range(_RESAMPLES)] if known else []
    signal, left = _noise(pairs, again)
    weights = posterior(
        np.array([pair.statistic for pair in pairs]),
        np.array([left * pair.freedom[0] for pair in pairs]),
        np.array([pair.per_size for pair in pairs]),
    )
    for (i, j), pair, clear, mine in zip(known, pairs, signal, weights, strict=True):
        found = pair.estimate(float(clear), mine)
        bottom, top = pair.interval(confidence)
        v[i, j] = v[j, i] = found[0]
        information[i, j] = information[j, i] = found[1]
        low[i, j] = low[j, i] = min(bottom, found[0])
        high[i, j] = high[j, i] = max(top, found[0])
    return Debiased(v, low, high, information)


def _noise(pairs: Sequence[_Pair], again: Sequence[Sequence[_Pair]]) -> tuple[Floats, float]:
    """What part of the squared dependence in the pattern is no noise, shape (P,), and what part of the degrees of freedom it leaves.

    Drawing a release anew adds its noise a second time: by as much as the pattern, and what it leaves of the pairs, then grow, noise had a
    part in them. Pairs count by how much their release says; the noise is taken to be the same in all, so weak pairs lose most.
    """

    def grown(measured: Callable[[_Pair], float]) -> tuple[float, float]:
        before = math.fsum(map(measured, pairs))
        return before, float(np.mean([math.fsum(map(measured, one)) for one in again])) - before

    shared = np.array([pair.shared for pair in pairs])
    size, rest = sum(pair.per_size for pair in pairs), sum(pair.freedom[0] for pair in pairs if not pair.constant)
    if size == 0 or rest == 0 or not shared.any():
        return np.ones(len(pairs)), 1.0
    before, growth = grown(lambda pair: pair.per_size * pair.shared)
    signal = min(1.0, max(0.0, 1 - growth / before))
    noise = (1 - signal) * before / size
    left = grown(lambda pair: 0.0 if pair.constant else pair.statistic)[1] / rest
    return signal * shared / np.maximum(signal * shared + noise, 1e-300), min(1.0, max(_LEAST_FREEDOM, left))


def _margin(released: PairTables, i: int, kept: float) -> Floats:
    """Estimated shares of attribute i, none smaller than half its standard error."""
    shares = released.margin(i)
    if abs(kept) < MIN_FACTOR:
        return np.full(shares.size, 1 / shares.size)
    error = np.sqrt(_spread(shares) / released.people(i, released.best_known(i))) / abs(kept)
    floored = np.maximum(simplex(invert_each_axis(shares, np.array([kept]))), np.maximum(0.5 * error, 1e-9))
    return np.asarray(floored / floored.sum())


def _spread(shares: Floats) -> Floats:
    """Variance of one person's being counted; a sum of shares may be above 1 by rounding."""
    return np.maximum(shares * (1 - shares), 0.0)


@dataclass(frozen=True, eq=False)
class _Pair:
    """One pair: released shares, the pooled pattern, mu_ij, r_i r_j, people.

    The model, cell by cell: the true share differs from independence by the pattern's ``common``, as far as that is no noise, plus
    something of the pair's own, and ``own`` shows both with variance ``noise``.
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
        """By how much the pair's own release differs from independence, unbiased and noisy."""
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
    def freedom(self) -> tuple[int, int]:
        """Degrees of freedom of the pair, and what phi^2 is divided by in V^2."""
        a, b = self.released.shape
        return (a - 1) * (b - 1), min(a, b) - 1

    @property
    def constant(self) -> bool:
        """Whether everybody's released answer to one of the two is the same, so that the pair shows nothing."""
        return any(np.count_nonzero(shares) == 1 for shares in self.margins)

    @property
    def shared(self) -> float:
        """V^2 of the pattern."""
        return float((self.common**2 / self.apart).sum()) / self.freedom[1]

    @cached_property
    def _flat(self) -> Floats:
        """Released shares of an independent pair; infinite where there are none, so that such cells weigh nothing."""
        flat = np.multiply.outer(*self.margins)
        return np.where(flat > 0, flat, np.inf)

    @property
    def statistic(self) -> float:
        """Chi-square of what the pair shows beyond the pattern; NaN where it shows nothing."""
        if self.constant:
            return math.nan
        return self.n * self.factor**2 * float(((self.own - self.common) ** 2 / self._flat).sum())

    @property
    def per_size(self) -> float:
        """Non-centrality of ``statistic`` at an own V of 1, spread over the cells as independent shares are."""
        return self.n * self.factor**2 * self.freedom[1] * float((self.apart / self._flat).mean())

    def _moments(self, signal: float, own_v: Floats) -> tuple[Floats, Floats]:
        """Mean and mean square of the deviation from independence, shape (G, a, b), if the pair's own V were each of ``own_v``."""
        freedom, most = self.freedom
        spread = (own_v**2 * (most / freedom))[:, None, None] * self.apart
        part = freedom / self.released.size  # of the noise in every cell, the part that is not in the marginals
        variance = spread + self.noise
        weight = np.divide(spread, variance, out=np.ones_like(spread), where=variance > 0)
        mean = (1 - weight) * (math.sqrt(signal) * self.common) + weight * self.own
        return mean, mean**2 + part * weight * self.noise

    def estimate(self, signal: float, weights: Floats) -> tuple[float, float]:
        """V and mutual information (nats), both posterior means.

        Parameters
        ----------
        signal : part of the pattern's squared dependence that is no noise
        weights : ndarray of shape (G,), probabilities over ``SIZES``
        """
        live = weights > 1e-4
        mean, square = self._moments(signal, SIZES[live])
        v = np.sqrt(np.minimum(1.0, (square / self.apart).sum(axis=(1, 2)) / self.freedom[1]))
        rest = ((square - mean**2) / self.apart).sum(axis=(1, 2)) / 2
        tables = np.maximum(self.apart + mean, 0.0)
        tables /= tables.sum(axis=(1, 2), keepdims=True)
        information = np.minimum([mutual_information(table) for table in tables] + rest, math.log(min(self.apart.shape)))
        part = weights[live] / weights[live].sum()
        return float(part @ v), float(part @ information)

    def interval(self, confidence: float) -> tuple[float, float]:
        """The values of V at which the released chi-square would be no surprise: all, where everybody's released answer is the same."""
        if self.constant:
            return 0.0, 1.0
        freedom, most = self.freedom
        unit = self.n * self.factor**2
        statistic = unit * float((self.own**2 / self._flat).sum())
        squares = self.common**2 + 1e-12 * self.apart
        scale = float((squares / self.apart).sum() / (squares / self._flat).sum())  # from released to true weights
        tail = (1 - confidence) / 2
        bottom, top = (
            math.sqrt(min(1.0, scale * non_centrality(statistic, freedom, probability) / (unit * most)))
            for probability in (1 - tail, tail)
        )
        return bottom, top
