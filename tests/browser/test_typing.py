"""Levels typed and columns unticked quickly, in a session whose every answer takes a second: all changes land."""

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
    cells = [page.get_by_label(f"ε of {name}", exact=True) for name in names]
    expect(cells[4]).to_be_visible(timeout=LOADED)
    settled(page)
    slow_down()
    cells[0].click()
    for typed in ("0.5", "1,25", "1.5", "40", "2.25"):
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "running")  # typed faster than it answers
    line = cells[4].locator("xpath=ancestor::tr")
    expect(line).to_be_visible()
    settled(page)
    assert [cell.input_value() for cell in cells] == ["0.50", "1.25", "1.50", "40", "2.25"]
    expect(page.get_by_test_id("stAlert")).to_have_count(1)
    expect(page.get_by_label(f"ε of {last}", exact=True)).to_be_focused()

    cells[2].evaluate(PASTE, "1\n2.5")  # two cells of a spreadsheet
    expect(page.get_by_test_id("stAlert")).to_have_count(0, timeout=LOADED)
    settled(page)
    assert [cell.input_value() for cell in cells] == ["0.50", "1.25", "1.00", "2.50", "2.25"]
    page.close()


@pytest.mark.long
def test_columns_unticked_faster_than_the_answers_are_left_out(browser, slow_server):
    address, slow_down = slow_server
    page = opened(browser, f"{address}/data?table=census", "Data")
    canvas = page.get_by_test_id("stDataFrame").nth(1).locator("canvas").first
    canvas.evaluate("canvas => canvas.scrollIntoView({ block: 'center' })")
    box = canvas.bounding_box()
    slow_down()
    for row in range(3):
        page.mouse.click(box["x"] + 40, box["y"] + 35 * (row + 1) + 17)
        page.wait_for_timeout(1_200)  # the change before is taken, and its table not yet replaced
    kept = len(load_demo("census").schema.names) - 3
    expect(page.get_by_text(f"{kept} attributes").first).to_be_visible()
    settled(page)
    page.close()
