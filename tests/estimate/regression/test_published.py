"""Regressions that were published, or that another package gives."""

import csv
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

import rrcore as rr
from rrcore.designs import forced_response
from rrcore.estimate.regression import fit
from rrcore.estimate.sample import Sample

DATA = Path(__file__).parents[4] / "shared" / "data" / "nigeria_forced_response.csv"
SIXTH = Fraction(1, 6)
FORMULA = "armed ~ age + age^2 + assets + married + education > 3"
RR_COEFFICIENTS = [-1.10451, -0.04404, 0.00056, 0.05876, -0.25604, 0.79374]
RR_ERRORS = [0.53464, 0.02631, 0.00026, 0.04099, 0.24895, 0.26390]
"""R package rr 1.4.2, rrreg of rr.q1 with design "forced-known", p = 2/3, p1 = p0 = 1/6."""


@pytest.fixture(scope="module")
def nigeria():
    """The survey of the Niger Delta, person by person: who answered, and the covariates."""
    if not DATA.exists():
        pytest.skip("nigeria_forced_response.csv is not next to the repository, so the published regression cannot be repeated.")
    rows = [row for row in csv.DictReader(DATA.open(encoding="utf-8")) if row["rr.q1"] in ("0", "1")]
    schema = rr.Schema((rr.Attribute("armed", ("no", "yes")),))
    mechanism = rr.MechanismFile(schema, (((0,), forced_response(Fraction(2, 3), SIXTH, SIXTH)),))
    codes = np.array([[int(row["rr.q1"])] for row in rows], dtype=np.int32)
    names = {
        "age": "cov.age",
        "assets": "cov.asset.index",
        "married": "cov.married",
        "education": "cov.education",
        "female": "cov.female",
    }
    covariates = {name: [row[own] for row in rows] for name, own in (names | {"civic": "civic"}).items()}
    return rr.Release(rr.Dataset(schema, codes), mechanism), covariates


@pytest.fixture(scope="module")
def regression(nigeria):
    release, covariates = nigeria
    return fit(FORMULA, release, covariates=covariates)


def test_coefficients_of_the_niger_delta_are_those_of_rr(regression):
    assert regression.nobs == 2423
    np.testing.assert_allclose(regression.estimate, RR_COEFFICIENTS, atol=1e-3)
    assert regression.estimate[2] == pytest.approx(0.00056, abs=1e-5)  # a thousandth would be no test of it


def test_errors_by_the_outer_product_of_scores_are_those_of_rr(nigeria, regression):
    """rr takes the outer product B of the scores. The sandwich covariance is S = C B C, so the inverse of B is C S^-1 C."""
    release, covariates = nigeria
    sandwich = fit(FORMULA, replace(release, sample=Sample(np.ones(release.n))), covariates=covariates)
    n, simple = sandwich.nobs, regression.covariance
    product = simple @ np.linalg.inv(sandwich.covariance) @ simple * n / (n - 1)
    np.testing.assert_allclose(np.sqrt(np.diag(product)), RR_ERRORS, rtol=5e-4, atol=5e-6)  # to the digits that rr prints


def test_the_randomized_answers_show_about_half_of_every_effect(nigeria, regression):
    release, covariates = nigeria
    ratio = fit(FORMULA, release, covariates=covariates, naive=True).estimate[1:] / regression.estimate[1:]
    assert ((ratio > 0.45) & (ratio < 0.7)).all()


def test_joining_a_civic_group_depends_on_the_true_answer(nigeria):
    """Blair, Imai and Zhou (2015), table 4. rr's rrreg.predictor (glm in place of bayesglm, stopped at 1e-9) arrives at RR below.

    Its M-step leaves out what is known of people who were forced to an answer, so it ends below the maximum of its own likelihood.
    """
    release, covariates = nigeria
    formula = "civic ~ assets + married + age + age^2 + education + female + armed"
    found = fit(formula, release, covariates=covariates)
    theirs = np.array([-3.05582927, 0.11345803, 0.27551131, 0.106099243, -0.0011531495, 0.08548022, -0.02474176, 0.40006125])
    given = np.array([-0.40345690, 0.08853264, -0.29082997, -0.033185812, 0.0004016757, -0.01248003, -0.56224236])
    columns = {
        name: np.array([float(value) if value else np.nan for value in covariates[name]])
        for name in covariates
        if name != "civic"
    }
    x = np.stack(
        [
            np.ones(release.n),
            columns["assets"],
            columns["married"],
            columns["age"],
            columns["age"] ** 2,
            columns["education"],
            columns["female"],
        ],
        axis=1,
    )
    kept = ~np.isnan(x).any(axis=1) & np.array([value in ("True", "False") for value in covariates["civic"]])
    x, y = x[kept], (np.array(covariates["civic"]) == "True")[kept]
    said = release.dataset.codes[kept, 0] == 1

    def value(outcome, share):
        total = 0.0
        armed = 1 / (1 + np.exp(-x @ share))
        for true, chance in ((1, armed), (0, 1 - armed)):
            joined = 1 / (1 + np.exp(-(x @ outcome[:7] + outcome[7] * true)))
            yes = 1 / 6 + 2 / 3 * true
            total = total + chance * np.where(said, yes, 1 - yes) * np.where(y, joined, 1 - joined)
        return float(np.log(total).sum())

    mine, scale = found.estimate, np.abs(x).mean(axis=0)
    nuisance = minimize(lambda share: -value(mine, share / scale), given * scale, method="BFGS", options={"gtol": 1e-6}).x / scale
    assert value(mine, nuisance) == pytest.approx(found.llf, abs=1e-5)
    assert found.llf > value(theirs, given) + 0.5
    assert abs(mine[7] - theirs[7]) < 0.1 * found.bse["armed: yes"]
    assert found.bse["armed: yes"] == pytest.approx(0.16182, rel=0.03)
