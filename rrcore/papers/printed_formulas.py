"""Formulas as printed in two papers.

They give errors and bounds, thresholds, the truncated scheme, and inversion by matrices.
"""

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.channel.channels import SubsetChannel
from rrcore.errors import InputError
from rrcore.limits import MAX_MATRIX_CELLS


def published_independent_mse(cramers_v: float, categories: int) -> float:
    """Return V^2 / d, the mean squared error of RR-Independent on two attributes.

    See Castell, Theorem 4.
    """
    return cramers_v**2 / categories


def published_independent_bound(sizes: Sequence[int]) -> float:
    """Return max(d^-w, 1/d - d^-w), a bound on the error of RR-Independent.

    It is for uniform marginals (Castell, Theorem 5, eq. 26).
    """
    d, w = max(sizes), len(sizes)
    return max(d**-w, 1 / d - d**-w)


def published_joint_bound(sizes: Sequence[int], epsilon: Sequence[float], n: int) -> float:
    """Return (1 + (d - 1) / e^(ε / w))^w d^w / n, with ε the sum of ``epsilon``.

    See Castell, Theorem 6, eq. 27.

    This is not a bound. Lemma 2 is false, and the proof treats errors as rounding instead of sampling (theory.md section 10).
    """
    d, w = max(sizes), len(sizes)
    return math.exp(w * (math.log1p((d - 1) * math.exp(-math.fsum(epsilon) / w)) + math.log(d)) - math.log(n))


def published_thresholds(categories: int, w: int, *, n: int, eps: float) -> tuple[float, float, float]:
    """Return the thresholds n*, eps* and w* of Castell, appendix C.

    They are for w >= 2 attributes of ``categories`` values.

    RR-Ind-Joint is chosen above n* people, above eps* (summed over the attributes) and below w* attributes. eps* is infinite if no
    ε is enough.

    n* and eps* solve the same inequality, Theorem 6 below Theorem 5. w* is a weaker consequence of it.
    """
    d = categories
    bound = published_independent_bound((d,) * w)
    people = published_joint_bound((d,) * w, (eps / w,) * w, 1) / bound
    room = (bound * n) ** (1 / w) / d - 1
    least = w * math.log((d - 1) / room) if room > 0 else math.inf
    return people, least, (math.log(n) - math.log(d)) / (2 * math.log(d))


def published_choice(sizes: Sequence[int], epsilon: Sequence[float], n: int) -> bool:
    """Return whether the published hybrid inverts: Theorem 6 below Theorem 5."""
    return published_joint_bound(sizes, epsilon, n) < published_independent_bound(sizes)


def published_absolute_error(released: Floats, n: int, *, confidence: float = 0.95) -> float:
    """Return the largest sqrt(B λ (1 - λ) / n) over the cells.

    See Multi-Dimensional RR, eq. 5.

    B is the upper (1 - confidence) / a quantile of chi-square with 1 degree of freedom, and a the number of cells.
    """
    return float(np.sqrt(_quantile(released.size, confidence) * released * (1 - released) / n).max())


def published_relative_error(released: Floats, n: int, *, confidence: float = 0.95) -> float:
    """Return the largest sqrt(B (1 - λ) / (λ n)) over the cells.

    It is infinite for an empty cell (Multi-Dimensional RR, eq. 6).
    """
    with np.errstate(divide="ignore"):
        return float(np.sqrt(_quantile(released.size, confidence) * (1 - released) / (released * n)).max())


def _quantile(cells: int, confidence: float) -> float:
    return float(scipy.special.chdtri(1, (1 - confidence) / cells))


def published_truncation(released: Floats, channel: SubsetChannel) -> Floats:
    """Invert, truncate at 0, and limit every share by its (w-1)-way marginals.

    Each limit is inverted from its own released table. A negative limit counts as 0, as eq. (25) requires for |S'| = |S| - 1
    (theory.md section 10). The result need not sum to 1.

    Parameters
    ----------
    released : ndarray of shape ``channel.sizes``
        Released shares.
    channel : SubsetChannel
        The channel of the same attributes, without a factor of 0.
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
    """Invert the Kronecker product of the randomization matrices.

    Parameters
    ----------
    table : ndarray of shape (a_1, ..., a_w)
        Released shares or counts.
    retentions : ndarray of shape (w,)
        The r_i.

    Raises
    ------
    InputError
        If there are more than ``MAX_MATRIX_CELLS`` cells.
    """
    return np.asarray(np.linalg.inv(_together(_matrices(table, retentions))) @ table.ravel()).reshape(table.shape)


def published_reduced_inversion(table: Floats, retentions: Floats) -> Floats:
    """Invert each randomization matrix and multiply with the Kronecker product of the inverses."""
    inverses = [np.asarray(np.linalg.inv(matrix), dtype=np.float64) for matrix in _matrices(table, retentions)]
    return np.asarray(_together(inverses) @ table.ravel()).reshape(table.shape)


def _matrices(table: Floats, retentions: Floats) -> list[Floats]:
    """Return the matrices that keep an answer with probability r and draw it uniformly otherwise."""
    if table.size > MAX_MATRIX_CELLS:
        raise InputError(f"A matrix can be inverted for at most {MAX_MATRIX_CELLS:,} cells, got {table.size:,}. Use 'castell'.")
    return [r * np.eye(a) + (1 - r) / a for a, r in zip(table.shape, retentions, strict=True)]


def _together(matrices: list[Floats]) -> Floats:
    return reduce(lambda whole, matrix: np.asarray(np.kron(whole, matrix), dtype=np.float64), matrices)
