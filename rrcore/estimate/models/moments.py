"""Linear regression by moments: normal equations whose every entry is unbiased under the known channel.

With z(t) the row of the design at the true answers t, functions Z(u) and B(u) of the report are found with E[Z(u) | t] = z(t) and
E[B(u) | t] = z(t) z(t)'. Then sum B b = sum Z y has the true coefficients as its solution in expectation, whatever the distribution of the
errors and of the true predictors (corrected scores: Nakamura 1990; Carroll et al., Measurement Error in Nonlinear Models, chapter 7).
"""

from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate.models.problem import Problem

_RCOND = 1e-9  # singular values of the channel below this share of the largest are nothing but rounding
_MISSED = 1e-6  # largest error with which a function of the truth may be got back from reports


@dataclass(frozen=True, eq=False)
class Moments:
    """What the unbiased equations say.

    Parameters
    ----------
    coefficients : ndarray of shape (K,), in the order of the problem's labels
    covariance : ndarray of shape (K, K), of the influence of every answer (sandwich)
    influence : ndarray of shape (n, K), what every answer adds to the coefficients, for weight 1
    indicators : ndarray of shape (n, D), unbiased indicators of the categories of the randomised predictors that have a coefficient
    """

    coefficients: Floats
    covariance: Floats
    influence: Floats
    indicators: Floats


def solve_moments(problem: Problem) -> Moments:
    """Coefficients and their covariance.

    Raises
    ------
    NotIdentifiableError
        If reports do not say how the true predictors go together.
    InputError
        If the equations have no single solution.
    """
    assert problem.amount is not None
    first, squares = _unbiased(problem)
    x, y, weights = problem.x, problem.amount, problem.weighting.weights
    design = np.hstack([x, first])
    q, wide = x.shape[1], design.shape[1]
    left = np.empty((wide, wide))
    weighted = design * weights[:, None]
    left[:q], left[q:, :q] = x.T @ weighted, (x.T @ weighted)[:, q:].T
    left[q:, q:] = np.einsum("n,nij->ij", weights, squares)
    right = weighted.T @ y
    scale = np.sqrt(np.maximum(np.diag(left), 1e-300))
    if np.linalg.eigvalsh(left / np.outer(scale, scale)).min() < 1e-10:
        raise InputError(
            "The answers say too little about the randomised predictors for a linear regression: collect more, or use fewer of them."
        )
    solved: Floats = np.asarray(np.linalg.solve(left, right), dtype=np.float64)
    mine, theirs = solved[:q], solved[q:]
    influence = np.empty_like(design)
    influence[:, :q] = x * (y - design @ solved)[:, None]
    influence[:, q:] = first * (y - x @ mine)[:, None] - squares @ theirs
    order = [column if feature == 0 else q + feature - 1 for feature, column in problem.places]
    influence = np.asarray((influence @ np.linalg.inv(left))[:, order], dtype=np.float64)
    return Moments(solved[order], problem.weighting.spread(influence), influence, first)


def _unbiased(problem: Problem) -> tuple[Floats, Floats]:
    """What every report says of the indicators of the true predictors (n, D) and of their products (n, D, D), right on average."""
    indicators = problem.features[:, 1:]
    wide = indicators.shape[1]
    if not wide:
        return np.zeros((problem.n, 0)), np.zeros((problem.n, 0, 0))
    products = (indicators[:, :, None] * indicators[:, None, :]).reshape(len(indicators), wide * wide)
    wanted = np.hstack([indicators, products])
    found = np.empty((problem.n, wanted.shape[1]))
    for design, people in problem.designs:
        solved = np.linalg.lstsq(design.matrix.T, wanted, rcond=_RCOND)[0]
        if np.abs(design.matrix.T @ solved - wanted).max() > _MISSED:
            raise NotIdentifiableError(
                "The reports do not say how the true predictors go together, so no linear model can use them all: leave some out.",
                (),
            )
        found[people] = solved[design.reports]
    return found[:, :wide], found[:, wide:].reshape(problem.n, wide, wide)
