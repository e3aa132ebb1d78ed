"""Words of the first screen of every page, against a limit: what can be read at 1280 x 720 pixels outside of navigation, strip and figures.

With a FOLDER, pictures of all pages are kept there for looking at, as a whole: at 1280, 800 and 390 pixels, light and dark.
Usage: python benchmarks/bench_screens.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import sleep

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.sizes import size
from tests.browser.conftest import chromium_path, serving
from tests.browser.steps import LOADED, settled

LIMIT, SCREEN = 120, {"width": 1280, "height": 720}
PAGES = size(
    [
        "",
        "learn",
        "data",
        "budget",
        "plans",
        "perturb",
        "dependence",
        "collect",
        "release",
        "field",
        "read",
        "models",
        "audit",
        "ledger",
        "compare",
        "synthesize",
        "keyvalue",
        "papers",
    ],
    ["budget"],
)
WIDTHS, SCHEMES, WAIT = (1280, 800, 390), ("light", "dark"), size(1.5, 0.1)
APART = ".st-key-strip, .rr-figure, style, script"

VISIBLE = """(apart) => {
  const read = [], walk = document.createTreeWalker(document.querySelector('[data-testid="stMain"]'), NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const parent = node.parentElement, range = document.createRange();
    if (parent.closest(apart) || getComputedStyle(parent).fontFamily.includes("Material Symbols")) continue;
    if (!parent.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    for (const word of node.data.matchAll(/[^ \\s]*[\\p{L}\\p{N}][^ \\s]*/gu)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const { top, bottom, width } = range.getBoundingClientRect();
      if (width > 1 && bottom > 0 && top < innerHeight) read.push(word[0]);
    }
  }
  return read;
}"""


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        more = {name for name in PAGES if words(browser, address, name) > LIMIT}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            for scheme in SCHEMES:
                for name in PAGES:
                    look(browser, address, name, scheme, folder)
    return int(bool(more))


def opened(browser: Browser, address: str, name: str, **context: object) -> Page:
    """A page in a fresh session, at rest."""
    page = browser.new_context(viewport=SCREEN, reduced_motion="reduce", **context).new_page()
    page.goto(f"{address}/{name}")
    expect(page.locator("h1").first).to_be_visible(timeout=LOADED)
    settled(page)
    for working in ("stSkeleton", "stProgress"):  # what a page still works out may be most of its words
        expect(page.get_by_test_id(working)).to_have_count(0, timeout=LOADED)
    sleep(WAIT)
    return page


def words(browser: Browser, address: str, name: str) -> int:
    """Words of the first screen, printed as a part of the limit."""
    page = opened(browser, address, name)
    read = page.evaluate(VISIBLE, APART)
    page.context.close()
    print(f"{name or 'start'}: {len(read)} of {LIMIT} words")
    return len(read)


def look(browser: Browser, address: str, name: str, scheme: str, folder: Path) -> None:
    """Pictures of a page as a whole."""
    page = opened(browser, address, name, color_scheme=scheme)
    for width in WIDTHS:
        page.set_viewport_size(SCREEN | {"width": width})
        sleep(WAIT)
        whole = page.evaluate("document.querySelector('.stMainBlockContainer').getBoundingClientRect().height") + 20
        page.set_viewport_size({"width": width, "height": max(int(whole), SCREEN["height"])})
        sleep(WAIT)
        settled(page)
        page.screenshot(path=folder / f"{name or 'start'}-{width}-{scheme}.png")
    page.context.close()


if __name__ == "__main__":
    sys.exit(main())
