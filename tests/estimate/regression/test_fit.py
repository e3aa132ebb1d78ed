"""What a regression offers, and what it refuses."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm, t

import rrcore as rr
from rrcore.answers import nigeria
from rrcore.budget import build
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import Release, Rows
from rrcore.estimate.regression import fit, quoted, read_formula
from rrcore.estimate.sample import Sample
from rrcore.promise import MechanismFile
from rrcore.promise.weights import MatrixWeights
from rrcore.table.scanning import count

_spec = importlib.util.spec_from_file_location("surveys", Path(__file__).with_name("surveys.py"))
surveys = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(surveys)


@pytest.fixture(scope="module")
def die():
    """1,000 people who answer two questions with a die each, with columns that were not randomized."""
    rng = np.random.default_rng(0)
    age, region = rng.integers(2, 8, 1_000) * 10, rng.choice(["north", "south", "west"], 1_000)
    first = surveys.drawn(rng, -1 + 0.02 * age)
    second = surveys.drawn(rng, -0.5 + 0.8 * first, -0.8 + 0.3 * (region == "west"))
    release = surveys.released(rng, {"a": surveys.YES, "b": ("x", "y", "z")}, [first, second])
    income = 2 + first + 0.05 * age + rng.normal(size=1_000)
    return release, {"age": age, "region": region, "income": income, "club": surveys.drawn(rng, first - 0.5)}


@pytest.mark.parametrize(
    ("formula", "terms"),
    [
        ("y ~ age", ["age"]),
        ("y ~ age^2 + age", ["age^2", "age"]),
        ("y ~ age:sex + age + sex + 1", ["age", "sex", "age:sex"]),
        ("y ~ age >= 4*sex + age>=4", ["age >= 4", "sex", "age >= 4:sex"]),
        ("y ~ age*sex*town", ["age", "sex", "town", "age:sex", "age:town", "sex:town", "age:sex:town"]),
        ("y ~ odd^2 + `a: b + c`*C(age)", ["odd^2", "a: b + c", "age", "a: b + c:age"]),
    ],
)
def test_formulas_are_read(formula, terms):
    known = ["y", "age", "sex", "town", "odd^2", "a: b + c"]
    outcome, found = read_formula(formula, known)
    assert (outcome, [":".join(factor.text for factor in term) for term in found]) == ("y", terms)


@pytest.mark.parametrize("name", ["plain name", "a~b", "5:3 + `x`", "C(x)"])
def test_quoted_names_are_read_back(name):
    outcome, ((factor,),) = read_formula(f"{quoted(name)} ~ x*x", [name, "x"])
    assert (outcome, factor.column) == (name, "x")


def test_collected_answers_bring_their_columns():
    found = fit("connected to an armed group ~ education > 3", nigeria())
    assert found.labels["term"] == ["Intercept", "education > 3"]
    assert (found.nobs, bool(found.note)) == (2434, True)
    naive = fit("connected to an armed group ~ education > 3", nigeria(), naive=True)
    assert 0.45 < naive.params["education > 3"] / found.params["education > 3"] < 0.7


def test_the_reference_only_turns_signs(die):
    release, covariates = die
    found = fit("a ~ age", release, covariates=covariates)
    turned = fit("a ~ age", release, covariates=covariates, reference={"a": "yes"})
    np.testing.assert_allclose(found.estimate, -turned.estimate, atol=1e-6)
    assert (found.answers, found.reference, turned.answers, turned.reference) == (("yes",), "no", ("no",), "yes")
    south = fit("a ~ region", release, covariates=covariates, reference={"region": "south"})
    assert south.labels["term"] == ["Intercept", "region: north", "region: west"]
    first = fit("club ~ b + age", release, covariates=covariates)
    second = fit("club ~ b + age", release, covariates=covariates, reference={"b": "y"})
    assert second.labels["term"] == ["Intercept", "b: x", "b: z", "age"]
    assert second.llf == pytest.approx(first.llf, abs=1e-6)
    assert second.params["b: x"] == pytest.approx(-first.params["b: y"], abs=1e-4)


def test_results_are_named_as_in_statsmodels(die):
    release, covariates = die
    found = fit("b ~ age + region", release, covariates=covariates)
    assert list(found.params.index)[:2] == [("y", "Intercept"), ("y", "age")]
    for labeled in (found.bse, found.pvalues, found.conf_int()):
        assert list(labeled.index) == list(found.params.index)
    np.testing.assert_allclose(found.params, found.estimate)
    np.testing.assert_allclose(found.bse, np.sqrt(np.diag(found.covariance)))
    np.testing.assert_allclose(found.pvalues, 2 * norm.sf(np.abs(found.params / found.bse)))
    half = norm.ppf(0.95) * found.bse
    np.testing.assert_allclose(found.conf_int(0.1), np.stack([found.params - half, found.params + half], axis=1))
    narrow = fit("b ~ age + region", release, covariates=covariates, confidence=0.9)
    np.testing.assert_allclose(found.conf_int(0.1)["conf_low"], narrow.conf_low)
    frame = found.to_pandas()
    assert list(frame) == ["outcome", "term", "p_value", "estimate", "std_error", "conf_low", "conf_high"]
    assert list(frame["term"][:4]) == ["Intercept", "age", "region: south", "region: west"]
    assert found.to_csv().startswith(",".join(frame))
    assert "region: west" in found._repr_html_()
    assert len(found.summary().splitlines()) == 2 + len(found.params)


def test_interactions_have_the_likelihood_written_out():
    """Of a randomized predictor and a column, and of two randomized predictors: the maximum found by another program."""
    rng, n = np.random.default_rng(4), 1_500
    group = surveys.drawn(rng, np.zeros(n))
    a = surveys.drawn(rng, -0.2 + 0.5 * group)
    b = surveys.drawn(rng, 0.3 - 0.6 * a)
    y = surveys.drawn(rng, -0.5 + 0.8 * a - 0.4 * group + 1.2 * a * group - 0.5 * b + 0.9 * a * b)
    release = surveys.released(rng, {"a": surveys.YES, "b": surveys.YES}, [a, b])
    covariates = {"group": group, "y": y}
    alone = release.channel(["a"]).push(np.eye(2))[release.dataset.codes[:, 0]]

    def one(theta):
        share = surveys.logistic(theta[4] + theta[5] * group)
        total = 0
        for true, chance in ((0, 1 - share), (1, share)):
            outcome = surveys.logistic(theta[0] + theta[1] * true + theta[2] * group + theta[3] * true * group)
            total = total + alone[:, true] * chance * np.where(y, outcome, 1 - outcome)
        return -np.log(total).sum()

    together = release.channel(["a", "b"]).push(np.eye(4).reshape(2, 2, 4)).reshape(4, 4)[release.dataset.codes @ [2, 1]]

    def both(theta):
        shares = np.exp([0.0, theta[4], theta[5], theta[4] + theta[5] + theta[6]])
        outcome = surveys.logistic(theta[0] + np.array([0, theta[2], theta[1], theta[1] + theta[2] + theta[3]]))
        given = np.where(y[:, None] == 1, outcome, 1 - outcome) * (shares / shares.sum())
        return -np.log((together * given).sum(axis=1)).sum()

    for formula, value, terms in (
        ("y ~ a*group", one, ["Intercept", "a: yes", "group", "a: yes × group"]),
        ("y ~ a*b", both, ["Intercept", "a: yes", "b: yes", "a: yes × b: yes"]),
    ):
        found = fit(formula, release, covariates=covariates)
        assert found.labels["term"] == terms
        best = minimize(value, np.zeros(6 if value is one else 7), method="BFGS", options={"gtol": 1e-6})
        np.testing.assert_allclose(found.estimate, best.x[:4], atol=2e-3)
        assert found.llf == pytest.approx(-best.fun, abs=1e-4)


@pytest.mark.parametrize("formula", ["income ~ a + age", "income ~ a*age + b"])
def test_units_of_amounts_and_columns_do_not_matter(die, formula):
    release, covariates = die
    found = fit(formula, release, kind="linear", covariates=covariates)
    other = covariates | {"income": 1e7 * covariates["income"] + 3e8, "age": 1e-4 * covariates["age"]}
    moved = fit(formula, release, kind="linear", covariates=other)
    for term in found.labels["term"][1:]:
        factor = 1e11 if "age" in term else 1e7
        assert moved.params[term] == pytest.approx(found.params[term] * factor, rel=1e-4)
        assert moved.bse[term] == pytest.approx(found.bse[term] * factor, rel=1e-4)


def test_a_linear_interaction_of_a_randomized_predictor_is_right_on_average():
    """20 surveys of 2,000 people: the mean of 20 estimates is within 4.5 of its standard errors. False alarm: 3 in 100,000."""
    rng, found = np.random.default_rng(8), []
    for _ in range(20):
        x = rng.normal(size=2_000)
        true = surveys.drawn(rng, 0.5 * x)
        release = surveys.released(rng, {"t": surveys.YES}, [true])
        y = 1 + 0.5 * x + 0.7 * true - 0.6 * true * x + rng.normal(size=2_000)
        found.append(fit("y ~ t*x", release, kind="linear", covariates={"x": x, "y": y}))
    estimates, errors = (np.array([getattr(each, name) for each in found]) for name in ("estimate", "std_error"))
    assert (np.abs(estimates.mean(axis=0) - [1, 0.7, 0.5, -0.6]) < 4.5 * errors.mean(axis=0) / np.sqrt(20)).all()
    ratio = estimates.std(axis=0, ddof=1) / errors.mean(axis=0)
    assert ((ratio > 0.4) & (ratio < 1.8)).all()  # chi of 19 degrees of freedom: 1 in 10,000 beyond


def test_a_linear_regression_of_randomized_scores_is_the_difference_of_estimated_means():
    rng, n = np.random.default_rng(9), 3_000
    group = rng.integers(0, 2, n)
    grade = surveys.drawn(rng, 0.2 + 0.4 * group, -0.5 + 0.8 * group)
    release = surveys.released(rng, {"grade": ("1", "2", "5")}, [grade])
    found = fit("grade ~ group", release, kind="linear", covariates={"group": group})
    shares = [
        rr.Release(rr.Dataset(release.schema, release.dataset.codes[group == g]), release.mechanism).estimate(["grade"]).shares
        for g in (0, 1)
    ]
    means = [share @ [1, 2, 5] for share in shares]
    np.testing.assert_allclose(found.estimate, [means[0], means[1] - means[0]], rtol=1e-9)
    alone = fit("grade ~ 1", release, kind="linear")
    assert alone.params["Intercept"] == pytest.approx(release.estimate(["grade"]).shares @ [1, 2, 5])


def test_counts_alone_give_what_the_records_give(die):
    release, _ = die
    counts = Release(count(release.dataset, [("a", "b")]), release.mechanism)
    for formula in ("a ~ b", "b ~ a"):
        whole, counted = (fit(formula, data) for data in (release, counts))
        np.testing.assert_allclose(counted.estimate, whole.estimate, atol=1e-8)
        np.testing.assert_allclose(counted.covariance, whole.covariance, atol=1e-8)
        assert (counted.nobs, counted.llf) == (1_000, pytest.approx(whole.llf))


def test_weights_count_people_and_clusters_widen_errors(die):
    release, covariates = die
    found = fit("a ~ age", release, covariates=covariates)
    twice = np.repeat(np.arange(1_000), 2)
    doubled = replace(release, data=rr.Dataset(release.schema, release.dataset.codes[twice]))
    columns = {name: column[twice] for name, column in covariates.items()}
    clustered = fit("a ~ age", replace(doubled, sample=Sample(np.ones(2_000), clusters=twice)), covariates=columns)
    weighted = fit("a ~ age", replace(release, sample=Sample(np.full(1_000, 2.0))), covariates=covariates)
    np.testing.assert_allclose(clustered.estimate, found.estimate, atol=1e-6)
    np.testing.assert_allclose(clustered.std_error, weighted.std_error, rtol=1e-6)
    np.testing.assert_allclose(weighted.std_error, found.std_error, rtol=0.1)
    half = replace(release, sample=Sample(1.0 * (np.arange(1_000) < 500)))
    assert fit("a ~ age", half, covariates=covariates).nobs == 500


@pytest.mark.parametrize(("formula", "kind"), [("a ~ age", "logistic"), ("income ~ a", "linear")])
def test_few_clusters_have_students_t(die, formula, kind):
    release, covariates = die
    sampled = replace(release, sample=Sample(np.ones(1_000), clusters=np.arange(1_000) % 6))
    found = fit(formula, sampled, kind=kind, covariates=covariates)
    reach = t.ppf(0.95, 5) * found.std_error
    ends = np.stack([found.estimate - reach, found.estimate + reach], axis=1)
    np.testing.assert_allclose(found.conf_int(0.1), ends)
    np.testing.assert_allclose(found.pvalues, 2 * t.sf(np.abs(found.estimate / found.std_error), 5))


def test_clustered_and_weighted_errors_are_those_of_statsmodels():
    """Without randomized attributes: sandwich errors with C / (C - 1) for C clusters, and weighted least squares."""
    sm = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed, so there is no peer to compare with.")
    rng, n = np.random.default_rng(6), 600
    x, cluster, weights = rng.normal(size=n), np.arange(n) // 15, rng.uniform(1, 3, n)
    y = x + np.repeat(rng.normal(size=40), 15) + rng.normal(size=n)
    release = surveys.released(rng, {"a": surveys.YES}, [surveys.drawn(rng, x)])
    sampled = replace(release, sample=Sample(weights, clusters=cluster))
    columns = {"x": x, "y": y, "high": (y > 0).astype(int)}
    design = sm.add_constant(x)
    groups = {"groups": cluster, "use_correction": False}
    linear = sm.WLS(y, design, weights=weights).fit(cov_type="cluster", cov_kwds=groups)
    logit = sm.GLM(columns["high"], design, family=sm.families.Binomial(), freq_weights=weights / weights.mean())
    with pytest.warns(sm.tools.sm_exceptions.SpecificationWarning):
        logistic = logit.fit(cov_type="cluster", cov_kwds=groups, tol=1e-12)
    for formula, kind, peer in (("y ~ x", "linear", linear), ("high ~ x", "logistic", logistic)):
        found = fit(formula, sampled, kind=kind, covariates=columns)
        np.testing.assert_allclose(found.estimate, peer.params, atol=2e-6)
        np.testing.assert_allclose(found.std_error, peer.bse * np.sqrt(40 / 39), rtol=2e-5)


def test_people_with_some_answers_missing_count_where_those_are_not_needed(die):
    release, covariates = die
    codes = release.dataset.codes.copy()
    codes[900:, 1] = -1
    split = replace(release, data=(Rows(release.schema, codes),))
    whole = fit("a ~ age", release, covariates=covariates)
    np.testing.assert_allclose(fit("a ~ age", split, covariates=covariates).estimate, whole.estimate, atol=1e-8)
    found = fit("b ~ age", split, covariates=covariates)
    assert (found.nobs, bool(found.note)) == (900, True)


def test_pandas_columns_and_missing_values_are_understood(die):
    import pandas as pd

    release, covariates = die
    frame = pd.DataFrame(covariates)
    frame.loc[:9, "age"] = np.nan
    frame.loc[10:19, "region"] = None
    found = fit("a ~ age + region", release, covariates=frame)
    kept = {name: column[20:] for name, column in covariates.items()}
    rest = replace(release, data=rr.Dataset(release.schema, release.dataset.codes[20:]))
    np.testing.assert_allclose(found.estimate, fit("a ~ age + region", rest, covariates=kept).estimate, atol=1e-8)
    assert found.nobs == 980


def test_more_reports_than_categories():
    """Three cards show two categories."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=3_000)
    true = surveys.drawn(rng, -0.3 + 0.8 * x)
    rows = ((6, 3, 1), (1, 3, 6))
    said = (rng.random((3_000, 1)) > np.cumsum(np.array(rows)[true] / 10, axis=1)).sum(axis=1)
    asked, reports = rr.Attribute("y", surveys.YES), rr.Attribute("y", ("red", "blue", "green"))
    mechanism = MechanismFile(rr.Schema((asked,)), (((0,), MatrixWeights(rows)),), reports=rr.Schema((reports,)))
    release = rr.Release(rr.Dataset(rr.Schema((reports,)), said[:, None].astype(np.int32)), mechanism)
    found = fit("y ~ x", release, covariates={"x": x})
    assert np.abs((found.estimate - [-0.3, 0.8]) / found.std_error).max() < 4
    with pytest.raises(InputError):
        fit("y ~ x", release, covariates={"x": x}, naive=True)


