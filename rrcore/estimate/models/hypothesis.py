"""Tests that some coefficients of a regression are 0."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from rrcore.arrays import Floats


@dataclass(frozen=True)
class Test:
    """A test that some coefficients are 0.

    Parameters
    ----------
    kind : "likelihood ratio", "Rao-Scott" or "Wald"
    statistic : float, chi-square with ``freedom`` degrees of freedom if they are 0
    freedom : float, whole but for Rao and Scott's
    """

    kind: Literal["likelihood ratio", "Rao-Scott", "Wald"]
    statistic: float
    freedom: float

    @property
    def p_value(self) -> float:
        """How often a statistic as large would come up by chance.

        >>> round(Test("Wald", 3.841, 1).p_value, 3)
        0.05
        """
        return float(scipy.special.chdtrc(self.freedom, self.statistic))


def likelihood_ratio(larger: float, smaller: float, freedom: int) -> Test:
    """Twice the difference of two log-likelihoods, never below 0."""
    return Test("likelihood ratio", max(2 * (larger - smaller), 0.0), freedom)


def rao_scott(test: Test, simple: Floats, covariance: Floats) -> Test:
    """The likelihood-ratio ``test`` of K coefficients put right for how people were drawn.

    Parameters
    ----------
    simple : ndarray of shape (K, K), their covariance as if everybody had been drawn alike, one by one
    covariance : the same as they were drawn

    Notes
    -----
    With generalised design effects d, the eigenvalues of ``simple^-1 covariance``, the statistic is a sum of d times chi-squares of one
    degree of freedom; its mean and variance are those of a scaled chi-square (Rao and Scott 1984, second-order correction).
    """
    effects = np.linalg.eigvals(np.linalg.solve(simple, covariance)).real
    freedom = float(effects.sum() ** 2 / (effects**2).sum())
    return Test("Rao-Scott", test.statistic * freedom / float(effects.sum()), freedom)


def wald(coefficients: Floats, covariance: Floats) -> Test:
    """The squared distance of ``coefficients`` (K,) from 0 in units of their ``covariance`` (K, K)."""
    return Test("Wald", float(coefficients @ np.linalg.solve(covariance, coefficients)), len(coefficients))
