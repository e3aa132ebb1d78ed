"""Associations of the true answers, estimated from one release.

They have intervals and cause no additional privacy loss.

Randomization weakens associations, and noise alone resembles a weak association. Dividing by the factor of the channel corrects the
first effect but amplifies the second. Here, the squared association of a pair is a posterior mean. It combines a pattern common to
all pairs (``latent_classes``), which contains little noise, with the deviation of the pair from this pattern. The prior of that
deviation is estimated from all pairs (``spike_and_slab``, theory.md section 17).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rrcore.arrays import Floats
from rrcore.association.independence import non_centrality
from rrcore.association.latent_classes import latent_class_pairs
from rrcore.association.pairs import PairTables
from rrcore.association.spike_and_slab import SIZES, posterior
from rrcore.channel import invert_each_axis
from rrcore.estimate import simplex
from rrcore.limits import MIN_FACTOR
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, part, quiet

# resampled releases, which show how much of a pattern is noise
_RESAMPLES = 3
# least part of the degrees of freedom that a pattern is assumed to leave
_LEAST_FREEDOM = 0.5


class Debiased(NamedTuple):
    """Cramér's V of every pair of attributes, with the ends of its interval.

    Each field is an ndarray of shape (k, k), with NaN on the diagonal and for pairs that the mechanism erases.
    """

    v: Floats
    low: Floats
    high: Floats


def debiased_dependence(
    released: PairTables, mechanism: Mechanism, *, confidence: float = 0.95, report: Report = quiet
) -> Debiased:
    """Estimate Cramér's V of the true answers for every pair of attributes.

    The interval contains the values of V that are compatible with the released chi-square, which is non-central. It uses only the
    counts of the pair, so it can be wider than the uncertainty of the estimate. It always contains the estimate.

    Parameters
    ----------
    released : PairTables
        The randomized pairs.
    mechanism : Mechanism
        The mechanism of the release.
    confidence : float
        The confidence of the interval.
    report : callable
        Called with the progress.
    """
    v, low, high = (np.full((released.k, released.k), np.nan) for _ in range(3))
    if released.k < 2:
        return Debiased(v, low, high)
    kept, factors = mechanism.retentions, mechanism.pair_factors
    margins = np.concatenate([_margin(released, i, float(kept[i])) for i in range(released.k)])
    known = [(i, j) for i, j in released.pairs() if min(abs(factors[i, j]), abs(kept[i]), abs(kept[j])) >= MIN_FACTOR]

    def look(tables: PairTables, done: int) -> list[_Pair]:
        pattern = latent_class_pairs(tables, mechanism, margins, report=part(report, done, 1 + _RESAMPLES))
        return [
            _Pair(tables.table(i, j), pattern.table(i, j), float(factors[i, j]), float(kept[i] * kept[j]), tables.people(i, j))
            for i, j in known
        ]

    # a fixed seed, because results depend on inputs only
    pairs, rng = look(released, 0), np.random.default_rng(0)
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
        v[i, j] = v[j, i] = found
        low[i, j] = low[j, i] = min(bottom, found)
        high[i, j] = high[j, i] = max(top, found)
    return Debiased(v, low, high)


def _noise(pairs: Sequence[_Pair], again: Sequence[Sequence[_Pair]]) -> tuple[Floats, float]:
    """Return the part of the pattern that is signal, shape (P,), and the part of the degrees of freedom that it leaves.

    Resampling a release adds its noise a second time. The growth of the pattern and of the deviations then measures the noise in
    them. Pairs are weighted by their information. The noise is assumed to be the same in all pairs, so weak pairs lose most.
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
    """Estimate the shares of attribute i, none smaller than half its standard error."""
    shares = released.margin(i)
    if abs(kept) < MIN_FACTOR:
        return np.full(shares.size, 1 / shares.size)
    error = np.sqrt(_spread(shares) / released.people(i, released.best_known(i))) / abs(kept)
    floored = np.maximum(simplex(invert_each_axis(shares, np.array([kept]))), np.maximum(0.5 * error, 1e-9))
    return np.asarray(floored / floored.sum())


