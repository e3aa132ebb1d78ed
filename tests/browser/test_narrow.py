"""Narrow windows: what belongs together is seen together, and nothing is squeezed until it is empty."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LOADED, arrive, go, settled

pytestmark = pytest.mark.browser


def test_the_chips_of_chosen_attributes_have_room_for_their_names(tab):
    tab.set_viewport_size({"width": 800, "height": 900})
    go(tab, "Simulate")
    chips = tab.get_by_test_id("stMultiSelect").first.locator("[data-tag-index]")
    expect(chips).to_have_text(["Class", "Sex"], timeout=LOADED)
    assert chips.evaluate_all("chips => chips.every(chip => chip.scrollWidth <= chip.clientWidth + 1 && chip.clientWidth > 40)")


def test_a_phone_shows_sliders_and_bars_whole(tab, address):
    tab.set_viewport_size({"width": 390, "height": 844})
    arrive(tab, address)
    bars = tab.get_by_role("img", name=re.compile("Male, died: truth"))
    expect(bars).to_be_visible(timeout=LOADED)
    for shown in (tab.get_by_test_id("stSlider").first, tab.get_by_test_id("stSlider").nth(1), bars):
        box = shown.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    tab.get_by_test_id("stExpandSidebarButton").click()
    followed = tab.get_by_test_id("stSidebarUserContent").get_by_role("link", name="Lab", exact=True)
    expect(followed).to_be_in_viewport()
    go(tab, "Lab")
    expect(followed).not_to_be_in_viewport()  # the links lay over the page


def test_the_header_is_one_line(tab, address):
    tab.set_viewport_size({"width": 1280, "height": 800})
    arrive(tab, f"{address}/simulate?table=census&mechanism=independent", "Simulate")
    about = tab.locator(".st-key-header [data-testid='stCaptionContainer'] p")
    expect(about).to_contain_text("7.2", timeout=LOADED)
    settled(tab)
    assert about.bounding_box()["height"] < 30
