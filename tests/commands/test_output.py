"""What becomes of a command's output where standard output is full, closed, read by nobody, or of another encoding."""

import datetime as dt
import io
import itertools
import json
import os
import signal
import sys

import pytest

import rrcore as rr
from rrcore import __main__ as main_module
from rrcore.__main__ import command, main
from rrcore.commands.examples import EXAMPLES
from rrcore.promise import MechanismFile, integer_groups
from rrcore.receiver import Submission, create_store
from rrcore.receiver.blind import new_key
from rrcore.table import Attribute, Schema

SCHEMA = Schema((Attribute("Gefühl", ("gut – ja", "schlecht")), Attribute("b", ("x", "y"))))
MECHANISM = MechanismFile(SCHEMA, integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
PLAN = rr.Plan.for_levels(SCHEMA, 1.0, respondents=9)
ONE = MechanismFile(SCHEMA.select(["Gefühl"]), integer_groups(rr.build("kronecker", (2,), [3.0])))
DAY = dt.date(2026, 3, 1)

COMMANDS = {
    "describe": "describe --in {table}",
    "plan": "plan --sizes 2,2 --names Gefühl,– --eps 1,1",
    "simulate": "simulate --in {table} --attributes Gefühl --eps 1 --marginal Gefühl",
    "compare": "compare --in {table} --eps 2 --width 1 --schemes rr-independent --repeats 2",
    "lopub": "lopub --in {table} --source pair-safe --eps 2 --out -",
    "keyvalue": "keyvalue --users 60 --key-count 2 --eps 2",
    "mechanism": "mechanism --plan {plan} --out -",
    "designs": "designs",
    "certify": "certify --mechanism {mechanism}",
    "form": "form --mechanism {mechanism} --out -",
    "collect": "collect --mechanism {mechanism} --in {table} --out -",
    "serve": "serve --mechanism {mechanism} --db {survey} --port 0",
    "invite": "invite --db {invited} --number 2 --out -",
    "poll": "poll --question Gefühl? --people 30 --dry-run",
    "answers": "answers --db {survey} --out -",
    "read": "read --mechanism {mechanism} --in {table}",
    "model": "model --mechanism {one} --in {grouped} --formula Gefühl~town",
    "pause": "pause --db {invited}",
    "resume": "resume --db {invited}",
    "close": "close --db {survey}",
    "audit": "audit --mechanism {one} --runs 100",
    "ledger": "ledger --db {ledger} list",
    "papers": "papers list",
    "learn": "learn --out {new}.html",
    "app": "app --help",
}
"""Of each command the cheapest way to have it say something; {new} is a name that no file has."""

SILENT = {"serve"}  # what it says goes to standard error
TIDY = {"collect"}  # clears away what is half done before an interrupt ends it


def test_no_command_is_forgotten():
    assert list(COMMANDS) == list(EXAMPLES) == list(main_module.COMMANDS)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("output")
    contents = {
        "table": "Gefühl,b\n" + "gut – ja,x\nschlecht,y\n" * 8,
        "grouped": "Gefühl,town\n" + "gut – ja,one\nschlecht,one\nschlecht,two\ngut – ja,two\nschlecht,two\n" * 20,
        "plan": PLAN.to_json(),
        "mechanism": MECHANISM.to_json(),
        "one": ONE.to_json(),
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    answers = [Submission((i % 2, 0), bytes([i])) for i in range(9)]
    create_store(str(folder / "survey"), MECHANISM, title="Gefühl –").add(answers, DAY)
    create_store(str(folder / "invited"), MECHANISM, title="Gefühl –", key=new_key())
    assert main(["ledger", "--db", str(folder / "ledger"), "create"]) == 0
    return {name: str(folder / name) for name in (*contents, "survey", "invited", "ledger")}


@pytest.fixture(autouse=True)
def nobody_is_served(monkeypatch):
    """Serve as it is, but for the serving itself."""
    monkeypatch.setattr("rrcore.receiver.server.serve", lambda app, at, *, started, **_: (started(), at.close()))


NUMBERS = itertools.count()


def words(command, files, *more):
    """The arguments of a command, {new} in them another name each time."""
    return [*(word.format(**files, new=f"{files['table']}-{next(NUMBERS)}") for word in command.split()), *more]


def run(command, files, *more):
    try:
        return main(words(command, files, *more))
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
        assert run(COMMANDS[name], files) == (0 if name in SILENT else code)
        told = capsys.readouterr().err.splitlines()
        assert said in (told[-1] if told else "") or name in SILENT
        assert not any("Traceback" in line for line in told)


class Terminal(io.BytesIO):
    """Keeps what is written, and what an interrupt would do at that moment."""

    def __init__(self):
        super().__init__()
        self.interrupted = set()

    def write(self, content):
        self.interrupted.add(signal.getsignal(signal.SIGINT))
        return super().write(content)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in SILENT])
