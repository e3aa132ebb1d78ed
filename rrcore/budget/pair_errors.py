"""Expected errors of pairs and gains over Kronecker under a mechanism.

See theory.md sections 7 and 13.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rrcore.arrays import Floats
from rrcore.estimate import expected_error
from rrcore.limits import MIN_FACTOR
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.closed_form import Kronecker


def respondents_factors(mechanism: Mechanism, reference: Kronecker, marginals: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Return by what factor ``reference`` needs more people for the same errors.

    There is one factor for each of ``marginals``.

    The factor is the ratio of the exact mean variances of the estimated shares. These variances come from the randomization, for
    uniform true shares (theory.md section 7). The factor is NaN if the mechanism does not identify the marginal, and infinite if
    only ``reference`` does not.
    """
    found = []
    for axes in map(tuple, marginals):
        own, other = mechanism.channel(axes), reference.channel(axes)
        error = math.nan if own.lost() else expected_error(own, 1)
        people = math.inf if other.lost() or error == 0 else (expected_error(other, 1) / error) ** 2
        found.append(math.nan if math.isnan(error) else people)
    return tuple(found)


def expected_pair_errors(mechanism: Mechanism, n: int, *, population: bool = False) -> Floats:
    """Return ``expected_error`` of every pair and every single attribute.

    The true shares are assumed to be uniform.

    Returns
    -------
    ndarray of shape (k, k), shares (0.01 = one point), with single attributes on the diagonal. NaN if a factor is below MIN_FACTOR,
    that is, if
    the pair is erased
    """
    sizes = np.asarray(mechanism.sizes, dtype=np.float64)
    kept, factors = (np.where(np.abs(mu) < MIN_FACTOR, np.nan, mu) for mu in (mechanism.retentions, mechanism.pair_factors))
    single = (sizes - 1) * (kept**-2 - 1)
    pair = np.multiply.outer(sizes - 1, sizes - 1) * (factors**-2 - 1)
    variance = (np.add.outer(single, single) + pair) / np.multiply.outer(sizes, sizes) ** 2
    np.fill_diagonal(variance, single / sizes**2)
    cells = np.multiply.outer(sizes, sizes)
    np.fill_diagonal(cells, sizes)
    return np.asarray(np.sqrt((np.maximum(variance, 0.0) + population * (1 - 1 / cells) / cells) / n))
