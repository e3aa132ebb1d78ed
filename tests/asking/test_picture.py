"""The numbers of the form's picture, practice item and report: exact, the same in Python, in the form and in what its sampler draws."""

from __future__ import annotations

import json
import re
import subprocess
from fractions import Fraction

import pytest

from rrcore.asking import LANGUAGES, Screens, respondent_form
from rrcore.asking.chosen_screens import PLAIN
from rrcore.asking.languages import language
from rrcore.asking.picture import declined, picture_of, report_notes
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import LieWeights, MatrixWeights
from rrcore.table.schema import Attribute, Schema
from tests.asking.make_form_vectors import planned
from tests.asking.make_picture_vectors import VECTORS
from tests.asking.test_form import HERE, Document, one
from tests.programs import node

CASES = json.loads(VECTORS.read_text(encoding="utf-8"))
NAMES = [case["name"] for case in CASES]
DIE = one(MatrixWeights(((5, 1), (1, 5))))


def file_of(case: dict) -> MechanismFile:
    return MechanismFile.from_json(json.dumps(case["mechanism"]))


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_picture_says_exactly_what_the_whole_channel_gives(case):
    file, share = file_of(case), Fraction(*case["share"])
    found = picture_of(file, Screens())
    assert (found.place, found.answer, found.other) == (case["place"], case["answer"], case["other"])
    assert found.share == share
    assert language("en").of_100(share) == case["number"]
    form = respondent_form(file, title="Survey")
    categories = file.schema.attributes[found.place].categories
    sentence = language("en").counting("form", "picture", share, other=categories[found.other], answer=categories[found.answer])
    assert f" {case['number']} send" in sentence
    assert f'<p class="statement" dir="auto">{sentence}</p>' in form
    drawn = {kind: re.search(rf'<path class="{kind}" d="([^"]*)"', form)[1].count("z") for kind in ("sent", "unsent")}
    assert drawn == {"sent": int(100 * share + Fraction(1, 2)), "unsent": 100 - int(100 * share + Fraction(1, 2))}


@pytest.mark.browser
def test_what_the_practice_item_draws_has_the_chances_of_the_picture():
    practices = [Document(respondent_form(file_of(case), title="Survey")).data["practice"] for case in CASES]
    command = [node(), str(HERE / "form_picture.mjs")]
    run = subprocess.run(command, input=json.dumps(practices), capture_output=True, text=True, timeout=60, check=True)
    for case, counts in zip(CASES, json.loads(run.stdout), strict=True):
        row = counts[case["other"]]
        assert Fraction(row[case["answer"]], sum(row)) == Fraction(*case["share"]), case["name"]


def test_a_guess_says_how_many_of_those_who_send_it_have_another_answer():
    """Forced response with 2/3: 10 of 100 have it; by Bayes 9/14, 64 of 100."""
    found = picture_of(DIE, Screens(common=10))
    assert found.mistaken == Fraction(9, 10) * Fraction(1, 6) / (
        Fraction(9, 10) * Fraction(1, 6) + Fraction(1, 10) * Fraction(5, 6)
    )
    form = respondent_form(DIE, title="Survey", screens=Screens(common=10))
    assert re.search(r"\b10 in 100 .*“yes”.* 64 of 100 .*“yes”", form)
    assert " in 100 people" not in respondent_form(DIE, title="Survey")


def test_a_guess_that_would_need_more_than_itself_is_refused():
    unlike = one(MatrixWeights(((70, 20, 10), (30, 30, 40), (1, 9, 90))), ("a", "b", "c"))
    assert picture_of(unlike, Screens()).share == Fraction(1, 10)
    with pytest.raises(InputError, match="Leave the guess out"):
        picture_of(unlike, Screens(common=10))
    with pytest.raises(InputError, match="1 to 99 of 100 people, got 100"):
        Screens(common=100)


def test_the_team_chooses_question_and_answer():
    schema = Schema((Attribute("region", ("north", "south", "east")), Attribute("smokes", ("no", "yes"))))
    file = MechanismFile(schema, (((0, 1), LieWeights((3, 2), 12, (("00", 500), ("01", 40), ("10", 70), ("11", 129)))),))
    assert picture_of(file, Screens()).place == 1
    chosen = picture_of(file, Screens(about="region", answer="north"))
    assert (chosen.place, chosen.answer, chosen.other) == (0, 0, 1)
    twice = planned("independent", (2, 2), (1.0, 2.0))
    assert [picture_of(twice, Screens(), order).place for order in ((0, 1), (1, 0))] == [0, 1]  # the first that is asked


