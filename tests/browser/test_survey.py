"""From a plan to a running survey, its answers, a pause and its end, in a real browser; a dashboard that died finds it again."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import TimeoutError, expect

from rrcore.receiver import open_store
from rrcore.receiver.server_status import end_serving, fault_at, served_of
from tests.browser.steps import LOADED, choose, give, opened, saved, settled, state_home, to_questions
from tests.browser.test_form_in_browser import PHONE
from tests.ports import free_port, wait_for_dashboard

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
FURTHER = "Questions without randomization, one per line"


@pytest.fixture
def dashboards(tmp_path):
    """Starts dashboards in one folder, as people do; what is left of servers at the end is ended."""
    running = []

    def start():
        port = free_port()
        command = [sys.executable, "-m", "rrcore", "app", "--no-browser", "--port", str(port)]
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": state_home()},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        running.append(process)
        url = f"http://localhost:{port}"
        wait_for_dashboard(process, url)
        return process, url

    yield start
    for process in running:
        process.kill()
        process.wait(30)
    for place in tmp_path.glob("*.survey"):
        store = open_store(str(place))
        if (served := served_of(store)) is not None:
            end_serving(store, served)


def fill(page, label, text):
    field = page.get_by_role("textbox", name=label, exact=True).first
    field.fill(text)
    field.press("Tab")
    settled(page)


def type_cell(page, table, row, x, text):
    """Type into a row of a table, ``x`` pixels from its left edge, or from its right edge if that is negative."""
    canvas = page.get_by_test_id("stDataFrame").nth(table).locator("canvas").first
    field = page.locator("#portal").locator("textarea, input").first
    canvas.evaluate("canvas => canvas.scrollIntoView({ block: 'center' })")
    until = time.monotonic() + LOADED / 1000
    while True:  # the first click chooses a cell, and the next one opens it as soon as that is drawn
        if box := canvas.bounding_box():  # else the table is just replaced
            page.mouse.dblclick(box["x"] + x % box["width"], box["y"] + 35 * (row + 1) + 17)
        try:
            field.fill(text, timeout=2_000)
            return field.press("Enter", timeout=2_000)
        except TimeoutError:
            assert time.monotonic() < until


def answer(browser, address, locale, title, *choices):
    """A respondent, who sees the form as it was worded and sends. Returns the questions."""
    context = browser.new_context(viewport=PHONE, locale=locale)
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    to_questions(page)
    asked = page.locator("#answers legend").all_text_contents()
    give(page, *choices)
    page.locator("#randomize").click()
    page.locator("#send").click()
    expect(page.get_by_role("status")).to_contain_text("localhost")
    context.close()
    return asked


@pytest.mark.long
def test_a_survey_is_worded_started_paused_and_closed_without_a_terminal(browser, dashboards, tmp_path):
    process, url = dashboards()
    page = opened(browser, f"{url}/survey", "Survey")
    fill(page, "Title", "Health")
    phone = page.frame_locator(".phone iframe")
    legends = phone.locator("#answers legend")
    expect(phone.get_by_role("heading", name="Health")).to_be_visible()
    type_cell(page, 0, 1, -60, "Are you a woman or a man?")
    expect(legends.nth(1)).to_have_text("2. Are you a woman or a man?")
    type_cell(page, 0, 3, 40, "1")
    expect(legends.nth(0)).to_have_text("1. Survived")
    settled(page)
    page.get_by_text("Screens, invitations and questions without randomization").click()
    field = page.get_by_role("textbox", name=FURTHER)
    field.fill("region: north, south")
    field.press("Control+Enter")
    expect(legends.nth(4)).to_have_text("5. region")
    settled(page)
    choose(page, page.get_by_role("combobox", name="Further languages"), page.get_by_role("option", name="Français"))
    page.keyboard.press("Tab")  # the list stays open for further languages, and hides all below it until it is left
    type_cell(page, 1, 0, -60, "Santé")
    preview = page.get_by_role("combobox", name="Language of the preview")
    choose(page, preview, page.get_by_role("option", name="Français"))
    expect(phone.get_by_role("heading", name="Santé")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Start the survey").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible(timeout=LOADED)
    settled(page)

    code = page.locator("[data-testid=stImage] img")
    expect(code).to_be_visible()
    (read,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(code.screenshot())))
    store = open_store(str(tmp_path / "health.survey"))
    assert read.text == served_of(store).address
    invitation = saved(page, "Download invitation", tmp_path)
    printed = browser.new_page()
    printed.goto(invitation.as_uri())
    (again,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(printed.screenshot(full_page=True))))
    assert again.text == read.text
    printed.close()

    asked = answer(browser, read.text, "en-GB", "Health", 0, 1, 1, 0, 0)
    assert asked == ["1. Survived", "2. Class", "3. Are you a woman or a man?", "4. Age", "5. region"]
    answer(browser, read.text, "fr-CH", "Santé", 0, 1, 1, 0, 1)
    expect(page.get_by_text("has 2 answers")).to_be_visible(timeout=LOADED)
    (region,) = [column for column in store.answers().groupings if column.name == "region"]
    assert sorted(region.codes.tolist()) == [0, 1]

    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible(timeout=LOADED)
    visitor = browser.new_page()
    assert visitor.goto(read.text).status == 423

    process.send_signal(signal.SIGKILL)  # the dashboard dies, and the survey goes on
    process.wait(30)
    served = served_of(store)
    assert fault_at(served, served.address) == ""
    page.close()
    _, url = dashboards()
    page = opened(browser, f"{url}/survey?survey_tab=Running+survey", "Survey")
    page.get_by_test_id("stBaseButton-primary").filter(has_text="Open").click()
    page.get_by_role("button", name="Resume").click(timeout=LOADED)
    expect(page.get_by_role("button", name="Pause")).to_be_visible(timeout=LOADED)
    settled(page)
    assert visitor.goto(read.text).status == 200

    assert "Health" in saved(page, "Report so far", tmp_path).read_text(encoding="utf-8")
    page.get_by_text("Close the survey").click()
    page.get_by_text("This is final").click()
    page.get_by_role("button", name="Close it now").click()
    expect(page.get_by_text("It was closed on")).to_be_visible(timeout=LOADED)
    settled(page)
    assert visitor.goto(read.text).status == 410
    page.get_by_role("button", name="Stop the server").click()
    expect(page.get_by_role("button", name="Stop the server")).to_have_count(0, timeout=LOADED)
    assert fault_at(served, served.own)
    page.get_by_role("button", name="Analyze these answers").click()
    expect(page.get_by_role("heading", name="Analyze", exact=True)).to_be_visible(timeout=LOADED)
    settled(page)
