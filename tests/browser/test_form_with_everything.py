"""A form with all there is: six languages, a direct part, a control item, declining, an unrandomized question, on a device handed on."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from rrcore.asking import LANGUAGES, Screens, SurveyFile, respondent_form
from rrcore.asking.languages import Language
from rrcore.asking.picture import declined
from rrcore.asking.translation import Translation
from rrcore.budget import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.table import Attribute, Schema
from tests.asking.test_many_languages import arabic
from tests.browser.test_form_in_browser import PHONE, visit  # noqa: F401
from tests.browser.test_form_screens import BUT_COLORS, EVERY, GRAVE, OF_COLORS

pytestmark = [pytest.mark.long, pytest.mark.browser]

ASKED = (declined(Attribute("skipped", ("no", "yes")), "en"), Attribute("born", ("never-5d1c", "surely-5d1c")))
SCHEMA = Schema(ASKED)
FILE = MechanismFile(SCHEMA, integer_groups(build("independent", SCHEMA.sizes, (1.0, 1.0))))
QUESTIONS = {"skipped": "Have you skipped school in the last month?", "born": "Were you born on Earth?"}
TYPED = {code: Translation(f"School ({code})", f"Hello ({code}).", QUESTIONS) for code in LANGUAGES}
REGION = Attribute("region", ("north-5d1c", "south-5d1c"))
EVERYTHING = {"unrandomized": (REGION,), "screens": Screens(common=10, interviewer=True)}
SMALLEST, LARGEST = 320, 1280
"""Widths on either side of the one at which the form's layout changes."""


def opened(visit, **options: object) -> tuple[Page, list[str]]:  # noqa: F811
    """The form as a person of one part sees it, who speaks English."""
    further = {code: typed for code, typed in TYPED.items() if code != "en"}
    survey = SurveyFile(FILE, "School", "Hello.", QUESTIONS, translations=further, **EVERYTHING)
    page, asked = visit(
        survey.form(), locale="en-GB", reduced_motion="reduce", accept_downloads=True, **({"viewport": PHONE} | options)
    )
    expect(page.locator(".step:visible")).to_contain_text("1")
    return page, asked


def screens(page: Page) -> list[str]:
    """Goes through all screens, with what is missing, opened and explained on the way; yields the name of each."""
    yield "before"
    page.locator("#numbers > summary").click()
    yield "numbers"
    page.locator("#start").click()
    if page.locator("#practice").count():
        page.locator("#trying button").click()
        yield "practice, nothing chosen"
        page.locator("#trying label").first.click()
        page.locator("#trying button").click()
        yield "practice"
        page.locator("#practice [data-go='1']").click()
    for number in range(3):
        page.locator("#answers").evaluate("(form) => form.dispatchEvent(new Event('submit', { cancelable: true }))")
        yield f"question {number}, nothing chosen"
        page.locator(f"#question{number} input").last.check()
        yield f"question {number}"
        page.locator("#onward" if number < 2 else "#randomize").click()
    expect(page.locator("#report")).to_be_visible()
    page.locator("#exact > summary").click()
    yield "report"
    with page.expect_download():
        page.locator("#download").click()
    page.locator("#interviewer > summary").click()
    yield "handed in"
    page.locator("#hand-on").click()
    yield "next person"


def faults(page: Page, name: str, cases: dict[int, dict[str, object]]) -> list[tuple[object, ...]]:
    """What axe finds serious on this screen at each width and in each scheme, and whatever is wider than the window."""
    found = []
    for width, schemes in cases.items():
        page.set_viewport_size({"width": width, "height": 800})
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append((name, width, "wider than the window"))
        for scheme, asked in schemes.items():
            page.emulate_media(color_scheme=scheme)
            run = page.evaluate("(asked) => axe.run(asked)", asked)["violations"]
            serious = [each for each in run if each["impact"] in GRAVE]
            found += [(name, width, scheme, each["id"], each["nodes"][0]["html"][:120]) for each in serious]
    return found


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_screen_has_a_serious_fault_at_any_size(visit, code):  # noqa: F811
    """In every language nothing is wider than the window. All rules in German, whose words are longest: by language only texts differ, which
    ``tests/asking/test_languages.py`` compares; colors do not by size."""
    page, _ = opened(visit)
    page.evaluate(Axe().axe_script)
    page.locator(f"#languages [lang={code}]").click()
    ruled = {SMALLEST: {"light": EVERY, "dark": OF_COLORS}, LARGEST: {"light": BUT_COLORS}}
    cases = ruled if code == "de" else {SMALLEST: {}, LARGEST: {}}
    seen = [(name, faults(page, name, cases)) for name in screens(page)]
    assert [found for _, found in seen if found] == []
    assert len(seen) == 13


FRAMED = """Array.from(document.querySelectorAll("body *")).filter((each) => { const style = getComputedStyle(each);
  return style.borderTopStyle === "dashed" && style.borderBottomStyle === "dashed"; }).map((each) => each.id)"""

LINES = """(words) => words.map((word) => { const text = document.getElementById("drawn").firstChild, range = document.createRange();
  range.setStart(text, text.data.indexOf(word));
  range.setEnd(text, text.data.indexOf(word) + word.length);
  return [word, range.getClientRects().length]; })"""


def test_only_what_is_sent_as_it_is_stands_in_a_dashed_frame(visit):  # noqa: F811
    """The form says so of a dashed frame, and who prefers not to answer is protected as everybody is."""
    page, _ = opened(visit)
    assert page.evaluate(FRAMED) == ["question2"]


