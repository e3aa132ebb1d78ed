"""Tests of whether terms of a model have any effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rrcore.arrays import Floats


@dataclass(frozen=True)
class Test:
    """A test that some coefficients are 0.

    Parameters
    ----------
    kind : "likelihood ratio" or "Wald"
    statistic : float, chi-square with ``freedom`` degrees of freedom if they are 0
    freedom : int
    """

    kind: Literal["likelihood ratio", "Wald"]
    statistic: float
    freedom: int

    @property
    def p_value(self) -> float:
        """How often a statistic as large would come up by chance.

        >>> round(Test("Wald", 3.841, 1).p_value, 3)
        0.05
        """
        from scipy.special import chdtrc

        return float(chdtrc(self.freedom, self.statistic))


def likelihood_ratio(larger: float, smaller: float, freedom: int) -> Test:
    """Twice the difference of two log-likelihoods, never below 0."""
    return Test("likelihood ratio", max(2 * (larger - smaller), 0.0), freedom)


def wald(coefficients: Floats, covariance: Floats) -> Test:
    """The squared distance of ``coefficients`` (K,) from 0 in units of their ``covariance`` (K, K)."""
    return Test("Wald", float(coefficients @ np.linalg.solve(covariance, coefficients)), len(coefficients))
