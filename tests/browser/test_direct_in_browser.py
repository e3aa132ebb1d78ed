"""A form that deals people out, in Chromium: what either part sees, what they hand in, and that the next person is dealt anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from rrcore.asking import Screens
from rrcore.asking.form import respondent_form
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, direct_file, integer_groups
from rrcore.table.schema import Attribute, Schema

pytestmark = pytest.mark.browser

SCHEMA = Schema((Attribute("cheated", ("no", "yes")), Attribute("age", ("young", "middle", "old"))))
FILE = MechanismFile(SCHEMA, integer_groups(build("kronecker", (2, 3), [1.5, 1.0])))
CHANCE = "window.bytes = %d; crypto.getRandomValues = (array) => array.fill(window.bytes)"
"""Each byte of the page's chance: of 100 people who draw 0 to 74 the first 75 are randomised."""


def opened(browser: Browser, folder: Path, byte: int, **more: object) -> Page:
    form = respondent_form(FILE, title="Pilot", directly=25, **more)  # type: ignore[arg-type]
    (folder / "form.html").write_text(form, encoding="utf-8")
    page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    page.add_init_script(CHANCE % byte)
    page.goto((folder / "form.html").as_uri())
    return page


def answer(page: Page) -> None:
    page.locator("input[name=q0][value='1']").check()
    page.locator("#onward").click()
    page.locator("input[name=q1][value='2']").check()
    page.locator("#randomise").click()
    expect(page.locator("#report")).to_be_visible()


def test_who_is_asked_directly_is_told_first_and_hands_in_what_was_said(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, 99)
    expect(page.locator("h2:visible")).to_have_text("You are asked directly")
    expect(page.locator("#before")).to_contain_text("nothing protects them")
    assert page.locator("[data-arm=randomised]:visible").count() == 0
    assert page.locator("#practice, #quiz, figure").count() == 0
    page.locator("#numbers summary").click()
    expect(page.locator("#numbers")).to_contain_text("nothing protects them")
    page.locator("#start").click()
    expect(page.locator(".step:visible")).to_have_text("Step 2 of 3")
    answer(page)
    record = json.loads(page.locator("#record").input_value())
    assert record == {"mechanism": direct_file(SCHEMA).sha256, "answers": {"cheated": "yes", "age": "old"}}
    assert page.locator("#released dd").all_inner_texts() == ["yes", "old"]  # nothing is said of others who send the same


def test_the_others_go_through_all_screens_and_nothing_of_the_direct_part_is_left(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, 0)
    expect(page.locator(".step:visible")).to_have_text("Step 1 of 5")
    assert page.locator("main [data-arm=directly]").count() == 0
    page.locator("#numbers summary").click()
    expect(page.locator("#numbers")).to_contain_text("Chance picks 25 of 100 people to answer directly")
    expect(page.locator("#numbers")).not_to_contain_text("you are one of them", use_inner_text=True)


def test_the_next_person_is_dealt_anew(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, 99, screens=Screens(interviewer=True))
    page.locator("#start").click()
    answer(page)
    page.evaluate("window.bytes = 0")
    page.locator("#interviewer summary").click()
    page.locator("#abandon").click()
    expect(page.locator("h2:visible")).to_have_text("Chance protects you")
    page.evaluate("window.bytes = 99")
    page.locator("#interviewer summary").click()
    page.locator("#abandon").click()
    expect(page.locator("h2:visible")).to_have_text("You are asked directly")
    page.locator("#numbers summary").click()
    expect(page.locator("#numbers")).not_to_contain_text("randomised right here", use_inner_text=True)
