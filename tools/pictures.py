"""Pictures of pages for the documents: ``python -m tools.pictures LINK``, the link with a token that ``rrcore app`` prints."""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import chromium_path
from tests.browser.steps import go, opened, settled

ROOT = Path(__file__).parents[1]
PAGES = ("Learn", "Data", "Budget", "Perturb & estimate", "Compare", "Release", "Collect", "Field", "Read", "Audit")
"""Pages in the navigation, each with a picture called by its first word; the first screen is one more."""

PRESSED = {"Field": "Try an invented survey", "Read": "Try a real survey"}
"""What fills a page that is empty at first."""


def main(link: str) -> None:
    """Write docs/assets/pictures/NAME.png anew."""
    folder = ROOT / "docs" / "assets" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        chromium.new_context().new_page().goto(link)
        page = opened(chromium, link.split("?")[0], size={"width": 1280, "height": 800})
        page.screenshot(path=folder / "start.png")
        for name in PAGES:
            go(page, name)
            if name in PRESSED:
                page.get_by_role("button", name=PRESSED[name]).click()
                settled(page)
            if name == "Learn":
                chapters = page.frame_locator("iframe")
                chapters.get_by_role("link", name="2 Accused").click()
                chapters.get_by_role("button", name="That is my guess").click()
            page.wait_for_timeout(3000)  # figures arrive after the page
            page.screenshot(path=folder / f"{name.split()[0].lower()}.png")
        chromium.close()


if __name__ == "__main__":
    main(sys.argv[1])
