"""A calculation goes on when its page is loaded anew, and ends with its tab."""

from __future__ import annotations

import time

import psutil
import pytest
from playwright.sync_api import expect

from pages.shared.queue import GRACE
from tests.browser.steps import AT_REST, LOADED

pytestmark = pytest.mark.browser


def at_work() -> dict[int, psutil.Process]:
    """The processes that compute for a page of the running app: they give way to all others."""
    here = psutil.Process()
    return {process.pid: process for process in here.children(recursive=True) if process.nice() > here.nice()}


@pytest.mark.long
def test_a_calculation_outlives_f5_and_not_its_tab(browser, address):
    page = browser.new_context(**AT_REST).new_page()
    page.goto(f"{address}/audit")
    page.get_by_text("1,000,000", exact=True).click(timeout=LOADED)
    stop = page.get_by_test_id("stMainBlockContainer").get_by_role("button", name="Stop")
    expect(stop).to_be_visible(timeout=LOADED)
    expect(page.get_by_text("1,000,000 runs of each true record")).to_be_visible(timeout=LOADED)
    until = time.monotonic() + LOADED / 1000
    while len(busy := at_work()) != 1 or sum(next(iter(busy.values())).cpu_times()[:2]) < 0.5:
        assert time.monotonic() < until
        page.wait_for_timeout(100)
    next(iter(busy.values())).suspend()  # so that it does not come to its end meanwhile
    page.reload()
    expect(stop).to_be_visible(timeout=LOADED)
    expect(page.get_by_text("1,000,000 runs of each true record")).to_be_visible(timeout=LOADED)
    page.wait_for_timeout(1000 * GRACE + 1000)
    assert at_work().keys() == busy.keys()
    page.context.close()
    gone = time.monotonic()
    while at_work():
        assert time.monotonic() - gone < GRACE + 15  # a machine may be busy
        time.sleep(0.1)
