"""Channels: the effect of randomization on joint tables of shares.

See theory.md section 1.

``SubsetChannel`` underlies every symmetric randomized response. It is a distribution over the set of attributes whose answers are
changed. Arrays over these sets have shape ``(2,) * w``, where index 1 on an axis means that the answer is changed. Arrays over
interactions T (the factors mu_T) have the same shape, where index 1 on an axis means that the attribute belongs to T.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers, outer
from rrcore.channel.epsilon import epsilon_from_lie
from rrcore.channel.interactions import (
    apply_factors,
    axis_mean,
    factors_of,
    invert_each_axis,
    kernel_from_factors,
    margins,
    on_each_axis,
    onto_axes,
)
from rrcore.limits import MIN_FACTOR

_MOST_SEARCHED = 10  # categories that are not estimable on their own, all subsets of which are tried


class Channel(ABC):
    """The effect of randomization on the joint distribution of w attributes.

    Tables of true shares have the shape ``sizes``, and tables of released shares have the shape ``report_sizes``. A product can
    pass a table to its parts with additional trailing axes.
    """

    sizes: tuple[int, ...]

    @property
    def report_sizes(self) -> tuple[int, ...]:
        """Numbers of different reports, one per attribute.

        They equal ``sizes`` unless an attribute has more or fewer reports than categories.
        """
        return self.sizes

    @property
    def w(self) -> int:
        """Number of attributes."""
        return len(self.sizes)

    @property
    @abstractmethod
    def independent(self) -> bool:
        """True if the attributes are randomized independently of each other."""

    @abstractmethod
    def push(self, table: Floats) -> Floats:
        """Return the expected released table, shape ``report_sizes``, of a true one."""

    @abstractmethod
    def pull(self, table: Floats) -> Floats:
        """Return the transpose of ``push`` applied to ``table``.

        For every true cell, it is the mean of ``table`` over the released cells.
        """

    @abstractmethod
    def invert(self, table: Floats) -> Floats:
        """Return the table, shape ``sizes``, whose expected release is ``table``.

        Inversion preserves sums but can yield negative cells (theory.md section 6).

        If there are more reports than categories, the result is an unbiased linear estimate.
        """

    @abstractmethod
    def invert_back(self, weights: Floats) -> Floats:
        """Return the transpose of ``invert`` applied to ``weights``.

        It is the contribution of one released record to the estimate of ``sum(weights * shares)``, by its cell.
        """

    @abstractmethod
    def marginal(self, axes: Sequence[int]) -> Channel:
        """Return the channel of the attributes ``axes``, in that order."""

    @abstractmethod
    def squared_inverse(self, released: Floats) -> Floats:
        """Return the sum over u of kappa(u, v)^2 lambda_u for every cell v.

        Here, kappa is the inverse channel (theory.md section 7).
        """

    @property
    @abstractmethod
    def own_squares(self) -> Floats:
        """Return the sum over u of kappa(u, v)^2 P(u | v) for every cell v.

        The result has shape ``sizes`` and equals ``squared_inverse`` if everybody's answer is v.
        """

    @property
    @abstractmethod
    def _tops(self) -> list[Floats]:
        """A matrix for each axis: together they take a released table to the interaction of all attributes in the true one."""

    @property
    @abstractmethod
    def top_lost(self) -> bool:
        """True if the interaction of all attributes is erased."""

    def top(self, released: Floats) -> Floats:
        """Return the interaction of all attributes in ``invert(released)``.

        The result has shape ``sizes``.
        """
        return on_each_axis(released, self._tops)

    def top_noise(self, released: Floats) -> tuple[float, float]:
        """Return the size of the noise of ``top`` for one record.

        See theory.md section 25.

        Parameters
        ----------
        released : ndarray of shape ``report_sizes``, released shares

        Returns
        -------
        energy : expected squared length of the top of inverted minus true shares, with respect to the respondents. Divide by n for
            n people
        directions : effective number of directions of the noise, (trace of its covariance)^2 / trace of its square
        """
        products = [top.T @ top for top in self._tops]
        trace = float((released * outer([np.diag(each) for each in products])).sum())
        alike = float((released * on_each_axis(released, [each**2 for each in products])).sum())
        return max(trace - self._room, 0.0), trace**2 / alike

    def top_moment(self, released: Floats, along: Sequence[Floats]) -> Floats:
        """Return the mean square of ``top`` of one record along directions.

        The mean is over records whose released shares are ``released``.

        Parameters
        ----------
        released : ndarray of shape ``report_sizes``. Additional trailing axes are preserved
        along : for every axis, an ndarray of shape (directions, size), whose rows have length 1 and sum to 0

        Returns
        -------
        ndarray with the number of directions on every axis. Each entry belongs to a product of one direction per axis
        """
        return on_each_axis(released, [(own @ top) ** 2 for own, top in zip(along, self._tops, strict=True)])

    @property
    def _room(self) -> float:
        """The squared length of the top of one true record."""
        return math.prod(1 - 1 / size for size in self.sizes)

    @property
    def uniform_variance(self) -> float:
        """Return the mean variance of shares due to one person's randomization.

        The true shares are assumed to be uniform (theory.md section 7).
        """
        share = 1 / math.prod(self.sizes)
        return float(self.squared_inverse(self.push(np.full(self.sizes, share))).mean()) - share

    @property
    def uniform_top(self) -> float:
        """Return the expected squared length of the noise of ``top`` for one person.

        It is due to randomization, and the true shares are assumed to be uniform.
        """
        expected = [self.marginal([i]).push(np.full(size, 1 / size)) for i, size in enumerate(self.sizes)]
        return math.prod(float((top**2).sum(axis=0) @ own) for top, own in zip(self._tops, expected, strict=True)) - self._room

    @property
    def alone(self) -> Channel:
        """The channel with the same marginal randomization but independence.

        Each attribute is randomized as before, but independently of the others.
        """
        return product_channel([self.marginal([i]) for i in range(self.w)], [[i] for i in range(self.w)])

    @property
    @abstractmethod
    def relative_factors(self) -> Floats:
        """Factors |mu_T| / product of the |mu_i| of T, shape ``(2,) * w``.

        They describe how much of an interaction survives compared with ``alone``.

        The factor is 1 for a single attribute and for any interaction that ``alone`` erases.
        """

    @abstractmethod
    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        """What ``lost`` returns, in any order."""

    def lost(self, *, threshold: float = MIN_FACTOR) -> tuple[tuple[int, ...], ...]:
        """Return the erased interactions T, |mu_T| < ``threshold``, as tuples of axes.

        Smaller sets come first.

        A matrix erases its attribute if its smallest singular value is below ``threshold``. This is always so if there are fewer
        reports than categories. Every interaction with that attribute is then also lost, but only the attribute is listed.
        ``estimable`` shows what can still be estimated.
        """
        return tuple(sorted(self._lost(threshold), key=lambda axes: (len(axes), axes)))

    def estimable(self, axis: int) -> tuple[tuple[int, ...], ...]:
        """Return the smallest sets of categories with an estimable total share.

        The categories belong to attribute ``axis``. If nothing is lost, each category is a separate set.
        """
        every = range(self.sizes[axis])
        return (tuple(every),) if (axis,) in self.lost() else tuple((x,) for x in every)


@dataclass(frozen=True)
class SubsetChannel(Channel):
    """A distribution over the sets of changes of w attributes.

    It also defines the channel on tables over these attributes.

    Parameters
    ----------
    sizes : tuple of w ints, numbers of categories a_i
    probabilities : ndarray of shape (2,) * w, float64, the q_S, non-negative, summing to 1
    retentions : ndarray of shape (w,) or None
        The r_i if q is a product over attributes (Kronecker). Factors and inversion then work axis by axis.
    """

    sizes: tuple[int, ...]
    probabilities: Floats
    retentions: Floats | None = None

    @classmethod
    def product(cls, sizes: Sequence[int], lies: Floats) -> SubsetChannel:
        """Return Kronecker: independent changes with probabilities ``lies``, shape (w,)."""
        q = outer([np.array([1 - lie, lie]) for lie in lies])
        others = np.asarray(sizes, dtype=np.float64) - 1
        return cls(tuple(sizes), q, 1 - lies * (others + 1) / others)

    @classmethod
    def listed(cls, sizes: Sequence[int], uniform: float, lying: Booleans, probabilities: Floats) -> SubsetChannel:
        """Return a channel that draws uniform answers or one of the listed sets.

        Answers are uniform with probability ``uniform``. Otherwise, exactly the attributes of one row of ``lying``, shape (m, w),
        are changed.
        """
        q = uniform * cls.product(sizes, 1 - 1 / np.asarray(sizes, dtype=np.float64)).probabilities
        np.add.at(q, tuple(lying.T.astype(np.intp)), probabilities)
        return cls(tuple(sizes), q / q.sum())

    @classmethod
    def together(cls, parts: Sequence[SubsetChannel], axes: Sequence[Sequence[int]]) -> SubsetChannel:
        """Return independent sets of changes as one distribution.

        ``axes`` holds the attributes of each part, which together are 0..w-1, each once.
        """
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
        pieces = np.exp(log_subset_counts(self.sizes))  # d_T, the dimension of piece T
        with np.errstate(divide="ignore"):
            return float((pieces * (self.factors**-2.0 - 1)).sum()) / float(np.prod(self.sizes, dtype=np.float64)) ** 2

    @property
    def relative_factors(self) -> Floats:
        independent = np.abs(_products(self._singles))
        return np.divide(np.abs(self.factors), independent, out=np.ones(independent.shape), where=independent > 0)

    @cached_property
    def factors(self) -> Floats:
        """Factors mu_T of all interactions T, shape ``(2,) * w``, 1 for the empty T."""
        if self.retentions is None:
            return factors_of(self.probabilities, self.sizes)
        return _products(self.retentions)

    @property
    def _singles(self) -> Floats:
        """mu_i of every attribute on its own, shape (w,)."""
        return np.array([self.factors[tuple(int(j == i) for j in range(self.w))] for i in range(self.w)])

    @cached_property
    def log_weights(self) -> Floats:
        """Log-probability ln X_S of one output with set of changes S.

        The array has shape ``(2,) * w``.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.probabilities) - log_subset_counts(self.sizes))

    @cached_property
    def lies(self) -> Floats:
        """Probability 1 - p_i that the answer to attribute i is changed, shape (w,)."""
        return np.array([falsely for _, falsely in margins(self.probabilities)])

    @cached_property
    def epsilon(self) -> Floats:
        """Epsilons eps_i in nats, shape (w,), computed from the distribution."""
        return epsilon_from_lie(self.lies, self.sizes)

    @cached_property
    def epsilon_total(self) -> float:
        """Epsilon of the record, ln(max_S X_S / min_S X_S), in nats."""
        return float(self.log_weights.max() - self.log_weights.min())

    @cached_property
    def epsilon_informed(self) -> Floats:
        """Largest change L_i of the log-odds of attribute i, in nats, shape (w,).

        It applies to someone who knows all other answers (section 5).

        L_i is the larger of ln X_S / X_{S+i} and its negative, over all S without i. If a change of i is the more likely case given
        the others, the mechanism reveals as much.
        """
        steps = (np.diff(self.log_weights, axis=i) for i in range(self.w))
        return np.array([float(np.abs(step).max()) for step in steps])

    def marginal(self, axes: Sequence[int]) -> SubsetChannel:
        """Return the distribution of changes among ``axes``, in that order.

        It is again a distribution over sets of changes (section 6).
        """
        retentions = None if self.retentions is None else self.retentions[list(axes)]
        return SubsetChannel(tuple(self.sizes[i] for i in axes), onto_axes(self.probabilities, axes), retentions)

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
        """Invert as in ``Channel``.

        The method is castell if attributes are randomized independently, otherwise the spectral form. Both agree if both apply.
        """
        if self.retentions is not None:
            return invert_each_axis(table, self.retentions)
        return apply_factors(table, 1 / self.factors)

    def invert_back(self, weights: Floats) -> Floats:
        return self.invert(weights)

    @cached_property
    def _kappa(self) -> Floats:
        """Entries of the inverse by the set of axes on which its two cells differ, shape ``(2,) * w``."""
        return kernel_from_factors(1 / self.factors, self.sizes)

    def squared_inverse(self, released: Floats) -> Floats:
        weights = self._kappa**2 * np.exp(log_subset_counts(self.sizes))
        return apply_factors(released, factors_of(weights, self.sizes))

    @property
    def own_squares(self) -> Floats:
        return np.full(self.sizes, float((self.probabilities * self._kappa**2).sum()))

    @property
    def _tops(self) -> list[Floats]:
        first, *others = [np.eye(size) - 1 / size for size in self.sizes]
        return [first / float(self.factors[(1,) * self.w]), *others]

    @property
    def top_lost(self) -> bool:
        return abs(float(self.factors[(1,) * self.w])) < MIN_FACTOR

    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        sets = product((0, 1), repeat=self.w)
        return [tuple(i for i, member in enumerate(index) if member) for index in sets if abs(self.factors[index]) < threshold]


