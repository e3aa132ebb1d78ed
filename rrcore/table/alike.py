"""Texts that people take for the same: other letters of the same shape, characters without width, capitals, marks, spaces."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_SHAPES = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u04bb"  # Cyrillic
    "\u03b1\u03b2\u03b5\u03b6\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03f2"  # Greek
    "\u0131\u0261\u2010\u2011\u2012\u2013\u2014\u2212\u2018\u2019\u201a\u02bc\u201c\u201d\u201e\u00ab\u00bb",
    'abekmhopctyxijsdqwhabezhikuvoptyxcig------\'\'\'\'"""""',
)  # what has the shape of a Latin letter in capitals or small, then dashes and quotation marks


def skeleton(text: str) -> str:
    """What a text looks like: the same for texts that are taken for the same.

    Unicode's compatible forms are one (NFKC), and so are capitals and small letters; characters that are not seen go, as do apostrophes that
    make a formula safe; Cyrillic and Greek letters of a Latin shape are Latin.

    Examples
    --------
    >>> [skeleton(text) for text in ("Yes", "YES", "Y\\u0435s", "Yes\\u200b", "Y es", "Ｙｅｓ")]
    ['yes', 'yes', 'yes', 'yes', 'y es', 'yes']
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    seen = "".join(
        character for character in plain if unicodedata.category(character) not in ("Cf", "Cc", "Mn") or character == "\n"
    )
    return " ".join(seen.translate(_SHAPES).lstrip("'").split())


def look_alikes(texts: Sequence[str]) -> list[list[int]]:
    """The places of texts that look alike, each group together; a text that looks like no other is in none."""
    groups: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        groups.setdefault(skeleton(text), []).append(place)
    return [group for group in groups.values() if len(group) > 1]


def visible(text: str) -> str:
    """A text with what cannot be told by looking at it written out: characters that are not seen, and letters of another script.

    Examples
    --------
    >>> visible("Yes\\u200b"), visible("Y\\u0435s"), visible("да")
    ('Yes[ZERO WIDTH SPACE]', 'Y[CYRILLIC SMALL LETTER IE]s', 'да')
    """
    latin = any(character.isascii() and character.isalpha() for character in text)
    return "".join(_told(character) if _odd(character, latin) else character for character in text)


def _unseen(character: str) -> bool:
    return unicodedata.category(character) in ("Cf", "Cc") or "\ufe00" <= character <= "\ufe0f"


def _odd(character: str, latin: bool) -> bool:
    if _unseen(character) or (latin and unicodedata.category(character) == "Mn"):
        return True
    return latin and not character.isascii() and character.lower().translate(_SHAPES) != character.lower() and character.isalpha()


def _told(character: str) -> str:
    return f"[{unicodedata.name(character, f'U+{ord(character):04X}')}]"
