"""The command ``designs``: the list, what a design gives away and costs, and estimates from counts."""

import json
import re

import pytest

from rrcore.designs import AMOUNT_DESIGNS, BLOCK_DESIGNS, DESIGNS, LATENT_DESIGNS
from tests.commands.terminal import run

ALL = DESIGNS | LATENT_DESIGNS | AMOUNT_DESIGNS | BLOCK_DESIGNS


def test_every_design_is_listed_with_its_paper(capsys):
    code, out, _ = run(capsys, "designs")
    assert code == 0
    for key, design in ALL.items():
        assert f"{key}: {design.title}." in out
        assert design.source in out
    code, out, _ = run(capsys, "designs", "--json")
    assert [one["name"] for one in json.loads(out)["designs"]] == list(ALL)


@pytest.mark.parametrize("key", ALL)
def test_every_design_is_told_with_its_example(capsys, key):
    code, out, _ = run(capsys, "designs", key)
    assert code == 0
    assert f"Numbers (its example): {ALL[key].example}" in out
    assert "asked openly" in out
    code, out, _ = run(capsys, "designs", key, "--json")
    assert code == 0
    assert json.loads(out)["story"] == ALL[key].story


def test_the_channel_is_exact_and_the_estimate_is_the_papers(capsys):
    counts = "40,35,25"
    code, out, _ = run(capsys, "designs", "kuk", "--numbers", "3/5, 1/5, 2", "--counts", counts, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["channel"] == [[["16/25", "8/25", "1/25"], ["4/25", "12/25", "9/25"]]]
    assert found["level"]["odds"] == "9"
    assert found["estimate"]["quantities"][0]["value"] == pytest.approx(0.5625)
    assert "contradict the design" in run(capsys, "designs", "kuk", "--numbers", "3/5, 1/5, 2", "--counts", counts)[1]


def test_amounts_are_read_with_weights(capsys, tmp_path):
    (tmp_path / "a.csv").write_text("1000,1\n2000,3\n")
    code, out, _ = run(capsys, "designs", "bar-lev", "--numbers", "3/5, 1, 1", "--amounts", tmp_path / "a.csv", "--json")
    assert code == 0
    assert json.loads(out)["estimate"]["mean"] == pytest.approx(1750)
    code, out, _ = run(capsys, "designs", "eichhorn-hayre", "--possible", "1000,2000")
    assert "No bound" in out
    code, out, _ = run(capsys, "designs", "eichhorn-hayre", "--possible", "1000,2000", "--edges", "1500")
    assert "at most 3.00 times" in out


def test_blocks_are_read_from_counts(capsys):
    code, out, _ = run(capsys, "designs", "block-garbling", "--numbers", "5,1", "--counts", "2,1,3,2")
    assert code == 0
    assert "yes: 25 % (" in out
    assert "No bound holds for a single answer" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "There is no design 'nothing'"),
        (["warner", "--numbers", "1/2"], "nothing can be estimated"),
        (["warner", "--sizes", "3"], "is for two answers"),
        (["matrix", "--numbers", "1,0;0,1", "--sizes", "3"], "give one for each of 3 answers"),
        (["cheating", "--numbers", "1/4,1/4"], "cannot be estimated"),
        (["cheating", "--counts", "1,2"], "expected 2 rows of 2 counts"),
        (["cheating", "--counts", "1,2;3"], "different numbers of counts"),
        (["cheating", "--counts", "1,x;3,4"], "give a whole number"),
        (["warner", "--possible", "1,2"], "are for amounts"),
        (["block-garbling", "--numbers", "5,5"], "from 1 to one less"),
        (["block-garbling", "--counts", "0,1"], "outside 1 to 5"),
    ],
)
def test_mistakes_get_one_sentence(capsys, words, message):
    code, out, err = run(capsys, "designs", *words)
    assert code == 2
    assert message in err
    assert not out


def test_files_of_amounts_that_are_none_are_refused(capsys, tmp_path):
    for content, message in [
        ("a\n", "is no amount"),
        ("1,2\n3\n", "differ"),
        ("1\n", "at least two"),
        ("1e308\n1e308\n", "too large"),
    ]:
        (tmp_path / "a.csv").write_text(content)
        code, _, err = run(capsys, "designs", "bar-lev", "--amounts", tmp_path / "a.csv")
        assert code == 2
        assert message in err


