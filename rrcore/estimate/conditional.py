"""Conditional distributions, of answers among the people with one answer to others, and shares of categories taken together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.estimate.countable import Countable
from rrcore.estimate.estimate import Estimate
from rrcore.estimate.uncertainty import two_sided_point
from rrcore.wording import Quantity

_SURE = 2.0  # standard errors by which the share of a group must be above 0 for shares within it to be given


@dataclass(frozen=True)
class Conditional:
    """Shares within groups.

    Parameters
    ----------
    shares : ndarray of the shape of the marginal; sums to 1 over the axes that are not given; NaN in groups too small to tell
    standard_error : ndarray of the same shape, by the delta method
    group : ndarray, estimated share of each group, over the given axes
    freedom : degrees of freedom of the errors; infinite for a simple random sample
    """

    shares: Floats
    standard_error: Floats
    group: Floats
    freedom: float = math.inf

    def margin(self, confidence: float = 0.95) -> Floats:
        """Half the width of the confidence interval of every share."""
        return np.asarray(two_sided_point(confidence, self.freedom) * self.standard_error)

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Normal confidence interval of every share, Student's where degrees of freedom are few: (low, high), not cut off at 0 and 1."""
        half = self.margin(confidence)
        return self.shares - half, self.shares + half


def conditional_shares(estimate: Estimate, given: Sequence[int], *, population: bool = True) -> Conditional:
    """Shares of every combination among the people with the same answers on the axes ``given``.

    The ratio of an estimated share to that of its group; its variance counts what every released record adds to both (theory.md
    section 7, linear functionals). Groups whose share is not at least two standard errors above 0 are left out: a ratio to a number that
    may be 0 has no meaning.

    Parameters
    ----------
    estimate : Estimate of the marginal
    given : axes of the marginal, at least one, not all
    population : as in ``cell_variance``

    Raises
    ------
    InputError
        Where ``given`` are not such axes.
    """
    if not (0 < len(set(given)) == len(given) < estimate.shares.ndim and set(given) <= set(range(estimate.shares.ndim))):
        raise InputError(
            f"Shares are asked for within the axes {', '.join(map(str, given))[:40]}: name some of {estimate.shares.ndim}, each once."
        )
    others = tuple(axis for axis in range(estimate.shares.ndim) if axis not in given)
    group = estimate.shares.sum(axis=others, keepdims=True)
    shares, errors = (np.full(estimate.shares.shape, np.nan) for _ in range(2))
    for place in np.ndindex(*group.shape):
        inside = tuple(slice(None) if axis in others else place[axis] for axis in range(estimate.shares.ndim))
        mask = np.zeros(estimate.shares.shape)
        mask[inside] = 1.0
        size = float(group[place])
        if not size > _SURE * functional_error(mask, estimate, population):
            continue
        shares[inside] = estimate.shares[inside] / size
        for cell in zip(*np.nonzero(mask), strict=True):
            weights = -shares[cell] * mask
            weights[cell] += 1.0
            errors[cell] = functional_error(weights / size, estimate, population)
    return Conditional(shares, errors, group.squeeze(axis=others), estimate.spread.freedom if population else math.inf)


def functional_error(weights: Floats, estimate: Estimate, population: bool) -> float:
    """Standard error of the estimated sum of ``weights * shares``; ``population`` as in ``cell_variance``. Infinite from one person."""
    if estimate.n <= population:
        return math.inf
    variance = estimate.spread.variance(estimate.channel.invert_back(weights), estimate.channel, population=population)
    return float(np.sqrt(max(variance, 0.0)))


@dataclass(frozen=True)
class TogetherShare:
    """The estimated share of some categories together, with an interval.

    Parameters
    ----------
    categories : tuple of str, one where it can be told apart from all others
    share : unbiased estimate; may lie outside 0 to 1
    low, high : ends of its interval, normal; infinite from one person
    """

    categories: tuple[str, ...]
    share: float
    low: float
    high: float

    @property
    def sentence(self) -> str:
        """For example "'never' or 'seldom': 55 % (48 to 62)"."""
        names = " or ".join(f"'{name}'" for name in self.categories)
        return f"{names}: {Quantity('share', names).estimated(self.share, self.low, self.high)}"


def merged_shares(
    release: Countable[Any], name: str, *, confidence: float = 0.95, population: bool = True
) -> tuple[TogetherShare, ...]:
    """What can be estimated of an attribute some of whose categories its reports do not tell apart.

    Parameters
    ----------
    release : released records
    name : the attribute
    confidence : of each interval
    population : what errors are against, as in ``cell_variance``

    Returns
    -------
    tuple of TogetherShare, the smallest sets of categories whose share can be estimated; empty where that is only all of them together

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.promise.weights import MatrixWeights
    >>> asked = rr.Schema((rr.Attribute("how often", ("never", "seldom", "often")),))
    >>> reported = rr.Schema((rr.Attribute("how often", ("black", "white")),))
    >>> file = rr.MechanismFile(asked, (((0,), MatrixWeights(((8, 2), (8, 2), (1, 9)))),), reports=reported)
    >>> answers = rr.read_answers([(b"how often\\n" + b"black\\n" * 450 + b"white\\n" * 550, "a.csv")], file)
    >>> [one.sentence for one in merged_shares(answers, "how often")]
    ["'never' or 'seldom': 50 % (46 to 54)", "'often': 50 % (46 to 54)"]
    """
    (attribute,) = release.schema.select([name]).attributes
    channel, released, spread = release.channel([name]), release.released([name]), release.spread([name])
    n = int(release.counts([name]).sum())
    z, found = two_sided_point(confidence, spread.freedom if population else math.inf), []
    for chosen in channel.estimable(0):
        if len(chosen) == attribute.size:
            continue
        wanted = np.zeros(attribute.size)
        wanted[list(chosen)] = 1.0
        added = channel.invert_back(wanted)
        share = float((released * added).sum())
        error = math.sqrt(max(spread.variance(added, channel, population=population), 0.0)) if n > population else math.inf
        half = z * error
        found.append(TogetherShare(tuple(attribute.categories[x] for x in chosen), share, share - half, share + half))
    return tuple(found)
