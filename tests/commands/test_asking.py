"""The commands that make something to ask people with: form, XLSForm and sheets."""

from __future__ import annotations

import io
import json

import openpyxl
import pytest

from rrcore.asking import SurveyFile
from rrcore.asking.translation import Translation
from rrcore.promise import MechanismFile
from rrcore.table.schema import Attribute
from tests.commands.terminal import run


@pytest.fixture
def mechanism(tmp_path, capsys):
    path = tmp_path / "m.json"
    run(
        capsys, "mechanism", "--design", "q=forced:2/3,1/6,1/6", "--categories", "q=no|yes",
        "--design", "r=k-ary:3/5", "--categories", "r=a|b|c", "--out", path,
    )  # fmt: skip
    return path


def test_a_form_in_another_language(mechanism, tmp_path, capsys):
    out = tmp_path / "form.html"
    code, told, _ = run(capsys, "form", "--mechanism", mechanism, "--language", "pt", "--wording", "q=Já?", "--out", out)
    assert code == 0
    assert told.startswith("form in Português written to")
    assert '<html lang="pt">' in out.read_text(encoding="utf-8")
    assert "Já?" in out.read_text(encoding="utf-8")


def test_an_xlsform_in_two_languages(mechanism, tmp_path, capsys):
    out = tmp_path / "form.xlsx"
    code, told, _ = run(capsys, "xlsform", "--mechanism", mechanism, "--language", "fr", "--language", "en", "--out", out)
    assert code == 0
    assert "ordinary random number generator" in told
    heads = [cell.value for cell in openpyxl.load_workbook(io.BytesIO(out.read_bytes()))["survey"][1]]
    assert "label::Français (fr)" in heads
    assert "label::English (en)" in heads


def test_sheets_say_what_the_device_does_and_write_its_mechanism(mechanism, tmp_path, capsys):
    out, made = tmp_path / "sheets.html", tmp_path / "paper.json"
    code, told, _ = run(
        capsys, "sheet", "--mechanism", mechanism, "--device", "die", "--out", out, "--mechanism-out", made, "--json"
    )
    assert code == 0
    result = json.loads(told)
    assert [question["exact"] for question in result["questions"]] == [True, False]
    assert result["questions"][0]["odds"] == "5.00"
    assert not result["same_mechanism"]
    assert MechanismFile.from_bytes(made.read_bytes()).sha256 == result["mechanism"]
    assert result["mechanism"] in out.read_text(encoding="utf-8")
    code, told, _ = run(capsys, "sheet", "--mechanism", mechanism, "--device", "spinner", "--out", tmp_path / "spun.html")
    assert "The device does exactly what the mechanism file says" in told
    own = ("--device", "die", "--device", "r=spinner", "--out", tmp_path / "own.html", "--json")
    result = json.loads(run(capsys, "sheet", "--mechanism", mechanism, *own)[1])
    assert [question["exact"] for question in result["questions"]] == [True, True]
    assert result["same_mechanism"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("sheet", "--device", "coin"), "2 equally likely chances with a coin"),
        (("sheet", "--device", "die", "--device", "coin"), "Two devices are given for all questions"),
        (("sheet", "--device", "nobody=coin"), "'nobody=coin' is not understood"),
        (("sheet", "--device", "wheel"), "There is no device 'wheel'"),
        (("form", "--language", "xx"), "invalid choice: 'xx'"),
        (("xlsform", "--wording", "x=?"), "'x=?' is not understood"),
        (("xlsform",), "is to be a workbook: let its name end in .xlsx."),
    ],
)
def test_bad_options_end_with_a_sentence(mechanism, tmp_path, capsys, options, message):
    code, _, error = run(capsys, *options, "--mechanism", mechanism, "--out", tmp_path / "out")
    assert code == 2
    assert message in error
    assert not (tmp_path / "out").exists()


def test_an_xlsform_of_a_survey_file_has_its_languages_and_unrandomised_questions(mechanism, tmp_path, capsys):
    file = MechanismFile.open(mechanism)
    survey, out = tmp_path / "survey.json", tmp_path / "both.xlsx"
    region = Attribute("region", ("north", "south"))
    french = Translation("Santé", questions={"region": "Où ?"})
    SurveyFile(file, "Health", unrandomised=(region,), translations={"fr": french}).save(survey)
    code, told, _ = run(capsys, "xlsform", "--survey", survey, "--out", out)
    assert (code, "XLSForm written" in told) == (0, True)
    rows = [[cell.value for cell in row] for row in openpyxl.load_workbook(out)["survey"]]
    where = rows[0].index("label::Français (fr)")
    assert next(row[where] for row in rows if "region" in row) == "Où ?"
    code, _, told = run(capsys, "xlsform", "--survey", survey, "--title", "Other", "--out", tmp_path / "c.xlsx")
    assert (code, "leave out --title" in told) == (2, True)
    code, _, told = run(capsys, "xlsform", "--out", tmp_path / "d.xlsx")
    assert (code, "add --survey FILE, or --mechanism FILE" in told) == (2, True)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, ""),
        ({"invited": True}, "codes of invitation"),
        ({"order": ("r", "q")}, "an order of the questions"),
    ],
)
def test_an_xlsform_says_what_the_form_alone_can_do(mechanism, tmp_path, capsys, asked, said):
    SurveyFile(MechanismFile.open(mechanism), "Health", **asked).save(tmp_path / "survey.json")
    code, _, told = run(capsys, "xlsform", "--survey", tmp_path / "survey.json", "--out", tmp_path / "both.xlsx")
    assert (code, (tmp_path / "both.xlsx").exists()) == (0, True)
    assert told.startswith(f"Not in an XLSForm, though the survey file has it: {said}") if said else told == ""
