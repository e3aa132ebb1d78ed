"""Which estimate to use: inversion, which is noisy, the product of marginals, which is blind to dependence, or the mean of both."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import Channel
from rrcore.channel.factors import onto_axes
from rrcore.estimate.independent import independent_shares
from rrcore.estimate.uncertainty import cell_variance


@dataclass(frozen=True)
class Trade:
    """What either estimate is expected to be off by: sums over the cells of squared errors.

    Parameters
    ----------
    noise : variance of the inverted table, from theory.md section 7
    blindness : squared error of taking the attributes to be independent, as it shows in the pairs
    own_noise : variance of the product of the inverted marginals, to first order
    """

    noise: float
    blindness: float
    own_noise: float

    @property
    def pays(self) -> bool:
        """Whether inversion is expected to be closer than independence."""
        return self.noise < self.blindness + self.own_noise

    @property
    def weight(self) -> float:
        """The weight in [0, 1] of inversion in the mean of both that is expected to be closest."""
        if self.blindness == 0:
            return 0.0
        return self.blindness / (self.blindness + max(self.noise - self.own_noise, 0.0))

    @property
    def blended(self) -> float:
        """What the mean of both by ``weight`` is expected to be off by; what both get wrong alike, the marginals' noise, stays."""
        return self.own_noise + self.weight**2 * max(self.noise - self.own_noise, 0.0) + (1 - self.weight) ** 2 * self.blindness

    def typical(self, cells: int) -> tuple[float, float, float]:
        """Root-mean-square error of a share of ``cells`` by inversion, by independence and by the mean of both."""
        sums = (self.noise, self.blindness + self.own_noise, self.blended)
        inversion, independence, mean = (math.sqrt(value / cells) for value in sums)
        return inversion, independence, mean


def estimated_blend(released: Floats, channel: Channel, n: float, *, population: bool = False) -> Trade:
    """Weigh the exact variance of inversion against the error of independence, estimated from the pairs of attributes.

    If only attributes i and j depended on each other, independence would be off by |pi_ij - pi_i pi_j|^2 times the sums of squares
    of the other marginals; the sum of that over all pairs stands for the error of independence. Each term is estimated without
    bias: what the noise of the pair adds on average is taken off.

    Parameters
    ----------
    released : ndarray of shape ``channel.report_sizes``, released shares
    channel : Channel that erases nothing
    n : number of respondents, of a simple random sample that tells as much
    population : as in ``cell_variance``
    """
    noise = _variance(released, channel.invert(released), channel, n, population)
    singles = [channel.marginal([i]).invert(onto_axes(released, [i])) for i in range(channel.w)]
    unsure = [
        _variance(onto_axes(released, [i]), single, channel.marginal([i]), n, population) for i, single in enumerate(singles)
    ]
    squares = [max(float((single**2).sum()) - own, 1 / single.size) for single, own in zip(singles, unsure, strict=True)]
    blindness = 0.0
    for i, j in combinations(range(channel.w), 2):
        pair, seen = channel.marginal([i, j]), onto_axes(released, [i, j])
        together = pair.invert(seen)
        apart = independent_shares([singles[i], singles[j]], [(0,), (1,)])
        own = _variance(seen, together, pair, n, population)
        own -= unsure[i] / pair.sizes[1] + unsure[j] / pair.sizes[0]  # what of the pair's noise is in its marginals
        blindness += (float(((together - apart) ** 2).sum()) - own) * _others(squares, {i, j})
    return Trade(noise, max(blindness, 0.0), sum(own * _others(squares, {i}) for i, own in enumerate(unsure)))


def exact_blend(shares: Floats, channel: Channel, n: int, *, population: bool = False) -> Trade:
    """What either estimate is off by on average, from the true shares, before anything is released.

    Parameters
    ----------
    shares : ndarray of shape ``channel.sizes``, true shares
    channel, n, population : as in ``estimated_blend``
    """
    axes = range(channel.w)
    singles = [onto_axes(shares, [i]) for i in axes]
    noise = _variance(channel.push(shares), shares, channel, n, population)
    ones = [channel.marginal([i]) for i in axes]
    unsure = [_variance(one.push(single), single, one, n, population) for one, single in zip(ones, singles, strict=True)]
    squares = [float((single**2).sum()) for single in singles]
    blindness = float(((shares - independent_shares(singles, [(i,) for i in axes])) ** 2).sum())
    return Trade(noise, blindness, sum(own * _others(squares, {i}) for i, own in enumerate(unsure)))


def blended(released: Floats, shares: Floats, channel: Channel, trade: Trade) -> Floats:
    """The mean of the inverted ``shares`` and of the product of the inverted marginals by the weight of ``trade``; sums to 1.

    Parameters
    ----------
    released : ndarray of shape ``channel.report_sizes``, released shares
    shares : ndarray of shape ``channel.sizes``, their inversion
    """
    singles = [channel.marginal([i]).invert(onto_axes(released, [i])) for i in range(channel.w)]
    product = independent_shares(singles, [(i,) for i in range(channel.w)])
    return np.asarray(trade.weight * shares + (1 - trade.weight) * product)


def _variance(released: Floats, shares: Floats, channel: Channel, n: float, population: bool) -> float:
    """The sum over all cells."""
    return float(cell_variance(released, shares, channel, n, population=population).sum())


def _others(values: Sequence[float], without: set[int]) -> float:
    return math.prod(value for i, value in enumerate(values) if i not in without)
