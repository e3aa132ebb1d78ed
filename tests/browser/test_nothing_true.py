"""True answers that pass through the pages leave no trace: not in files, not in the server's output, not in downloads."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
LOADED = 30_000
PLANTED = "quagmire-91bc"
"""Part of every row of a column that is nobody's attribute, and so has no business anywhere."""


@pytest.fixture
def watched(tmp_path):
    """A server whose home and temporary folder are empty at first, and whose output is kept."""
    home, log = tmp_path / "home", tmp_path / "server.log"
    home.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true", "--server.port", str(port)]
    environment = os.environ | {
        "HOME": str(home),
        "TMPDIR": str(home),
        "XDG_CACHE_HOME": str(home),
        "STREAMLIT_LOGGER_LEVEL": "debug",
    }
    with log.open("wb") as out:
        server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, env=environment)
        address = f"http://localhost:{port}"
        try:
            for _ in range(150):
                try:
                    urllib.request.urlopen(f"{address}/_stcore/health", timeout=2)
                    break
                except OSError:
                    time.sleep(0.2)
            yield address, home, log
        finally:
            server.terminate()
            server.wait(10)


def settled(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=LOADED)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def go(page: Page, title: str) -> None:
    page.get_by_role("link", name=title, exact=True).first.click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible(timeout=LOADED)
    settled(page)


def test_uploaded_answers_leave_no_trace(browser, watched, tmp_path):
    address, home, log = watched
    page = browser.new_context(viewport={"width": 1360, "height": 900}, accept_downloads=True).new_page()
    page.goto(address)
    expect(page.get_by_role("heading", name="RR Workbench")).to_be_visible(timeout=LOADED)
    settled(page)
    go(page, "Data")
    page.get_by_text("Upload a file", exact=True).click()
    rows = "".join(f"{'yes' if i % 3 else 'no'},{'a' if i % 2 else 'b'},{PLANTED}-{i}\n" for i in range(300))
    table = {"name": "survey.csv", "mimeType": "text/csv", "buffer": f"smokes,ward,name\n{rows}".encode()}
    page.locator("input[type=file]").set_input_files(table)
    expect(page.get_by_text("2 attributes, 4 combinations, 300 people")).to_be_visible(timeout=LOADED)
    settled(page)
    saved = []
    go(page, "Perturb & estimate")
    go(page, "Collect")
    for button in ("Download mechanism file", "Certificate (text)", "Certificate (JSON)", "Download form"):
        with page.expect_download() as downloaded:
            page.get_by_role("button", name=button).click()
        saved.append(tmp_path / downloaded.value.suggested_filename)
        downloaded.value.save_as(saved[-1])
    page.context.close()
    written = [path for path in home.rglob("*") if path.is_file()]
    assert len(saved) == 4
    for path in (*saved, *written, log):
        assert PLANTED.encode() not in path.read_bytes(), path.name
