"""What all commands have in common: help, JSON, errors, exit codes."""

import io
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import jsonschema
import pytest

import rrcore
from rrcore.cli import COMMANDS, app, main
from rrcore.cli.output import Result, progress, schema
from tests.cli.terminal import refused, result, run

ROOT = Path(__file__).parents[2]
GROUPS = {
    "survey": ["form", "serve", "invite", "pause", "resume", "close", "answers"],
    "ledger": ["create", "list", "plan", "add", "strike"],
    "learn": ["poll"],
    "papers": ["run", "compare", "lopub", "keyvalue"],
}
EVERY = [*([name] for name in COMMANDS), *([name, each] for name, own in GROUPS.items() for each in own)]


MADE = {}


@pytest.fixture
def files(survey, capsys):
    """Answers and a ledger, which are made once."""
    if not MADE:
        assert run(capsys, "release", "--mechanism", "m.json", "--in", "true.csv", "--out", "answers.csv")[0] == 0
        assert run(capsys, "ledger", "create", "--db", "a.ledger")[0] == 0
        MADE.update({name: (survey / name).read_bytes() for name in ("answers.csv", "a.ledger")})
    for name, content in MADE.items():
        (survey / name).write_bytes(content)
    return survey


RELEASE = "--db a.ledger --mechanism m.json --population panel"
SUCCESS = [
    "describe --in true.csv",
    "plan --sizes 2,2 --epsilon 1",
    "mechanism --check m.json",
    "simulate --in demo:titanic --epsilon 2 --estimate Sex,Survived",
    "release --mechanism m.json --in true.csv --out more.csv",
    "survey form --mechanism m.json --out form.html",
    "analyze --mechanism m.json --in answers.csv --pairs",
    "fit Survived~Sex --mechanism m.json --in answers.csv",
    "audit --mechanism m.json --runs 2000",
    "ledger create --db b.ledger",
    "ledger list --db a.ledger",
    f"ledger plan {RELEASE}",
    f"ledger add {RELEASE}",
    "learn --out learn.html",
    "learn poll --question Ever? --n 30 --dry-run",
    "papers compare --in demo:titanic --epsilon 2 --repeats 1 --methods rr-independent",
    "papers lopub --in demo:titanic --method preserving-2 --epsilon 2",
    "papers keyvalue --n 500 --epsilon 2",
]


def test_no_name_controls_the_terminal(capsys, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a\x1b]0;owned\x07,b\u202e\nno,1\nyes,2\n", encoding="utf-8")
    code, out, err = run(capsys, "describe", "--in", table)
    assert code == 0
    assert "owned" in out
    assert (out + err).replace("\n", "").isprintable()


def results(kind=Result):
    """The types of all results."""
    for each in kind.__subclasses__():
        yield each
        yield from results(each)


@pytest.mark.parametrize("command", SUCCESS)
def test_every_command_prints_text_and_json_of_its_schema(files, capsys, command, rare_alarms):
    """Each runs twice. False alarm of the audit: 8e-7, of the regression: below 1e-15."""
    found = result(capsys, *command.split())
    (kind,) = (each for each in results() if each.__struct_config__.tag == found["kind"])
    jsonschema.validate(found, schema(kind))
    assert command.startswith(found["kind"])
    for name in ("more.csv", "form.html", "b.ledger", "learn.html"):
        (files / name).unlink(missing_ok=True)
    code, out, _ = run(capsys, *command.split())
    assert code == 0
    assert out.strip()


