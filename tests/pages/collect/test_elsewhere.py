"""Collect: the survey for ODK and Kobo, and sheets for paper."""

import html

import pytest

from rrcore.promise import MechanismFile


@pytest.fixture
def collect(session):
    return session.go("collect")


def test_an_xlsform_in_the_languages_that_are_chosen(collect):
    collect.set("selectbox", "Language of the form and the sheets", "es").look_at("collect_xlsform", True)
    collect.set("multiselect", "Languages of the XLSForm", ["es", "fr"])
    texts = html.unescape(collect.archive("survey.xlsx")["xl/worksheets/sheet1.xml"])  # openpyxl may use lxml, which escapes ñ
    assert "label::Español (es)" in texts
    assert "label::Français (fr)" in texts
    assert "not made to keep secrets" in collect.text
    collect.set("multiselect", "Languages of the XLSForm", [])
    assert collect.errors == ["The form has no language: choose at least one."]


def test_coupled_lies_cannot_be_thrown_and_kronecker_is_offered(collect):
    collect.look_at("collect_paper", True)
    assert "choose Kronecker for a survey on paper" in collect.text
    assert collect.errors == []  # nothing was done wrong
    collect.click("Use Kronecker for this plan")
    assert collect.at.session_state["work"].wishes.mechanism == "kronecker"
    assert collect.errors == []
    assert "A spinner can come near to what is planned" in collect.text  # at first the nearest that gives away no more
    assert collect.warnings == []
    collect.set("selectbox", "What decides", "dice")
    assert any("More than planned is given away about" in text for text in collect.warnings)
    assert collect.download("paper.json") != collect.download("mechanism.json")


def test_what_the_form_does_and_sheets_do_not_is_said(collect):
    collect.look_at("collect_paper", True).look_at("collect_xlsform", True).click("Use Kronecker for this plan")
    assert "Not on the sheets" not in collect.text
    collect.given(form_unrandomised="region: north, south\nyear: 1, 2").run()
    assert "Not on the sheets: region and year." in collect.text


@pytest.mark.slow
def test_sheets_for_a_design_of_the_field(collect):
    collect.set("radio", "Answers are randomised by", "field").look_at("collect_paper", True)
    assert "A spinner can do exactly what is planned: odds about an answer shift up to 5.00 times." in collect.text
    collect.set("selectbox", "What decides", "die")
    assert "A die can come near to what is planned" in collect.text  # forced response exactly, four regions not
    assert MechanismFile.from_json(collect.download("paper.json")).sha256 in collect.download("sheets.html")
    collect.set("selectbox", "What decides", "spinner")
    collect.set("selectbox", "Paper", "letter")
    assert "size: letter" in collect.download("sheets.html")
    assert MechanismFile.from_json(collect.download("mechanism.json")).sha256 in collect.download("sheets.html")
    table = next(frame.value for frame in collect.at.dataframe if "Device" in frame.value.columns)
    assert table.set_index("Device").loc["A coin", "Odds shift up to"] == "cannot do it"
    collect.set("selectbox", "What decides", "die").set("toggle", "Another device for some questions", True)
    names = MechanismFile.from_json(collect.download("mechanism.json")).schema.names
    collect.set("selectbox", names[1], "spinner")
    assert "These devices can do exactly what is planned" in collect.text
    assert "Throw a die." in collect.download("sheets.html")
    assert table.set_index("Device").loc["30 numbered cards", "People needed"] == "as planned"
    assert table.set_index("Device").loc["A spinner", "People needed"] == "as planned"
