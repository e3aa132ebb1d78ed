"""The distributions a model is made of, each with its derivatives for every person and every combination of true answers.

A part has ``rows`` linear predictors of the covariates. With g people (or groups of people who are alike) and T combinations of true
answers it gives the log probability of shape (T, g), its gradient in the linear predictors, (T, rows, g), and the mean over the true
answers of the negative second derivatives, (rows, rows, g). People stand last, since they are many and the other axes are short.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers


class Local(NamedTuple):
    """Log probability (T, g) at given linear predictors, its gradient (T, rows, g), and what the curvature is made of."""

    value: Floats
    gradient: Floats
    basis: Floats


class Distribution(Protocol):
    """One factor of the probability of a person's true answers."""

    @property
    def rows(self) -> int:
        """Number of linear predictors."""

    def local(self, eta: Floats, people: slice) -> Local:
        """What it is at linear predictors ``eta`` of shape (rows, g) of those people."""

    def curvature(self, eta: Floats, basis: Floats, posterior: Floats) -> Floats:
        """Negative second derivatives, averaged over the true answers by ``posterior`` (T, g): shape (rows, rows, g)."""


@dataclass(frozen=True, eq=False)
class LogLinear:
    """What people are, given their covariates: log p(cell) = features of the cell times linear predictors, less a constant.

    Parameters
    ----------
    features : ndarray of shape (cells, rows), of every cell; all zero in the cell of reference
    cell : ndarray of shape (T,), the cell that each combination of true answers belongs to
    """

    features: Floats
    cell: Integers

    @property
    def rows(self) -> int:
        return self.features.shape[1]

    def shares(self, eta: Floats) -> Floats:
        """Probability of every cell, shape (cells, g), for linear predictors (rows, g)."""
        return _softmax(self.features @ eta)[0]

    def local(self, eta: Floats, people: slice) -> Local:
        shares, logarithms = _softmax(self.features @ eta)
        gradient = self.features[:, :, None] - self.features.T @ shares
        return Local(logarithms[self.cell], gradient[self.cell], shares)

    def curvature(self, eta: Floats, basis: Floats, posterior: Floats) -> Floats:
        mean = self.features.T @ basis
        return _mean_square(self.features, basis) - mean[:, None] * mean


@dataclass(frozen=True, eq=False)
class Categorical:
    """A categorical outcome: one linear predictor of the covariates for every category but the first and every feature.

    Parameters
    ----------
    size : int, number of categories C
    features : ndarray of shape (T, 1 + D), 1 and the indicators of the randomised predictors
    answer : ndarray of shape (T, 1) if the outcome was randomised, (1, g) if it is known; codes
    """

    size: int
    features: Floats
    answer: Integers

    @property
    def rows(self) -> int:
        return (self.size - 1) * self.features.shape[1]

    def shares(self, eta: Floats, features: Floats | None = None) -> Floats:
        """Probability of every category, shape (C, T, g), for linear predictors (rows, g)."""
        return self._shares(eta, self.features if features is None else features)[0]

    def _shares(self, eta: Floats, features: Floats) -> tuple[Floats, Floats]:
        linear = np.zeros((self.size, len(features), eta.shape[1]))
        np.matmul(features, eta.reshape(self.size - 1, features.shape[1], -1), out=linear[1:])
        return _softmax(linear)

    @cached_property
    def _given(self) -> Floats:
        """1 where the outcome is each category but the first, shape (C - 1, T, 1) or (C - 1, 1, g)."""
        return (self.answer == np.arange(1, self.size)[:, None, None]).astype(np.float64)

    def local(self, eta: Floats, people: slice) -> Local:
        shares, logarithms = self._shares(eta, self.features)
        known = self.answer.shape[1] > 1
        answer, given = (self.answer[:, people], self._given[:, :, people]) if known else (self.answer, self._given)
        chosen = logarithms[answer, np.arange(shares.shape[1])[:, None], np.arange(shares.shape[2])]
        rest = given - shares[1:]
        gradient = rest.swapaxes(0, 1)[:, :, None] * self.features[:, None, :, None]
        return Local(chosen, gradient.reshape(len(self.features), self.rows, -1), shares)

    def curvature(self, eta: Floats, basis: Floats, posterior: Floats) -> Floats:
        shares, k, wide = basis[1:], self.size - 1, self.features.shape[1]
        weighted = shares * posterior
        found = np.empty((k, wide, k, wide, eta.shape[1]))
        for c in range(k):
            for d in range(c, k):
                spread = weighted[c] * ((c == d) - shares[d])
                found[c, :, d] = found[d, :, c] = _mean_square(self.features, spread)
        return found.reshape(self.rows, self.rows, -1)


@dataclass(frozen=True, eq=False)
class Normal:
    """An amount that is known, normal around its mean: linear predictors of the mean, one for every feature, and of ln sigma.

    Parameters
    ----------
    features : ndarray of shape (T, 1 + D), as in ``Categorical``
    amount : ndarray of shape (g,)
    """

    features: Floats
    amount: Floats

    @property
    def rows(self) -> int:
        return self.features.shape[1] + 1

    def local(self, eta: Floats, people: slice) -> Local:
        sigma = np.exp(eta[-1])
        z = (self.amount[people] - self.features @ eta[:-1]) / sigma
        gradient = np.concatenate([(z / sigma)[:, None] * self.features[:, :, None], (z**2 - 1)[:, None]], axis=1)
        return Local(-0.5 * z**2 - eta[-1] - 0.5 * np.log(2 * np.pi), gradient, z)

    def curvature(self, eta: Floats, basis: Floats, posterior: Floats) -> Floats:
        z, sigma, wide = basis, np.exp(eta[-1]), self.features.shape[1]
        found = np.empty((wide + 1, wide + 1, len(sigma)))
        found[:wide, :wide] = _mean_square(self.features, posterior) / sigma**2
        found[wide, :wide] = found[:wide, wide] = 2 * (self.features.T @ (posterior * z)) / sigma
        found[wide, wide] = 2 * (posterior * z**2).sum(axis=0)
        return found


def _mean_square(features: Floats, weights: Floats) -> Floats:
    """The products of two ``features`` (T, rows), added up by ``weights`` (T, g): shape (rows, rows, g)."""
    rows = features.shape[1]
    squares = (features[:, :, None] * features[:, None]).reshape(len(features), rows * rows)
    return (squares.T @ weights).reshape(rows, rows, -1)


def _softmax(linear: Floats) -> tuple[Floats, Floats]:
    """Probabilities of categories along the first axis, and their logarithms."""
    below = linear - linear.max(axis=0)
    raised: Floats = np.exp(below)
    total = raised.sum(axis=0)
    return raised / total, below - np.log(total)


def only_constant(rows: int, columns: int) -> Booleans:
    """Free parameters of linear predictors that are the same for everybody."""
    free = np.zeros((rows, columns), dtype=np.bool_)
    free[:, 0] = True
    return free
