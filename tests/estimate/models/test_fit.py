"""What a fit offers, and what it refuses."""

import importlib.util
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, t

import rrcore as rr
from rrcore.answers import nigeria
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate.models import Term, coefficient_texts, fit, headline, read_term
from rrcore.estimate.sample import Replicates, Sample
from rrcore.promise import MechanismFile
from rrcore.promise.weights import MatrixWeights

_spec = importlib.util.spec_from_file_location("surveys", Path(__file__).with_name("surveys.py"))
surveys = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(surveys)

QUESTION = "connected to an armed group"


@pytest.fixture(scope="module")
def die():
    """1,000 people asked two questions with a die each, with covariates of which one is missing here and there."""
    rng = np.random.default_rng(0)
    age, region = rng.integers(2, 8, 1_000) * 10, rng.choice(["north", "south", "west"], 1_000)
    first = surveys.drawn(rng, -1 + 0.02 * age)
    second = surveys.drawn(rng, -0.5 + 0.8 * first, -0.8 + 0.3 * (region == "west"))
    release = surveys.released(rng, {"a": surveys.YES, "b": ("x", "y", "z")}, [first, second])
    income = 2 + first + 0.05 * age + rng.normal(size=1_000)
    return release, {"age": age, "region": region, "income": income, "club": surveys.drawn(rng, first - 0.5)}


def test_collected_answers_bring_their_columns():
    found = fit(nigeria(), QUESTION, ["education > 3"])
    assert found.terms == ("intercept", "education > 3")
    assert found.n == 2434
    assert "1 answer left out" in found.notes[0]
    assert found.coefficients.shape == found.naive.coefficients.shape == (1, 2)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("age", Term("age")),
        ("age^2", Term("age", power=2)),
        ("education >= 4", Term("education", limit=(">=", 4.0))),
        ("region: north", Term("region", reference="north")),
        ("odd^2", Term("odd^2")),
    ],
)
def test_terms_are_read_as_written(text, term):
    assert read_term(text, ["age", "education", "region", "odd^2"]) == term


def test_the_answer_of_reference_only_turns_signs(die):
    release, covariates = die
    found = fit(release, "a", ["age"], covariates=covariates)
    turned = fit(release, "a", ["age"], covariates=covariates, reference="yes")
    np.testing.assert_allclose(found.coefficients, -turned.coefficients, atol=1e-6)
    assert (found.answers, turned.answers) == (("yes",), ("no",))
    south = fit(release, "a", ["region: south"], covariates=covariates)
    assert south.terms == ("intercept", "region: north", "region: west")


def test_three_categories_and_the_reference_of_a_randomised_predictor(die):
    release, covariates = die
    found = fit(release, "club", [Term("b", reference="y"), "age"], covariates=covariates)
    assert found.terms == ("intercept", "b: x", "b: z", "age")
    first = fit(release, "club", ["b", "age"], covariates=covariates)
    assert found.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-6)
    assert found.coefficients[0, 1] == pytest.approx(-first.coefficients[0, 1], abs=1e-4)
    assert fit(release, "b", ["a", "age"], covariates=covariates).coefficients.shape == (2, 3)


def test_predictions_are_what_the_coefficients_say(die):
    release, covariates = die
    found = fit(release, "club", ["a", "age"], covariates=covariates)
    made = found.predict({"a": ["no", "yes"], "age": 40})
    linear = found.coefficients[0] @ np.array([[1, 0, 40], [1, 1, 40]]).T
    np.testing.assert_allclose(made.values[:, 1], 1 / (1 + np.exp(-linear)))
    low, high = made.interval()
    assert ((low > 0) & (low < made.values) & (made.values < high) & (high < 1)).all()
    slope = np.array([[1, 0, 40], [1, 1, 40]]) * (made.values[:, 1] * made.values[:, 0])[:, None]
    np.testing.assert_allclose(made.standard_error[:, 1] ** 2, np.einsum("ip,pr,ir->i", slope, found.covariance, slope))


