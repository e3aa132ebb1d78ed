"""Invented surveys with a known truth, one for each kind of model: ``KINDS[name](rng, n)`` gives a fit and its true coefficients."""

from dataclasses import replace
from functools import cache

import numpy as np

import rrcore as rr
from rrcore.budget import build
from rrcore.estimate.regression import fit
from rrcore.estimate.sample import Sample
from rrcore.promise import MechanismFile
from rrcore.promise.weights import MatrixWeights

FORCED = MatrixWeights(((5, 1), (1, 5)))  # a die: the truth 2/3 of the time
YES = ("no", "yes")


def logistic(linear):
    return 1 / (1 + np.exp(-linear))


def drawn(rng, *linear):
    """A category for every person, given the linear predictors of all but the first."""
    raised = np.exp(np.stack([np.zeros_like(linear[0]), *linear], axis=1))
    return (rng.random((len(raised), 1)) > np.cumsum(raised / raised.sum(axis=1, keepdims=True), axis=1)).sum(axis=1)


def people(rng, n):
    """A number and a yes/no covariate that go together."""
    number = rng.normal(size=n)
    return number, (rng.random(n) < logistic(0.8 * number)).astype(float)


def released(rng, attributes, codes, mechanism=None):
    """Answers that went through a mechanism; each on its own through a die or its like where none is given."""
    schema = rr.Schema(tuple(rr.Attribute(name, categories) for name, categories in attributes.items()))
    truth = rr.Dataset(schema, np.stack(codes, axis=1).astype(np.int32))
    if mechanism is not None:
        return rr.simulate(truth, mechanism, rng=rng)
    matrices = [(np.eye(size) * (6 - size) + 1) / 6 for size in schema.sizes]
    said = [
        (rng.random((len(code), 1)) > np.cumsum(matrix[code], axis=1)).sum(axis=1)
        for code, matrix in zip(codes, matrices, strict=True)
    ]
    groups = tuple(
        ((i,), MatrixWeights(tuple(tuple(int(v) for v in row) for row in np.rint(matrix * 6))))
        for i, matrix in enumerate(matrices)
    )
    return rr.Release(rr.Dataset(schema, np.stack(said, axis=1).astype(np.int32)), MechanismFile(schema, groups))


def outcome(rng, n, effect=0.8):
    """A randomized yes/no outcome."""
    number, flag = people(rng, n)
    true = drawn(rng, -0.5 + effect * number - 0.6 * flag)
    release = released(rng, {"y": YES}, [true])
    return fit("y ~ number + flag", release, covariates={"number": number, "flag": flag}), [[-0.5, effect, -0.6]]


def multinomial(rng, n):
    """A randomized outcome of three categories."""
    number, flag = people(rng, n)
    true = drawn(rng, -0.2 + 0.7 * number, 0.2 - 0.5 * number + 0.6 * flag)
    release = released(rng, {"y": ("a", "b", "c")}, [true])
    return fit("y ~ number + flag", release, covariates={"number": number, "flag": flag}), [
        [-0.2, 0.7, 0.0],
        [0.2, -0.5, 0.6],
    ]


def predictor(rng, n, effect=1.0):
    """A known yes/no outcome, and a randomized predictor of three categories."""
    number, flag = people(rng, n)
    true = drawn(rng, 0.2 + 0.6 * number, -0.3 + 0.5 * flag)
    y = drawn(rng, -0.4 + 0.5 * number + effect * (0.9 * (true == 1) - 0.7 * (true == 2)))
    release = released(rng, {"t": ("a", "b", "c")}, [true])
    covariates = {"number": number, "flag": flag, "y": y}
    return fit("y ~ t + number + flag", release, covariates=covariates), [[-0.4, 0.9 * effect, -0.7 * effect, 0.5, 0.0]]


@cache
def _together():
    return build("preserving-2", (2, 2, 2), [2.0, 2.0, 2.0])


def both(rng, n, mechanism=None):
    """Outcome and two predictors randomized together, so that they lie together."""
    mechanism = mechanism or _together()
    number, flag = people(rng, n)
    first = drawn(rng, -0.4 + 0.5 * number)
    second = drawn(rng, -0.2 + 0.4 * flag + 0.7 * first)
    y = drawn(rng, -0.3 + 0.4 * number - 0.3 * flag + 0.8 * first - 0.6 * second)
    release = released(rng, {"a": YES, "b": YES, "y": YES}, [first, second, y], mechanism)
    return fit("y ~ a + b + number + flag", release, covariates={"number": number, "flag": flag}), [[-0.3, 0.8, -0.6, 0.4, -0.3]]


def linear(rng, n):
    """A known number with skewed errors, and a randomized predictor."""
    errors = rng.exponential(size=n) - 1
    number, flag = people(rng, n)
    true = drawn(rng, 0.3 + 0.8 * number)
    y = 1 + 0.5 * number - 0.3 * flag + 1.2 * true + errors
    release = released(rng, {"t": YES}, [true])
    found = fit("y ~ t + number + flag", release, kind="linear", covariates={"number": number, "flag": flag, "y": y})
    return found, [[1, 1.2, 0.5, -0.3]]


def sample(rng, n):
    """A randomized outcome in clusters of ten with effects of their own, drawn with weights that the outcome depends on."""
    size = n // 10
    number, flag = people(rng, n)
    cluster = np.repeat(np.arange(size), 10)
    number = number + np.repeat(rng.normal(size=size), 10)
    flag = np.repeat(rng.integers(0, 2, size), 10).astype(float)
    true = drawn(rng, -0.5 + 0.5 * number - 0.6 * flag)
    kept = rng.random(n) < np.where(true == 1, 1.0, 0.5)  # people with the trait are asked twice as often
    release = released(rng, {"y": YES}, [true[kept]])
    covariates = {"number": number[kept], "flag": flag[kept]}
    release = replace(release, sample=Sample(np.where(true == 1, 1.0, 2.0)[kept], clusters=cluster[kept]))
    return fit("y ~ number + flag", release, covariates=covariates), [[-0.5, 0.5, -0.6]]


KINDS = {survey.__name__: survey for survey in (outcome, multinomial, predictor, both, linear, sample)}
