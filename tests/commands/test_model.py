"""The command model: a regression from files, in words, JSON and CSV."""

import csv
import json

import pytest

from rrcore.answers import nigeria, read_answers
from rrcore.estimate.regression import fit
from rrcore.promise import MechanismFile
from tests.commands.terminal import check_narrower, run

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
    return ("model", "--mechanism", "m.json", "--in", "a.csv")


def test_words_table_and_json_have_the_same_numbers(survey, capsys, tmp_path):
    asked = (*survey, "--formula", f"{QUESTION} ~ education > 3")
    found = fit(asked[-1], read_answers(tmp_path / "a.csv", MechanismFile.open(tmp_path / "m.json")))
    code, out, err = run(capsys, *asked, "--csv", "c.csv")
    assert (code, err, out.strip()) == (0, "", found.summary())
    result = json.loads(run(capsys, *asked, "--json")[1])
    assert result["coefficients"] == found.rows()
    assert (result["answers"], result["log_likelihood"]) == (2434, found.llf)
    (_, written) = csv.DictReader((tmp_path / "c.csv").open(encoding="utf-8"))
    assert float(written["estimate"]) == found.params["education > 3"]


def test_weights_clusters_reference_and_confidence(survey, capsys):
    asked = (*survey, "--formula", f"{QUESTION} ~ education", "--weights", "weight", "--clusters", "village", "--json")
    wide, narrow = (json.loads(run(capsys, *asked, "--confidence", each)[1]) for each in ("0.95", "0.5"))
    check_narrower(wide, narrow)
    turned = json.loads(run(capsys, *asked, "--reference", f"{QUESTION}=yes")[1])
    assert turned["reference"] == "yes"
    assert turned["coefficients"][1]["estimate"] == pytest.approx(-wide["coefficients"][1]["estimate"], abs=1e-6)


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (("--formula", f"{QUESTION} ~ age"), "'age'"),
        (("--formula", f"{QUESTION} ~ education", "--kind", "linear"), QUESTION),
        (("--formula", f"{QUESTION} ~ education", "--weights", "people"), "'people'"),
    ],
)
def test_bad_input_is_one_sentence(survey, capsys, more, named):
    code, out, err = run(capsys, *survey, *more)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert named in err
