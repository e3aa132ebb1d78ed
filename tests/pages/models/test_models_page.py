"""Models: a regression on collected answers."""

import re

import numpy as np
import pytest

from rrcore.mechanisms import build
from rrcore.promise.integers import integer_groups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomise
from rrcore.table.demo import load_demo

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


def test_a_real_survey_has_a_regression_at_once(models):
    models.click("Try a real survey")
    assert shown(models, "Estimate")["Term"].tolist() == ["Intercept", "education"]
    assert models.download("coefficients.csv").startswith("outcome,term,estimate")


def test_predictors_and_interactions_are_chosen(survey):
    survey.set("multiselect", "Predictors", ["Sex", "Class"])
    rows = shown(survey, "Estimate")
    assert rows["Term"].tolist() == ["Intercept", "Sex: Female", "Class: 2nd", "Class: 3rd", "Class: Crew"]
    assert 1.4 < float(rows["Estimate"].iloc[1]) < 3.6  # the whole table gives 2.42
    survey.set("multiselect", "Predictors", [])
    assert not [frame for frame in survey.at.dataframe if "Estimate" in frame.value.columns]


def test_a_number_is_modeled_in_its_own_units(survey):
    survey.set("selectbox", "Outcome", "age")
    assert survey.widget("selectbox", "Regression").value == "linear"
    assert shown(survey, "Estimate")["Term"].tolist() == ["Intercept", "Sex: Female"]


def test_the_choice_stays_when_the_sample_is_described(survey):
    survey.set("multiselect", "Predictors", ["Class"]).set("selectbox", "Weights", "age")
    assert survey.widget("selectbox", "Outcome").value == "Survived"
    assert survey.widget("multiselect", "Predictors").value == ["Class"]


def test_names_of_columns_cannot_carry_markup(models):
    uploads = models.at.file_uploader
    uploads[0].set_value(("mechanism.json", FILE.to_json().encode(), "application/json"))
    named = answers().replace(b",Class,age", b",![x](https://evil.example/p.png),*d*")
    uploads[1].set_value([("answers.csv", named, "text/csv")])
    models.run().set("selectbox", "Outcome", "Survived")
    texts = [
        element.value for kind in ("markdown", "caption", "warning", "error", "info") for element in getattr(models.at, kind)
    ]
    assert len(texts) > 3
    assert not [text for text in texts if re.search(r"(?<!\\)\]\(https|(?<!\\)\*d\*", text)]
