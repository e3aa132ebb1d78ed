"""What the targets of JSON documents have in common: bytes as a document, or as changes to a good one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from rrcore.errors import InputError


def text_of(data: bytes, good: str) -> bytes:
    """The document that ``data`` stands for: itself, or after a byte 1 ``good`` with values of its places replaced."""
    if data[:1] != b"\x01":
        return data
    document = json.loads(good)
    parts, raws = data[1:].split(b"\xff")[:8], []
    for part in parts:
        places = list(nodes(document))
        if len(part) < 3 or not places:
            continue
        *path, last = places[int.from_bytes(part[:2], "big") % len(places)]
        place = document
        for key in path:
            place = place[key]
        place[last] = f"@@{len(raws)}@@"
        raws.append(part[2:])
    text = json.dumps(document).encode()
    for number, raw in enumerate(raws):
        text = text.replace(f'"@@{number}@@"'.encode(), raw)
    return text


def nodes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*path, key)
            yield from nodes(inner, (*path, key))


def checker(read: Callable[[bytes], Any], good: str, *, again: bool = True) -> Callable[[bytes], bool]:
    """A target that returns whether a document is read.

    Any other exception than InputError is a finding, and so is, with ``again``, a document that changes when it is read again.
    """

    def check(data: bytes) -> bool:
        found = None
        with suppress(InputError):
            found = read(text_of(data, good))
        if again and found is not None:
            assert read(found.to_json().encode()) == found
        return found is not None

    return check


def seeds(*good: str) -> list[bytes]:
    """What to begin with."""
    values = (b"1", b'"a"', b"null", b"[]", b"{}", b"1e999", b"NaN", b'"\\ud800"', b"-1", b"0.5", b'["a"]', b"true")
    return [*(one.encode() for one in good), *(b"\x01" + bytes([0, n]) + value for n in range(0, 60, 3) for value in values)]
