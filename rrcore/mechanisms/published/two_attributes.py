"""The optimum for two attributes in closed form (Privacy-Optimized RR, section IV-B1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, log


@dataclass(frozen=True)
class TwoAttributeOptimum:
    """The cheapest mechanism for m x n data.

    Parameters
    ----------
    case : "I", "II", "III" or "IV"
        The paper's case: I and II, few lies, with x_1 = 1 or x_2 = 1; III and IV, many lies, with x_1 = x_0 or x_2 = x_0.
    ratios : (x_0, x_1, x_2)
        Probability of an output with no lie, with a lie at the first attribute only, and at the second only, each divided
        by that of an output with two lies.
    """

    case: str
    ratios: tuple[float, float, float]

    @property
    def total_level(self) -> float:
        """Record-level budget ln x_0 in nats."""
        return log(self.ratios[0])


def two_attribute_optimum(sizes: Sequence[int], levels: Sequence[float]) -> TwoAttributeOptimum:
    """The published solution for two attributes.

    Parameters
    ----------
    sizes : (m, n); levels : (eps_1, eps_2) in nats

    Returns
    -------
    TwoAttributeOptimum with x_0 >= x_1, x_2 >= 1
    """
    (m, n), (eps_1, eps_2) = sizes, levels
    u, v, u1, v1 = exp(eps_1), exp(eps_2), expm1(eps_1), expm1(eps_2)
    if u * v >= (m - 1) * (n - 1):
        if n * u1 >= m * v1:
            whole = v + n - 1
            x0, x2 = (n * u * v + (m - 1) * (n - 1) * v1) / whole, (n * u - (m - 1) * v1) / whole
            return TwoAttributeOptimum("I", (x0, 1.0, x2))
        whole = u + m - 1
        x0, x1 = (m * u * v + (m - 1) * (n - 1) * u1) / whole, (m * v - (n - 1) * u1) / whole
        return TwoAttributeOptimum("II", (x0, x1, 1.0))
    if (n - m) * u * v - m * (n - 1) * u + (m - 1) * n * v >= 0:
        whole = m * (n - 1) - u1 * v
        x0, x2 = (n - 1) * (u + m - 1) * v / whole, (m * (n - 1) * u + (m - 1) * u1 * v) / whole
        return TwoAttributeOptimum("III", (x0, x0, x2))
    whole = (m - 1) * n - u * v1
    x0, x1 = (m - 1) * u * (v + n - 1) / whole, ((m - 1) * n * v + (n - 1) * u * v1) / whole
    return TwoAttributeOptimum("IV", (x0, x1, x0))
