"""The screens of the respondents' form: for everybody, practised as often as one likes, and clean for the next person."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from rrcore.asking import Screens, respondent_form
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import LieWeights, MatrixWeights
from rrcore.table.schema import Attribute, Schema
from tests.browser.steps import give, to_questions
from tests.browser.test_form_in_browser import PHONE, SCREENS_SEEN, form, inboxes, screens_in, visit  # noqa: F401
from tests.programs import node

pytestmark = pytest.mark.browser

GRAVE = ("serious", "critical")

COLORS = ("color-contrast", "link-in-text-block")
"""Rules of axe-core that depend on colors alone, which all languages share; they take most of its time."""
EVERY = {"resultTypes": ["violations"]}
OF_COLORS = EVERY | {"runOnly": COLORS}
BUT_COLORS = EVERY | {"rules": {rule: {"enabled": False} for rule in COLORS}}


@pytest.mark.parametrize(("code", "asked"), [("en", EVERY), pytest.param("de", BUT_COLORS, marks=pytest.mark.long)])
def test_no_screen_has_a_serious_fault_or_is_wider_than_a_phone(visit, code, asked):  # noqa: F811
    """Colors in English, in both schemes. By language only texts differ, and test_form_with_everything.py looks at all of them."""
    page, _ = visit(form(language=code, screens=Screens(common=10)), viewport=PHONE, reduced_motion="reduce")
    page.evaluate(Axe().axe_script)

    def faults(asked):
        found = page.evaluate("(asked) => axe.run(asked)", asked)["violations"]
        return [(fault["id"], fault["nodes"][0]["html"][:120]) for fault in found if fault["impact"] in GRAVE]

    seen, found = [], []
    for name in screens_in(page):
        if name == "report":
            page.locator("#numbers > summary").click()
        found += faults(asked)
        page.emulate_media(color_scheme="dark")
        found += faults(OF_COLORS) if code == "en" else []
        page.emulate_media(color_scheme="light")
        heights = page.evaluate("Array.from(document.querySelectorAll('button'), (b) => b.getClientRects()[0]?.height ?? 44)")
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, width)
        assert min(heights) >= 44, name
        seen.append(name)
    assert found == []
    assert seen == SCREENS_SEEN


DRAWS = """() => Array.from({ length: 60 }, () => {
  document.querySelector("#trying button").click();
  const [mine, drawn, outcome] = ["mine", "drawn", "outcome"].map((id) => document.getElementById(id).innerText);
  return [mine, drawn, outcome, document.getElementById("device").className];
})"""


def test_practice_shows_the_device_keep_or_change_the_answer_in_words(visit):  # noqa: F811
    """60 draws of which 27 in 100 are changed: all alike in less than one of 10^8 runs."""
    page, asked = visit(form())
    page.locator("#start").click()
    page.locator("#trying button").click()
    expect(page.locator("#missingpractice")).to_be_visible()
    expect(page.locator("#trying input").first).to_be_focused()
    page.locator("#trying label", has_text="No").click()
    expected = {"kept": 0, "changed": 0}
    for mine, drawn, outcome, device in page.evaluate(DRAWS):
        assert mine == "No"
        kept = drawn == "No"
        expected["kept" if kept else "changed"] += 1
        assert re.findall("“(.*?)”", outcome)[:2] == (["No"] if kept else ["No", "Yes"])
        assert device == ("kept" if kept else "changed")
    expect(page.locator("#tally")).to_have_text(re.compile(rf"\b{expected['kept']}\b.*\b{expected['changed']}\b"))
    expect(page.locator("#outcome")).to_have_attribute("aria-live", "polite")
    assert asked == []


def test_nothing_moves_for_those_who_want_no_motion(visit):  # noqa: F811
    for motion, moving in (("reduce", "none"), ("no-preference", "turn")):
        page, _ = visit(form(), reduced_motion=motion)
        page.locator("#start").click()
        page.locator("#trying label").first.click()
        page.locator("#trying button").click()
        assert page.evaluate("getComputedStyle(document.querySelector('.card:last-child')).animationName") == moving


def test_a_question_without_an_answer_is_not_passed(visit):  # noqa: F811
    page, _ = visit(form())
    to_questions(page)
    page.locator("#onward").click()
    expect(page.locator("#missing0")).to_be_visible()
    expect(page.locator("#question0 input").first).to_be_focused()
    expect(page.get_by_role("heading", name="Question 1 of 4")).to_be_visible()
    give(page, 1, 2)
    expect(page.get_by_role("heading", name="Question 3 of 4")).to_be_focused()
    page.locator("#list2").select_option("8")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")  # someone who comes back finds no answer
    assert page.evaluate("[document.querySelectorAll('input:checked').length, document.getElementById('list2').value]") == [0, ""]
    page.locator("#list2").select_option("3")
    page.locator("#onward").click()
    page.locator("#question3 input").first.check()
    page.locator("#randomize").click()
    expect(page.get_by_role("heading", name="Question 1 of 4")).to_be_visible()
    expect(page.locator("#missing0")).to_be_visible()
    assert page.locator("#record").input_value() == ""


def test_declining_is_an_answer_that_stands_apart(visit):  # noqa: F811
    bribe = Attribute("bribe", ("no", "yes", "Prefer not to answer"))
    file = MechanismFile(Schema((bribe,)), (((0,), LieWeights((3,), 1, (("0", 99), ("1", 29)))),))
    page, _ = visit(respondent_form(file, title="Pilot", questions={"bribe": "Have you paid a bribe?"}), viewport=PHONE)
    page.locator("#start").click()
    expect(page.locator("#trying label")).to_have_text(["No", "Yes", "Prefer not to answer"])
    page.locator("#practice [data-go='1']").click()
    gaps = page.evaluate(
        "Array.from(document.querySelectorAll('#answers label')).map((e) => e.getBoundingClientRect())"
        ".map((box, i, all) => (i ? box.top - all[i - 1].bottom : 0))"
    )
    assert gaps[2] > 2 * gaps[1] > 0
    expect(page.get_by_role("heading", name="Your answer", exact=True)).to_be_focused()  # one question is not counted
    expect(page.locator("#progress")).to_be_hidden()
    page.locator("#answers").get_by_label("Prefer not to answer").check()
    page.locator("#randomize").click()
    expect(page.locator("#released dd")).to_have_count(2)
    assert json.loads(page.locator("#record").input_value())["answers"]["bribe"] in bribe.categories


TRACES = """() => [document.querySelectorAll(":checked[name]").length, document.getElementById("record").value,
  document.getElementById("released").textContent, document.getElementById("outcome").textContent,
  Array.from(document.querySelectorAll("select"), (list) => list.value).join(), localStorage.length, sessionStorage.length,
  document.cookie, JSON.stringify(history.state), location.hash, history.length]"""


def test_the_next_person_starts_clean_and_interviews_are_counted(visit, inboxes):  # noqa: F811
    inbox, _ = inboxes
    page, _ = visit(form(f"{inbox.address}/answers", screens=Screens(interviewer=True)), viewport=PHONE)
    clean = page.evaluate(TRACES)
    assert clean[:9] == [0, "", "", "", "", 0, 0, "", "null"]
    content = page.locator("main").inner_html()
    for number in (1, 2):
        list(screens_in(page))
        expect(page.locator("#handing-on")).to_be_hidden()  # nothing is lost that was not handed in
        page.locator("#send").click()
        expect(page.locator("#interviews")).to_have_text(str(number))
        page.get_by_role("button", name="Next person").click()
        expect(page.get_by_role("heading", name="Chance protects you")).to_be_focused()
        assert page.evaluate(TRACES) == clean
        assert page.locator("main").inner_html() == content
    receipts = [json.loads(body)["receipt"] for _, _, body in inbox.posted]
    assert len(set(receipts)) == 2

    to_questions(page)
    give(page, 1, 2, 8)  # and this one goes away
    page.get_by_text("For the interviewer").click()
    page.get_by_role("button", name="Clear and start again").click()
    assert page.evaluate(TRACES) == clean
    assert page.locator("main").inner_html() == content
    expect(page.locator("#interviews")).to_have_text("2")
    page.go_back()
    page.go_forward()
    assert page.evaluate("document.querySelectorAll(':checked[name]').length") == 0
    assert len(inbox.posted) == 2


def test_the_largest_form_of_ordinary_size_is_light():
    """Thirty questions of six answers, in the language with the longest texts: below 120 kB with its picture and every script."""
    schema = Schema(tuple(Attribute(f"q{i}", tuple(f"answer number {c}" for c in range(6))) for i in range(30)))
    six = MatrixWeights(tuple(tuple(5 if x == y else 1 for y in range(6)) for x in range(6)))
    file = MechanismFile(schema, tuple(((i,), six) for i in range(30)))
    texts = {"title": "Pilot", "questions": {name: f"How often did you do what {name} asks about?" for name in schema.names}}
    html = respondent_form(file, **texts, language="fr")
    assert len(html.encode()) < 120_000
    assert len(form(language="fr", screens=Screens(interviewer=True)).encode()) < 70_000


def test_scripts_are_written_in_the_language_of_2017():
    """By the parser inside Node.js; only forms by invitation need big integers, in a script of their own."""
    assets = Path(respondent_form.__code__.co_filename).parent / "assets"
    program = (
        "const acorn = require('internal/deps/acorn/acorn/dist/acorn'); const fs = require('fs');"
        "process.stdout.write(JSON.stringify(process.argv.slice(1).filter((path) => {"
        "try { acorn.parse(fs.readFileSync(path, 'utf8'), { ecmaVersion: 2017 }); return false; } catch { return true; } })))"
    )
    scripts = sorted(map(str, assets.glob("*.js")))
    run = subprocess.run(
        [node(), "--expose-internals", "-e", program, *scripts], capture_output=True, text=True, timeout=60, check=True
    )
    assert [Path(path).name for path in json.loads(run.stdout)] == ["invitation.js"]
    assert len(scripts) == 8
    newer = r"replaceChildren|\.flat(Map)?\(|\.at\(|fromEntries|matchAll|replaceAll|allSettled|structuredClone|\?\.|\?\?"
    found = {Path(path).name: re.findall(newer, Path(path).read_text("utf-8")) for path in scripts if "invitation" not in path}
    assert {name: uses for name, uses in found.items() if uses} == {}
