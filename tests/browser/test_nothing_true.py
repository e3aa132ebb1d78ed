"""True answers that pass through the pages leave no trace: not in files, not in the server's output, not in downloads."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LOADED, go, opened, saved, settled

pytestmark = pytest.mark.browser

PLANTED = "quagmire-91bc"
"""Part of every row of a column that is nobody's attribute, and so has no business anywhere."""


def test_uploaded_answers_leave_no_trace(browser, watched, tmp_path):
    address, home, log = watched
    page = opened(browser, address)
    go(page, "Data")
    page.get_by_text("Upload a file", exact=True).click()
    rows = "".join(f"{'yes' if i % 3 else 'no'},{'a' if i % 2 else 'b'},{PLANTED}-{i}\n" for i in range(300))
    table = {"name": "survey.csv", "mimeType": "text/csv", "buffer": f"smokes,ward,name\n{rows}".encode()}
    page.locator("input[type=file]").set_input_files(table)
    expect(page.get_by_text("2 attributes, 4 combinations, 300 people")).to_be_visible(timeout=LOADED)
    settled(page)
    go(page, "Perturb & estimate")
    go(page, "Collect")
    buttons = ("Download mechanism file", "Certificate (text)", "Certificate (JSON)", "Download form")
    files = [saved(page, button, tmp_path) for button in buttons]
    page.context.close()
    written = [path for path in home.rglob("*") if path.is_file()]
    assert len(files) == 4
    for path in (*files, *written, log):
        assert PLANTED.encode() not in path.read_bytes(), path.name
