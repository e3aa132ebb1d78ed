"""The options that choose a mechanism by what it keeps safe, on the command line; and such a mechanism from plan to form."""

import json
import math

import pytest

from rrcore.asking import respondent_form
from rrcore.budget import Plan
from rrcore.estimate import weakest_interaction
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile
from rrcore.promise.certificate import certify
from rrcore.table import load_demo
from tests.commands.terminal import run

ADULT = ("--sizes", "16,7,15,6,5,2", "--eps", "1,1,1,1,1,1")


def plan(capsys, *arguments):
    code, out, err = run(capsys, "plan", *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize(("width", "total"), [(1, 2.742206), (2, 2.813053), (3, 3.619552), (4, 4.298558), (6, 5.211487)])
def test_plan_safe_gives_the_totals_of_section_14(capsys, width, total):
    found = plan(capsys, *ADULT, "--safe", width)
    assert found["total"] == pytest.approx(total, abs=1e-6)
    assert found["safe"] == width
    orders = [(each["less_accurate_than_kronecker"], len(each["marginal"])) for each in found["weakest"]]
    assert all(order > width for worse, order in orders if worse)
    assert [order for _, order in orders] == [2, 3, 4, 5, 6]


def test_plan_is_safe_for_pairs_by_default_and_marks_what_is_wider(capsys):
    found = plan(capsys, *ADULT)
    assert (found["mechanism"], found["safe"]) == ("pair-safe", 2)
    assert found == {**plan(capsys, *ADULT, "--method", "pair-safe"), "seconds": found["seconds"]}
    assert plan(capsys, "--sizes", "2,3", "--eps", "1,1")["mechanism"] == "pair-safe"
    code, out, _ = run(capsys, "plan", *ADULT, "--safe", "2", "--names", "education,marital,job,relation,race,income")
    assert code == 0
    assert "education × marital × income is read " in out
    assert "times less accurately than with independent answers: choose a mechanism safe for 3 attributes." in out


def test_caps_keep_what_the_default_keeps(capsys):
    found = plan(capsys, "--sizes", "5,5,5,5", "--eps", "1,2,3,4", "--cap", "1")
    assert found["mechanism"] == "safeguarded"
    assert not any(each["less_accurate_than_kronecker"] for each in found["weakest"] if len(each["marginal"]) <= 2)


@pytest.mark.slow
def test_the_frontier_is_printed_and_in_the_json(capsys):
    found = plan(capsys, *ADULT, "--safe-frontier")["safe_frontier"]
    assert [each["safe"] for each in found] == [1, 2, 3, 4, 5, 6]
    assert [each["mechanism"] for each in found][:3] == ["optimal", "pair-safe", "3-safe"]
    totals = [each["total"] for each in found]
    assert totals == pytest.approx([2.742206, 2.813053, 3.619552, 4.298558, 4.760635, 5.211487], abs=1e-6)
    assert all(each["largest_leakage"] >= 1 for each in found)
    small = ("--sizes", "4,3,2", "--eps", "1,1,1", "--safe-frontier")
    code, out, _ = run(capsys, "plan", *small)
    assert code == 0
    for each in plan(capsys, *small)["safe_frontier"]:
        ways = "1 attribute" if each["safe"] == 1 else f"{each['safe']} attributes"
        total = math.ceil(each["total"] * 100 - 1e-6) / 100  # a level is never told as smaller than it is
        assert f"safe for joint distributions of up to {ways}: total {total:.2f}, others known at most " in out


def test_the_frontier_of_large_attributes(capsys):
    found = plan(capsys, "--sizes", "10000,2", "--eps", "1,1", "--safe-frontier")["safe_frontier"]
    assert [each["safe"] for each in found] == [1, 2]


def test_a_total_is_spent_by_what_is_safe(capsys):
    found = plan(capsys, "--sizes", "4,3,2", "--total", "4", "--safe", "3")
    assert found["total"] == pytest.approx(4, abs=1e-6)
    assert found["mechanism"] == "3-safe"


@pytest.mark.slow
def test_a_design_says_who_won(capsys):
    arguments = ("--sizes", "4,2,2,2", "--names", "a,b,c,d", "--total", "4", "--workload", "a,b")
    assert "serves the joint distributions wanted best" in plan(capsys, *arguments)["method"]
    code, out, _ = run(capsys, "plan", *arguments)
    assert code == 0
    assert "the design serves the joint distributions wanted best" in out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--safe", "7"), "--safe is 7 and there are 6 attributes: give a whole number from 1 to 6."),
        (("--safe", "0"), "The width of --safe is '0': give a whole number of at least 1."),
        (("--safe", "two"), "The width of --safe is 'two': give a whole number of at least 1."),
        (("--safe", "2", "--method", "joint"), "Both --method and --safe are given: give one of them."),
        (
            ("--method", "design"),
            "There is no mechanism 'design' to choose here: choose among kronecker, pair-safe, optimal, ",
        ),
        (("--method", "joint", "--cap", "1"), "--floor, --cap and --workload belong to mechanisms that are safe for joint "),
    ],
)
def test_bad_widths_end_with_one_sentence(capsys, options, sentence):
    code, out, err = run(capsys, "plan", *ADULT, *options)
    assert (code, out) == (2, "")
    assert err.startswith(sentence)
    assert err.count("\n") == 1


