"""Take the pictures of the documents: ``python -m tools.pictures``, with Chromium."""

import subprocess
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests import programs
from tests.browser.conftest import serving
from tests.browser.steps import go, let_in, settled

FOLDER = Path(__file__).parents[1] / "docs" / "assets" / "pictures"
LINKS = {
    "budget": "budget?table=census",
    "simulate": "simulate?table=titanic",
    "release": "budget?table=titanic",
    "survey": "budget?table=titanic",
    "analyze": "analyze",
    "learn": "learn",
}
"""Name of a picture -> address that leads to its page."""


def _fill(page: Page, name: str) -> None:
    """Go on to the page, and press what fills it if it is empty at first."""
    if name in ("release", "survey"):
        go(page, name.capitalize())
    elif name == "analyze":
        page.get_by_role("button", name="Try a real survey").click()
        settled(page)
    elif name == "learn":
        page.frame_locator("iframe").get_by_role("link", name="2 Accused").click()


def main() -> None:
    """Write docs/assets/pictures/NAME.png."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with serving(**quiet) as url, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=programs.chromium(), args=["--no-sandbox"])
        context = chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        let_in(context, url)
        for name, link in LINKS.items():
            page = context.new_page()
            page.goto(f"{url}/{link}")
            settled(page)
            _fill(page, name)
            page.wait_for_timeout(5000)  # figures arrive after the page
            page.screenshot(path=FOLDER / f"{name}.png")
            page.close()
        chromium.close()


if __name__ == "__main__":
    main()
