"""A language of a team's own: a file like those of the program, read strictly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Literal, NoReturn

import msgspec

from rrcore.asking.languages import HEAD, Language, read_file
from rrcore.documents import Fields, decode
from rrcore.errors import DocumentError
from rrcore.wording.short import shortened

_CALLED, _ADVICE = "file of sentences", "copy a file of rrcore/asking/languages, and change its texts alone"
_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?")
_WHOLE = re.compile(r"[0-9]{1,4}")


def read_sentences(content: str | bytes) -> Language:
    """A language from a file of a team's own.

    Parameters
    ----------
    content : JSON, a copy of a file of rrcore/asking/languages with other texts

    Raises
    ------
    InputError
        Where a text is missing, too many, too long or empty, or its placeholders are others.

    Examples
    --------
    >>> import json
    >>> content = json.dumps(read_file("fr"), ensure_ascii=False)
    >>> read_sentences(content.replace("Commencer", "Démarrer")).text("form", "start")
    'Démarrer'
    """
    found = decode(content, _Sentences, _CALLED, _ADVICE)
    english = read_file("en")
    if not _CODE.fullmatch(found.code):
        _refuse("code", "a code such as 'sw' or 'pt-BR'", found.code)
    _check_numbers(found.numbers, english["numbers"])
    for section in english.keys() - set(HEAD):
        _check_section(section, getattr(found, section), english[section])
    return Language.of(msgspec.to_builtins(found))


def _refuse(place: str, expected: str, text: str) -> NoReturn:
    raise DocumentError(f"In the {_CALLED}, {place}: expected {expected}, got '{shortened(text)}'. {_ADVICE.capitalize()}.")


def _check_numbers(given: Mapping[str, str], english: Mapping[str, str]) -> None:
    _check_names("numbers", given, english)
    for name, text in given.items():
        if placeholders(text) != placeholders(english[name]):
            _refuse(f"numbers.{name}", f"a text like the English '{english[name]}'", text)
        if english[name].isdigit() and not _WHOLE.fullmatch(text):
            _refuse(f"numbers.{name}", "a whole number", text)


def _check_names(place: str, given: Mapping[str, object], english: Mapping[str, object]) -> None:
    if other := sorted(given.keys() ^ english.keys()):
        _refuse(place, "each text of the English file and no other", f"{'no' if other[0] in english else 'also'} {other[0]}")


def _check_section(section: str, given: Mapping[str, _Text], english: Mapping[str, Mapping[str, str]]) -> None:
    _check_names(section, given, english)
    for key, text in given.items():
        wanted = placeholders(english[key]["text"])
        if not text.text.strip() or placeholders(text.text) != wanted:
            with_these = f"a text with {' and '.join(sorted(wanted))}" if wanted else "a text without braces"
            _refuse(f"{section}.{key}", with_these, text.text)
        if len(text.text) > text.length:
            _refuse(f"{section}.{key}", f"at most {text.length} characters", text.text)


def placeholders(text: str) -> set[str]:
    """The placeholders of a text, as they are written; a lone brace where it cannot be filled.

    Examples
    --------
    >>> sorted(placeholders("{low} to {high}")), placeholders("{")
    (['{high}', '{low}'], {'{'})
    """
    try:
        parts = list(Formatter().parse(text))
    except ValueError:
        return {"{"}
    return {
        f"{{{name}{'!' + how if how else ''}{':' + spec if spec else ''}}}" for _, name, spec, how in parts if name is not None
    }


class _Text(Fields, frozen=True):
    """One text of a file."""

    text: str
    context: str
    length: int
    reviewed_by: str


class _Sentences(Fields, frozen=True):
    """The fields of a file of texts."""

    code: str
    name: str
    direction: Literal["ltr", "rtl"]
    numbers: Mapping[str, str]
    form: Mapping[str, _Text]
    script: Mapping[str, _Text]
    page: Mapping[str, _Text]
    invitation: Mapping[str, _Text]
    reports: Mapping[str, _Text]
