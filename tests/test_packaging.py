"""From the built wheel alone, in a fresh environment outside the checkout: the library, the command, the form and the dashboard."""

import json
import os
import re
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest

from rrcore import __version__
from rrcore.budget import Plan
from rrcore.table import load_demo
from tests.ports import free_port

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
TITANIC = load_demo("titanic").select(("Sex", "Survived"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT], check=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs a program of an environment that holds the wheel, its extra ``app`` and nothing else, in an empty folder; gives its output."""
    folder = tmp_path_factory.mktemp("installed")
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, folder / "venv"], check=True)
    pins = ["--constraint", ROOT / "requirements.txt"]
    into = ["--quiet", "--python", folder / "venv"]
    subprocess.run([*uv, "pip", "install", *into, *pins, f"rr-workbench[app] @ {wheel.as_uri()}"], check=True)
    (folder / "work").mkdir()

    def run(*command, start=subprocess.check_output):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STREAMLIT_"))}
        environment |= {"HOME": str(folder), "XDG_STATE_HOME": str(folder)}
        program = folder / "venv" / "bin" / command[0]
        return start([program, *command[1:]], cwd=folder / "work", env=environment, text=True)

    run.folder = folder / "work"
    return run


def test_the_wheel_holds_all_that_is_needed_and_is_small(wheel):
    assert wheel.stat().st_size < 2 * 2**20
    names = set(zipfile.ZipFile(wheel).namelist())
    checkout = [*ROOT.glob("rrcore/**/*"), *ROOT.glob("pages/**/*.py")]
    needed = {
        file.relative_to(ROOT)
        for file in checkout
        if file.suffix in (".py", ".typed", ".html", ".css", ".js", ".json", ".csv", ".j2")
    }
    needed |= {Path("app.py"), Path("navigation.py"), Path(".streamlit", "config.toml")}
    needed |= {file.relative_to(ROOT) for file in ROOT.glob("assets/**/*") if file.suffix in (".svg", ".css", ".js")}
    expected = {(file if file.parts[0] == "rrcore" else Path("rrcore", "_dashboard") / file).as_posix() for file in needed}
    assert {"rrcore/py.typed", "rrcore/asking/assets/form.js", "rrcore/_dashboard/pages/start/page.py"} <= expected
    assert {name for name in names if ".dist-info/" not in name} == expected


@pytest.mark.parametrize("group", ["dev", "audit"])
def test_every_requirement_of_a_group_is_pinned(group):
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"][group]
    pins = (ROOT / f"requirements-{group}.txt").read_text(encoding="utf-8")
    assert sorted(re.match(r"[\w-]+", one)[0] for one in asked) == sorted(re.findall(r"^([\w-]+)==", pins, re.MULTILINE))


@pytest.mark.long
def test_the_package_is_imported_from_where_it_is_installed(installed):
    printed = installed(
        "python", "-c", "import rrcore, importlib.util as u; print(rrcore.__file__, u.find_spec('pages'), u.find_spec('app'))"
    )
    file, *top_level = printed.split()
    assert Path(file).parents[1] in (installed.folder.parent / "venv").glob("lib/*/site-packages")
    assert top_level == ["None", "None"]
    assert installed("rrcore", "--version") == f"{__version__}\n"


SCRIPT = """
import contextlib, io, json
from pathlib import Path
import rrcore
from rrcore.cli import main
printed = []
for line in (
    "plan --sizes 2,2 --epsilon 2 --json",
    "mechanism --plan plan.json --out mech.json",
    "release --mechanism mech.json --in true.csv --out out.csv",
    "analyze --mechanism mech.json --in out.csv --pairs --report report.html --json",
):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(line.split()) == 0, line
    printed.append(out.getvalue())
from rrcore.promise import MechanismFile
from rrcore.asking import respondent_form
printed.append(respondent_form(MechanismFile.from_json(Path("mech.json").read_bytes()), title="On board"))
from streamlit.testing.v1 import AppTest
dashboard, opened = Path(rrcore.__file__).parent / "_dashboard", []
app = AppTest.from_file(str(dashboard / "navigation.py"), default_timeout=120).run()
for page in sorted(path.relative_to(dashboard) for path in dashboard.glob("pages/*/page.py")):
    app.switch_page(str(page)).run()
    assert not app.exception, (page, app.exception)
    opened.append(page.parent.name)
print(json.dumps([printed, opened]))
"""


@pytest.fixture(scope="module")
def done(installed):
    """What commands, the form and every page, by Streamlit's own test driver, say in the new environment: all in one process, since most of
    the time is loading, for the first time there."""
    folder = installed.folder
    (folder / "plan.json").write_text(Plan(TITANIC.schema, (2.0, 2.0), TITANIC.n, "preserving-2").to_json(), encoding="utf-8")
    (folder / "true.csv").write_text(TITANIC.to_csv(), encoding="utf-8")
    (folder / "all.py").write_text(SCRIPT, encoding="utf-8")
    return json.loads(installed("python", "all.py").splitlines()[-1])


@pytest.mark.long
def test_from_a_plan_to_a_form_and_to_estimates(installed, done):
    folder, (plan, mechanism, collected, read, form) = installed.folder, done[0]
    assert tuple(json.loads(plan)["plan"][name] for name in ("mechanism", "preserve")) == ("preserving", 2)
    assert "sha256" in mechanism
    assert collected.startswith("2,201 records")
    assert json.loads(read)["n"] == TITANIC.n
    assert "</html>" in (folder / "report.html").read_text(encoding="utf-8")
    for asset in (ROOT / "rrcore" / "asking" / "assets").glob("*.js"):
        assert asset.read_text(encoding="utf-8").strip().splitlines()[-1] in form


@pytest.mark.long
def test_the_dashboard_answers_on_localhost(installed):
    port = free_port()
    server = installed("rrcore", "app", "--port", str(port), "--no-browser", start=subprocess.Popen)
    try:
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=2) as health:
                    assert health.read() == b"ok"
                break
            except OSError:
                assert server.poll() is None
                time.sleep(0.2)
        token = (installed.folder.parent / "rr-workbench" / "token").read_text()
        link = urllib.request.Request(f"http://localhost:{port}/budget", headers={"Cookie": f"rr_workbench_{port}={token}"})
        with urllib.request.urlopen(link, timeout=10) as page:
            assert b'<div id="root">' in page.read()
    finally:
        server.terminate()
        server.wait(10)


@pytest.mark.long
def test_every_page_of_the_installed_dashboard_opens(done):
    assert done[1] == sorted(path.parent.name for path in ROOT.glob("pages/*/page.py"))
