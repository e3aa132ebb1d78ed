"""The command model: a regression from files, in words, JSON and CSV."""

import csv
import html
import json

import numpy as np
import pytest

from rrcore.answers import nigeria, read_answers
from rrcore.estimate import normal_point
from rrcore.estimate.models import correlations, fit, rare_categories, read_covariates
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile
from rrcore.promise.integers import integer_groups
from rrcore.promise.weights import MatrixWeights
from rrcore.schemes import perturb
from rrcore.table import Attribute, Dataset, Schema, load_demo
from rrcore.wording import Quantity
from tests.commands.terminal import check_narrower, intervals, run

QUESTION = "connected to an armed group"


@pytest.fixture
def survey(tmp_path, monkeypatch):
    """The Niger Delta, with an invented column of weights and one of clusters."""
    monkeypatch.chdir(tmp_path)
    answers = nigeria()
    (education,) = answers.groupings
    said = answers.schema.attributes[0].categories
    rows = [f'"{QUESTION}",education,weight,village,region']
    places = ["isle", *(("north", "south") * 500)[1:]]
    for i, (code, grade) in enumerate(zip(answers.dataset.codes[:, 0], education.codes, strict=True)):
        rows.append(f"{said[code]},{education.values[grade] if grade >= 0 else ''},{1 + i % 3},{i % 50},{places[i % 1000]}")
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
    asked = ["model", "--outcome", "y", "--predictors", "x", "--refusal", "no", "--json"]
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
    asked.remove("--json")
    told = [run(capsys, *asked, "--confidence", f"{share}")[1].partition("always say 'no': ")[2] for share in (0.95, 0.5)]
    halves = [normal_point(share) * result["always"]["standard_error"] for share in (0.95, 0.5)]
    for text, half in zip(told, halves, strict=True):
        low, high = (result["always"]["share"] + sign * half for sign in (-1, 1))
        assert text.startswith(Quantity("share", "", "the population").estimated(result["always"]["share"], low, high))
    code, _, err = run(capsys, *asked[:-2])
    assert code == 2
    assert err.startswith("2 mechanism files are given and answers to 1")


def test_new_options_say_what_was_fitted(survey, capsys, tmp_path):
    """Penalty, merged categories, random intercepts and correlations: as the library has them."""
    answers = read_answers(tmp_path / "a.csv", MechanismFile.open(tmp_path / "m.json"))
    asked = (*survey, "--predictors", "education", "--json")
    result = json.loads(run(capsys, *asked, "--penalty", "ridge", "--correlate", f"{QUESTION},education")[1])
    found = fit(answers, QUESTION, ["education"], penalty="ridge")
    assert [row["coefficient"] for row in result["coefficients"]] == found.coefficients[0].tolist()
    assert result["notes"] == list(found.notes)
    (one,) = correlations(answers, [QUESTION, "education"])
    assert result["correlations"][0]["correlation"] == one.value
    result = json.loads(run(capsys, *asked, "--random", "village")[1])
    found = fit(answers, QUESTION, ["education"], random="village")
    assert (result["random"]["column"], result["random"]["deviation"]) == ("village", found.deviation[0])
    result = json.loads(run(capsys, *survey, "--predictors", "region", "--merge-rare", "--json")[1])
    merge = rare_categories(answers, read_covariates(answers.groupings, answers.n), [QUESTION, "region"])
    assert "isle" in merge["region"]
    assert [row["term"] for row in result["coefficients"]] == list(fit(answers, QUESTION, ["region"], merge=merge).terms)


def test_the_report_holds_what_is_printed(survey, capsys, tmp_path):
    asked = (*survey, "--predictors", "education > 3")
    code, out, _ = run(capsys, *asked, "--report", "r.html", "--title", "Armed groups")
    page = html.unescape((tmp_path / "r.html").read_text(encoding="utf-8")).replace("\N{NO-BREAK SPACE}", " ")
    assert code == 0
    assert out.splitlines()[0] in page
    assert '<h1 dir="auto">Armed groups</h1>' in page
    for more, said in (
        (("--title", "x"), "add --report FILE"),
        (("--report", "s.html", "--confidence", ".9"), "has 95 % intervals"),
        (("--report", "s.html", "--mechanism", "m.json", "--in", "a.csv"), "of answers to one mechanism"),
    ):
        code, out, err = run(capsys, *asked, *more)
        assert (code, out, said in err) == (2, "", True), err


def test_the_commonest_failures_end_in_a_fit_or_in_what_to_do(capsys, tmp_path, monkeypatch):
    """Too many combinations, a category that is rare, a group without the trait, and a pair that the mechanism erases."""
    monkeypatch.chdir(tmp_path)
    made = []

    def asked(table, mechanism, level, outcome, predictors, *more, beside=None):
        built = build(mechanism, table.schema.sizes, [level] * len(table.schema.names))
        MechanismFile(table.schema, integer_groups(built)).save(f"m{len(made)}.json")
        lines = perturb(table, built, rng=np.random.default_rng(0)).dataset.to_csv().splitlines()
        if beside is not None:
            lines = [f"{line},{value}" for line, value in zip(lines, beside, strict=True)]
        (tmp_path / f"a{len(made)}.csv").write_text("\n".join(lines), encoding="utf-8")
        ask = (
            "model",
            "--mechanism",
            f"m{len(made)}.json",
            "--in",
            f"a{len(made)}.csv",
            "--outcome",
            outcome,
            "--predictors",
            predictors,
        )
        made.append(outcome)
        code, _, err = run(capsys, *ask, *more)
        assert (code, err.count("\n")) in ((0, 0), (2, 1))
        return code, err

    census = load_demo("census")
    wide = (census, "kronecker", 2.0, "income", "education,occupation")
    code, err = asked(*wide)
    assert (code, "merge their rare categories" in err) == (2, True)
    assert asked(*wide, "--merge-rare") == (0, "")

    sex = load_demo("titanic").select(["Sex"])
    place = ["place", *(["town"] * 1400 + ["village"] * (sex.n - 1403) + ["isle"] * 3)]
    rare = (Dataset(sex.schema, np.zeros_like(sex.codes)), "kronecker", 3.0, "Sex", "place")
    code, err = asked(*rare, beside=place)
    assert (code, "has no finite" in err, "penalty" in err) == (2, True, True)
    assert asked(*rare, "--penalty", "ridge", beside=place) == (0, "")

    code, err = asked(load_demo("titanic").select(["Sex", "Age", "Survived"]), "optimal", 0.5, "Survived", "Sex")
    assert (code, "no model can use both: leave one" in err) == (2, True)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--predictors", "age"), "There is no predictor 'age'"),
        (("--predictors", "education", "--refusal", "no"), "One design cannot tell"),
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
    ask += ("--predictors", "town", "--average", "town", "--correlate", f"{survey.mechanism.schema.names[0]},town", "--json")
    wide, narrow = (json.loads(run(capsys, *ask, "--confidence", each)[1]) for each in ("0.95", "0.5"))
    check_narrower(wide, narrow)
    assert "/correlations/0/low" in intervals(narrow)
    (one,) = narrow["correlations"]
    assert one["low"] < one["correlation"] < one["high"]