@pytest.mark.parametrize(
    ("outcome", "family", "predictors"),
    [
        ("club", "logistic", ["a", "age"]),
        ("b", "logistic", ["a", "age"]),
        ("income", "normal", ["a", "age"]),
        ("club", "logistic", ["a*age"]),
        ("club", "logistic", ["a*b", "age"]),
    ],
)
def test_average_predictions_and_their_errors_are_right_by_differences(die, outcome, family, predictors):
    """The gradient is checked by moving each coefficient of the solution, the predictors' own distribution included."""
    from rrcore.estimate.models.effects import _mean, _settings

    release, covariates = die
    found = fit(release, outcome, predictors, covariates=covariates, family=family)
    problem, solved = found._problem, found._solved
    everybody = np.ones(problem.n, dtype=bool)
    for _, x, moved in [*_settings(problem, "a", ()), *_settings(problem, "age", (30,))]:
        value, gradient, _ = _mean(problem, solved, found.coefficients, x, moved, everybody)
        for place, (row, column) in enumerate(np.argwhere(solved.likelihood.free)):
            sides = []
            for step in (1e-6, -1e-6):
                coefficients = solved.coefficients.copy()
                coefficients[row, column] += step
                sides.append(
                    _mean(problem, replace(solved, coefficients=coefficients), found.coefficients, x, moved, everybody)[0]
                )
            np.testing.assert_allclose(
                gradient[:, place], (sides[0] - sides[1]) / 2e-6, atol=1e-6 * max(1, np.abs(gradient).max())
            )
        assert value.sum() == pytest.approx(1.0) or family == "normal"


def test_averages_of_everybody_and_of_groups_fit_together(die):
    release, covariates = die
    found = fit(release, "a", ["age", "region"], covariates=covariates)
    whole, groups = found.average(), found.average(by="region")
    sizes = np.array([(covariates["region"] == label).mean() for label in groups.labels])
    np.testing.assert_allclose(sizes @ groups.values, whole.values[0], atol=1e-12)
    estimate = release.estimate(["a"])
    assert whole.values[0, 1] == pytest.approx(estimate.shares[1], abs=0.01)  # a logistic model keeps the share, nearly
    assert whole.standard_error[0, 1] == pytest.approx(estimate.standard_error(population=True)[1], rel=0.05)
    quartiles = found.average("age")
    assert quartiles.labels == tuple(f"{q:g}" for q in np.quantile(covariates["age"], [0.25, 0.5, 0.75], method="nearest"))
    assert quartiles.differences[0].tolist() == [0.0, 0.0]
    assert quartiles.rows()[1]["outcome"] == "yes"


def test_averages_by_moments_agree_with_those_by_likelihood(die):
    release, covariates = die
    by = {family: fit(release, "income", ["a", "age"], covariates=covariates, family=family) for family in ("linear", "normal")}
    a, b = (by[family].average("a") for family in ("linear", "normal"))
    np.testing.assert_allclose(a.values, b.values, atol=0.2)
    np.testing.assert_allclose(a.difference_error[1], by["linear"].standard_errors[0, 1])
    whole = by["linear"].average()
    assert whole.values[0, 0] == pytest.approx(covariates["income"].mean())
    assert whole.standard_error[0, 0] == pytest.approx(covariates["income"].std(ddof=1) / np.sqrt(1_000), rel=1e-6)