def _products(singles: Floats) -> Floats:
    """mu_T of independent lies: products of the factors of single attributes, shape ``(2,) * w``."""
    return outer([np.array([1.0, r]) for r in singles])


def subsets_of_counts(kinds: Integers, probabilities: Floats) -> Floats:
    """Return the probability of each set of changes of some attributes.

    Parameters
    ----------
    kinds : ndarray of shape (w,), the kind of each of these attributes, from 0 to T-1
    probabilities : ndarray of shape (n_1 + 1, ..., n_T + 1), the probability of each count vector, where kind t has n_t attributes

    Returns
    -------
    ndarray of shape (2,) * w, summing to 1

    Examples
    --------
    >>> subsets_of_counts(np.array([0, 0]), np.array([0.0, 1.0, 0.0, 0.0]))  # one lie among three attributes, two of them asked about
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


def log_subset_counts(sizes: Sequence[int]) -> Floats:
    """Return ln t_S, the sum over i in S of ln(a_i - 1), shape ``(2,) * w``.

    t_S is the number of outputs with the set of changes S.
    """
    return outer([np.array([0.0, np.log(size - 1)]) for size in sizes], np.add)


@dataclass(frozen=True, eq=False)
class MatrixChannel(Channel):
    """A channel given by any stochastic matrix for one attribute.

    The attribute has a categories and b possible reports.

    With as many reports as categories, there is exactly one unbiased linear estimate. With more reports, there are many. The
    channel then uses generalized least squares, weighted by the expected reports for equally frequent categories. This estimate is
    always unbiased and has the smallest variance for equal shares (Aitken 1936; theory.md section 20). With fewer reports, or if
    the rows do not distinguish the categories, some shares cannot be estimated. ``lost`` and ``estimable`` show which.

    Parameters
    ----------
    matrix : ndarray of shape (a, b), float64. Row x and column y hold the probability that the true answer x is reported as y. Rows
        sum to 1

    Examples
    --------
    >>> forced = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 3, 2 / 3]]))
    >>> forced.invert(forced.push(np.array([0.7, 0.3]))).round(12)
    array([0.7, 0.3])

    Two cards are drawn from one of two decks, and the number of red cards is reported (Kuk 1990). The second device identifies only
    one answer:

    >>> cards = MatrixChannel(np.array([[0.64, 0.32, 0.04], [0.09, 0.42, 0.49]]))
    >>> cards.sizes, cards.report_sizes, cards.invert(cards.push(np.array([0.7, 0.3]))).round(12)
    ((2,), (3,), array([0.7, 0.3]))
    >>> MatrixChannel(np.array([[0.8, 0.2], [0.8, 0.2], [0.1, 0.9]])).estimable(0)
    ((0, 1), (2,))
    """

    matrix: Floats

    @property
    def sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The number of categories, as a tuple with one entry."""
        return (len(self.matrix),)

    @property
    def report_sizes(self) -> tuple[int, ...]:
        return (self.matrix.shape[1],)

    @property
    def independent(self) -> bool:
        return True

    @property
    def relative_factors(self) -> Floats:
        return np.ones(2)

    @cached_property
    def _scaled(self) -> Floats:
        """The matrix over the root of a times what is expected in each column for equal shares, shape (a, b), 0 where nothing is.

        Its singular values are the correlations of truth and report over their canonical variables, the largest being 1.
        """
        root = np.sqrt(self.matrix.sum(axis=0))
        return np.divide(self.matrix, root, out=np.zeros_like(self.matrix), where=root > 0)

    @cached_property
    def inverse(self) -> Floats:
        """Matrix whose entry (v, u) is the weight of report u in the share of v.

        Columns sum to 1.

        If some shares are lost, the estimates of the others are still unbiased.
        """
        root = np.sqrt(self.matrix.sum(axis=0))
        weights = np.full(self.matrix.shape, 1 / len(self.matrix))  # of a report that is never given
        return np.divide(np.linalg.pinv(self._scaled.T, rcond=MIN_FACTOR), root, out=weights, where=root > 0)

    @cached_property
    def weakest(self) -> float:
        """The factor by which the worst contrast between categories survives, 0 to 1.

        For k-ary randomized response, it is the r of theory.md section 3.

        It is the smallest canonical correlation between truth and report for equally frequent categories. With fewer reports than
        categories, it is 0.
        """
        a, b = self.matrix.shape
        return 0.0 if b < a else float(np.linalg.svd(self._scaled, compute_uv=False).min())

    def _applied(self, matrix: Floats, table: Floats, sizes: tuple[int, ...]) -> Floats:
        """``matrix`` times the cells of ``table``, as a table of these ``sizes``."""
        extra = table.shape[self.w :]
        return np.dot(matrix, table.reshape(matrix.shape[1], math.prod(extra))).reshape(*sizes, *extra)

    def push(self, table: Floats) -> Floats:
        return self._applied(self.matrix.T, table, self.report_sizes)

    def pull(self, table: Floats) -> Floats:
        return self._applied(self.matrix, table, self.sizes)

    def invert(self, table: Floats) -> Floats:
        return self._applied(self.inverse, table, self.sizes)

    def invert_back(self, weights: Floats) -> Floats:
        return self._applied(self.inverse.T, weights, self.report_sizes)

    def marginal(self, axes: Sequence[int]) -> Channel:
        return self  # of one attribute there is no other

    def squared_inverse(self, released: Floats) -> Floats:
        return self._applied(self.inverse**2, released, self.sizes)

    @property
    def own_squares(self) -> Floats:
        return np.asarray((self.matrix * self.inverse**2).sum(axis=1)).reshape(self.sizes)

    @property
    def _tops(self) -> list[Floats]:
        return [self.inverse - self.inverse.mean(axis=0)]

    @property
    def top_lost(self) -> bool:
        return bool(self.lost())

    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        return [(0,)] if self.weakest < threshold else []

    def estimable(self, axis: int) -> tuple[tuple[int, ...], ...]:
        return smallest_sets(self._scaled)


