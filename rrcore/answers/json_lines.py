"""Read answers as JSON lines, as the form for respondents writes them.

A file of any size is read in parts.
"""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta

from rrcore.arrays import Codes, Integers, code_type
from rrcore.documents import Fields, decode
from rrcore.errors import DocumentError, InputError, reading
from rrcore.limits import MAX_LINES_BYTES, MAX_ROWS, MAX_TEXT, MAX_UNRANDOMIZED
from rrcore.progress import Report, quiet
from rrcore.table.opening import open_stream
from rrcore.table.source import Source
from rrcore.table.text_table import TextColumn

Hex = Annotated[str, Meta(pattern=r"^[0-9a-f]{1,2048}\Z")]


class Line(Fields, frozen=True):
    """The answers of one respondent by attribute, as the form submits them."""

    mechanism: str
    answers: Mapping[str, str]
    receipt: Hex = ""
    signature: Hex = ""
    unrandomized: Mapping[str, str] = {}


def read_line(content: str | bytes) -> Line:
    """Read one line. Raises DocumentError if it is invalid."""
    return decode(content, Line, "line of answers", "choose the answers as the form saved them")


OTHER_FILE = "answers randomized by another mechanism file"
"""Why a line of another survey is left out."""

UNUSABLE = -2
"""Code of every answer of a line that cannot be used."""

_AT_ONCE = 1_000  # lines between two reports of progress
_NO_ANSWER = "a line that is not an answer from the form"


@dataclass(frozen=True)
class Question:
    """A question that the lines answer.

    Parameters
    ----------
    name : str
    codes : mapping of the text of each answer to its code
    unknown : reason for leaving out a line with any other answer
    """

    name: str
    codes: Mapping[str, int]
    unknown: str


@dataclass(frozen=True, eq=False)
class Lines:
    """The content of lines.

    Parameters
    ----------
    codes : ndarray of shape (n, k), integer: the answers of n lines; all are ``UNUSABLE`` in a line that cannot be used
    numbers : ndarray of shape (n,), integer: line numbers in the file, from 1
    receipts : receipt of each line, or None if the line is unusable or has no receipt
    extra : columns of the unrandomized answers
    rejected : for every reason to leave out lines: the reason, the number of lines, and the number of the first line
    """

    codes: Codes
    numbers: Integers
    receipts: tuple[str | None, ...]
    extra: tuple[TextColumn, ...]
    rejected: tuple[tuple[str, int, int], ...]


def read_lines(data: bytes, name: str, mechanism: str, questions: Sequence[Question], report: Report = quiet) -> Lines:
    """Read JSON lines.

    Parameters
    ----------
    data : bytes, UTF-8
    name : name of the file
    mechanism : fingerprint of the mechanism file, which every line must contain
    questions : the questions

    Raises
    ------
    InputError
        If the content is not JSON lines or has too many lines. Unusable lines are counted in ``rejected`` instead.

    Examples
    --------
    >>> from rrcore.answers.json_lines import Question, read_lines
    >>> line = b'{"mechanism": "0a", "answers": {"smokes": "yes"}}'
    >>> smokes = Question("smokes", {"no": 0, "yes": 1}, "another answer")
    >>> read_lines(line + b"\\n[[]]\\n", "a.jsonl", "0a", [smokes]).codes.tolist()
    [[1], [-2]]
    """
    codes, numbers, receipts = array("i"), array("q"), list[str | None]()
    extra: dict[str, list[str | None]] = {}
    rejected: dict[str, list[int]] = {}
    for number, line in _lines(data, name, report):
        if not line.strip():
            continue
        row, receipt, known, reason = _one(line, mechanism, questions)
        codes.extend(row or [UNUSABLE] * len(questions))
        for asked_as in known:
            if asked_as not in extra:
                extra[asked_as] = [None] * len(numbers)
        for asked_as, texts in extra.items():
            texts.append(known.get(asked_as))
        numbers.append(number)
        receipts.append(receipt)
        if len(extra) > MAX_UNRANDOMIZED:
            raise InputError(
                f"The lines of '{name}' contain answers to more than {MAX_UNRANDOMIZED} unrandomized questions. Read the answers of "
                "each survey separately."
            )
        if len(numbers) > MAX_ROWS:
            raise InputError(f"The file '{name}' has more than {MAX_ROWS:,} lines. Split it into smaller files.")
        if reason:
            rejected.setdefault(reason, [0, number])[0] += 1
    kind = code_type(max(max(question.codes.values()) + 1 for question in questions))
    return Lines(
        np.array(codes, kind).reshape(-1, len(questions)),
        np.array(numbers, np.int64),
        tuple(receipts),
        tuple(_text_column(key, column) for key, column in extra.items()),
        tuple((reason, lines, first) for reason, (lines, first) in rejected.items()),
    )


