"""The distribution over lie sets: one small array behind every symmetric randomized response (theory.md section 1).

A lie set is the set of attributes reported falsely. Arrays over lie sets have shape ``(2,) * w``: index 0 on an axis
means truth there, 1 means a lie. Arrays over interactions T (the factors mu_T) have the same shape: index 1 on an axis
means that the axis belongs to T.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.channel.base import Channel
from rrcore.channel.factors import (
    apply_factors,
    axis_mean,
    factors_of,
    invert_each_axis,
    invert_factors,
    kernel_from_factors,
    margins,
    on_each_axis,
    onto_axes,
    outer,
    top_interaction,
)
from rrcore.channel.levels import level_from_lie
from rrcore.limits import MIN_FACTOR


def log_lie_set_counts(sizes: Sequence[int]) -> Floats:
    """ln t_S = sum over i in S of ln(a_i - 1), shape ``(2,) * w``: how many outputs share the lie set S."""
    return outer([np.array([0.0, np.log(size - 1)]) for size in sizes], np.add)


@dataclass(frozen=True)
class LieSets(Channel):
    """A distribution over the lie sets of w attributes; also the channel it defines on tables over them.

    Parameters
    ----------
    sizes : tuple of w ints, numbers of categories a_i
    probabilities : ndarray of shape (2,) * w, float64, the q_S, non-negative, summing to 1
    retentions : ndarray of shape (w,) or None
        The r_i if q is a product over attributes (Kronecker), so that factors and inversion can work axis by axis.
    """

    sizes: tuple[int, ...]
    probabilities: Floats
    retentions: Floats | None = None

    @classmethod
    def product(cls, sizes: Sequence[int], lies: Floats) -> LieSets:
        """Independent lies with probabilities ``lies`` (shape (w,)): the Kronecker channel."""
        q = outer([np.array([1 - lie, lie]) for lie in lies])
        others = np.asarray(sizes, dtype=np.float64) - 1
        return cls(tuple(sizes), q, 1 - lies * (others + 1) / others)

    @classmethod
    def listed(cls, sizes: Sequence[int], uniform: float, lying: Booleans, probabilities: Floats) -> LieSets:
        """Uniform answers with probability ``uniform``, else lies about exactly the attributes of one row of ``lying``, shape (m, w)."""
        q = uniform * cls.product(sizes, 1 - 1 / np.asarray(sizes, dtype=np.float64)).probabilities
        np.add.at(q, tuple(lying.T.astype(np.intp)), probabilities)
        return cls(tuple(sizes), q / q.sum())

    @classmethod
    def together(cls, parts: Sequence[LieSets], axes: Sequence[Sequence[int]]) -> LieSets:
        """Independent lie sets as one; ``axes`` holds the attributes of each part, 0..w-1 in all, each once."""
        places = [axis for group in axes for axis in group]
        order = np.argsort(places)
        sizes = [size for part in parts for size in part.sizes]
        q = outer([part.probabilities for part in parts])
        kept = [part.retentions for part in parts if part.retentions is not None]
        retentions = np.concatenate(kept)[order] if len(kept) == len(parts) else None
        return cls(tuple(sizes[i] for i in order), np.asarray(q.transpose(order)), retentions)

    @property
    def independent(self) -> bool:
        return bool((np.abs(self.factors - _products(self._singles)) < 1e-12).all())

    @property
    def uniform_variance(self) -> float:
        pieces = np.exp(log_lie_set_counts(self.sizes))  # d_T, the dimension of piece T
        with np.errstate(divide="ignore"):
            return float((pieces * (self.factors**-2.0 - 1)).sum()) / float(np.prod(self.sizes, dtype=np.float64)) ** 2

    @property
    def alone(self) -> LieSets:
        return self if self.retentions is not None else LieSets.product(self.sizes, self.lies)

    @property
    def relative_factors(self) -> Floats:
        independent = np.abs(_products(self._singles))
        return np.divide(np.abs(self.factors), independent, out=np.ones(independent.shape), where=independent > 0)

    @cached_property
    def factors(self) -> Floats:
        """mu_T for every interaction T, shape ``(2,) * w``; 1 at the empty T."""
        if self.retentions is None:
            return factors_of(self.probabilities, self.sizes)
        return _products(self.retentions)

    @property
    def _singles(self) -> Floats:
        """mu_i of every attribute on its own, shape (w,)."""
        return np.array([self.factors[tuple(int(j == i) for j in range(self.w))] for i in range(self.w)])

    @cached_property
    def log_weights(self) -> Floats:
        """ln X_S, the log-probability of one particular output with lie set S, shape ``(2,) * w``."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.probabilities) - log_lie_set_counts(self.sizes))

    @cached_property
    def lies(self) -> Floats:
        """1 - p_i, the probability that attribute i is reported falsely, shape (w,)."""
        return np.array([falsely for _, falsely in margins(self.probabilities)])

    @cached_property
    def levels(self) -> Floats:
        """eps_i in nats, shape (w,), computed from the distribution itself."""
        return level_from_lie(self.lies, self.sizes)

    @cached_property
    def total_level(self) -> float:
        """Record-level budget eps_total = ln(max_S X_S / min_S X_S) in nats."""
        return float(self.log_weights.max() - self.log_weights.min())

    @cached_property
    def leakage(self) -> Floats:
        """L_i in nats, shape (w,): the most that attribute i's odds move for someone who knows all the others (section 5).

        The larger of ln X_S / X_{S+i} and its reverse, over all S without i: a mechanism in which lying at i is the
        likelier case given the others reveals as much.
        """
        steps = (np.diff(self.log_weights, axis=i) for i in range(self.w))
        return np.array([float(np.abs(step).max()) for step in steps])

    def marginal(self, axes: Sequence[int]) -> LieSets:
        """The distribution of lies among ``axes`` only, in that order: again a lie-set distribution (section 6)."""
        retentions = None if self.retentions is None else self.retentions[list(axes)]
        return LieSets(tuple(self.sizes[i] for i in axes), onto_axes(self.probabilities, axes), retentions)

    def push(self, table: Floats) -> Floats:
        if self.retentions is None:
            return apply_factors(table, self.factors)
        out = np.array(table, dtype=np.float64)
        for axis, r in enumerate(self.retentions):
            mean = axis_mean(out, axis)
            out *= r
            out += mean * (1 - r)
        return out

    def pull(self, table: Floats) -> Floats:
        return self.push(table)  # a lie is as likely from x to y as from y to x

    def invert(self, table: Floats) -> Floats:
        """As in ``Channel``: castell where attributes are randomised on their own, else the spectral form; they agree where both apply."""
        if self.retentions is not None:
            return invert_each_axis(table, self.retentions)
        return invert_factors(table, self.factors)

    def invert_back(self, weights: Floats) -> Floats:
        return self.invert(weights)

    @cached_property
    def _kappa(self) -> Floats:
        """Entries of the inverse by the set of axes on which its two cells differ, shape ``(2,) * w``."""
        return kernel_from_factors(1 / self.factors, self.sizes)

    def inverse_moment(self, released: Floats, power: int) -> Floats:
        weights = self._kappa**power * np.exp(log_lie_set_counts(self.sizes))
        return apply_factors(released, factors_of(weights, self.sizes))

    def own_moment(self, power: int) -> Floats:
        return np.full(self.sizes, float((self.probabilities * self._kappa**power).sum()))

    def top(self, released: Floats) -> Floats:
        return (
            top_interaction(released, self.w) / self._top_factor
        )  # each piece of the released table is that of the true one times mu_T

    @property
    def top_lost(self) -> bool:
        return abs(self._top_factor) < MIN_FACTOR

    @property
    def top_squares(self) -> Floats:
        return np.full(self.sizes, math.prod(1 - 1 / size for size in self.sizes) / self._top_factor**2)

    def top_alike(self, table: Floats) -> Floats:
        return on_each_axis(table, [np.eye(size) * (1 - 2 / size) + 1 / size**2 for size in self.sizes]) / self._top_factor**4

    def top_moment(self, released: Floats, along: Sequence[Floats]) -> Floats:
        return on_each_axis(released, [each**2 for each in along]) / self._top_factor**2

    @property
    def uniform_top(self) -> float:
        return math.prod(1 - 1 / size for size in self.sizes) * (self._top_factor**-2 - 1)

    @property
    def _top_factor(self) -> float:
        return float(self.factors[(1,) * self.w])

    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        sets = product((0, 1), repeat=self.w)
        return [tuple(i for i, member in enumerate(index) if member) for index in sets if abs(self.factors[index]) < threshold]


def _products(singles: Floats) -> Floats:
    """mu_T of independent lies: products of the factors of single attributes, shape ``(2,) * w``."""
    return outer([np.array([1.0, r]) for r in singles])


def lie_sets_of_counts(kinds: Integers, probabilities: Floats) -> Floats:
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
    >>> lie_sets_of_counts(np.array([0, 0]), np.array([0.0, 1.0, 0.0, 0.0]))  # one lie among three attributes, two of them asked about
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
