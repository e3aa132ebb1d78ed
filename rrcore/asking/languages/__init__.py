"""Languages of the form and its invitation, one file each.

Each file contains the texts and the number format of one language.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Literal

from rrcore.errors import InputError
from rrcore.wording import exact_odds_text, percent

_FOLDER = Path(__file__).parent
HEAD = ("code", "name", "direction", "numbers")
"""Names of the entries before the sections of a file."""


def read_file(code: str) -> dict[str, Any]:
    """Return the content of a language's file."""
    found: dict[str, Any] = json.loads((_FOLDER / f"{code}.json").read_text(encoding="utf-8"))
    return found


_CODES = sorted((path.stem for path in _FOLDER.glob("*.json")), key=lambda code: (code != "en", code))

LANGUAGES: Mapping[str, str] = {code: read_file(code)["name"] for code in _CODES}
"""Code (ISO 639-1) -> name of the language in that language. Each has a file <code>.json in this folder. English comes first."""

UNTITLED: str = read_file("en")["form"]["untitled"]["text"]
"""The default title of a survey."""

_MILLION = " million"


@dataclass(frozen=True, eq=False)
class Language:
    """A language: texts by section and key, and how it writes numbers.

    Texts can contain {placeholders}.

    Parameters
    ----------
    code : str, ISO 639-1, as in an HTML ``lang``
    name : str, name of the language in the language itself
    direction : "ltr", or "rtl" for languages written from right to left
    numbers : format of numbers, as in the file
    sections : section -> key -> text
    unread : number of texts that no native speaker has approved, 0 for English

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rrcore.asking.languages import language
    >>> spanish = language("es")
    >>> spanish.text("form", "step", number=1, all=3), spanish.factor(Fraction(2490)), spanish.factor(Fraction(15, 2))
    ('Paso 1 de 3', '2490', '7,50')
    """

    code: str
    name: str
    direction: Literal["ltr", "rtl"]
    numbers: Mapping[str, str]
    sections: Mapping[str, Mapping[str, str]]
    unread: int = 0

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Language:
        """Return the language in a file.

        For each text, the file has its context, its maximum length, and the person who approved it.
        """
        entries = {section: texts for section, texts in document.items() if section not in HEAD}
        texts = {section: {key: each["text"] for key, each in entry.items()} for section, entry in entries.items()}
        unread = sum(not each["reviewed_by"] for entry in entries.values() for each in entry.values())
        code = document["code"]
        return cls(code, document["name"], document["direction"], document["numbers"], texts, unread if code != "en" else 0)

    @property
    def status(self) -> str:
        """State that no native speaker has approved all texts.

        The text is empty if all texts are approved.
        """
        return f"{self.name} ({self.code}): not yet read by a native speaker." if self.unread else ""

    def title(self, title: str) -> str:
        """Return the title of a survey.

        If the team kept the English default, the title is the word for a survey in this language.
        """
        return self.text("form", "untitled") if title.strip() == UNTITLED else title

    def text(self, section: str, key: str, **values: object) -> str:
        """Return a text with its placeholders filled."""
        return self.sections[section][key].format(**values)

    def html(self, section: str, key: str, **values: str) -> str:
        """Return a text as HTML.

        The text is escaped, and its placeholders are filled with ``values``, which are HTML.
        """
        return hard_spaces(escape(self.sections[section][key]).format(**values))

    def reported(self, report: str) -> str:
        """Translate reports of a design that are not answers.

        Examples are "circle", "triangle" and "2 red". Other reports are unchanged.

        Examples
        --------
        >>> language("de").reported("triangle"), language("de").reported("2 red"), language("de").reported("4")
        ('Dreieck', '2 rote', '4')
        """
        number, _, kind = report.rpartition(" ")
        known = kind in self.sections["reports"] and (number.isdecimal() if kind == "red" else not number)
        return self.text("reports", kind, number=number) if known else report

    def number(self, english: str) -> str:
        """Return a number such as "2,490.5" in the format of this language."""
        whole, point, decimals = english.partition(".")
        if sum(map(str.isdigit, whole)) < int(self.numbers["group_from"]):
            whole = whole.replace(",", "")
        return whole.replace(",", self.numbers["thousands"]) + (self.numbers["decimal"] if point else "") + decimals

    def percent(self, share: float) -> str:
        """Return a probability in percent, with the digits of ``rrcore.wording.percent``."""
        return self.numbers["percent"].format(number=self.number(percent(share).removesuffix("%")))

    def of_100(self, share: Fraction) -> str:
        """Return how many of 100 people, rounded to a whole number (halves upwards).

        The text is "17" if that is exact, otherwise "about 17". Below one half, it is "fewer than 1". Numbers that would round
        to 100 become "more than 99".
        """
        number = whole_of_100(share)
        if 100 * share == number:
            return str(number)
        return self.numbers["fewer" if number == 0 else "more" if number == 100 else "about"].format(number=str(number))

    def counting(self, section: str, key: str, share: Fraction, **values: object) -> str:
        """Return a text about some of 100 people.

        For at most one person, the key of the text is ``key`` followed by ``_one``.
        """
        which = f"{key}_one" if 0 < share < Fraction(3, 200) else key
        return self.text(section, which, share=self.of_100(share), **values)

    def factor(self, ratio: Fraction) -> str:
        """Return a factor of at least 1 by which odds can shift.

        The text has the digits of ``rrcore.wording.exact_odds_text``.
        """
        english = exact_odds_text(ratio)
        if not english.endswith(_MILLION):
            return self.number(english)
        digits = english.removesuffix(_MILLION)
        one = float(digits) == 1 or float(digits) < float(self.numbers["singular_below"])
        return self.numbers["million" if one else "millions"].format(number=self.number(digits))


@cache
def language(code: str) -> Language:
    """Return the language with the given ``code``.

    Raises
    ------
    InputError
        If there are no texts in the language.
    """
    if code not in LANGUAGES:
        raise InputError(f"The language '{code[:40]}' is not available. Choose one of {', '.join(LANGUAGES)}.")
    return Language.of(read_file(code))


def whole_of_100(share: Fraction) -> int:
    """Return a share as a whole number of 100, with halves rounded upwards."""
    return math.floor(100 * share + Fraction(1, 2))


@cache
def every(section: str, key: str) -> tuple[str, ...]:
    """Return a text in all languages."""
    return tuple(language(code).text(section, key) for code in LANGUAGES)


def hard_spaces(html: str) -> str:
    """Replace the non-breaking spaces in HTML by visible entities."""
    return html.replace("\u00a0", "&nbsp;").replace("\u202f", "&#8239;")