@pytest.mark.parametrize(
    ("formula", "options", "named"),
    [
        ("a", {}, "'a' is not a formula"),
        ("a ~ ages", {}, "'ages'"),
        ("z ~ age", {}, "'z'"),
        ("a ~ a", {}, "'a' is both"),
        ("a ~ region^2", {}, "'region' contains text"),
        ("a ~ age > 0", {}, "collinear: 'age > 0'"),
        ("a ~ age + copy", {}, "'age', 'copy'"),
        ("a ~ constant", {}, "'constant' has 1 categor"),
        ("club ~ b^2", {}, "'b' was randomized"),
        ("a ~ age", {"kind": "linear"}, "categories of 'a' are not numbers"),
        ("income ~ age", {}, "'income' has 1,000"),
        ("a ~ region", {"reference": {"region": "east"}}, "'east'"),
        ("a ~ age", {"reference": {"a": "maybe"}}, "'maybe'"),
        ("a ~ age", {"kind": "probit"}, "'probit'"),
        ("a ~ age + age:region", {}, "also needs 'region'"),
    ],
)
def test_what_cannot_be_fitted_is_refused(die, formula, options, named):
    release, covariates = die
    covariates = covariates | {"copy": covariates["age"] * 2 + 1, "constant": np.full(1_000, "same")}
    with pytest.raises(InputError, match=named):
        fit(formula, release, covariates=covariates, **options)


