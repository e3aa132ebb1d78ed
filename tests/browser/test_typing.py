"""Levels typed quickly down their column, in a session whose every answer takes a second: all of them land."""

from __future__ import annotations

import os
import subprocess

import pytest
from playwright.sync_api import expect

from rrcore.table import load_demo
from tests.browser.conftest import ROOT, serving
from tests.browser.steps import LOADED, go, opened, settled

pytestmark = pytest.mark.browser

SLOW = """
import time
from pathlib import Path
from streamlit.navigation.page import StreamlitPage

run = StreamlitPage.run

def slow(self):
    if Path(__file__).with_name("slow").exists():
        time.sleep(1)
    run(self)

StreamlitPage.run = slow
"""

PASTE = """(cell, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text", text);
  cell.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def slowed(tmp_path_factory):
    """An address, and the file that makes every run of a page take a second longer while it is there."""
    folder = tmp_path_factory.mktemp("slow")
    (folder / "sitecustomize.py").write_text(SLOW, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    with serving(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment) as url:
        yield url, folder / "slow"


@pytest.fixture
def slow_server(slowed):
    """The address, quick at first, and what makes it slow from then on."""
    url, slow = slowed
    yield url, slow.touch
    slow.unlink(missing_ok=True)


@pytest.mark.long
def test_levels_typed_down_a_column_all_land(browser, slow_server):
    address, slow_down = slow_server
    page = opened(browser, f"{address}/?table=census")
    go(page, "Budget")
    *names, last = load_demo("census").schema.names[:6]
    cells = [page.get_by_label(f"Level of {name}", exact=True) for name in names]
    expect(cells[4]).to_be_visible(timeout=LOADED)
    settled(page)
    slow_down()
    cells[0].click()
    for typed in ("0.5", "1,25", "1.5", "40", "2.25"):
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "running")  # typed faster than it answers
    line = cells[4].locator("xpath=ancestor::tr")
    expect(line).to_contain_text("× 9.49", timeout=LOADED)  # e^2.25, rounded up
    settled(page)
    assert [cell.input_value() for cell in cells] == ["0.5", "1,25", "1.5", "40", "2.25"]
    for cell, odds in zip(cells, ("× 1.65", "× 3.50", "× 4.49", "× 7.39", "× 9.49"), strict=True):
        expect(cell.locator("xpath=ancestor::tr")).to_contain_text(odds)
    expect(page.get_by_text(f"Level of '{names[3]}' is 40: ")).to_be_visible()
    expect(page.get_by_label(f"Level of {last}", exact=True)).to_be_focused()

    cells[2].evaluate(PASTE, "1\n2.5")  # two cells of a spreadsheet
    expect(cells[3].locator("xpath=ancestor::tr")).to_contain_text("× 12.2", timeout=LOADED)
    expect(cells[2].locator("xpath=ancestor::tr")).to_contain_text("× 2.72")
    assert [cell.input_value() for cell in cells] == ["0.5", "1,25", "1", "2.5", "2.25"]
    page.close()


@pytest.mark.long
def test_what_is_typed_is_taken_though_next_is_pressed_at_once(browser, slow_server):
    """The field is left by the press on the link, so that a browser sends both within milliseconds."""
    address, slow_down = slow_server
    page = opened(browser, f"{address}/?table=census")
    go(page, "Budget")
    first = page.get_by_label(f"Level of {load_demo('census').schema.names[0]}", exact=True)
    expect(first).to_be_visible(timeout=LOADED)
    settled(page)
    slow_down()

    def on() -> None:
        page.get_by_role("link", name="Next: perturb and estimate").click()
        expect(page.get_by_role("heading", name="Perturb & estimate", exact=True)).to_be_visible(timeout=LOADED)
        settled(page)

    page.get_by_role("spinbutton", name="People", exact=True).fill("5000")
    on()
    expect(page.locator(".st-key-strip")).to_contain_text("planned for 5,000")
    go(page, "Budget")
    settled(page)
    first.fill("1.5")
    on()
    go(page, "Budget")
    expect(first.locator("xpath=ancestor::tr")).to_contain_text("× 4.49", timeout=LOADED)
    page.close()
