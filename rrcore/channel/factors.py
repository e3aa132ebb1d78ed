"""Splitting a table into its interactions, and multiplying each by a factor of its own (theory.md sections 5 to 7)."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import numpy as np

from rrcore.arrays import Floats

_AT_ONCE = 1 << 14  # numbers up to which all pieces of a table are held at once


def outer(vectors: Iterable[Floats], operation: np.ufunc = np.multiply) -> Floats:
    """The product (or another ``operation``) of one entry of each of ``vectors``, for every choice: one axis for each of their axes."""
    return np.asarray(reduce(operation.outer, vectors, np.full((), operation.identity, dtype=np.float64)))


def onto_axes(table: Floats, axes: Sequence[int]) -> Floats:
    """``table`` summed over all axes but ``axes``, which stand in that order."""
    kept, others = sorted(axes), tuple(i for i in range(table.ndim) if i not in axes)
    return np.asarray(table.sum(axis=others).transpose([kept.index(i) for i in axes]))


def margins(table: Floats) -> Iterator[Floats]:
    """The sums of ``table`` onto every axis by itself, added up in pairs: a sum over many axes loses digits that a low level needs."""
    for length in table.shape:
        yield table.reshape(length, -1).sum(axis=1)
        table = table.sum(axis=0)


def on_each_axis(array: Floats, matrices: Sequence[Floats]) -> Floats:
    """``array`` with ``matrices[i]`` applied along axis i, for every axis."""
    n = array.ndim
    for i, matrix in enumerate(matrices):  # as np.tensordot does it, which takes most of its time to find out how
        moved = array.transpose(i, *range(i), *range(i + 1, n))
        size, *others = moved.shape
        applied = np.dot(matrix, moved.reshape(size, math.prod(others))).reshape(len(matrix), *others)
        array = applied.transpose(*range(1, i + 1), 0, *range(i + 1, n))
    return np.ascontiguousarray(array)


def factors_of(probabilities: Floats, sizes: Sequence[int]) -> Floats:
    """mu_T = E_q[prod over i in T of v_i], v_i = 1 if truth, -1/(a_i - 1) if lie (section 5). Shape ``(2,) * w``."""
    return on_each_axis(probabilities, [np.array([[1.0, 1.0], [1.0, -1.0 / (a - 1)]]) for a in sizes])


def kernel_from_factors(factors: Floats, sizes: Sequence[int]) -> Floats:
    """The entry g_S between two cells whose differing axes are S, of the operator that multiplies piece T by mu_T.

    With the mu_T of a channel this is X_S; with 1/mu_T it is kappa_S of section 7. Shape ``(2,) * w``.
    """
    return on_each_axis(factors, [np.array([[1.0, a - 1.0], [1.0, -1.0]]) / a for a in sizes])


def apply_factors(table: Floats, factors: Floats) -> Floats:
    """Split every axis of ``table`` into mean and residual, multiply piece T by ``factors[T]``, and add up (section 6).

    Cost O(2^w prod a); no matrix over cells is built.

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
    """``_apply_from`` with all pieces beside one another, mean before residuals: the same sums by as many calls as axes, not as pieces."""
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
    """That along ``axis``, which is kept: ``table.mean`` takes most of its time to find out how."""
    return np.asarray(np.add.reduce(table, axis=axis, keepdims=True) / table.shape[axis])


def invert_each_axis(table: Floats, retentions: Floats) -> Floats:
    """Invert a Kronecker channel one axis at a time: (lambda - mean) / r_i + mean (Castell, section III).

    Parameters
    ----------
    table : ndarray of shape (a_1, ..., a_w), released shares or counts
    retentions : ndarray of shape (w,), the r_i
    """
    out = np.array(table, dtype=np.float64)
    for axis, r in enumerate(retentions):
        mean = axis_mean(out, axis)
        out /= r
        out += mean * (1 - 1 / r)
    return out


def invert_factors(table: Floats, factors: Floats) -> Floats:
    """Invert any lie-set channel: divide the piece of every interaction T by mu_T.

    Parameters
    ----------
    table : ndarray of shape (a_1, ..., a_w)
    factors : ndarray of shape (2,) * w, the mu_T, none of them 0
    """
    return apply_factors(table, 1 / factors)


def top_interaction(table: Floats, w: int) -> Floats:
    """The interaction of the first ``w`` axes of ``table``: what is left once the mean along each is taken out (theory.md section 6)."""
    for axis in range(w):
        table = table - axis_mean(table, axis)
    return table
