"""Which encoding a text is in: what is certain by all of it, and else the candidates, with what each of them reads."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise

import numpy as np

from rrcore.errors import InputError

MIXED = "mixed"
"""UTF-8, and Windows-1252 where it is not UTF-8."""

ENCODINGS = ("windows-1252", "windows-1250", "windows-1251", "windows-1254", "koi8_r", "shift_jis", "gb18030", "euc_kr")
"""What a text that is not UTF-8 is looked at for, besides what charset-normalizer proposes."""

MARK = b"\xef\xbb\xbf"
"""What some programs begin a text in UTF-8 with."""

# how errors of decoding are handled: every byte is a character, in Latin-1 where Windows-1252 has none
_BYTES = "rrcore.windows-1252"
_CHARACTERS = [bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256)]
_CODECS = {
    "windows-1252": ("cp1252", _BYTES),
    MIXED: ("utf-8", _BYTES),
    "shift_jis": ("cp932", "strict"),
    "euc_kr": ("cp949", "strict"),
}
_ENDS = re.compile(rb"[,;\t\"\r\n]")
_BEYOND = re.compile(rb"[\x80-\xff](?=[^\x80-\xff]|$)")
_SEQUENCE = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")
_SAMPLES = 300  # cells beyond ASCII that are looked at
_SHOWN = 3  # of them in an error
_LONG = 1 << 22  # bytes without a line end
# letters beyond ASCII of languages, as one of which a text in a Latin alphabet is read
_ALPHABETS = {
    "windows-1252": "äöüß|âàæçéèêëîïôœùûüÿ|áéíóúñüçïàèòº|ãáàâçéêíóôõúüº|àèéìíîòóùú|äåæöøéü|áéíóúýþæöð|äëïöüéèêáóíç",
    "windows-1250": "ąćęłńóśźż|áčďéěíňóřšťúůýž|áäčďéíĺľňóôŕšťúýž|áéíóöőúüű|čćđšž|ăâîşţ|äöüß|çë",
    "windows-1254": "çğıöşüâîû",
}


def _as_bytes(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "".join(_CHARACTERS[byte] for byte in error.object[error.start : error.end]), error.end


codecs.register_error(_BYTES, _as_bytes)


class UncertainEncodingError(InputError):
    """A text may be in several encodings.

    Parameters
    ----------
    candidates : encoding -> some cells as it reads them, the same cells for each; the likeliest encoding first
    lines : numbers of a line that is UTF-8 and of one that is not, where there are both
    """

    def __init__(self, candidates: Mapping[str, Sequence[str]], lines: tuple[int, ...] = ()) -> None:
        self.candidates = {name: tuple(cells) for name, cells in candidates.items()}
        self.lines = lines
        quoted = ", ".join(f"'{' / '.join(cells)}' as {name}" for name, cells in self.candidates.items())
        where = f": line {lines[0]:,} is UTF-8 and line {lines[1]:,} is not" if lines else ""
        *others, last = self.candidates
        names = f"{', '.join(others)} or {last}" if others else last
        super().__init__(
            f"It is not certain which encoding the text is in{where}. It reads {quoted}. Say which one it is, with 'encoding' {names}.",
            quoted=quoted,
        )

    def __reduce__(self) -> tuple[type[UncertainEncodingError], tuple[dict[str, tuple[str, ...]], tuple[int, ...]]]:
        return type(self), (self.candidates, self.lines)  # from one process to another


def notes(encoding: str) -> tuple[str, ...]:
    """How a text in this encoding was read, in sentences."""
    if encoding == MIXED:
        return ("Read as UTF-8 text, and as Windows-1252 where it is not UTF-8.",)
    called = "UTF-16" if encoding.startswith("utf-16") else encoding.replace("windows", "Windows")
    return () if encoding == "utf-8" else (f"Read as {called} text.",)


def wide_encoding(head: bytes, size: int) -> str:
    """The UTF-16 that a file of ``size`` bytes is in by its first ones, at most 4,096; "" where it is in none."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    first = np.frombuffer(head[: min(2**12, len(head) & ~1)], np.uint8)
    odd, even = np.count_nonzero(first[1::2] == 0), np.count_nonzero(first[::2] == 0)
    if size % 2 == 0 and max(odd, even) > 0.3 * len(first) and min(odd, even) <= 0.02 * len(first):
        return "utf-16-le" if odd > even else "utf-16-be"
    return ""


