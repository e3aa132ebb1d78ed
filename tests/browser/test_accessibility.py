"""The main job by keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.steps import LOADED, opened, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]


STILL = "* { transition: none !important; animation: none !important; }"


LOOK = """() => {
  const looks = (element) => {
    const around = [];
    for (let e = element, level = 0; e instanceof Element && level < 9; e = e.parentElement, level++) {
      around.push(e, ...(level < 3 ? (e.parentElement?.children ?? []) : []), ...(level ? [] : e.children));
    }
    return around.map((e) => {
      const { outline, boxShadow, borderColor, backgroundColor, color } = getComputedStyle(e);
      return [outline, boxShadow, borderColor, backgroundColor, color].join();
    }).join(";");
  };
  let now = document.activeElement;
  while (now?.shadowRoot?.activeElement) now = now.shadowRoot.activeElement;
  const name = (now.getAttribute("aria-label") || now.innerText || "").trim().split("\\n").pop();  // an icon's name comes first
  const unseen = [];
  window.rrLeft = (window.rrLeft ?? []).filter(({ element, looked, named }) => {
    const box = element.closest('[data-testid="stMultiSelect"]') ?? element;  // which is framed while the focus is anywhere in it
    if (box.contains(now)) return true;
    if (element.isConnected && looked === looks(element)) unseen.push(named);
    return false;
  });
  if (now !== document.body) window.rrLeft.push({ element: now, looked: looks(now), named: `${now.tagName} ${name}` });
  const { top, bottom } = now.getBoundingClientRect();
  return { name, unseen, away: bottom < 0 || top > innerHeight };
}"""
"""The name of what has the focus, whether it is out of sight, and what has lost the focus but looks as it did with it."""


def test_the_main_job_is_done_by_keyboard_alone(browser: Browser, address: str):
    """Start, Data, an ε on Budget, another draw on Simulate: only Tab, Enter, Space and typing."""
    page = opened(browser, f"{address}/?table=titanic")
    page.add_style_tag(content=STILL)
    expect(page.get_by_role("link", name="Lab", exact=True)).to_be_visible(timeout=LOADED)
    settled(page)
    unseen, away = set(), set()

    def tab_to(name: str, key: str = "Tab") -> None:
        for _ in range(60):
            page.keyboard.press(key)
            focus = page.evaluate(LOOK)
            unseen.update(focus["unseen"])
            away.add(focus["name"] if focus["away"] else "")
            if focus["name"] == name:
                return
        pytest.fail(f"60 times {key} did not lead to '{name}'")

    def arrived(title: str) -> None:
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible(timeout=LOADED)
        settled(page)

    tab_to("Data")
    page.keyboard.press("Enter")
    arrived("Data")
    tab_to("Set the budget")
    page.keyboard.press("Enter")
    arrived("Budget")
    tab_to("ε of Sex")
    page.keyboard.type("1.5")
    page.keyboard.press("Enter")
    expect(page.get_by_label("ε of Sex").locator("xpath=ancestor::tr")).to_contain_text("82%", timeout=LOADED)
    expect(page.get_by_label("ε of Age")).to_be_focused()
    settled(page)
    tab_to("Simulate", "Shift+Tab")
    page.keyboard.press("Enter")
    arrived("Simulate")
    tab_to("Joint distribution of")
    page.keyboard.type("Survived")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-answer")).to_contain_text("of 16", timeout=LOADED)
    settled(page)
    before = page.locator(".st-key-answer").inner_text()
    tab_to("Randomize again")
    page.keyboard.press("Space")
    expect(page.locator(".st-key-answer")).not_to_have_text(before, timeout=LOADED)
    settled(page)
    assert unseen == set(), "these look the same with and without the focus"
    assert away == {""}, "these had the focus out of sight"
    page.close()
