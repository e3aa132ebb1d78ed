"""A form in two languages: chosen by keyboard, and kept for the next person on a device that is handed on."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from rrcore.asking import Screens, SurveyFile
from rrcore.asking.translation import Translation
from rrcore.budget import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.table.schema import Attribute, Schema
from tests.browser.test_form_in_browser import PHONE

pytestmark = pytest.mark.browser


def onward(page, name, choice):
    """Answer the question that is shown, and go on."""
    page.get_by_label(choice, exact=True).locator("visible=true").check()
    page.get_by_role("button", name=name, exact=True).locator("visible=true").click()


def test_a_language_is_chosen_by_keyboard_and_stays_for_the_next_person(browser, tmp_path):
    """A phone that is handed on: the language and the count stay, no answer does; axe finds no serious fault."""
    asked = Schema((Attribute("smokes", ("no", "yes")),))
    file = MechanismFile(asked, integer_groups(build("independent", (2,), (1.0,))))
    survey = SurveyFile(
        file,
        "Health",
        screens=Screens(practice=False, interviewer=True),
        unrandomized=(Attribute("region", ("north", "south")),),
        translations={"fr": Translation("Santé", categories={"smokes": ("non", "oui")})},
    )
    place = tmp_path / "form.html"
    place.write_text(survey.form(), encoding="utf-8")
    page = browser.new_context(viewport=PHONE, locale="en-GB", accept_downloads=True).new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(place.as_uri())
    run = f"() => {{ {Axe().axe_script}; return axe.run({{ resultTypes: ['violations'] }}); }}"
    faults = [each["id"] for each in page.evaluate(run)["violations"] if each["impact"] in ("serious", "critical")]
    page.get_by_role("button", name="Français").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Santé")).to_be_visible()
    assert page.evaluate("[document.documentElement.lang, document.title]") == ["fr", "Santé"]
    for person in (1, 2):
        page.locator("#start").click()
        expect(page.locator("#languages")).to_be_hidden()  # chosen before one begins, and not between the questions
        expect(page.locator("input:checked")).to_have_count(0)
        onward(page, "Suivant", "oui")
        faults += [each["id"] for each in page.evaluate(run)["violations"] if each["impact"] in ("serious", "critical")]
        onward(page, "Laisser le hasard décider", "south")
        with page.expect_download():
            page.locator("#download").click()
        expect(page.locator("#interviews")).to_have_text(str(person))
        page.locator("#hand-on").click()
        expect(page.get_by_role("heading", name="Santé")).to_be_visible()
        expect(page.locator("#languages")).to_be_visible()
        assert "south" not in page.locator("#report").inner_text()
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", name="Health")).to_be_visible()
    expect(page.locator("#interviews")).to_have_text("2")
    assert (faults, wrong) == ([], [])
