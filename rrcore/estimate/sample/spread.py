"""How weighted released shares vary: what error bars need of a sample, however it was drawn (theory.md section 22)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import Channel
from rrcore.estimate.projections import simplex


@dataclass(frozen=True, eq=False)
class Spread:
    """The covariance of the released shares of a marginal: a diagonal, factors with signs, and what is certain about the people.

    Against the population it is ``diag(diagonal) + sum_r signs_r f_r f_r'`` less ``P diag(tau) P'`` with tau the inverse of ``fixed``: of
    people who are certain to be asked only the randomisation varies. Against the people themselves everybody is certain: the diagonal and
    what is fixed are both ``people``, and there are no factors.

    Parameters
    ----------
    diagonal : ndarray of shape ``report_sizes`` of the channel
    factors : ndarray of shape ``(*report_sizes, R)``, the f_r
    signs : ndarray of shape (R,)
    fixed : ndarray of shape ``report_sizes``, sum of f w^2 over the people who reported each cell, f being their sampling fraction
    people : ndarray of the same shape, sum of w^2, weights w summing to 1
    freedom : float, degrees of freedom of the variances; infinite for a simple random sample
    random : whether people are a simple random sample
    further : pairs of an ndarray of shape ``report_sizes`` and its sign: factors that count about the people themselves as well, of what is
        taken off the released shares and was estimated

    Examples
    --------
    >>> import rrcore as rr
    >>> channel = rr.build("kronecker", (2,), (1.0,)).marginal_channel((0,))
    >>> spread = Spread.simple(np.array([0.4, 0.6]), 1_000)
    >>> bool(np.isclose(spread.variance(np.array([1.0, 0.0]), channel), 0.4 * 0.6 / 999))
    True
    """

    diagonal: Floats
    factors: Floats
    signs: Floats
    fixed: Floats
    people: Floats
    freedom: float
    random: bool = False
    further: tuple[tuple[Floats, float], ...] = ()

    @classmethod
    def simple(cls, released: Floats, n: int) -> Spread:
        """That of a simple random sample of ``n`` people from a large population; 0 for one person, of whom nothing is known to vary."""
        each = 1 / max(n - 1, 1)
        return cls(
            released * each, released[..., None], np.array([-each]), np.zeros_like(released), released / n, math.inf, random=True
        )

    @property
    def drawn(self) -> Spread:
        """What comes of how people were drawn and randomised alone."""
        return replace(self, further=())

    @property
    def kish(self) -> float:
        """1 / sum of w^2: how many people of equal weight would tell as much (Kish 1965)."""
        return 1 / float(self.people.sum())

    def variance(self, added: Floats, channel: Channel, *, population: bool = True) -> float:
        """Variance of the sum of ``added * released shares``; it may come out below 0 by sampling noise.

        Parameters
        ----------
        added : ndarray of shape ``report_sizes``, what a report of each cell adds, such as ``channel.invert_back(weights)``
        channel : Channel of the marginal
        population : as in ``cell_variance``
        """
        diagonal, fixed = (self.diagonal, self.fixed) if population else (self.people, self.people)
        found = float((diagonal * added**2).sum())
        if population:
            parts = self.factors.reshape(added.size, -1).T @ added.ravel()
            found += float(self.signs @ parts**2)
        found += sum(sign * float((factor * added).sum()) ** 2 for factor, sign in self.further)
        if fixed.any():
            found -= float((channel.invert(fixed) * channel.pull(added) ** 2).sum())
        return found

    def cell_variances(self, channel: Channel, *, population: bool = True) -> Floats:
        """Variance of every inverted share, ndarray of shape ``channel.sizes``, >= 0.

        What is certain about the people is projected onto probabilities, so that noise in it never makes an error too small.
        """
        found = _randomization(self.fixed if population else self.people, channel)
        if population:
            found = found + channel.squared_inverse(self.diagonal - self.fixed)
        if population and self.signs.size:
            found = found + np.square(channel.invert(self.factors)) @ self.signs
        for factor, sign in self.further:
            found = found + sign * channel.invert(factor) ** 2
        return np.maximum(found, 0.0)

    def sum_variances(self, added: Floats, channel: Channel, *, population: bool = True) -> Floats:
        """Variances of sums of shares of one attribute, ndarray of shape (m,), >= 0; ``added`` has the shape (reports, m).

        What is certain about the people is projected as in ``cell_variances``.
        """
        certain = self.fixed if population else self.people
        true = _projected(certain, channel)
        found = channel.push(true) @ added**2 - true @ channel.pull(added) ** 2
        if population:
            found = found + (self.diagonal - certain) @ added**2 + self.signs @ (self.factors.T @ added) ** 2
        for factor, sign in self.further:
            found = found + sign * (factor @ added) ** 2
        return np.maximum(found, 0.0)

    def covariance(self, channel: Channel, *, population: bool = True) -> Floats:
        """Covariance of the released shares, shape (M, M), M the number of cells of a report."""
        diagonal, fixed = (self.diagonal, self.fixed) if population else (self.people, self.people)
        m = diagonal.size
        found = np.diag(diagonal.ravel())
        if population:
            flat = self.factors.reshape(m, -1)
            found = found + (flat * self.signs) @ flat.T
        for factor, sign in self.further:
            found = found + sign * np.outer(factor, factor)
        if fixed.any():
            certain = channel.invert(fixed)
            pushed = channel.push(np.eye(certain.size).reshape(*certain.shape, certain.size)).reshape(m, certain.size)
            found = found - (pushed * certain.ravel()) @ pushed.T
        return np.asarray(found)


def _randomization(fixed: Floats, channel: Channel) -> Floats:
    """Variance of every inverted share from the randomisation of people of whom ``fixed`` (sum of w^2 by report) is known."""
    true = _projected(fixed, channel)
    return np.maximum(channel.squared_inverse(channel.push(true)) - true, 0.0)


def _projected(fixed: Floats, channel: Channel) -> Floats:
    """The same by true answer, none below 0."""
    total = float(fixed.sum())
    return total * simplex(channel.invert(fixed) / total) if total else np.zeros(channel.sizes)
