"""Estimators that yield probabilities.

These are projections, EM, tables with given margins, independence, and the weighted mean of independence and inversion.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.channel import Channel, top_interaction
from rrcore.channel.interactions import onto_axes
from rrcore.estimate.uncertainty import cell_variance

Axes = tuple[int, ...]

_STEPS, _STILL = 100, 1e-9  # of ``nearest``: steps at most, and the largest miss of a marginal share at which it stops
_PAIRS, _WIDER = (5_000, 1e-14), (100, 1e-7)  # sweeps at most, and the largest change of a share at which it stops
LEAST_DIVISOR = float(np.finfo(float).tiny)
"""Lower bound of divisors of shares, so that no quotient overflows."""


def rake(table: Floats, margins: Mapping[Axes, Floats]) -> Floats:
    """Scale ``table`` by iterative proportional fitting until it has ``margins``.

    The margins are ndarrays by axes (Deming and Stephan 1940).

    If the margins are incompatible, the result is the mean of the tables of the last sweep, whose errors are minimal.
    """
    others = [tuple(i for i in range(table.ndim) if i not in axes) for axes in margins]
    aims = [np.expand_dims(target, away) for away, target in zip(others, margins.values(), strict=True)]
    ratios = [np.empty_like(aim) for aim in aims]
    parts = [np.empty_like(table) for _ in aims]
    most, even = _PAIRS if table.ndim == 2 else _WIDER  # single shares can always be had
    for _ in range(most):
        before = table.copy()  # the first of a sweep, which its parts are written over
        for away, aim, ratio, part in zip(others, aims, ratios, parts, strict=True):
            own = table.sum(axis=away, keepdims=True)
            ratio.fill(0)
            np.divide(aim, own, out=ratio, where=own > LEAST_DIVISOR)
            table = np.multiply(table, ratio, out=part)
        if np.abs(before - table).max() < even:
            return table
    return np.asarray(sum(parts) / len(parts))


def nearest(table: Floats) -> Floats:
    """Return the nearest non-negative table with the marginals of ``table``.

    The distance is Euclidean.

    The marginals are those over all attributes but one. The method is accelerated gradient descent on the dual (Nesterov 1983),
    restarted whenever the direction reverses (O'Donoghue and Candes 2015). Raking removes the remaining difference.
    """
    shift = ahead = np.zeros_like(table)
    speed = 1.0
    for _ in range(_STEPS):
        found = np.maximum(table + ahead, 0)
        missed = found - table
        missed -= top_interaction(missed, table.ndim)
        new = ahead - missed
        speed = 1.0 if float((missed * (new - shift)).sum()) > 0 else speed
        faster = (1 + math.sqrt(1 + 4 * speed**2)) / 2
        ahead, shift, speed = new + (speed - 1) / faster * (new - shift), new, faster
        if float(np.abs(missed).max()) < _STILL:
            break
    margins = {tuple(i for i in range(table.ndim) if i != out): np.maximum(table.sum(axis=out), 0) for out in range(table.ndim)}
    return rake(found, margins)


def independent_shares(parts: Sequence[Floats], axes: Sequence[Sequence[int]]) -> Floats:
    """Return joint shares under independence of groups of attributes.

    Parameters
    ----------
    parts : ndarrays, the shares within each group of attributes, with one axis per attribute
    axes : for each part, the positions of its attributes in the result. Together they are 0..w-1
    """
    joint = np.ones(())
    for part in parts:
        joint = np.multiply.outer(joint, part)
    order = [axis for group in axes for axis in group]
    return np.asarray(joint.transpose(np.argsort(order)))


def clip_and_rescale(shares: Floats) -> Floats:
    """Replace negative shares by 0 and divide the rest by their sum.

    This is the "proper" distribution of Multi-Dimensional RR, section 2.1.
    """
    clipped = np.maximum(shares, 0.0)
    return np.asarray(clipped / clipped.sum())


def simplex(shares: Floats) -> Floats:
    """Return the probability distribution nearest to ``shares``.

    The distance is Euclidean (Held, Wolfe and Crowder 1974).

    It subtracts the constant for which the remaining positive parts sum to 1, in O(M log M) time.
    """
    ordered = np.sort(shares, axis=None)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, ordered.size + 1)
    positive = int(np.flatnonzero(ordered > excess)[-1]) + 1
    return np.maximum(shares - (math.fsum(ordered[:positive]) - 1) / positive, 0.0)


def simplex_of_each(tables: Floats) -> Floats:
    """Apply ``simplex`` to every table of shares along the last axis at once."""
    flat = tables.reshape(-1, tables.shape[-1])
    ordered = -np.sort(-flat, axis=0)
    excess = (np.cumsum(ordered, axis=0) - 1) / np.arange(1, len(flat) + 1)[:, None]
    last = np.count_nonzero(ordered > excess, axis=0) - 1
    return np.maximum(flat - excess[last, np.arange(flat.shape[1])], 0.0).reshape(tables.shape)


PROJECTIONS: dict[str, Callable[[Floats], Floats]] = {"clip-and-rescale": clip_and_rescale, "simplex": simplex}
"""Name on the command line and in files -> projection."""


_TOLERANCE = 1e-6  # EM stops once no share moves by more than this
_MOST = 1_000  # iterations after which EM stops in any case
_WRITTEN_OUT = 1 << 16  # entries up to which a channel is written out as a matrix, whose products are the quicker ones


@dataclass(frozen=True)
class MaximumLikelihood:
    """The result of the EM algorithm.

    Parameters
    ----------
    shares : ndarray of shape ``channel.sizes``, non-negative, summing to 1
    log_likelihoods : ndarray of shape (iterations + 1,), nats per respondent, before the first and after every iteration. It never
        decreases
    change : float, largest change of a share in the last iteration
    converged : bool, whether this change was below the tolerance. Otherwise, the maximum number of iterations was reached
    """

    shares: Floats
    log_likelihoods: Floats
    change: float
    converged: bool

    @property
    def iterations(self) -> int:
        """Number of iterations."""
        return len(self.log_likelihoods) - 1


def maximum_likelihood(
    released: Floats, channel: Channel, *, tolerance: float = _TOLERANCE, most: int = _MOST
) -> MaximumLikelihood:
    """Estimate shares by maximum likelihood, starting from uniform shares.

    The update pi_v <- pi_v * sum over u of P(u | v) lambda_u / (P pi)_u is the iterative Bayesian update of Multi-Dimensional RR,
    section 2.1. The iteration stops when max |change| <= ``tolerance`` (theory.md section 10) or after ``most`` iterations. The
    estimate is biased: with many cells and few people, sampling noise pulls it toward extremes.

    Parameters
    ----------
    released : ndarray of shape ``channel.report_sizes``, released shares, summing to 1
    channel : Channel over the same attributes
    """
    seen = released > 0
    shares = np.full(channel.sizes, 1 / math.prod(channel.sizes))
    push, pull = _both_ways(channel)
    expected = push(shares)
    likelihoods = [_log_likelihood(released, expected, seen)]
    change = np.inf
    while change > tolerance and len(likelihoods) <= most:
        ratio = np.divide(released, expected, out=np.zeros_like(released), where=seen)
        new = shares * pull(ratio)
        new /= new.sum()
        change = float(np.abs(new - shares).max())
        shares, expected = new, push(new)
        likelihoods.append(_log_likelihood(released, expected, seen))
    return MaximumLikelihood(shares, np.array(likelihoods), change, change <= tolerance)


def _both_ways(channel: Channel) -> tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]:
    """``channel.push`` and ``channel.pull``, of small tables by a matrix that is written out once for all iterations."""
    cells, reports = math.prod(channel.sizes), math.prod(channel.report_sizes)
    if cells * reports > _WRITTEN_OUT:
        return channel.push, channel.pull
    matrix = np.maximum(channel.push(np.eye(cells).reshape(*channel.sizes, cells)).reshape(reports, cells), 0.0)
    return (
        lambda table: (matrix @ table.ravel()).reshape(channel.report_sizes),
        lambda table: (table.ravel() @ matrix).reshape(channel.sizes),
    )


def _log_likelihood(released: Floats, expected: Floats, seen: Booleans) -> float:
    return float((released[seen] * np.log(expected[seen])).sum())


@dataclass(frozen=True)
class Trade:
    """Expected errors of both estimates, as sums of squared errors over cells.

    Parameters
    ----------
    noise : variance of the inverted table, from theory.md section 7
    blindness : squared error of assuming independence, as estimated from the pairs
    own_noise : variance of the product of the inverted marginals, to first order
    """

    noise: float
    blindness: float
    own_noise: float

    @property
    def pays(self) -> bool:
        """True if inversion has a smaller expected error than independence."""
        return self.noise < self.blindness + self.own_noise

    @property
    def weight(self) -> float:
        """The weight of inversion, in [0, 1], with the smallest expected error."""
        if self.blindness == 0:
            return 0.0
        return self.blindness / (self.blindness + max(self.noise - self.own_noise, 0.0))

    @property
    def blended(self) -> float:
        """Expected error of the weighted mean of both estimates.

        The noise of the marginals is common to both and remains.
        """
        return self.own_noise + self.weight**2 * max(self.noise - self.own_noise, 0.0) + (1 - self.weight) ** 2 * self.blindness

    def typical(self, cells: int) -> tuple[float, float, float]:
        """Return the root-mean-square error of a share of ``cells`` for each method.

        The methods are inversion, independence and the weighted mean of both.
        """
        sums = (self.noise, self.blindness + self.own_noise, self.blended)
        inversion, independence, mean = (math.sqrt(value / cells) for value in sums)
        return inversion, independence, mean


def estimated_blend(released: Floats, channel: Channel, n: float, *, population: bool = False) -> Trade:
    """Return expected errors of inversion and independence from released answers.

    The variance of inversion is exact, and the error of independence is estimated from the pairs of attributes.

    If only attributes i and j depended on each other, independence would have the error |pi_ij - pi_i pi_j|^2 times the sums of
    squares of the other marginals. The sum of this quantity over all pairs approximates the error of independence. Each term is
    estimated without bias by subtracting the average contribution of the noise of the pair.

    Parameters
    ----------
    released : ndarray of shape ``channel.report_sizes``, released shares
    channel : Channel that erases nothing
    n : number of respondents of an equally informative simple random sample
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
    """Return the mean errors of both estimates, computed from the true shares.

    No release is needed.

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
    """Return the mean of inversion and independence with the weight of ``trade``.

    It is the mean of the inverted ``shares`` and the product of the inverted marginals. The result sums to 1.

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
