"""The command ``ledger``: JSON on standard output, one sentence on standard error."""

import csv
import datetime as dt
import json
import re

import pytest

from rrcore.__main__ import main


@pytest.fixture
def mechanism(tmp_path, capsys):
    file = tmp_path / "mechanism.json"
    design = ["--design", "smokes=forced:2/3,1/6,1/6", "--categories", "smokes=no|yes"]
    assert main(["mechanism", *design, "--out", str(file)]) == 0
    capsys.readouterr()
    return str(file)


@pytest.fixture
def ledger(tmp_path, capsys):
    """Runs ``ledger`` on a new ledger; returns the exit code, the result and the complaint."""
    place = str(tmp_path / "releases.ledger")

    def run(*arguments):
        code = main(["ledger", "--db", place, *arguments])
        captured = capsys.readouterr()
        return code, json.loads(captured.out) if "--json" in arguments and not code else captured.out, captured.err

    assert run("create") == (0, f"A new ledger is at {place}.\n", "")
    return run


def test_from_an_empty_ledger_to_a_second_release(ledger, mechanism, tmp_path):
    release = [
        "--mechanism",
        mechanism,
        "--population",
        "panel 2026",
        "--day",
        "2026-01-31",
        "--people",
        "2201",
        "--note",
        "first",
    ]
    assert ledger("list")[1] == "Nothing is recorded.\n"
    _, planned, _ = ledger("plan", *release, "--json")
    assert planned["before"] == {
        "population": "panel 2026",
        "releases": 0,
        "total": "0.000000000",
        "levels": {"smokes": "0.000000000"},
        "struck": "",
    }
    assert planned["after"]["total"] == "1.609437913"  # ln 5, rounded up
    assert ledger("list", "--json")[1]["entries"] == []
    _, made, _ = ledger("add", *release, "--json")
    assert made["release"]["number"] == 1
    assert made["release"]["people"] == 2201
    _, planned, _ = ledger("plan", *release, "--json")
    assert planned["after"]["total"] == "3.218875826"
    assert planned["sentences"][0].startswith("These people have already given 1.61 nats; with this release 3.22 nats")
    _, repeated, _ = ledger("add", *release, "--same-draw", "--json")
    assert repeated["after"]["total"] == "1.609437913"
    out = tmp_path / "releases.csv"
    _, listed, _ = ledger("list", "--json", "--csv", str(out))
    assert [entry["so_far"] for entry in listed["entries"]] == ["1.609437913"] * 2
    assert [entry["same_draw"] for entry in listed["entries"]] == [False, True]
    assert listed["populations"] == [
        {"population": "panel 2026", "releases": 2, "total": "1.609437913", "levels": {"smokes": "1.609437913"}, "struck": ""}
    ]
    assert [row["added"] for row in csv.DictReader(out.open())] == ["1.609437913", "0.000000000"]
    told = ledger("strike", "--entry", "2", "--why", "not given out", "--never-happened")[1]
    counted = "'panel 2026': number 2 is declared never to have happened and not counted."
    assert told == f"{counted} They have given 1.61 nats in 1 release.\n"
    told = ledger("list")[1]
    assert re.search(r"^2  .*; declared never to have happened by .+ on \d{4}-\d\d-\d\d: not given out$", told, re.MULTILINE)
    assert f"panel 2026: 1 release, 1.61 nats in all\n{counted}\n" in told


def test_text_and_groups(ledger, mechanism):
    for group in ("panel", "others", "panel"):
        code, told, _ = ledger("add", "--mechanism", mechanism, "--population", group)
        assert code == 0
    assert told == "Recorded as number 3; 'panel' have now given 3.22 nats.\n"
    _, listed, _ = ledger("list", "--population", "Panel", "--json")
    assert [entry["number"] for entry in listed["entries"]] == [1, 3]
    assert listed["entries"][0]["date"] == dt.date.today().isoformat()
    assert "Asked before: 'smokes' (4.83 nats" in ledger("plan", "--mechanism", mechanism, "--population", "panel")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["create"], "There is already a file"),
        (["add"], "A release needs --mechanism"),
        (["plan", "--mechanism", "{file}"], "A release needs --mechanism"),
        (["add", "--mechanism", "{file}", "--population", " "], "has no name"),
        (["add", "--mechanism", "{file}", "--population", "p", "--day", "31.1.2026"], "write it like 2026-01-31"),
        (["add", "--mechanism", "{file}", "--population", "p", "--people", "many"], "give a whole number"),
        (["add", "--mechanism", "{file}", "--population", "p", "--same-draw"], "with this mechanism is recorded"),
        (["add", "--mechanism", "none.json", "--population", "p"], "cannot be read"),
        (["strike"], "add --entry"),
        (["strike", "--entry", "-1"], "was not understood|whole number"),
        (["strike", "--entry", "1", "--why", "wrong"], "There is no entry 1"),
        (["strike", "--entry", "1"], "It is not said why"),
        (["list", "--mechanism", "{file}"], "'ledger list' has no use for what goes with plan and add: leave out --mechanism"),
        (
            ["add", "--mechanism", "{file}", "--population", "p", "--why", "w", "--never-happened"],
            "leave out --why and --never-happened",
        ),
        (["plan", "--mechanism", "{file}", "--population", "p", "--csv", "l.csv"], "goes with list: leave out --csv"),
        (["strike", "--entry", "1", "--why", "w", "--population", "p"], "goes with list, plan and add: leave out --population"),
        (["remove"], "was not understood"),
        (["forget"], "was not understood"),
    ],
)
def test_bad_input_is_one_sentence(ledger, mechanism, arguments, message):
    code, out, err = ledger(*(part.replace("{file}", mechanism) for part in arguments))
    assert (code, out) == (2, "")
    assert re.search(message, err)
    assert err.count("\n") == 1
