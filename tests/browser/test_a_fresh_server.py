"""The first page that a server shows. Of the files here this is the first by name, so that the server of all the others is still fresh."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.steps import LOADED, opened, settled

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_link_into_a_page_of_a_fresh_server_opens_its_tab(browser: Browser, fresh_address: str):
    page = opened(browser, f"{fresh_address}/budget?table=titanic&budget_tab=What-if", "Budget")
    expect(page.get_by_role("heading", name="Assumptions")).to_be_visible(timeout=LOADED)
    settled(page)
    expect(page.get_by_role("dialog")).to_have_count(0)  # no "Page not found" before it
    expect(page.get_by_text("Help agents write better apps")).to_have_count(0)  # nor a card of Streamlit's own
    page.close()