def smallest_sets(matrix: Floats) -> tuple[tuple[int, ...], ...]:
    """Return the smallest sets of categories with an estimable total share.

    The estimate must be unbiased. Categories that can be estimated individually form their own sets.

    A sum of shares can be estimated if and only if all shares with the same reports have the same sum. Its indicator is then
    orthogonal to the null space of the transposed matrix (estimable functions; Rao 1973, section 4a). The set of all categories
    always has this property.

    Parameters
    ----------
    matrix : ndarray of shape (a, b). Row x describes how category x is reported. Columns may be scaled

    Returns
    -------
    tuple of increasing tuples of categories, sorted by their first category. Each category is in at least one tuple

    Examples
    --------
    >>> smallest_sets(np.array([[0.8, 0.2], [0.8, 0.2], [0.1, 0.9]]))
    ((0, 1), (2,))
    >>> smallest_sets(np.array([[0.8, 0.2], [0.4, 0.6], [0.1, 0.9]]))
    ((0, 1, 2),)
    """
    left, values, _ = np.linalg.svd(matrix)
    rank = int((values >= MIN_FACTOR).sum())
    blind = left[:, rank:]  # column: a change of shares that no report shows
    moved = np.flatnonzero(np.abs(blind).max(axis=1, initial=0.0) > MIN_FACTOR)
    found: list[tuple[int, ...]] = [(x,) for x in range(len(matrix)) if x not in moved]
    if len(moved) <= _MOST_SEARCHED:
        candidates = [chosen for size in range(2, len(moved) + 1) for chosen in combinations(moved.tolist(), size)]
    else:
        alike = {tuple(np.flatnonzero(np.abs(matrix - matrix[x]).max(axis=1) < MIN_FACTOR).tolist()) for x in moved.tolist()}
        candidates = [*alike, tuple(moved.tolist())]
    for chosen in candidates:
        if np.abs(blind[list(chosen)].sum(axis=0)).max() < MIN_FACTOR and not any(set(known) < set(chosen) for known in found):
            found.append(chosen)
    return tuple(sorted(found))


