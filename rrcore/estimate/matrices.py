"""Inversion by the big matrix, as the Castell paper (Table II) starts from: correct, slow, and only for small tables."""

from __future__ import annotations

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_MATRIX_CELLS


def naive(table: Floats, retentions: Floats) -> Floats:
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
    _check(table)
    return np.asarray(np.linalg.inv(_together(_matrices(table.shape, retentions))) @ table.ravel()).reshape(table.shape)


def reduced(table: Floats, retentions: Floats) -> Floats:
    """Invert each randomization matrix and multiply with the Kronecker product of the inverses; parameters as in ``naive``."""
    _check(table)
    inverses = [np.asarray(np.linalg.inv(matrix), dtype=np.float64) for matrix in _matrices(table.shape, retentions)]
    return np.asarray(_together(inverses) @ table.ravel()).reshape(table.shape)


def _matrices(sizes: tuple[int, ...], retentions: Floats) -> list[Floats]:
    """Keep with probability r, else a uniform answer, for every attribute."""
    return [r * np.eye(a) + (1 - r) / a for a, r in zip(sizes, retentions, strict=True)]


def _together(matrices: list[Floats]) -> Floats:
    whole: Floats = np.ones((1, 1))
    for matrix in matrices:
        whole = np.asarray(np.kron(whole, matrix), dtype=np.float64)
    return whole


def _check(table: Floats) -> None:
    if table.size > MAX_MATRIX_CELLS:
        raise InputError(
            f"Inversion by matrices would need {table.size:,} x {table.size:,} numbers: it takes tables of at most "
            f"{MAX_MATRIX_CELLS:,} cells, castell gives the same result for any."
        )