def test_no_word_of_what_is_sent_is_broken_on_the_smallest_phone(visit):  # noqa: F811
    page, _ = opened(visit, viewport={"width": 320, "height": 568})
    for code in LANGUAGES:
        page.locator(f"#languages [lang={code}]").click()
        page.locator("#start").click()
        declining = page.locator("#trying label").last.inner_text()
        page.locator("#trying label").first.click()
        page.locator("#trying button").click()
        page.locator("#drawn").evaluate("(card, text) => { card.textContent = text; }", declining)
        words = declining.split()
        assert page.evaluate(LINES, words) == [[word, 1] for word in words], code
        page.locator("#practice [data-go='-1']").click()


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_a_chosen_language_looks_like_a_form_that_is_in_this_language_alone(visit, code):  # noqa: F811
    """Two ways to the same page: the texts put in place by the script, and the page that is written for one language."""
    page, _ = opened(visit)
    page.locator(f"#languages [lang={code}]").click()
    seen = """["h1", "main", "footer"].map((name) => document.querySelector(name).outerHTML.replace(/<noscript>.*?<\\/noscript>/, ""))"""
    chosen = page.evaluate(seen)
    typed = TYPED[code]
    alone = respondent_form(
        FILE, title=typed.title, introduction=typed.introduction, questions=QUESTIONS, language=code, **EVERYTHING
    )
    page, _ = visit(alone)
    page.locator("#abandon").evaluate("(button) => button.click()")
    assert chosen == page.evaluate(seen)


def test_from_right_to_left_device_and_people_go_the_way_one_reads(visit):  # noqa: F811
    for own, turned in ((None, "none"), (Language.of(arabic()), "matrix(-1, 0, 0, 1, 0, 0)")):
        page, _ = visit(respondent_form(FILE, title="School", sentences=own), viewport=PHONE)
        assert page.evaluate("getComputedStyle(document.querySelector('svg')).transform") == turned
        page.locator("#start").click()
        page.locator("#trying label").first.click()
        page.locator("#trying button").click()
        sides = page.evaluate(
            "Array.from(document.querySelectorAll('.card, .arrow'), (each) => each.getBoundingClientRect().left)"
        )
        assert sides == sorted(sides, reverse=own is not None)
        assert page.evaluate("getComputedStyle(document.querySelector('.arrow')).transform") == turned


TRACES = """() => [document.querySelectorAll(":checked[name]").length, localStorage.length, sessionStorage.length, document.cookie,
  ...["record", "released", "outcome", "explained", "tally", "status"].map((id) => document.getElementById(id))
    .map((part) => part && (part.value || part.textContent)), JSON.stringify(history.state), location.hash]"""
"""Where an answer might be found."""

IN_FOCUS = """() => { const at = document.activeElement;
  const seen = [at, at.closest(".choice")].some((each) => each && getComputedStyle(each).outlineStyle === "solid");
  return seen && parseFloat(getComputedStyle(at).outlineWidth || 0) >= 0; }"""


def reach(page: Page, wanted: str, *keys: str) -> None:
    """Tab until ``wanted`` has the focus, which is seen there, and press ``keys``."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", wanted):
            break
    else:
        raise AssertionError(f"{wanted} cannot be reached by Tab")
    assert page.evaluate(IN_FOCUS), f"the focus on {wanted} is not seen"
    for key in keys:
        page.keyboard.press(key)


def test_everything_by_keyboard_alone_and_nothing_of_it_is_left(visit):  # noqa: F811
    page, asked = opened(visit)
    page.keyboard.press("Home")
    reach(page, "#languages [lang=fr]", "Enter")
    clean, content = page.evaluate(TRACES), page.locator("main").inner_html()
    reach(page, "#numbers > summary", "Enter", "Enter")
    page.evaluate("document.querySelector('#before h2').focus()")
    reach(page, "#start", "Enter")
    reach(page, "#trying input", "Space")
    reach(page, "#trying button", "Enter")
    reach(page, "#practice [data-go='1']", "Enter")
    for _ in range(3):  # skipped, born, region: the first radio button has the focus, one below is the second answer
        reach(page, "#answers input", "Space", "ArrowDown", "Enter")
    expect(page.locator("#report h2")).to_be_focused()
    record = json.loads(page.locator("#record").input_value())
    assert record["mechanism"] == FILE.sha256
    assert record["unrandomized"] == {"region": "south-5d1c"}
    assert page.locator("input, select, #practice, #questions").count() == 0
    held = page.evaluate(
        """() => { const copy = document.documentElement.cloneNode(true);
        for (const part of copy.querySelectorAll("#data, #released, #record")) part.remove(); return copy.outerHTML; }"""
    )
    assert "5d1c" not in held
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, JSON.stringify(history.state), location.hash]") == [
        0, 0, "", "null", ""
    ]  # fmt: skip
    reach(page, "#download")
    with page.expect_download():
        page.keyboard.press("Enter")
    reach(page, "#hand-on", "Enter")
    expect(page.locator("#before h2")).to_be_focused()
    page.locator("#abandon").evaluate("(button) => button.click()")
    assert page.evaluate(TRACES) == clean
    assert page.locator("main").inner_html() == content
    assert [entry for entry in asked if not entry.startswith("blob:")] == []
