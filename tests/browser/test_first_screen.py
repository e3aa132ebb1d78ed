"""The first screen in Chromium: styles, keyboard and address."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import DESKTOP, LOADED, arrive, keep_picture, settled

pytestmark = pytest.mark.browser


def test_passengers_are_in_full_rows(tab):
    people = tab.locator(".idea .person")
    expect(people).to_have_count(24, timeout=LOADED)
    tops = "people => people.map(person => Math.round(person.getBoundingClientRect().top))"
    for width, rows in ((1280, 1), (390, 2)):
        tab.set_viewport_size({"width": width, "height": 900})
        found = people.evaluate_all(tops)
        assert [found.count(top) for top in sorted(set(found))] == [24 // rows] * rows
    tab.set_viewport_size(DESKTOP)


def test_sliders_change_bars_and_address(tab, address):
    arrive(tab, f"{address}/?unchanged=90&asked=500")
    unchanged = tab.get_by_role("slider", name="Answers unchanged")
    expect(unchanged).to_have_value("90", timeout=LOADED)
    bars = tab.get_by_role("img", name=re.compile("Male, died: truth 62.0"))
    before = bars.get_attribute("aria-label")
    assert "conic-gradient" in tab.locator(".wheel").first.evaluate("wheel => getComputedStyle(wheel).backgroundImage")
    expect(tab.get_by_test_id("stFileUploaderDropzone")).to_be_in_viewport()
    values = tab.get_by_test_id("stSliderThumbValue")
    assert max(each["height"] for each in (value.bounding_box() for value in values.all())) < 40
    keep_picture(tab, "start-first-screen")
    unchanged.focus()
    unchanged.press("ArrowRight")
    expect(bars).not_to_have_attribute("aria-label", before, timeout=LOADED)
    expect(tab).to_have_url(re.compile("unchanged=91"))
    expect(tab).to_have_url(re.compile("asked=500"))
    tab.get_by_role("button", name="Next passenger").click()
    expect(tab.get_by_role("heading", name="Passenger 25")).to_be_visible(timeout=LOADED)
    settled(tab)
    tab.close()
