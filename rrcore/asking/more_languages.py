"""Store the additional languages of a form compactly.

The page is stored once. For each additional language, only its texts are stored, in order. A text is everything between two
tags. The script replaces the texts when the language changes (assets/languages.js).
"""

import re
from html import unescape

_TAG = re.compile(r"(<[^>]*>)")
# browsers that run the script never show this
_UNSEEN = re.compile(r"<noscript>.*?</noscript>", re.DOTALL)
_BLANK = " \n\r\t\f\0"


def further_texts(first: str, further: str) -> list[str | int]:
    """Return the texts of a page in another language, one per text of the first.

    An entry is empty if both texts are the same. It is the position of an earlier text if that text is repeated.

    Examples
    --------
    >>> further_texts("<p>no</p><p>1</p><p>no</p>", "<p>non</p><p>1</p><p>non</p>")
    ['non', '', 0]
    """
    found, seen = list[str | int](), dict[str, int]()
    for was, text in zip(_texts(first), _texts(further), strict=True):
        if was.strip(_BLANK):
            found.append("" if text == was else seen.get(text, text))
            seen.setdefault(text, len(found) - 1)
    return found


def _texts(page: str) -> list[str]:
    return [unescape(text).replace("\r\n", "\n").replace("\r", "\n") for text in _TAG.split(_UNSEEN.sub("", page))[::2]]
