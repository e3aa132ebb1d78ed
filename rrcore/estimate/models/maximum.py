"""The climb to the maximum of a model's likelihood."""

from typing import NamedTuple

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.estimate.models.likelihood import Derivatives, Likelihood

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