@pytest.mark.parametrize("family", ["linear", "normal"])
def test_units_of_amounts_and_covariates_do_not_matter(die, family):
    release, covariates = die
    found = fit(release, "income", ["a", "age"], covariates=covariates, family=family)
    other = covariates | {"income": 1e7 * covariates["income"] + 3e8, "age": 1e-4 * covariates["age"] - 50}
    moved = fit(release, "income", ["a", "age"], covariates=other, family=family)
    np.testing.assert_allclose(moved.coefficients[0, 1:], found.coefficients[0, 1:] * [1e7, 1e11], rtol=1e-4)
    np.testing.assert_allclose(moved.standard_errors[0, 1:], found.standard_errors[0, 1:] * [1e7, 1e11], rtol=1e-4)
    if family == "normal":
        assert moved.log_likelihood == pytest.approx(found.log_likelihood - 1_000 * np.log(1e7), abs=1e-4)


def test_tests_by_likelihood_by_wald_and_between_two_models(die):
    release, covariates = die
    found = fit(release, "club", ["a", "age", "region"], covariates=covariates)
    test = found.test("region")
    assert (test.kind, test.freedom) == ("likelihood ratio", 2)
    assert found.without("region").coefficients[0, -2:].tolist() == [0.0, 0.0]
    one = fit(release, "a", ["age", "region"], covariates=covariates)
    two = fit(release, "a", ["age"], covariates=covariates)
    assert one.compare(two).statistic == pytest.approx(one.test("region").statistic, abs=1e-6)
    assert fit(release, "income", ["a"], family="linear", covariates=covariates).test("a").kind == "Wald"
    with pytest.raises(InputError, match="not of the same answers to the same randomised attributes"):
        found.compare(fit(release, "club", ["age"], covariates=covariates))
    with pytest.raises(InputError, match="not a smaller one"):
        two.compare(one)


def test_weights_count_people_and_clusters_widen_errors(die):
    release, covariates = die
    found = fit(release, "a", ["age"], covariates=covariates)
    twice = np.repeat(np.arange(1_000), 2)
    doubled = replace(release, dataset=rr.Dataset(release.schema, release.dataset.codes[twice]))
    columns = {name: values[twice] for name, values in covariates.items()}
    clustered = fit(doubled, "a", ["age"], covariates=columns, clusters=twice)
    weighted = fit(release, "a", ["age"], covariates=covariates, weights=np.full(1_000, 2.0))
    np.testing.assert_allclose(clustered.coefficients, found.coefficients, atol=1e-6)
    np.testing.assert_allclose(clustered.standard_errors, weighted.standard_errors, rtol=1e-6)
    np.testing.assert_allclose(weighted.standard_errors, found.standard_errors, rtol=0.1)
    once, double = weighted.test("age"), clustered.test("age")  # everybody twice says no more than everybody once
    assert (once.kind, once.freedom) == ("Rao-Scott", 1)
    assert double.statistic == pytest.approx(once.statistic, rel=1e-6)
    assert found.test("age").statistic == pytest.approx(once.statistic, rel=0.2)
    halves = fit(release, "a", ["age"], covariates=covariates, weights=1.0 * (np.arange(1_000) < 500))
    assert halves.n == 500


def test_few_clusters_have_students_t(die):
    """Six clusters, five degrees of freedom: in intervals, p-values, tests and averages, as for a mean of six numbers."""
    release, covariates = die
    units = np.arange(1_000) % 6
    for family in ("logistic", "linear"):
        outcome, other = ("a", "age") if family == "logistic" else ("income", "a")
        found = fit(release, outcome, [other], family=family, covariates=covariates, clusters=units)
        reach = t.ppf(0.95, 5) * found.standard_errors
        np.testing.assert_allclose(found.interval(0.9), (found.coefficients - reach, found.coefficients + reach))
        np.testing.assert_allclose(found.p_values, 2 * t.sf(np.abs(found.coefficients / found.standard_errors), 5))
        assert [row["p-value"] for row in found.rows()] == pytest.approx(found.p_values.ravel())
    assert found.test("a").p_value == pytest.approx(found.p_values[0, 1])  # of one coefficient F is t squared
    assert found.predict({"a": ["yes"]}).freedom == 5
    made = found.average("a")
    below, above = made.difference_interval()
    np.testing.assert_allclose(above - below, 2 * t.ppf(0.975, 5) * made.difference_error)
    low, high = made.interval()
    np.testing.assert_allclose(high - low, 2 * t.ppf(0.975, 5) * made.standard_error)
    simple = fit(release, "a", ["age"], covariates=covariates)
    np.testing.assert_allclose(simple.p_values, 2 * norm.sf(np.abs(simple.coefficients / simple.standard_errors)))


