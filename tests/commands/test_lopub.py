"""The command lopub: a synthetic table, what it is good for, and all sources compared."""

import json

import numpy as np
import pytest

from rrcore.table.demo import load_demo
from rrcore.table.opening import read_text_table
from tests.commands.terminal import run


def test_a_synthetic_table_is_written_and_told(capsys, tmp_path):
    arguments = ("lopub", "--in", "demo:titanic", "--source", "pair-safe", "--eps", "4", "--phi", "0.1", "--records", "800")
    code, out, err = run(capsys, *arguments, "--out", tmp_path / "s.csv", "--json")
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert result["records"] == 800
    assert {name for clique in result["cliques"] for name in clique} == set(load_demo("titanic").schema.names)
    assert 0 < result["half_l1"]["2"] < 0.2
    table = read_text_table((tmp_path / "s.csv").read_bytes(), "s.csv")
    assert (table.n, table.names) == (800, load_demo("titanic").schema.names)
    assert run(capsys, *arguments, "--json")[1] == out  # the same seed, the same table


def test_records_of_the_model_of_all_pairs(capsys):
    arguments = ("lopub", "--in", "demo:titanic", "--source", "shrinkage", "--eps", "2")
    code, out, err = run(capsys, *arguments, "--json")
    result = json.loads(out)
    assert (code, err, result["records"]) == (0, "", 2201)
    assert result["model"]["records"] == 32
    assert result["model"]["difference"] < 0.01
    assert "drawn from the model of all pairs, which is off from each of them by at most" in run(capsys, *arguments)[1]


@pytest.mark.slow
def test_lopub_reports_its_bits_and_flipping(capsys):
    code, out, _ = run(
        capsys, "lopub", "--in", "demo:titanic", "--source", "lasso-em", "--eps", "8.788898309344878", "--hashes", "4", "--json"
    )
    result = json.loads(out)
    assert code == 0
    assert result["flip"] == pytest.approx(0.5)  # 8.79 = 2 * 4 * ln 3, LoPub, section VI-A2
    assert (result["bits"], result["total"]) == (512, pytest.approx(4 * 8.788898309344878))


def test_filters_by_false_positive_rate(capsys):
    _, out, _ = run(
        capsys, "lopub", "--in", "demo:titanic", "--source", "lasso", "--eps", "4", "--false-positive", "0.05", "--json"
    )
    assert json.loads(out)["bits"] == sum(int(np.ceil(np.log(20) / np.log(2) ** 2 * size)) for size in (4, 2, 2, 2))


@pytest.mark.slow
def test_classifiers_and_pruning_as_text(capsys):
    code, out, _ = run(
        capsys, "lopub", "--in", "demo:titanic", "--source", "pair-safe", "--eps", "4", "--target", "Survived", "--prune"
    )
    assert code == 0
    assert "Random forest" in out
    assert "always guessing the most frequent answer" in out


@pytest.mark.slow
def test_all_sources_at_equal_cost(capsys):
    code, out, _ = run(capsys, "lopub", "--in", "demo:titanic", "--eps", "2", "--compare", "--sets", "3", "--json")
    rows = {row["source"]: row for row in json.loads(out)["compare"]}
    assert code == 0
    assert list(rows) == ["pair-safe", "shrinkage", "rr-ind-joint", "em", "lasso", "lasso-em", "pair-lasso"]
    assert all(row["total"] == pytest.approx(8, abs=1e-6) for row in rows.values())
    assert rows["shrinkage"]["half_l1"]["3"] < rows["rr-ind-joint"]["half_l1"]["3"]
    assert rows["pair-safe"]["half_l1"]["2"] < rows["rr-ind-joint"]["half_l1"]["2"] < rows["lasso"]["half_l1"]["2"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--eps", "0"], "The level of an attribute is 0|Level of"),
        (["--eps", "x"], "Level of 'Class' is 'x'"),
        (["--eps", "1,1,1,2"], "Every attribute has the same level here"),
        (["--eps", "4", "--phi", "2"], "dependency degree phi is 2"),
        (["--eps", "4", "--bits", "0"], "number of bits is '0'"),
        (["--eps", "4", "--bits", "64", "--false-positive", "0.1"], "Both --bits and --false-positive"),
        (["--eps", "4", "--false-positive", "2"], "false-positive rate is 2"),
        (["--eps", "4", "--records", "-1"], "number of records"),
        (["--eps", "4", "--target", "age"], "There is no attribute 'age'"),
        (["--eps", "4", "--hashes", "200"], "200 hash functions"),
    ],
)
def test_bad_input_gets_one_sentence(capsys, more, message):
    code, out, err = run(capsys, "lopub", "--in", "demo:titanic", *more)
    assert (code, out) == (2, "")
    assert any(part in err for part in message.split("|"))
    assert err.strip().endswith(".")


def test_answers_that_have_the_same_bits_are_named(capsys):
    """Of four bits with two hash functions there are not enough for four classes: EM then leaves some as it found them."""
    arguments = ("lopub", "--in", "demo:titanic", "--attributes", "Class,Sex", "--source", "em", "--eps", "2", "--hashes", "2")
    said = "Answers to 'Class' have the same bits and cannot be told apart: give more --bits."
    code, out, _ = run(capsys, *arguments, "--bits", "2")
    assert (code, said in out) == (0, True)
    assert "warnings" not in json.loads(run(capsys, *arguments, "--bits", "64", "--json")[1])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--compare", "--out", "t.csv"], "no table is made: leave out --out."),
        (["--compare", "--target", "Sex", "--prune", "--phi", "0.1"], "leave out --phi, --prune and --target."),
        (["--compare", "--source", "em", "--records", "9", "--repeat"], "leave out --source, --records and --repeat."),
        (["--sets", "3"], "Without --compare no sets of attributes are drawn: leave out --sets."),
    ],
)
def test_what_nothing_would_read_is_refused(capsys, tmp_path, monkeypatch, more, said):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "lopub", "--in", "demo:titanic", "--eps", "2", *more)
    assert (code, out, list(tmp_path.iterdir())) == (2, "", [])
    assert said in err


def test_sources_are_compared_at_what_is_to_be_equal(capsys):
    """At equal levels pair-safe keeps to the level of each answer, and all of a record costs less than their sum."""
    arguments = (
        "lopub",
        "--in",
        "demo:titanic",
        "--attributes",
        "Sex,Survived",
        "--eps",
        "1",
        "--compare",
        "--sets",
        "1",
        "--json",
    )
    totals = {}
    for equal in (None, "total", "levels"):
        rows = json.loads(run(capsys, *arguments, *(("--equal", equal) if equal else ()))[1])["compare"]
        (totals[equal],) = [(row["total"], row["level"]) for row in rows if row["source"] == "pair-safe"]
    assert totals[None] == totals["total"] == (pytest.approx(2), pytest.approx(totals["total"][1]))
    assert totals["levels"][1] == pytest.approx(1)
    assert totals["levels"][0] < 2
    assert totals["total"][1] > 1
