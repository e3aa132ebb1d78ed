"""The commands describe, plan, mechanism and simulate."""

import json

import numpy as np
import pytest

import rrcore as rr
from tests.cli.terminal import refused, result, run


def test_a_plan_that_saves_nothing_says_so(capsys):
    """A solver's total of 2.0000000002 was rounded up to 2.01."""
    code, out, _ = run(capsys, "plan", "--sizes", "5,5", "--epsilon", "1")
    assert code == 0
    assert [line.split()[-1] for line in out.splitlines()[:1]] == ["2.00"]
    assert "2.00" in out.splitlines()[1]


def test_plan_has_the_numbers_of_the_library(capsys):
    found = result(capsys, "plan", "--in", "demo:titanic", "--epsilon", "Class=2,Sex=1,Age=1,Survived=2")
    plan = rr.Plan(rr.load_demo("titanic"), [2, 1, 1, 2])
    assert found["plan"]["epsilon_total"] == pytest.approx(plan.build().epsilon_total)
    assert found["margin_of_error"] == pytest.approx(plan.compare("preserving").margin_of_error[0])
    assert (found["plan"]["mechanism"], found["plan"]["preserve"], found["n"]) == ("preserving", 2, 2201)


def test_sizes_can_be_repeated_and_all_mechanisms_compared(capsys):
    found = result(capsys, "plan", "--sizes", "5x8", "--epsilon", "1", "--preserve", "1", "--compare", "--n", "500")
    assert len(found["plan"]["attributes"]) == 8
    totals = {row["mechanism"]: row["epsilon_total"] for row in found["mechanisms"]}
    assert totals["optimal"] == found["plan"]["epsilon_total"] < totals["independent"] == 8


def test_a_budget_is_shared_by_weights_or_serves_a_workload(capsys):
    shared = result(capsys, "plan", "--sizes", "2,2", "--budget", "3", "--weights", "2,1")
    (first, second) = (each["epsilon"] for each in shared["plan"]["attributes"])
    assert first == pytest.approx(2 * second)
    assert shared["plan"]["epsilon_total"] == pytest.approx(3, abs=1e-3)
    sizes = ("plan", "--sizes", "4,2,2", "--columns", "class,sex,survived")
    served = result(capsys, *sizes, "--budget", "3", "--workload", "class,survived;sex,survived")
    assert set(served["gains"]) == {"class,survived", "sex,survived"}
    assert min(served["gains"].values()) > 1


@pytest.fixture
def towns(tmp_path):
    rows = ["Oslo,no"] * 20 + ["Rome,yes"] * 20 + ["Zzz,no"] * 2
    (tmp_path / "towns.csv").write_text("town,smokes\n" + "\n".join(rows) + "\n")
    return tmp_path


def test_a_plan_does_not_publish_rare_categories_by_accident(towns, capsys):
    plan = ("plan", "--in", towns / "towns.csv", "--epsilon", "1")
    assert "'town' (1)" in refused(capsys, *plan, "--out", towns / "p.json")
    assert run(capsys, *plan)[0] == 0
    for options, names in [
        (("--rare", "merge"), ["Oslo", "Rome", "(other)"]),
        (("--rare", "keep"), ["Oslo", "Rome", "Zzz"]),
        (("--categories", "town=Oslo|Rome|Paris"), ["Oslo", "Rome", "Paris", "(other)"]),
    ]:
        out = towns / f"{names[-1]}{len(names)}.json"
        assert run(capsys, *plan, *options, "--out", out)[0] == 0
        assert json.loads(out.read_text())["attributes"][0]["categories"] == names


def test_intervals_and_ways_to_read_a_file(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("age;people\n" + "".join(f"{age};2\n" for age in range(20, 60)))
    source = ("plan", "--in", tmp_path / "a.csv", "--epsilon", "1", "--read", "counts=people")
    found = result(capsys, *source, "--bins", "age=30,40")
    assert (found["n"], len(found["plan"]["attributes"][0]["categories"])) == (80, 3)
    (tmp_path / "b.csv").write_text("a,b\nx,no\n")
    assert "--read header=" in refused(capsys, "describe", "--in", tmp_path / "b.csv")
    assert result(capsys, "describe", "--in", tmp_path / "b.csv", "--read", "header=no")["n"] == 2


def test_the_certificate_is_exact_on_request_only(survey, capsys):
    design = (
        "--design",
        "q=forced:2/3,1/6,1/6",
        "--categories",
        "q=no|yes",
        "--design",
        "r=k-ary:3/5",
        "--categories",
        "r=a|b|c",
    )
    code, out, _ = run(capsys, "mechanism", *design, "--out", "d.json")
    assert (code, "5/1" in out) == (0, False)
    assert "5/1" in run(capsys, "mechanism", "--check", "d.json", "--exact")[1]
    found = result(capsys, "mechanism", "--check", "d.json")
    assert [each["epsilon"]["ratio"] for each in found["certificate"]["attributes"]] == ["5/1", "3/1"]
    assert (
        result(capsys, "mechanism", "--plan", "plan.json", "--out", "p.json")["sha256"]
        == result(capsys, "mechanism", "--check", "m.json")["sha256"]
    )


@pytest.mark.parametrize("source", [["--epsilon", "2"], ["--plan", "plan.json"]])
def test_simulate_estimates_the_truth(survey, capsys, source):
    found = result(capsys, "simulate", "--in", "true.csv", *source, "--estimate", "Sex,Survived", "--rng", "3")
    truth, estimate, error = (np.array([row[name] for row in found["rows"]]) for name in ("truth", "estimate", "std_error"))
    assert sorted(truth * 2201) == pytest.approx([126, 344, 367, 1364])  # the published table
    assert (np.abs(estimate - truth) < 5 * error).all()