def test_every_command_writes_to_a_terminal_of_any_encoding_and_is_interrupted_at_once(name, files, monkeypatch):
    for encoding in ("latin-1", "ascii"):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # as Python starts
        written = Terminal()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding, write_through=True))
        monkeypatch.setattr(sys, "argv", ["rrcore", *words(COMMANDS[name], files)])
        try:
            assert name == "app" or command() == 0
            if name == "app":
                with pytest.raises(SystemExit):
                    command()
            assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        finally:
            signal.signal(signal.SIGINT, before)
        assert written.getvalue()
        assert written.interrupted == {signal.default_int_handler if name in TIDY else signal.SIG_DFL}


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in SILENT | {"app"}])
def test_json_is_json_in_any_encoding(name, files, monkeypatch):
    """Where a file goes to standard output, the JSON goes to standard error, which escapes what it cannot write."""
    written, noted = io.BytesIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", write_through=True))
    monkeypatch.setattr(sys, "stderr", noted)
    assert run(COMMANDS[name], files, "--json") == 0
    text = noted.getvalue() if "--out -" in COMMANDS[name] else written.getvalue()
    assert json.loads(text, parse_constant=lambda constant: pytest.fail(constant)) is not None


READS = {
    "describe": ("table",),
    "simulate": ("table",),
    "compare": ("table",),
    "lopub": ("table",),
    "mechanism": ("plan",),
    "certify": ("mechanism",),
    "form": ("mechanism",),
    "collect": ("mechanism", "table"),
    "serve": ("mechanism",),
    "read": ("mechanism", "table"),
    "model": ("one", "grouped"),
    "audit": ("one",),
}
"""What each command reads that may come from standard input."""


@pytest.mark.parametrize(("name", "piped"), [(name, each) for name, all in READS.items() for each in all])
def test_standard_input_is_read_where_a_file_is_expected(name, piped, files, monkeypatch, capsys):
    with open(files[piped], "rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read())))
    assert run(COMMANDS[name], files | {piped: "-"}) == 0
    assert capsys.readouterr().err.count("Traceback") == 0
    assert sys.stdin.buffer.read() == b""


@pytest.mark.parametrize("where", [full, unread, lambda: None])
def test_messages_that_nobody_can_read_change_no_exit_code(where, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", where())
    assert main(["plan", "--sizes", "1", "--eps", "1"]) == 2
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
    for asked in (COMMANDS["certify"], COMMANDS["read"]):
        assert run(asked, files, "--wording", "b=B?") == 2
        assert (
            capsys.readouterr().err
            == "--wording is for a report, and none is written: add --report FILE, or leave --wording out.\n"
        )
        assert run(asked, files, "--title", "Mine") == 2
        assert "--title is for a report" in capsys.readouterr().err


def test_a_survey_is_served_where_nobody_can_read_that_it_is(files, monkeypatch):
    for where in (full, unread, lambda: None):
        monkeypatch.setattr(sys, "stderr", where())
        assert run(COMMANDS["serve"], files) == 0
