"""The command line as a tool among others: pipes, interrupts, completion, and only what the chosen command needs."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from rrcore import __version__
from rrcore.__main__ import COMMANDS, main
from rrcore.budget import Plan
from rrcore.promise import MechanismFile, integer_groups
from rrcore.table import load_demo

ROOT = Path(__file__).parents[2]
TITANIC = load_demo("titanic").select(("Sex", "Survived"))
PLAN = Plan(TITANIC.schema, (2.0, 2.0), TITANIC.n, "pair-safe")
MECHANISM = MechanismFile(PLAN.schema, integer_groups(PLAN.build()))
SMALL_PLAN = ["plan", "--sizes", "3,2", "--eps", "1,1"]
HEAVY = (
    "networkx",
    "openpyxl",
    "pandas",
    "plotly",
    "pyreadstat",
    "python_calamine",
    "shtab",
    "sklearn",
    "streamlit",
)


@pytest.fixture
def mechanism(tmp_path):
    file = tmp_path / "mech.json"
    file.write_text(MECHANISM.to_json(), encoding="utf-8")
    return str(file)


@pytest.fixture
def piped(monkeypatch, capsys):
    """Runs a command with text on standard input: its exit code, output and messages."""

    def run(text, *arguments):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code = main(arguments)
        return code, *capsys.readouterr()

    return run


def python(*arguments, **options):
    """Python in a process of its own, with this checkout in its path."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, stderr=subprocess.PIPE, text=True, check=False, **options
    )


def test_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"rrcore {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(capsys, name):
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: rrcore {name} [-h]")