def _text_column(name: str, texts: Sequence[str | None]) -> TextColumn:
    """A column of strings, its values in text order."""
    values = sorted({text for text in texts if text is not None})
    place: dict[str | None, int] = {text: code for code, text in enumerate(values)}
    return TextColumn(name, np.array([place.get(text, -1) for text in texts], np.int32), tuple(values))


def _lines(content: bytes, name: str, report: Report) -> Iterator[tuple[int, str]]:
    """Each line and its number."""
    done = 0
    for number, line in enumerate(io.BytesIO(content), 1):
        try:
            yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise InputError(f"The file '{name}' is not UTF-8 text. Choose the file that the form saved.") from None
        done += len(line)
        if number % _AT_ONCE == 0:
            report(done / len(content), f"{number:,} lines")


def _one(line: str, mechanism: str, questions: Sequence[Question]) -> tuple[list[int], str | None, dict[str, str], str]:
    """The codes of one line, its receipt and what was not randomized, or why it cannot be used."""
    try:
        record = read_line(line)
    except DocumentError:
        return [], None, {}, _NO_ANSWER
    if record.mechanism != mechanism:
        return [], None, {}, OTHER_FILE
    answers, known = record.answers, record.unrandomized
    names = {question.name for question in questions}
    if set(answers) - names:
        return [], None, {}, "answers to questions that the mechanism file does not have"
    fits = all(0 < len(text) <= MAX_TEXT for pair in known.items() for text in pair)
    if not fits or len(known) > MAX_UNRANDOMIZED or set(known) & names:
        return [], None, {}, _NO_ANSWER
    row = []
    for question in questions:
        answer = answers.get(question.name)
        if answer is None:
            return [], None, {}, f"no answer to '{question.name}'"
        if answer not in question.codes:
            return [], None, {}, question.unknown
        row.append(question.codes[answer])
    return row, record.receipt or None, dict(known), ""


@dataclass(frozen=True)
class FormLines:
    """A file of JSON lines.

    Parameters
    ----------
    path : str
    title : str, name of the file in messages
    content : content in memory, read instead of the file
    """

    path: str
    title: str
    content: bytes = field(default=b"", repr=False)
    notes: tuple[str, ...] = ()

    def parts(self) -> Iterator[tuple[bytes, int]]:
        """Yield complete lines in parts of some MB, with their number.

        Raises
        ------
        InputError
            If the file cannot be read or has a line that is longer than a part.
        """
        if self.content:
            yield self.content, self.content.count(b"\n") + 1
            return
        rest = b""
        with reading(self.title), open(self.path, "rb") as file:
            while piece := file.read(MAX_LINES_BYTES):
                whole, end, left = (rest + piece).rpartition(b"\n")
                if not end and len(left) > MAX_LINES_BYTES:
                    raise InputError(
                        f"The file '{self.title}' contains a line of more than {MAX_LINES_BYTES // 2**20} MB. Remove that line."
                    )
                rest = left
                if end:
                    yield whole + end, whole.count(b"\n") + 1
        if rest:
            yield rest, 1


def starts_as_lines(content: bytes) -> bool:
    """Return True if ``content`` is JSON lines instead of a table, whose first name may begin with a bracket."""
    return re.match(rb'[\xef\xbb\xbf\s]*(\{\s*["}]|\[\s*[{"])', content) is not None


def open_answers(place: Path, title: str, *, encoding: str = "") -> Source | FormLines:
    """Open collected answers of any size.

    The source is a table, a folder of tables, or lines of the form. Messages call lines ``title``.

    Raises
    ------
    InputError
        If the source cannot be read or is of another kind.
    """
    with reading(place):
        if place.is_file():
            with place.open("rb") as file:
                if starts_as_lines(file.read(99)):
                    return FormLines(str(place), title)
    return open_stream(place, encoding=encoding)
