"""The command app: this project's dashboard, under this project's configuration, wherever it is started from."""

import json
import os
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from streamlit.web.server.app_discovery import discover_asgi_app

from rrcore.cli import main
from rrcore.cli.dashboard import DEMO_VARIABLE, HOSTS_VARIABLE, SURVEY_VARIABLE
from tests.cli.terminal import refused

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def flat(table, prefix=""):
    """Options by their full name, as Streamlit has them."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def in_force(folder, *arguments):
    """The script that Streamlit is about to serve, and the options in force, when ``rrcore app`` is started in ``folder``."""
    script = f"""
import json, sys
from streamlit import config
from streamlit.web import bootstrap
from rrcore.cli import main
options = {[name for name, _ in flat(CONFIG)] + ["server.port"]!r}
bootstrap.run_asgi_app = lambda script, *_: print(json.dumps([script, {{name: config.get_option(name) for name in options}}]))
sys.exit(main(["app", *sys.argv[1:]]))
"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    environment |= {"PYTHONPATH": str(ROOT), "HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_the_configuration_is_in_force_in_a_folder_that_has_another(tmp_path):
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(
        '[client]\nshowErrorDetails = "full"\n[server]\naddress = "0.0.0.0"\n[browser]\ngatherUsageStats = true\n',
        encoding="utf-8",
    )
    script, options = in_force(tmp_path)
    assert script == str(ROOT / "app.py")
    for name, value in flat(CONFIG):
        assert options[name] == value, name
    assert {"server.address", "client.showErrorDetails", "client.toolbarMode", "browser.gatherUsageStats"} <= set(options)
    assert any(name.startswith("theme.") for name in options)


def test_port_address_and_browser_are_the_commands_to_choose(tmp_path):
    _, options = in_force(tmp_path, "--port", "8777", "--host", "127.0.0.1", "--no-browser")
    assert (options["server.port"], options["server.address"], options["server.headless"]) == (8777, "127.0.0.1", True)


def test_a_port_that_another_program_uses_is_named(capsys):
    with socket.create_server(("localhost", 0)) as other:
        port = other.getsockname()[1]
        assert f"port {port}" in refused(capsys, "app", "--port", port)


def test_an_address_that_does_not_exist_is_named(capsys):
    assert "nowhere.invalid" in refused(capsys, "app", "--no-browser", "--host", "nowhere.invalid")


def test_streamlit_run_finds_what_is_served_with_its_door():
    """It looks for it in the text of app.py, without running that."""
    assert discover_asgi_app(ROOT / "app.py").import_string == "app:app"


def test_files_are_not_watched():
    """Watching a checkout with its .venv kept a core busy for as long as the dashboard was open."""
    assert CONFIG["server"]["fileWatcherType"] == "none"


def test_options_reach_the_dashboard_by_its_environment(monkeypatch):
    """It is the same program; here it is not served."""
    for name in (SURVEY_VARIABLE, DEMO_VARIABLE, HOSTS_VARIABLE):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setattr("runpy.run_module", lambda *_, **__: None)
    assert main(["app", "--survey", "pilot.survey", "--demo", "--allowed-host", "a.example", "--allowed-host", "b.example"]) == 0
    assert os.environ[SURVEY_VARIABLE] == "pilot.survey"
    assert os.environ[DEMO_VARIABLE]
    assert os.environ[HOSTS_VARIABLE] == "a.example,b.example"
    assert not any("pilot" in argument for argument in sys.argv)
