"""Attributes that the form answers itself: who passed the check question, and how long a question took."""

import json
import re

import pytest

from rrcore.asking import Screens, SurveyFile, respondent_form
from rrcore.asking.languages import language
from rrcore.asking.picture import picture_of, report_notes
from rrcore.errors import InputError
from rrcore.limits import SECONDS_A_QUESTION
from rrcore.promise import MechanismFile
from rrcore.promise.weights import MatrixWeights
from rrcore.table import Attribute, Control, Schema

DIE, RING = MatrixWeights(((5, 1), (1, 5))), MatrixWeights(((4, 1, 1), (1, 4, 1), (1, 1, 4)))
ASKED = Schema(
    (Attribute("understood", ("not passed", "passed")), Attribute("smokes", ("no", "yes")), Attribute("time", ("s", "m", "l")))
)
FILE = MechanismFile(ASKED, (((0,), DIE), ((1,), DIE), ((2,), RING)))
FILLED = Screens(passed="understood", timed="time")


def data(form):
    return json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', form, re.DOTALL)[1])


def test_they_are_not_asked_and_the_form_knows_where_they_stand():
    form = respondent_form(FILE, title="Pilot", screens=FILLED, questions={"understood": "Passed the check"})
    assert re.findall(r'<fieldset[^>]* id="question(\w+)"', form) == ["practice", "1"]
    found = data(form)
    assert found["filled"] == {"passed": 0, "timed": 2}
    assert found["said"]["en"]["filled"] == ["Passed the check", "time"]
    assert found["seconds"] == list(SECONDS_A_QUESTION)
    assert form.count("stands in your report as well") == 2


def test_without_them_nothing_is_filled_in():
    found = data(respondent_form(FILE, title="Pilot"))
    assert found["filled"] == {}
    assert "stands in your report as well" not in respondent_form(FILE, title="Pilot")


@pytest.mark.parametrize(
    ("screens", "said"),
    [
        ({"passed": "time"}, "'time' has 3 categories, and the form fills in one of 2"),
        ({"timed": "smokes"}, "'smokes' has 2 categories, and the form fills in one of 3"),
        ({"passed": "sex"}, "There is no attribute 'sex'"),
        ({"passed": "understood", "check": False}, "the form has none"),
    ],
)
def test_what_cannot_be_filled_in_is_refused(screens, said):
    with pytest.raises(InputError, match=said):
        respondent_form(FILE, title="Pilot", screens=Screens(**screens))


def test_a_control_item_is_answered_by_people_and_no_example_of_what_chance_protects():
    control = MechanismFile(Schema(ASKED.attributes, control=Control("understood", "passed")), FILE.groups)
    with pytest.raises(InputError, match="'understood' is the control item, which people have to answer themselves"):
        respondent_form(control, title="Pilot", screens=Screens(passed="understood"))
    assert picture_of(control, Screens()).place == 1
    assert picture_of(control, Screens(about="understood")).place == 0
    assert picture_of(FILE, Screens()).place == 0
    notes = report_notes(control, 0, language("en"))
    assert notes[1] == "This proves nothing: about 17 of 100 people whose answer is “not passed” send this."
    assert report_notes(FILE, 0, language("en"))[1].startswith("This is not an admission: ")


def test_the_picture_is_not_about_what_the_form_answers_itself():
    with pytest.raises(InputError, match="The form answers 'understood' itself: let the picture be about another question"):
        respondent_form(FILE, title="Pilot", screens=Screens(about="understood", passed="understood"))


def test_one_attribute_for_both_and_a_form_without_a_question_are_refused():
    with pytest.raises(InputError, match="name two attributes"):
        Screens(passed="a", timed="a")
    alone = MechanismFile(ASKED.select(["time"]), (((0,), RING),))
    with pytest.raises(InputError, match="would ask nothing"):
        respondent_form(alone, title="Pilot", screens=Screens(timed="time"))


def test_the_survey_file_carries_them():
    survey = SurveyFile(FILE, "Pilot", screens=FILLED)
    assert SurveyFile.from_json(survey.to_json()) == survey
    assert json.loads(survey.to_json())["screens"]["passed"] == "understood"
