"""Text into plain values: JSON as this program writes it, and nothing that two readers could understand differently.

Refused are a field that stands twice in one place (most readers take the last one, some the first), NaN and Infinity, numbers that are
too large or too long, half characters (lone surrogates), nesting without end, and documents that are too large.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rrcore.errors import DocumentError
from rrcore.limits import MAX_DOCUMENT_BYTES, MAX_DOCUMENT_DEPTH, MAX_DOCUMENT_VALUES, MAX_NUMBER_DIGITS
from rrcore.table.plain.place import Place, shortened
from rrcore.wording.json_values import finite

_HALF = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Stands where something is wrong, so that its place can be found: what is there, what was expected."""

    found: str
    expected: str = "a number"


class _SuspectError(ValueError):
    """Something is wrong, at a place that is not known yet."""


def _decoder(wrong: Callable[[_Wrong], Any]) -> json.JSONDecoder:
    """Reads JSON, with what ``wrong`` makes of values that are wrong in their place."""

    def whole(text: str) -> Any:
        return int(text) if len(text) <= MAX_NUMBER_DIGITS else wrong(_Wrong(f"a number of {len(text):,} digits"))

    def number(text: str) -> Any:
        if len(text) > 10 * MAX_NUMBER_DIGITS:
            return wrong(_Wrong(f"a number of {len(text):,} characters"))
        return float(text) if math.isfinite(float(text)) else wrong(_Wrong(f"the number {shortened(text)}, which is too large"))

    def named(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            times = Counter(key for key, _ in pairs)
            found |= {key: wrong(_Wrong("given twice", "one value")) for key in found if times[key] > 1}
        return found

    return json.JSONDecoder(
        object_pairs_hook=named, parse_int=whole, parse_float=number, parse_constant=lambda text: wrong(_Wrong(text))
    )


def _suspect(wrong: _Wrong) -> Any:
    raise _SuspectError


_STRICT, _MARKING = _decoder(_suspect), _decoder(lambda wrong: wrong)


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
    suspect = bool(_HALF.search(content) or _ESCAPED_HALF.search(content))
    try:
        try:
            document = _STRICT.decode(content)
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
        inside = (outer.values() if isinstance(outer, dict) else outer for outer in level if isinstance(outer, dict | list))
        level = [inner for values in inside for inner in values if isinstance(inner, dict | list)]
        if not level:
            return
    place.complain(f"its lists and fields are nested more than {MAX_DOCUMENT_DEPTH} deep")


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


def json_text(value: Any, *, indent: int | None = None, ascii: bool = False) -> str:
    """``value`` as JSON that every reader takes: it has no infinity, so null stands for a number that is not known or has no bound.

    Examples
    --------
    >>> json_text({"low": float("-inf"), "answers": 1})
    '{"low": null, "answers": 1}'
    """
    try:
        return json.dumps(value, ensure_ascii=ascii, indent=indent, allow_nan=False)
    except ValueError:
        return json.dumps(finite(value), ensure_ascii=ascii, indent=indent, allow_nan=False)
