"""The languages that respondents and interviewers read: the form's and the sheets' texts and ways to write numbers, one file each."""

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
"""What stands at the top of a file, before its sections."""


def read_file(code: str) -> dict[str, Any]:
    """What the file of a language says."""
    found: dict[str, Any] = json.loads((_FOLDER / f"{code}.json").read_text(encoding="utf-8"))
    return found


_CODES = sorted((path.stem for path in _FOLDER.glob("*.json")), key=lambda code: (code != "en", code))

LANGUAGES: Mapping[str, str] = {code: read_file(code)["name"] for code in _CODES}
"""Code (ISO 639-1) -> the language's own name: each is a file <code>.json beside this one, English is the first."""

UNTITLED: str = read_file("en")["form"]["untitled"]["text"]
"""The title of a survey that has none yet."""

_MILLION = " million"


@dataclass(frozen=True, eq=False)
class Language:
    """One language: texts by section and key, with {placeholders}, and how numbers are written.

    Parameters
    ----------
    code : str, ISO 639-1, as in an HTML ``lang``
    name : str, what the language calls itself
    direction : "ltr", or "rtl" where it is written from right to left
    numbers : how they are written, as in the file
    sections : section -> key -> text
    unread : how many of the texts no native speaker has signed off; English is what all are translated from, and has none

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
        """The language of a file that says, for each text, its context, the room it has, and who signed it off."""
        entries = {section: texts for section, texts in document.items() if section not in HEAD}
        texts = {section: {key: each["text"] for key, each in entry.items()} for section, entry in entries.items()}
        unread = sum(not each["reviewed_by"] for entry in entries.values() for each in entry.values())
        code = document["code"]
        return cls(code, document["name"], document["direction"], document["numbers"], texts, unread if code != "en" else 0)

    @property
    def status(self) -> str:
        """That no native speaker has read all of it yet, in a sentence; empty where one has."""
        return f"{self.name} ({self.code}): not yet read by a native speaker." if self.unread else ""

    def title(self, title: str) -> str:
        """The title of a survey: what a survey is called where the team left the title as it was, in English."""
        return self.text("form", "untitled") if title.strip() == UNTITLED else title

    def text(self, section: str, key: str, **values: object) -> str:
        """One text with its placeholders filled."""
        return self.sections[section][key].format(**values)

    def html(self, section: str, key: str, **values: str) -> str:
        """One text as HTML: it is escaped, and its placeholders filled with ``values``, which are HTML already."""
        return hard_spaces(escape(self.sections[section][key]).format(**values))

    def reported(self, report: str) -> str:
        """How the language says what a design has people report that is no answer: "circle", "triangle", "2 red"; others stay.

        Examples
        --------
        >>> language("de").reported("triangle"), language("de").reported("2 red"), language("de").reported("4")
        ('Dreieck', '2 rote', '4')
        """
        number, _, kind = report.rpartition(" ")
        known = kind in self.sections["reports"] and (number.isdecimal() if kind == "red" else not number)
        return self.text("reports", kind, number=number) if known else report

    def number(self, english: str) -> str:
        """A number written in English ("2,490.5"), as this language writes it."""
        whole, point, decimals = english.partition(".")
        if sum(map(str.isdigit, whole)) < int(self.numbers["group_from"]):
            whole = whole.replace(",", "")
        return whole.replace(",", self.numbers["thousands"]) + (self.numbers["decimal"] if point else "") + decimals

    def percent(self, share: float) -> str:
        """A probability in percent, with the digits of ``rrcore.wording.percent``."""
        return self.numbers["percent"].format(number=self.number(percent(share).removesuffix(" %")))

    def of_100(self, share: Fraction) -> str:
        """How many of 100 people, in whole ones (halves upwards): "17" where it is exactly that, else "about 17".

        Less than one half is "fewer than 1", and what would round to 100 "more than 99".
        """
        number = whole_of_100(share)
        if 100 * share == number:
            return str(number)
        return self.numbers["fewer" if number == 0 else "more" if number == 100 else "about"].format(number=str(number))

    def counting(self, section: str, key: str, share: Fraction, **values: object) -> str:
        """A text about so many of 100 people: that of one where there is at most one, ``key`` followed by _one."""
        which = f"{key}_one" if 0 < share < Fraction(3, 200) else key
        return self.text(section, which, share=self.of_100(share), **values)

    def factor(self, ratio: Fraction) -> str:
        """A factor by which odds move, at least 1, with the digits of ``rrcore.wording.exact_odds_text``."""
        english = exact_odds_text(ratio)
        if not english.endswith(_MILLION):
            return self.number(english)
        digits = english.removesuffix(_MILLION)
        one = float(digits) == 1 or float(digits) < float(self.numbers["singular_below"])
        return self.numbers["million" if one else "millions"].format(number=self.number(digits))


@cache
def language(code: str) -> Language:
    """The language called ``code``.

    Raises
    ------
    InputError
        For a language there are no texts in.
    """
    if code not in LANGUAGES:
        raise InputError(f"There are no texts in the language '{code[:40]}': choose among {', '.join(LANGUAGES)}.")
    return Language.of(read_file(code))


def whole_of_100(share: Fraction) -> int:
    """A share as so many of 100, rounded, halves upwards."""
    return math.floor(100 * share + Fraction(1, 2))


@cache
def every(section: str, key: str) -> tuple[str, ...]:
    """One text in all languages."""
    return tuple(language(code).text(section, key) for code in LANGUAGES)


def hard_spaces(html: str) -> str:
    """HTML with its spaces that must not break a line written so that they can be seen."""
    return html.replace("\u00a0", "&nbsp;").replace("\u202f", "&#8239;")
