"""Detection of text encodings.

If the entire text does not determine its encoding, the module lists candidates and shows how each of them decodes the text.
"""

import codecs
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from rrcore.errors import InputError

MIXED = "mixed"
"""UTF-8, and Windows-1252 where it is not UTF-8."""

ENCODINGS = ("windows-1252", "windows-1250", "windows-1251", "windows-1254", "koi8-r", "shift_jis", "gb18030", "euc_kr")
"""Encodings that are tried on a text that is not UTF-8, besides those that charset-normalizer proposes."""

MARKED = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
"""Marks at the beginning of a Unicode text -> its encoding."""

# An encoding that another one here contains goes by the name of that one.
_SAME = {"iso8859-1": "windows-1252", "cp932": "shift_jis", "cp949": "euc_kr", "gbk": "gb18030", "gb2312": "gb18030"}
_CODECS = {"utf-8": "utf-8-sig", MIXED: "utf-8", "shift_jis": "cp932", "euc_kr": "cp949"}
# Letters beyond ASCII of languages that are written in the Latin alphabet.
_ALPHABETS = {
    "windows-1252": "äöüß|âàæçéèêëîïôœùûüÿ|áéíóúñüçïàèòº|ãáàâçéêíóôõúüº|àèéìíîòóùú|äåæöøéü|áéíóúýþæöð|äëïöüéèêáóíç",
    "windows-1250": "ąćęłńóśźż|áčďéěíňóřšťúůýž|áäčďéíĺľňóôŕšťúýž|áéíóöőúüű|čćđšž|ăâîşţ|äöüß|çë",
    "windows-1254": "çğıi̇öşüâîû",
}
_SYMBOLS = "‘’“”„–—…€£°§«»·½¼¾²³ºª¿¡©®×±µ\xa0"
_UTF8 = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")
_SAMPLES = 300  # cells that are looked at
_SHOWN = 3  # of them in an error