def find_encoding(blocks: Iterable[bytes]) -> str | UncertainEncodingError:
    """What a text without a mark is in, by all of it; or the doubt, where it is neither UTF-8 nor certainly Windows-1252.

    Examples
    --------
    >>> from rrcore.table.reading.encoding import find_encoding
    >>> find_encoding([b"Z\\xc3\\xbcrich"]), find_encoding([b"Z\\xfcrich"])
    ('utf-8', 'windows-1252')
    >>> find_encoding([b"Z\\xc3\\xbcrich\\nZ\\xfcrich\\n"]).candidates
    {'mixed': ('Zürich', 'Zürich'), 'windows-1252': ('ZÃ¼rich', 'Zürich')}
    >>> find_encoding(["Łódź,Żary".encode("windows-1250")]).candidates["windows-1250"]
    ('Łódź', 'Żary')
    """
    known: dict[bytes, int] = {}  # cells and the numbers of their lines
    odd: dict[bytes, int] = {}
    line = 1
    for text in _whole_lines(blocks):
        first = -1 if text.isascii() else _first_odd(text)
        if not text.isascii() and (first < 0 or len(odd) < _SAMPLES):
            places = [first] if first >= 0 else []
            if not known:
                places += [found.start() for found in islice(_SEQUENCE.finditer(text), _SAMPLES)]
            if first >= 0:
                places += [found.end() - 1 for found in islice(_BEYOND.finditer(text), 10 * _SAMPLES)]
            for place in places:
                cell = _cell(text, place)
                cells = known if _first_odd(cell) < 0 else odd
                if cell not in cells and len(cells) < _SAMPLES:
                    cells[cell] = line + _lines(text[:place])
        line += _lines(text)
    return _decided(known, odd) if odd else "utf-8"


def decoder(encoding: str) -> codecs.IncrementalDecoder:
    """What decodes a text without a mark piece by piece.

    Raises
    ------
    InputError
        If there is no such encoding.
    """
    codec, errors = _CODECS.get(named(encoding), (encoding, "strict"))
    return codecs.getincrementaldecoder(codec)(errors)


def named(encoding: str) -> str:
    """The name of an encoding as it is used here. Raises InputError if there is none of that name."""
    if encoding == MIXED:
        return MIXED
    try:
        "".encode(encoding)
        codecs.getincrementaldecoder(encoding)
        known = codecs.lookup(encoding).name
    except (LookupError, UnicodeError, ValueError):
        raise InputError(
            f"There is no 'encoding' {encoding[:40]}: give one that Python knows, such as {', '.join(ENCODINGS[:3])}, or {MIXED}."
        ) from None
    return {"cp1252": "windows-1252", "iso8859-1": "windows-1252", "utf-8-sig": "utf-8"}.get(
        known, encoding if encoding in _CODECS else known
    )


def _decided(known: Mapping[bytes, int], odd: Mapping[bytes, int]) -> str | UncertainEncodingError:
    """The encoding of a text with these cells beyond ASCII, some of which are not UTF-8."""
    cells, western = [*list(known)[:_SHOWN], *odd], ENCODINGS[0]
    read = {name: _read(cells, name) for name in (MIXED, *ENCODINGS)}
    likely = [name for name in ENCODINGS if read[name] and _plausible(name, read[name])]
    if not known and western in likely and all(read[name] == read[western] for name in likely):
        return western
    proposed = _proposed(odd)
    rank = {name: place for place, name in reversed(list(enumerate(proposed)))}
    likely.sort(key=lambda name: -1 if name == western else rank.get(name, len(rank)))
    if known:
        likely = [*(name for name in likely if name != western), MIXED]
    elif len(likely) < 2:
        others = {name: texts for name in proposed if name not in read and (texts := _read(cells, name))}
        read |= others
        likely += [name for name in others if _plausible(name, others[name])][:2] or list(others)[:_SHOWN]
    likely += [western] * (western not in likely)
    places = sorted(sorted(range(len(cells)), key=lambda i: -len({read[name][i] for name in likely}))[:_SHOWN])
    shown = {name: tuple(read[name][i][:40] for i in places) for name in likely}
    first = {texts: name for name, texts in reversed([(western, shown[western]), *shown.items()])}
    different = {name: texts for name, texts in shown.items() if first[texts] == name}
    if len(different) == 1:
        return western
    return UncertainEncodingError(different, (min(known.values()), min(odd.values())) if known else ())


