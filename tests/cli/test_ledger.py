"""The command ledger."""

import csv

import pytest

from tests.cli.terminal import refused, result, run


@pytest.fixture
def ledger(tmp_path, monkeypatch, capsys):
    """Arguments of a release whose ε is ln 5."""
    monkeypatch.chdir(tmp_path)
    design = ("--design", "smokes=forced:2/3,1/6,1/6", "--categories", "smokes=no|yes")
    assert run(capsys, "mechanism", *design, "--out", "m.json")[0] == 0
    assert run(capsys, "ledger", "create", "--db", "a.ledger")[0] == 0
    return ("--db", "a.ledger", "--mechanism", "m.json", "--population", "panel 2026")


def test_from_an_empty_ledger_to_a_second_release(ledger, tmp_path, capsys):
    db = ledger[:2]
    assert result(capsys, "ledger", "list", *db)["entries"] == []
    (planned,) = result(capsys, "ledger", "plan", *ledger)["populations"]
    assert (planned["releases"], planned["total"]) == (1, "1.609437913")  # ln 5, rounded up
    assert result(capsys, "ledger", "list", *db)["entries"] == []
    result(capsys, "ledger", "add", *ledger, "--day", "2026-01-31", "--n", "2201", "--note", "first")
    again = result(capsys, "ledger", "add", *ledger, "--same-draw")
    assert again["populations"][0]["total"] == "1.609437913"
    (after,) = result(capsys, "ledger", "add", *ledger)["populations"]
    assert (after["releases"], after["total"]) == (3, "3.218875826")
    found = result(capsys, "ledger", "list", *db, "--out", "entries.csv")
    assert [(each["number"], each["people"]) for each in found["entries"]] == [(1, 2201), (2, None), (3, None)]
    assert len(list(csv.reader((tmp_path / "entries.csv").open()))) == 4
    struck = result(capsys, "ledger", "strike", *db, "--entry", "3", "--why", "a mistake", "--never-happened")
    assert struck["populations"][0]["total"] == "1.609437913"
    assert result(capsys, "ledger", "list", *db, "--population", "others")["entries"] == []


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("create --db a.ledger", "a.ledger"),
        ("add --db a.ledger --mechanism m.json", "--population"),
        ("add --db a.ledger --mechanism m.json --population p --day 2026-13-01", "--day"),
        ("add --db a.ledger --mechanism m.json --population p --same-draw", "'p'"),
        ("strike --db a.ledger --entry 1", "--why"),
        ("list --db m.json", "m.json"),
    ],
)
def test_wrong_input_is_refused(ledger, capsys, words, named):
    assert named in refused(capsys, "ledger", *words.split())


def test_a_second_draw_of_the_same_answers_must_be_asked_for(ledger, tmp_path, capsys):
    (tmp_path / "true.csv").write_text("smokes\n" + "no\nyes\n" * 50)
    release = ("release", "--mechanism", "m.json", "--in", "true.csv", "--ledger", "a.ledger", "--population", "panel 2026")
    assert result(capsys, *release, "--out", "a.csv")["recorded"]
    assert "--again" in refused(capsys, *release, "--out", "b.csv")
    assert not (tmp_path / "b.csv").exists()
    assert run(capsys, *release, "--out", "b.csv", "--again")[0] == 0
    assert len(result(capsys, "ledger", "list", "--db", "a.ledger")["entries"]) == 2
