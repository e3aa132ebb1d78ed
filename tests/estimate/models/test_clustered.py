"""Random intercepts, against the integral on a dense grid and its maximum found by another program; and a survey whose truth is known."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from rrcore.errors import InputError
from rrcore.estimate.models import fit

_spec = importlib.util.spec_from_file_location("surveys", Path(__file__).with_name("surveys.py"))
surveys = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(surveys)


def villages(rng, number, size, deviation):
    """A randomised yes/no question in villages with intercepts of their own."""
    village = np.repeat(np.arange(number), size)
    x = rng.normal(size=number * size)
    true = surveys.drawn(rng, -0.3 + 0.8 * x + np.repeat(rng.normal(size=number) * deviation, size))
    return surveys.released(rng, {"y": surveys.YES}, [true]), {"x": x, "village": [f"v{i}" for i in village]}


def dense(release, covariates, points):
    """The log-likelihood by a sum over ``points`` of the intercept, for RRmixed's model."""
    matrix = release.channel(["y"]).push(np.eye(2))[release.dataset.codes[:, 0]]
    village = np.unique(covariates["village"], return_inverse=True)[1]
    z = np.linspace(-8, 8, points)
    step = z[1] - z[0]

    def value(theta):
        yes = 1 / (1 + np.exp(-(theta[0] + theta[1] * covariates["x"])[:, None] - theta[2] * z))
        each = np.log(matrix[:, [1]] * yes + matrix[:, [0]] * (1 - yes))
        total = np.zeros((village.max() + 1, len(z)))
        np.add.at(total, village, each)
        total -= z**2 / 2 + np.log(2 * np.pi) / 2
        top = total.max(axis=1)
        return -(top + np.log(np.exp(total - top[:, None]).sum(axis=1) * step)).sum()

    return value


@pytest.mark.parametrize(("number", "size", "deviation"), [(30, 25, 1.0), (6, 120, 1.5)])
def test_it_is_the_maximum_of_the_integral(number, size, deviation):
    release, covariates = villages(np.random.default_rng(8), number, size, deviation)
    found = fit(release, "y", ["x"], covariates=covariates, random="village")
    value = dense(release, covariates, 321)
    best = minimize(value, [0.0, 0.0, 0.7], method="BFGS", options={"gtol": 1e-5})
    np.testing.assert_allclose(found.coefficients[0], best.x[:2], atol=1e-3)
    assert found.deviation[0] == pytest.approx(abs(best.x[2]), abs=1e-3)
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-4)
    steps = np.eye(3) * 1e-3
    hessian = [
        [(value(best.x + a + b) - value(best.x + a - b) - value(best.x - a + b) + value(best.x - a - b)) / 4e-6 for a in steps]
        for b in steps
    ]
    errors = np.sqrt(np.diag(np.linalg.inv(hessian)))
    np.testing.assert_allclose([*found.standard_errors[0], found.deviation[1]], errors, rtol=5e-3)
    assert found.kind == "logistic regression with random intercepts"


def test_without_differences_it_is_the_regression_with_one_intercept():
    release, covariates = villages(np.random.default_rng(5), 40, 25, 0.0)
    found = fit(release, "y", ["x"], covariates=covariates, random="village")
    alone = fit(release, "y", ["x"], covariates=covariates)
    assert (
        -1e-6 < found.log_likelihood - alone.log_likelihood < 8
    )  # 1 in 30,000 by chance: half of chi-square of one degree of freedom
    assert found.deviation[0] < 0.05  # of this seed it is on the edge
    np.testing.assert_allclose(found.coefficients, alone.coefficients, atol=0.01)
    assert found.test("x").statistic == pytest.approx(alone.test("x").statistic, rel=0.2)


def test_what_random_intercepts_cannot_is_said():
    release, covariates = villages(np.random.default_rng(1), 20, 20, 1.0)
    asked = {"covariates": covariates, "random": "village"}
    for options, said in (
        ({"weights": np.ones(400)}, "answers without weights"),
        ({"random": "town"}, "no column 'town' for random intercepts"),
        ({"random": "x"}, "400 groups of 400 people"),
        ({"family": "linear"}, "Random intercepts are of a logistic"),
    ):
        with pytest.raises(InputError, match=said):
            fit(release, "y", ["x"], **(asked | options))
    with pytest.raises(InputError, match="models with one intercept"):
        fit(release, "y", ["x"], **asked).average("x")
