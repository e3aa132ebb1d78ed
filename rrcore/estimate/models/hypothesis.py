"""Tests that some coefficients of a regression are 0."""

import math
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
    below : float, where people were drawn in clusters: the statistic over ``freedom`` is then F with so many degrees below the line;
        infinite where the statistic is a chi-square
    """

    kind: Literal["likelihood ratio", "Rao-Scott", "Wald"]
    statistic: float
    freedom: float
    below: float = math.inf

    @property
    def p_value(self) -> float:
        """How often a statistic as large would come up by chance.

        >>> round(Test("Wald", 3.841, 1).p_value, 3)
        0.05
        """
        if math.isinf(self.below):
            return float(scipy.special.chdtrc(self.freedom, self.statistic))
        return float(scipy.special.fdtrc(self.freedom, self.below, self.statistic / self.freedom))


def likelihood_ratio(larger: float, smaller: float, freedom: int) -> Test:
    """Twice the difference of two log-likelihoods, never below 0."""
    return Test("likelihood ratio", max(2 * (larger - smaller), 0.0), freedom)


def rao_scott(test: Test, simple: Floats, covariance: Floats, drawn: float = math.inf) -> Test:
    """The likelihood-ratio ``test`` of K coefficients put right for how people were drawn.

    Parameters
    ----------
    simple : ndarray of shape (K, K), their covariance as if everybody had been drawn alike, one by one
    covariance : the same as they were drawn
    drawn : degrees of freedom of that

    Notes
    -----
    With generalised design effects d, the eigenvalues of ``simple^-1 covariance``, the statistic is a sum of d times chi-squares of one
    degree of freedom; its mean and variance are those of a scaled chi-square (Rao and Scott 1984, second-order correction). Over its
    degrees of freedom it is F with ``drawn`` times as many below the line (Thomas and Rao 1987).
    """
    effects = np.linalg.eigvals(np.linalg.solve(simple, covariance)).real
    freedom = float(effects.sum() ** 2 / (effects**2).sum())
    return Test("Rao-Scott", test.statistic * freedom / float(effects.sum()), freedom, freedom * drawn)


def wald(coefficients: Floats, covariance: Floats, drawn: float = math.inf) -> Test:
    """The squared distance of ``coefficients`` (K,) from 0 in units of their ``covariance`` (K, K), which has ``drawn`` degrees of freedom.

    Of few it is adjusted as Hotelling's (Korn and Graubard 1990): times (drawn - K + 1) / drawn, so many degrees below the line of F.
    """
    distance, k = float(coefficients @ np.linalg.solve(covariance, coefficients)), len(coefficients)
    if math.isinf(drawn):
        return Test("Wald", distance, k)
    below = max(drawn - k + 1, 1.0)
    return Test("Wald", distance * below / drawn, k, below)
