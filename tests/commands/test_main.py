"""The command line: JSON on standard output, one sentence on standard error, exit code 2 on bad input."""

import json
import subprocess
import sys

import numpy as np
import pytest

from rrcore.estimate import TRUE_SHARES
from rrcore.mechanisms import MECHANISMS
from rrcore.table.demo import load_demo
from rrcore.table.opening import read_text_table
from tests.commands.terminal import run


def test_plan_prints_what_the_page_shows(capsys):
    code, out, err = run(capsys, "plan", "--sizes", "5,5,5,5", "--eps", "1,2,3,4", "--method", "optimal", "--json")
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert result["total"] == pytest.approx(6.6633231, abs=1e-6)  # theory.md section 11
    assert result["kronecker_total"] == 10
    assert result["categories"] == [5, 5, 5, 5]
    assert result["requested_levels"] == [1, 2, 3, 4]
    assert result["achieved_levels"] == pytest.approx([1, 2, 3, 4], abs=1e-9)
    assert max(result["achieved_levels"][i] - (i + 1) for i in range(4)) <= 0
    assert max(result["leakage"]) == pytest.approx(result["total"], abs=1e-9)
    assert result["min_pair_factor"] < 1
    assert result["lower_bound"] == pytest.approx(result["total"], abs=1e-9)
    assert result["seconds"] > 0


def test_plan_of_a_single_attribute_has_no_pair(capsys):
    code, out, _ = run(capsys, "plan", "--sizes", "3", "--eps", "1", "--json")
    assert code == 0
    assert json.loads(out)["min_pair_factor"] is None


@pytest.mark.parametrize("mechanism", ["optimal", "pair-safe"])
def test_plan_takes_the_limits_of_levels_categories_and_thirteen_attributes(capsys, mechanism):
    code, out, _ = run(capsys, "plan", "--sizes", "2,10000", "--eps", "30,0.001", "--method", mechanism, "--json")
    assert code == 0
    assert json.loads(out)["total"] <= 30.001 + 1e-9
    code, out, _ = run(capsys, "plan", "--sizes", "2," * 12 + "2", "--eps", "1," * 12 + "1", "--method", mechanism, "--json")
    result = json.loads(out)
    assert code == 0
    assert result["total"] < 10
    assert result["achieved_levels"] == pytest.approx([1] * 13, abs=1e-9)


def test_plan_as_text(capsys):
    code, out, _ = run(capsys, "plan", "--sizes", "2,2,2", "--eps", ".5,.5,.5", "--method", "optimal")
    assert code == 0
    assert "Optimum: total 1.08 nats" in out
    assert "Kronecker: total 1.50 nats" in out


