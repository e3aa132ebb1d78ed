"""One survey with a question that is not randomised, in two languages: worded on Collect, started on Field, read by group on Read."""

from __future__ import annotations

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from rrcore.asking import Screens, SurveyFile
from rrcore.asking.translation import Translation
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.receiver import open_store
from rrcore.receiver.running import served_of
from rrcore.table.schema import Attribute, Schema
from tests.browser.steps import LOADED, choose, go, keep_picture, opened, settled
from tests.browser.test_form_in_browser import PHONE
from tests.browser.test_survey_without_a_terminal import dashboards  # noqa: F401  # a fixture

pytestmark = pytest.mark.browser


def fill(page, label, text):
    field = page.get_by_role("textbox", name=label, exact=True).first
    field.fill(text)
    field.press("Control+Enter" if "\n" in text else "Tab")
    settled(page)


def onward(page, name, choice):
    """Answer the question that is shown, and go on."""
    page.get_by_label(choice, exact=True).locator("visible=true").check()
    page.get_by_role("button", name=name, exact=True).locator("visible=true").click()


def answer(browser, address, locale, *, smokes, region, words):
    """A respondent whose browser speaks ``locale``; gives back the line that was sent, and what was seen at the end."""
    start, following, decide, title, marked = words
    context = browser.new_context(viewport=PHONE, locale=locale)
    page = context.new_page()
    sent, wrong = [], []
    page.on("request", lambda request: sent.append(request.post_data) if request.method == "POST" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address)
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    keep_picture(page, f"two-languages-{locale}-1", full_page=True)
    page.get_by_role("button", name=start, exact=True).click()
    for _ in range(2):  # practice and check
        page.get_by_role("button", name=following, exact=True).locator("visible=true").click()
    expect(page.locator("fieldset:visible .as-is")).to_have_count(0)
    onward(page, following, smokes)
    expect(page.locator("fieldset:visible .as-is")).to_have_text(marked)
    keep_picture(page, f"two-languages-{locale}-2", full_page=True)
    onward(page, decide, region)
    expect(page.locator("#released .unrandomised")).to_contain_text(marked)
    keep_picture(page, f"two-languages-{locale}-3", full_page=True)
    shown = page.locator("#released .unrandomised dd").first.text_content()
    page.locator("#send").click()
    expect(page.locator("#send")).to_be_disabled()
    expect(page.locator("#status")).to_contain_text("localhost")
    assert wrong == []
    context.close()
    (line,) = sent
    return line, shown


@pytest.mark.long
def test_two_languages_and_a_question_without_chance_from_collect_to_read(browser, dashboards, tmp_path):  # noqa: F811
    _, url = dashboards()
    page = opened(browser, url)
    go(page, "Data")
    page.get_by_text("Declare only", exact=True).first.click()
    settled(page)
    fill(page, "Questions and their possible answers, one question a line", "smokes: no, yes\n")
    go(page, "Collect")
    fill(page, "Title that respondents see", "Health")
    page.get_by_text("Questions without chance, such as region or age").click()
    fill(page, "Questions and their possible answers, one question a line", "region: north, south\n")
    fill(page, "region (sent as it is)", "Where do you live?")
    choose(page, page.get_by_role("combobox", name="Further languages"), page.get_by_role("option", name="Français"))
    page.keyboard.press("Tab")  # the list stays open for further languages, and all below it is out of reach until it is left
    fill(page, "Title", "Santé")
    for label, text in (("Answers to smokes", "non, oui"), ("Answers to region", "nord, sud")):
        fill(page, label, text)
    phone = page.frame_locator(".phone iframe")
    expect(phone.locator(".as-is")).to_have_text("This answer is sent as it is. Chance does not change it.", timeout=LOADED)
    keep_picture(page, "two-languages-collect", full_page=True)
    go(page, "Field")
    meant = page.get_by_text("This is what I want", exact=True)
    if meant.count():
        meant.first.click()
        settled(page)
    page.get_by_role("button", name="Start this survey").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible(timeout=LOADED)
    store = open_store(str(tmp_path / "health.survey"))
    address = served_of(store).address

    english = ("Start", "Next", "Let chance decide", "Health", "This answer is sent as it is. Chance does not change it.")
    french = (
        "Commencer", "Suivant", "Laisser le hasard décider", "Santé", "Cette réponse est envoyée telle quelle. Le hasard ne la change pas.",
    )  # fmt: skip
    lines = []
    for locale, smokes, region, words, seen in (
        ("en-GB", "no", "north", english, "north"),
        ("fr-CH", "oui", "sud", french, "sud"),
        ("it-IT", "yes", "south", english, "south"),  # no Italian: it begins in the first language
    ):
        line, shown = answer(browser, address, locale, smokes=smokes, region=region, words=words)
        assert shown == seen
        lines.append(line)
    assert [json.loads(line)["unrandomised"] for line in lines] == [{"region": "north"}, {"region": "south"}, {"region": "south"}]
    assert {json.loads(line)["answers"]["smokes"] for line in lines} <= {"no", "yes"}  # the same texts in every language
    assert len({len(line.encode()) for line in lines}) == 1  # whatever was answered, in whatever language

    expect(page.get_by_text(re.compile("3 answers in 1 day"))).to_be_visible(timeout=LOADED)
    page.get_by_role("button", name="Read these answers").click()
    expect(page.get_by_role("heading", name="Read", exact=True)).to_be_visible(timeout=LOADED)
    settled(page)
    page.get_by_text("By another column", exact=True).click()
    settled(page)
    expect(page.get_by_text("Of these 3 people 1 is alone with what was not randomised (region)")).to_be_visible(timeout=LOADED)
    keep_picture(page, "two-languages-read", full_page=True)
    (region,) = [column for column in store.answers().groupings if column.name == "region"]
    assert sorted(region.codes.tolist()) == [0, 1, 1]


def test_a_language_is_chosen_by_keyboard_and_stays_for_the_next_person(browser, tmp_path):
    """A phone that is handed on: the language and the count stay, no answer does; axe finds no serious fault."""
    asked = Schema((Attribute("smokes", ("no", "yes")),))
    file = MechanismFile(asked, integer_groups(build("kronecker", (2,), (1.0,))))
    survey = SurveyFile(
        file,
        "Health",
        screens=Screens(practice=False, interviewer=True),
        unrandomised=(Attribute("region", ("north", "south")),),
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
