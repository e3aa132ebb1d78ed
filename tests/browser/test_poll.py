"""A class poll in a real browser: from the first screen to the wall, phones over plain http, and what they send."""

from __future__ import annotations

import io
import json
import re
import subprocess
import urllib.request
from urllib.parse import urlsplit

import pytest
import zxingcpp
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import expect

from rrcore.receiver.launch import address_in_network
from rrcore.receiver.poll import running_polls
from tests.browser.conftest import serving
from tests.browser.steps import LOADED, opened, settled
from tests.browser.test_survey import PHONE

pytestmark = pytest.mark.browser

QUESTION = "Have you ever copied in an exam?"


@pytest.fixture
def dashboard(tmp_path, monkeypatch):
    """A dashboard whose polls are in this test's folder."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with serving(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as url:
        yield url
    for poll in running_polls():
        poll.end()


def faults(page):
    """What axe-core finds serious or critical on the page as it stands."""
    page.evaluate(Axe().axe_script)
    found = page.evaluate("() => axe.run({ resultTypes: ['violations'], iframes: false })")["violations"]
    return [(each["id"], each["nodes"][0]["html"][:200]) for each in found if each["impact"] in ("serious", "critical")]


def phone(browser, address, code):
    """Somebody gives the answer of that number; what their phone has sent, and whether its page came by a way that browsers call secure."""
    context = browser.new_context(viewport=PHONE)
    page, sent = context.new_page(), []
    page.on("request", lambda request: sent.append(request.post_data) if request.method == "POST" else None)
    page.goto(address)
    secure, form_text = page.evaluate("isSecureContext"), page.locator("main").inner_text()
    page.locator("#start").click()
    for name in ("practice",):  # what may stand before the questions
        if page.locator(f"#{name}").count():
            page.locator(f"#{name} [data-go='1']").click()
    page.locator(f"#answers input[value='{code}']").first.check()
    if page.locator("#onward").is_visible():
        page.locator("#onward").click()
    page.locator("#randomize").click()
    page.locator("#send").click()
    expect(page.locator("#status")).to_contain_text(urlsplit(address).netloc, timeout=LOADED)
    shown = page.locator("#released").inner_text()
    context.close()
    return sent, secure, form_text, shown


@pytest.mark.long
def test_a_running_poll_takes_three_clicks_and_one_field(browser, dashboard, tmp_path):
    page = opened(browser, dashboard)
    clicks, fields = [], []

    def press(what):
        clicks.append(1)
        what.first.click()
        settled(page)

    def fill(what, text):
        fields.append(1)
        what.fill(text)
        what.press("Tab")
        settled(page)

    press(page.get_by_role("link", name="Start a class poll"))
    fill(page.get_by_role("textbox", name="Question for the class"), QUESTION)
    assert faults(page) == []
    here = not address_in_network()
    if not here:
        press(page.get_by_text("Phones in this room"))
    press(page.get_by_role("button", name="Start the poll"))
    expect(page.get_by_role("button", name="End the poll")).to_be_visible(timeout=LOADED)
    settled(page)
    assert len(clicks) <= 3
    assert len(fields) == 1

    (poll,) = running_polls()
    (read,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(page.locator("[data-testid=stImage] img").screenshot())))
    assert read.text == poll.served.address
    assert faults(page) == []

    for code in (1, 0, 0):
        sent, secure, form_text, shown = phone(browser, read.text, code)
        assert secure == here
        assert ("Someone who controls this network could have changed it" in form_text) != here
        (line,) = map(json.loads, sent)  # and nothing else left the phone
        assert line["answers"]["answer"] in shown
        assert set(line) == {"mechanism", "answers", "receipt"}
    expect(page.get_by_text("3 of 30 have answered")).to_be_visible(timeout=LOADED)

    page.get_by_role("button", name="Show full screen").click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden(timeout=LOADED)
    settled(page)
    mechanism = poll.store.mechanism.sha256
    for i in range(28):  # one more than the class has people: the wall warns of it
        body = json.dumps({"mechanism": mechanism, "answers": {"answer": "no" if i % 3 else "yes"}, "receipt": f"{i:064x}"})
        request = urllib.request.Request(f"{read.text}/answers", body.encode(), {"Content-Type": "application/json"})
        assert urllib.request.urlopen(request, timeout=30).status == 200
    expect(page.get_by_text("31 of 30 have answered")).to_be_visible(timeout=LOADED)
    expect(page.get_by_text("31 answers came from a class of 30")).to_be_visible(timeout=LOADED)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function("(main => main.scrollHeight <= main.clientHeight)(document.querySelector('[data-testid=stMain]'))")
    bars = page.get_by_role("img", name=re.compile(r"no: \d+.*; yes: \d+"))
    expect(bars).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert faults(page) == []

    page.get_by_role("button", name="Leave full screen").click()
    settled(page)
    page.get_by_role("button", name="End the poll").click()
    expect(page.get_by_text("The poll has ended")).to_be_visible(timeout=LOADED)
    settled(page)
    assert list(tmp_path.glob("rr-poll-*")) == []
    assert faults(page) == []
    page.close()
