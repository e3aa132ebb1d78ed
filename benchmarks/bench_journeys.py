"""Clicks and seconds of seven journeys through the dashboard, in a real browser. A field that is typed into counts as one click.

Seconds are from the first page being there to the last thing being there, hands included (none waits for anything but the page).
Needs Chromium. The limits are two thirds of what the journeys took before there was a first screen, an answer on every page and a link.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from playwright.sync_api import Locator, Page, expect, sync_playwright

from benchmarks.sizes import size
from rrcore.table import load_demo
from tests.browser.conftest import chromium_path, serving
from tests.browser.steps import LOADED, settled

LIMITS = {
    "upload to truth against estimate": 4,
    "teacher's show": 2,
    "declared plan to form": 26,
    "total and question to precision": 11,
    "upload to verdict": 3,
    "1 in 1,000 guessable to a plan": 4,
    "question to a running class poll": 8,
}
QUESTIONS = "violence: no, yes\nsex: female, male\nregion: north, south, east, west"


class Hand:
    """One visitor, who waits until the page has come to rest before the next click, and counts."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def click(self, place: Locator) -> None:
        self.clicks += 1
        place.first.click(timeout=LOADED)
        settled(self.page)

    def type(self, place: Locator, text: str) -> None:
        self.clicks += 1
        place.first.fill(text, timeout=LOADED)
        place.first.blur()
        self.page.wait_for_timeout(150)  # until the page hears of it
        settled(self.page)

    def save(self, place: Locator) -> Path:
        self.clicks += 1
        with self.page.expect_download(timeout=LOADED) as download:
            place.first.click(timeout=LOADED)
        return Path(download.value.path())

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    def link(self, name: str) -> Locator:
        return self.page.get_by_role("link", name=name)


def upload(hand: Hand, address: str, table: Path) -> None:
    """From a file to bars of truth and estimate, and the report of them."""
    open_table(hand, table)
    hand.click(hand.link("See truth and estimate"))
    expect(hand.page.locator(".js-plotly-plot").first).to_be_visible(timeout=LOADED)
    assert hand.save(hand.button("Report of this trial")).stat().st_size < 300_000


def open_table(hand: Hand, table: Path) -> None:
    hand.clicks += 1
    hand.page.get_by_label("A table with one row per person").locator("input[type=file]").set_input_files(table)
    expect(hand.page.get_by_text(table.stem).first).to_be_visible(timeout=LOADED)
    settled(hand.page)


def judge(hand: Hand, address: str, table: Path) -> None:
    """From a file to what stands between it and its release."""
    open_table(hand, table)
    hand.click(hand.link("Release"))
    expect(hand.page.get_by_text("Before it leaves")).to_be_visible(timeout=LOADED)


def keep_safe(hand: Hand, address: str, table: Path) -> None:
    """From a file to the plan under which one person in 1,000 can be guessed."""
    open_table(hand, table)
    hand.click(hand.link("Budget"))
    hand.click(hand.page.get_by_text("How safe?", exact=True))
    hand.clicks += 1
    allowed = hand.page.get_by_role("slider", name="Make it safer: at most")
    for _ in range(3):  # from 10 to 1
        allowed.press("ArrowRight")
    settled(hand.page)
    expect(hand.page.get_by_text("with 95 % certainty").first).to_be_visible(timeout=LOADED)
    expect(hand.button("Use these levels")).to_have_count(0, timeout=LOADED)  # levels have followed


def teach(hand: Hand, address: str, table: Path) -> None:
    """A link that shows the idea on the projector, and one slider moved."""
    hand.page.goto(address)
    expect(hand.page.get_by_role("slider").first).to_be_visible(timeout=LOADED)
    settled(hand.page)
    hand.clicks += 1
    hand.page.get_by_role("slider").first.press("ArrowRight")
    settled(hand.page)


def declare(hand: Hand, address: str, table: Path) -> None:
    """From nothing but three questions to the form that asks them."""
    hand.click(hand.button("Declare the questions"))
    hand.type(hand.page.get_by_role("textbox", name="Questions and their possible answers"), QUESTIONS)
    hand.type(hand.page.get_by_role("spinbutton", name="People expected to answer"), "1500")
    hand.click(hand.link("Next: set the budget"))
    hand.click(hand.link("Next: collect answers"))
    hand.click(hand.page.get_by_text("This is what I want"))
    assert "violence" in hand.save(hand.button("Download form")).read_text(encoding="utf-8")


def afford(hand: Hand, address: str, table: Path) -> None:
    """From a total and one question to the precision, and the plan."""
    hand.click(hand.button("Declare the questions"))
    hand.type(hand.page.get_by_role("textbox", name="Questions and their possible answers"), QUESTIONS)
    hand.click(hand.link("Next: set the budget"))
    hand.click(hand.page.get_by_text("One total, and what matters more", exact=True))
    hand.type(hand.page.get_by_role("spinbutton", name="Total for the whole record"), "3")
    hand.click(hand.page.get_by_text("How precise?", exact=True))
    expect(hand.page.get_by_text("every share of violence × sex is within")).to_be_visible(timeout=LOADED)
    hand.save(hand.button("Download plan"))


def poll(hand: Hand, address: str, table: Path) -> None:
    """From the first screen to a poll that phones can open, on this computer alone; two of the clicks are fields."""
    hand.click(hand.link("Learn"))
    hand.click(hand.page.get_by_text("Class poll", exact=True))
    hand.type(hand.page.get_by_role("textbox", name="Question", exact=True), "Have you ever copied in an exam?")
    hand.type(hand.page.get_by_role("spinbutton", name="People in the class"), "24")
    hand.click(hand.page.get_by_text("Answers, language, and how phones reach it"))
    hand.click(hand.page.get_by_text("This computer only, to try it out"))
    hand.click(hand.button("Start the poll"))
    expect(hand.button("End the poll")).to_be_visible(timeout=LOADED)
    hand.button("End the poll").click()
    expect(hand.button("New poll")).to_be_visible(timeout=LOADED)


JOURNEYS: dict[str, Callable[[Hand, str, Path], None]] = dict(
    zip(LIMITS, (upload, teach, declare, afford, judge, keep_safe, poll), strict=True)
)


def main() -> int:
    missed = 0
    with tempfile.TemporaryDirectory() as folder, serving() as address, sync_playwright() as playwright:
        table = Path(folder) / "survey.csv"
        table.write_text(load_demo("census").to_csv(), encoding="utf-8")
        if len(sys.argv) > 1:
            table = Path(sys.argv[1])
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        for name, journey in list(JOURNEYS.items())[: size(len(JOURNEYS), 1)]:
            page = browser.new_context(accept_downloads=True).new_page()
            page.goto(address)
            expect(page.get_by_role("button", name="Declare the questions")).to_be_visible(timeout=LOADED)
            settled(page)
            hand, start = Hand(page), perf_counter()
            journey(hand, address, table)
            missed += hand.clicks > LIMITS[name]
            print(f"{name}: {hand.clicks} clicks (at most {LIMITS[name]}), {perf_counter() - start:.1f} s")
            page.context.close()
        browser.close()
    return missed


if __name__ == "__main__":
    raise SystemExit(main())