def test_help_is_two_sentences_and_a_dozen_commands(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert app.help.count(". ") == 1
    assert set(COMMANDS) <= set(out.split())
    assert len(COMMANDS) <= 13, "add the command to a group"


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_option_has_help_and_they_are_few(words):
    target = app
    for word in words:
        target = target[word]
    arguments = target.assemble_argument_collection(parse_docstring=True) if target.default_command else []
    options = [each for each in arguments if each.show and each.name.startswith("--")]
    assert "Every command" not in {group.name for each in options for group in each.parameter.group}
    assert all(each.parameter.help for each in options)
    if words not in (["plan"], ["analyze"]):
        assert len(options) + 1 <= 12  # with --json


def test_the_version_is_that_of_the_package(capsys):
    assert run(capsys, "--version")[1].strip() == rrcore.__version__ == version("rr-workbench")


@pytest.mark.parametrize(
    ("command", "suggestion"),
    [
        ("plam --sizes 2,2", "plan"),
        ("survey serv", "serve"),
        ("plan --sizes 2,2 --epsilom 1", "--epsilon"),
        ("plan --in demo:titanic --columns Class,Sx --epsilon 1", "'Sex'"),
        ("plan --in demo:titanic --epsilon 1 --mechanism optimum", "'optimal'"),
        ("simulate --in demo:titanic --epsilon 2 --estimate Survivd", "'Survived'"),
        ("describe --in demo:titanc", "'titanic'"),
    ],
)
def test_misspelt_names_get_a_suggestion(capsys, command, suggestion):
    assert f"Did you mean {suggestion}?" in refused(capsys, *command.split()).replace('"', "")


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("plan --epsilon 1", "--sizes"),
        ("plan --sizes 2,x --epsilon 1", "5x20"),
        ("plan --sizes 1,2 --epsilon 1", "--sizes"),
        ("plan --sizes 2,2 --epsilon 1,2,3", "3"),
        ("plan --sizes 2,2 --epsilon 1 --budget 2", "budget"),
        ("plan --sizes 2,2 --epsilon 1 --preserve 2 --mechanism optimal", "preserve"),
        ("plan --sizes 2,2 --epsilon 1 --out p.json", "--n"),
        ("plan --sizes 2,2 --epsilon 1 --n 0", "from 1"),
        ("describe --in /dev/zero", "180 MB"),
        ("audit --mechanism m.json --sampler cat --timeout 10000000000", "timeout"),
        ("plan --in demo:titanic --epsilon 1 --read header=perhaps", "header"),
        ("plan --in nowhere.csv --epsilon 1", "nowhere.csv"),
        ("mechanism --out m.json", "--design"),
        ("mechanism --design q=warner:0.7 --out m.json", "'q'"),
        ("mechanism --check nowhere.json", "nowhere.json"),
        ("simulate --in demo:titanic --epsilon 2", "--estimate"),
        (
            "simulate --in demo:titanic --columns Sex,Age,Survived --epsilon 0.5 --mechanism optimal --estimate Sex,Survived",
            "Sex",
        ),
        ("release --mechanism m.json --in true.csv --out o.csv --ledger a.ledger", "--population"),
        ("analyze --mechanism m.json --in nowhere.csv", "nowhere.csv"),
        ("analyze --mechanism m.json --in true.csv --by ward", "ward"),
        ("fit Survived~Sx --mechanism m.json --in answers.csv", "Sx"),
        ("audit --mechanism m.json --runs 1", "runs"),
        ("ledger list --db nowhere.ledger", "nowhere.ledger"),
        ("ledger strike --db a.ledger --entry 7 --why it", "7"),
        ("learn", "--out"),
        ("learn poll --question Ever? --n 0", "0"),
        ("survey form --out f.html", "--mechanism"),
        ("survey pause --db nowhere.survey", "nowhere.survey"),
        ("papers run nothing", "nothing"),
        ("papers compare --in demo:titanic --epsilon 2 --methods magic", "magic"),
        ("papers lopub --in demo:titanic --epsilon 2 --method magic", "magic"),
        ("papers keyvalue --epsilon 1 --protocol magic", "magic"),
        ("app --container --demo", "--container"),
        ("app --port 99999999", "--port"),
    ],
)
def test_wrong_input_ends_with_exit_code_2_and_an_error(files, capsys, command, named):
    assert named in refused(capsys, *command.split())


def test_a_check_that_fails_ends_with_exit_code_1(survey, capsys):
    text = (survey / "m.json").read_text()
    (survey / "changed.json").write_text(text.replace("Survived", "Perished"))
    assert run(capsys, "mechanism", "--check", "changed.json")[0] == 1
    (survey / "cheat.py").write_text("import sys; sys.stdout.write(sys.stdin.read())")
    cheat = f"{sys.executable} cheat.py"
    assert run(capsys, "audit", "--mechanism", "m.json", "--runs", "2000", "--sampler", cheat)[0] == 1


def test_a_reader_that_goes_away_and_an_interrupt_have_exit_codes(monkeypatch, capsys):
    def command(error):
        def raising(*_, **__):
            raise error

        monkeypatch.setattr("rrcore.cli.planning.Plan", raising)
        return main(["plan", "--sizes", "2,2", "--epsilon", "1"])

    monkeypatch.setattr("rrcore.cli.os.dup2", lambda *_: None)
    monkeypatch.setattr("sys.stdout.fileno", lambda: 1, raising=False)
    assert command(KeyboardInterrupt()) == 130
    assert command(BrokenPipeError()) == 141


def test_json_has_escapes_where_a_terminal_lacks_letters(monkeypatch):
    monkeypatch.setattr("sys.stdout", out := io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert main(["plan", "--sizes", "2,2", "--epsilon", "1", "--json"]) == 0
    out.flush()
    assert "ε" in json.loads(out.buffer.getvalue().decode("ascii"))["sentences"][0]


def test_help_imports_no_heavy_library():
    script = "import sys; from rrcore.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert not {"numpy", "scipy", "pyarrow", "pandas", "streamlit"} & set(done.stderr.split())


def test_progress_is_quiet_where_there_is_no_terminal(capsys):
    progress()(0.5, "solving")
    assert capsys.readouterr() == ("", "")