def test_describe_lists_categories_counts_and_warnings(capsys, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a,b,c\nNA,1,x\nNA,,x\n007,1,x\n", encoding="utf-8")
    code, out, _ = run(capsys, "describe", "--in", str(file), "--json")
    result = json.loads(out)
    first, second, third = result["columns"]
    assert (code, result["rows"]) == (0, 3)
    assert dict(zip(first["categories"], first["counts"], strict=True)) == {"NA": 2, "007": 1}
    assert second["missing"] == 1
    assert (second["categories"], second["counts"]) == (["1", "(missing)"], [2, 1])
    assert [warning["code"] for warning in third["warnings"]] == ["constant"]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_simulate_estimates_the_truth(capsys, mechanism):
    arguments = ["simulate", "--in", "demo:titanic", "--attributes", "Class,Sex,Survived", "--eps", "3,2,2", "--seed", "0"]
    code, out, _ = run(capsys, *arguments, "--method", mechanism, "--marginal", "Survived,Sex", "--json")
    result = json.loads(out)
    assert code == 0
    assert next(iter(result.items())) == ("note", TRUE_SHARES)
    truth = load_demo("titanic").counts(["Survived", "Sex"]) / 2201
    np.testing.assert_allclose(result["truth"], truth)
    errors = np.array(result["standard_errors"])
    assert (np.abs(np.array(result["estimate"]) - truth) < 5 * errors).all()  # fixed seed; false alarm 2e-6 a cell
    assert result["metrics"]["estimate"]["half L1 (total variation)"] < result["metrics"]["released"]["half L1 (total variation)"]
    again = json.loads(run(capsys, *arguments, "--method", mechanism, "--marginal", "Survived,Sex", "--json")[1])
    assert again["estimate"] == result["estimate"]


def test_simulate_writes_the_perturbed_table(capsys, tmp_path):
    out = tmp_path / "released.csv"
    arguments = ["--attributes", "Sex,Age", "--eps", "1,1", "--marginal", "Sex", "--out", str(out), "--json"]
    assert run(capsys, "simulate", "--in", "demo:titanic", *arguments)[0] == 0
    released = read_text_table(out.read_bytes(), out.name)
    assert (released.n, released.names) == (2201, ("simulation, seed 0: not a release", "Sex", "Age"))
    assert released.column("Sex").values == ("Female", "Male")


def test_simulate_invents_nothing_where_a_pair_is_erased(capsys):
    arguments = ["--attributes", "Sex,Age,Survived", "--eps", ".5,.5,.5", "--method", "optimal", "--marginal", "Sex,Age"]
    code, out, err = run(capsys, "simulate", "--in", "demo:titanic", *arguments, "--json")
    result = json.loads(out)
    assert code == 0
    assert (result["identifiable"], result["estimate"], result["metrics"]) == (False, None, None)
    assert "erases how 'Sex' and 'Age' go together" in err


def test_missing_rows_can_be_dropped(capsys, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a,b\n" + "x,1\ny,2\n" * 20 + "x,\n", encoding="utf-8")
    arguments = ["simulate", "--in", str(file), "--attributes", "a,b", "--eps", "1,1", "--marginal", "b", "--json"]
    assert json.loads(run(capsys, *arguments)[1])["categories"] == [["1", "2", "(missing)"]]
    dropped = json.loads(run(capsys, *arguments, "--missing", "drop")[1])
    assert (dropped["n"], dropped["categories"]) == (40, [["1", "2"]])


TITANIC = ["simulate", "--in", "demo:titanic", "--attributes", "Sex,Age", "--eps", "1,1", "--marginal", "Sex"]


def changed(option, value):
    """The good command line above with one option given another value."""
    arguments = list(TITANIC)
    arguments[arguments.index(option) + 1] = value
    return arguments


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "The command line was not understood"),
        (["dance"], "The command line was not understood"),
        (["plan", "--sizes", "5,5"], "--eps"),
        (["plan", "--sizes", "5,5", "--eps", "1,1,1"], "There are 3 levels for 2 attributes"),
        (["plan", "--sizes", "5,5", "--eps", "1,0"], "Level of 'attribute 2' is 0: "),
        (["plan", "--sizes", "5,1", "--eps", "1,1"], "The number of categories is 1: give whole numbers from 2"),
        (["plan", "--sizes", "5,x", "--eps", "1,1"], "The number of categories is 'x'"),
        (["plan", "--sizes", ",", "--eps", "1,1"], "has an empty entry"),
        (["plan", "--sizes", "5,5", "--eps", "1,1", "--method", "magic"], "There is no mechanism 'magic'"),
        (
            ["plan", "--sizes", "5,10001", "--eps", "1,1"],
            "The number of categories is 10001: give whole numbers from 2 to 10,000.",
        ),
        (["plan", "--sizes", "4," * 20 + "4", "--eps", "1," * 20 + "1", "--method", "closed-form"], "would cost 24."),
        (
            ["plan", "--sizes", "16,7,15,2", "--eps", "1,1,1,1", "--method", "closed-form"],
            "The closed form does not exist",
        ),
        (
            ["plan", "--sizes", "2," * 1000 + "2", "--eps", "1," * 1000 + "1"],
            "There are 1,001 attributes: use at most 1,000.",
        ),
        (["describe", "--in", "no such file.csv"], "The file 'no such file.csv' cannot be read"),
        (["describe", "--in", "."], "The folder '.' holds no table"),
        (["describe", "--in", "demo:mars"], "demo"),
        (changed("--attributes", "Sex,Ages"), "There is no column 'Ages': choose among Class, Sex, Age, Survived."),
        (changed("--attributes", ","), "has an empty entry"),
        (changed("--attributes", "Sex,Sex"), "Two attributes are called 'Sex'"),
        (changed("--marginal", "Class"), "There is no attribute 'Class': choose among Sex, Age."),
        (changed("--eps", "1,1,1"), "There are 3 levels for 2 attributes"),
        ([*TITANIC, "--seed", "-1"], "The seed is '-1': give a whole number of at least 0."),
        ([*TITANIC, "--out", "/no/such/folder/t.csv"], "cannot be written"),
    ],
)
def test_bad_input_ends_with_code_2_and_one_sentence(capsys, arguments, sentence):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.slow
def test_an_identifier_column_is_refused_with_its_reason(capsys, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("id,a\n" + "".join(f"p{i},{i % 2}\n" for i in range(100_000)), encoding="utf-8")
    code, _, err = run(capsys, "simulate", "--in", str(file), "--attributes", "id,a", "--eps", "1,1", "--marginal", "a")
    assert code == 2
    assert "The column 'id' cannot be an attribute." in err


@pytest.mark.slow
def test_it_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "rrcore", "dance"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("The command line was not understood")


def test_lines_of_a_plan_call_attributes_by_their_names(capsys):
    code, out, _ = run(capsys, "plan", "--sizes", "2,3", "--names", "bribe,tax", "--eps", "1,1")
    assert code == 0
    assert "\nbribe (2 categories)" in out
    assert "\ntax (3 categories)" in out
