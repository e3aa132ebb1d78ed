"""The lesson: ten chapters with all that they need in one HTML file, from the texts, scripts and styles in ``assets``."""

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template

from rrcore.asking.page import asset, policy
from rrcore.errors import InputError
from rrcore.learn.numbers import lesson_numbers
from rrcore.learn.told import told_numbers
from rrcore.limits import MAX_TEXT
from rrcore.plots.palette import DARK, GREEN, LIGHT, ORANGE, PINK, SKY, THEMES, WHITE, Palette

_ASSETS = Path(__file__).parent / "assets"
_BEFORE = ("maths.js", "words.js", "chance.js", "crowd.js", "controls.js", "address.js", "shell.js", "chapters/common.js")
_ONWARD = '<p class="onward"><a href="#" target="_blank" rel="noopener">Open this state on the dashboard</a></p>\n'
_BOUND = (("× ", "×\u00a0"), ("± ", "±\u00a0"), (" − ", "\u00a0−\u00a0"), (" | ", "\u00a0|\u2060\u00a0"))
"""A sign never stands alone at the end of a line, and a difference or a condition is not parted."""

_POLL = '<p class="onward"><a href="#" data-page="learn" target="_blank" rel="noopener">Now ask your class: the poll on page Learn</a></p>\n'
QUESTION = "Have you ever taken something from a shop without paying?"
"""What is asked in the lesson where nobody gives a question of their own."""

CHAPTERS = {
    "find": "Find her",
    "accused": "Accused",
    "bet": "Bet",
    "detective": "Detective",
    "twenty": "Twenty questions",
    "together": "Answer together",
    "friend": "The friend who knows the rest",
    "berkeley": "Berkeley",
    "cheat": "Catch the cheat",
    "trust": "They do not trust you",
}
"""Name -> title of each chapter, in their order."""


def lesson(question: str = "", *, dashboard: str = "") -> str:
    """The ten chapters as one HTML file that needs nothing else: no server, no network, no other file.

    Its own content security policy forbids everything but its own script and style. Without JavaScript, and on paper, it reads as a text.

    Parameters
    ----------
    question : what people are asked in it, to be answered with yes or no, at most ``MAX_TEXT`` characters; ``QUESTION`` where it is blank
    dashboard : http(s) address of a dashboard, or its path on the server that gives the file, to which every chapter links; no links if empty

    Raises
    ------
    InputError
        For a question that is too long or holds half a character, or an address that is no http(s) address.

    Examples
    --------
    >>> page = lesson("Have you ever been paid in cash and told nobody?")
    >>> page.count("paid in cash") > 1, "default-src 'none'" in page, len(page) < 600_000
    (True, True, True)
    """
    style = _colours() + _asset("page.css")
    own = tuple(f"chapters/{number:02}_{name}.js" for number, name in enumerate(CHAPTERS, 1))
    names = (*_BEFORE, *own, "start.js")
    scripts = [asset("sampler.js"), *map(_asset, names)]
    data = {**lesson_numbers(), "dashboard": _checked_dashboard(dashboard)}
    texts = {key: escape(text, quote=False) for key, text in told_numbers().items()}
    texts["question"] = f'<span class="question" dir="auto">{escape(_checked_question(question), quote=False)}</span>'
    block = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return Template(_asset("page.html")).substitute(
        policy=policy(style, scripts),
        style=style,
        contents="\n".join(
            f'<li><a href="#chapter-{i}" data-to="{i - 1}" title="{title}" aria-label="{i} {title}">{i}</a></li>'
            for i, title in enumerate(CHAPTERS.values(), 1)
        ),
        chapters="\n".join(_chapter(i, name, texts, linked=bool(dashboard)) for i, name in enumerate(CHAPTERS, 1)),
        scripts="\n".join(
            (f'<script type="application/json" id="data">{block}</script>', *(f"<script>{script}</script>" for script in scripts))
        ),
    )


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _chapter(number: int, name: str, texts: Mapping[str, str], *, linked: bool) -> str:
    inside = Template(_asset(f"chapters/{number:02}_{name}.html")).substitute(texts)
    for loose, bound in _BOUND:
        inside = inside.replace(loose, bound)
    onward = _ONWARD if linked else ""
    if linked and number == len(CHAPTERS):
        onward += _POLL
    heading = f'<h2 tabindex="-1">{CHAPTERS[name]}</h2>'
    return f'<section class="chapter" id="chapter-{number}">\n{heading}\n{inside}{onward}</section>'


def _checked_question(question: str) -> str:
    text = question.strip() or QUESTION
    if len(text) > MAX_TEXT:
        raise InputError(f"The question has {len(text)} characters: use at most {MAX_TEXT}.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("The question holds half a character (a lone surrogate): retype it.") from None
    return text


def _checked_dashboard(address: str) -> str:
    if address and (address.startswith("//") or not address.lower().startswith(("/", "http://", "https://"))):
        raise InputError(
            f"The dashboard's address is '{address[:80]}': give one that starts with http:// or https://, such as http://localhost:8501/."
        )
    return address if not address or address.endswith("/") else f"{address}/"


def _colours() -> str:
    light, dark = (_ground(palette, THEMES[name]) for name, palette in (("light", LIGHT), ("dark", DARK)))
    shown = f":root[data-theme=dark] {{ color-scheme: dark; {dark} }}\n:root[data-theme=light] {{ color-scheme: light; }}\n"
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root:not([data-theme]) {{ {dark} }} }}\n{shown}"


def _ground(palette: Palette, theme: Mapping[str, str]) -> str:
    colours = {
        "ground": theme["backgroundColor"],
        "raised": theme["secondaryBackgroundColor"],
        "ink": theme["textColor"],
        "text": theme["textColor"],
        "link": theme["linkColor"],
        "line": theme["borderColor"],
        "quiet": palette.text,
        "accent": LIGHT.estimate,
        "onaccent": WHITE,
        "faint": palette.hatch,
        "blue": palette.estimate,
        "orange": ORANGE,
        "green": GREEN,
        "pink": PINK,
        "sky": SKY,
    }
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())
