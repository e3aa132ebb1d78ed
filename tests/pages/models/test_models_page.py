"""Models: regressions on collected answers, the naive one beside each."""

import html
import json
import re
from unittest.mock import Mock

import numpy as np
import pytest

from rrcore import Dataset, perturb, plots
from rrcore.errors import InputError
from rrcore.estimate.models import Fit
from rrcore.mechanisms import build
from rrcore.promise.integers import integer_groups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomise
from rrcore.table.demo import load_demo
from rrcore.table.schema import Attribute, Schema

TITANIC = load_demo("titanic")
ASKED = TITANIC.select(["Sex", "Survived"])
FILE = MechanismFile(ASKED.schema, integer_groups(build("pair-safe", ASKED.schema.sizes, np.full(2, 2.0))))


def answers(seed=0):
    """Sex and survival randomised, the class and an invented age beside them."""
    rows = randomise(FILE, ASKED).to_csv().splitlines()
    age = np.random.default_rng(seed).integers(18, 60, TITANIC.n)
    classes = TITANIC.schema.attributes[0].categories
    beside = [f"{classes[code]},{years}" for code, years in zip(TITANIC.codes[:, 0], age, strict=True)]
    return "\n".join([rows[0] + ",Class,age", *(f"{row},{more}" for row, more in zip(rows[1:], beside, strict=True))]).encode()


@pytest.fixture
def models(session):
    return session.go("models")


@pytest.fixture
def survey(models):
    uploads = models.at.file_uploader
    uploads[0].set_value(("mechanism.json", FILE.to_json().encode(), "application/json"))
    uploads[1].set_value([("answers.csv", answers(), "text/csv")])
    models.run()
    return models.set("selectbox", "Outcome", "Survived")


def shown(session, column):
    return next(frame.value for frame in session.at.dataframe if column in frame.value.columns)


def test_an_empty_page_says_what_to_do(models):
    assert "Choose the mechanism file and the collected answers" in "\n".join(info.value for info in models.at.info)


def test_a_real_survey_answers_first(models):
    models.click("Try a real survey")
    (answer,) = [text for text in models.text.split("\n") if text.startswith("None of the predictors") or "the odds of" in text]
    assert answer
    assert shown(models, "Coefficient (95 %)")["Term"].tolist() == ["intercept", "education"]


def test_sex_and_class_of_the_titanic(survey):
    rows = shown(survey, "Coefficient (95 %)")
    assert rows["Term"].tolist() == ["intercept", "Sex: Female", "Class: 2nd", "Class: 3rd", "Class: Crew", "age"]
    effect, naive = (float(rows.iloc[1][column].split()[0]) for column in ("Coefficient (95 %)", "On released answers"))
    assert 1.4 < effect < 3.6  # the whole table gives 2.42
    assert naive < effect


@pytest.mark.slow
def test_effects_by_weights_say_so(survey):
    assert "The sample:" not in survey.text
    survey.set("selectbox", "Weights", "age").set("selectbox", "Strata", "Class")
    assert "The sample: weighted, 4 strata. Effects and their intervals are by it." in survey.text


def test_what_was_chosen_stays_when_it_is_said_how_people_were_drawn(survey):
    survey.set("multiselect", "Predictors", ["Class"]).set("selectbox", "Weights", "age")
    assert survey.widget("selectbox", "Outcome").value == "Survived"
    assert survey.widget("multiselect", "Predictors").value == ["Class"]
    survey.set("multiselect", "Predictors", ["Sex", "Class"]).set("selectbox", "Clusters", "Class")
    assert survey.widget("multiselect", "Predictors").value == ["Sex"]  # a cluster says nothing about a person


def test_averages_tests_and_more_controls(survey):
    survey.look_at("models_section", "averages")
    table = shown(survey, "Difference from the first (points)")
    assert table["Sex"].tolist() == ["Male", "Female"]
    assert table["Difference from the first (points)"].tolist()[0] == ""
    assert "quartiles" not in survey.text
    survey.set("selectbox", "Averages over", "set age")
    assert "The values are the quartiles of age." in survey.text
    survey.set("selectbox", "Averages over", "by Class")
    assert shown(survey, "Difference from the first (points)")["Class"].tolist() == ["1st", "2nd", "3rd", "Crew"]
    survey.look_at("models_section", "tests")
    tests = shown(survey, "Chi-square")
    assert tests["Predictor"].tolist() == ["Sex", "Class", "age"]
    survey.set("multiselect", "Squares too", ["age"])
    assert shown(survey, "Chi-square")["Predictor"].tolist() == ["Sex", "Class", "age and age^2"]
    survey.set("selectbox", "Outcome", "age")
    assert survey.widget("selectbox", "Kind of regression").value == "linear"
    assert set(shown(survey, "Chi-square")["Test"]) == {"Wald"}


def test_what_cannot_be_fitted_is_said(survey):
    survey.set("multiselect", "Predictors", [])
    assert "Choose at least one predictor" in "\n".join(info.value for info in survey.at.info)


