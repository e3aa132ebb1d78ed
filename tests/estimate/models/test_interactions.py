"""Interactions, against the likelihood written out and maximised by another program."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from rrcore.estimate.models import fit

_spec = importlib.util.spec_from_file_location("surveys", Path(__file__).with_name("surveys.py"))
surveys = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(surveys)


@pytest.fixture(scope="module")
def survey():
    """Two randomised questions, a group and a known outcome in which they interact."""
    rng = np.random.default_rng(4)
    n = 1_500
    group, number = surveys.drawn(rng, np.zeros(n)), rng.integers(0, 4, n)
    a = surveys.drawn(rng, -0.2 + 0.5 * group)
    b = surveys.drawn(rng, 0.3 - 0.6 * a)
    y = surveys.drawn(rng, -0.5 + 0.8 * a - 0.4 * group + 1.2 * a * group - 0.5 * b + 0.9 * a * b)
    release = surveys.released(rng, {"a": surveys.YES, "b": surveys.YES}, [a, b])
    return release, {"group": group, "number": number, "y": y}


def logit(value):
    return 1 / (1 + np.exp(-value))


def test_of_a_randomised_predictor_and_a_column(survey):
    release, covariates = survey
    found = fit(release, "y", ["a*group"], covariates=covariates)
    assert found.terms == ("intercept", "a: yes", "group", "a: yes × group")
    matrix = release.channel(["a"]).push(np.eye(2))[release.dataset.codes[:, 0]]
    group, y = covariates["group"], covariates["y"]

    def value(theta):
        share = logit(theta[4] + theta[5] * group)
        total = 0
        for true, chance in ((0, 1 - share), (1, share)):
            outcome = logit(theta[0] + theta[1] * true + theta[2] * group + theta[3] * true * group)
            total = total + matrix[:, true] * chance * np.where(y, outcome, 1 - outcome)
        return -np.log(total).sum()

    best = minimize(value, np.zeros(6), method="BFGS", options={"gtol": 1e-6})
    np.testing.assert_allclose(found.coefficients[0], best.x[:4], atol=1e-3)
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-5)


def test_of_two_randomised_predictors(survey):
    release, covariates = survey
    found = fit(release, "y", ["a*b"], covariates=covariates)
    assert found.terms == ("intercept", "a: yes", "b: yes", "a: yes × b: yes")
    matrix = release.channel(["a", "b"]).push(np.eye(4).reshape(2, 2, 4)).reshape(4, 4)
    reports, y = release.dataset.codes @ [2, 1], covariates["y"]

    def value(theta):
        shares = np.exp([0.0, theta[4], theta[5], theta[4] + theta[5] + theta[6]])
        outcome = logit(theta[0] + np.array([0, theta[2], theta[1], theta[1] + theta[2] + theta[3]]))
        given = np.where(y[:, None] == 1, outcome, 1 - outcome) * (shares / shares.sum())
        return -np.log((matrix[reports] * given).sum(axis=1)).sum()

    best = minimize(value, np.zeros(7), method="BFGS", options={"gtol": 1e-6})
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-4)
    np.testing.assert_allclose(found.coefficients[0], best.x[:4], atol=2e-3)


def test_terms_go_with_their_interactions(survey):
    release, covariates = survey
    found = fit(release, "a", ["group*number"], covariates=covariates)
    smaller = fit(release, "a", ["group", "number"], covariates=covariates)
    alone = fit(release, "a", ["number"], covariates=covariates)
    assert found.compare(smaller).statistic == pytest.approx(found.test("group:number").statistic, abs=1e-6)
    assert (found.test("group").freedom, found.compare(alone).freedom) == (2, 2)
    assert found.test("group").statistic == pytest.approx(found.compare(alone).statistic, abs=1e-6)
    made = found.predict({"group": [0, 1], "number": 2})
    np.testing.assert_allclose(made.values[:, 1], logit(found.coefficients[0] @ np.array([[1, 0, 2, 0], [1, 1, 2, 2]]).T))
    both = fit(release, "y", ["a*group"], covariates=covariates)
    np.testing.assert_allclose(both.predict({"a": ["yes"], "group": 1}).values[0, 1], logit(both.coefficients[0].sum()))
    assert both.naive.terms == both.terms
