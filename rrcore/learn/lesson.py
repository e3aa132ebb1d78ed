"""Make the ten chapters as one HTML file from the files in ``assets``."""

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template

from rrcore.asking.shared_parts import asset, policy
from rrcore.errors import InputError
from rrcore.learn.numbers import lesson_numbers
from rrcore.learn.numbers_in_texts import text_numbers
from rrcore.limits import MAX_TEXT
from rrcore.plots.palette import DARK, GREEN, LIGHT, ORANGE, PINK, SKY, THEMES, WHITE, Palette

_ASSETS = Path(__file__).parent / "assets"
_BEFORE = ("maths.js", "words.js", "chance.js", "crowd.js", "controls.js", "address.js", "shell.js", "chapters/common.js")
_ONWARD = '<p class="onward"><a href="#" target="_blank" rel="noopener">Open this example in RR Workbench</a></p>\n'
_BOUND = ((" × ", "\u00a0×\u00a0"), (" = ", "\u00a0=\u00a0"), (" − ", "\u00a0−\u00a0"), (" | ", "\u00a0|\u2060\u00a0"))
"""Signs that never end a line."""

_POLL = (
    '<p class="onward"><a href="#" data-page="learn" target="_blank" rel="noopener">Ask your own class: start a poll</a></p>\n'
)
QUESTION = "Have you ever taken something from a shop without paying?"
"""The question of the lesson if nobody gives another one."""

CHAPTERS = {
    "find": "Find her",
    "accused": "Accused: a five-minute demonstration",
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
    """Return the ten chapters as one HTML file that needs no server, no network and no other file.

    The content security policy allows only the file's own script and style. Without JavaScript, and on paper, the file can be read as text.

    Parameters
    ----------
    question : str
        A yes/no question of at most ``MAX_TEXT`` characters. A blank text is replaced by ``QUESTION``.
    dashboard : str
        Address (http or https) of RR Workbench, or its path on the server of the file, to which every chapter links. No links if empty.

    Raises
    ------
    InputError
        If the question is too long or has a lone surrogate, or the address is not an http(s) address.

    Examples
    --------
    >>> page = lesson("Have you ever been paid in cash?")
    >>> page.count("paid in cash") > 1, "default-src 'none'" in page, len(page) < 600_000
    (True, True, True)
    """
    style = _colors() + _asset("page.css")
    own = tuple(f"chapters/{number:02}_{name}.js" for number, name in enumerate(CHAPTERS, 1))
    names = (*_BEFORE, *own, "start.js")
    scripts = [asset("sampler.js"), *map(_asset, names)]
    data = {**lesson_numbers(), "dashboard": _checked_dashboard(dashboard)}
    texts = {key: escape(text, quote=False) for key, text in text_numbers().items()}
    texts["question"] = f'<span class="question" dir="auto">{escape(_checked_question(question), quote=False)}</span>'
    block = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return Template(_asset("page.html")).substitute(
        policy=policy(style, scripts),
        style=style,
        contents="\n".join(
            f'<li><a href="#chapter-{i}" data-to="{i - 1}" aria-label="{i} {title}">{i}<span>&nbsp;{title}</span></a></li>'
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
        raise InputError(f"The question has {len(text)} characters. Use at most {MAX_TEXT}.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("The question contains an invalid character (a lone surrogate). Type it again.") from None
    return text


def _checked_dashboard(address: str) -> str:
    if address and (address.startswith("//") or not address.lower().startswith(("/", "http://", "https://"))):
        raise InputError(
            f"The address of RR Workbench is '{address[:80]}'. It must start with http:// or https://, such as http://localhost:8501/."
        )
    return address if not address or address.endswith("/") else f"{address}/"


def _colors() -> str:
    light, dark = (_ground(palette, THEMES[name]) for name, palette in (("light", LIGHT), ("dark", DARK)))
    shown = f":root[data-theme=dark] {{ color-scheme: dark; {dark} }}\n:root[data-theme=light] {{ color-scheme: light; }}\n"
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root:not([data-theme]) {{ {dark} }} }}\n{shown}"


def _ground(palette: Palette, theme: Mapping[str, str]) -> str:
    colors = {
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
    return " ".join(f"--{name}: {color};" for name, color in colors.items())
