"""Which encoding a text is in: UTF-8, UTF-16, Windows-1252, or in doubt where it is UTF-8 in some places and not in others."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rrcore.errors import InputError

ENCODINGS = ("mixed", "latin-1")
"""What decides where a text is UTF-8 in some places and not in others.

"mixed" reads as Windows-1252 only what is not UTF-8, "latin-1" all of it.
"""

NOTES = {
    "utf-8": (),
    "latin-1": ("Read as Latin-1 text.",),
    "mixed": ("Read as UTF-8 text, and as Windows-1252 where it is not UTF-8.",),
}
"""How a text was read, by its encoding."""

MARK = b"\xef\xbb\xbf"
"""What some programs begin a text in UTF-8 with."""

# how errors of decoding are handled: every byte is a character, in Latin-1 where Windows-1252 has none
_BYTES = "rrcore.windows-1252"
_CHARACTERS = [bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256)]
_CODECS = {"utf-8": ("utf-8", "strict"), "latin-1": ("cp1252", _BYTES), "mixed": ("utf-8", _BYTES)}
_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)  # a character of UTF-8 beyond ASCII
_BEFORE, _AFTER = 20, 40  # bytes of an example


def _as_bytes(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "".join(_CHARACTERS[byte] for byte in error.object[error.start : error.end]), error.end


codecs.register_error(_BYTES, _as_bytes)


@dataclass(frozen=True)
class Example:
    """A place in a text that is in doubt.

    Parameters
    ----------
    line : its number, from 1
    mixed, latin : what stands there, read by each of ``ENCODINGS``
    """

    line: int
    mixed: str
    latin: str


class MixedEncodingError(InputError):
    """A text is UTF-8 in some places and not in others: ``examples`` are the first of either, and ``ENCODINGS`` are what it may be."""

    def __init__(self, examples: Iterable[Example]) -> None:
        self.examples = tuple(examples)
        known, odd = self.examples
        quoted = f"'{known.mixed}' as mixed and '{known.latin}' as latin-1"
        super().__init__(
            f"The text is UTF-8 in line {known.line:,} and not in line {odd.line:,}: line {known.line:,} has {quoted}. Save it again as "
            "UTF-8, or say how it is read, with 'encoding' mixed or latin-1.",
            quoted=quoted,
        )

    def __reduce__(self) -> tuple[type[MixedEncodingError], tuple[tuple[Example, ...]]]:
        return type(self), (self.examples,)  # from one process to another


def wide_encoding(head: bytes, size: int) -> str:
    """The UTF-16 that a file of ``size`` bytes is in by its first ones, at most 4,096; "" where it is in none."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    first = np.frombuffer(head[: min(2**12, len(head) & ~1)], np.uint8)
    odd, even = np.count_nonzero(first[1::2] == 0), np.count_nonzero(first[::2] == 0)
    if size % 2 == 0 and max(odd, even) > 0.3 * len(first) and min(odd, even) <= 0.02 * len(first):
        return "utf-16-le" if odd > even else "utf-16-be"
    return ""


def find_encoding(blocks: Iterable[bytes]) -> str | MixedEncodingError:
    """What a text is in, a key of ``NOTES``, by all of it, without a mark; or the doubt, where it is UTF-8 in some places and not in others.

    Examples
    --------
    >>> from rrcore.table.reading.encoding import find_encoding
    >>> find_encoding([b"Z\\xc3\\xbcrich"]), find_encoding([b"Z\\xfcrich"])
    ('utf-8', 'latin-1')
    >>> find_encoding([b"Z\\xc3\\xbcrich\\nZ\\xfcrich\\n"]).examples[1]
    Example(line=2, mixed='Zürich', latin='Zürich')
    """
    known: Example | None = None
    odd: Example | None = None
    line = 1
    for text in _whole_characters(blocks):
        if not text.isascii():
            if known is None and (found := _SEQUENCE.search(text)):
                known = _example(text, found.start(), line)
            if odd is None and (place := _first_odd(text)) >= 0:
                odd = _example(text, place, line)
            if known is not None and odd is not None:
                return MixedEncodingError((known, odd))
        line += text.count(b"\n")
    return "utf-8" if odd is None else "latin-1"


def decide(found: str | MixedEncodingError, asked: str) -> str:
    """The encoding that a text is read in; ``asked`` decides where that is in doubt. Raises MixedEncodingError where nobody decided."""
    check_encoding(asked)
    if isinstance(found, str):
        return found
    if not asked:
        raise found
    return asked


def check_encoding(asked: str) -> None:
    """Raise InputError for anything but one of ``ENCODINGS``, or "" for none."""
    if asked and asked not in ENCODINGS:
        raise InputError(f"There is no 'encoding' {asked[:40]} to decide by: give {' or '.join(ENCODINGS)}.")


def decoder(encoding: str) -> codecs.IncrementalDecoder:
    """What decodes a text without a mark piece by piece; ``encoding`` is a key of ``NOTES``, or a UTF-16."""
    codec, errors = _CODECS.get(encoding, (encoding, "strict"))
    return codecs.getincrementaldecoder(codec)(errors)


def _whole_characters(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The text of ``blocks`` in pieces that end where no character of UTF-8 goes on."""
    held = b""
    for block in blocks:
        text = held + block
        cut = _complete(text)
        yield text[:cut]
        held = text[cut:]
    yield held


def _complete(text: bytes) -> int:
    """How much of a text is left without a character of UTF-8 that is cut short at its end, if there is one."""
    begun = next((place for place in range(1, min(3, len(text)) + 1) if text[-place] >= 0xC2), 0)
    return len(text) - begun if begun and not _SEQUENCE.fullmatch(text[-begun:]) else len(text)


def _first_odd(text: bytes) -> int:
    """Place of the first byte that belongs to no character of UTF-8; -1 where there is none."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start
    return -1


def _example(text: bytes, place: int, line: int) -> Example:
    """What stands around a place in a text whose first line has this number."""
    start = max(text.rfind(b"\n", 0, place) + 1, place - _BEFORE)
    end = text.find(b"\n", place)
    piece = text[start : min(end if end >= 0 else len(text), place + _AFTER)]
    if start == place - _BEFORE:
        piece = piece.lstrip(bytes(range(0x80, 0xC0)))
    piece = piece[: _complete(piece)] if len(piece) > _AFTER else piece
    mixed, latin = (decoder(each).decode(piece, final=True).strip() for each in ENCODINGS)
    return Example(line + text.count(b"\n", 0, place), mixed, latin)
