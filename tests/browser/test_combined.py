"""People asked directly, translations, unrandomised questions and invitations in one form, answered in Chromium through a receiver."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from rrcore.asking import Screens, SurveyFile
from rrcore.asking.translation import Translation
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, direct_file, integer_groups
from rrcore.receiver import create_store
from rrcore.receiver.blind import new_key
from rrcore.receiver.invitations import invite, used_codes
from rrcore.table import Attribute, Schema
from tests.receiver.phones import serving

pytestmark = pytest.mark.browser

FILE = MechanismFile(Schema((Attribute("smokes", ("no", "yes")),)), integer_groups(build("kronecker", (2,), (1.0,))))
SURVEY = SurveyFile(
    FILE,
    "Health",
    directly=25,
    screens=Screens(practice=False, check=False, interviewer=True),
    unrandomised=(Attribute("region", ("north", "south")),),
    translations={"fr": Translation("Santé", categories={"smokes": ("non", "oui"), "region": ("nord", "sud")})},
)
CHANCE = """const drawn = crypto.getRandomValues.bind(crypto);
window.deal = 99; crypto.getRandomValues = (array) => array.length > 2 ? drawn(array) : array.fill(window.deal)"""
"""The bytes of a deal and of an answer; of 100 people who draw 0 to 74 the first 75 are randomised."""


def answer(page, code, smokes, region):
    page.locator("#code").fill(code)
    page.locator("#start").click()
    page.get_by_label(smokes, exact=True).locator("visible=true").check()
    page.locator("#onward").click()
    page.get_by_label(region, exact=True).locator("visible=true").check()
    page.locator("#randomise").click()
    expect(page.locator("#report")).to_be_visible()
    page.locator("#send").click()
    expect(page.locator("#send")).to_be_disabled()


def test_a_language_is_chosen_after_the_deal_and_the_next_person_is_dealt_anew(browser, tmp_path):
    store = create_store(str(tmp_path / "all.survey"), FILE, key=new_key(), **SURVEY.texts)
    first, second = invite(store, 2)
    with serving(tmp_path, store.place, FILE) as (_, address, _):
        context = browser.new_context(viewport={"width": 390, "height": 844}, locale="en-GB")
        page = context.new_page()
        wrong, sent = [], []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: sent.append(request.post_data or "") if request.method == "POST" else None)
        page.add_init_script(CHANCE)
        page.goto(f"{address}/#code={first}")
        expect(page.locator("h2:visible")).to_have_text("You are asked directly")
        page.evaluate("window.deal = 0")
        page.get_by_role("button", name="Français").click()
        expect(page.locator("[data-arm=randomised]:visible")).to_have_count(0)
        expect(page.locator("#code")).to_have_value(first)
        page.get_by_role("button", name="English").click()
        expect(page.locator("h2:visible")).to_have_text("You are asked directly")
        page.get_by_role("button", name="Français").click()
        answer(page, first, "oui", "sud")
        expect(page.locator("#hand-on")).to_be_visible()
        page.locator("#hand-on").click()
        expect(page.locator("main [data-arm=directly]")).to_have_count(0)
        page.get_by_role("button", name="English").click()
        expect(page.locator("h2:visible")).to_have_text("Chance protects you")
        expect(page.locator("#code")).to_have_value("")
        answer(page, second, "no", "north")
        expect(page.locator("#interviews")).to_have_text("2")
        context.close()
    lines = [json.loads(line) for line in sent if '"answers"' in line]
    assert wrong == []
    assert [line["mechanism"] for line in lines] == [direct_file(FILE.schema).sha256, FILE.sha256]
    assert lines[0]["answers"] == {"smokes": "yes"}
    assert [line["unrandomised"] for line in lines] == [{"region": "south"}, {"region": "north"}]
    assert used_codes(store) == (2, 2)
    answers = store.answers()
    assert answers.n == 2
    (region,) = [column for column in answers.groupings if column.name == "region"]
    assert sorted(region.codes.tolist()) == [0, 1]


STREAM = """window.used = 0; const given = new Uint8Array(%s);
crypto.getRandomValues = (array) => { array.set(given.subarray(window.used, window.used += array.length)); return array; }"""
