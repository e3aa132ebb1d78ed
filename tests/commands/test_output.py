"""What becomes of a command's output where standard output is full, closed, read by nobody, or of another encoding."""

import io
import json
import os
import sys

import pytest

import rrcore as rr
from rrcore.__main__ import main
from rrcore.collect import MechanismFile, integer_groups
from rrcore.table import Attribute, Schema

SCHEMA = Schema((Attribute("Gefühl", ("gut – ja", "schlecht")), Attribute("b", ("x", "y"))))
MECHANISM = MechanismFile(SCHEMA, integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
PLAN = rr.Plan.for_levels(SCHEMA, 1.0, respondents=9)

COMMANDS = {
    "describe": ["describe", "--in", "{table}"],
    "plan": ["plan", "--categories", "2,2", "--names", "Gefühl,–", "--eps", "1,1"],
    "simulate": ["simulate", "--in", "{table}", "--attributes", "Gefühl", "--eps", "1", "--marginal", "Gefühl"],
    "certify": ["certify", "--mechanism", "{mechanism}"],
    "mechanism": ["mechanism", "--plan", "{plan}", "--out", "-"],
    "designs": ["designs"],
    "form": ["form", "--mechanism", "{mechanism}", "--out", "-"],
    "collect": ["collect", "--mechanism", "{mechanism}", "--in", "{table}", "--out", "-"],
    "read": ["read", "--mechanism", "{mechanism}", "--in", "{table}"],
    "ledger": ["ledger", "--db", "{ledger}", "list"],
    "papers": ["papers", "list"],
    "help": ["--help"],
    "version": ["--version"],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("output")
    places = {name: str(folder / name) for name in ("table", "plan", "mechanism", "ledger")}
    for name, content in (
        ("table", "Gefühl,b\n" + "gut – ja,x\nschlecht,y\n" * 8),
        ("plan", PLAN.to_json()),
        ("mechanism", MECHANISM.to_json()),
    ):
        with open(places[name], "w", encoding="utf-8") as file:
            file.write(content)
    assert main(["ledger", "--db", places["ledger"], "create"]) == 0
    return places


def run(arguments, files):
    try:
        return main([argument.format(**files) for argument in arguments])
    except SystemExit as ended:
        return ended.code


def full():
    return io.TextIOWrapper(io.FileIO(os.open("/dev/full", os.O_WRONLY), "w"), encoding="utf-8", write_through=True)


def unread():
    reads, writes = os.pipe()
    os.close(reads)
    return io.TextIOWrapper(io.FileIO(writes, "w"), encoding="utf-8", write_through=True)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_ends_in_a_sentence_where_its_output_cannot_be_written(name, files, monkeypatch, capsys):
    for where, code, said in ((full, 2, "Standard output cannot be written"), (unread, 141, ""), (lambda: None, 2, "is closed")):
        monkeypatch.setattr(sys, "stdout", where())
        assert run(COMMANDS[name], files) == code
        told = capsys.readouterr().err.splitlines()
        assert said in (told[-1] if told else "")
        assert not any("Traceback" in line for line in told)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_every_command_writes_to_a_terminal_of_any_encoding(name, encoding, files, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding, write_through=True))
    assert run(COMMANDS[name], files) == 0
    assert written.getvalue()


def test_json_is_json_in_any_encoding(files, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", write_through=True))
    assert run([*COMMANDS["plan"], "--json"], files) == 0
    assert json.loads(written.getvalue())["attributes"] == ["Gefühl", "–"]


@pytest.mark.parametrize("where", [full, unread, lambda: None])
def test_messages_that_nobody_can_read_change_no_exit_code(where, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", where())
    assert main(["plan", "--categories", "1", "--eps", "1"]) == 2
    assert capsys.readouterr().out == ""


def test_one_answer_is_read_as_json(tmp_path, files, capsys):
    """Its interval in the population has no finite ends: JSON has no infinity, and says null."""
    one = tmp_path / "one.csv"
    one.write_text("Gefühl,b\nschlecht,y\n", encoding="utf-8")
    for more in ((), ("--against", "population"), ("--pairs",)):
        assert main(["read", "--mechanism", files["mechanism"], "--in", str(one), "--json", *more]) == 0
        told = capsys.readouterr().out
        assert json.loads(told, parse_constant=lambda constant: pytest.fail(constant))["answers"] == 1


def test_options_of_a_report_without_a_report_are_refused(files, capsys):
    for arguments in (COMMANDS["certify"], COMMANDS["read"]):
        assert run([*arguments, "--wording", "b=B?"], files) == 2
        assert (
            capsys.readouterr().err
            == "--wording is for a report, and none is written: add --report FILE, or leave --wording out.\n"
        )
        assert run([*arguments, "--title", "Mine"], files) == 2
        assert "--title is for a report" in capsys.readouterr().err
