"""The ten chapters in a browser: played by keyboard alone, on a phone and on a projector, on paper, in a frame and on a learning platform."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Frame, Page, expect
from scipy.stats import chi2

from rrcore.learn import CHAPTERS, lesson
from rrcore.learn.numbers import lesson_numbers
from rrcore.wording import eps_text
from tests.browser.test_form_screens import BUT_COLORS, EVERY, GRAVE, OF_COLORS
from tests.pages.test_links import LINKS

pytestmark = [pytest.mark.browser, pytest.mark.long]

NUMBERS = range(1, len(CHAPTERS) + 1)
REST = """document.readyState === "complete" && Boolean(lessonShell.crowd.scene && !lessonShell.crowd.moving
  && lessonShell.crowd.width === lessonShell.canvas.clientWidth && lessonShell.crowd.height === lessonShell.canvas.clientHeight)"""
LIKE_NEW = {"reduced_motion": "reduce"}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a lesson on disk, and nothing else there."""
    path = tmp_path_factory.mktemp("lesson") / "learn.html"
    path.write_text(lesson("Have you ever?"), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def watched(browser: Browser, file: str) -> Iterator[tuple[Page, list[str]]]:
    """A tab that keeps what it has compiled, and what was wrong in it: an error, a request or what the policy forbids."""
    shown = browser.new_context(**LIKE_NEW).new_page()
    faults: list[str] = []
    shown.on("pageerror", lambda error: faults.append(str(error)))
    shown.on("console", lambda message: faults.append(message.text))
    shown.on("request", lambda request: None if request.url.startswith((file, "about:")) else faults.append(request.url))
    yield shown, faults
    shown.context.close()


@pytest.fixture
def page(watched: tuple[Page, list[str]]) -> Iterator[Page]:
    """An empty page in which nothing may be wrong."""
    shown, faults = watched
    shown.goto("about:blank")
    shown.set_viewport_size({"width": 1280, "height": 720})
    shown.emulate_media(media="screen")
    faults.clear()
    yield shown
    assert not faults


def resting(page: Page | Frame) -> None:
    """Wait until the people have come to rest, at places of the canvas as it is now: before its size was first seen they have none.

    The page's policy forbids the usual way, a test that the page evaluates itself.
    """
    for _ in range(600):
        if page.evaluate(REST):
            return
        time.sleep(0.05)
    raise AssertionError("the people go on walking")


def at(page: Page, file: str, state: str) -> None:
    page.goto("about:blank")
    page.goto(f"{file}#{state}")
    resting(page)


def finding(page: Page) -> str:
    return page.locator("#found").text_content() or ""


def pressed_until(page: Page, wanted: str) -> None:
    """Press Tab until what has the focus fits the selector."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"no Tab leads to {wanted}")


SIZES = [(1360, 900), (390, 844)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
def test_the_whole_lesson_is_played_by_keyboard_alone(page: Page, file: str, size: tuple[int, int]):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    at(page, file, "1")
    for number, title in enumerate(CHAPTERS.values(), 1):
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
        expect(page.locator(".finding:visible")).to_have_count(0)
        before = page.evaluate("({ ...lessonShell.states[lessonShell.at] })")
        pressed_until(page, ".play input")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate("({ ...lessonShell.states[lessonShell.at] })") != before
        pressed_until(page, "button.main")
        page.keyboard.press("Enter")
        expect(page.locator(".finding:visible")).to_have_count(1)
        assert page.evaluate(
            "document.activeElement.matches('.play :is(input, button)')"
        )  # goes on there, not from the top of the page
        assert page.evaluate("document.title").startswith(title)
        if number < len(CHAPTERS):
            pressed_until(page, "a[rel=next]")
            page.keyboard.press("Enter")
    assert page.evaluate("lessonShell.done.size") == len(CHAPTERS)


def test_on_a_projector_one_key_shows_and_turns(page: Page, file: str):
    page.set_viewport_size({"width": 1920, "height": 1080})
    at(page, file, "2")
    page.keyboard.press("p")
    expect(page.locator("header")).to_be_hidden()
    texts = page.evaluate(
        """() => [...document.querySelectorAll("body *")].filter((each) => each.checkVisibility() && each.getClientRects().length
          && [...each.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()) && !each.closest("#aloud, option"))
          .map((each) => parseFloat(getComputedStyle(each).fontSize))"""
    )
    assert len(texts) > 5
    assert min(texts) >= 24
    assert page.evaluate("parseFloat(getComputedStyle(lessonShell.canvas).fontSize)") >= 24
    for number in NUMBERS[1:]:
        page.keyboard.press("PageDown")
        expect(page.locator("#found")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollHeight") <= 1080, number
        page.keyboard.press("PageDown")
    page.keyboard.press("Escape")
    expect(page.locator("header")).to_be_visible()


@pytest.mark.parametrize("width", [390, 1920])
def test_every_chapter_fits_before_and_after_the_guess(page: Page, file: str, width: int):
    page.set_viewport_size({"width": width, "height": 844})
    for number in NUMBERS:
        for state in (f"{number}", f"{number}&revealed=1&level=formulas"):
            at(page, file, state)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, state
            rows = page.evaluate("[...lessonShell.crowd.toY].filter((y) => y < lessonShell.crowd.height).length")
            assert rows >= 100, state
            low = "Math.max(...lessonShell.crowd.toY.filter((y) => y < lessonShell.crowd.height + 30))"
            assert page.evaluate(f"{low} <= lessonShell.crowd.height"), state


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("light", 1920), ("dark", 1360)])
def test_no_chapter_has_a_serious_fault_for_people_who_do_not_see_or_point(browser: Browser, file: str, width: int, scheme: str):
    """On a phone by every rule; in the widest window, where most is shown, by those that do not depend on colors, and in dark by those that
    do: what the presenter's view shows is in the same colors."""
    asked = {390: EVERY, 1920: BUT_COLORS, 1360: OF_COLORS}[width]
    states = ("", "&revealed=1&level=formulas", *["&revealed=1&view=presenter"] * (scheme == "light"))
    size = {"width": width, "height": 1080 if width == 1920 else 844}
    shown = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True, **LIKE_NEW).new_page()
    found = []
    for number in NUMBERS:
        for state in (f"{number}{rest}" for rest in states):
            at(shown, file, state)
            shown.evaluate(Axe().axe_script)
            faults = shown.evaluate("(asked) => axe.run(asked)", asked)["violations"]
            found += [(state, fault["id"], fault["nodes"][0]["html"]) for fault in faults if fault["impact"] in GRAVE]
    shown.context.close()
    assert not found


