"""The command model: a regression from files, in words, JSON and CSV."""

import csv
import json

import numpy as np
import pytest

from rrcore.answers import nigeria
from rrcore.promise import MechanismFile
from rrcore.promise.weights import MatrixWeights
from rrcore.table import Attribute, Schema
from tests.commands.terminal import run

QUESTION = "connected to an armed group"


@pytest.fixture
def survey(tmp_path, monkeypatch):
    """The Niger Delta, with an invented column of weights and one of clusters."""
    monkeypatch.chdir(tmp_path)
    answers = nigeria()
    (education,) = answers.groupings
    said = answers.schema.attributes[0].categories
    rows = [f'"{QUESTION}",education,weight,village']
    for i, (code, grade) in enumerate(zip(answers.dataset.codes[:, 0], education.codes, strict=True)):
        rows.append(f"{said[code]},{education.values[grade] if grade >= 0 else ''},{1 + i % 3},{i % 50}")
    (tmp_path / "m.json").write_text(answers.mechanism.to_json(), encoding="utf-8")
    (tmp_path / "a.csv").write_text("\n".join(rows), encoding="utf-8")
    return ("model", "--mechanism", "m.json", "--in", "a.csv", "--outcome", QUESTION)


def test_words_table_and_json_say_the_same(survey, capsys, tmp_path):
    asked = (*survey, "--predictors", "education > 3", "--test", "education > 3", "--by", "education")
    code, out, err = run(capsys, *asked, "--csv", "c.csv")
    assert (code, err) == (0, "")
    assert out.startswith(
        "Where education > 3, the odds of “yes” to “connected to an armed group” are 2.4 times as high (1.5 to 4.0)"
    )
    assert "education > 3 together (likelihood ratio): chi-square 17.8" in out
    assert "education 4, yes: 29.3 % (26.2 to 32.6)" in out
    result = json.loads(run(capsys, *asked, "--json")[1])
    row = result["coefficients"][1]
    assert (row["term"], round(row["coefficient"], 3), round(row["naive"], 3)) == ("education > 3", 0.892, 0.461)
    assert result["by"]["rows"][1]["outcome"] == "yes"
    (_, written) = csv.DictReader((tmp_path / "c.csv").open(encoding="utf-8"))
    assert float(written["coefficient"]) == row["coefficient"]


def test_weights_and_clusters_are_columns(survey, capsys):
    asked = (
        *survey,
        "--predictors",
        "education: 5",
        "--weights",
        "weight",
        "--clusters",
        "village",
        "--average",
        "education",
        "--json",
    )
    result = json.loads(run(capsys, *asked)[1])
    assert result["answers"] == 2434
    assert {row["at"] for row in result["average"]["rows"]} == {str(grade) for grade in range(1, 11)}
    code, _, err = run(capsys, *survey, "--predictors", "education", "--weights", "people")
    assert code == 2
    assert err.startswith("There is no column 'people' for the weights")


def test_two_groups_tell_who_always_says_no(capsys, tmp_path, monkeypatch):
    """Cheating detection: 30 % have it, 15 % always say no; counts are their expectation."""
    monkeypatch.chdir(tmp_path)
    schema = Schema((Attribute("y", ("no", "yes")),))
    asked = ["model", "--outcome", "y", "--predictors", "x", "--always", "no", "--json"]
    for group, yes in enumerate((1, 4)):
        file = MechanismFile(schema, (((0,), MatrixWeights(((8 - yes, yes), (1, 7)))),))
        share = np.array([0.85 * (0.3 * 7 / 8 + 0.7 * yes / 8), 0.85 * (0.5 * 7 / 8 + 0.5 * yes / 8)])
        rows = ["y,x"]
        for x in (0, 1):
            said = round(4_000 * share[x])
            rows += [f"yes,{x}"] * said + [f"no,{x}"] * (4_000 - said)
        (tmp_path / f"m{group}.json").write_text(file.to_json(), encoding="utf-8")
        (tmp_path / f"a{group}.csv").write_text("\n".join(rows), encoding="utf-8")
        asked += ["--mechanism", f"m{group}.json", "--in", f"a{group}.csv"]
    result = json.loads(run(capsys, *asked)[1])
    assert result["always"]["share"] == pytest.approx(0.15, abs=0.003)
    assert result["coefficients"][0]["coefficient"] == pytest.approx(np.log(0.3 / 0.7), abs=0.02)
    assert result["coefficients"][1]["coefficient"] == pytest.approx(np.log(0.7 / 0.3), abs=0.02)
    code, _, err = run(capsys, *asked[:-2])
    assert code == 2
    assert err.startswith("2 mechanism files are given and answers to 1")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--predictors", "age"), "There is no predictor 'age'"),
        (("--predictors", "education", "--always", "no"), "One design cannot tell"),
        (("--predictors", "education", "--test", "age"), "There is no term 'age' in the model: choose among education."),
        (("--predictors", "education", "--average", "village"), "'village' is not a predictor of the model"),
        (("--predictors", "education", "--family", "linear"), "was randomised and has categories"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(survey, capsys, more, said):
    code, out, err = run(capsys, *survey, *more)
    assert (code, out) == (2, "")
    assert err.startswith(said) or said in err
    assert err.count("\n") == 1


def test_the_confidence_of_a_model_reaches_every_interval(tmp_path, capsys):
    survey = nigeria()
    survey.mechanism.save(tmp_path / "m.json")
    (tmp_path / "a.csv").write_text(survey.dataset.to_csv())
    frame = survey.dataset.to_pandas().assign(town=["N", "S"] * (survey.dataset.n // 2) + ["N"] * (survey.dataset.n % 2))
    frame.to_csv(tmp_path / "t.csv", index=False)
    ask = ("model", "--mechanism", tmp_path / "m.json", "--in", tmp_path / "t.csv", "--outcome", survey.mechanism.schema.names[0])
    ask += ("--predictors", "town", "--average", "town", "--json")
    wide, narrow = (json.loads(run(capsys, *ask, "--confidence", each)[1]) for each in ("0.95", "0.5"))
    for rows in (lambda found: found["coefficients"], lambda found: found["average"]["rows"]):
        for one, other in zip(rows(wide), rows(narrow), strict=True):
            assert one["low"] < other["low"] < other["high"] < one["high"]
