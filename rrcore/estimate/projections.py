"""Estimates that are probabilities: projections of a raw one, always shown beside it, and maximum likelihood by EM, on any mechanism."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.channel import Channel


def clip_and_rescale(shares: Floats) -> Floats:
    """Negative shares become 0 and the rest are divided by their sum (Multi-Dimensional RR, section 2.1, "proper" distribution)."""
    clipped = np.maximum(shares, 0.0)
    return np.asarray(clipped / clipped.sum())


def simplex(shares: Floats) -> Floats:
    """The probability distribution nearest to ``shares`` in Euclidean distance (Held, Wolfe and Crowder 1974).

    Subtract the one number that makes the positive part sum to 1. O(M log M).
    """
    ordered = np.sort(shares, axis=None)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, ordered.size + 1)
    positive = int(np.flatnonzero(ordered > excess)[-1]) + 1
    return np.maximum(shares - (math.fsum(ordered[:positive]) - 1) / positive, 0.0)


def simplex_of_each(tables: Floats) -> Floats:
    """``simplex`` of every table of shares along the last axis, in one go."""
    flat = tables.reshape(-1, tables.shape[-1])
    ordered = -np.sort(-flat, axis=0)
    excess = (np.cumsum(ordered, axis=0) - 1) / np.arange(1, len(flat) + 1)[:, None]
    last = np.count_nonzero(ordered > excess, axis=0) - 1
    return np.maximum(flat - excess[last, np.arange(flat.shape[1])], 0.0).reshape(tables.shape)


PROJECTIONS: dict[str, Callable[[Floats], Floats]] = {"clip-and-rescale": clip_and_rescale, "simplex": simplex}
"""Name on the command line and in files -> projection."""


def count_outside(shares: Floats) -> int:
    """How many shares lie outside [0, 1], as raw estimates may."""
    return int(np.count_nonzero((shares < 0) | (shares > 1)))


_TOLERANCE = 1e-6  # EM stops once no share moves by more than this
_MOST = 1_000  # iterations after which EM stops in any case
_WRITTEN_OUT = 1 << 16  # entries up to which a channel is written out as a matrix, whose products are the quicker ones


@dataclass(frozen=True)
class MaximumLikelihood:
    """What EM arrived at.

    Parameters
    ----------
    shares : ndarray of shape ``channel.sizes``, non-negative, summing to 1
    log_likelihoods : ndarray of shape (iterations + 1,), nats per respondent, before the first and after every iteration; never falls
    change : float, largest change of a share in the last iteration
    converged : bool, whether that was below the tolerance; otherwise the limit on iterations was reached
    """

    shares: Floats
    log_likelihoods: Floats
    change: float
    converged: bool

    @property
    def iterations(self) -> int:
        """Number of iterations made."""
        return len(self.log_likelihoods) - 1


def maximum_likelihood(
    released: Floats, channel: Channel, *, tolerance: float = _TOLERANCE, most: int = _MOST
) -> MaximumLikelihood:
    """The shares under which the released ones are most likely, from a uniform start.

    pi_v <- pi_v * sum over u of P(u | v) lambda_u / (P pi)_u, the iterative Bayesian update of Multi-Dimensional RR, section 2.1;
    it stops on
    max |change| <= ``tolerance`` (theory.md section 10) or after ``most`` iterations. Sampling noise makes it lean towards extremes
    where cells are many and people few: it is not unbiased.

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
