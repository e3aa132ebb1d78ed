"""The maximum of a model's likelihood with the covariance of its coefficients, on the scale of the covariates as they were given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.models.likelihood import Likelihood
from rrcore.estimate.models.maximise import maximise
from rrcore.estimate.models.problem import Problem

_FLAT = 1e-4  # information about a standardised coefficient, whose error is then above 100: there is no highest point


@dataclass(frozen=True, eq=False)
class Solution:
    """Where the likelihood is highest.

    Parameters
    ----------
    coefficients : ndarray of shape (rows of all parts, q), of the covariates as given; 0 where not free
    covariance : ndarray of shape (P, P), of the free ones in their order
    likelihood : Likelihood
    log_likelihood : float, nats
    steps : int, how many the search took
    notes : sentences about what is on the edge
    """

    coefficients: Floats
    covariance: Floats
    likelihood: Likelihood
    log_likelihood: float
    steps: int
    notes: tuple[str, ...]

    @property
    def outcome_rows(self) -> slice:
        """The linear predictors of the outcome."""
        return self.likelihood.rows[-1]

    def number(self, row: int, column: int) -> int:
        """Where a coefficient stands among the free ones."""
        return int(self.likelihood.free[:row].sum() + self.likelihood.free[row, :column].sum())

    def of(self, places: Sequence[tuple[int, int]], covariance: Floats) -> Floats:
        """The entries of ``covariance`` (P, P) for the coefficients at ``places``; 0 where they are not free."""
        free = [i for i, place in enumerate(places) if self.likelihood.free[place]]
        numbers = [self.number(*places[i]) for i in free]
        found = np.zeros((len(places), len(places)))
        found[np.ix_(free, free)] = covariance[np.ix_(numbers, numbers)]
        return found


def outer_product_covariance(problem: Problem, solution: Solution) -> Floats:
    """Covariance of the free coefficients by the outer product of the scores (Berndt, Hall, Hall and Hausman 1974)."""
    mean, deviation = problem.standard
    back = _back(solution.likelihood, mean, deviation)
    theta: Floats = np.asarray(np.linalg.solve(back, solution.coefficients[solution.likelihood.free]), dtype=np.float64)
    scores = solution.likelihood.scores(theta)[problem.groups[1]]
    return np.asarray(back @ np.linalg.inv((scores * problem.weighting.weights[:, None]).T @ scores) @ back.T)


def solve(problem: Problem, *, fixed: Sequence[str] = (), start: Solution | None = None) -> Solution:
    """Maximise the likelihood of ``problem``.

    Parameters
    ----------
    fixed : terms without effect on the outcome
    start : a solution of the same problem with more or fewer terms, to begin from

    Raises
    ------
    InputError
        Where the likelihood has no highest point: a coefficient of the outcome runs off to infinity.
    """
    likelihood = problem.likelihood(fixed)
    mean, deviation = problem.standard
    first = np.zeros(likelihood.free.shape)
    if start is not None:
        first = np.where(likelihood.free, start.coefficients * deviation, 0.0)
        first[:, 0] += start.coefficients @ mean * likelihood.free[:, 0]
    elif problem.amount is not None:
        first[-1, 0] = np.log(max(float(problem.amount.std()), 1e-300))
        first[likelihood.rows[-1].start, 0] = float(problem.amount.mean())
    found = maximise(likelihood, first[likelihood.free])
    flat, held = _flat(problem, likelihood, found.at.information, found.converged)
    notes = (
        ("Some combination of the randomised predictors is estimated to have nobody in it: errors take that as known.",)
        if held
        else ()
    )
    inverse = flat @ np.linalg.inv(flat.T @ found.at.information @ flat) @ flat.T
    covariance = inverse
    if not problem.weighting.simple:
        scores = likelihood.scores(found.theta)[problem.groups[1]]
        covariance = inverse @ problem.weighting.spread(scores) @ inverse
    back = _back(likelihood, mean, deviation)
    raw = np.zeros(likelihood.free.shape)
    raw[likelihood.free] = back @ found.theta
    return Solution(raw, back @ covariance @ back.T, likelihood, found.at.value, found.steps, notes)


def _flat(problem: Problem, likelihood: Likelihood, information: Floats, converged: bool) -> tuple[Floats, bool]:
    """The directions in which the likelihood is curved, as columns (P, D), and whether there are others.

    Raises InputError where one of the others moves the outcome.
    """
    values, vectors = np.linalg.eigh(information)
    curved = values > _FLAT
    rows = np.nonzero(likelihood.free)[0]
    outcome = np.isin(rows, np.arange(likelihood.rows[-1].start, likelihood.rows[-1].stop))
    worst = (vectors[:, ~curved] ** 2).sum(axis=1) * outcome
    if worst.size and worst.max() > 1e-3:
        raise InputError(_without_top(problem, likelihood, int(worst.argmax())))
    if not converged:
        raise InputError(
            "The likelihood was not maximised in 300 steps: the answers say too little for so many coefficients, so use fewer predictors."
        )
    return vectors[:, curved], not curved.all()


def _without_top(problem: Problem, likelihood: Likelihood, place: int) -> str:
    """Which coefficient has no estimate, and what to do."""
    row, column = (int(found[place]) for found in np.nonzero(likelihood.free))
    wide = problem.features.shape[1]
    feature = (row - likelihood.rows[-1].start) % wide
    label = (
        problem.labels[problem.places.index((feature, column))] if (feature, column) in problem.places else problem.model.outcome
    )
    if label == "intercept":
        return (
            f"The share of '{problem.model.outcome}' is estimated as 0 or 1 for some people, so the intercept has no finite estimate: "
            "collect more answers, or use fewer predictors."
        )
    return (
        f"The coefficient of '{label}' has no finite estimate: in these answers it separates the outcome of '{problem.model.outcome}' "
        "completely, or nearly so, given the noise; leave it out, or merge its categories."
    )


def _back(likelihood: Likelihood, mean: Floats, deviation: Floats) -> Floats:
    """The matrix (P, P) that takes coefficients of standardised covariates to those of the covariates as given."""
    free = likelihood.free
    row, column = np.nonzero(free)
    matrix = np.diag(1 / deviation[column])
    constant: Integers = np.full(len(free), -1, dtype=np.int64)
    constant[row[column == 0]] = np.flatnonzero(column == 0)
    others = np.flatnonzero(column > 0)
    matrix[constant[row[others]], others] = -mean[column[others]] / deviation[column[others]]
    return np.asarray(matrix)
