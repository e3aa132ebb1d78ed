"""How much more accurate a mechanism is than Kronecker with the same total, marginal by marginal (theory.md section 13)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rrcore.estimate import expected_error
from rrcore.mechanisms import Kronecker, Mechanism

__all__ = ["Gain", "gains"]


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


def gains(mechanism: Mechanism, reference: Kronecker, marginals: Sequence[Sequence[int]]) -> tuple[Gain, ...]:
    """What every one of ``marginals`` gains under ``mechanism`` over ``reference``.

    The factor of people is the ratio of the exact mean variances of the estimated shares, from the randomization, for uniform
    true shares (theory.md section 7).
    """
    return tuple(_gain(mechanism, reference, tuple(axes)) for axes in marginals)


def _gain(mechanism: Mechanism, reference: Kronecker, axes: tuple[int, ...]) -> Gain:
    own, other = mechanism.marginal_channel(axes), reference.marginal_channel(axes)
    whole = (1,) * len(axes)
    factor = float(own.factors[whole] / other.factors[whole])
    if own.lost():
        return Gain(axes, factor, math.nan)
    if other.lost():
        return Gain(axes, factor, math.inf)
    error = expected_error(own, 1)
    return Gain(axes, factor, (expected_error(other, 1) / error) ** 2 if error > 0 else math.inf)