def test_reports_that_are_no_categories_go_into_a_file_and_come_back(capsys, tmp_path):
    code, out, _ = run(
        capsys, "mechanism", "--design", "x=kuk:3/5,1/5,2", "--categories", "x=no|yes", "--design", "y=triangular:1/4",
        "--categories", "y=no|yes", "--out", tmp_path / "m.json",
    )  # fmt: skip
    assert code == 0
    assert "9/1" in out
    assert "without bound" in out
    rows = ["0 red,circle"] * 250 + ["1 red,triangle"] * 250 + ["2 red,triangle"] * 100
    (tmp_path / "a.csv").write_text("\n".join(["x,y", *rows]))
    code, out, _ = run(capsys, "read", "--mechanism", tmp_path / "m.json", "--in", tmp_path / "a.csv")
    assert code == 0
    assert "y yes: 44 % (" in out


def test_two_groups_are_two_files(capsys, tmp_path):
    words = ("designs", "lie-detector", "--numbers", "4/5,2/5", "--categories", "smokes=no|yes", "--out", tmp_path / "survey")
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert f"Mechanism file: {tmp_path / 'survey-2.json'}" in out
    code, out, _ = run(capsys, "certify", "--mechanism", tmp_path / "survey-2.json", "--json")
    assert json.loads(out)["note"] == "Stochastic lie detector, group 2"
    for words, message in [
        (["unrelated-groups", "--out", "x"], "has no mechanism file"),
        (["warner", "--out", "x"], "is for two groups"),
        (["cheating", "--out", "x", "--categories", "q"], "write --categories"),
        (["cheating", "--out", "x", "--categories", "q=a|b|c"], "is for two"),
    ]:
        code, _, err = run(capsys, "designs", *words)
        assert code == 2
        assert message in err


def test_answers_of_two_groups_are_read_with_weights(capsys, tmp_path):
    rows = [("no", 1, 560), ("yes", "group 1", 240), ("no", 2, 245), ("yes", 2, 455)]
    lines = [f"{report},{group},2" for report, group, people in rows for _ in range(people)]
    (tmp_path / "a.csv").write_text("\n".join(["report,group,weight", *lines]))
    code, out, _ = run(capsys, "designs", "cheating", "--in", tmp_path / "a.csv")
    assert code == 0
    assert "Estimate from 800 + 700 people, with 95 % intervals:" in out
    assert re.search(r"have the trait and follow the instructions: 1[23] % \(8 to 18\)", out)  # 12.5 %
    lines = [f"{line},{'north' if place % 2 else 'south'}" for place, line in enumerate(lines)]
    (tmp_path / "a.csv").write_text("\n".join(["report,group,weight,stratum", *lines]))
    assert re.search(r"instructions: 1[23] % \(", run(capsys, "designs", "cheating", "--in", tmp_path / "a.csv")[1])
    for content, message in [
        ("report\nno\n", "columns report and group"),
        ("report,group\nmaybe,1\nno,2\n", "is no report: expected one of no, yes"),
        ("report,group,weight\nno,1,x\n", "is no weight"),
    ]:
        (tmp_path / "b.csv").write_text(content)
        code, _, err = run(capsys, "designs", "cheating", "--in", tmp_path / "b.csv")
        assert code == 2
        assert message in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--people 400 --counts 1,2", "Without the name of a design all are listed: leave out --people and --counts."),
        ("eichhorn-hayre --counts 300,700 --in no.csv", "is of amounts: leave out --counts and --in."),
        ("eichhorn-hayre --sizes 7 --prevalence 40%", "is of amounts: leave out --sizes and --prevalence."),
        ("eichhorn-hayre --edges 1,2", "of the amounts that --possible lists: leave out --edges."),
        ("block-garbling --in no.csv --sizes 3", "from the --counts of every block: leave out --sizes and --in."),
        ("block-garbling --edges 1,2", "--amounts, --possible and --edges are for amounts: choose among"),
        ("crosswise --edges 1,2", "--amounts, --possible and --edges are for amounts: choose among"),
        ("crosswise --counts 400,600 --in no.csv", "Reports are read from 'no.csv': leave out --counts."),
        ("crosswise --categories x=no|yes", "Without --out no mechanism file is written: leave out --categories."),
        ("block-garbling --categories x=no|yes", "Without --out no mechanism file is written: leave out --categories."),
    ],
)
def test_answers_and_numbers_that_a_design_does_not_read_are_refused(capsys, arguments, said):
    code, out, err = run(capsys, "designs", *arguments.split())
    assert (code, out) == (2, "")
    assert said in err
