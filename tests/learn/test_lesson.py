"""The lesson as a file: what it holds without a script, what it may load, and what is refused."""

import json
import re
from html.parser import HTMLParser

import pytest

from rrcore.errors import InputError
from rrcore.learn import CHAPTERS, QUESTION, lesson
from rrcore.learn.numbers import lesson_numbers
from rrcore.limits import LESSON_DOTS, MAX_TEXT
from rrcore.plots.palette import DARK, LIGHT, THEMES
from tests.contrast import ENOUGH, contrast

SIZE = 600_000


class Page(HTMLParser):
    """Tags with their attributes, and the text of a page outside scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self._within = [], "", ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._within = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag):
        self._within = ""

    def handle_data(self, data):
        if not self._within:
            self.text += data


@pytest.fixture(scope="module")
def page():
    return lesson()


def test_the_file_is_small_and_its_own_policy_lets_nothing_be_loaded(page):
    assert len(page.encode()) < SIZE
    policy = next(tag["content"] for name, tag in Page(page).tags if tag.get("http-equiv") == "Content-Security-Policy")
    allowed = dict(part.split(" ", 1) for part in policy.split("; "))
    assert {allowed[kind] for kind in ("default-src", "connect-src", "form-action", "base-uri")} == {"'none'"}
    assert all(source.startswith("'sha256-") for kind in ("script-src", "style-src") for source in allowed[kind].split())


def test_nothing_in_the_file_points_elsewhere(page):
    for name, attributes in Page(page).tags:
        assert "src" not in attributes, name
        assert "style" not in attributes, name
        assert attributes.get("href", "#").startswith("#"), attributes
        assert not [key for key in attributes if key.startswith("on")], name
    assert not re.findall(r"https?://|@import|url\(|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(", page)


def test_without_a_script_every_finding_stands_there_as_text(page):
    text = Page(page).text.replace("\u00a0", " ")
    for title in CHAPTERS.values():
        assert title in text
    numbers = lesson_numbers()
    assert f"{round(100 * numbers['people']['alone'] / LESSON_DOTS)} of 100 people" in text
    for finding in (
        "4 of 100",
        "31 percentage points",
        "more than 75 of 100",
        "99 of 100 people",
        "from 8 to 4.5",
        "4.5 instead of 2",
        "4 of 6 departments",
        "67 of 100",
        "35 of 100 surveys",
    ):
        assert finding in text, finding
    assert "$" not in text
    assert page.count('class="finding"') == len(CHAPTERS) + 1  # and the one below the picture


def test_a_question_of_ones_own_is_text_and_nothing_else():
    asked = "Do you <script>alert(1)</script> & $tell?"
    page = lesson(asked)
    assert "<script>alert" not in page
    assert asked in Page(page).text
    assert QUESTION not in page
    assert QUESTION in lesson("  ")


def test_links_lead_to_the_dashboard_only_where_there_is_one(page):
    assert 'class="onward"' not in page
    linked = lesson(dashboard="http://localhost:8501")
    assert linked.count('class="onward"') == len(CHAPTERS) + 1
    data = json.loads(re.search(r'id="data">(.*?)</script>', linked)[1])
    assert data["dashboard"] == "http://localhost:8501/"
    assert json.loads(re.search(r'id="data">(.*?)</script>', lesson(dashboard="/rr/"))[1])["dashboard"] == "/rr/"


@pytest.mark.parametrize(
    ("question", "dashboard", "message"),
    [
        ("x" * (MAX_TEXT + 1), "", f"{MAX_TEXT + 1} characters"),
        ("half \ud800", "", "surrogate"),
        ("", "javascript:alert(1)", "http:// or https://"),
        ("", "//elsewhere.example", "http:// or https://"),
    ],
)
def test_what_is_refused(question, dashboard, message):
    with pytest.raises(InputError, match=re.escape(message)):
        lesson(question, dashboard=dashboard)


def test_colours_are_the_palettes_and_text_can_be_read(page):
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    roots = re.findall(r":root\S* \{ (?:color-scheme: dark; )?(--.*?) \}", style)
    assert roots[1] == roots[2]
    for palette, theme, root in zip((LIGHT, DARK), ("light", "dark"), roots[:2], strict=True):
        colors = dict(re.findall(r"--(\w+): (#\w+);", root))
        assert colors["blue"] == palette.estimate
        assert colors["ground"] == THEMES[theme]["backgroundColor"]
        for ink in ("ink", "quiet", "link"):
            assert min(contrast(colors[ink], colors[ground]) for ground in ("ground", "raised")) >= ENOUGH, (theme, ink)
        assert contrast(colors["onaccent"], colors["accent"]) >= ENOUGH
    own = style.rpartition("--sky: ")[2].partition("}")[2]
    assert ".stage" in own
    assert not re.findall(r":[^;{}]*#[0-9A-Fa-f]{3,6}[^{}]*[;}]", own)
