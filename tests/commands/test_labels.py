"""Labels of values are the answers in every step, from SPSS and Stata alike: describe, plan, mechanism, collect, read and ``read_table``."""

import json

import pandas as pd
import pytest

import rrcore as rr
from rrcore.table import read_text_table
from tests.commands.terminal import run

pyreadstat = pytest.importorskip("pyreadstat", reason="needs rr-workbench[labels]")

FRAME = pd.DataFrame(
    {
        "q": [1.0, 2.0, 3.0] * 12,
        "region": [1.0, 2.0] * 18,
        "trust": [float(i % 11) for i in range(36)],
    }
)
LABELS = {
    "q": {1: "agree", 2: "agree", 3: "disagree", 9: "refused"},
    "region": {1: "North", 2: "South"},
    "trust": {0: "not at all", 10: "completely"},
}
ANSWERS = {"q": ["agree (1)", "agree (2)", "disagree"], "region": ["North", "South"]}


@pytest.fixture(params=["sav", "dta"])
def file(tmp_path, request):
    write = pyreadstat.write_sav if request.param == "sav" else pyreadstat.write_dta
    write(FRAME, tmp_path / f"true.{request.param}", variable_value_labels=LABELS)
    return tmp_path / f"true.{request.param}"


@pytest.mark.slow
def test_labels_are_the_answers_in_every_step(file, capsys):
    def say(*arguments):
        code, out, err = run(capsys, *arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    described = {each["name"]: each["categories"] for each in say("describe", "--in", file)["columns"]}
    assert {name: described[name] for name in ANSWERS} == ANSWERS
    options = ("--attributes", "q,trust", "--bins", "trust=3,7", "--eps", "9", "--publish-categories")
    say("plan", "--in", file, *options, "--out", file.with_name("plan.json"))
    say("mechanism", "--plan", file.with_name("plan.json"), "--out", file.with_name("mech.json"))
    drawn = file.with_name("drawn.csv")
    collected = say("collect", "--mechanism", file.with_name("mech.json"), "--in", file, "--out", drawn, "--known", "region")
    assert collected["records"] == 36
    table = read_text_table(drawn.read_bytes(), "drawn.csv")
    assert table.column("region").values == ("North", "South")
    assert table.column("region").counts.tolist() == [18, 18]
    read = say("read", "--mechanism", file.with_name("mech.json"), "--in", drawn)
    assert [cells["cells"][name] for name, cells in zip(("q", "trust"), read["marginals"], strict=True)] == [
        ANSWERS["q"],
        ["below 3", "3 to below 7", "7 and more"],
    ]
    schema = rr.read_table(file, columns=["q", "region"]).schema
    assert [list(each.categories) for each in schema.attributes] == list(ANSWERS.values())
