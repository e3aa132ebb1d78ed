"""The distributions a model is made of, each with its derivatives for every person and every combination of true answers.

A part has ``rows`` linear predictors of the covariates. With g people (or groups of people who are alike) and T combinations of true
answers it gives the log probability of shape (g, T), its gradient in the linear predictors, (g, T, rows), and the mean over the true
answers of the negative second derivatives, (g, rows, rows).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers


class Distribution(Protocol):
    """One factor of the probability of a person's true answers."""

    @property
    def rows(self) -> int:
        """Number of linear predictors."""

    def local(self, eta: Floats, people: slice) -> tuple[Floats, Floats]:
        """Log probability (g, T) and its gradient (g, T, rows), for linear predictors ``eta`` of shape (g, rows) of those people."""

    def curvature(self, eta: Floats, people: slice, posterior: Floats) -> Floats:
        """Negative second derivatives, averaged over the true answers by ``posterior`` (g, T): shape (g, rows, rows)."""


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
        """Probability of every cell, shape (g, cells)."""
        return _softmax(eta @ self.features.T)

    def local(self, eta: Floats, people: slice) -> tuple[Floats, Floats]:
        shares = self.shares(eta)
        gradient = self.features[None] - (shares @ self.features)[:, None, :]
        with np.errstate(divide="ignore"):
            return np.log(shares)[:, self.cell], gradient[:, self.cell]

    def curvature(self, eta: Floats, people: slice, posterior: Floats) -> Floats:
        shares, rows = self.shares(eta), self.rows
        squares = np.einsum("ch,cj->chj", self.features, self.features).reshape(len(self.features), rows * rows)
        mean = shares @ self.features
        return (shares @ squares).reshape(-1, rows, rows) - mean[:, :, None] * mean[:, None, :]


@dataclass(frozen=True, eq=False)
class Categorical:
    """A categorical outcome: one linear predictor of the covariates for every category but the first and every feature.

    Parameters
    ----------
    size : int, number of categories C
    features : ndarray of shape (T, 1 + D), 1 and the indicators of the randomised predictors
    answer : ndarray of shape (1, T) if the outcome was randomised, (g, 1) if it is known; codes
    """

    size: int
    features: Floats
    answer: Integers

    @property
    def rows(self) -> int:
        return (self.size - 1) * self.features.shape[1]

    def shares(self, eta: Floats, features: Floats | None = None) -> Floats:
        """Probability of every category, shape (g, T, C)."""
        features = self.features if features is None else features
        linear = np.zeros((len(eta), len(features), self.size))
        linear[:, :, 1:] = (
            (eta.reshape(len(eta) * (self.size - 1), -1) @ features.T).reshape(len(eta), self.size - 1, -1).swapaxes(1, 2)
        )
        return _softmax(linear)

    def _answer(self, people: slice) -> Integers:
        return self.answer if len(self.answer) == 1 and self.answer.shape[1] == len(self.features) else self.answer[people]

    def local(self, eta: Floats, people: slice) -> tuple[Floats, Floats]:
        shares, answer = self.shares(eta), self._answer(people)
        known = np.broadcast_to(answer, shares.shape[:2])
        chosen = np.take_along_axis(shares, known[:, :, None], axis=2)[:, :, 0]
        rest = (answer[:, :, None] == np.arange(1, self.size)) - shares[:, :, 1:]
        gradient = (rest[:, :, :, None] * self.features[None, :, None, :]).reshape(*shares.shape[:2], self.rows)
        with np.errstate(divide="ignore"):
            return np.log(chosen), gradient

    def curvature(self, eta: Floats, people: slice, posterior: Floats) -> Floats:
        shares = self.shares(eta)[:, :, 1:]
        own, wide, k = len(eta), self.features.shape[1], self.size - 1
        spread = -shares[:, :, :, None] * shares[:, :, None, :]
        spread[:, :, range(k), range(k)] += shares
        spread *= posterior[:, :, None, None]
        squares = np.einsum("th,tj->thj", self.features, self.features).reshape(-1, wide * wide)
        found = np.tensordot(spread, squares, axes=([1], [0])).reshape(own, k, k, wide, wide)
        return np.ascontiguousarray(found.transpose(0, 1, 3, 2, 4)).reshape(own, self.rows, self.rows)


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

    def _residual(self, eta: Floats, people: slice) -> tuple[Floats, Floats]:
        sigma = np.exp(eta[:, -1:])
        return (self.amount[people, None] - eta[:, :-1] @ self.features.T) / sigma, sigma

    def local(self, eta: Floats, people: slice) -> tuple[Floats, Floats]:
        z, sigma = self._residual(eta, people)
        gradient = np.concatenate([(z / sigma)[:, :, None] * self.features[None], (z**2 - 1)[:, :, None]], axis=2)
        return -0.5 * z**2 - eta[:, -1:] - 0.5 * np.log(2 * np.pi), gradient

    def curvature(self, eta: Floats, people: slice, posterior: Floats) -> Floats:
        z, sigma = self._residual(eta, people)
        wide = self.features.shape[1]
        squares = np.einsum("th,tj->thj", self.features, self.features).reshape(-1, wide * wide)
        found = np.empty((len(eta), wide + 1, wide + 1))
        found[:, :wide, :wide] = (posterior @ squares).reshape(-1, wide, wide) / sigma[:, :, None] ** 2
        found[:, wide, :wide] = found[:, :wide, wide] = 2 * ((posterior * z) @ self.features) / sigma
        found[:, wide, wide] = 2 * (posterior * z**2).sum(axis=1)
        return found


def _softmax(linear: Floats) -> Floats:
    raised: Floats = np.exp(linear - along(np.maximum, linear)[..., None])
    raised /= along(np.add, raised)[..., None]
    return raised


def along(operation: np.ufunc, table: Floats) -> Floats:
    """``operation.reduce`` over the last axis, column by column: much faster where that axis is short and the others are long."""
    if table.shape[-1] > 64:
        return np.asarray(operation.reduce(table, axis=-1))
    return reduce(operation, np.moveaxis(table, -1, 0))


def only_constant(rows: int, columns: int) -> Booleans:
    """Free parameters of linear predictors that are the same for everybody."""
    free = np.zeros((rows, columns), dtype=np.bool_)
    free[:, 0] = True
    return free
