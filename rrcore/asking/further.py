"""The further languages of a form: its page is there once, and of each further language the texts in their order.

A text is what stands between two tags. The script puts those of the chosen language in place of the first ones (assets/languages.js).
"""

import json
import re
from html import escape, unescape
from itertools import count
from typing import Any

_TAG = re.compile(r"(<[^>]*>)")
_UNSEEN = re.compile(r"<noscript>.*?</noscript>", re.DOTALL)  # where there is a script nobody sees it
_BLANK = " \n\r\t\f\0"
_PAGE = re.compile(r"(?<=<main>\n).*(?=\n</footer>)", re.DOTALL)
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def further_texts(first: str, further: str) -> list[str | int]:
    """The texts of a page in a further language, one for each of the page in the first one.

    Empty where both are the same, and the position of an earlier text where it is that one once more.

    Examples
    --------
    >>> further_texts("<p>no</p><p>1</p><p>no</p>", "<p>non</p><p>1</p><p>non</p>")
    ['non', '', 0]
    """
    found, seen = list[str | int](), dict[str, int]()
    for was, text in zip(_texts(first), _texts(further), strict=True):
        if was.strip(_BLANK):
            found.append("" if text == was else seen.get(text, text))
            seen.setdefault(text, len(found) - 1)
    return found


def _texts(page: str) -> list[str]:
    return [unescape(text).replace("\r\n", "\n").replace("\r", "\n") for text in _TAG.split(_UNSEEN.sub("", page))[::2]]


def in_language(form: str, code: str) -> str:
    """A form that begins in one of its further languages; what can be chosen stays the same."""
    (data,) = _DATA.findall(form)
    said = json.loads(data)["said"][code]
    (page,) = _PAGE.findall(form)
    form = form.replace(page, _with_texts(page, said["page"]), 1)
    form = re.sub(r'(<p class="introduction" dir="auto") hidden>(?!&nbsp;)', r"\1>", form)
    form = re.sub(r"<h1 [^>]*>.*?</h1>", lambda _: f'<h1 dir="auto">{escape(said["title"])}</h1>', form, count=1, flags=re.DOTALL)
    return re.sub(r'<html lang="[^"]*"( dir="rtl")?', f'<html lang="{code}" dir="{said["direction"]}"', form, count=1)


def _with_texts(page: str, texts: list[Any]) -> str:
    """A page of the first language with the texts of a further one."""
    pieces, at = _TAG.split(_UNSEEN.sub("", page)), count()
    for place, was in enumerate(pieces):
        if place % 2 == 0 and unescape(was).strip(_BLANK):
            own = texts[next(at)]
            own = texts[own] if isinstance(own, int) else own
            pieces[place] = escape(own) if own else was
    return "".join(pieces)
