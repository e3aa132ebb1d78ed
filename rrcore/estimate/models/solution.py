"""The maximum of a model's likelihood, the covariance of its coefficients on the scale of the covariates as given, and what has none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.models.clustered import ClusteredLikelihood
from rrcore.estimate.models.likelihood import Derivatives, Likelihood
from rrcore.estimate.models.model import PRIOR
from rrcore.estimate.models.problem import Problem

_MOST = 300  # steps
_ENOUGH = 1e-9  # nats that the next step promises, below which it is not made
_LEAST = 1e-3  # share of the information in a direction below which its curvature says nothing
_LONGEST = 4.0  # most that a coefficient of a standardised covariate moves in one step


class Maximum(NamedTuple):
    """Where the search ended: coefficients, what is known there, number of steps, and whether the top was reached."""

    theta: Floats
    at: Derivatives
    steps: int
    converged: bool


def maximise(likelihood: Likelihood, start: Floats) -> Maximum:
    """Climb from ``start`` to a point where the next step would gain less than a billionth of a nat.

    Where the observed information is positive definite, the step is Newton's. Elsewhere its directions are taken beside the information
    with the truth known, which alone would make it a step of EM (Lange 1995, A gradient algorithm locally equivalent to the EM algorithm):
    where next to nothing is observed, such a step creeps, so each direction is gone as far as the size of its own curvature says. It leads
    upwards. Steps are halved until the likelihood rises.
    """
    theta, at = start, likelihood.derivatives(start)
    for count in range(_MOST):
        step = _step(at)
        promised = float(at.score @ step)
        if promised < _ENOUGH:
            return Maximum(theta, at, count, True)
        step *= min(1.0, _LONGEST / float(np.abs(step).max()))
        promised = float(at.score @ step)
        length, there = 1.0, likelihood.derivatives(theta + step)
        while not there.value >= at.value + 1e-4 * length * promised:
            length /= 2
            if length < 1e-8:  # the likelihood is flat to the last digit
                return Maximum(theta, at, count, promised < 1e-4)
            there = likelihood.derivatives(theta + length * step)
        theta, at = theta + length * step, there
    return Maximum(theta, at, _MOST, False)


def _step(at: Derivatives) -> Floats:
    try:
        return np.asarray(scipy.linalg.cho_solve(scipy.linalg.cho_factor(at.information), at.score))
    except scipy.linalg.LinAlgError:
        pass
    try:
        # how much of what the truth would tell is seen, at most 1
        shares, directions = scipy.linalg.eigh(at.information, at.complete)
    except scipy.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(at.complete)
        return np.asarray(vectors @ ((vectors.T @ at.score) / np.maximum(np.abs(values), 1e-8 * np.abs(values).max())))
    return np.asarray(directions @ ((directions.T @ at.score) / np.maximum(np.abs(shares), _LEAST)))


class NoHighestPointError(InputError):
    """The likelihood rises for ever: in these answers a coefficient has no finite estimate."""


_FLAT = 1e-4  # information about a standardised coefficient, whose error is then above 100: there is no highest point


@dataclass(frozen=True, eq=False)
class Solution:
    """Where the likelihood is highest.

    Parameters
    ----------
    coefficients : ndarray of shape (rows of all parts, q), of the covariates as given; 0 where not free
    covariance : ndarray of shape (P, P), of the free ones in their order
    likelihood : Likelihood
    simple_covariance : the covariance if everybody had been drawn alike, one by one
    log_likelihood : float, nats, without what a penalty takes off
    steps : int, how many the search took
    notes : sentences about what is on the edge
    deviation : (standard deviation of random intercepts, its standard error), or None where there are none
    """

    coefficients: Floats
    covariance: Floats
    likelihood: Likelihood
    simple_covariance: Floats
    log_likelihood: float
    steps: int
    notes: tuple[str, ...]
    deviation: tuple[float, float] | None = None

    @property
    def outcome_rows(self) -> slice:
        """The linear predictors of the outcome."""
        return self.likelihood.rows[-1]

    def of(self, places: Sequence[tuple[int, int]], covariance: Floats) -> Floats:
        """The entries of ``covariance`` (P, P), of the free coefficients, for those at ``places``; 0 where they are not free."""
        at = tuple(np.transpose(places))
        free, numbers = self.likelihood.free[at], (np.cumsum(self.likelihood.free) - 1).reshape(self.likelihood.free.shape)[at]
        return np.where(np.outer(free, free), covariance[np.ix_(numbers, numbers)], 0.0)


def outer_product_covariance(problem: Problem, solution: Solution) -> Floats:
    """Covariance of the free coefficients by the outer product of the scores (Berndt, Hall, Hall and Hausman 1974)."""
    back, offset = _back(problem, solution.likelihood)
    theta: Floats = np.asarray(np.linalg.solve(back, solution.coefficients[solution.likelihood.free] - offset), dtype=np.float64)
    scores = solution.likelihood.scores(theta)[problem.groups[1]]
    return np.asarray(back @ np.linalg.inv((scores * problem.weighting.weights[:, None]).T @ scores) @ back.T)


def solve(problem: Problem, *, fixed: Sequence[str] = ()) -> Solution:
    """Maximise the likelihood of ``problem``.

    Parameters
    ----------
    fixed : terms without effect on the outcome

    Raises
    ------
    InputError
        Where the likelihood has no highest point: a coefficient of the outcome runs off to infinity.
    """
    likelihood = problem.likelihood(fixed)
    if problem.clusters is not None:
        return _solve_clustered(problem, likelihood, problem.clusters[problem.groups[0]])
    back, offset = _back(problem, likelihood)
    found = maximise(likelihood, np.zeros(int(likelihood.free.sum())))
    flat, held = _flat(problem, likelihood, found)
    notes: tuple[str, ...] = (
        ("Some combination of the randomised predictors is estimated to have nobody in it: errors take that as known.",)
        if held
        else ()
    )
    inverse = flat @ np.linalg.inv(flat.T @ found.at.information @ flat) @ flat.T
    covariance = inverse
    if not problem.weighting.simple:
        scores = likelihood.scores(found.theta)[problem.groups[1]]
        covariance = inverse @ problem.weighting.spread(scores) @ inverse
    raw = np.zeros(likelihood.free.shape)
    raw[likelihood.free] = back @ found.theta + offset
    value = found.at.value + likelihood.ridge @ found.theta**2 / 2 - problem.weighting.weights.sum() * np.log(problem.unit[1])
    notes += _penalty_note(problem)
    return Solution(raw, back @ covariance @ back.T, likelihood, back @ inverse @ back.T, float(value), found.steps, notes)


def _solve_clustered(problem: Problem, likelihood: Likelihood, cluster: Integers) -> Solution:
    back, offset = _back(problem, likelihood)
    found = ClusteredLikelihood(likelihood, cluster).maximise()
    values, vectors = np.linalg.eigh(found.information)
    if values.min() < _FLAT or not found.converged:
        labels = _labelled(problem, likelihood)
        worst = np.abs(vectors[:-1, 0]) * (labels != "")
        raise NoHighestPointError(_without_top(problem, str(labels[worst.argmax()])))
    whole = np.linalg.inv(found.information)
    covariance = back @ whole[:-1, :-1] @ back.T
    raw = np.zeros(likelihood.free.shape)
    raw[likelihood.free] = back @ found.theta + offset
    value = found.value + float(likelihood.ridge @ found.theta**2) / 2
    deviation = (found.deviation, float(np.sqrt(whole[-1, -1])))
    notes = (
        f"Every group of '{problem.model.random}' has an intercept of its own: their standard deviation is {deviation[0]:.3g} log odds "
        f"(standard error {deviation[1]:.2g}). Odds compare people of one group.",
        *_penalty_note(problem),
    )
    return Solution(raw, covariance, likelihood, covariance, value, 0, notes, deviation)


def _penalty_note(problem: Problem) -> tuple[str, ...]:
    if not problem.model.penalty:
        return ()
    return (
        f"Penalised: every log odds is drawn weakly towards 0 (a normal prior with standard deviation {PRIOR:g}), as was asked for.",
    )


def _flat(problem: Problem, likelihood: Likelihood, found: Maximum) -> tuple[Floats, bool]:
    """The directions in which the likelihood is curved, as columns (P, D), and whether there are others.

    Raises InputError where one of the others moves the outcome.
    """
    values, vectors = np.linalg.eigh(found.at.information)
    curved = values > _FLAT
    rows = np.nonzero(likelihood.free)[0]
    outcome = np.isin(rows, np.arange(likelihood.rows[-1].start, likelihood.rows[-1].stop))
    worst = (vectors[:, ~curved] ** 2).sum(axis=1) * outcome
    if worst.size and worst.max() > 1e-3:
        linear = likelihood.x @ likelihood.coefficients(found.theta)[likelihood.rows[-1].start]
        labels = _labelled(problem, likelihood)
        slopes = (
            worst * (labels != "intercept") * bool(linear.min() < 0 < linear.max())
        )  # else nobody, or everybody, has the trait
        raise NoHighestPointError(
            _without_top(problem, str(labels[(slopes if slopes.max() > 1e-3 else worst * (labels == "intercept")).argmax()]))
        )
    if not found.converged:
        raise NoHighestPointError(
            "The likelihood was not maximised in 300 steps: the answers say too little for so many coefficients, so use fewer predictors, or "
            "fit with a penalty."
        )
    return vectors[:, curved], not curved.all()


def _labelled(problem: Problem, likelihood: Likelihood) -> NDArray[np.str_]:
    """What each free coefficient is called: the term's label of those of the outcome, nothing for the others."""
    names = dict(zip(problem.rows(likelihood.rows[-1].start), problem.labels * len(problem.answers), strict=False))
    return np.array([names.get((row, column), "") for row, column in np.argwhere(likelihood.free).tolist()])


