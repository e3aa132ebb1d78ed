"""Files of every kind of outcome, chosen on the page Data in a real Chromium: each ends as stated, and the page goes on.

One session chooses one file after another, as a steward would who does not give up. What the page asks is answered.
"""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Page, expect

from rrcore.wording import counted
from tests.browser.conftest import serving
from tests.browser.steps import LOADED, opened, settled
from tests.hostile.cases import CASES, Case

pytestmark = [
    *(pytest.mark.browser, pytest.mark.slow, pytest.mark.long),
    pytest.mark.skipif(sys.platform != "linux", reason="Linux tells the peaks"),
]

GROWTH = 100
"""Most megabytes that all small files together leave with the server."""

OUTCOME = """([name, pressed]) => {
  const all = (within) => [...document.querySelectorAll(within)];
  const buttons = all('[data-testid="stMainBlockContainer"] button p').map((each) => each.innerText);
  return all('[data-testid="stAlertContentError"]').length > 0
    || all(".st-key-strip").some((strip) => strip.innerText.replaceAll("\u00a0", " ").startsWith(`${name} · `))
    || (!buttons.includes(pressed) && buttons.some((each) => each.startsWith("Keep '")));
}"""
"""Whether a file was refused, is in play, or is asked about in another question than the one that was answered: before, none of them."""
ONE_A_LINE = """(wanted) => {
  const lists = document.querySelectorAll('textarea[aria-label^="Categories, one per line"]');
  return lists.length === 1 && lists[0].value.split("\\n").sort().join("\\n") === wanted;
}"""
BUTTONS = """() => [...document.querySelectorAll('[data-testid="stMainBlockContainer"] button:enabled p')].map((each) => each.innerText)"""

CHOSEN = (
    *("utf-16", "quotes in quotes", "two rows that do not fit", "the same, left out", "no row that fits", "a zero byte"),
    *("rows twice are people", "cells far apart", "200 columns of 4 MB", "lists", "nothing but lists", "huge integers"),
    *("lookalikes stay apart", "hidden spaces stay", "turned around", "marks of one letter"),
    *("formulas are texts", "markup is text"),
    *("a packed gigabyte", "200 columns of 390 MB", "shared strings, a million and a half"),
    *("a dictionary of one text of 70 MB", "one text of 60 MB"),
)
"""One of each way in which a file is refused, asked about or shown, and those that take most memory. Of the others only what the library says
differs: it reads them all, and a command all that are quick (``tests/hostile/test_tables.py``)."""

POSSIBLE = "Possible answers, one question a line"
WANTED = "Use this table"
"""What a steward presses who wants the table."""


class Desk:
    """A steward at the page Data, with a server of its own."""

    def __init__(self, page: Page, folder: Path, server: psutil.Process) -> None:
        self.page, self.folder, self.server = page, folder, server
        self.chosen, self.first = 0, server.memory_info().rss
        self.main = page.get_by_test_id("stMainBlockContainer")
        self.strip = page.locator(".st-key-strip")
        page.get_by_text("Upload a file", exact=True).click()
        expect(page.get_by_text("Until a file is read")).to_be_visible(timeout=LOADED)
        settled(page)

    def _ended(self, name: str, pressed: str = "") -> None:
        self.page.wait_for_function(OUTCOME, arg=[name, pressed], timeout=3 * LOADED, polling=250)
        settled(self.page)

    def choose(self, content: bytes) -> str:
        """Choose a file, and wait for what the page says; gives the name of the file."""
        self.chosen += 1
        place = self.folder / f"file {self.chosen}."
        place.write_bytes(content)
        self.page.locator("input[type=file]").first.set_input_files(place)
        self._ended(place.name)
        place.unlink()
        return place.name

    def answer(self, name: str) -> None:
        """Answer what the page asks, so that the table can be used if it was read."""
        if WANTED in self.page.evaluate(BUTTONS):
            given = self.page.get_by_role("textbox", name=POSSIBLE)
            if given.count():
                given.fill("\n".join(f"{line}, other" for line in given.input_value().split("\n")))
            self.main.get_by_role("button", name=WANTED, exact=True).click()
            self._ended(name, WANTED)

    def take_back(self) -> None:
        """Leave the table in play as it is; what was said of the file goes."""
        if any(button.startswith("Keep '") for button in self.page.evaluate(BUTTONS)):
            self.main.get_by_role("button", name="Keep '").click()
        else:
            self.page.get_by_test_id("stFileChipDeleteBtn").get_by_role("button").click()
        expect(self.page.get_by_test_id("stAlertContentError")).to_have_count(0, timeout=LOADED)
        expect(self.main.get_by_role("button", name="Keep '")).to_have_count(0, timeout=LOADED)
        settled(self.page)

    @property
    def in_play(self) -> str:
        """Which table is in play, its people, attributes and mechanism."""
        return self.strip.inner_text().partition("\n")[0]

    @property
    def growth(self) -> float:
        """Megabytes that the server has taken since the page was opened, and not given back."""
        return (self.server.memory_info().rss - self.first) / 10**6


@pytest.fixture(scope="module")
def desk(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    with (folder / "server.log").open("wb") as out, serving(stdout=out, stderr=out) as url:
        page = opened(browser, f"{url}/data", "Data")
        desk = Desk(page, folder, next(each for each in psutil.Process().children() if url.rpartition(":")[2] in each.cmdline()))
        yield desk
        page.close()


@pytest.mark.parametrize("name", CHOSEN)
def test_a_file_ends_as_stated(desk, name: str):
    ends_as_stated(desk, CASES[name])


def ends_as_stated(desk: Desk, case: Case) -> None:
    content = case.make()
    former = desk.in_play
    name = desk.choose(content)
    if case.uneven or not case.refused:
        desk.answer(name)
    expect(desk.main).to_contain_text(case.refused or case.notes, timeout=LOADED)
    if case.refused:
        assert desk.in_play == former
        desk.take_back()
    else:
        expect(desk.strip).to_contain_text(f"{name} · {counted(case.people, 'person', 'people')} · ", timeout=LOADED)
        expect(desk.main).to_contain_text(case.left_out)
        if not isinstance(case.table, int):
            desk.page.wait_for_function(ONE_A_LINE, arg="\n".join(sorted(answers(case.table))), timeout=LOADED, polling=250)
    assert "Traceback" not in (desk.folder / "server.log").read_text()


def answers(table: dict[str, list[str | None]]) -> set[str]:
    """The answers of the first column that has several, or what makes several of one."""
    found = [{("(missing)" if value is None else value.replace("\n", "\u21b5")) for value in column} for column in table.values()]
    return next((values for values in found if len(values) > 1), found[0] | {"other"})


def test_all_these_files_leave_little_with_the_server(desk):
    for name in ("huge integers", "turned around") * 3:  # the text of 60 MB before can be undone
        ends_as_stated(desk, CASES[name])
    assert desk.growth < GROWTH
