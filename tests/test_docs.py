"""The documents keep their word: snippets print what is shown, links resolve, the site builds and its search finds pages."""

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import rrcore as rr
from docs import hooks
from rrcore import errors
from rrcore.cli import COMMANDS, app, main
from rrcore.designs import DESIGNS
from tests.programs import node

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = sorted((ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```(\w+)[ ]?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SITE = "https://example.org/rr-workbench/docs/"
"""Address of the site. To publish the project, replace it here, in the README and in pyproject.toml."""


def title(path):
    return str(path.relative_to(ROOT))


def blocks(path):
    """Return (language, name of the file that it is saved as or None, content) of every block of a page."""
    for language, more, content in BLOCK.findall(path.read_text(encoding="utf-8")):
        name = re.search(r'title="([^"]+)"', more)
        yield language, name and name[1], content


def matches(shown, printed):
    """Return True if the text is as shown. "..." stands for anything, and white space does not matter."""
    pattern = re.escape(" ".join(shown.split())).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, " ".join(printed.split())) is not None


@pytest.mark.parametrize(
    "path",
    [path for path in (README, *PAGES) if any(blocks(path))],
    ids=title,
)
def test_snippets_print_what_is_shown(path, tmp_path, monkeypatch):
    """What is randomized without a seed is shown in numbers of rows. A regression on it fails with a probability below 1e-40."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    names, printed = {"__name__": "docs"}, None
    for language, saved_as, content in blocks(path):
        if saved_as:
            Path(saved_as).write_text(content, encoding="utf-8")
        elif language == "python":
            with redirect_stdout(io.StringIO()) as out:
                exec(compile(content, title(path), "exec"), names)
            printed = out.getvalue()
        elif language == "text":
            assert printed is None or matches(content, printed), printed
        elif language == "pycon":
            case = doctest.DocTestParser().get_doctest(content, {}, title(path), title(path), 0)
            case.globs = names
            failures = io.StringIO()
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            assert runner.run(case, out=failures.write, clear_globs=False).failed == 0, failures.getvalue()
        elif language == "console":
            for command, output in re.findall(r"^\$ rrcore (.*)\n((?:(?!\$ ).*\n)*)", content, re.MULTILINE):
                with redirect_stdout(io.StringIO()) as out:
                    assert main(shlex.split(command)) == (1 if "CAUGHT" in output or "do not fit" in output else 0), command
                assert matches(output, out.getvalue()), out.getvalue()
        else:
            assert language in ("sh", "json"), f"a block of {language} is not run"


def test_every_command_is_on_the_site_with_its_options():
    text = hooks.commands()
    assert set(re.findall(r"^## rrcore (\w+)$", text, re.MULTILINE)) == set(COMMANDS)
    for option in ("--sizes", "--keep-columns", "--behind-proxy", "--never-happened", "--margin-of-error", "--protocol"):
        assert f"`{option}" in text
    assert "no-dry-run" not in text


@pytest.mark.parametrize("path", [README, *PAGES], ids=title)
def test_commands_that_are_not_run_have_valid_options(path):
    for language, _, content in blocks(path):
        lines = re.sub(r"\\\n\s*", "", content).splitlines() if language == "sh" else []
        for _, *arguments in (shlex.split(line, comments=True) for line in lines if line.startswith("rrcore ")):
            assert callable(app.parse_args(arguments, print_error=False, exit_on_error=False)[0])


LABEL = re.compile(r"\*\*([^*]+)\*\*")
COMPUTED = {"Repeat 200 times", "Randomize … rows"}
"""Labels with numbers in them."""


def test_labels_that_guides_name_are_in_the_dashboard():
    code = "\n".join(
        path.read_text(encoding="utf-8") for folder in ("pages", "rrcore/learn", "assets") for path in source_of(folder)
    )
    for path in (ROOT / "docs" / "get-started.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))):
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        named = {" ".join(label.split()) for label in LABEL.findall(text)}
        assert sorted(label for label in named - COMPUTED if not label.endswith(".") and label not in code) == [], path.name


def source_of(folder):
    """Return the files of a folder in which texts of the dashboard are."""
    return [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".js", ".html", ".json")]


def test_places_and_names_for_contributors_exist():
    texts = [(ROOT / file).read_text(encoding="utf-8") for file in ("CONTRIBUTING.md", "docs/architecture.md")]
    named = {name for text in texts for name in re.findall(r"`([\w./]+)`", text)}
    assert [name for name in named if "/" in name and not ((ROOT / name).exists() or (ROOT / "rrcore" / name).exists())] == []
    places = [path for folder in ("rrcore", "pages", "tests") for path in (ROOT / folder).rglob("*.py")]
    words = set(re.findall(r"\w+", "\n".join(path.read_text(encoding="utf-8") for path in [*places, ROOT / "navigation.py"])))
    assert {name for name in named if re.fullmatch(r"[A-Z]\w+", name)} <= words


def test_extras_in_the_documents_exist():
    text = "\n".join(path.read_text(encoding="utf-8") for path in (README, *PAGES))
    (table,) = re.findall(r"^\| Extra \|.*?\n\n", text, re.MULTILINE | re.DOTALL)
    named = [
        *re.findall(r"\.\[(\w+)\]", text),
        *re.findall(r"extra `(\w+)`", text),
        *re.findall(r"^\| `(\w+)`", table, re.MULTILINE),
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    assert extras == {"app", "files", "survey", "cluster", "all"} >= set(named)
    assert {extra for _, extra in errors._EXTRAS.values()} <= extras


def test_commands_of_make_in_the_readme_exist():
    targets = re.findall(r"^([\w-]+)[^:=\n]*:(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"^make (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE)) <= set(targets)


@pytest.mark.parametrize("path", [README, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *PAGES], ids=title)
def test_links_resolve(path):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        place, _, _ = target.partition("#")
        if place.startswith(SITE):
            place = ROOT / "docs" / place.removeprefix(SITE).replace(".html", ".md")
        elif re.match(r"https?:", place):
            continue
        else:
            place = path.parent / place
        generated = place.parent == ROOT / "docs" / "api" and place.stem in dir(rr)
        assert generated or place.exists() or place == ROOT / "docs", target


def test_pages_are_in_the_navigation_and_short():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    written = [path for path in PAGES if path.name not in ("theory.md", "papers.md")]
    assert [
        name for path in written if (name := path.relative_to(ROOT / "docs").as_posix()) not in (navigation + "api/index.md")
    ] == []
    by_hand = [path for path in written if path.name != "benchmarks.md"]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in by_hand) <= 1750
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 130


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<script src="https://example.org/a.js"></script>', True),
        ("<script defer src=//example.org/a.js></script>", True),
        ('<link href="https://example.org/a.css" rel="stylesheet">', True),
        ('<link rel="preconnect" href="https://example.org">', True),
        ("<style>@import 'https://example.org/a.css'</style>", True),
        ("body { background: url(http://example.org/a.png) }", True),
        ('<a href="https://example.org">there</a><script src="a.js"></script><link rel="stylesheet" href="a.css">', False),
        ("body { background: url(data:image/svg+xml;base64,AAAA) }", False),
    ],
)
def test_loading_from_elsewhere_is_found(text, found):
    assert bool(hooks.elsewhere(text)) == found


