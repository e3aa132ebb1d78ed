"""The likelihood of what was released, with the true answers summed out: value, score and observed information (Louis 1982).

A person with covariates x who released u contributes ln sum over t of P(u | t) p(t | x), t being the combinations of true answers and
P(u | t) the mechanism's joint channel. The score is the mean over P(t | u, x) of the score with t known; the observed information is the
mean of the information with t known less the variance of that score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.estimate.models.distributions import Distribution, along

_BLOCK = 1_000_000  # numbers of one temporary table; larger ones leave the processor's cache


class Derivatives(NamedTuple):
    """At one point: value, score (P,), observed information (P, P) and the expected information with the truth known (P, P)."""

    value: float
    score: Floats
    information: Floats
    complete: Floats


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Log-likelihood of the free coefficients of a model.

    Parameters
    ----------
    x : ndarray of shape (g, q), covariates of people who are alike, the first column ones
    weights : ndarray of shape (g,), how many people (or what weight) each row stands for
    chance : ndarray of shape (g, T), P(u | t) of what each row released
    parts : Distribution each, the factors of p(t | x)
    free : ndarray of shape (rows of all parts, q), which coefficients are estimated; the others are 0
    ridge : ndarray of shape (P,), how strongly each free coefficient is drawn towards 0: half of it times the square is taken off

    Notes
    -----
    Coefficients are passed as one vector, those of ``free`` in its order. Louis, T. A. (1982), Finding the observed information matrix
    when using the EM algorithm, J. Royal Statistical Society B 44.
    """

    x: Floats
    weights: Floats
    chance: Floats
    parts: Sequence[Distribution]
    free: Booleans
    ridge: Floats

    @cached_property
    def rows(self) -> list[slice]:
        """Where the linear predictors of each part stand."""
        ends = np.cumsum([0, *(part.rows for part in self.parts)])
        return [slice(a, b) for a, b in pairwise(ends.tolist())]

    def coefficients(self, theta: Floats) -> Floats:
        """All coefficients, shape (rows, q)."""
        found = np.zeros(self.free.shape)
        found[self.free] = theta
        return found

    @cached_property
    def _squares(self) -> Floats:
        """Products of two covariates, the upper triangle: shape (g, q (q + 1) / 2), weighted."""
        i, j = np.triu_indices(self.x.shape[1])
        return self.x[:, i] * self.x[:, j] * self.weights[:, None]

    def _blocks(self) -> Iterator[slice]:
        rows = len(self.free)
        step = max(64, _BLOCK // max(rows * rows, self.chance.shape[1] * rows))
        return (slice(start, min(start + step, len(self.x))) for start in range(0, len(self.x), step))

    def _posterior(self, eta: Floats, people: slice) -> tuple[Floats, Floats, list[Floats]]:
        """Log-likelihood of each row (g,), P(t | u, x) (g, T), and the gradients of the parts."""
        with np.errstate(divide="ignore"):
            joint = np.log(self.chance[people])
        gradients = []
        for part, rows in zip(self.parts, self.rows, strict=True):
            value, gradient = part.local(eta[:, rows], people)
            joint = joint + value
            gradients.append(gradient)
        top = np.maximum(along(np.maximum, joint), -1e300)[:, None]  # a row of -inf, far out in a line search, stays one
        raised = np.exp(joint - top)
        total = along(np.add, raised)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            return top[:, 0] + np.log(total[:, 0]), raised / total, gradients

    def means(self, eta: Floats) -> tuple[Floats, Floats]:
        """Log-likelihood of each row (g,) and its gradient in the linear predictors ``eta`` (g, rows), for weight 1."""
        values, found = [], []
        for people in self._blocks():
            value, posterior, gradients = self._posterior(eta[people], people)
            values.append(value)
            found.append(_mean(posterior, gradients))
        return np.concatenate(values), np.concatenate(found)

    def scores(self, theta: Floats) -> Floats:
        """What each row adds to the score, for weight 1: shape (g, P)."""
        coefficients, found = self.coefficients(theta), []
        for people in self._blocks():
            _, posterior, gradients = self._posterior(self.x[people] @ coefficients.T, people)
            mean = _mean(posterior, gradients)
            found.append((mean[:, :, None] * self.x[people, None, :])[:, self.free])
        return np.concatenate(found)

    @np.errstate(over="ignore", invalid="ignore")  # far out in a line search, where the value is then no number
    def derivatives(self, theta: Floats) -> Derivatives:
        """Value, score and informations at ``theta``."""
        coefficients, m, q = self.coefficients(theta), len(self.free), self.x.shape[1]
        score, seen, whole = np.zeros((m, q)), np.zeros((m * m, q * (q + 1) // 2)), np.zeros((m * m, q * (q + 1) // 2))
        value = 0.0
        for people in self._blocks():
            eta = self.x[people] @ coefficients.T
            own, posterior, gradients = self._posterior(eta, people)
            value += float(self.weights[people] @ own)
            mean = _mean(posterior, gradients)
            score += (mean * self.weights[people, None]).T @ self.x[people]
            known = np.zeros((len(eta), m, m))
            for part, rows in zip(self.parts, self.rows, strict=True):
                known[:, rows, rows] = part.curvature(eta[:, rows], people, posterior)
            spread = -mean[:, :, None] * mean[:, None, :]
            for gradient, rows in zip(gradients, self.rows, strict=True):
                weighted = gradient * posterior[:, :, None]
                for other, columns in zip(gradients, self.rows, strict=True):
                    spread[:, rows, columns] += weighted.swapaxes(1, 2) @ other
            whole += known.reshape(-1, m * m).T @ self._squares[people]
            seen += (known - spread).reshape(-1, m * m).T @ self._squares[people]
        drawn = np.diag(self.ridge)
        value -= float(self.ridge @ theta**2) / 2
        return Derivatives(value, score[self.free] - self.ridge * theta, self._square(seen) + drawn, self._square(whole) + drawn)

    def _square(self, packed: Floats) -> Floats:
        """The information of the free coefficients, of what was added up by pairs of rows and pairs of columns."""
        m, q = self.free.shape
        i, j = np.triu_indices(q)
        full = np.empty((m, m, q, q))
        full[:, :, i, j] = full[:, :, j, i] = packed.reshape(m, m, -1)
        matrix = full.transpose(0, 2, 1, 3).reshape(m * q, m * q)
        keep = np.flatnonzero(self.free)
        found = matrix[np.ix_(keep, keep)]
        return np.asarray((found + found.T) / 2)


def _mean(posterior: Floats, gradients: list[Floats]) -> Floats:
    return np.concatenate([(posterior[:, None, :] @ gradient)[:, 0] for gradient in gradients], axis=1)
