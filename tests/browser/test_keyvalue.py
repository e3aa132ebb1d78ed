"""The page Key-value in a real browser; that every page opens and fits is seen in test_accessibility.py."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LOADED, opened, settled

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_question_about_ratings_is_answered_in_every_way(browser, address):
    page = opened(browser, f"{address}/keyvalue", "Key-value")
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
    page.close()