def _read(cells: Sequence[bytes], name: str) -> list[str]:
    """The cells as they read in an encoding; none where one of them is not in it."""
    try:
        return [decoder(name).decode(cell, final=True) for cell in cells]
    except UnicodeError:
        return []


def _proposed(cells: Iterable[bytes]) -> list[str]:
    """What charset-normalizer takes for the encoding of cells, the likeliest first, by the names used here."""
    from charset_normalizer import from_bytes

    found = from_bytes(b"\n".join(cells))
    names = [name for match in found for name in (match.encoding, *match.could_be_from_charset) if not name.startswith("utf")]
    ours = {codecs.lookup(_CODECS.get(name, (name,))[0]).name: name for name in ENCODINGS}
    same = {"shift_jis": "shift_jis", "euc_kr": "euc_kr", "gbk": "gb18030", "gb2312": "gb18030"}
    return list(dict.fromkeys(same.get(name) or ours.get(codecs.lookup(name).name) or name for name in names))


def _plausible(name: str, texts: Sequence[str]) -> bool:
    """Whether texts look as if they were read in the right encoding: nine of ten without an odd place, and in one language."""
    if 10 * sum(map(_is_odd, texts)) > len(texts):
        return False
    letters = {letter for text in texts for letter in text.lower() if letter.isalpha() and not letter.isascii()}
    scripts = {_script(letter) for letter in letters}
    if name in _ALPHABETS:
        return scripts <= {"LATIN"} and any(letters <= set(alphabet) for alphabet in _ALPHABETS[name].split("|"))
    if name in ("windows-1251", "koi8_r"):
        return "CYRILLIC" in scripts
    if name in ("shift_jis", "gb18030", "euc_kr"):
        eastern = sum(_script(letter) == "EAST" for text in texts for letter in text)
        return eastern > sum(letter.isascii() and letter.isalpha() for text in texts for letter in text)
    return bool(letters)


def _is_odd(text: str) -> bool:
    """Whether a text has what no word has: controls, letters of two alphabets in a row, a symbol or a capital within a word."""
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cn", "Co", "Cs") or "\uff61" <= character <= "\uff9f":
            return True
    for one, two in pairwise(text):
        if one.isascii() and two.isascii():
            continue
        kinds = unicodedata.category(one), unicodedata.category(two)
        if any(kind[0] == "S" or kind == "Lm" for kind in kinds) and any(each.isalpha() for each in (one, two)):
            return True
        if kinds[0] == "Ll" and (kinds[1] == "Lu" or _script(one) != _script(two)) and two.isalpha():
            return True
        if kinds[1] == "Ll" and one.isalpha() and _script(one) != _script(two):
            return True
    return False


def _script(letter: str) -> str:
    name = unicodedata.name(letter, "").split()[0] if letter.isalpha() else ""
    return "EAST" if name in ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "KATAKANA-HIRAGANA") else name


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The text of ``blocks`` in pieces that end at the end of a line, or, in very long lines, at least not within a character."""
    held = b""
    for block in blocks:
        held += block
        cut = held.rfind(b"\n") + 1 or held.rfind(b"\r", 0, len(held) - 1) + 1
        if not cut and len(held) > _LONG:
            cut = len(held.rstrip(bytes(range(0x80, 0x100)))) or len(held)
        if cut:
            yield held[:cut]
            held = held[cut:]
    yield held


def _lines(text: bytes) -> int:
    """How many lines end in it, each with LF, CR, or both."""
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _first_odd(text: bytes) -> int:
    """Place of the first byte that belongs to no character of UTF-8; -1 where there is none."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start
    return -1


def _cell(text: bytes, place: int) -> bytes:
    """The cell around a place, cut where it is long."""
    before = _ENDS.split(text[max(0, place - 200) : place])[-1]
    return (before + _ENDS.split(text[place : place + 200], maxsplit=1)[0]).strip()
