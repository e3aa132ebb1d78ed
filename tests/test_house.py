"""The order of layers: packages of rrcore import from lower ones only, pages from what they share, and nothing goes round in circles."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = """
errors limits arrays wording progress executors files documents jobs database mark writing
channel table
mechanisms estimate
promise association
designs budget ledger asking
simulation answers
auditing receiver papers
plots
reports learn
cli __init__
"""
"""The layers of rrcore from the bottom, as in docs/architecture.md. ``__main__`` calls ``cli``."""
ORDER = {room: number for number, line in enumerate(LAYERS.split("\n")) for room in line.split()} | {"__main__": 11}
BASE = LAYERS.split("\n")[1].split()
"""Modules of the lowest layer, which import from those before them."""


BY_NAME = {
    "rrcore/__init__.py": "rrcore.",  # the public face: each room when it is first asked for
    "rrcore/errors.py": "rrcore.",
    "rrcore/estimate/estimate.py": "rrcore.plots",  # an estimate draws itself
    "rrcore/estimate/result.py": "rrcore.plots",
    "rrcore/reports/shared_parts.py": "rrcore",  # the version
    "rrcore/cli/__init__.py": "rrcore",
}
"""What is imported by its name from above, where that has a reason."""


@cache
def tree_of(file):
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def nodes_of(file):
    return tuple(ast.walk(tree_of(file)))


def called(call):
    """The last part of the name of what is called; empty where it has none."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


@cache
def imported(file):
    """Modules, and names in modules, that a file imports anywhere: inside functions, for type checkers and by their names too."""
    found = []
    for node in nodes_of(file):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and called(node).endswith("import_module"):
            text = node.args[0].values[0] if isinstance(node.args[0], ast.JoinedStr) else node.args[0]
            name = text.value if isinstance(text, ast.Constant) else ""  # of a name that is put together, its beginning
            found += [name] if name and name != BY_NAME.get(file.relative_to(ROOT).as_posix()) else []
    return tuple(found)


def room(name):
    """The package of rrcore that a dotted name is in, or the public face."""
    return next((part for part in name.split(".")[1:2] if part in ORDER), "__init__")


@pytest.mark.parametrize("own", ORDER)
def test_rooms_import_from_lower_layers_only(own):
    place = ROOT / "rrcore" / own
    for file in place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]:
        others = {room(name) for name in imported(file) if name.split(".")[0] == "rrcore"} - {own}
        before = BASE[: BASE.index(own)] if own in BASE else [other for other in ORDER if ORDER[other] < ORDER[own]]
        assert others <= set(before), f"{file} imports from its own layer or a higher one"


def test_every_room_has_its_place():
    found = {place.stem for place in (ROOT / "rrcore").iterdir() if place.suffix == ".py" or (place / "__init__.py").exists()}
    assert found == set(ORDER)
    assert max(ORDER[room] for room in found - {"__main__"}) <= 10
    table = re.findall(r"^\| (\d+) \| (`.*?) \|", (ROOT / "docs/architecture.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {name: int(layer) for layer, names in table for name in re.findall(r"`(\w+)`", names)} | {
        "__init__": 10,
        "__main__": 11,
    } == ORDER


PAGES = {place.parent.name for place in (ROOT / "pages").glob("*/page.py")}


def of_pages(file):
    """What a file imports of ``pages``: the parts of its name behind that."""
    return [name.split(".")[1:] for name in imported(file) if name.startswith("pages.")]


@pytest.mark.parametrize("page", sorted({*PAGES, "shared"}))
def test_no_page_imports_another_and_what_they_share_imports_none(page):
    for file in (ROOT / "pages" / page).rglob("*.py"):
        assert {parts[0] for parts in of_pages(file)} <= {page, "shared"}, file


def test_every_page_is_in_the_navigation_and_every_way_to_one_leads_somewhere():
    assert {parts[0] for name in ("app.py", "navigation.py") for parts in of_pages(ROOT / name)} == {"shared"}
    ways = {}
    for file in [*(ROOT / "pages").rglob("*.py"), ROOT / "navigation.py"]:
        calls = [
            node for node in nodes_of(file) if isinstance(node, ast.Call) and called(node) in ("Page", "switch_page", "page_link")
        ]
        calls = [call for call in calls if ast.unparse(call.func) in ("st.Page", "st.switch_page", "st.page_link")]
        texts = [text.value for call in calls for text in ast.walk(call.args[0]) if isinstance(text, ast.Constant)]
        ways.setdefault(file.name, set()).update(text for text in texts if re.fullmatch(r"pages/.*py", str(text)))
    assert ways.pop("navigation.py") == {f"pages/{page}/page.py" for page in PAGES}
    assert set().union(*ways.values()) <= {f"pages/{page}/page.py" for page in PAGES}


def files_of(file):
    """The files that a file imports from, anywhere in it: all modules of a package from which it imports by a name put together."""
    for name in imported(file):
        if name.endswith("."):
            yield from ROOT.joinpath(*name.split(".")).glob("[!_]*.py")
            continue
        for place in (ROOT.joinpath(*name.split(".")), ROOT.joinpath(*name.split(".")[:-1])):
            if found := next((each for each in (place.with_suffix(".py"), place / "__init__.py") if each.exists()), None):
                yield found
                break


def reached(files, file):
    """The files that a file imports, those that they import, and so on."""
    seen, todo = set(), [file]
    while todo:
        more = files[todo.pop()] - seen
        seen |= more
        todo += more
    return seen


@pytest.mark.slow
def test_no_circles_between_files():
    files = {file: set(files_of(file)) - {file} for folder in ("rrcore", "pages") for file in (ROOT / folder).rglob("*.py")}
    beyond = {file: reached(files, file) for file in files}
    for file in files:
        circle = {other.relative_to(ROOT).as_posix() for other in beyond[file] if file in beyond[other]}
        assert not circle, sorted(circle)


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "forbidden"), [("rrcore", {"streamlit", "pages"}), ("pages", {"scipy"})])
def test_what_a_folder_never_imports(folder, forbidden):
    for file in (ROOT / folder).rglob("*.py"):
        assert not forbidden & {name.split(".")[0] for name in imported(file)}, file


