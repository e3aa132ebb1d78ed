"""Narrow windows: what belongs together is seen together, and nothing is squeezed until it is empty."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LOADED, START, arrive, go, settled

pytestmark = pytest.mark.browser


def test_the_chips_of_chosen_attributes_have_room_for_their_names(tab):
    tab.set_viewport_size({"width": 800, "height": 900})
    go(tab, "Perturb & estimate")
    chips = tab.get_by_test_id("stMultiSelect").first.locator("[data-tag-index]")
    expect(chips).to_have_text(["Class", "Sex"], timeout=LOADED)
    assert chips.evaluate_all("chips => chips.every(chip => chip.scrollWidth <= chip.clientWidth + 1 && chip.clientWidth > 40)")


def test_what_is_in_play_stands_on_one_line_beside_the_buttons(tab):
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.get_by_role("link", name="Start", exact=True).click()
    expect(tab.get_by_role("heading", name=START, exact=True)).to_be_visible(timeout=LOADED)
    settled(tab)
    tab.get_by_role("button", name="Declare the questions").click()
    told = tab.locator(".st-key-strip [data-testid='stCaptionContainer'] p")
    expect(told).to_contain_text("pairs within", timeout=LOADED)
    settled(tab)
    text, button = told.bounding_box(), tab.get_by_role("button", name="Pin plan").bounding_box()
    assert text["height"] < 30  # two lines have 40
    assert abs(text["y"] + text["height"] / 2 - button["y"] - button["height"] / 2) < 3


def test_a_phone_shows_sliders_and_bars_at_once(tab, address):
    tab.set_viewport_size({"width": 390, "height": 844})
    arrive(tab, address)
    bars = tab.get_by_role("img", name=re.compile("Male, died: truth"))
    expect(bars).to_be_visible(timeout=LOADED)
    for shown in (tab.get_by_test_id("stSlider").first, tab.get_by_test_id("stSlider").nth(1), bars):
        box = shown.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 844
        assert box["x"] + box["width"] <= 390
    tab.get_by_test_id("stExpandSidebarButton").click()
    followed = tab.get_by_test_id("stSidebarUserContent").get_by_role("link", name="Papers", exact=True)
    expect(followed).to_be_in_viewport()
    go(tab, "Papers")
    expect(followed).not_to_be_in_viewport()  # the links lay over the page


def test_the_longest_line_of_a_demo_table_stands_beside_the_buttons(tab, address):
    tab.set_viewport_size({"width": 1280, "height": 800})
    arrive(tab, f"{address}/data?table=census&mechanism=kronecker", "Data")
    told = tab.locator(".st-key-strip [data-testid='stCaptionContainer'] p")
    expect(told).to_contain_text("whole record × 8.89 million · pairs within", timeout=LOADED)
    settled(tab)
    assert told.bounding_box()["height"] < 30
