"""Shares of categories that reports do not tell apart, taken together."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rrcore.estimate.countable import Countable
from rrcore.estimate.uncertainty import two_sided_point
from rrcore.wording import Quantity


@dataclass(frozen=True)
class TogetherShare:
    """The estimated share of some categories together, with an interval.

    Parameters
    ----------
    categories : tuple of str, one where it can be told apart from all others
    share : unbiased estimate; may lie outside 0 to 1
    low, high : ends of its interval, normal
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
    z, found = two_sided_point(confidence, spread.freedom if population else math.inf), []
    for chosen in channel.estimable(0):
        if len(chosen) == attribute.size:
            continue
        wanted = np.zeros(attribute.size)
        wanted[list(chosen)] = 1.0
        added = channel.invert_back(wanted)
        share = float((released * added).sum())
        half = z * math.sqrt(max(spread.variance(added, channel, population=population), 0.0))
        found.append(TogetherShare(tuple(attribute.categories[x] for x in chosen), share, share - half, share + half))
    return tuple(found)