def _as_western(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("rrcore.windows-1252", _as_western)


class UncertainEncodingError(InputError):
    """Raised if a text can be in several encodings.

    Parameters
    ----------
    candidates : from encoding to a few decoded cells, the same cells for each. The most likely encoding comes first
    lines : numbers of a line that is UTF-8 and of one that is not, if both exist
    """

    def __init__(self, candidates: Mapping[str, Sequence[str]], lines: tuple[int, ...] = ()) -> None:
        self.candidates = {name: tuple(cells) for name, cells in candidates.items()}
        self.lines = lines
        quoted = ", ".join(f"'{' / '.join(cells)}' as {name}" for name, cells in self.candidates.items())
        where = f", because line {lines[0]:,} is UTF-8 and line {lines[1]:,} is not" if lines else ""
        found = f"The encoding of the text is uncertain{where}. It reads {quoted}."
        super().__init__(f"{found} Choose 'encoding' {' or '.join(self.candidates)}.", quoted=quoted)

    def __reduce__(self) -> tuple[type[InputError], tuple[object, ...]]:
        return type(self), (self.candidates, self.lines)  # from one process to another


def notes(encoding: str) -> tuple[str, ...]:
    """Describe the encoding of a text unless it is UTF-8."""
    called = {MIXED: "UTF-8 text, and as Windows-1252 where it is not UTF-8"}.get(encoding, f"{encoding.upper()} text")
    return () if encoding == "utf-8" else (f"Read as {called.replace('WINDOWS', 'Windows')}.",)


def named(encoding: str) -> str:
    """Return the canonical name of an encoding.

    Raises InputError if Python does not know an encoding of this name.
    """
    if encoding == MIXED:
        return MIXED
    try:
        "".encode(encoding)
        known = codecs.lookup(encoding).name
    except (LookupError, UnicodeError, ValueError):
        raise InputError(
            f"There is no encoding '{encoding[:40]}'. Use an encoding that Python supports, such as {ENCODINGS[0]}."
        ) from None
    return _SAME.get(known) or re.sub("^cp(125.)$", r"windows-\1", known).removesuffix("-sig")


def decoder(encoding: str, errors: str = "strict") -> codecs.IncrementalDecoder:
    """Return an incremental decoder. Raises InputError as in ``named``."""
    name = named(encoding)
    errors = {MIXED: "rrcore.windows-1252", "windows-1252": "replace"}.get(name, errors)
    return codecs.getincrementaldecoder(_CODECS.get(name, name))(errors)


def find_encoding(blocks: Iterable[bytes]) -> str:
    """Detect the encoding of a text from its entire content.

    Raises
    ------
    UncertainEncodingError
        If the text is neither UTF-8 nor clearly Windows-1252.

    Examples
    --------
    >>> from rrcore.table.reading.encoding import find_encoding
    >>> find_encoding([b"Z\\xc3\\xbcrich"]), find_encoding([b"Z\\xfcrich"])
    ('utf-8', 'windows-1252')
    """
    # cells beyond ASCII that are UTF-8, and such that are not, with the numbers of their lines
    known, odd = dict[bytes, int](), dict[bytes, int]()
    held, line = b"", 1
    for block in chain(blocks, [b"\n"]):
        held += block
        cut = max(held.rfind(b"\n"), held.rfind(b"\r", 0, -1)) + 1
        text, held = held[:cut], held[cut:]
        if len(held) > 4 << 20:
            raise InputError("The text contains a line of more than 4 MB. Shorten the line, or leave it out.")
        if not (text.isascii() or (known and _is_utf8(text)) or (len(odd) == _SAMPLES and not _UTF8.search(text))):
            for number, each in enumerate(text.splitlines(), line):
                for cell in () if each.isascii() else re.split(rb'[,;\t"]', each):
                    cells = known if cell.isascii() or _is_utf8(cell) else odd
                    if not cell.isascii() and len(cells) < _SAMPLES and (len(cell) < 1000 or not cells):
                        cells.setdefault(cell.strip(), number)
        line += text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")
    return _decide(known, odd) if odd else "utf-8"


def _is_utf8(text: bytes) -> bool:
    return text.decode(errors="ignore").encode() == text


def _decide(known: Mapping[bytes, int], odd: Mapping[bytes, int]) -> str:
    """Return the encoding of a text with these cells beyond ASCII, some of which are not UTF-8, or raise the doubt."""
    from charset_normalizer import from_bytes

    cells, western = [*list(known)[:_SHOWN], *odd], ENCODINGS[0]
    read = {name: _read(cells, name) for name in ENCODINGS}
    likely = [name for name in ENCODINGS if _is_plausible(name, read[name])]
    if not known and western in likely and all(read[name] == read[western] for name in likely):
        return western
    proposed = [name for match in from_bytes(b"\n".join(cells)) for name in match.could_be_from_charset if name[:3] != "utf"]
    first = [MIXED] if known else [*likely[: western in likely], *list(dict.fromkeys(map(named, proposed)))[:_SHOWN]]
    candidates: dict[str, list[str]] = {}
    for name in (*first, *likely, western):
        texts = _read(cells, name)
        if texts not in candidates.values():
            candidates[name] = texts
    telling = sorted(range(len(cells)), key=lambda i: -len({texts[i][:40] for texts in candidates.values()}))[:_SHOWN]
    shown = {name: [texts[i][:40] for i in telling] for name, texts in candidates.items()}
    raise UncertainEncodingError(shown, (min(known.values()), min(odd.values())) if known else ())


def _read(cells: Sequence[bytes], name: str) -> list[str]:
    return [decoder(name, "replace").decode(cell, final=True) for cell in cells]


def _is_plausible(name: str, texts: Sequence[str]) -> bool:
    """Return whether texts seem to be read in the right encoding.

    Of the characters beyond ASCII nine of ten are symbols outside of words or letters of one language, if that has the Latin alphabet.
    In another alphabet most words have no letter of ASCII.
    """
    text = re.sub(r"(?<=[^\W\d_])[^\x00-\x7f\w’·–—](?=[^\W\d_])", "\x80", "\n".join(texts)).lower()
    if "\ufffd" in text:
        return False
    if name not in _ALPHABETS:
        words = re.findall(r"[^\W\d_]+", text)
        return 2 * sum(any(map(str.isascii, word)) for word in words) < len(words)
    beyond = [letter for letter in text if not letter.isascii()]
    return any(10 * sum(c in _SYMBOLS + alphabet for c in beyond) >= 9 * len(beyond) for alphabet in _ALPHABETS[name].split("|"))
