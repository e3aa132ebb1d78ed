"""Text into plain values: JSON as this program writes it, and nothing that two readers could understand differently.

Refused are a field that stands twice in one place (most readers take the last one, some the first), NaN and Infinity, numbers that are
too large or too long, half characters (lone surrogates), nesting without end, and documents that are too large.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rrcore.errors import DocumentError
from rrcore.limits import MAX_DOCUMENT_BYTES, MAX_DOCUMENT_DEPTH, MAX_DOCUMENT_VALUES, MAX_NUMBER_DIGITS
from rrcore.table.plain.place import Place, shortened

_HALF = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class _SuspectError(ValueError):
    """Something is wrong, at a place that is not known yet."""


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Stands where something is wrong, so that its place can be found: what is there, what was expected."""

    found: str
    expected: str = "a number"


def _marked_whole(text: str) -> int | _Wrong:
    return int(text) if len(text) <= MAX_NUMBER_DIGITS else _Wrong(f"a number of {len(text):,} digits")


def _marked_number(text: str) -> float | _Wrong:
    if len(text) > 10 * MAX_NUMBER_DIGITS:
        return _Wrong(f"a number of {len(text):,} characters")
    return float(text) if math.isfinite(float(text)) else _Wrong(f"the number {shortened(text)}, which is too large")


def _marked_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        found[key] = _Wrong("given twice", "one value") if key in found else value
    return found


def _strict(marked: Callable[[str], Any]) -> Callable[[str], Any]:
    """The same, but a mark is raised."""

    def read(text: str) -> Any:
        value = marked(text)
        if isinstance(value, _Wrong):
            raise _SuspectError
        return value

    return read


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _SuspectError
    return found


_STRICT = json.JSONDecoder(
    object_pairs_hook=_fields,
    parse_int=_strict(_marked_whole),
    parse_float=_strict(_marked_number),
    parse_constant=_strict(_Wrong),
)
_MARKING = json.JSONDecoder(
    object_pairs_hook=_marked_fields, parse_int=_marked_whole, parse_float=_marked_number, parse_constant=_Wrong
)


def parse(content: str | bytes, place: Place, *, most: int = MAX_DOCUMENT_BYTES) -> Any:
    """The plain values of a JSON document: dict, list, str, int, float (finite), bool and None.

    Parameters
    ----------
    content : text, or UTF-8 with or without a byte order mark
    place : Place of the document, for the sentence where something is wrong
    most : int, bytes, or characters of a text, that it may have

    Raises
    ------
    InputError
        With one sentence that says where what was found, and what was expected.

    Examples
    --------
    >>> place = Place("plan file", "choose another")
    >>> parse('{"people": 500, "levels": [1, 2.5]}', place)
    {'people': 500, 'levels': [1, 2.5]}
    >>> parse('{"levels": [1, NaN]}', place)
    Traceback (most recent call last):
    ...
    rrcore.errors.DocumentError: The plan file cannot be used: levels[1] is NaN, and a number was expected; choose another.
    """
    if len(content) > most:
        megabytes = f"{most // 2**20} MB" if most >= 2**20 else f"{most:,} bytes"
        place.complain(f"it has more than {megabytes}")
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise DocumentError(f"The {place.name} is not UTF-8 text: {place.advice}.") from None
    if sum(map(content.count, ",[{")) > MAX_DOCUMENT_VALUES:  # before there is memory for each of them
        place.complain(f"it holds more than {MAX_DOCUMENT_VALUES:,} values")
    try:
        try:
            document = _STRICT.decode(content)
            suspect = bool(_HALF.search(content) or _ESCAPED_HALF.search(content))
        except _SuspectError:
            document, suspect = _MARKING.decode(content), True
    except RecursionError:
        place.complain("it is nested too deeply")
    except ValueError:
        raise DocumentError(f"The {place.name} is not JSON: {place.advice}.") from None
    _check_depth(document, place)
    if suspect:
        _refuse_first(document, place)
    return document


def _check_depth(document: Any, place: Place) -> None:
    level = [document]
    for _ in range(MAX_DOCUMENT_DEPTH):
        level = [inner for outer in level for inner in _inside(outer) if isinstance(inner, dict | list)]
        if not level:
            return
    place.complain(f"its lists and fields are nested more than {MAX_DOCUMENT_DEPTH} deep")


def _inside(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _refuse_first(document: Any, place: Place) -> None:
    """Refuse the first value that is wrong, as the document runs."""
    for here, value in _places(document, place):
        if isinstance(value, _Wrong):
            here.refuse(value.found, value.expected)
        texts = value if isinstance(value, dict) else (value,)
        if any(isinstance(text, str) and _HALF.search(text) for text in texts):
            here.refuse("a text with half a character (a lone surrogate)", "whole characters")


def _places(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    yield place, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, place[key])
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _places(inner, place[number])