def test_the_sample_of_the_answers_is_used(die):
    release, covariates = die
    rng = np.random.default_rng(5)
    weights, units = rng.uniform(1, 3, 1_000), np.arange(1_000) // 20
    sample = Sample(weights, clusters=units)
    brought = fit(replace(release, sample=sample), "a", ["age"], covariates=covariates)
    given = fit(release, "a", ["age"], covariates=covariates, weights=weights, clusters=units)
    np.testing.assert_allclose(brought.covariance, given.covariance)
    jackknife = weights[:, None] * (units[:, None] != np.arange(50)) * 50 / 49
    again = Sample(weights, replicates=Replicates.of("JK1", jackknife))
    replicated = fit(replace(release, sample=again), "a", ["age"], covariates=covariates)
    np.testing.assert_allclose(replicated.standard_errors, brought.standard_errors, rtol=0.02)
    with pytest.raises(InputError, match="bring their own weights"):
        fit(replace(release, sample=sample), "a", ["age"], covariates=covariates, weights=weights)


def test_people_with_some_answers_missing_count_where_those_are_not_needed(die):
    release, covariates = die
    first, further = release.dataset.codes[:900], release.dataset.codes[900:].copy()
    further[:, 1] = -1
    split = replace(release, dataset=rr.Dataset(release.schema, first), partial=further)
    whole = fit(release, "a", ["age"], covariates=covariates)
    np.testing.assert_allclose(fit(split, "a", ["age"], covariates=covariates).coefficients, whole.coefficients, atol=1e-8)
    found = fit(split, "b", ["age"], covariates=covariates)
    assert (found.n, found.notes) == (900, ("100 answers left out: a value is missing, or the weight is 0.",))


def test_it_shows_itself_in_a_notebook_a_table_and_a_file(die):
    release, covariates = die
    found = fit(release, "a", ["age", "region"], covariates=covariates)
    frame = found.to_pandas()
    assert list(frame["term"]) == ["intercept", "age", "region: south", "region: west"]
    np.testing.assert_allclose(frame["odds ratio"], np.exp(found.coefficients[0]))
    assert found.to_csv().splitlines()[0].startswith("outcome,term,coefficient,standard error,low,high,p-value,odds ratio")
    assert "region: west" in found._repr_html_()
    assert "yes, age:" in str(found)
    assert ((found.p_values > 0) & (found.p_values < 1)).all()