STATES = {
    1: "known=31&her=3",
    2: "share=20&unchanged=80",
    3: "unchanged=85&n=120",
    4: "unchanged=90&seed=4",
    5: "k=7&way=shared",
    6: "two=178&three=149&four=45",
    7: "known=3&price=2",
    8: "look=all&kept=pairs",
    9: "cheat=rare&runs=5",
    10: "careless=20&n=3&control=yes",
}


def test_every_state_has_a_link_that_opens_it_again(page: Page, file: str):
    at(page, file, "1")
    usual = {}
    for number in STATES:
        page.evaluate(f"lessonShell.go({number - 1}); lessonShell.chapters[{number - 1}].controls.reveal()")
        usual[number] = finding(page)
    assert len(set(usual.values())) == len(usual)
    for number, state in STATES.items():
        at(page, file, f"{number}&{state}&revealed=1")
        sentence = finding(page)
        assert sentence != usual[number]
        page.wait_for_timeout(250)
        written = page.evaluate("location.hash")
        assert set(state.split("&")) <= set(written[1:].split("&")), written
        at(page, file, written[1:])
        assert finding(page) == sentence


def test_links_of_the_documents_open_the_state_that_they_say(page: Page, file: str):
    states = [link.removeprefix("/lesson#") for link in LINKS if link.startswith("/lesson#")]
    assert len(states) >= len(CHAPTERS)
    for state in states:
        at(page, file, state)
        page.wait_for_timeout(250)
        assert page.evaluate("location.hash.slice(1).split('&').sort().join()") == ",".join(sorted(state.split("&"))), state


@pytest.mark.parametrize(
    "state",
    [
        "1&her=2.5&known=999&revealed=1",
        "2&share=1e9&unchanged=&__proto__=1",
        "8&kept=all&look=%E0%A4%A",
        "99",
        "-3&x",
        "6&two=Infinity",
    ],
)
def test_a_link_that_says_what_no_chapter_has_shows_the_usual_state(page: Page, file: str, state: str):
    at(page, file, state)
    usual = page.evaluate(
        """() => { const { chapters, at, states } = lessonShell;
          return Object.entries(chapters[at].defaults).every(([key, value]) => key === "revealed" || states[at][key] === value); }"""
    )
    assert usual


def test_numbers_on_the_screen_are_the_librarys(page: Page, file: str):
    at(page, file, "6&revealed=1")
    together = lesson_numbers()["together"]
    assert f"ε of {eps_text(round(together['independent'], 6))}." in finding(page)
    at(page, file, f"6&{STATES[6]}&revealed=1")
    assert "ε is 4.49 instead" in finding(page)
    at(page, file, "7&known=7&revealed=1")
    assert "99 of 100 people (ε\u00a0=\u00a04.5)" in finding(page)
    at(page, file, "2&revealed=1")
    assert page.evaluate("lessonShell.crowd.scene.about") == "150 of 600 people with a recorded yes have done it"


DEALT = """() => {
  const counts = new Array(16).fill(0), state = { ...lessonShell.states[5] };
  for (state.dealt = 1; state.dealt <= 4000; state.dealt++) {
    const [answers, sent] = Deck.deal(state);
    counts[answers.reduce((set, code, i) => 2 * set + Number(code !== sent[i]), 0)]++;
  }
  return [counts, [...Deck.shares(state)]];
}"""


def test_cards_are_dealt_as_the_deck_says(page: Page, file: str):
    at(page, file, f"6&{STATES[6]}")
    counts, shares = (np.array(each) for each in page.evaluate(DEALT))
    assert counts.sum() == 4000
    assert (4000 * shares).min() > 20
    assert ((counts - 4000 * shares) ** 2 / (4000 * shares)).sum() < chi2.isf(1e-6, 15)


def test_on_paper_and_without_a_script_all_chapters_are_there(page: Page, browser: Browser, file: str):
    at(page, file, "1")
    page.locator("#chapter-1 details").evaluate("element => { element.open = true }")
    page.set_viewport_size({"width": 720, "height": 1000})  # as wide as paper
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", level=1)).to_have_text("Randomized response in ten chapters")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("details:visible")).to_have_count(1)  # answers that nobody opened are not on a sheet
    expect(page.locator(".chapter:visible")).to_have_count(len(CHAPTERS))
    expect(page.locator(".chapter .finding:visible")).to_have_count(len(CHAPTERS))
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(file)
    expect(plain.locator(".chapter .finding:visible")).to_have_count(len(CHAPTERS))
    expect(plain.locator(".levels > div:visible")).to_have_count(3 * len(CHAPTERS))
    expect(plain.locator("canvas:visible")).to_have_count(0)
    plain.context.close()
