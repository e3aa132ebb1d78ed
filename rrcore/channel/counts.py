"""Lies given by counts: how many attributes of each kind lie, which ones being drawn uniformly (theory.md section 2)."""

from __future__ import annotations

import numpy as np

from rrcore.arrays import Floats, Integers


def lies_of_counts(kinds: Integers, probabilities: Floats) -> Floats:
    """How likely each lie set of some of the attributes is.

    Parameters
    ----------
    kinds : ndarray of shape (w,), the kind 0..T-1 of each attribute asked about
    probabilities : ndarray of shape (n_1 + 1, ..., n_T + 1), of each count vector; there are n_t attributes of kind t

    Returns
    -------
    ndarray of shape (2,) * w, summing to 1

    Examples
    --------
    >>> lies_of_counts(np.array([0, 0]), np.array([0.0, 1.0, 0.0, 0.0]))  # one lie among three attributes, two of them asked about
    array([[0.33333333, 0.33333333],
           [0.33333333, 0.        ]])
    """
    w, q = len(kinds), probabilities
    for t, length in enumerate(probabilities.shape):
        q = np.moveaxis(np.tensordot(_chosen(length - 1, int((kinds == t).sum())), q, axes=(1, t)), 0, t)
    lying = np.indices((2,) * w).reshape(w, 2**w)
    table = q[tuple(lying[kinds == t].sum(axis=0) for t in range(probabilities.ndim))].reshape((2,) * w)
    return np.asarray(table / table.sum())


def _chosen(number: int, w: int) -> Floats:
    """Probability that of w given attributes among ``number`` exactly the first j lie, when m do; row j, column m."""
    m = np.arange(number + 1, dtype=np.float64)
    rows = np.ones((w + 1, number + 1))
    for j in range(w + 1):
        for step in range(w):
            rows[j] *= (m - step if step < j else number - m - (step - j)) / (number - step)
    return np.maximum(rows, 0.0)