def test_more_reports_than_categories_and_the_other_way_round():
    """Three cards show two categories; two reports cannot show three."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=3_000)
    true = surveys.drawn(rng, -0.3 + 0.8 * x)
    rows = ((6, 3, 1), (1, 3, 6))
    said = (rng.random((3_000, 1)) > np.cumsum(np.array(rows)[true] / 10, axis=1)).sum(axis=1)
    asked, reports = rr.Attribute("y", surveys.YES), rr.Attribute("y", ("red", "blue", "green"))
    mechanism = MechanismFile(rr.Schema((asked,)), (((0,), MatrixWeights(rows)),), reports=rr.Schema((reports,)))

    class Cards(rr.Release):
        @property
        def schema(self):
            return mechanism.schema

    release = Cards(rr.Dataset(rr.Schema((reports,)), said[:, None].astype(np.int32)), mechanism)
    found = fit(release, "y", ["x"], covariates={"x": x})
    assert np.abs((found.coefficients - [[-0.3, 0.8]]) / found.standard_errors).max() < 4
    assert found.naive is None


@pytest.mark.parametrize(
    ("outcome", "predictors", "options", "said"),
    [
        ("a", ["ages"], {}, "There is no predictor 'ages': choose among a, b, age"),
        ("z", ["age"], {}, "There is no outcome 'z'"),
        ("a", ["a"], {}, "is the outcome and a predictor"),
        ("a", ["age", "age"], {}, "is given twice"),
        ("a", ["region^2"], {}, "holds texts such as 'north' where numbers are needed"),
        ("a", ["age", Term("age", limit=(">", 0.0))], {}, "'age > 0' is the same for everybody"),
        ("a", ["age", "copy"], {}, "one follows from the others"),
        ("a", ["constant"], {}, "has one category only"),
        ("club", ["b^2"], {}, "was randomised and has categories"),
        ("a", ["age"], {"family": "linear"}, "was randomised and has categories: choose a logistic"),
        ("income", ["age"], {}, "different values: choose a linear regression"),
        ("a", ["region: east"], {}, "has no category 'east' to compare with"),
        ("a", ["age"], {"reference": "maybe"}, "has no category 'maybe'"),
        ("a", ["age"], {"family": "probit"}, "There is no model 'probit'"),
        ("a", ["age"], {"association": "none"}, "must be 'pairs' or 'full'"),
        ("a", ["age"], {"always": "no"}, "One design cannot tell people who do not follow the instruction"),
        ("club", ["a"], {"always": "no"}, "where the outcome was randomised and no predictor was"),
        ("a", ["age"], {"weights": np.ones(3)}, "1,000 answers and weights of shape"),
        ("a", ["age", "age:region"], {}, "needs 'region' as a predictor too"),
        ("a", ["age*age^2"], {}, "multiplies 'age' with itself"),
        ("income", ["a*age"], {"family": "linear"}, "needs a likelihood"),
        ("income", ["age"], {"family": "linear", "penalty": "ridge"}, "A penalty draws log odds"),
        ("a", ["age"], {"penalty": "firth"}, "There is no penalty 'firth'"),
        ("a", ["region"], {"merge": {"region": ("north", "east")}}, "has no category 'east' to merge"),
        ("a", ["region"], {"merge": {"region": ("north",)}}, "merge two or more, not all"),
    ],
)
def test_what_cannot_be_fitted_is_said_in_a_sentence(die, outcome, predictors, options, said):
    release, covariates = die
    covariates = covariates | {"copy": covariates["age"] * 2 + 1, "constant": np.full(1_000, "same")}
    with pytest.raises(InputError, match="(?s)" + said.replace("(", r"\(")) as error:
        fit(release, outcome, predictors, covariates=covariates, **options)
    assert str(error.value).endswith((".", "age'")) or "choose" in str(error.value)


def test_only_powers_are_referred_to_the_averages_where_nothing_is_told_from_noise(die):
    release, _ = die
    noise = {"x": np.random.default_rng(1).normal(size=1_000)}
    plain, bent = (headline(fit(release, "a", terms, covariates=noise)) for terms in (["x"], ["x", "x^2"]))
    assert "for x see the averages" in bent
    assert bent.startswith(plain[:-1])
    assert "averages" not in plain


def test_odds_stay_numbers_where_a_predictor_is_counted_in_tiny_units(die):
    """The coefficient grows as the unit shrinks, and e to its power is more than a float holds."""
    release, covariates = die
    tiny = fit(release, "a", ["age"], covariates=covariates | {"age": covariates["age"] * 1e-6})
    own = fit(release, "a", ["age"], covariates=covariates)
    (row,) = (row for row in tiny.rows() if row["term"] == "age")
    assert row["coefficient"] == pytest.approx(1e6 * own.coefficients[0, 1], rel=1e-3)
    assert 0 < row["odds low"] <= row["odds ratio"] <= row["odds high"] < np.inf


def test_separation_is_told_and_not_estimated():
    """Everybody with the flag says yes, nobody without: no finite coefficient."""
    rng = np.random.default_rng(2)
    flag = rng.integers(0, 2, 200)
    release = surveys.released(rng, {"y": surveys.YES}, [flag])
    with pytest.raises(InputError, match="'flag' has no finite estimate: in these answers it separates the outcome"):
        fit(
            replace(release, dataset=rr.Dataset(release.schema, flag[:, None].astype(np.int32))),
            "y",
            ["flag"],
            covariates={"flag": flag},
        )


def test_a_share_below_what_the_die_alone_gives_has_no_finite_intercept():
    schema = rr.Schema((rr.Attribute("y", surveys.YES),))
    mechanism = MechanismFile(schema, (((0,), surveys.FORCED),))
    codes = (np.arange(300) % 10 == 0).astype(np.int32)[:, None]  # 10 % yes, where the die alone gives 1 in 6
    with pytest.raises(InputError, match="estimated as 0 or 1 for some people"):
        fit(
            rr.Release(rr.Dataset(schema, codes), mechanism),
            "y",
            ["x"],
            covariates={"x": np.random.default_rng(0).normal(size=300)},
        )


def test_a_combination_that_nobody_has_is_held_and_said():
    rng = np.random.default_rng(3)
    first = surveys.drawn(rng, np.full(800, -0.2))
    release = surveys.released(rng, {"a": surveys.YES, "b": surveys.YES}, [first, 0 * first])
    codes = np.where(np.arange(800)[:, None] % 8 == 0, [0, 1], np.stack([release.dataset.codes[:, 0], 0 * first], axis=1))
    release = replace(release, dataset=rr.Dataset(release.schema, codes.astype(np.int32)))
    y = surveys.drawn(rng, first - 0.5)
    try:
        found = fit(release, "y", ["a"], covariates={"y": y})
    except InputError as error:
        pytest.fail(str(error))
    assert np.isfinite(found.standard_errors).all()


def test_what_the_mechanism_erases_is_refused():
    rng = np.random.default_rng(4)
    codes = [surveys.drawn(rng, np.zeros(500)) for _ in range(3)]
    release = surveys.released(rng, dict.fromkeys("abc", surveys.YES), codes, rr.build("optimal", (2, 2, 2), [0.5] * 3))
    with pytest.raises(NotIdentifiableError, match="erases how 'a' and 'b' go together"):
        fit(release, "b", ["a"])
    assert fit(release, "b", [Term("x")], covariates={"x": rng.normal(size=500)}).n == 500


def test_too_many_combinations_are_refused():
    rng = np.random.default_rng(4)
    names = [f"q{i}" for i in range(9)]
    release = surveys.released(rng, dict.fromkeys(names, surveys.YES), [surveys.drawn(rng, np.zeros(50)) for _ in names])
    with pytest.raises(InputError, match="have 512 combinations of answers, the limit is 256"):
        fit(release, "q0", names[1:])


def test_pandas_columns_and_missing_values_are_understood(die):
    import pandas as pd

    release, covariates = die
    frame = pd.DataFrame(covariates)
    frame.loc[:9, "age"] = np.nan
    frame.loc[10:19, "region"] = None
    found = fit(release, "a", ["age", "region"], covariates=frame)
    assert found.n == 980
    assert found.notes[0].startswith("20 answers left out")


def test_odds_that_are_multiplied_by_little_are_not_multiplied_by_0():
    """Of few answers the interval is wide and its digits are few: 2 (0.2 to 13) was written as 2 (0 to 13)."""
    few = nigeria().taken(np.arange(0, 2400, 30), "few")
    texts = [row["Odds multiplied by (95 %)"] for row in coefficient_texts(fit(few, QUESTION, ["education > 3"]))]
    numbers = [number for text in texts for number in re.findall(r"[\d.]+", text)]
    assert len(numbers) == 6
    assert all(map(float, numbers))
