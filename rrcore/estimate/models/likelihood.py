"""The likelihood of what was released, with the true answers summed out: value, score and observed information (Louis 1982).

A person with covariates x who released u contributes ln sum over t of P(u | t) p(t | x), t being the combinations of true answers and
P(u | t) the mechanism's joint channel. The score is the mean over P(t | u, x) of the score with t known; the observed information is the
mean of the information with t known less the variance of that score.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.estimate.models.distributions import Distribution, Local

_BLOCK = 100_000  # numbers of one temporary table; larger ones leave the processor's cache


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

    @cached_property
    def _columns(self) -> Floats:
        """The covariates, shape (q, g)."""
        return np.ascontiguousarray(self.x.T)

    @cached_property
    def _log_chance(self) -> Floats:
        """ln P(u | t), shape (T, g)."""
        with np.errstate(divide="ignore"):
            return np.log(np.ascontiguousarray(self.chance.T))

    @cached_property
    def _upper(self) -> tuple[Integers, Integers]:
        """Pairs of rows, the upper triangle."""
        return np.triu_indices(len(self.free))

    @cached_property
    def _pairs(self) -> tuple[Integers, Integers]:
        """Where the information of two free coefficients stands among pairs of rows and pairs of columns, (P, P) each."""
        rows, columns = np.nonzero(self.free)
        return _places(rows, len(self.free)), _places(columns, self.x.shape[1])

    def _blocks(self) -> Iterator[slice]:
        rows = len(self.free)
        step = max(64, _BLOCK // max(rows * rows, self.chance.shape[1] * rows))
        return (slice(start, min(start + step, len(self.x))) for start in range(0, len(self.x), step))

    def _posterior(self, eta: Floats, people: slice) -> tuple[Floats, Floats, list[Local]]:
        """Log-likelihood of each row (g,), P(t | u, x) (T, g), and the parts at ``eta`` (rows, g)."""
        parts = [part.local(eta[rows], people) for part, rows in zip(self.parts, self.rows, strict=True)]
        joint = self._log_chance[:, people] + parts[0].value
        for part in parts[1:]:
            joint += part.value
        top = np.maximum(joint.max(axis=0), -1e300)  # a row of -inf, far out in a line search, stays one
        raised = np.exp(joint - top)
        total = raised.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return top + np.log(total), raised / total, parts

    def means(self, eta: Floats) -> tuple[Floats, Floats]:
        """Log-likelihood of each row (g,) and its gradient in the linear predictors ``eta`` (rows, g), for weight 1."""
        values, found = [], []
        for people in self._blocks():
            value, posterior, parts = self._posterior(eta[:, people], people)
            values.append(value)
            found.append(np.einsum("tg,trg->rg", posterior, _gradient(parts)))
        return np.concatenate(values), np.concatenate(found, axis=1)

    def scores(self, theta: Floats) -> Floats:
        """What each row adds to the score, for weight 1: shape (g, P)."""
        rows, columns = np.nonzero(self.free)
        return np.asarray((self.means(self.coefficients(theta) @ self._columns)[1][rows] * self._columns[columns]).T)

    @np.errstate(over="ignore", invalid="ignore")  # far out in a line search, where the value is then no number
    def derivatives(self, theta: Floats) -> Derivatives:
        """Value, score and informations at ``theta``."""
        coefficients, m, q = self.coefficients(theta), len(self.free), self.x.shape[1]
        score, (seen, whole) = np.zeros((m, q)), np.zeros((2, len(self._upper[0]), self._squares.shape[1]))
        value = 0.0
        for people in self._blocks():
            eta = coefficients @ self._columns[:, people]
            own, posterior, parts = self._posterior(eta, people)
            value += float(self.weights[people] @ own)
            gradient = _gradient(parts)
            weighted = gradient * posterior[:, None]
            mean = weighted.sum(axis=0)
            score += (mean * self.weights[people]) @ self.x[people]
            known = np.zeros((m, m, eta.shape[1]))
            for part, at, rows in zip(self.parts, parts, self.rows, strict=True):
                known[rows, rows] = part.curvature(eta[rows], at.basis, posterior)
            curvature = known[self._upper]
            whole += curvature @ self._squares[people]
            for a in range(m):
                curvature[self._upper[0] == a] -= np.einsum("tg,tbg->bg", weighted[:, a], gradient[:, a:]) - mean[a] * mean[a:]
            seen += curvature @ self._squares[people]
        drawn = np.diag(self.ridge)
        value -= float(self.ridge @ theta**2) / 2
        return Derivatives(value, score[self.free] - self.ridge * theta, seen[self._pairs] + drawn, whole[self._pairs] + drawn)


def _places(codes: Integers, size: int) -> Integers:
    """Where each pair of ``codes`` (P,) stands in the upper triangle of a matrix of ``size`` rows, shape (P, P)."""
    first, second = np.minimum.outer(codes, codes), np.maximum.outer(codes, codes)
    return np.asarray(first * size - first * (first - 1) // 2 + second - first)


def _gradient(parts: Sequence[Local]) -> Floats:
    """The gradient of all parts, shape (T, rows, g)."""
    return parts[0].gradient if len(parts) == 1 else np.concatenate([part.gradient for part in parts], axis=1)