INDEPENDENT = (
    "promise/certificate",
    "promise/check",
    "promise/sampler",
    "auditing/enumeration",
    "auditing/frequencies",
)
"""What proves a promise, or doubts it, without knowing how mechanisms are designed."""


def modules(file):
    """The modules of rrcore that a file imports when it runs: not for type checkers, and by the file that is named, not its room."""
    for node in tree_of(file).body:
        if isinstance(node, ast.ImportFrom) and node.module.startswith("rrcore"):
            place = ROOT.joinpath(*node.module.split("."))
            yield place.with_suffix(".py") if place.with_suffix(".py").exists() else place / "__init__.py"


@pytest.mark.parametrize("name", INDEPENDENT)
def test_what_proves_shares_no_code_with_what_designs(name):
    todo, seen = [ROOT / "rrcore" / f"{name}.py"], set()
    while todo:
        file = todo.pop()
        if file not in seen:
            seen.add(file)
            todo += modules(file)
    designing = {"mechanisms", "budget", "simulation", "papers"}
    assert not [file for file in seen if designing & set(file.relative_to(ROOT / "rrcore").parts)]


PICKLING = {"rrcore/jobs.py"}
"""Where things are pickled: between this program and its own worker processes, never what comes from anybody else."""


SUSPECT = re.compile(
    r"\b(eval|exec|popen|system|mktemp|__import__|html|fromstring|iterparse|XMLParser|yaml)\(|(?<!re\.)\bcompile\(|yaml|unsafe_allow_html"
    r"|shell|pickle|marshal|shelve|dill|joblib"
)
"""What a file holds in which something may be found: others need not be taken apart."""


def risky(tree):
    """What runs or renders text of strangers, were it given any."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in ("eval", "exec", "compile", "__import__", "os.system", "os.popen", "tempfile.mktemp") or called.endswith(
                "yaml.load"
            ):
                yield called
            yield from (f"{each.arg}=" for each in node.keywords if each.arg == "unsafe_allow_html")
            yield from ("shell=" for each in node.keywords if each.arg == "shell" and ast.unparse(each.value) != "False")
            if called in ("st.html", "components.html", "components.v1.html") and any(
                isinstance(arg, ast.JoinedStr) for arg in node.args
            ):
                yield f"{called} of a text that is put together"
            if called.rpartition(".")[2] in ("fromstring", "iterparse", "XMLParser"):
                yield f"{called}, which reads XML"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
            yield from (
                name for name in names if name.split(".")[0] in ("pickle", "cloudpickle", "marshal", "shelve", "dill", "joblib")
            )


def test_nothing_runs_or_renders_what_strangers_give():
    found = {}
    for file in [*(ROOT / "rrcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py", ROOT / "navigation.py"]:
        text = file.read_text(encoding="utf-8")
        if SUSPECT.search(text) and (said := set(risky(tree_of(file)))):
            found[file.relative_to(ROOT).as_posix()] = said
    assert {place for place, said in found.items() if said - {"pickle"}} == set()
    assert set(found) <= PICKLING


@cache
def code_lines(file):
    """Return the number of lines without blank lines, comments and docstrings."""
    rows = file.read_text(encoding="utf-8").splitlines()
    skipped = {number for number, row in enumerate(rows, 1) if not row.strip() or row.lstrip().startswith("#")}
    for node in nodes_of(file):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            skipped |= set(range(node.lineno, node.end_lineno + 1))
    return len(rows) - len(skipped)


SENTENCE = re.compile(r"\W*[A-Z].*[.!]\W*", re.DOTALL)
COMPARING = {"raises", "warns", "get_by_text", "to_have_text", "to_contain_text"}


def is_sentence(text):
    return bool(SENTENCE.fullmatch(re.sub(r"\\(.)", r"\1", text))) and len(re.findall(r"[A-Za-z']{2,}", text)) >= 5


def test_no_test_asserts_a_whole_sentence():
    """So that an editor can improve a text without touching a test. What a test compares are numbers, names and types."""
    for file in (ROOT / "tests").rglob("*.py"):
        asserted = [node for node in nodes_of(file) if isinstance(node, ast.Assert)]
        asserted += [node for node in nodes_of(file) if isinstance(node, ast.Call) and called(node) in COMPARING]
        texts = [text.value for node in asserted for text in ast.walk(node) if isinstance(text, ast.Constant)]
        assert not [text for text in texts if isinstance(text, str) and is_sentence(text)], file


MATHEMATICS = ("rrcore/channel", "rrcore/mechanisms", "rrcore/estimate")
CEILINGS = [
    (("rrcore", "pages"), 31_000),
    (("pages",), 7_000),
    (("tests",), 31_000),
    (MATHEMATICS, 6_400),
    (("rrcore/cli",), 1_100),
]


@pytest.mark.parametrize(("folders", "ceiling"), CEILINGS)
def test_the_code_is_small(folders, ceiling):
    """Each larger change lowers the ceiling. It never rises."""
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    lines = sum(map(code_lines, files))
    assert lines <= ceiling, f"{folders}: {lines} lines of code, shorten something to at most {ceiling}"
