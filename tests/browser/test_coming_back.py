"""F5, a link in the same tab and Undo in a real browser: the work is there again, and neither tab nor address keeps any secret."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import LOADED, opened, settled

pytestmark = [pytest.mark.browser, pytest.mark.long]

SURVEY = "planted column,age\n" + "planted answer,young\nno,old\nno,young\n" * 40


def shows(page: Page, text: str) -> None:
    expect(page.locator(".st-key-strip").get_by_text(text)).to_be_visible(timeout=LOADED)


def test_what_was_in_play_is_there_after_f5(browser, address):
    page = opened(browser, f"{address}/budget?seed=3", "Budget")
    shows(page, "Pair-safe")
    settled(page)
    page.get_by_label("People", exact=True).fill("700")
    page.get_by_label("People", exact=True).press("Enter")
    expect(page).to_have_url(re.compile(r"/budget\?table=titanic&seed=3&planned=700$"), timeout=LOADED)
    entries = page.evaluate("history.length")
    settled(page)
    page.get_by_role("button", name="Pin plan").click()
    expect(page.get_by_text("Pinned as 'Pair-safe'")).to_be_visible(timeout=LOADED)
    page.reload()
    shows(page, "planned for 700")
    settled(page)
    expect(page.get_by_role("spinbutton", name="People", exact=True)).to_have_value("700", timeout=LOADED)
    settled(page)
    assert page.evaluate("history.length") == entries
    page.get_by_role("link", name="Plans", exact=True).first.click()
    expect(page.get_by_label("Name of 'Pair-safe'")).to_be_visible(timeout=LOADED)

    page.goto(f"{address}/perturb?table=haireye")  # a link, followed in the same tab
    expect(page.get_by_text("Undo brings back what was in play before")).to_be_visible(timeout=LOADED)
    shows(page, "Hair and eye colour")
    settled(page)
    page.get_by_role("button", name="Undo").click()
    shows(page, "planned for 700")
    page.close()


def test_of_an_upload_the_tab_keeps_nothing_and_says_what_to_upload_again(browser, address):
    page = opened(browser, f"{address}/data", "Data")
    page.get_by_text("Upload a file", exact=True).click(timeout=LOADED)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload", exact=True).first.click()
    chooser.value.set_files([{"name": "mine.csv", "mimeType": "text/csv", "buffer": SURVEY.encode()}])
    shows(page, "mine")
    settled(page)
    kept = page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}, location.href, document.cookie])")
    assert "planted" not in kept.lower()
    page.reload()
    shows(page, "mine, to be uploaded again")
    settled(page)
    assert "mine" not in page.url
    page.close()