def test_a_plan_piped_in_comes_out_as_a_mechanism_file(piped, mechanism):
    code, out, err = piped(PLAN.to_json(), "mechanism", "--plan", "-", "--out", "-")
    assert code == 0
    assert out == MECHANISM.to_json()
    assert err.endswith(f"sha256 {MECHANISM.sha256}\n")
    code, out, err = piped(out, "certify", "--mechanism", "-", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["sha256"] == MECHANISM.sha256


def test_answers_are_randomised_and_read_in_a_pipe(piped, mechanism):
    code, released, err = piped(TITANIC.to_csv(), "collect", "--mechanism", mechanism, "--in", "-", "--out", "-")
    assert code == 0
    assert err.startswith("2,201 records randomised")
    assert len(released.splitlines()) == TITANIC.n + 1
    code, report, err = piped(released, "read", "--mechanism", mechanism, "--in", "-", "--report", "-", "--json")
    assert code == 0
    assert report.endswith("</html>\n")
    assert json.loads(err)["answers"] == TITANIC.n


def test_a_table_piped_in_is_called_standard_input(piped):
    code, out, err = piped("sex,b\nx,é\ny,z\n", "describe", "--in", "-", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["table"] == "standard input"


def test_only_one_file_can_come_from_standard_input(piped):
    code, out, err = piped(MECHANISM.to_json(), "collect", "--mechanism", "-", "--in", "-", "--out", "-")
    assert (code, out) == (2, "")
    assert err == "Nothing is left on standard input: pipe one file into the command, and write '-' for that one only.\n"


FORKED = """
import io, json, os, signal, sys
from rrcore.__main__ import command, main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has its background jobs ignore it
class Waiting(io.BytesIO):
    def read(self, size=-1):
        os.kill(os.getpid(), signal.SIGINT)
        return b"a\\nx\\n"
main(["plan", "--sizes", "2,2", "--eps", "1,1"]), main(["describe", "--in", "demo:titanic"])
sys.stdout.flush()
codes = []
for number, (to, arguments) in enumerate(json.loads(sys.argv[1])):
    child = os.fork()
    if not child:
        reads, writes = os.pipe()
        os.close(reads)
        os.dup2(os.open("/dev/full", os.O_WRONLY) if to == "a full disk" else writes, 1)
        os.dup2(os.open(f"{number}.txt", os.O_WRONLY | os.O_CREAT), 2)
        if to == "nothing, since it is interrupted":
            sys.stdin = io.TextIOWrapper(Waiting())
        sys.argv[1:] = arguments
        sys.exit(command())
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps(codes), file=sys.stderr)
"""
"""One process that has loaded the libraries, and from it a further one for every command, which ends as a program does."""


@pytest.mark.long
def test_what_a_terminal_does_to_a_command(tmp_path, mechanism):
    """Nobody reads on; the disk is full; an interrupt while it waits for input: a shell gives 130 for a program that signal 2 ended."""
    collect = ["collect", "--mechanism", mechanism, "--in", "demo:titanic", "--out", "-"]
    unread = [["--help"], [*SMALL_PLAN, "--json"], ["simulate", "--help"]]
    full = [["--version"], SMALL_PLAN, collect]
    cases = [("nobody", each) for each in unread] + [("a full disk", each) for each in full]
    cases.append(("nothing, since it is interrupted", ["describe", "--in", "-"]))
    done = python("-c", FORKED, json.dumps(cases), cwd=tmp_path, stdout=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    codes = json.loads(done.stderr.splitlines()[-1])
    told = [(tmp_path / f"{number}.txt").read_text("utf-8") for number in range(len(cases))]
    assert (codes[:3], told[:3]) == ([141] * 3, [""] * 3)
    assert (codes[3:6], [each.count("\n") for each in told[3:6]]) == ([2] * 3, [1] * 3)
    no_space = "Standard output cannot be written (No space left on device): make room, or write elsewhere.\n"
    assert told[3:5] == [no_space] * 2
    assert (codes[6], told[6]) == (-signal.SIGINT, "")


def test_a_shell_completes_commands_options_and_files(capsys, tmp_path):
    with pytest.raises(SystemExit):
        main(["--print-completion", "bash"])
    (tmp_path / "quagmire.json").touch()
    script = capsys.readouterr().out + (
        'try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _shtab_rrcore; echo "${COMPREPLY[@]}"; }\n'
        "try rrcore pl; try rrcore certify --mech; try rrcore compare --equal t; try rrcore certify --mechanism quag"
    )
    done = subprocess.run([shutil.which("bash"), "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["plan", "--mechanism", "total", "quagmire.json"]
    assert main(["--print-completion", "nushell"]) == 2
    assert "There is no completion for 'nushell': choose among bash, zsh" in capsys.readouterr().err


@pytest.mark.slow
def test_help_certify_and_a_server_load_no_heavy_library(mechanism):
    script = f"""
import contextlib, io, json, sys
def loaded(*names):
    return [name for name in names if name in sys.modules]
import rrcore
assert not loaded({", ".join(map(repr, HEAVY))}), "import rrcore"
from rrcore.__main__ import main
with contextlib.suppress(SystemExit):
    main(["--help"])
assert not loaded("numpy", "scipy", "pyarrow", {", ".join(map(repr, HEAVY))}), "rrcore --help"
assert main(["certify", "--mechanism", {mechanism!r}]) == 0
assert not loaded({", ".join(map(repr, HEAVY))}), "rrcore certify"
import rrcore.audit, rrcore.designs, rrcore.mechanisms, rrcore.commands.serve, rrcore.receiver.app
assert not loaded("scipy.optimize", "scipy.linalg", "scipy.sparse", "scipy.stats", "scipy.special", "scipy.fft", "pandas"), "rrcore serve"
"""
    done = python("-c", script, stdout=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "cryptography"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "--mechanism", "survey.json", "--db", "x.survey", "--title", "Health", "--port", "0"],
        ["invite", "--db", "x.survey", "--number", "5", "--out", "codes.csv"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_command_of_a_survey_names_the_extra_that_has_all_it_needs(arguments, missing, monkeypatch, capsys):
    def found(module):
        if module.partition(".")[0] == missing:
            raise ModuleNotFoundError(f"No module named '{missing}'", name=missing)
        return import_module(module)

    monkeypatch.setattr("rrcore.errors.import_module", found)
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert "install" not in told or "install rr-workbench[receiver]." in told


@pytest.mark.long
def test_without_extras_the_core_works_and_the_rest_says_what_to_install(mechanism, tmp_path):
    """In a process where no library of an extra can be imported."""
    works = [
        SMALL_PLAN,
        ["simulate", "--in", "demo:titanic", "--attributes", "Sex,Age", "--eps", "1,1", "--marginal", "Sex"],
        ["collect", "--mechanism", mechanism, "--in", "demo.csv", "--out", "released.csv"],
        ["read", "--mechanism", mechanism, "--in", "released.csv"],
        ["read", "--mechanism", mechanism, "--in", "released.csv", "--report", "report.html"],
        ["ledger", "--help"],
    ]
    fails = [
        ["app"],
        ["lopub", "--in", "demo:titanic", "--eps", "2"],
        ["lopub", "--in", "demo:titanic", "--eps", "2", "--source", "pair-safe"],
        ["--print-completion", "bash"],
    ]
    (tmp_path / "demo.csv").write_text(TITANIC.to_csv(), encoding="utf-8")
    script = f"""
import contextlib, sys
class Missing:
    def find_spec(name, path=None, target=None):
        if name in {HEAVY!r}:
            raise ModuleNotFoundError(f"No module named '{{name}}'", name=name)
sys.meta_path.insert(0, Missing)
import rrcore
from rrcore.__main__ import main
for arguments in {works!r}:
    with contextlib.suppress(SystemExit):
        assert main(arguments) == 0, arguments
for arguments in {fails!r}:
    assert main(arguments) == 2, arguments
from rrcore.table.reading.text import open_workbook
try:
    open_workbook(memoryview(b"PK"))  # in the process that reads a file that somebody chose
except ImportError as error:
    print(error, file=sys.stderr)
try:
    rrcore.load_demo("titanic").to_pandas()
except ImportError as error:
    print(error, file=sys.stderr)
try:
    from rrcore.plots import marginal_bars
except ImportError as error:
    print(error, file=sys.stderr)
import pydoc
page = pydoc.render_doc(rrcore, renderer=pydoc.plaintext)  # what help(rrcore) shows
assert all(name in page for name in rrcore.__all__)
"""
    done = python("-c", script, stdout=subprocess.DEVNULL, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == [
        "The dashboard needs Streamlit: install rr-workbench[app].",
        "Lasso needs scikit-learn: install rr-workbench[synthesis].",
        "A dependency graph needs networkx: install rr-workbench[synthesis].",
        "Tab completion needs shtab: install rr-workbench[completion].",
        "An Excel workbook needs python-calamine: install rr-workbench[excel].",
        "to_pandas needs pandas: install rr-workbench[notebooks].",
        "A figure needs Plotly: install rr-workbench[plots].",
    ]
