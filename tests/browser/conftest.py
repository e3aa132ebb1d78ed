"""A running app and a real Chromium. Without Chromium these tests are skipped, unless RR_REQUIRE_BROWSER is set (as in CI)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.ports import free_port

ROOT = Path(__file__).parents[2]


def chromium_path() -> str:
    for name in (
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
    ):  # the first draws no window of its own
        if path := shutil.which(name):
            return path
    reason = "no Chromium found on this machine: install the package 'chromium' to run the browser tests"
    if os.environ.get("RR_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@contextmanager
def serving(**options: object) -> Iterator[str]:
    """The address of a server of its own."""
    port = free_port()
    command = [sys.executable, "-m", "rrcore", "app", "--port", str(port)]  # as 'make run' does, not headless
    server = subprocess.Popen(command, cwd=ROOT, **options)
    url = f"http://localhost:{port}"
    try:
        for _ in range(600):  # two minutes: a machine may have much else to do
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=2)
                break
            except OSError:
                assert server.poll() is None, "the server has ended"
                time.sleep(0.2)
        yield url
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with serving(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as url:
        yield url


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[str, Path, Path]]:
    """A server whose home and temporary folder are empty at first, and whose output is kept."""
    home, log = tmp_path / "home", tmp_path / "server.log"
    home.mkdir()
    places = dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME"), str(home))
    environment = os.environ | places | {"STREAMLIT_LOGGER_LEVEL": "debug"}
    with log.open("wb") as out, serving(stdout=out, stderr=out, env=environment) as url:
        yield url, home, log
