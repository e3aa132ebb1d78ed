"""From declared questions to a running survey, its answers, a pause and its end, in a real browser; a dashboard that died finds it again."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from rrcore.receiver import open_store
from rrcore.receiver.running import end_serving, fault_at, served_of
from tests.browser.steps import LOADED, choose, give, go, keep_picture, opened, saved, settled, state_home, to_questions
from tests.ports import free_port

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PHONE = {"width": 390, "height": 844}
TITLE, INTRODUCTION = "Salud en la ciudad", "Gracias por su ayuda."


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
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=2)
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.2)
        return process, url

    yield start
    for process in running:
        process.kill()
        process.wait(30)
    for place in tmp_path.glob("*.survey"):
        store = open_store(str(place))
        if (served := served_of(store)) is not None:
            end_serving(store, served)


def pressing(page, log):
    """Counts what is clicked."""

    def press(what):
        log.append(1)
        what.click()
        settled(page)

    return press


def answer(browser, address, *choices):
    """A respondent, who sees the form as it was worded and sends."""
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_role("heading", name=TITLE)).to_be_visible()
    expect(page.get_by_text(INTRODUCTION)).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "es"
    expect(page.get_by_text("De 100 personas cuya respuesta es «no»")).to_be_visible()
    to_questions(page)
    asked = page.locator("#answers legend").all_text_contents()
    give(page, *choices)
    page.locator("#randomise").click()
    page.locator("#send").click()
    expect(page.get_by_role("status")).to_contain_text("localhost")
    context.close()
    return asked


@pytest.mark.long
def test_a_survey_is_planned_worded_started_paused_and_closed_without_a_terminal(browser, dashboards, tmp_path):
    process, url = dashboards()
    page = opened(browser, url)
    go(page, "Data")
    page.get_by_text("Declare only", exact=True).first.click()
    settled(page)
    typed = page.get_by_role("textbox", name="Questions and their possible answers, one question a line")
    typed.fill("smokes: no, yes\nregion: north, south, east")
    typed.press("Control+Enter")
    settled(page)

    clicks = []
    press = pressing(page, clicks)
    press(page.get_by_role("link", name="Collect", exact=True).first)
    expect(page.get_by_role("heading", name="Collect", exact=True)).to_be_visible(timeout=LOADED)
    for label, text in (
        ("Title that respondents see", TITLE),
        ("Introduction", INTRODUCTION),
        ("smokes", "¿Fuma usted?"),
        ("region", "¿Dónde vive?"),
    ):
        field = page.get_by_role("textbox", name=label, exact=True).first
        field.fill(text)
        field.press("Tab")
        settled(page)
    clicks += [1, 1]  # the field and the language
    choose(
        page, page.get_by_role("combobox", name=re.compile("Language of the form")), page.get_by_role("option", name="Español")
    )
    press(page.locator(".st-key-earlier_region button:visible"))
    phone = page.frame_locator(".phone iframe")
    expect(phone.get_by_role("heading", name=TITLE)).to_be_visible(timeout=LOADED)
    expect(phone.locator("#answers legend")).to_have_text(["1. ¿Dónde vive?", "2. ¿Fuma usted?"])
    keep_picture(page, "survey-1-collect", full_page=True)
    press(page.get_by_role("link", name="Field", exact=True).first)
    expect(page.get_by_role("heading", name="Field", exact=True)).to_be_visible(timeout=LOADED)
    meant = page.get_by_text("This is what I want", exact=True)
    if meant.count():
        press(meant.first)
    log_before = len(clicks)
    clicks.append(1)
    page.get_by_role("button", name="Start this survey").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible(timeout=LOADED)
    settled(page)
    assert len(clicks) == log_before + 1 <= 8

    code = page.locator("[data-testid=stImage] img")
    expect(code).to_be_visible()
    (read,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(code.screenshot())))
    store = open_store(str(tmp_path / "salud-en-la-ciudad.survey"))
    assert read.text == served_of(store).address
    keep_picture(page, "survey-2-field")
    invitation = saved(page, "Invitation to print", tmp_path)
    printed = browser.new_page()
    printed.goto(invitation.as_uri())
    expect(printed.get_by_role("heading", name=TITLE)).to_be_visible()
    (again,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(printed.screenshot(full_page=True))))
    assert again.text == read.text
    printed.close()

    asked = answer(browser, read.text, 0, 1)
    assert asked == ["1. ¿Dónde vive?", "2. ¿Fuma usted?"]
    expect(page.get_by_text("1 answer in 1 day")).to_be_visible(timeout=LOADED)

    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible(timeout=LOADED)
    visitor = browser.new_page()
    visitor.goto(read.text)
    expect(visitor.get_by_text("Esta encuesta está en pausa")).to_be_visible()

    process.send_signal(signal.SIGKILL)  # the dashboard dies, and the survey goes on
    process.wait(30)
    served = served_of(store)
    assert fault_at(served, served.address) == ""
    page.close()
    _, url = dashboards()
    page = opened(browser, url)
    go(page, "Field")
    page.get_by_test_id("stBaseButton-primary").filter(has_text="Open").click()
    expect(page.get_by_text("Paused")).to_be_visible(timeout=LOADED)
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible(timeout=LOADED)
    settled(page)
    visitor.goto(read.text)
    expect(visitor.get_by_role("heading", name=TITLE)).to_be_visible()

    report = saved(page, "Report so far", tmp_path)
    assert TITLE in report.read_text(encoding="utf-8")
    page.get_by_text("Close the survey").click()
    page.get_by_text("No more answers are wanted: close it for good").click()
    page.get_by_role("button", name="Close it now").click()
    expect(page.get_by_text("Answers that come now are refused")).to_be_visible(timeout=LOADED)
    visitor.goto(read.text)
    expect(visitor.get_by_text("Esta encuesta está cerrada")).to_be_visible()
    page.get_by_role("button", name="Stop the server").click()
    expect(page.get_by_role("button", name="Stop the server")).to_have_count(0, timeout=LOADED)
    assert fault_at(served, served.own)
    keep_picture(page, "survey-3-closed", full_page=True)
