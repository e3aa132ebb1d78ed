"""What every browser test does: open the app, wait until a page has come to rest, follow a link, save a file."""

from __future__ import annotations

import secrets
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlparse

from playwright.sync_api import Browser, BrowserContext, Download, Locator, Page, TimeoutError, ViewportSize, expect

DESKTOP: ViewportSize = {"width": 1360, "height": 900}
AT_REST = {"viewport": DESKTOP, "reduced_motion": "reduce"}
"""Context of a window in which nothing moves for show: that took a fifth of what a browser needs to open a page."""
START = "Protect every answer, and still learn the percentages"
LOADED = 60_000
"""Milliseconds that a page may take."""


_FORBIDDEN = """
window.forbidden = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.forbidden.push([event.violatedDirective, event.blockedURI, event.sourceFile].join(" ")));
"""


_TOKEN = secrets.token_urlsafe(32)


@cache
def state_home() -> str:
    """The directory of the token, for the servers that these tests start."""
    folder = Path(tempfile.mkdtemp())
    (folder / "rr-workbench").mkdir(mode=0o700)
    place = folder / "rr-workbench" / "token"
    place.touch(mode=0o600)
    place.write_text(_TOKEN, encoding="ascii")
    return str(folder)


def let_in(context: BrowserContext, address: str) -> None:
    """Have a browser be one that opened the link of that server."""
    port = urlparse(address).port
    context.add_cookies([{"name": f"rr_workbench_{port}", "value": _TOKEN, "url": f"http://localhost:{port}"}])


def settled(page: Page) -> None:
    """Wait until the script has run to its end; no page shows an exception, and none did what the server's headers forbid."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=LOADED)
    assert page.get_by_test_id("stException").all_inner_texts() == []
    assert page.evaluate("window.forbidden ?? []") == []


def opened(
    browser: Browser,
    address: str,
    title: str = START,
    *,
    hosts: list[str] | None = None,
    size: ViewportSize = DESKTOP,
    scheme: Literal["light", "dark"] = "light",
) -> Page:
    """A page of the app by its address and heading, in a tab and session of its own. Every host that is asked for anything is added to
    ``hosts``."""
    page = browser.contexts[0].new_page()
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    page.add_init_script(_FORBIDDEN)
    asked = [] if hosts is None else hosts
    page.on("request", lambda request: asked.append(urlparse(request.url).hostname or ""))
    arrive(page, address, title)
    return page


def arrive(page: Page, address: str, title: str = START) -> None:
    """Begin a session in a tab, at the page of that address and heading, with the first demo table unless the address says another."""
    let_in(page.context, address)
    if page.url != "about:blank":
        page.evaluate("sessionStorage.clear()")
    page.goto(address if "table=" in address else f"{address}{'&' if '?' in address else '?'}table=titanic")
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible(timeout=LOADED)
    settled(page)


def go(page: Page, title: str) -> None:
    """Follow the link to a page, which has the same heading."""
    page.get_by_role("link", name=title, exact=True).first.click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible(timeout=LOADED)
    settled(page)


def choose(page: Page, field: Locator, option: Locator) -> None:
    """Open the list of a field and take an option. A run that was on its way closes the list again, at any moment: a user presses again."""
    until = time.monotonic() + LOADED / 1000
    while True:
        if not option.count():
            field.click()
        try:
            option.click(timeout=2_000)
        except TimeoutError:
            assert time.monotonic() < until
            settled(page)
        else:
            return settled(page)


def saved(page: Page, button: str, folder: Path) -> Path:
    """The file that a download button gives, the first of this name."""
    try:
        download = _pressed(page, button, 10_000)
    except TimeoutError:  # a run that was on its way replaced the button under the press: a user presses again
        settled(page)
        download = _pressed(page, button, LOADED)
    path = folder / download.suggested_filename
    download.save_as(path)
    return path


def _pressed(page: Page, button: str, patience: float) -> Download:
    with page.expect_download(timeout=patience) as downloaded:
        page.get_by_role("button", name=button).first.click()
    return downloaded.value


def to_questions(page: Page) -> None:
    """From the first screen of a form to its questions, past whatever stands before them."""
    page.locator("#start").click()
    if page.locator("#practice").count():
        page.locator("#practice [data-go='1']").click()
    expect(page.locator("#questions")).to_be_visible()


def give(page: Page, *codes: int) -> None:
    """The answers of a form, one question after the other as it asks them, each by the number of its category."""
    for place, code in enumerate(codes):
        group = page.locator("#answers fieldset, #answers .question").nth(place)
        if group.locator("select").count():
            group.locator("select").select_option(str(code))
        else:
            group.locator(f"input[value='{code}']").check()
        if page.locator("#onward").is_visible():
            page.locator("#onward").click()
