"""The pages after Compare, opened by their links in a real browser: they show what they promise and fit their window."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

LOADED = 30_000
PAGES = {
    "Synthesize": "Cliques:",
    "Key-value": "exact level 1.00 nats",
    "Read": "Choose the mechanism file and the collected answers",
    "Audit": "Every probability written out",
    "Ledger": "nobody's answers",
}


def settled(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=LOADED)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_every_page_opens_and_fits(browser, address):
    page = browser.new_context(viewport={"width": 1360, "height": 900}).new_page()
    page.goto(address)
    expect(page.get_by_role("heading", name="RR Workbench")).to_be_visible(timeout=LOADED)
    settled(page)
    for title, text in PAGES.items():
        page.get_by_role("link", name=title, exact=True).first.click()
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible(timeout=LOADED)
        expect(page.get_by_text(text).first).to_be_visible(timeout=LOADED)
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 1360, title
    page.context.close()


def test_a_question_about_ratings_is_answered_in_every_way(browser, address):
    page = browser.new_context(viewport={"width": 1360, "height": 900}).new_page()
    page.goto(address)
    expect(page.get_by_role("heading", name="RR Workbench")).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_role("link", name="Key-value", exact=True).first.click()
    expect(page.get_by_text("exact level 1.00 nats")).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_label("Keys", exact=True).fill("3")
    page.get_by_label("Keys", exact=True).press("Enter")
    expect(page.get_by_text("100,000 users, 3 keys")).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_test_id("stButtonGroup").get_by_text("A question in words").click()
    expect(page.get_by_text("Of the users who rated key 2")).to_be_visible(timeout=LOADED)
    settled(page)
    expect(page.locator(".js-plotly-plot")).to_have_count(2, timeout=LOADED)
    page.context.close()
