"""A test of independence for two attributes from randomized answers.

It works for any channel.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from rrcore.arrays import Floats, Integers
from rrcore.channel import Channel
from rrcore.errors import InputError
from rrcore.estimate import Estimate, simplex
from rrcore.limits import MAX_MATRIX_CELLS

# the chi-square distribution needs about this many expected answers in most cells
_FEW = 5.0


@dataclass(frozen=True)
class Independence:
    """The outcome of a test of independence.

    Parameters
    ----------
    statistic : float
        Chi-square.
    freedom : int
        Degrees of freedom, 0 if all released answers to one of the attributes are the same.
    p_value : float
        Probability of at least this statistic for independent attributes.
    sparse : float
        Fraction of cells with an expected count below 5. If it exceeds one fifth, the p-value is rough.
    strength : float
        V^2 for each unit by which the statistic exceeds its mean under independence.
    """

    statistic: float
    freedom: int
    p_value: float
    sparse: float
    strength: float

    @property
    def v(self) -> float:
        """Cramér's V in [0, 1], corrected for the mean upward bias caused by noise."""
        return math.sqrt(min(1.0, self.strength * max(0.0, self.statistic - self.freedom)))

    def v_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the values of V that are compatible with the statistic.

        The statistic has a non-central chi-square distribution.
        """
        if self.freedom == 0:
            return 0.0, 1.0
        tail = (1 - confidence) / 2
        centres = (non_centrality(self.statistic, self.freedom, probability) for probability in (1 - tail, tail))
        low, high = (math.sqrt(min(1.0, self.strength * centre)) for centre in centres)
        return low, high


def non_centrality(statistic: float, freedom: int, probability: float) -> float:
    """Return the non-centrality for which ``statistic`` is this quantile.

    If there is none, the result is 0.
    """
    from scipy.optimize import brentq  # heavy

    if scipy.special.chdtr(freedom, statistic) <= probability:
        return 0.0
    top = statistic + 50 * math.sqrt(statistic + freedom) + 50
    return float(brentq(lambda extra: scipy.special.chndtr(statistic, freedom, extra) - probability, 1e-12, top))


def independence_of(estimate: Estimate) -> Independence:
    """Test whether the two attributes of an estimate are independent.

    The test is a score test. It weights the deviations pi_ij - pi_i pi_j of the inverted shares by their covariance under
    independence and multinomial sampling. For independent randomization with equal numbers of randomized and true categories, it is
    Pearson's chi-square of the released table.

    For a complex sample, the statistic is divided by the mean design effect of the deviations. The p-value then uses the F
    distribution (Rao and Scott 1984, Thomas and Rao 1987).

    Raises
    ------
    InputError
        If there are more than ``MAX_MATRIX_CELLS`` cells.
    """
    if (cells := estimate.released.size) > MAX_MATRIX_CELLS:
        raise InputError(f"The pair has {cells:,} combinations. Merge categories until there are at most {MAX_MATRIX_CELLS:,}.")
    n, released, channel = estimate.n, estimate.released, estimate.channel
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
    p_value = float(scipy.special.chdtrc(freedom, statistic)) if freedom else 1.0
    if estimate.drawn is not None and freedom:
        statistic, p_value = _corrected(statistic, freedom, expected, estimate, pearson)
    seen = apart > 0
    squares = float((deviation[seen] ** 2 / apart[seen]).sum()) / (min(channel.sizes) - 1)
    return Independence(statistic, freedom, p_value, sparse, squares / statistic if statistic > 0 else 0.0)


def _score(deviation: Floats, expected: Floats, channel: Channel, n: int) -> float:
    """Return the deviations weighted by their inverse covariance. Rows and columns sum to 0, so the last ones are dropped."""
    slope, kept = _slope(_inverse(channel), channel.invert(expected))
    left = deviation.ravel()[kept]
    return float(n * left @ np.linalg.lstsq(_multinomial(slope, expected), left, rcond=None)[0])


def _inverse(channel: Channel) -> Floats:
    """Return the inverse channel as a matrix, true cells by randomized answers."""
    reports = math.prod(channel.report_sizes)
    return channel.invert(np.eye(reports).reshape(*channel.report_sizes, reports)).reshape(-1, reports)


def _slope(inverse: Floats, shares: Floats) -> tuple[Floats, Integers]:
    """Return the derivative of the deviations by the released shares at ``shares``, and the cells that are kept."""
    a, b = shares.shape
    by_row = np.repeat(np.eye(a), b, axis=1)
    by_column = np.tile(np.eye(b), a)
    slope = inverse - (
        np.einsum("i,jc->ijc", shares.sum(axis=1), by_column @ inverse)
        + np.einsum("j,ic->ijc", shares.sum(axis=0), by_row @ inverse)
    ).reshape(a * b, -1)
    kept = np.arange(a * b).reshape(a, b)[:-1, :-1].ravel()
    return slope[kept], kept


def _multinomial(slope: Floats, expected: Floats) -> Floats:
    """Return n times the covariance of the deviations for a simple random sample from ``expected``."""
    weights = np.maximum(expected.ravel(), 0.0)
    centred = slope - (slope @ weights)[:, None]
    return np.asarray((centred * weights) @ centred.T)


def _corrected(statistic: float, freedom: int, expected: Floats, estimate: Estimate, pearson: bool) -> tuple[float, float]:
    """Return the statistic of a complex sample divided by its mean design effect, and its p-value."""
    channel, drawn = estimate.channel, estimate.spread
    if pearson:
        # in released answers, where empty categories have no deviation
        live = [np.flatnonzero(expected.sum(axis=1 - axis)) for axis in (0, 1)]
        cells = np.ravel_multi_index(np.ix_(*live), expected.shape).ravel()
        inverse, shares = np.eye(expected.size)[cells], expected[np.ix_(*live)]
    else:
        inverse, shares = _inverse(channel), channel.invert(expected)
    slope, _ = _slope(inverse, shares)
    simple = _multinomial(slope, expected) / estimate.n
    effects = np.linalg.lstsq(simple, slope @ drawn.covariance(channel) @ slope.T, rcond=None)[0]
    total, squares = float(np.trace(effects)), float(np.trace(effects @ effects))
    if total <= 0:
        return statistic, float(scipy.special.chdtrc(freedom, statistic))
    own, ratio = total**2 / squares, statistic / total
    # without sampled clusters the F distribution is that of a chi-square
    unlimited = math.isinf(drawn.freedom)
    p_value = scipy.special.chdtrc(own, own * ratio) if unlimited else scipy.special.fdtrc(own, own * drawn.freedom, ratio)
    return statistic * freedom / total, float(p_value)
