"""Error figures as two papers print them, to be shown beside the exact error; some are not bounds at all."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import chdtri

from rrcore.arrays import Floats


def published_independent_mse(cramers_v: float, categories: int) -> float:
    """Theorem 4 of the Castell paper: mean squared error of RR-Independent on two attributes of ``categories`` values is below V^2 / d."""
    return cramers_v**2 / categories


def published_independent_bound(sizes: Sequence[int]) -> float:
    """Theorem 5 of the Castell paper, eq. (26): error of RR-Independent on w attributes with uniform marginals, max(d^-w, 1/d - d^-w)."""
    d, w = max(sizes), len(sizes)
    return max(d**-w, 1 / d - d**-w)


def published_joint_bound(sizes: Sequence[int], levels: Sequence[float], n: int) -> float:
    """Theorem 6 of the Castell paper, eq. (27): (1 + (d - 1) / e^(eps / w))^w d^w / n, with eps the sum of the ``levels`` (nats).

    Not a bound: its Lemma 2 is false and its error model is rounding instead of sampling (theory.md section 10).
    """
    d, w = max(sizes), len(sizes)
    return math.exp(w * (math.log1p((d - 1) * math.exp(-math.fsum(levels) / w)) + math.log(d)) - math.log(n))


def absolute_frequency_error(released: Floats, n: int, *, confidence: float = 0.95) -> float:
    """Eq. (5) of the Multi-Dimensional RR paper: max over cells of sqrt(B lambda (1 - lambda) / n), B the upper
    (1 - confidence)/a quantile of chi-square with 1 degree of freedom, a the number of cells (``released``: their released shares).
    """
    return float(np.sqrt(_quantile(released.size, confidence) * released * (1 - released) / n).max())


def relative_frequency_error(released: Floats, n: int, *, confidence: float = 0.95) -> float:
    """Eq. (6) of the Multi-Dimensional RR paper: max over cells of sqrt(B (1 - lambda) / (lambda n)); infinite where a cell has no record."""
    with np.errstate(divide="ignore"):
        return float(np.sqrt(_quantile(released.size, confidence) * (1 - released) / (released * n)).max())


def _quantile(cells: int, confidence: float) -> float:
    return float(chdtri(1, (1 - confidence) / cells))
