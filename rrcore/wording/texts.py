"""Make names, cells and small tables safe for pages, files and spreadsheets."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from html import escape

from rrcore.wording.numbers import MONTHS

MOST_ROWS = 24
"""Most rows of a table in a notebook."""

_PARTED = re.compile(rf"(?<=\d) (?=(?:percentage|points|nats|{'|'.join(MONTHS)})\b)|(?<=ε) (?=[=\d])|(?<=ε =) | (?=\(\d+\))")
_NUMBER, _SIGNS = r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?", "=+@\uff1d\uff0b\uff0d\uff20-"  # also in full width
_FORMULA = re.compile(rf"^(?='*[\t\r\n{_SIGNS}])(?!'*{_NUMBER}\Z)|(?<=[;\t\r\n])(?='*[{_SIGNS}])(?!'*{_NUMBER}(?:[;\t\r\n]|\Z))")


def unbroken(text: str) -> str:
    """Return ``text`` with non-breaking spaces where a line must not break.

    Lines do not break before units, months and numbers in brackets, and between ε and its number.

    Examples
    --------
    >>> unbroken("±2 points, ε 7.4 (2.00 nats) by 4 May").split(" ")
    ['±2\\xa0points,', 'ε\\xa07.4', '(2.00\\xa0nats)', 'by', '4\\xa0May']
    """
    return _PARTED.sub("\N{NO-BREAK SPACE}", text)


_UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u115f\u1160\u180e\u200b\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def legible(text: str) -> str:
    """Replace invisible characters in ``text`` by their codes.

    Invisible characters have no width, change the direction of text, or control a terminal. Tabs and line feeds stay.

    Such characters make different names look alike, or scramble the text around a name (UTS 55, "Unicode Source Code Handling").

    Examples
    --------
    >>> legible("Yes\\u200b"), legible("\\u202eseY")
    ('Yes\\\\u200b', '\\\\u202eseY')
    """
    return _UNSEEN.sub(lambda sign: f"\\u{ord(sign.group()):04x}", text)


def one_line(text: str) -> str:
    """Return ``text`` without line breaks, so that a name does not become a line of the output.

    Examples
    --------
    >>> one_line("age\\nOK: proven")
    'age OK: proven'
    """
    return " ".join(text.splitlines())


def file_stem(text: str) -> str:
    """Return ``text`` as a file name of at most 60 characters.

    The characters are letters, digits, ``.``, ``-`` and ``_``.
    """
    return re.sub(r"[^\w.-]+", "_", text)[:60].strip("._-") or "file"


def cell_label(categories: Sequence[str]) -> str:
    """Return the label of one cell of a joint distribution."""
    return " · ".join(categories)


def and_text(texts: Sequence[str]) -> str:
    """Return a nonempty list of strings with commas and "and".

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
    """Return a table in HTML with every text escaped.

    The table has the colors of the page around it.

    Parameters
    ----------
    heads, rows : iterables of str
    numbers : int
        Number of columns at the end that contain numbers and are aligned to the right.
    title : str
        A line above the table.
    more : int
        Number of rows that are not shown. A line below the table states this number.
    note : str
        A line below the table.
    """

    def line(tag: str, texts: Sequence[str]) -> str:
        sides = ["left"] * (len(texts) - numbers) + ["right"] * numbers
        cells = (
            f'<{tag} style="text-align:{side}">{escape(legible(text))}</{tag}>' for side, text in zip(sides, texts, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    above, below = f"<p>{escape(legible(title))}</p>" if title else "", f"<p>... and {more:,} more</p>" if more else ""
    below += f"<p>{escape(legible(note))}</p>" if note else ""
    body = "".join(line("td", row) for row in rows)
    return f"{above}<table><thead>{line('th', tuple(heads))}</thead><tbody>{body}</tbody></table>{below}"


def spreadsheet_safe(text: str) -> str:
    """Return ``text`` with an apostrophe before every part that could run as a formula.

    Numbers are unchanged. Many spreadsheets begin a cell after a semicolon, also within quotation marks.

    A formula after apostrophes gets another apostrophe, so that different strings stay different.

    Examples
    --------
    >>> [spreadsheet_safe(text) for text in ("=1+1", "'=1+1", "-1", "'tis", "a;=1+1;-1")]
    ["'=1+1", "''=1+1", '-1', "'tis", "a;'=1+1;-1"]
    """
    return _FORMULA.sub("'", text)


def runs(text: str) -> bool:
    """Return True if a spreadsheet could run a part of ``text`` as a formula.

    Examples
    --------
    >>> runs("=1+1"), runs("'=1+1"), runs("a;=1+1")
    (True, False, True)
    """
    return any(text[found.start()] != "'" for found in _FORMULA.finditer(text))


def csv_text(heads: Iterable[str], rows: Iterable[Iterable[object]], *, mark: str = "") -> str:
    """Return a table as CSV in which every text is safe in a spreadsheet.

    None becomes an empty cell.

    ``mark`` is the name of a first column with "yes" in every row.

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
