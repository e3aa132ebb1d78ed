"""Interactions of a table, sums over its axes, and factors that multiply interactions.

See theory.md sections 5 to 7.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rrcore.arrays import Floats

_AT_ONCE = 1 << 14  # numbers up to which all pieces of a table are held at once
_FEW = 8  # categories


def onto_axes(table: Floats, axes: Sequence[int]) -> Floats:
    """Return ``table`` summed over all axes except ``axes``, in the order of these."""
    kept, others = sorted(axes), tuple(i for i in range(table.ndim) if i not in axes)
    return np.asarray(table.sum(axis=others).transpose([kept.index(i) for i in axes]))


def margins(table: Floats) -> Iterator[Floats]:
    """Return the one-dimensional margins of ``table``.

    Sums are added in pairs, because summing over many axes at once loses digits that a small epsilon needs.
    """
    for length in table.shape:
        yield table.reshape(length, -1).sum(axis=1)
        table = table.sum(axis=0)


def on_each_axis(array: Floats, matrices: Sequence[Floats]) -> Floats:
    """Return ``array`` with ``matrices[i]`` applied along axis i, for every axis."""
    n = array.ndim
    for i, matrix in enumerate(matrices):  # as np.tensordot does it, which takes most of its time to find out how
        moved = array.transpose(i, *range(i), *range(i + 1, n))
        size, *others = moved.shape
        applied = np.dot(matrix, moved.reshape(size, math.prod(others))).reshape(len(matrix), *others)
        array = applied.transpose(*range(1, i + 1), 0, *range(i + 1, n))
    return np.ascontiguousarray(array)


def factors_of(probabilities: Floats, sizes: Sequence[int]) -> Floats:
    """Return mu_T = E_q[prod over i in T of v_i], shape ``(2,) * w``.

    v_i is 1 for the true answer and -1/(a_i - 1) for a changed one (section 5).
    """
    return on_each_axis(probabilities, [np.array([[1.0, 1.0], [1.0, -1.0 / (a - 1)]]) for a in sizes])


def kernel_from_factors(factors: Floats, sizes: Sequence[int]) -> Floats:
    """Return the kernel entries g_S of the operator that scales pieces by mu_T.

    g_S is the entry between two cells that differ on the axes S.

    For the mu_T of a channel, this is X_S. For 1/mu_T, it is kappa_S of section 7. The result has shape ``(2,) * w``.
    """
    return on_each_axis(factors, [np.array([[1.0, a - 1.0], [1.0, -1.0]]) / a for a in sizes])


def apply_factors(table: Floats, factors: Floats) -> Floats:
    """Multiply every interaction T of ``table`` by ``factors[T]``.

    Every axis is split into mean and residual, and the scaled pieces are added (section 6).

    The cost is O(2^w prod a). No matrix over cells is built.

    Parameters
    ----------
    table : ndarray of shape (a_1, ..., a_w)
    factors : ndarray of shape (2,) * w
    """
    whole = np.asarray(table, dtype=np.float64)
    return np.array(np.broadcast_to(_apply_from(whole, factors, 0), whole.shape))


def _apply_from(table: Floats, factors: Floats, axis: int) -> Floats:
    """``apply_factors`` from ``axis`` on; an axis replaced by its mean keeps length 1, so that no piece is stored twice."""
    if factors.ndim == 0:
        return np.asarray(table * factors)
    if factors.ndim > 2 and table.size << factors.ndim < _AT_ONCE:
        return _apply_at_once(table, factors, axis)
    mean = axis_mean(table, axis)
    return _apply_from(mean, factors[0], axis + 1) + _apply_from(table - mean, factors[1], axis + 1)


def _apply_at_once(table: Floats, factors: Floats, axis: int) -> Floats:
    """``_apply_from`` with all pieces next to each other, mean before residuals: the same sums by as many calls as axes, not as pieces."""
    axes = range(axis, axis + factors.ndim)
    for i in axes:
        mean = axis_mean(table, i)
        factors = factors.repeat((1, table.shape[i]), axis=i - axis)
        table = np.concatenate((mean, table - mean), axis=i)
    table *= factors.reshape(factors.shape + (1,) * (table.ndim - axes.stop))
    for i in reversed(axes):
        before = (slice(None),) * i
        table = table[(*before, slice(0, 1))] + table[(*before, slice(1, None))]
    return table


def axis_mean(table: Floats, axis: int) -> Floats:
    """Return the mean along ``axis``, which is kept.

    On small tables, this is faster than ``table.mean``.
    """
    size, before = table.shape[axis], (slice(None),) * axis
    if size < _FEW and table.size > _AT_ONCE:  # where numpy would loop over a few numbers at a time
        return np.asarray(sum(table[(*before, slice(i, i + 1))] for i in range(size)) / size)
    return np.asarray(np.add.reduce(table, axis=axis, keepdims=True) / size)


def invert_each_axis(table: Floats, retentions: Floats) -> Floats:
    """Invert a Kronecker channel one axis at a time.

    Each step computes (lambda - (1 - r_i) mean) / r_i (Castell, section III).

    Parameters
    ----------
    table : ndarray of shape (a_1, ..., a_w), released shares or counts
    retentions : ndarray of shape (w,), the r_i
    """
    out = table / np.prod(retentions)  # all divisions at once: a pass over a large table takes most of the time
    for axis, r in enumerate(retentions):
        out -= axis_mean(out, axis) * (1 - r)
    return np.asarray(out)


def top_interaction(table: Floats, w: int) -> Floats:
    """Return the interaction of the first ``w`` axes of ``table``.

    It remains after the mean along each of these axes is subtracted (theory.md section 6).
    """
    for axis in range(w):
        table = table - axis_mean(table, axis)
    return table
