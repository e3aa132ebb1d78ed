"""What a mechanism buys and gives away: the error to expect of every pair, what marginals gain over Kronecker (theory.md sections 7 and 13),
and its price in three numbers that stand beside any gain.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from rrcore.arrays import Floats
from rrcore.estimate import expected_error
from rrcore.limits import MIN_FACTOR
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.closed_form import Kronecker
from rrcore.wording import Kind, Quantity


@dataclass(frozen=True)
class Gain:
    """What one marginal gains.

    Parameters
    ----------
    axes : positions of the attributes
    factor_gain : mu_T of the mechanism divided by Kronecker's, T being all of ``axes``; 3 is worth about nine times as many people
    respondents_factor : how many times as many people Kronecker would need for the same error of the whole marginal; NaN where
        the mechanism does not identify it, infinite where only Kronecker does not
    """

    axes: tuple[int, ...]
    factor_gain: float
    respondents_factor: float

    @property
    def identifiable(self) -> bool:
        """Whether the mechanism lets the marginal be estimated."""
        return not math.isnan(self.respondents_factor)


def accuracy_gains(mechanism: Mechanism, reference: Kronecker, marginals: Sequence[Sequence[int]]) -> tuple[Gain, ...]:
    """What every one of ``marginals`` gains under ``mechanism`` over ``reference``.

    The factor of people is the ratio of the exact mean variances of the estimated shares, from the randomization, for uniform
    true shares (theory.md section 7).
    """
    found = []
    for axes in map(tuple, marginals):
        own, other = mechanism.marginal_channel(axes), reference.marginal_channel(axes)
        error = math.nan if own.lost() else expected_error(own, 1)
        people = math.inf if other.lost() or error == 0 else (expected_error(other, 1) / error) ** 2
        factor = float(own.factors[(1,) * len(axes)] / other.factors[(1,) * len(axes)])
        found.append(Gain(axes, factor, math.nan if math.isnan(error) else people))
    return tuple(found)


def expected_pair_errors(mechanism: Mechanism, n: int, *, population: bool = False) -> Floats:
    """``expected_error`` of every pair (off the diagonal) and every single attribute (on it), for a uniform guess.

    Returns
    -------
    ndarray of shape (k, k), shares (0.01 = one point); NaN where a factor is below MIN_FACTOR, i.e. it is erased
    """
    sizes = np.asarray(mechanism.sizes, dtype=np.float64)
    kept, factors = (np.where(np.abs(mu) < MIN_FACTOR, np.nan, mu) for mu in (mechanism.retentions, mechanism.pair_factors()))
    single = (sizes - 1) * (kept**-2 - 1)
    pair = np.multiply.outer(sizes - 1, sizes - 1) * (factors**-2 - 1)
    variance = (np.add.outer(single, single) + pair) / np.multiply.outer(sizes, sizes) ** 2
    np.fill_diagonal(variance, single / sizes**2)
    cells = np.multiply.outer(sizes, sizes)
    np.fill_diagonal(cells, sizes)
    return np.asarray(np.sqrt((np.maximum(variance, 0.0) + population * (1 - 1 / cells) / cells) / n))


@dataclass(frozen=True, order=True)
class Price:
    """The price of a mechanism, in nats.

    Parameters
    ----------
    alone : what one answer gives away on its own, of the attribute where that is most: the largest level
    known : what one answer gives away to someone who sees the whole record and knows the others: the largest leakage
    total : the record-level budget
    title : of what it is the price
    """

    alone: float
    known: float
    total: float
    title: str = field(default="", compare=False)

    @classmethod
    def of(cls, mechanism: Mechanism, title: str = "") -> Price:
        """The price of ``mechanism``.

        Examples
        --------
        >>> from rrcore.mechanisms import Kronecker
        >>> Price.of(Kronecker.from_levels([2, 3], [1.0, 2.0])).text
        'one answer × 7.39, others known × 7.39, whole record × 20.1'
        """
        return cls(float(abs(mechanism.levels).max()), float(mechanism.leakage.max()), float(mechanism.total_level), title)

    @property
    def columns(self) -> dict[str, str]:
        """By how many times each shifts odds, under its heading."""
        return {f"{kind[0].upper()}{kind[1:]}": odds for kind, odds in self._odds()}

    @property
    def text(self) -> str:
        """By how many times each shifts odds, in words."""
        return ", ".join(self.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """``text``, part by part."""
        return tuple(f"{kind} {odds}" for kind, odds in self._odds())

    def _odds(self) -> Iterator[tuple[Kind, str]]:
        spent: dict[Kind, float] = {"one answer": self.alone, "others known": self.known, "whole record": self.total}
        for kind, nats in spent.items():
            yield kind, Quantity(kind, self.title).odds(nats)
