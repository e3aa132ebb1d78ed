"""What the documents print is what happens: code runs, commands answer as shown, links stay on this machine."""

import doctest
import io
import os
import re
import shlex
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import rrcore as rr
from docs import hooks
from rrcore.__main__ import COMMANDS, _parser, main
from rrcore.commands.examples import EXAMPLES
from rrcore.commands.exits import CAUGHT, OK
from rrcore.designs import DESIGNS

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```(\w+)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BY_CHANCE = {"simulate", "compare", "lopub", "keyvalue", "audit"}
NOT_RUN = {"answers", "app", "invite", "poll", "serve"}
"""Commands that serve something, or need a survey that is served, in blocks of ``sh``."""


def title(path):
    return str(path.relative_to(ROOT / "docs"))


def blocks(path):
    """(language, file that it is saved as or None, content) of every block of a page."""
    for language, more, content in BLOCK.findall(path.read_text(encoding="utf-8")):
        name = re.search(r'title="([^"]+)"', more)
        yield language, name and name[1], content


def shown(content):
    """(command, what it is said to print) of a block of ``console``."""
    for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def expected(text, *, digits):
    """A pattern for output: "..." stands for anything, and where chance decides a number stands for any number; spaces do not matter."""
    pattern = re.escape(" ".join(text.split())).replace(re.escape("..."), ".*")
    return pattern if digits else re.sub(r"(?:\\-|−)?\d[\d,]*(?:\\\.\d+)?", r"[-−]?\\d[\\d,]*(?:\\.\\d+)?", pattern)


@pytest.fixture
def own_python(monkeypatch):
    """``python3`` of a command line is the Python that runs this, not a launcher that looks for one."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def run(command):
    program, *arguments = shlex.split(command)
    assert program == "rrcore", command
    out = io.StringIO()
    with redirect_stdout(out):
        code = main(arguments)
    assert code == OK or (code == CAUGHT and "CAUGHT. " in out.getvalue()), command
    return arguments[0], out.getvalue()


@pytest.mark.parametrize("path", [path for path in PAGES if any(blocks(path))], ids=title)
@pytest.mark.usefixtures("own_python")
def test_code_and_commands_of_a_page(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "docs"}
    for language, saved_as, content in blocks(path):
        if saved_as:
            Path(saved_as).write_text(content, encoding="utf-8")
        elif language == "python":
            exec(compile(content, title(path), "exec"), names)
        elif language == "pycon":
            case = doctest.DocTestParser().get_doctest(content, {}, title(path), title(path), 0)
            case.globs = names
            told = io.StringIO()
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            assert runner.run(case, out=told.write, clear_globs=False).failed == 0, told.getvalue()
        elif language == "console":
            for command, output in shown(content):
                name, printed = run(command)
                pattern = expected(output, digits=name not in BY_CHANCE)
                assert re.fullmatch(pattern, " ".join(printed.split())), f"{command}\n{printed}"
        else:
            assert language in ("sh", "text", "json", "toml"), f"a block of {language} is not run"


@pytest.mark.usefixtures("own_python")
def test_the_command_lines_of_the_readme_run_one_after_the_other(tmp_path, monkeypatch):
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## Without a browser")[1].split("\n## ")[0]
    lines = re.findall(r"^    (rrcore .+)$", section, re.MULTILINE)
    assert len(lines) > 20
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    people = zip(
        rng.choice(["f", "m"], 1000),
        [*rng.integers(18, 90, 960), *[""] * 40],
        rng.choice(["no", "yes"], 1000),
        ["N", "S"] * 500,
        strict=True,
    )
    Path("people.csv").write_text("sex,age,smokes,town\n" + "".join(f"{','.join(map(str, row))}\n" for row in people))
    ratings = "".join(f"u{i},tea,{1 + i % 5}\n" + (f"u{i},beer,5\n" if i % 2 else "") for i in range(500))
    Path("ratings.csv").write_text(f"user,key,value\n{ratings}")
    Path("mine.py").write_text("import sys\nsys.stdout.write(sys.stdin.read())\n")  # a cheat: it tells the truth
    codes = {}
    with redirect_stdout(io.StringIO()):
        for line in lines:
            program, *arguments = shlex.split(line, comments=True)
            assert program == "rrcore"
            if arguments[0] not in NOT_RUN:
                codes[line] = main(arguments)
    assert {line: code for line, code in codes.items() if code} == {line: CAUGHT for line in codes if "mine.py" in line}


@pytest.mark.parametrize("path", PAGES, ids=title)
def test_commands_outside_console_blocks_cannot_be_run_here(path):
    for language, _, content in blocks(path):
        if language == "sh":
            assert set(re.findall(r"^rrcore (\w+)", content, re.MULTILINE)) <= NOT_RUN


@pytest.mark.parametrize("path", PAGES, ids=title)
def test_links_between_pages_lead_somewhere(path):
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+\.md)", text):
        assert (path.parent / target).exists(), target
    assert not re.search(r"!\[[^]]*\]\(https?:", text), "pictures come from this repository"


@pytest.mark.parametrize("page", [path.relative_to(ROOT).as_posix() for path in PAGES if "api" not in path.parts])
def test_every_page_is_in_the_navigation(page):
    assert page.removeprefix("docs/") in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<script src="https://example.org/a.js"></script>', True),
        ("<script defer src=//example.org/a.js></script>", True),
        ('<link href="https://example.org/a.css" rel="stylesheet">', True),
        ('<link rel="preconnect" href="https://example.org">', True),
        ("<style>@import 'https://example.org/a.css'</style>", True),
        ("body { background: url(http://example.org/a.png) }", True),
        (
            '<a href="https://example.org">there</a> <script src="assets/a.js"></script><link rel="stylesheet" href="assets/a.css">',
            False,
        ),
        ("body { background: url(data:image/svg+xml;base64,AAAA) }", False),
    ],
)
def test_what_a_site_would_load_from_elsewhere_is_found(text, found):
    assert bool(hooks.elsewhere(text)) == found


def test_every_command_is_documented_with_its_help():
    text = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^## (\w+)$", text, re.MULTILINE))
    commands = set(re.findall(r"^    (\w+)(?:  |$)", hooks.help_of("--help"), re.MULTILINE))
    assert {"describe", "mechanism", "ledger"} <= commands
    assert described == commands | NOT_RUN
    assert set(re.findall(r"<!-- help: (\w+) -->", text)) == described
    assert all(f"{name} [-h]" in hooks.help_of(name) for name in commands)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_ends_with_an_example_that_is_understood_and_a_page_that_exists(name):
    example, page = EXAMPLES[name]
    assert _parser([name]).parse_args([name, *shlex.split(example)]).run
    assert (ROOT / "docs" / page).exists()
    assert f"  rrcore {name} {example}" in hooks.help_of(name)


def test_every_design_stands_in_the_table_of_the_survey_team():
    text = (ROOT / "docs/howto/survey-team.md").read_text(encoding="utf-8")
    examples = dict(re.findall(r"^\| `([\w-]+)` \|.*`\w+=[\w-]+:(\S+)` \|", text, re.MULTILINE))
    assert examples == {key: design.example.replace(" ", "") for key, design in DESIGNS.items()}


def test_the_citation_names_this_version():
    assert f"version: {rr.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
