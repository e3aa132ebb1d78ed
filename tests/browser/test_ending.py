"""What was uploaded is nowhere in the memory of the server's processes a little after its tab was closed."""

from __future__ import annotations

import sys
import time

import psutil
import pytest
from playwright.sync_api import expect

from pages.shared.hosting.sessions import GRACE
from tests.browser.conftest import serving
from tests.browser.memory import megabytes, occurrences
from tests.browser.steps import LOADED, go, opened, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="Linux shows memory")]

WITHIN = 30
"""Seconds after the grace for a tab that comes back."""

BACK = 50
"""Megabytes above a start at which everything had been used once."""


@pytest.fixture(scope="module")
def server():
    with serving() as url:
        yield url, next(each.pid for each in psutil.Process().children() if url.rpartition(":")[2] in each.cmdline())


def planted(mark):
    """A name of a column, answers that many gave, and some that one person alone gave."""
    return [f"{mark}-{kind}".encode() for kind in ("column", "ward", "street", "person")]


def used(browser, url, place):
    """A tab in which a table is uploaded, planned for and perturbed; its file is gone then."""
    page = opened(browser, url)
    go(page, "Data")
    page.get_by_text("Upload a file", exact=True).click()
    expect(page.get_by_text("A table with one row per person")).to_be_visible(timeout=LOADED)
    settled(page)
    page.locator("input[type=file]").first.set_input_files(place)
    expect(page.locator(".st-key-strip").get_by_text(place.stem)).to_be_visible(timeout=6 * LOADED)
    settled(page)
    place.unlink()
    go(page, "Perturb & estimate")
    return page


def marked(folder, mark, people):
    """A table with these marks."""
    place = folder / f"{mark}.csv"
    rows = (
        f"{'no' if i % 3 else 'yes'},{mark}-ward-{i % 7},{mark}-street-{i % 211},{i * 7919 % 73},{mark}-person-{i}\n"
        for i in range(people)
    )
    place.write_text(f"smokes,{mark}-column,street,age,person\n{''.join(rows)}", encoding="utf-8")
    return place


def large(folder, name):
    """24 MB of answers."""
    place, rows = folder / f"{name}.csv", 10_000
    piece = "".join(f"{'no' if i % 3 else 'yes'},ward {i % 7},street {i % 211},{i * 7919 % 73}\n" for i in range(rows))
    with place.open("w", encoding="utf-8") as file:
        file.write("smokes,ward,street,age\n")
        for _ in range(24_000_000 // len(piece)):
            file.write(piece)
    return place


def left_after(seconds, server, *wanted):
    """What is left in the memory of all processes once it is gone, or so many seconds have passed."""
    end = time.monotonic() + seconds
    while (left := occurrences(server, *wanted)) and time.monotonic() < end:
        time.sleep(3)  # all of the memory is read each time
    return left


@pytest.mark.long
def test_an_upload_is_in_no_process_thirty_seconds_after_its_tab(browser, server, tmp_path):
    url, process = server
    tab = used(browser, url, marked(tmp_path, "planted", 30_000))
    assert occurrences(process, *planted("planted")).keys() == {*planted("planted")}  # so it is looked for in the right way
    tab.close()
    time.sleep(GRACE)
    assert not left_after(WITHIN, process, *planted("planted"))


@pytest.mark.long
def test_memory_goes_back_once_tabs_are_closed(browser, server, tmp_path):
    """The finding: five uploads of 48 MB left 555 MB three minutes after closing; two of 24 MB would leave 111 MB."""
    url, process = server
    used(browser, url, large(tmp_path, "first")).close()
    time.sleep(GRACE + WITHIN)
    start, most = megabytes(process), 0.0
    tabs = []
    for i in range(2):
        tabs.append(used(browser, url, large(tmp_path, f"upload {i}")))
        most = max(most, megabytes(process))
    for tab in tabs:
        tab.close()
    time.sleep(GRACE)
    end = time.monotonic() + WITHIN
    while (left := megabytes(process)) > start + BACK and time.monotonic() < end:
        time.sleep(1)
    print(f"{start:.0f} MB at first, {most:.0f} at the most, {left:.0f} once all had gone")
    assert most > start + 2 * BACK  # so it is measured in the right way
    assert left <= start + BACK
