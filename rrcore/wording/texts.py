"""Texts that are safe to show or to open anywhere: names, cells and small tables, for pages, files, notebooks and spreadsheets."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from html import escape

from rrcore.wording.numbers import MONTHS

MOST_ROWS = 24
"""Most rows of a table that a notebook shows by itself."""

_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?")
_PARTED = re.compile(rf"(?<=\d) (?=(?:%|(?:points|nats|{'|'.join(MONTHS)})\b))|(?<=[×±]) | (?=\(\d+\))")
_BEGINNINGS = {*"=+-@\t\r\n", *"\uff1d\uff0b\uff0d\uff20"}  # of a formula; the latter are the same, full width


def unbroken(text: str) -> str:
    """``text`` with every "%", "×" and "±", the words "points" and "nats" and the name of a month kept on the line of their number, and a
    number alone in brackets on that of the word before it.

    Examples
    --------
    >>> unbroken("12.5 % ± 2 points, × 7.4 (2.00 nats) by 4 May").split(" ")
    ['12.5\\xa0%', '±\\xa02\\xa0points,', '×\\xa07.4', '(2.00\\xa0nats)', 'by', '4\\xa0May']
    """
    return _PARTED.sub("\N{NO-BREAK SPACE}", text)


_UNSEEN = re.compile("[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]")


def legible(text: str) -> str:
    """``text`` as it can be shown anywhere: signs without width, and those that turn the direction of what follows, as their codes.

    They would make two names look alike, or garble what stands around a name (UTS 55, "Unicode Source Code Handling").

    Examples
    --------
    >>> legible("Yes\\u200b"), legible("\\u202eseY")
    ('Yes\\\\u200b', '\\\\u202eseY')
    """
    return _UNSEEN.sub(lambda sign: f"\\u{ord(sign.group()):04x}", text)


def file_stem(text: str) -> str:
    """``text`` as the name of a file anywhere: letters, digits, ``.``, ``-`` and ``_``, at most 60 of them."""
    return re.sub(r"[^\w.-]+", "_", text)[:60].strip("._-") or "file"


def cell_label(categories: Sequence[str]) -> str:
    """One cell of a marginal: its categories in order."""
    return " · ".join(categories)


def bracketed(text: str) -> str:
    """A text in brackets, once.

    Examples
    --------
    >>> bracketed("yes"), bracketed("(missing)")
    ('(yes)', '(missing)')
    """
    return text if text.startswith("(") and text.endswith(")") else f"({text})"


def and_text(texts: Sequence[str]) -> str:
    """``texts``, at least one, as people list them.

    Examples
    --------
    >>> and_text(["age"]), and_text(["age", "sex", "income"])
    ('age', 'age, sex and income')
    """
    *others, last = texts
    return f"{', '.join(others)} and {last}" if others else last


def html_table(
    heads: Iterable[str], rows: Iterable[Sequence[str]], *, numbers: int = 0, title: str = "", more: int = 0, note: str = ""
) -> str:
    """A table in HTML with every text escaped, in the colours of the page around it.

    Parameters
    ----------
    heads, rows : the texts
    numbers : how many columns, the last ones, hold numbers and are aligned to the right
    title : a line above the table
    more : how many rows are not shown; a line below says so
    note : a line below the table
    """

    def line(tag: str, texts: Sequence[str]) -> str:
        sides = ["left"] * (len(texts) - numbers) + ["right"] * numbers
        cells = (
            f'<{tag} style="text-align:{side}">{escape(legible(text))}</{tag}>' for side, text in zip(sides, texts, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    above, below = f"<p>{escape(title)}</p>" if title else "", f"<p>... and {more:,} more</p>" if more else ""
    below += f"<p>{escape(note)}</p>" if note else ""
    body = "".join(line("td", row) for row in rows)
    return f"{above}<table><thead>{line('th', tuple(heads))}</thead><tbody>{body}</tbody></table>{below}"


def spreadsheet_safe(text: str) -> str:
    """``text`` with a leading apostrophe if a spreadsheet would run it as a formula; numbers stay as they are.

    A formula behind apostrophes gets one more, so that two texts are never written alike.

    Examples
    --------
    >>> [spreadsheet_safe(text) for text in ("=1+1", "'=1+1", "-1", "'tis")]
    ["'=1+1", "''=1+1", '-1', "'tis"]
    """
    return "'" + text if _runs(text.lstrip("'")) else text


def csv_text(heads: Iterable[str], rows: Iterable[Iterable[object]], *, mark: str = "") -> str:
    """A table as CSV text, every text in it safe to open in a spreadsheet; what is None is an empty cell.

    ``mark`` is the name of a first column that says "yes" in every row.

    Examples
    --------
    >>> csv_text(["number", "note"], [[1, "=1+1"], [None, "b"]])
    "number,note\\n1,'=1+1\\n,b\\n"
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in (heads, *rows) if not mark else ((mark, *heads), *(("yes", *row) for row in rows)):
        writer.writerow([spreadsheet_safe(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def _runs(text: str) -> bool:
    return text[:1] in _BEGINNINGS and not _NUMBER.fullmatch(text)
