"""Narrow windows: what belongs together is seen together, and nothing is squeezed until it is empty."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LOADED, go, opened

pytestmark = pytest.mark.browser


def test_the_chips_of_chosen_attributes_have_room_for_their_names(browser, address):
    page = opened(browser, address, viewport={"width": 800, "height": 900})
    go(page, "Perturb & estimate")
    chips = page.get_by_test_id("stMultiSelect").first.locator("[data-tag-index]")
    expect(chips).to_have_text(["Class", "Sex"], timeout=LOADED)
    assert chips.evaluate_all("chips => chips.every(chip => chip.scrollWidth <= chip.clientWidth + 1 && chip.clientWidth > 40)")
    page.context.close()
