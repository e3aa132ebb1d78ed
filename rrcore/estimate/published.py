"""What two papers print: errors, some of which are no bounds at all, thresholds, the truncated scheme, and inversion by the big matrix."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.channel.liesets import LieSets
from rrcore.errors import InputError
from rrcore.limits import MAX_MATRIX_CELLS


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


@dataclass(frozen=True)
class Thresholds:
    """Thresholds of Castell, appendix C: RR-Ind-Joint above ``n`` people, above the level ``eps`` (nats, summed over the marginal),
    below ``w`` attributes; RR-Independent otherwise. ``eps`` is infinite where no level is enough.
    """

    n: float
    eps: float
    w: float


def published_thresholds(categories: int, w: int, *, n: int, eps: float) -> Thresholds:
    """The three formulas of appendix C as printed, for w >= 2 attributes of ``categories`` values.

    n* and eps* are the same inequality (Theorem 6 below Theorem 5) solved for either; w* is a cruder consequence of it.
    """
    d = categories
    bound = published_independent_bound((d,) * w)
    people = published_joint_bound((d,) * w, (eps / w,) * w, 1) / bound
    room = (bound * n) ** (1 / w) / d - 1
    level = w * math.log((d - 1) / room) if room > 0 else math.inf
    return Thresholds(people, level, (math.log(n) - math.log(d)) / (2 * math.log(d)))


def published_choice(sizes: Sequence[int], levels: Sequence[float], n: int) -> bool:
    """Whether the published hybrid inverts a marginal over attributes of these sizes and levels: Theorem 6 below Theorem 5."""
    return published_joint_bound(sizes, levels, n) < published_independent_bound(sizes)


def published_absolute_error(released: Floats, n: int, *, confidence: float = 0.95) -> float:
    """Eq. (5) of the Multi-Dimensional RR paper: max over cells of sqrt(B lambda (1 - lambda) / n), B the upper
    (1 - confidence)/a quantile of chi-square with 1 degree of freedom, a the number of cells (``released``: their released shares).
    """
    return float(np.sqrt(_quantile(released.size, confidence) * released * (1 - released) / n).max())


def published_relative_error(released: Floats, n: int, *, confidence: float = 0.95) -> float:
    """Eq. (6) of the Multi-Dimensional RR paper: max over cells of sqrt(B (1 - lambda) / (lambda n)); infinite where a cell has no record."""
    with np.errstate(divide="ignore"):
        return float(np.sqrt(_quantile(released.size, confidence) * (1 - released) / (released * n)).max())


def _quantile(cells: int, confidence: float) -> float:
    return float(scipy.special.chdtri(1, (1 - confidence) / cells))


def published_truncation(released: Floats, channel: LieSets) -> Floats:
    """Invert, replace negative shares by 0, and limit every share by all the (w-1)-way marginals it belongs to.

    Each limit is inverted from its own released table; a negative limit counts as 0, as eq. (25) with |S'| = |S| - 1 asks
    (theory.md section 10). The result need not sum to 1.

    Parameters
    ----------
    released : ndarray of shape ``channel.sizes``, released shares
    channel : LieSets over the same attributes, none of whose factors is 0
    """
    shares = np.maximum(channel.invert(released), 0.0)
    for axis in range(channel.w):
        others = [i for i in range(channel.w) if i != axis]
        below = released.sum(axis=axis, keepdims=True)
        if others:
            below = np.expand_dims(channel.marginal(others).invert(released.sum(axis=axis)), axis)
        shares = np.minimum(shares, np.maximum(below, 0.0))
    return shares


def published_naive_inversion(table: Floats, retentions: Floats) -> Floats:
    """Invert the Kronecker product of the randomization matrices, a matrix over all pairs of cells.

    Parameters
    ----------
    table : ndarray of shape (a_1, ..., a_w), released shares or counts
    retentions : ndarray of shape (w,), the r_i

    Raises
    ------
    InputError
        Above ``MAX_MATRIX_CELLS`` cells.
    """
    return np.asarray(np.linalg.inv(_together(_matrices(table, retentions))) @ table.ravel()).reshape(table.shape)


def published_reduced_inversion(table: Floats, retentions: Floats) -> Floats:
    """Invert each randomization matrix and multiply with the Kronecker product of the inverses.

    Parameters as in ``published_naive_inversion``.
    """
    inverses = [np.asarray(np.linalg.inv(matrix), dtype=np.float64) for matrix in _matrices(table, retentions)]
    return np.asarray(_together(inverses) @ table.ravel()).reshape(table.shape)


def _matrices(table: Floats, retentions: Floats) -> list[Floats]:
    """Keep with probability r, else a uniform answer, for every attribute."""
    if table.size > MAX_MATRIX_CELLS:
        raise InputError(f"Matrices invert at most {MAX_MATRIX_CELLS:,} cells and there are {table.size:,}: use castell.")
    return [r * np.eye(a) + (1 - r) / a for a, r in zip(table.shape, retentions, strict=True)]


def _together(matrices: list[Floats]) -> Floats:
    return reduce(lambda whole, matrix: np.asarray(np.kron(whole, matrix), dtype=np.float64), matrices)
