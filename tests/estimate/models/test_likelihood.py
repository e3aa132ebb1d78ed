"""Value, score and observed information against the sum written out person by person and truth by truth, and against differences."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2

import rrcore as rr
from rrcore.estimate.models import dense_channel, fit
from rrcore.estimate.models.building import build_problem
from rrcore.estimate.models.covariates import read_covariates
from rrcore.estimate.models.model import Model
from rrcore.estimate.models.solution import maximise
from rrcore.estimate.models.terms import Term

SCHEMA = rr.Schema((rr.Attribute("a", ("no", "yes")), rr.Attribute("b", ("x", "y", "z")), rr.Attribute("c", ("no", "yes"))))


def survey(seed=0, n=40):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, size, n) for size in SCHEMA.sizes], axis=1).astype(np.int32)
    release = rr.perturb(rr.Dataset(SCHEMA, codes), rr.build("pair-safe", SCHEMA.sizes, [2.0, 2.0, 2.0]), rng=rng)
    covariates = {"age": rng.normal(40, 9, n), "region": rng.choice(["north", "south", "west"], n), "income": rng.normal(5, 2, n)}
    return release, covariates


def problem_of(outcome, predictors, n=40, **model):
    release, covariates = survey(n=n)
    terms = tuple(Term(name) for name in predictors)
    return build_problem([release], Model(outcome, terms, **model), read_covariates(covariates, release.n))


CASES = [
    problem_of("c", ["age", "region"]),
    problem_of("b", ["age"]),
    problem_of("c", ["a", "b", "age"]),
    problem_of("c", ["a", "b", "age"], association="full"),
    problem_of("b", ["a", "age", "region"]),
    problem_of("region", ["a", "b", "age"]),
    problem_of("income", ["a", "b", "age"], family="normal"),
]


@pytest.mark.parametrize("problem", CASES, ids=lambda problem: f"{problem.model.outcome} on {', '.join(problem.model.names)}")
def test_score_and_information_are_the_derivatives(problem):
    likelihood = problem.likelihood()
    rng = np.random.default_rng(1)
    theta = rng.normal(scale=0.3, size=int(likelihood.free.sum()))
    at = likelihood.derivatives(theta)
    steps = np.eye(len(theta)) * 1e-5
    slope = [(likelihood.derivatives(theta + step).value - likelihood.derivatives(theta - step).value) / 2e-5 for step in steps]
    np.testing.assert_allclose(at.score, slope, atol=1e-5 * max(1, np.abs(at.score).max()))
    bend = [(likelihood.derivatives(theta + step).score - likelihood.derivatives(theta - step).score) / 2e-5 for step in steps]
    np.testing.assert_allclose(at.information, -np.array(bend), atol=1e-6 * np.abs(at.information).max())
    np.testing.assert_allclose(likelihood.scores(theta).T @ likelihood.weights, at.score, atol=1e-8)
    if problem.amount is None:
        assert np.linalg.eigvalsh(at.complete).min() > -1e-9  # what makes a step of EM lead upwards


@pytest.mark.parametrize(
    ("outcome", "predictors", "family"),
    [("c", ["a", "age"], "logistic"), ("region", ["a", "age"], "logistic"), ("income", ["a"], "normal")],
)
def test_many_people_are_gone_through_a_part_at_a_time(outcome, predictors, family, monkeypatch):
    likelihood = problem_of(outcome, predictors, 300, family=family).likelihood()
    theta = np.random.default_rng(1).normal(scale=0.3, size=int(likelihood.free.sum()))
    whole, scores = likelihood.derivatives(theta), likelihood.scores(theta)
    monkeypatch.setattr("rrcore.estimate.models.likelihood._BLOCK", 1)
    assert len(list(likelihood._blocks())) == 5
    for one, parts in zip(whole, likelihood.derivatives(theta), strict=True):
        np.testing.assert_allclose(parts, one, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(likelihood.scores(theta), scores, rtol=1e-10, atol=1e-12)


def test_the_value_is_the_sum_over_true_answers_written_out():
    release, covariates = survey(6, 300)
    found = fit(release, "c", ["a", "b", "age"], covariates=covariates, association="full")
    solved = found._solved
    channel = dense_channel(release.channel(["a", "b", "c"])).reshape(*SCHEMA.sizes, *SCHEMA.sizes)
    total = 0.0
    for (a, b, c), age in zip(release.dataset.codes, covariates["age"], strict=True):
        x = np.array([1.0, age])
        linear = np.append(0.0, solved.coefficients[:5] @ x)
        shares = np.exp(linear) / np.exp(linear).sum()
        chance = 0.0
        for cell, (ta, tb) in enumerate(product(range(2), range(3))):
            mean = found.coefficients[0] @ [1.0, ta, tb == 1, tb == 2, age]
            yes = 1 / (1 + np.exp(-mean))
            chance += sum(channel[a, b, c, ta, tb, tc] * shares[cell] * (yes if tc else 1 - yes) for tc in range(2))
        total += np.log(chance)
    assert found.log_likelihood == pytest.approx(total, abs=1e-8)


def test_plain_em_arrives_at_the_same_coefficients():
    """The slow version of what the search does: truth weighted by its posterior, then an ordinary weighted regression (by Newton)."""
    release, covariates = survey(2, 400)
    found = fit(release, "c", ["age"], covariates=covariates)
    x = np.stack([np.ones(release.n), covariates["age"]], axis=1)
    chance = dense_channel(release.channel(["c"]))[release.dataset.codes[:, 2]]
    beta = np.zeros(2)
    for _ in range(3_000):
        yes = 1 / (1 + np.exp(-x @ beta))
        joint = chance * np.stack([1 - yes, yes], axis=1)
        posterior = joint[:, 1] / joint.sum(axis=1)
        for _ in range(2):
            yes = 1 / (1 + np.exp(-x @ beta))
            beta = beta + np.linalg.solve((x * (yes * (1 - yes))[:, None]).T @ x, x.T @ (posterior - yes))
    np.testing.assert_allclose(found.coefficients[0], beta, atol=1e-5)


def test_people_who_are_alike_count_together():
    release, covariates = survey(3, 300)
    covariates["age"] = np.round(covariates["age"] / 10)
    problem = build_problem([release], Model("c", (Term("a"), Term("age"))), read_covariates(covariates, release.n))
    assert problem.likelihood().x.shape[0] < 100
    assert problem.likelihood().weights.sum() == 300


@pytest.mark.slow
def test_without_randomisation_it_is_an_ordinary_regression():
    statsmodels = pytest.importorskip(
        "statsmodels.api", reason="statsmodels is not installed, so there is no peer to compare with."
    )
    release, covariates = survey(4, 500)
    true = np.array(["north", "south", "west"])
    x = np.stack([np.ones(500), covariates["age"], covariates["income"]], axis=1)
    y = np.searchsorted(true, covariates["region"])
    peer = statsmodels.MNLogit(y, x).fit(disp=False)
    found = fit(release, "region", ["age", "income"], covariates=covariates)
    np.testing.assert_allclose(found.coefficients, peer.params.T, atol=1e-6)
    np.testing.assert_allclose(found.standard_errors, peer.bse.T, rtol=1e-5)
    assert found.log_likelihood == pytest.approx(peer.llf)
    assert found.naive is None
    least = statsmodels.OLS(covariates["income"], x[:, :2]).fit()
    for family in ("linear", "normal"):
        np.testing.assert_allclose(
            fit(release, "income", ["age"], family=family, covariates=covariates).coefficients[0], least.params, atol=1e-6
        )
    robust = least.get_robustcov_results("HC0")
    linear = fit(release, "income", ["age"], family="linear", covariates=covariates)
    np.testing.assert_allclose(linear.standard_errors[0], robust.bse, rtol=2e-3)  # ours has n / (n - 1)
    smaller = statsmodels.MNLogit(y, x[:, [0, 2]]).fit(disp=False)
    test = found.test("age")
    assert (test.kind, test.freedom) == ("likelihood ratio", 2)
    assert test.p_value == pytest.approx(chi2.sf(2 * (peer.llf - smaller.llf), 2), abs=1e-6)


@pytest.mark.parametrize("seed", [1, 4, 5])
def test_a_climb_from_where_next_to_nothing_is_observed_does_not_creep(seed):
    """Steps of EM take 39 to 45 here, and with one sample of 500 more than 300."""
    titanic, rng = rr.load_demo("titanic"), np.random.default_rng(seed)
    release = rr.perturb(titanic.select(["Sex", "Survived"]), rr.build("pair-safe", (2, 2), [2.0, 2.0]), rng=rng)
    beside = {"Class": titanic.to_pandas()["Class"].to_numpy(), "age": rng.integers(18, 60, titanic.n)}
    terms = Term("Sex"), Term("Class"), Term("age"), Term("age", power=2)
    problem = build_problem([release], Model("Survived", terms), read_covariates(beside, release.n))
    likelihood = problem.likelihood(("Class",))
    top = maximise(likelihood, np.zeros(int(likelihood.free.sum())))
    far = top.theta.copy()
    far[[0, 3]] -= 4  # hardly a woman in any class
    found = maximise(likelihood, far)
    assert found.converged
    assert found.steps < 20
    np.testing.assert_allclose(found.at.value, top.at.value, atol=1e-6)
