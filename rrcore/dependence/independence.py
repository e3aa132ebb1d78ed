"""Is there any dependence behind the released answers to two attributes? A test that accounts for the noise, for any channel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2

from rrcore.arrays import Floats, Integers
from rrcore.channel import Channel
from rrcore.errors import InputError
from rrcore.estimate import estimate_marginal, simplex
from rrcore.limits import MAX_MATRIX_CELLS

_FEW = 5.0  # the chi-square law needs about this many expected answers in most cells


@dataclass(frozen=True)
class Independence:
    """The outcome of a test of independence.

    Parameters
    ----------
    statistic : float, >= 0
    freedom : int, degrees of freedom; 0 where everybody's released answer to one of the attributes is the same
    p_value : float in [0, 1], how often independent attributes look at least as dependent by chance
    sparse : float, part of the cells with fewer than 5 expected answers; above a fifth the p-value is rough
    strength : float, V^2 for one unit of the statistic above its mean under independence
    """

    statistic: float
    freedom: int
    p_value: float
    sparse: float
    strength: float

    @property
    def v(self) -> float:
        """Cramer's V without what noise adds on average, in [0, 1]: 0 where the answers are no more dependent than noise."""
        return math.sqrt(min(1.0, self.strength * max(0.0, self.statistic - self.freedom)))

    def v_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The values of V at which the statistic, a non-central chi-square, is no surprise."""
        if self.freedom == 0:
            return 0.0, 1.0
        tail = (1 - confidence) / 2
        centres = (non_centrality(self.statistic, self.freedom, probability) for probability in (1 - tail, tail))
        low, high = (math.sqrt(min(1.0, self.strength * centre)) for centre in centres)
        return low, high


def non_centrality(statistic: float, freedom: int, probability: float) -> float:
    """The non-centrality under which a chi-square up to ``statistic`` has this probability; 0 if none has."""
    if chi2.cdf(statistic, freedom) <= probability:
        return 0.0
    top = statistic + 50 * math.sqrt(statistic + freedom) + 50
    return float(brentq(lambda extra: ncx2.cdf(statistic, freedom, extra) - probability, 1e-12, top))


def check_independence(counts: Integers, channel: Channel) -> Independence:
    """Test whether two attributes are independent among the respondents.

    A score test: deviations pi_ij - pi_i pi_j of the inverted shares, weighed by the covariance that they have, by multinomial sampling
    of the released answers, if the true ones are independent. Where the attributes are randomised independently of each other, with as
    many reports as categories, that is Pearson's chi-square of the released table.

    Parameters
    ----------
    counts : ndarray of shape ``channel.report_sizes``, released counts
    channel : Channel on the pair

    Raises
    ------
    InputError
        Above ``MAX_MATRIX_CELLS`` cells, or where the channel erases the pair.
    """
    if counts.size > MAX_MATRIX_CELLS:
        raise InputError(
            f"The pair has {counts.size:,} combinations: at most {MAX_MATRIX_CELLS:,} are tested, so merge categories."
        )
    estimate = estimate_marginal(counts, channel)
    n, released = estimate.n, estimate.released
    rows, columns = estimate.shares.sum(axis=1), estimate.shares.sum(axis=0)
    deviation = estimate.shares - np.multiply.outer(rows, columns)
    apart = np.multiply.outer(simplex(rows), simplex(columns))
    pearson = channel.independent and channel.report_sizes == channel.sizes
    expected = np.multiply.outer(released.sum(axis=1), released.sum(axis=0)) if channel.independent else channel.push(apart)
    sparse = float((n * expected < _FEW).mean())
    if pearson:
        live = expected > 0
        statistic = n * float(((released - expected)[live] ** 2 / expected[live]).sum())
        freedom = int(np.count_nonzero(released.sum(axis=1)) - 1) * int(np.count_nonzero(released.sum(axis=0)) - 1)
    else:
        statistic, freedom = _score(deviation, expected, channel, n), (len(rows) - 1) * (len(columns) - 1)
    seen = apart > 0
    squares = float((deviation[seen] ** 2 / apart[seen]).sum()) / (min(channel.sizes) - 1)
    p_value = float(chi2.sf(statistic, freedom)) if freedom else 1.0
    return Independence(statistic, freedom, p_value, sparse, squares / statistic if statistic > 0 else 0.0)


def _score(deviation: Floats, expected: Floats, channel: Channel, n: int) -> float:
    """The deviations weighed by the inverse of their covariance under independence; rows and columns sum to 0, so the last ones go."""
    a, b = deviation.shape
    cells, reports = a * b, expected.size
    inverse = channel.invert(np.eye(reports).reshape(*expected.shape, reports)).reshape(cells, reports)
    shares = channel.invert(expected)
    by_row = np.repeat(np.eye(a), b, axis=1)  # which cells make up each row's share
    by_column = np.tile(np.eye(b), a)
    slope = inverse - (
        np.einsum("i,jc->ijc", shares.sum(axis=1), by_column @ inverse)
        + np.einsum("j,ic->ijc", shares.sum(axis=0), by_row @ inverse)
    ).reshape(cells, reports)
    kept = np.arange(cells).reshape(a, b)[:-1, :-1].ravel()
    slope = slope[kept]
    weights = np.maximum(expected.ravel(), 0.0)
    centred = slope - (slope @ weights)[:, None]
    covariance = (centred * weights) @ centred.T
    left = deviation.ravel()[kept]
    return float(n * left @ np.linalg.lstsq(covariance, left, rcond=None)[0])