def test_reports_that_are_no_answers_have_no_picture_and_say_why():
    reports = Schema((Attribute("smokes", ("red", "black", "white")),))
    file = MechanismFile(
        Schema((Attribute("smokes", ("no", "yes")),)), (((0,), MatrixWeights(((3, 3, 0), (0, 1, 5)))),), reports=reports
    )
    assert picture_of(file, Screens()) is None
    form = Document(respondent_form(file, title="Survey"))
    assert [section["id"] for section in form.all("section")] == ["before", "questions", "report"]
    assert form.data["languages"]["en"]["notes"] == [[]]
    assert "something that chance makes of it" in "".join(form.text("p"))
    with pytest.raises(InputError, match="'smokes'"):
        picture_of(file, Screens(about="smokes"))


@pytest.mark.parametrize(
    ("file", "notes"),
    [
        (
            DIE,
            [
                "This proves nothing: about 17 of 100 people whose answer is “yes” send this.",
                "This is not an admission: about 17 of 100 people whose answer is “no” send this.",
            ],
        ),
        (one(LieWeights((3,), 0, (("0", 8), ("1", 2))), ("a", "b", "c")),
            ["This proves nothing: 10 of 100 people with another answer send this."]),
        (
            one(MatrixWeights(((2, 0), (1, 1)))),
            ["This proves nothing: 50 of 100 people whose answer is “yes” send this.", "Only people who have this answer send it."],
        ),
        (
            one(MatrixWeights(((997, 3), (10, 990)))),
            [
                "This proves nothing: 1 of 100 people whose answer is “yes” sends this.",
                "Fewer than 1 of 100 people whose answer is “no” sends this.",
            ],
        ),
        (
            one(MatrixWeights(((70, 20, 10), (30, 30, 40), (1, 9, 90))), ("a", "b", "c")),
            [
                "This proves nothing: between 1 and 30 of 100 people with another answer send this, depending on which one.",
                "This proves nothing: between 9 and 20 of 100 people with another answer send this, depending on which one.",
                "This proves nothing: between 10 and 40 of 100 people with another answer send this, depending on which one.",
            ],
        ),
    ],
    ids=["die", "three alike", "one-sided", "rare", "three unlike"],
)  # fmt: skip
def test_each_report_says_how_many_others_send_it(file, notes):
    found = report_notes(file, 0, language("en"))
    assert found == notes
    assert Document(respondent_form(file, title="Survey")).data["languages"]["en"]["notes"] == [found]
    assert Document(respondent_form(file, title="Survey", screens=PLAIN)).data["languages"]["en"]["notes"] == [[]]


@pytest.mark.parametrize("code", LANGUAGES)
def test_people_who_prefer_not_to_answer_have_a_category_like_any_other(code):
    attribute = declined(Attribute("bribe", ("no", "yes"), "ordinal"), code)
    assert attribute.size == 3
    assert declined(attribute, "en") == attribute
    weights = LieWeights((3,), 1, (("0", 99), ("1", 29)))
    file = MechanismFile(
        Schema((attribute, Attribute("b", ("0", "1")))), (((0,), weights), ((1,), MatrixWeights(((3, 1), (1, 3)))))
    )
    assert picture_of(file, Screens()).place == 0
    form = Document(respondent_form(file, title="Survey", language=code))
    apart = [label["class"] for label in form.all("label") if "declining" in (label.get("class") or "")]
    assert len(apart) == 2  # of the question, and of the practice item, which has the same three answers
    assert form.data["languages"][code]["practice"][2] == attribute.categories[2]
    assert form.data["languages"][code]["notes"][0][0] == report_notes(file, 0, language(code))[0]


def test_the_category_of_people_who_decline_stands_last_wherever_it_is_declared():
    categories = ("Prefer not to answer", "no", "yes")
    form = respondent_form(one(LieWeights((3,), 1, (("0", 99), ("1", 29))), categories), title="Survey")
    asked = form[form.index('id="question0"') :]
    assert re.findall(r'value="(\d)"', asked)[:3] == ["1", "2", "0"]
    assert picture_of(one(LieWeights((3,), 1, (("0", 99), ("1", 29))), categories), Screens()).answer == 2