def test_simulate_is_safe_for_the_widest_marginal(capsys):
    arguments = ("simulate", "--in", "demo:titanic", "--attributes", "Class,Sex,Age,Survived", "--eps", "1,1,1,1", "--json")
    marginals = {"Class,Sex,Survived": 3, "Class,Sex,Age,Survived": 4}
    for marginal, width in marginals.items():
        code, out, _ = run(capsys, *arguments, "--marginal", marginal)
        found = json.loads(out)
        assert (code, found["safe"], found["mechanism"]) == (0, width, f"{width}-safe")
        assert found["weakest"]["less_accurate_than_kronecker"] is False
    code, out, err = run(capsys, *arguments, "--marginal", "Sex", "--safe", "5")
    assert (code, out) == (2, "")
    assert err == "--safe is 5 and there are 4 attributes: give a whole number from 1 to 4.\n"
    found = json.loads(run(capsys, *arguments, "--marginal", "Sex")[1])
    assert (found["weakest"], found["mechanism"]) == (None, "pair-safe")


@pytest.mark.slow
def test_from_plan_to_form_and_back(tmp_path, capsys):
    """A 3-safe plan as a mechanism file: its certificate, its form, its audit, and its own record of what is weaker."""
    table = load_demo("titanic")
    made = Plan.for_levels(table, {"Class": 0.5, "Sex": 1, "Age": 1, "Survived": 2}, mechanism="3-safe")
    (tmp_path / "plan.json").write_text(made.to_json(), encoding="utf-8")
    code, out, _ = run(capsys, "mechanism", "--plan", tmp_path / "plan.json", "--out", tmp_path / "mech.json", "--json")
    assert code == 0
    file = MechanismFile.from_json((tmp_path / "mech.json").read_bytes())
    planned = made.build()
    assert certify(file.groups) == file.certificate
    assert float(json.loads(out)["total"]["nats"]) == pytest.approx(planned.total_level, abs=1e-6)
    for axes in ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 1, 2, 3)):
        written, own = weakest_interaction(file.marginal_channel(axes)), weakest_interaction(planned.marginal_channel(axes))
        assert written.ratio == pytest.approx(own.ratio, rel=1e-6)
        assert written.worse is own.worse is (written.width > 0)
        assert not (written.worse and len(axes) <= 3)
    assert file.sha256 in respondent_form(file, title="Survey")
    answers = tmp_path / "answers.csv"
    answers.write_text(table.to_csv(), encoding="utf-8")
    released = tmp_path / "released.csv"
    assert run(capsys, "collect", "--mechanism", tmp_path / "mech.json", "--in", answers, "--out", released)[0] == 0
    arguments = ("read", "--mechanism", tmp_path / "mech.json", "--in", released, "--marginal", "Class,Sex,Survived")
    code, out, _ = run(capsys, *arguments, "--report", tmp_path / "report.html", "--json")
    assert code == 0
    assert json.loads(out)["marginals"][0]["weakest"]["note"] == ""


