"""Regressions that were published, or that another package gives."""

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import rrcore as rr
from rrcore.designs import forced_response
from rrcore.estimate.models import fit
from rrcore.promise.weights import MatrixWeights

DATA = Path(__file__).parents[4] / "shared" / "data" / "nigeria_forced_response.csv"
SIXTH = Fraction(1, 6)
TERMS = ["age", "age^2", "assets", "married", "education > 3"]
RR_COEFFICIENTS = [-1.10451, -0.04404, 0.00056, 0.05876, -0.25604, 0.79374]
RR_ERRORS = [0.53464, 0.02631, 0.00026, 0.04099, 0.24895, 0.26390]
"""R package rr 1.4.2, rrreg of rr.q1 with design "forced-known", p = 2/3, p1 = p0 = 1/6."""


@pytest.fixture(scope="module")
def nigeria():
    """The survey of the Niger Delta, person by person: who answered, and the covariates."""
    if not DATA.exists():
        pytest.skip("nigeria_forced_response.csv is not beside the repository, so the published regression cannot be repeated.")
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
    return fit(release, "armed", TERMS, covariates=covariates)


def test_coefficients_of_the_niger_delta_are_those_of_rr(regression):
    assert regression.n == 2423
    np.testing.assert_allclose(regression.coefficients[0], RR_COEFFICIENTS, atol=1e-3)
    assert regression.coefficients[0, 2] == pytest.approx(0.00056, abs=1e-5)  # a thousandth would be no test of it


def test_errors_by_the_outer_product_of_scores_are_those_of_rr(regression):
    np.testing.assert_allclose(regression.score_errors[0], RR_ERRORS, rtol=0.03)
    np.testing.assert_allclose(regression.score_errors[0], RR_ERRORS, rtol=5e-4, atol=5e-6)  # to the digits that rr prints


@pytest.mark.xfail(
    strict=True,
    reason="rr takes the outer product of scores; the observed information gives 0.52661 0.02679 0.00028 0.03880 0.23480 0.25731, which is "
    "-1.5, +1.8, +7.4, -5.3, -5.7 and -2.5 % off",
)
def test_errors_by_the_observed_information_are_within_three_per_cent_of_those_of_rr(regression):
    np.testing.assert_allclose(regression.standard_errors[0], RR_ERRORS, rtol=0.03)


def test_the_released_answers_show_about_half_of_every_effect(regression):
    ratio = regression.naive.coefficients[0, 1:] / regression.coefficients[0, 1:]
    assert ((ratio > 0.45) & (ratio < 0.7)).all()


def test_joining_a_civic_group_depends_on_the_true_answer(nigeria):
    """Blair, Imai and Zhou (2015), table 4. rr's rrreg.predictor (glm in place of bayesglm, stopped at 1e-9) arrives at RR below.

    Its M-step leaves out what is known of people who were forced to an answer, so it ends below the maximum of its own likelihood.
    """
    release, covariates = nigeria
    found = fit(release, "civic", ["assets", "married", "age", "age^2", "education", "female", "armed"], covariates=covariates)
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

    nuisance = found._solved.coefficients[0]
    mine = found.coefficients[0]
    assert value(mine, nuisance) == pytest.approx(found.log_likelihood, abs=1e-6)
    assert found.log_likelihood > value(theirs, given) + 0.5
    assert abs(mine[7] - theirs[7]) < 0.1 * found.standard_errors[0, 7]
    assert found.standard_errors[0, 7] == pytest.approx(0.16182, rel=0.03)


MINARETS = {
    1: {-5: (2, 3), -4: (6, 11), -3: (18, 39), -2: (36, 57), -1: (24, 47),
        0: (63, 124), 1: (17, 41), 2: (16, 29), 3: (6, 15), 4: (3, 3), 5: (0, 4)},
    2: {-5: (5, 3), -4: (11, 12), -3: (37, 30), -2: (73, 49), -1: (39, 43),
        0: (81, 138), 1: (31, 49), 2: (9, 46), 3: (7, 18), 4: (0, 3), 5: (1, 7)},
}  # fmt: skip
"""Radukic and Musch (2014), data of the R package RRreg: group -> political orientation (-5 left to 5 right) -> people who said no, yes."""


def minarets():
    """Whether minarets should be banned, asked by the stochastic lie detector with p = 2/12 and 10/12."""
    schema = rr.Schema((rr.Attribute("ban", ("no", "yes")),))
    releases, covariates = [], []
    for group, sixths in ((1, 1), (2, 5)):
        counts = MINARETS[group]
        codes = np.concatenate([np.repeat([0, 1], counts[place]) for place in counts])
        orientation = np.concatenate([np.full(sum(counts[place]), place) for place in counts])
        mechanism = rr.MechanismFile(schema, (((0,), MatrixWeights(((sixths, 6 - sixths), (0, 6)))),))
        releases.append(rr.Release(rr.Dataset(schema, codes[:, None].astype(np.int32)), mechanism))
        covariates.append({"right": orientation})
    return releases, covariates


def test_the_lie_detector_of_minarets_is_that_of_rrreg():
    """RRreg 0.7.5, RRlog with model "SLD" of the response on the orientation: coefficients, t, their errors and the log-likelihood."""
    releases, covariates = minarets()
    found = fit(releases, "ban", ["right"], covariates=covariates, always="no", refusing="others")
    np.testing.assert_allclose(found.coefficients[0], [2.10399848, 0.57443927], atol=2e-3)  # its search stops a little early
    np.testing.assert_allclose(found.standard_errors[0], [0.383851898, 0.146459677], rtol=0.01)
    share, error = found.refusals
    assert 1 - share == pytest.approx(0.65299725, abs=5e-4)
    assert error == pytest.approx(0.018053037, rel=0.01)
    assert found.log_likelihood == pytest.approx(-822.76858, abs=1e-3)
    assert found.log_likelihood >= -822.76859