def _without_top(problem: Problem, label: str) -> str:
    """Which coefficient has no estimate, and what to do."""
    if label == "intercept":
        return (
            f"The share of '{problem.model.outcome}' is estimated as 0 or 1 for some people, so the intercept has no finite estimate: "
            "collect more answers, use fewer predictors, merge their rare categories, or fit with a penalty."
        )
    return (
        f"The coefficient of '{label}' has no finite estimate: in these answers it separates the outcome of '{problem.model.outcome}' "
        "completely, or nearly so, given the noise; leave it out, merge its categories, or fit with a penalty."
    )


def _back(problem: Problem, likelihood: Likelihood) -> tuple[Floats, Floats]:
    """What takes the standardised coefficients theta to those of the covariates and amounts as given: ``matrix @ theta + offset``."""
    free, (mean, deviation), (centre, unit) = likelihood.free, problem.standard, problem.unit
    row, column = np.nonzero(free)
    scale, shift = np.ones(len(free)), np.zeros(len(free))
    if problem.amount is not None:
        scale[likelihood.rows[-1].start : -1] = unit
        shift[likelihood.rows[-1].start], shift[-1] = centre, np.log(unit)
    matrix = np.diag(scale[row] / deviation[column])
    constant: Integers = np.full(len(free), -1, dtype=np.int64)
    constant[row[column == 0]] = np.flatnonzero(column == 0)
    others = np.flatnonzero(column > 0)
    matrix[constant[row[others]], others] = -scale[row[others]] * mean[column[others]] / deviation[column[others]]
    return np.asarray(matrix), np.where(column == 0, shift[row], 0.0)
