"""Value, score and observed information against the sum written out person by person and truth by truth, and against differences."""

from itertools import product

import numpy as np
import pytest

import rrcore as rr
from rrcore.budget import build
from rrcore.estimate.regression import _climb, _design, _Likelihood, _standardized, fit

SCHEMA = rr.Schema((rr.Attribute("a", ("no", "yes")), rr.Attribute("b", ("x", "y", "z")), rr.Attribute("c", ("no", "yes"))))


def survey(seed=0, n=40):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, size, n) for size in SCHEMA.sizes], axis=1).astype(np.int32)
    release = rr.simulate(rr.Dataset(SCHEMA, codes), build("preserving-2", SCHEMA.sizes, [2.0, 2.0, 2.0]), rng=rng)
    covariates = {"age": rng.normal(40, 9, n), "region": rng.choice(["north", "south", "west"], n), "income": rng.normal(5, 2, n)}
    return release, covariates


def likelihood_of(formula, release, covariates):
    design = _design(formula, release, "logistic", {}, covariates, False)
    return _Likelihood.of(design, _standardized(design)[0])


FORMULAS = [
    "c ~ age + region",
    "b ~ age",
    "c ~ a + b + age",
    "c ~ a*b + a:age + age",
    "b ~ a + age + region",
    "region ~ a + b + age",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_score_and_information_are_the_derivatives(formula):
    likelihood = likelihood_of(formula, *survey())
    rng = np.random.default_rng(1)
    theta = rng.normal(scale=0.3, size=int(likelihood.free.sum()))
    at = likelihood.derivatives(theta)
    steps = np.eye(len(theta)) * 1e-5
    slope = [(likelihood.derivatives(theta + step).value - likelihood.derivatives(theta - step).value) / 2e-5 for step in steps]
    np.testing.assert_allclose(at.score, slope, atol=1e-5 * max(1, np.abs(at.score).max()))
    bend = [(likelihood.derivatives(theta + step).score - likelihood.derivatives(theta - step).score) / 2e-5 for step in steps]
    np.testing.assert_allclose(at.information, -np.array(bend), atol=1e-6 * np.abs(at.information).max())
    np.testing.assert_allclose(likelihood.scores(theta).T @ likelihood.weights, at.score, atol=1e-8)
    assert np.linalg.eigvalsh(at.complete).min() > -1e-9  # this makes a step of EM lead upwards


@pytest.mark.parametrize("formula", ["c ~ a + age", "region ~ a + age"])
def test_many_people_are_gone_through_a_part_at_a_time(formula, monkeypatch):
    likelihood = likelihood_of(formula, *survey(n=300))
    theta = np.random.default_rng(1).normal(scale=0.3, size=int(likelihood.free.sum()))
    whole, scores = likelihood.derivatives(theta), likelihood.scores(theta)
    monkeypatch.setattr("rrcore.estimate.regression._BLOCK", 1)
    assert len(list(likelihood._parts(theta))) == 5
    for one, parts in zip(whole, likelihood.derivatives(theta), strict=True):
        np.testing.assert_allclose(parts, one, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(likelihood.scores(theta), scores, rtol=1e-10, atol=1e-12)


def test_the_value_is_the_sum_over_true_answers_written_out():
    release, covariates = survey(n=300)
    likelihood = likelihood_of("c ~ a + b + age", release, covariates)
    theta = np.random.default_rng(1).normal(scale=0.3, size=int(likelihood.free.sum()))
    channel = release.channel(["a", "b", "c"]).push(np.eye(12).reshape(*SCHEMA.sizes, 12)).reshape(*SCHEMA.sizes, *SCHEMA.sizes)
    ages = (covariates["age"] - covariates["age"].mean()) / covariates["age"].std()
    (of_a, of_b, of_c), pairs = (theta[:2], theta[2:6].reshape(2, 2), theta[8:]), theta[6:8]
    total = 0.0
    for (a, b, c), age in zip(release.dataset.codes, ages, strict=True):
        x, chance, whole = np.array([1.0, age]), 0.0, 0.0
        for ta, tb in product(range(2), range(3)):
            share = np.exp(ta * of_a @ x + (of_b[tb - 1] @ x if tb else 0) + (pairs[tb - 1] if ta and tb else 0))
            yes = 1 / (1 + np.exp(-(of_c @ [1.0, age, ta, tb == 1, tb == 2])))
            chance += sum(channel[a, b, c, ta, tb, tc] * share * (yes if tc else 1 - yes) for tc in range(2))
            whole += share
        total += np.log(chance / whole)
    assert likelihood.derivatives(theta).value == pytest.approx(total, abs=1e-8)


def test_plain_em_arrives_at_the_same_coefficients():
    """The slow version of what the search does: truth weighted by its posterior, then an ordinary weighted regression (by Newton)."""
    release, covariates = survey(2, 400)
    found = fit("c ~ age", release, covariates=covariates)
    x = np.stack([np.ones(release.n), covariates["age"]], axis=1)
    chance = release.channel(["c"]).push(np.eye(2))[release.dataset.codes[:, 2]]
    beta = np.zeros(2)
    for _ in range(3_000):
        yes = 1 / (1 + np.exp(-x @ beta))
        joint = chance * np.stack([1 - yes, yes], axis=1)
        posterior = joint[:, 1] / joint.sum(axis=1)
        for _ in range(2):
            yes = 1 / (1 + np.exp(-x @ beta))
            beta = beta + np.linalg.solve((x * (yes * (1 - yes))[:, None]).T @ x, x.T @ (posterior - yes))
    np.testing.assert_allclose(found.estimate, beta, atol=1e-5)


def test_people_who_are_alike_count_together():
    release, covariates = survey(3, 300)
    covariates["age"] = np.round(covariates["age"] / 10)
    likelihood = likelihood_of("c ~ a + age", release, covariates)
    assert likelihood.x.shape[0] < 100
    assert likelihood.weights.sum() == 300


def test_without_randomization_it_is_an_ordinary_regression():
    statsmodels = pytest.importorskip(
        "statsmodels.api", reason="statsmodels is not installed, so there is no peer to compare with."
    )
    release, covariates = survey(4, 500)
    true = np.array(["north", "south", "west"])
    x = np.stack([np.ones(500), covariates["age"], covariates["income"]], axis=1)
    peer = statsmodels.MNLogit(np.searchsorted(true, covariates["region"]), x).fit(disp=False, tol=1e-12)
    found = fit("region ~ age + income", release, covariates=covariates)
    np.testing.assert_allclose(found.estimate, peer.params.T.ravel(), atol=2e-6)
    np.testing.assert_allclose(found.std_error, peer.bse.T.ravel(), rtol=1e-5)
    assert found.llf == pytest.approx(peer.llf)
    least = statsmodels.OLS(covariates["income"], x[:, :2]).fit()
    linear = fit("income ~ age", release, kind="linear", covariates=covariates)
    np.testing.assert_allclose(linear.estimate, least.params, atol=1e-6)
    robust = least.get_robustcov_results("HC0")
    np.testing.assert_allclose(linear.std_error, robust.bse, rtol=2e-3)  # ours has n / (n - 1)


@pytest.mark.parametrize("seed", [1, 4, 5])
def test_a_climb_from_where_next_to_nothing_is_observed_does_not_creep(seed):
    titanic, rng = rr.load_demo("titanic"), np.random.default_rng(seed)
    release = rr.simulate(titanic.select(["Sex", "Survived"]), build("preserving-2", (2, 2), [2.0, 2.0]), rng=rng)
    columns = {"age": rng.integers(18, 60, titanic.n)}
    formula = "Survived ~ Sex + age + age^2"
    likelihood = likelihood_of(formula, release, columns)
    top, at, _ = _climb(likelihood, np.zeros(int(likelihood.free.sum())))
    far = top.copy()
    far[0] -= 4  # hardly a woman
    _, found, steps = _climb(likelihood, far)
    assert steps < 20
    np.testing.assert_allclose(found.value, at.value, atol=1e-6)
