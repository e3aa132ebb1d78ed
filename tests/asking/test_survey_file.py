"""The survey file: written, read strictly, and the form that is made of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import get_args

import pytest

from rrcore.asking import SurveyFile
from rrcore.asking.chosen_screens import PLAIN, Screens
from rrcore.asking.preview import Part, preview
from rrcore.asking.translation import Translation
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.promise import MechanismFile, integer_groups
from rrcore.table.schema import Attribute, Schema
from tests.asking.test_form import Document

ASKED = Schema((Attribute("smokes", ("no", "yes")), Attribute("région", ("nord", "süd", "east")), Attribute("age", ("0", "1"))))
MECHANISM = MechanismFile(ASKED, integer_groups(build("preserving-2", ASKED.sizes, (1.0, 1.5, 2.0))))
SURVEY = SurveyFile(
    MECHANISM,
    "Health & <city>",
    "Line one\nline two",
    {"smokes": "Do you smoke?", "age": " "},
    ("age", "smokes", "région"),
    "fr",
    invited=True,
)


REGION = Attribute("region", ("north", "south"))
BILINGUAL = SurveyFile(
    MECHANISM,
    "Health",
    questions={"region": "Where do you live?"},
    order=("region", "smokes", "age", "région"),
    unrandomized=(REGION,),
    translations={
        "fr": Translation("Santé", "", {"smokes": "Fumez-vous ?", "region": "Où habitez-vous ?"}, {"region": ("nord", "sud")}),
    },
)


def changed(**fields: object) -> str:
    return json.dumps(json.loads(SURVEY.to_json()) | fields)


def test_it_is_read_as_it_was_written(tmp_path) -> None:
    path = tmp_path / "pilot.json"
    SURVEY.save(path)
    assert SurveyFile.load(path) == SURVEY
    assert SurveyFile.from_json(BILINGUAL.to_json()) == BILINGUAL
    assert SURVEY.questions == {"smokes": "Do you smoke?"}  # a blank wording is none
    assert SurveyFile(MECHANISM, "A", order=ASKED.names).order == ()
    with pytest.raises(InputError, match="already exists"):
        SURVEY.save(path)
    with pytest.raises(InputError, match="cannot be read"):
        SurveyFile.load(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (changed(more=1), "'more'"),
        (changed(version=4), "version: expected 1, got 4"),
        (changed(title=""), "title"),
        (changed(language="xx"), "'xx'"),
        (changed(invited="yes"), "invited: expected true or false, got 'yes'"),
        (changed(questions=[{"attribute": "smokes", "wording": ""}] * 3), "questions"),
        (changed(questions=[]), "questions"),
        (changed(mechanism={}), "mechanism"),
        (MECHANISM.to_json(), "format"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(document: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        SurveyFile.from_json(document)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_form_asks_in_the_order_of_the_survey_and_hands_in_in_that_of_the_mechanism() -> None:
    found = Document(SURVEY.form())
    asked = [each["id"] for each in found.all("fieldset") if each["id"] != "questionpractice"]
    assert asked == ["question2", "question0", "question1"]  # numbers are those of the mechanism file's attributes
    numbers = [text for text in found.text("span") if text.endswith(".") and text[:-1].isdigit()]
    assert numbers == ["1.", "2.", "3."]
    names = [each["name"] for each in found.data["mechanism"]["attributes"]]
    assert names == list(ASKED.names)
    with pytest.raises(InputError, match="each attribute exactly once"):
        SurveyFile(MECHANISM, "A", order=("age", "smokes"))


@pytest.mark.parametrize("part", get_args(Part))
def test_a_preview_shows_one_screen_and_can_neither_run_nor_send_anything(part: Part) -> None:
    found = preview(SURVEY.form(address="https://survey.example.org/answers", invitations="ab" * 256), part)
    seen = Document(found)
    assert seen.all("script") == []
    assert {each["id"] for each in seen.all("section") if "hidden" not in each} == {part}
    assert {each["id"] for each in seen.all("section") if "hidden" in each} == set(get_args(Part)) - {part}
    assert (seen.policy["script-src"], seen.policy["connect-src"]) == (["'none'"], ["'none'"])
    assert "Do you smoke?" in seen.text("span")
    assert "Health & <city>" in seen.text("h1")


def test_a_survey_without_screens_has_none_in_its_file() -> None:
    plain = replace(SURVEY, screens=PLAIN)
    document = json.loads(plain.to_json())
    assert "screens" not in document
    assert SurveyFile.from_json(plain.to_json()) == plain
    chosen = replace(SURVEY, screens=Screens(practice=False, about="smokes", answer="no", common=30, interviewer=True))
    assert json.loads(chosen.to_json())["screens"]["answer"] == "no"
    assert SurveyFile.from_json(chosen.to_json()) == chosen
    assert {Document(each.form()).data["one_at_a_time"] for each in (plain, chosen)} == {False, True}


@pytest.mark.parametrize(
    ("screens", "message"),
    [
        (Screens(about="sex"), "There is no attribute 'sex'"),
        (Screens(about="smokes", answer="perhaps"), "has no category 'perhaps'"),
    ],
)
def test_screens_that_do_not_fit_the_survey_are_refused(screens: Screens, message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(SURVEY, screens=screens)