def _spread(shares: Floats) -> Floats:
    """Return the variance of one person's indicator. A sum of shares can exceed 1 by rounding."""
    return np.maximum(shares * (1 - shares), 0.0)


@dataclass(frozen=True, eq=False)
class _Pair:
    """One pair of attributes.

    It holds the released shares, the common pattern, mu_ij, r_i r_j and the sample size.

    In each cell the true share differs from independence by the signal in ``common`` plus a deviation of the pair. ``own``
    estimates both with variance ``noise``.
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
        """Shares of the pair under independence."""
        return np.multiply.outer(self.pattern.sum(axis=1), self.pattern.sum(axis=0))

    @cached_property
    def common(self) -> Floats:
        """Difference of the pattern from independence."""
        return self.pattern - self.apart

    @cached_property
    def own(self) -> Floats:
        """Unbiased estimate of the pair's difference from independence."""
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
        """Degrees of freedom of the pair, and the divisor of phi^2 in V^2."""
        a, b = self.released.shape
        return (a - 1) * (b - 1), min(a, b) - 1

    @property
    def constant(self) -> bool:
        """True if all released answers to one of the two attributes are the same.

        The pair then has no information.
        """
        return any(np.count_nonzero(shares) == 1 for shares in self.margins)

    @property
    def shared(self) -> float:
        """V^2 of the common pattern."""
        return float((self.common**2 / self.apart).sum()) / self.freedom[1]

    @cached_property
    def _flat(self) -> Floats:
        """Released shares of an independent pair. Empty cells are infinite, so that they have no weight."""
        flat = np.multiply.outer(*self.margins)
        return np.where(flat > 0, flat, np.inf)

    @property
    def statistic(self) -> float:
        """Chi-square of the deviation from the pattern, NaN without information."""
        if self.constant:
            return math.nan
        return self.n * self.factor**2 * float(((self.own - self.common) ** 2 / self._flat).sum())

    @property
    def per_size(self) -> float:
        """Noncentrality parameter of ``statistic`` for a deviation with V = 1.

        The deviation is distributed in proportion to independent shares.
        """
        return self.n * self.factor**2 * self.freedom[1] * float((self.apart / self._flat).mean())

    def estimate(self, signal: float, weights: Floats) -> float:
        """Return the posterior mean of V.

        Parameters
        ----------
        signal : float
            The part of the pattern that is signal.
        weights : ndarray of shape (G,)
            Probabilities over ``SIZES``.
        """
        live = weights > 1e-4
        freedom, most = self.freedom
        spread = (SIZES[live] ** 2 * (most / freedom))[:, None, None] * self.apart
        # the part of the noise that is not in the marginals
        part = freedom / self.released.size
        variance = spread + self.noise
        weight = np.divide(spread, variance, out=np.ones_like(spread), where=variance > 0)
        square = ((1 - weight) * (math.sqrt(signal) * self.common) + weight * self.own) ** 2 + part * weight * self.noise
        v = np.sqrt(np.minimum(1.0, (square / self.apart).sum(axis=(1, 2)) / most))
        return float(weights[live] @ v / weights[live].sum())

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the values of V that are compatible with the released chi-square.

        Without information, all values are compatible.
        """
        if self.constant:
            return 0.0, 1.0
        freedom, most = self.freedom
        unit = self.n * self.factor**2
        statistic = unit * float((self.own**2 / self._flat).sum())
        squares = self.common**2 + 1e-12 * self.apart
        scale = float((squares / self.apart).sum() / (squares / self._flat).sum())
        tail = (1 - confidence) / 2
        bottom, top = (
            math.sqrt(min(1.0, scale * non_centrality(statistic, freedom, probability) / (unit * most)))
            for probability in (1 - tail, tail)
        )
        return bottom, top