@dataclass(frozen=True, eq=False)
class ProductChannel(Channel):
    """Independent channels over disjoint attributes of one marginal.

    Parameters
    ----------
    sizes : tuple of w ints
    parts : the channels
    axes : for every part, the axes of the marginal that it covers, in the order of the part
    """

    sizes: tuple[int, ...]
    parts: tuple[Channel, ...]
    axes: tuple[tuple[int, ...], ...]

    @property
    def report_sizes(self) -> tuple[int, ...]:
        return _in_order([part.report_sizes for part in self.parts], self.axes)

    @property
    def independent(self) -> bool:
        return all(part.independent for part in self.parts)

    @property
    def relative_factors(self) -> Floats:
        return self._together([part.relative_factors for part in self.parts])

    def _together(self, tables: Sequence[Floats]) -> Floats:
        """The product of a table of every part, the axes in the order of the marginal."""
        return outer(tables).transpose(np.argsort([axis for axes in self.axes for axis in axes]))

    def _each(self, table: Floats, operation: Callable[[Channel, Floats], Floats]) -> Floats:
        """``table`` after ``operation(part, table)`` for every part, the axes of the part standing first."""
        for part, axes in zip(self.parts, self.axes, strict=True):
            front = tuple(range(len(axes)))
            table = np.moveaxis(operation(part, np.moveaxis(table, axes, front)), front, axes)
        return np.ascontiguousarray(table)

    def push(self, table: Floats) -> Floats:
        return self._each(table, lambda part, inner: part.push(inner))

    def pull(self, table: Floats) -> Floats:
        return self._each(table, lambda part, inner: part.pull(inner))

    def invert(self, table: Floats) -> Floats:
        return self._each(table, lambda part, inner: part.invert(inner))

    def invert_back(self, weights: Floats) -> Floats:
        return self._each(weights, lambda part, inner: part.invert_back(inner))

    def marginal(self, axes: Sequence[int]) -> Channel:
        kept = [[axis for axis in axes if axis in own] for own in self.axes]
        parts = [
            part.marginal([own.index(a) for a in mine])
            for part, own, mine in zip(self.parts, self.axes, kept, strict=True)
            if mine
        ]
        return product_channel(parts, [[list(axes).index(axis) for axis in mine] for mine in kept if mine])

    @property
    def _tops(self) -> list[Floats]:
        return list(_in_order([part._tops for part in self.parts], self.axes))

    @property
    def top_lost(self) -> bool:
        return any(part.top_lost for part in self.parts)

    def squared_inverse(self, released: Floats) -> Floats:
        return self._each(released, lambda part, inner: part.squared_inverse(inner))

    @property
    def own_squares(self) -> Floats:
        return self._together([part.own_squares for part in self.parts])

    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        parts = zip(self.parts, self.axes, strict=True)
        return [tuple(axes[i] for i in inner) for part, axes in parts for inner in part.lost(threshold=threshold)]

    def estimable(self, axis: int) -> tuple[tuple[int, ...], ...]:
        return next(part.estimable(axes.index(axis)) for part, axes in zip(self.parts, self.axes, strict=True) if axis in axes)


def product_channel(parts: Sequence[Channel], axes: Sequence[Sequence[int]]) -> Channel:
    """Return independent channels as one channel.

    The result is a distribution over sets of changes if all parts are. Everything known about such distributions then applies.

    Parameters
    ----------
    parts, axes : as in ``ProductChannel``. The axes are 0..w-1, each in exactly one part
    """
    symmetric = [part for part in parts if isinstance(part, SubsetChannel)]
    if len(symmetric) == len(parts):
        return SubsetChannel.together(symmetric, axes)
    if len(parts) == 1:
        return parts[0]
    return ProductChannel(_in_order([part.sizes for part in parts], axes), tuple(parts), tuple(map(tuple, axes)))


def _in_order(groups: Sequence[Sequence[Any]], axes: Sequence[Sequence[int]]) -> tuple[Any, ...]:
    """What there is for each axis of every part, by axis."""
    found = {axis: each for own, group in zip(groups, axes, strict=True) for axis, each in zip(group, own, strict=True)}
    return tuple(found[axis] for axis in range(len(found)))
