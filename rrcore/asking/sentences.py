"""A language of a team's own: a file like those of the program, read strictly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Literal

from rrcore.asking.languages import HEAD, Language, read_file
from rrcore.table.plain import Place, from_plain, parse, to_plain

_PLACE = Place("file of sentences", "copy a file of rrcore/asking/languages, and change its texts alone")
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
    found = from_plain(_Sentences, parse(content, _PLACE), _PLACE, only=True)
    english = read_file("en")
    if not _CODE.fullmatch(found.code):
        _PLACE["code"].refuse(f"the text '{found.code[:40]}'", "a code such as 'sw' or 'pt-BR'")
    _check_numbers(found.numbers, english["numbers"])
    for section in english.keys() - set(HEAD):
        _check_section(_PLACE[section], getattr(found, section), english[section])
    return Language.of(to_plain(found))


def _check_numbers(given: Mapping[str, str], english: Mapping[str, str]) -> None:
    place = _PLACE["numbers"]
    for name in sorted(given.keys() | english.keys()):
        if name not in given or name not in english:
            place.refuse(f"{'without' if name in english else 'with'} '{name[:40]}'", f"the fields {', '.join(english)}")
        if placeholders(given[name]) != placeholders(english[name]):
            place[name].refuse(f"the text '{given[name][:40]}'", f"a text like the English '{english[name]}'")
        if english[name].isdigit() and not _WHOLE.fullmatch(given[name]):
            place[name].refuse(f"the text '{given[name][:40]}'", "a whole number")


def _check_section(place: Place, given: Mapping[str, _Text], english: Mapping[str, Mapping[str, str]]) -> None:
    for key in sorted(given.keys() ^ english.keys()):
        place.refuse(f"{'without' if key in english else 'with'} '{key[:40]}'", "each text of the English file, and no other,")
    for key, text in given.items():
        wanted = placeholders(english[key]["text"])
        if not text.text.strip() or placeholders(text.text) != wanted:
            with_these = f"a text with {' and '.join(sorted(wanted))}" if wanted else "a text without braces"
            place[key].refuse(f"the text '{text.text[:60]}'", with_these)
        if len(text.text) > text.length:
            place[key].refuse(f"a text of {len(text.text)} characters", f"one of at most {text.length}")


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


@dataclass(frozen=True)
class _Text:
    """One text of a file."""

    text: str
    context: str
    length: int
    reviewed_by: str


@dataclass(frozen=True)
class _Sentences:
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
