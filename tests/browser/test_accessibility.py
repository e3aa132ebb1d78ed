"""Every page, light and dark: it says what it should, fits its window and keeps the rules of axe-core; and the main job by keyboard alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from rrcore.budget import Plan
from tests.browser.steps import DESKTOP, LOADED, opened, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GRAVE = ("serious", "critical")


ASKED = {"resultTypes": ["violations"], "iframes": False}
OF_COLOURS = ASKED | {"runOnly": ["color-contrast", "link-in-text-block"]}
"""What may be at fault in one theme and not in the other."""


STILL = "* { transition: none !important; animation: none !important; }"


SHOWN = {
    "Synthesize": "a synthetic table is off by",
    "Key-value": "the whole of what is sent",
    "Release": "Demonstration table: a rehearsal",
    "Field": "No survey is open",
    "Read": "Choose the mechanism file and the collected answers",
    "Audit": "What this audit cannot see",
    "Ledger": "nobody's answers",
    "Papers": "Do the tables and figures that five papers print",
}
"""What the pages say that no other test in a browser opens."""


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_every_page_opens_and_fits_and_none_has_a_serious_fault_in_either_theme(browser: Browser, address: str, scheme: str):
    page = opened(browser, address, scheme=scheme)
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)
    page.add_style_tag(content=STILL)  # else colours are measured that are still on their way
    page.evaluate(Axe().axe_script)
    links = page.get_by_test_id("stSidebarUserContent").get_by_role("link")
    expect(links.nth(13)).to_be_visible(timeout=LOADED)
    found, seen = [], set()
    for i in range(links.count()):
        title = links.nth(i).inner_text()
        links.nth(i).click()
        if i:
            expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible(timeout=LOADED)
        settled(page)
        if title == "Collect":
            page.get_by_text("Details", exact=True).click()
            expect(page.get_by_text("Fingerprint of the file (SHA-256)")).to_be_visible(timeout=LOADED)
        if title in SHOWN:
            expect(page.get_by_text(SHOWN[title]).first).to_be_visible(timeout=LOADED)
            settled(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= DESKTOP["width"], title
            seen.add(title)
        beside = ["[data-testid='stSidebar']"] if i else []  # which is the same on every page
        if _faults(page, scheme, beside):  # a job that ended meanwhile had its button fade: what matters is what stays
            settled(page)
            found += [(title, *fault) for fault in _faults(page, scheme, beside)]
    assert not found
    assert seen == set(SHOWN)
    page.close()


def _faults(page: Page, scheme: str, beside: list[str]) -> list[tuple[str, str, str]]:
    asked = OF_COLOURS if scheme == "dark" else ASKED
    found = page.evaluate("([exclude, asked]) => axe.run({ exclude }, asked)", [beside, asked])["violations"]
    first = [(fault, fault["nodes"][0]) for fault in found if fault["impact"] in GRAVE]
    return [(fault["id"], node["html"][:200], node["failureSummary"]) for fault, node in first]


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


def test_the_main_job_is_done_by_keyboard_alone(browser: Browser, address: str, tmp_path: Path):
    """Start, Data, a level on Budget, another draw on Perturb, and a download: only Tab, Enter, Space and typing."""
    page = opened(browser, address)
    page.add_style_tag(content=STILL)
    expect(page.get_by_role("link", name="Papers", exact=True)).to_be_visible(timeout=LOADED)
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
    tab_to("Next: set the budget")
    page.keyboard.press("Enter")
    arrived("Budget")
    tab_to("Level of Sex")
    page.keyboard.type("1.5")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Level of Sex").locator("xpath=ancestor::tr")).to_contain_text("× 4.49", timeout=LOADED)
    expect(page.get_by_label("Level of Age")).to_be_focused()
    settled(page)
    tab_to("Perturb & estimate", "Shift+Tab")
    page.keyboard.press("Enter")
    arrived("Perturb & estimate")
    tab_to("Joint distribution of")
    page.keyboard.type("Survived")
    page.keyboard.press("Enter")
    expect(page.get_by_text("All 16 intervals").or_(page.get_by_text("of 16 intervals"))).to_be_visible(timeout=LOADED)
    settled(page)
    before = page.get_by_test_id("stMain").locator(".st-key-answer").inner_text()
    tab_to("Draw again")
    page.keyboard.press("Space")
    expect(page.locator(".st-key-answer")).not_to_have_text(before, timeout=LOADED)
    settled(page)
    tab_to("Plan (JSON)")
    with page.expect_download(timeout=LOADED) as download:
        page.keyboard.press("Enter")
    download.value.save_as(tmp_path / "plan.json")
    plan = Plan.from_json((tmp_path / "plan.json").read_text(encoding="utf-8"))
    assert plan.levels == (2.0, 1.5, 2.0, 2.0)
    assert unseen == set(), "these look the same with and without the focus"
    assert away == {""}, "these had the focus out of sight"
    page.close()
