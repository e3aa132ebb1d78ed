"""Answers as JSON lines, as the respondents' form writes them."""

import io
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from rrcore.arrays import Codes, Integers, code_type
from rrcore.documents import Fields, decode
from rrcore.errors import DocumentError, InputError
from rrcore.limits import MAX_ROWS, MAX_TEXT, MAX_UNRANDOMISED
from rrcore.progress import Report, quiet
from rrcore.table.text_table import TextColumn

Hex = Annotated[str, Meta(pattern=r"^[0-9a-f]{1,2048}\Z")]


class Line(Fields, frozen=True):
    """The answers of one respondent, by attribute, as a form hands them in."""

    mechanism: str
    answers: Mapping[str, str]
    receipt: Hex = ""
    signature: Hex = ""
    unrandomised: Mapping[str, str] = {}


def read_line(content: str | bytes) -> Line:
    """Read one line. Raises DocumentError for anything else."""
    return decode(content, Line, "line of answers", "choose the answers as the form saved them")


OTHER_FILE = "answers randomised by another mechanism file"
"""Why a line of another survey is left out."""

UNUSABLE = -2
"""Code of every answer of a line that cannot be used."""

_AT_ONCE = 1_000  # lines between two reports of progress
_NO_ANSWER = "a line that is not an answer from the form"


@dataclass(frozen=True)
class Question:
    """A question that lines answer.

    Parameters
    ----------
    name : str
    codes : text of an answer -> its code
    unknown : why a line with any other answer is left out
    """

    name: str
    codes: Mapping[str, int]
    unknown: str


@dataclass(frozen=True, eq=False)
class Lines:
    """What lines say.

    Parameters
    ----------
    codes : ndarray of shape (n, k), integer: the answers of n lines, ``UNUSABLE`` all over a line that cannot be used
    numbers : ndarray of shape (n,), integer, where each line stands in its file, from 1
    receipts : of each line that can be used and has one, else None
    beside : columns of the answers that were sent as they are
    rejected : reason, how many lines, and the first one's number, for every reason to leave lines out
    """

    codes: Codes
    numbers: Integers
    receipts: tuple[str | None, ...]
    beside: tuple[TextColumn, ...]
    rejected: tuple[tuple[str, int, int], ...]


def read_lines(data: bytes, name: str, mechanism: str, questions: Sequence[Question], report: Report = quiet) -> Lines:
    """Read JSON lines.

    Parameters
    ----------
    data : bytes, UTF-8
    name : of the file
    mechanism : fingerprint of the mechanism file, which every line has to name
    questions : what is asked

    Raises
    ------
    InputError
        For other text, or too many lines; a line that cannot be used is one of ``rejected``.

    Examples
    --------
    >>> from rrcore.answers.lines import Question, read_lines
    >>> line = b'{"mechanism": "0a", "answers": {"smokes": "yes"}}'
    >>> smokes = Question("smokes", {"no": 0, "yes": 1}, "another answer")
    >>> read_lines(line + b"\\n[[]]\\n", "a.jsonl", "0a", [smokes]).codes.tolist()
    [[1], [-2]]
    """
    codes, numbers, receipts = array("i"), array("q"), list[str | None]()
    beside: dict[str, list[str | None]] = {}
    rejected: dict[str, list[int]] = {}
    for number, line in _lines(data, name, report):
        if not line.strip():
            continue
        row, receipt, known, reason = _one(line, mechanism, questions)
        codes.extend(row or [UNUSABLE] * len(questions))
        for asked_as in known:
            if asked_as not in beside:
                beside[asked_as] = [None] * len(numbers)
        for asked_as, texts in beside.items():
            texts.append(known.get(asked_as))
        numbers.append(number)
        receipts.append(receipt)
        if len(beside) > MAX_UNRANDOMISED:
            raise InputError(
                f"The lines of '{name}' answer more than {MAX_UNRANDOMISED} unrandomised questions: read those of each survey apart."
            )
        if len(numbers) > MAX_ROWS:
            raise InputError(f"The file '{name}' has more than {MAX_ROWS:,} lines: split it.")
        if reason:
            rejected.setdefault(reason, [0, number])[0] += 1
    kind = code_type(max(max(question.codes.values()) + 1 for question in questions))
    return Lines(
        np.array(codes, kind).reshape(-1, len(questions)),
        np.array(numbers, np.int64),
        tuple(receipts),
        tuple(_text_column(key, column) for key, column in beside.items()),
        tuple((reason, lines, first) for reason, (lines, first) in rejected.items()),
    )


def _text_column(name: str, texts: Sequence[str | None]) -> TextColumn:
    """A column of texts, its values in text order."""
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
            raise InputError(f"The file '{name}' is not UTF-8 text: choose the answers as the form saved them.") from None
        done += len(line)
        if number % _AT_ONCE == 0:
            report(done / len(content), f"{number:,} lines")


def _one(line: str, mechanism: str, questions: Sequence[Question]) -> tuple[list[int], str | None, dict[str, str], str]:
    """The codes of one line, its receipt and what was not randomised, or why it cannot be used."""
    try:
        record = read_line(line)
    except DocumentError:
        return [], None, {}, _NO_ANSWER
    if record.mechanism != mechanism:
        return [], None, {}, OTHER_FILE
    answers, known = record.answers, record.unrandomised
    names = {question.name for question in questions}
    if set(answers) - names:
        return [], None, {}, "answers to questions that the mechanism file does not have"
    fits = all(0 < len(text) <= MAX_TEXT for pair in known.items() for text in pair)
    if not fits or len(known) > MAX_UNRANDOMISED or set(known) & names:
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
