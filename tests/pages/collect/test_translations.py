"""Collect: questions that are not randomised, and further languages, from what is typed to the survey file, the preview and the project."""

import json

import pytest

from rrcore.asking import SurveyFile
from rrcore.asking.translation import Translation
from rrcore.table import Attribute

UNRANDOMISED = "Questions and their possible answers, one question a line"


@pytest.fixture
def collect(session):
    session.go("data").set("radio", "Where the table comes from", "declare")
    session.at.session_state["work"].declared = "smokes: no, yes"
    return session.run().go("collect")


def in_file(session):
    return SurveyFile.from_json(session.download("survey.json"))


def test_a_question_that_is_not_randomised_is_typed_worded_and_moved_like_the_others(collect):
    collect.set("text_area", UNRANDOMISED, "region: north, south")
    collect.set("text_input", "region (sent as it is)", "Where do you live?")
    collect.at.button(key="earlier_region").click()
    found = in_file(collect.run())
    assert found.unrandomised == (Attribute("region", ("north", "south")),)
    assert (found.order, found.questions) == (("region", "smokes"), {"region": "Where do you live?"})
    assert found.mechanism.schema.names == ("smokes",)
    assert "region leaves as it is: everybody's is learnt." in collect.text
    assert "region tells 2 kinds of people apart" in collect.text


@pytest.mark.parametrize("typed", ["region north", "smokes: a, b", "region: north"])
def test_what_cannot_be_asked_is_said_and_no_form_leaves(collect, typed):
    collect.set("text_area", UNRANDOMISED, typed)
    assert len(collect.errors) >= 1
    assert not collect.has("download_button", "Download survey file")


def test_further_languages_have_a_tab_each_and_reach_the_survey_file_and_the_project(collect):
    collect.set("text_area", UNRANDOMISED, "region: north, south")
    collect.set("multiselect", "Further languages", ["fr", "de"])
    assert "The form's own texts in Deutsch (de): not yet read by a native speaker." in collect.text
    for key, text in (
        ("translated_fr_title", "Santé"),
        ("translated_fr_question_smokes", "Fumez-vous ?"),
        ("translated_fr_answers_smokes", "non, oui"),
        ("translated_fr_answers_region", 'nord, "sud, ou est"'),
        ("translated_de_question_region", "Wo wohnen Sie?"),
    ):
        collect.at.text_input(key=key).set_value(text)
        collect.run()
    french = Translation("Santé", "", {"smokes": "Fumez-vous ?"}, {"smokes": ("non", "oui"), "region": ("nord", "sud, ou est")})
    assert in_file(collect).translations == {"fr": french, "de": Translation(questions={"region": "Wo wohnen Sie?"})}
    collect.set("text_area", UNRANDOMISED, "")  # what was typed about a question that is gone is not in the file, and not lost
    assert in_file(collect).translations["fr"].categories == {"smokes": ("non", "oui")}
    collect.set("text_area", UNRANDOMISED, "region: north, south")
    assert in_file(collect).translations["fr"] == french
    kept = json.loads(collect.at.session_state["form_translations"])
    assert kept["fr"]["title"] == "Santé"
    collect.set("multiselect", "Further languages", ["fr"])
    assert set(in_file(collect).translations) == {"fr"}


def test_a_translation_that_does_not_fit_is_said(collect):
    collect.set("multiselect", "Further languages", ["fr"])
    collect.at.text_input(key="translated_fr_answers_smokes").set_value("non, oui, parfois")
    collect.run()
    assert any("The translation 'fr' has 3 answers to 'smokes', and 2 are asked" in error for error in collect.errors)
    collect.at.text_input(key="translated_fr_answers_smokes").set_value("")
    assert not collect.run().errors


def test_the_language_of_a_form_that_no_native_speaker_has_read_says_so(collect):
    assert "native speaker" not in collect.text
    collect.set("selectbox", "Language of the form", "it")
    assert "Italiano (it): not yet read by a native speaker." in collect.text
