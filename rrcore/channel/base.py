"""What every channel offers: peers share one signature, so that an estimator never asks which kind it has."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel.factors import on_each_axis, top_interaction
from rrcore.limits import MIN_FACTOR


class Channel(ABC):
    """What randomising the answers does to the table of shares over w attributes.

    Tables of true shares have the shape ``sizes``, of released ones ``report_sizes``; a product may pass one on to its parts with further
    axes behind their own.
    """

    sizes: tuple[int, ...]

    @property
    def report_sizes(self) -> tuple[int, ...]:
        """Numbers of different reports, one per attribute: ``sizes`` unless an attribute has more or fewer reports than categories."""
        return self.sizes

    @property
    def w(self) -> int:
        """Number of attributes."""
        return len(self.sizes)

    @property
    @abstractmethod
    def independent(self) -> bool:
        """Whether the attributes are randomised independently of each other."""

    @abstractmethod
    def push(self, table: Floats) -> Floats:
        """The expected released table, shape ``report_sizes``, of a true one."""

    @abstractmethod
    def pull(self, table: Floats) -> Floats:
        """For every true cell the mean of ``table`` over what it is released as: the transpose of ``push``."""

    @abstractmethod
    def invert(self, table: Floats) -> Floats:
        """The table, shape ``sizes``, whose expected release is ``table``; sums are kept, negative cells are possible (theory.md section 6).

        With more reports than categories: an unbiased linear estimate of it.
        """

    @abstractmethod
    def invert_back(self, weights: Floats) -> Floats:
        """What one released record adds to the estimate of ``sum(weights * shares)``, by its cell: the transpose of ``invert``."""

    @abstractmethod
    def marginal(self, axes: Sequence[int]) -> Channel:
        """The channel on the attributes ``axes`` only, in that order."""

    @abstractmethod
    def inverse_moment(self, released: Floats, power: int) -> Floats:
        """sum over u of kappa(u, v)^power lambda_u for every cell v, kappa being the inverse channel (theory.md sections 7 and 15)."""

    @abstractmethod
    def own_moment(self, power: int) -> Floats:
        """sum over u of kappa(u, v)^power P(u | v) for every cell v, shape ``sizes``: ``inverse_moment`` where everybody's answer is v."""

    def squared_inverse(self, released: Floats) -> Floats:
        """sum over u of kappa(u, v)^2 lambda_u for every cell v (theory.md section 7)."""
        return self.inverse_moment(released, 2)

    def top(self, released: Floats) -> Floats:
        """The interaction of all attributes in ``invert(released)``, shape ``sizes``."""
        return top_interaction(self.invert(released), self.w)

    @property
    def top_lost(self) -> bool:
        """Whether that interaction is erased."""
        return bool(self.lost())

    @property
    def top_squares(self) -> Floats:
        """The squared length of ``top`` of one record, by what it is released as: ndarray of shape ``report_sizes``."""
        return np.diag(self._top_products).reshape(self.report_sizes)

    def top_alike(self, table: Floats) -> Floats:
        """For every report the sum of ``table``, shape ``report_sizes``, over all reports, times the squared products of their ``top``."""
        extra = table.shape[self.w :]
        return np.tensordot(self._top_products**2, table.reshape(-1, *extra), axes=1).reshape(table.shape)

    @cached_property
    def _top_products(self) -> Floats:
        """The products of the ``top`` of any two reports, shape (reports, reports)."""
        reports = math.prod(self.report_sizes)
        tops = self.top(np.eye(reports).reshape(*self.report_sizes, reports)).reshape(-1, reports)
        return np.asarray(tops.T @ tops)

    def top_noise(self, released: Floats) -> tuple[float, float]:
        """How the noise of ``top`` is, for one record (theory.md section 25).

        Parameters
        ----------
        released : ndarray of shape ``report_sizes``, released shares

        Returns
        -------
        energy : the expected squared length of the top of inverted less true shares, about these people; over n for n people
        directions : in how many directions it moves: (trace of its covariance)^2 / trace of the square
        """
        trace = float((released * self.top_squares).sum())
        energy = max(trace - math.prod(1 - 1 / size for size in self.sizes), 0.0)
        return energy, trace**2 / float((released * self.top_alike(released)).sum())

    def top_moment(self, released: Floats, along: Sequence[Floats]) -> Floats:
        """The mean square of ``top`` of one record along directions, over records that are released as ``released``.

        Parameters
        ----------
        released : ndarray of shape ``report_sizes``; further axes behind those stay
        along : ndarray of shape (directions, size) for every axis, rows of length 1 that sum to 0

        Returns
        -------
        ndarray with an axis of as many directions for every axis: along every product of one of each
        """
        reports, extra = math.prod(self.report_sizes), released.shape[len(self.report_sizes) :]
        tops = self.top(np.eye(reports).reshape(*self.report_sizes, reports))
        found = (on_each_axis(tops, along) ** 2).reshape(-1, reports) @ released.reshape(reports, -1)
        return np.asarray(found.reshape(*map(len, along), *extra))

    @property
    @abstractmethod
    def uniform_variance(self) -> float:
        """Mean variance of the estimated shares, from one person's randomization, for uniform true shares (theory.md section 7)."""

    @property
    def uniform_top(self) -> float:
        """The expected squared length of the noise of ``top``, from one person's randomization, for uniform true shares."""
        return self.top_noise(self.push(np.full(self.sizes, 1 / math.prod(self.sizes))))[0]

    @property
    @abstractmethod
    def alone(self) -> Channel:
        """The channel that reports every single attribute alike, but randomises each on its own: Kronecker at the same levels."""

    @property
    @abstractmethod
    def relative_factors(self) -> Floats:
        """|mu_T| / product of the |mu_i| of its attributes, shape ``(2,) * w``: what of an interaction survives beside ``alone``.

        1 for a single attribute, and wherever ``alone`` erases the interaction itself.
        """

    @abstractmethod
    def _lost(self, threshold: float) -> list[tuple[int, ...]]:
        """What ``lost`` returns, in any order."""

    def lost(self, *, threshold: float = MIN_FACTOR) -> tuple[tuple[int, ...], ...]:
        """The interactions T that are erased, |mu_T| < ``threshold``, each as a tuple of axes; smallest first.

        A matrix erases its attribute where its smallest singular value is below ``threshold``, always with fewer reports than categories;
        every interaction with that attribute is then lost as well, and only the attribute is named (``estimable`` says what is left of it).
        """
        return tuple(sorted(self._lost(threshold), key=lambda axes: (len(axes), axes)))

    def estimable(self, axis: int) -> tuple[tuple[int, ...], ...]:
        """The smallest sets of categories of attribute ``axis`` whose share together can be estimated: each alone where nothing is lost."""
        every = range(self.sizes[axis])
        return (tuple(every),) if (axis,) in self.lost() else tuple((x,) for x in every)


class Randomization(Protocol):
    """What an estimate needs to know of how answers were randomised: a mechanism and a mechanism file both provide it."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of categories a_i, one per attribute."""

    def marginal_channel(self, axes: Sequence[int]) -> Channel:
        """The channel on the marginal over ``axes`` (positions of attributes, in the order wanted)."""