@pytest.mark.parametrize("least", [0, 15])
def test_separation_has_no_finite_estimate(least):
    """Nobody of the second group says yes, or fewer people than the die alone makes say so."""
    group = np.repeat([0.0, 1.0], 100)
    said = np.concatenate([np.tile([0, 1], 50), np.arange(100) < least])
    schema = rr.Schema((rr.Attribute("y", surveys.YES),))
    release = rr.Release(rr.Dataset(schema, said[:, None].astype(np.int32)), MechanismFile(schema, (((0,), surveys.FORCED),)))
    with pytest.raises(InputError, match="no finite estimate"):
        fit("y ~ group", release, covariates={"group": group})


def test_what_the_mechanism_erases_is_refused():
    rng = np.random.default_rng(4)
    codes = [surveys.drawn(rng, np.zeros(500)) for _ in range(3)]
    release = surveys.released(rng, dict.fromkeys("abc", surveys.YES), codes, build("optimal", (2, 2, 2), [0.5] * 3))
    with pytest.raises(NotIdentifiableError, match="association of 'a' and 'b'"):
        fit("b ~ a", release)
    assert fit("b ~ x", release, covariates={"x": rng.normal(size=500)}).nobs == 500


def test_too_many_combinations_are_refused():
    rng = np.random.default_rng(4)
    names = [f"q{i}" for i in range(9)]
    release = surveys.released(rng, dict.fromkeys(names, surveys.YES), [surveys.drawn(rng, np.zeros(50)) for _ in names])
    with pytest.raises(InputError, match=r"512 combinations, .* 256"):
        fit(f"q0 ~ {' + '.join(names[1:])}", release)
