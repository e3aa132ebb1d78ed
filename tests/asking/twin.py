"""What assets/languages.js does with a form in a browser, in Python."""

import json
import re
from html import escape, unescape
from itertools import count

from rrcore.asking.more_languages import _BLANK, _TAG, _UNSEEN

_PAGE = re.compile(r"(?<=<main>\n).*(?=\n</footer>)", re.DOTALL)
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def in_language(form, code):
    """A form that begins in one of its further languages; what can be chosen stays the same."""
    (data,) = _DATA.findall(form)
    said = json.loads(data)["languages"][code]
    (page,) = _PAGE.findall(form)
    form = form.replace(page, _with_texts(page, said["page"]), 1)
    form = re.sub(r'(<p class="introduction" dir="auto") hidden>(?!&nbsp;)', r"\1>", form)
    form = re.sub(r"<h1 [^>]*>.*?</h1>", lambda _: f'<h1 dir="auto">{escape(said["title"])}</h1>', form, count=1, flags=re.DOTALL)
    return re.sub(r'<html lang="[^"]*"( dir="rtl")?', f'<html lang="{code}" dir="{said["direction"]}"', form, count=1)


def _with_texts(page, texts):
    """A page of the first language with the texts of a further one."""
    pieces, at = _TAG.split(_UNSEEN.sub("", page)), count()
    for place, was in enumerate(pieces):
        if place % 2 == 0 and unescape(was).strip(_BLANK):
            own = texts[next(at)]
            own = texts[own] if isinstance(own, int) else own
            pieces[place] = escape(own) if own else was
    return "".join(pieces)
