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

OUTCOME = """([name, answered]) => {
  const alert = document.querySelector('[data-testid="stAlertContentError"]');
  const header = document.querySelector(".st-key-header").innerText.replaceAll("\u00a0", " ").includes(`${name} · `);
  const asks = [...document.querySelectorAll("h2")].some((each) => each.innerText === `How '${name}' is read`);
  return Boolean(alert) || header || (asks && !answered);
}"""
"""Whether a file was refused, is in use, or is asked about."""

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


CONSTANT = "No column is included"


class Desk:
    """A steward at the page Data, with a server of its own."""

    def __init__(self, page: Page, folder: Path, server: psutil.Process) -> None:
        self.page, self.folder, self.server = page, folder, server
        self.chosen, self.first = 0, server.memory_info().rss
        self.main = page.get_by_test_id("stMainBlockContainer")
        self.use = self.main.get_by_role("button", name="Use this table", exact=True)
        self.keep = self.main.get_by_role("button", name="Keep '")

    def _ended(self, name: str, *, answered: bool = False) -> None:
        self.page.wait_for_function(OUTCOME, arg=[name, answered], timeout=3 * LOADED, polling=250)
        settled(self.page)

    def choose(self, content: bytes) -> str:
        """Choose a file, and wait for its outcome. Return its name."""
        self.chosen += 1
        place = self.folder / f"file {self.chosen}."
        place.write_bytes(content)
        self.page.locator("input[type=file]").first.set_input_files(place)
        self._ended(place.name)
        place.unlink()
        return place.name

    def answer(self, name: str) -> None:
        """Answer what the page asks, so that the table can be used if it was read."""
        if self.use.count() and self.use.is_enabled():
            self.use.click()
            self._ended(name, answered=True)

    def take_back(self) -> None:
        """Leave the table in use as it is. What was shown about the file goes."""
        if self.keep.count():
            self.keep.click()
        else:
            self.page.get_by_test_id("stFileChipDeleteBtn").get_by_role("button").click()
        expect(self.page.get_by_test_id("stAlertContentError")).to_have_count(0, timeout=LOADED)
        settled(self.page)

    @property
    def in_use(self) -> str:
        """The table in use, its people and attributes."""
        return self.page.locator(".st-key-header").inner_text()

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
    former = desk.in_use
    name = desk.choose(content)
    if case.uneven or not case.refused:
        desk.answer(name)
    if not case.refused and desk.main.get_by_text(CONSTANT).count():  # it is read, and no column can be used
        desk.take_back()
    elif case.refused:
        expect(desk.main).to_contain_text(case.refused, timeout=LOADED)
        assert desk.in_use == former
        desk.take_back()
    else:
        expect(desk.page.locator(".st-key-header")).to_contain_text(name, timeout=LOADED)
        assert counted(case.people, "person", "people") in desk.in_use.replace("\u00a0", " ")
        expect(desk.main).to_contain_text(case.left_out)
    assert "Traceback" not in (desk.folder / "server.log").read_text()


def test_all_these_files_leave_little_with_the_server(desk):
    for name in ("huge integers", "turned around") * 3:  # the text of 60 MB before can be undone
        ends_as_stated(desk, CASES[name])
    assert desk.growth < GROWTH
