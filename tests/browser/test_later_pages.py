"""The pages after Compare, opened by their links in a real browser: they show what they promise and fit their window."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LOADED, go, opened, settled

pytestmark = pytest.mark.browser

PAGES = {
    "Synthesize": "a synthetic table is off by",
    "Key-value": "the whole of what is sent",
    "Release": "so this is a rehearsal",
    "Field": "No survey is open",
    "Read": "Choose the mechanism file and the collected answers",
    "Audit": "What this audit cannot see",
    "Ledger": "nobody's answers",
    "Papers": "Do the tables and figures that five papers print",
}


def test_every_page_opens_and_fits(browser, address):
    page = opened(browser, address)
    for title, text in PAGES.items():
        go(page, title)
        expect(page.get_by_text(text).first).to_be_visible(timeout=LOADED)
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 1360, title
    page.context.close()


def test_a_question_about_ratings_is_answered_in_every_way(browser, address):
    page = opened(browser, address)
    go(page, "Key-value")
    expect(page.get_by_text("the whole of what is sent")).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_label("Keys", exact=True).fill("3")
    page.get_by_label("Keys", exact=True).press("Enter")
    expect(page.get_by_text("100,000 users, 3 keys")).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_text("A question in words").click()
    expect(page.get_by_text("Of the users who rated key 2")).to_be_visible(timeout=LOADED)
    settled(page)
    expect(page.locator(".js-plotly-plot")).to_have_count(3, timeout=LOADED)
    page.context.close()