def test_names_of_columns_cannot_carry_markup(models):
    uploads = models.at.file_uploader
    uploads[0].set_value(("mechanism.json", FILE.to_json().encode(), "application/json"))
    named = answers().replace(b",Class,age", b",![x](https://evil.example/p.png),*d*")
    uploads[1].set_value([("answers.csv", named, "text/csv")])
    models.run().set("selectbox", "Outcome", "Survived")
    for section in ("numbers", "averages", "tests"):
        models.look_at("models_section", section)
        texts = [
            element.value for kind in ("markdown", "caption", "warning", "error", "info") for element in getattr(models.at, kind)
        ]
        assert len(texts) > 3
        assert not [text for text in texts if re.search(r"(?<!\\)\]\(https|(?<!\\)\*d\*", text)]


def test_a_test_that_cannot_be_made_is_said_and_the_rest_stays(survey, monkeypatch):
    """It fits the regression without the predictor, which may have no highest likelihood where the whole one has."""
    monkeypatch.setattr(Fit, "without", Mock(side_effect=InputError("The likelihood was not maximised in 300 steps.")))
    survey.look_at("models_section", "tests")
    assert [error.value for error in survey.at.error] == ["The likelihood was not maximised in 300 steps."]
    assert [button for button in survey.at.get("download_button") if "Coefficients" in button.label]


def test_report_script_and_notebook_have_the_same_regression(models, capsys):
    models.click("Try a real survey")
    models.set("multiselect", "Squares too", ["education"])
    script = models.download("regression.py")
    exec(compile(script, "regression.py", "exec"), {})
    printed = capsys.readouterr().out
    book = json.loads(models.download("regression.ipynb"))
    names = {}
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    assert capsys.readouterr().out == printed
    report = html.unescape(re.sub("<[^>]*>", "|", models.download("report-of-findings.html"))).replace("\xa0", " ")
    rows = shown(models, "Coefficient (95 %)")
    assert rows["Term"].tolist() == ["intercept", "education", "education^2"]
    for row in rows.to_numpy().tolist():
        assert f"{row[0]}: {row[1]}" in printed
        assert "||".join(row) in report


def test_invented_and_marked_answers_give_no_regression_for_handing_out(models, session):
    uploads = models.at.file_uploader
    uploads[0].set_value(("mechanism.json", FILE.to_json().encode(), "application/json"))
    lines = answers().decode().splitlines()
    marked = ['"simulation, seed 3: not a release",' + lines[0], *(f"yes,{line}" for line in lines[1:])]
    uploads[1].set_value([("answers.csv", "\n".join(marked).encode(), "text/csv")])
    models.run()
    labels = [button.label for button in models.at.get("download_button")]
    assert "Report of findings" not in labels
    assert "Internal report" in labels


def census(models, level=1.5):
    rng, whole = np.random.default_rng(0), load_demo("census")
    table = Dataset(whole.schema, whole.codes[rng.permutation(whole.n)[:8_000]])
    mechanism = build("kronecker", table.schema.sizes, np.full(8, level))
    file = MechanismFile(table.schema, integer_groups(mechanism))
    uploads = models.at.file_uploader
    uploads[0].set_value(("mechanism.json", file.to_json().encode(), "application/json"))
    uploads[1].set_value([("answers.csv", perturb(table, mechanism, rng=rng).dataset.to_csv().encode(), "text/csv")])
    return models.run()


def test_eight_wide_attributes_begin_with_a_regression_that_fits(models):
    """Adult's columns, invented: the first attributes have 15,120 combinations. Too many are then merged with one press."""
    census(models)
    assert not models.errors
    assert models.widget("selectbox", "Outcome").value in ("sex", "income")
    assert "left out: add them under Predictors." in models.text
    models.set("multiselect", "Predictors", ["education", "occupation"])
    assert any("480 combinations of answers" in error for error in models.errors)
    assert "To be taken as one category, 'other', of 'education':" in models.text.replace("\\", "")
    models.click("Merge rare categories")
    assert not models.errors
    assert "Taken as one category" in models.text


def test_an_outcome_in_brackets_is_in_one_pair_of_them(models, monkeypatch):
    schema = Schema((Attribute("town", ("north", "south", "(missing)")), Attribute("sex", ("f", "m"))))
    mechanism, rng = build("kronecker", schema.sizes, [4.0, 4.0]), np.random.default_rng(0)
    file = MechanismFile(schema, integer_groups(mechanism))
    reports = Dataset(schema, mechanism.perturb(rng.integers(0, schema.sizes, (600, 2)), rng=rng), "t")
    drawn = Mock(side_effect=plots.model_coefficients_figure)
    monkeypatch.setattr(plots, "model_coefficients_figure", drawn)
    uploads = models.at.file_uploader
    uploads[0].set_value(("mechanism.json", file.to_json().encode(), "application/json"))
    uploads[1].set_value([("answers.csv", reports.to_csv().encode(), "text/csv")])
    models.run().set("selectbox", "Outcome", "town")
    assert drawn.called, models.text
    assert drawn.call_args.args[0] == ["sex: m (south)", "sex: m (missing)"]
    models.look_at("models_section", "averages")  # of a single predictor
    assert "Everybody is given the same value of sex: the difference is what sex does." in models.text
    assert "other predictors" not in models.text