FIRST = {
    "install": "get-started.html",
    "epsilon": "concepts/epsilon.html",
    "privacy budget": "guides/choose-a-privacy-budget.html",
    "LDP": "concepts/epsilon.html",
    "utility": "concepts/intervals.html",
    "sample size": "guides/choose-a-privacy-budget.html",
    "weights": "guides/analyze-randomized-answers.html",
    "SPSS": "guides/analyze-randomized-answers.html",
    "regression": "guides/analyze-randomized-answers.html",
    "cookbook": "api/index.html",
}
"""Query -> the page that the site's search shows first."""


@pytest.mark.slow
@pytest.mark.long
def test_the_site_builds_and_its_search_finds_pages(tmp_path):
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", tmp_path / "site"]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    command = [node(), ROOT / "tests" / "search.mjs", tmp_path / "site", *FIRST]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert dict(zip(FIRST, found, strict=True)) == FIRST


def test_every_design_is_in_the_guide_to_surveys():
    text = (ROOT / "docs/guides/run-a-survey.md").read_text(encoding="utf-8")
    examples = dict(re.findall(r"^\| `([\w-]+)` \|.*`\w+=[\w-]+:(\S+)` \|", text, re.MULTILINE))
    assert examples == {key: design.example.replace(" ", "") for key, design in DESIGNS.items()}


def test_the_citation_names_five_papers_and_leaves_the_version_to_the_package():
    citation, *others = (
        (ROOT / name).read_text(encoding="utf-8")
        for name in ("CITATION.cff", "README.md", "docs/about/cite.md", "pyproject.toml")
    )
    assert citation.count("- type: article\n") == 5
    assert not any(rr.__version__ in text for text in (citation, *others))
