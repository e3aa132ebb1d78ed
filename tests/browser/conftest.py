"""A running app and a real Chromium. Without Chromium these tests are skipped, unless RR_REQUIRE_PROGRAMS is set (as in CI)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests import programs
from tests.browser.steps import AT_REST, LOADED, opened, state_home
from tests.ports import free_port, wait_for_dashboard

ROOT = Path(__file__).parents[2]
expect.set_options(timeout=LOADED)  # a slow machine only takes longer


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium. Tabs of the app are in its first context, where they share a process that lives as long as its first, empty tab: what the
    app's scripts are compiled to is found there by the next tab, which takes half as long."""
    path = programs.chromium()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--process-per-site"])
        first = chromium.new_context(**AT_REST, accept_downloads=True).new_page()
        first.route("http://localhost/", lambda route: route.fulfill(body=""))
        first.goto("http://localhost/")
        yield chromium
        chromium.close()


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    report = yield
    if call.when != "teardown":
        item.stash[_FAILED] = report.failed
    return report


@pytest.fixture(scope="module")
def _tabs() -> Iterator[list[Page]]:
    pages: list[Page] = []
    yield pages
    for page in pages:
        page.close()


@pytest.fixture
def tab(browser: Browser, address: str, _tabs: list[Page], request: pytest.FixtureRequest) -> Iterator[Page]:
    """The app in the tab of this file's tests: at the start page at first, then where the test before has left it. What is loaded need not
    be compiled and drawn again. After a test that failed it is a new one."""
    if not _tabs:
        _tabs.append(opened(browser, address))
    yield _tabs[0]
    if request.node.stash.get(_FAILED, True):
        _tabs.pop().close()


@contextmanager
def serving(*, port: int = 0, **options: object) -> Iterator[str]:
    """The address of a server of its own, whose token ``let_in`` knows."""
    port = port or free_port()
    command = [sys.executable, "-m", "rrcore", "app", "--port", str(port)]  # as 'make run' does, not headless
    environment = dict(options.pop("env", os.environ)) | {"XDG_STATE_HOME": state_home()}  # type: ignore[call-overload]
    server = subprocess.Popen(command, cwd=ROOT, env=environment, **options)
    url = f"http://localhost:{port}"
    try:
        wait_for_dashboard(server, url)
        yield url
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with serving(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as url:
        yield url


@pytest.fixture
def watched(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path, Path]]:
    """A server whose home and temporary folder are empty at first, and whose output is kept."""
    home = tmp_path_factory.mktemp("h")  # a short path: sockets lie in it, and theirs have 107 bytes
    log = tmp_path / "server.log"
    places = dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME"), str(home))
    environment = os.environ | places | {"STREAMLIT_LOGGER_LEVEL": "debug"}
    with log.open("wb") as out, serving(stdout=out, stderr=out, env=environment) as url:
        yield url, home, log
