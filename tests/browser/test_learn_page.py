"""The page Learn in a real browser: the chapters in its frame, with one's own question, and as a file to hand out."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rrcore.learn import lesson
from tests.browser.steps import go, settled
from tests.browser.test_lesson_in_browser import resting

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_the_chapters_have_ones_own_question_and_are_given_away(tab: Page, tmp_path: Path):
    go(tab, "Learn")
    field = tab.get_by_role("textbox", name="Sensitive question for the chapters")
    field.fill("Have you ever lied in a survey?")
    field.press("Enter")
    settled(tab)
    frame = tab.frame_locator("iframe")
    frame.get_by_role("link", name="2 Accused").click()
    expect(frame.locator("#chapter-2 .ask")).to_contain_text("Have you ever lied in a survey?")
    frame.get_by_role("button", name="Check my guess").click()
    expect(frame.locator("#found")).to_contain_text("25 of 100")
    assert frame.locator("#chapter-2 .onward a").get_attribute("href") == "/?unchanged=75&asked=2,201"
    expect(tab.frames[1].locator("html")).to_have_attribute("data-theme", "light")
    with tab.expect_download() as saving:
        tab.get_by_role("button", name="Download chapters").click()
    saving.value.save_as(tmp_path / "learn.html")
    assert (tmp_path / "learn.html").read_text(encoding="utf-8") == lesson("Have you ever lied in a survey?")
    with tab.context.expect_page() as opening:
        tab.get_by_role("link", name="Open in a new tab").click()
    resting(opening.value)
    settled(tab)
    opening.value.close()