@pytest.mark.slow
def test_read_and_its_report_mark_what_is_weaker(tmp_path, capsys):
    """The optimum of unequal levels, read as it was written."""
    table = load_demo("titanic")
    made = Plan.for_levels(table, {"Class": 0.5, "Sex": 1, "Age": 2, "Survived": 3}, mechanism="optimal")
    (tmp_path / "plan.json").write_text(made.to_json(), encoding="utf-8")
    (tmp_path / "answers.csv").write_text(table.to_csv(), encoding="utf-8")
    run(capsys, "mechanism", "--plan", tmp_path / "plan.json", "--out", tmp_path / "mech.json")
    run(
        capsys,
        "collect",
        "--mechanism",
        tmp_path / "mech.json",
        "--in",
        tmp_path / "answers.csv",
        "--out",
        tmp_path / "released.csv",
    )
    names = ("Class", "Sex", "Survived")
    found = weakest_interaction(build("optimal", table.schema.sizes, (0.5, 1, 2, 3)).marginal_channel((0, 1, 3)))
    assert found.worse
    arguments = ("--in", tmp_path / "released.csv", "--marginal", ",".join(names), "--report", tmp_path / "report.html")
    code, out, _ = run(capsys, "read", "--mechanism", tmp_path / "mech.json", *arguments)
    assert code == 0
    assert found.sentence(names) in out
    report = (tmp_path / "report.html").read_text(encoding="utf-8").replace("\u00a0", " ")
    assert f"<strong>{found.sentence(names)}</strong>" in report


def test_the_first_closeness_is_written_in_the_plan_and_the_gap_stands_beside_the_total(tmp_path, capsys, monkeypatch):
    """Where a gap is left it is said in the first line, not in the details; a plan file that asks for it is read back as it is."""
    out = tmp_path / "plan.json"
    attributes = ("--sizes", "6,6,4,6,9,3", "--eps", "1.74,.93,1.92,.98,1.89,1.25", "--safe", "4")
    found = plan(capsys, *attributes, "--closeness", "first", "--people", "100", "--out", str(out))
    assert found["closeness"] == "first"
    assert 0 <= found["gap"] <= 0.01
    read = Plan.from_json(out.read_text())
    assert (read.closeness, json.loads(out.read_text())["closeness"]) == ("first", "first")
    assert read.build().total_level == found["total"]
    code, _, err = run(capsys, "mechanism", "--plan", str(out), "--out", str(tmp_path / "first.rr.json"))
    assert (code, err) == (0, "")
    assert json.loads((tmp_path / "first.rr.json").read_text())["note"] == "Made within 0.01 nats of the least total."
    other = tmp_path / "full.json"
    full = plan(capsys, *attributes, "--people", "100", "--out", str(other))
    assert full["gap"] <= 1e-6
    assert full["total"] - 1e-9 <= found["total"] <= full["total"] + 0.01
    assert "closeness" not in json.loads(other.read_text())
    monkeypatch.setattr("rrcore.mechanisms.base._NOTABLE_GAP", -1.0)
    _, text, _ = run(capsys, "plan", *attributes)
    headline = next(line for line in text.splitlines() if line.startswith("Optimum") or "-safe: total" in line)
    assert headline.startswith(
        f"4-safe: total {math.ceil(full['total'] * 100) / 100:.2f} nats (at most 0.01 nats above the least possible), odds"
    )
