"""The server is killed, or the page reloaded, while a table is loaded: the tab says so, offers the upload, and shows no other table."""

from __future__ import annotations

import re
import signal
import subprocess

import psutil
import pytest
from playwright.sync_api import Page, expect

from pages.shared.browser_tab import RELOADED, RESTARTED
from tests.browser.conftest import serving
from tests.browser.steps import LOADED, let_in, opened, settled
from tests.ports import free_port

pytestmark = [pytest.mark.browser, pytest.mark.long]

SURVEY = "planted column,age\n" + "planted answer,young\nno,old\nno,young\n" * 40
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def upload(page: Page) -> None:
    expect(page.get_by_text("A table with one row per person")).to_be_visible(timeout=LOADED)
    settled(page)
    page.locator("input[type=file]").first.set_input_files(
        [{"name": "mine.csv", "mimeType": "text/csv", "buffer": SURVEY.encode()}]
    )
    expect(page.locator(".st-key-header")).to_contain_text("mine", timeout=LOADED)
    settled(page)


def lost(page: Page, sentence: str) -> None:
    """The tab says that its table is gone, and nothing else is in use."""
    expect(page.get_by_text(sentence)).to_be_visible(timeout=LOADED)
    expect(page.locator(".st-key-header")).not_to_contain_text("people")
    settled(page)


def test_a_tab_whose_server_was_killed_offers_the_upload(browser):
    port = free_port()
    with serving(port=port, **QUIET) as address:
        page = opened(browser, f"{address}/data", "Data")
        expect(page.get_by_role("dialog")).to_have_count(0)  # no "Page not found" on a fresh server, nor a card of Streamlit's
        upload(page)
        kept = page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}, location.href])")
        assert "planted" not in kept.lower()
        assert "mine" not in kept
        (server,) = [each for each in psutil.Process().children() if str(port) in each.cmdline()]
        server.send_signal(signal.SIGKILL)
        server.wait(30)
    with serving(port=port, **QUIET):
        lost(page, RESTARTED)
        page.get_by_role("button", name="Upload the table again").click()
        expect(page.get_by_text("A table with one row per person")).to_be_visible(timeout=LOADED)
        settled(page)
        upload(page)
        expect(page.get_by_text(RESTARTED)).to_have_count(0)
    page.close()


def test_a_reloaded_tab_offers_the_upload_until_there_is_a_table(browser, address):
    page = opened(browser, f"{address}/data", "Data")
    upload(page)
    for _ in range(2):
        page.reload()
        lost(page, RELOADED)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Budget", exact=True).click()
    page.get_by_role("button", name="Open it").click(timeout=LOADED)
    expect(page.locator(".st-key-header")).to_contain_text("Titanic", timeout=LOADED)
    expect(page.get_by_text(RELOADED)).to_have_count(0)
    page.reload()  # the link in the address opens the demo table again
    expect(page.locator(".st-key-header")).to_contain_text("Titanic", timeout=LOADED)
    settled(page)
    page.close()


def test_a_browser_without_the_link_is_shown_how_to_get_in(browser, address):
    page = browser.new_context().new_page()
    page.goto(f"{address}/budget")
    expect(page.get_by_role("heading", name="Open RR Workbench with its link")).to_be_visible(timeout=LOADED)
    let_in(page.context, address)
    page.reload()
    expect(page.get_by_text("Choose a table first")).to_be_visible(timeout=LOADED)
    page.get_by_role("button", name="Open it").click()
    expect(page).to_have_url(re.compile(r"/budget\?table=titanic$"), timeout=LOADED)
    page.close()
