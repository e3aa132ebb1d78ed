"""Every page, light and dark, by the rules of axe-core; and the main job by keyboard alone."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.browser.steps import LOADED, opened, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GRAVE = ("serious", "critical")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_fault(browser: Browser, address: str, scheme: str):
    page = opened(browser, address, color_scheme=scheme)
    links = page.get_by_test_id("stSidebarUserContent").get_by_role("link")
    expect(links.nth(13)).to_be_visible(timeout=LOADED)
    found = []
    for i in range(links.count()):
        title = links.nth(i).inner_text()
        links.nth(i).click()
        if i:
            expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible(timeout=LOADED)
        settled(page)
        for fault in Axe().run(page).response["violations"]:
            if fault["impact"] in GRAVE:
                found.append((title, fault["id"], fault["nodes"][0]["html"][:200], fault["nodes"][0]["failureSummary"]))
    assert not found
