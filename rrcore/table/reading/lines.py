"""Answers as JSON lines, as the respondents' form writes them, read in a process of its own: whoever sends them may be hostile."""

import io
import json
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from rrcore.arrays import Codes, Integers, code_type
from rrcore.errors import DocumentError, InputError
from rrcore.limits import MAX_ROWS, MAX_TEXT, MAX_UNRANDOMISED
from rrcore.table.plain import Place, parse
from rrcore.table.reading.text_table import TextColumn
from rrcore.work import Report
from rrcore.work.bounded import CrashedError, Returned, bounded

LINE = Place("line of answers", "choose the answers as the form saved them")

OTHER_FILE = "answers randomised by another mechanism file"
"""Why a line of another survey is left out."""

UNUSABLE = -2
"""Code of every answer of a line that cannot be used."""

UNRANDOMISED = "unrandomised"
"""Field of a line with the answers that are sent as they are."""

_SENT = {"receipt", "signature"}  # what a line has besides where the form can be sent
_HEX = re.compile(r"[0-9a-f]{1,2048}")
_AT_ONCE = 1_000  # lines between two reports of progress
_NO_ANSWER = "a line that is not an answer from the form"
_LESS = "Split it into smaller files."


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


def read_lines(data: bytes, name: str, mechanism: str, questions: Sequence[Question]) -> Lines:
    """Read JSON lines, with the present ``Bounds`` of memory and time (``rrcore.work.bounded``).

    Parameters
    ----------
    data : bytes, UTF-8
    name : of the file
    mechanism : fingerprint of the mechanism file, which every line has to name
    questions : what is asked

    Raises
    ------
    InputError
        For other text, too many lines, or where memory or time does not suffice; a line that cannot be used is one of ``rejected``.

    Examples
    --------
    >>> from rrcore.table.reading.lines import Question, read_lines
    >>> line = b'{"mechanism": "0a", "answers": {"smokes": "yes"}}'
    >>> smokes = Question("smokes", {"no": 0, "yes": 1}, "another answer")
    >>> read_lines(line + b"\\n[[]]\\n", "a.jsonl", "0a", [smokes]).codes.tolist()
    [[1], [-2]]
    """
    given = [mechanism, [[question.name, dict(question.codes), question.unknown] for question in questions]]
    found = _done("lines_of", given, data, name)
    codes, about, texts = found.tables
    columns = [codes.column(i).combine_chunks().to_numpy() for i in range(len(questions))]
    rejected = tuple((str(reason), int(lines), int(first)) for reason, lines, first in found.about)
    numbers = about.column("number").combine_chunks().to_numpy()
    receipts = tuple(about.column("receipt").to_pylist())
    return Lines(
        np.stack(columns, axis=1), numbers, receipts, tuple(map(_text_column, texts.column_names, texts.columns)), rejected
    )


def _text_column(name: str, column: Any) -> TextColumn:
    """A column of texts, its values in text order."""
    texts = column.to_pylist()
    values = sorted({text for text in texts if text is not None})
    place: dict[str | None, int] = {text: code for code, text in enumerate(values)}
    return TextColumn(name, np.array([place.get(text, -1) for text in texts], np.int32), tuple(values))


def named_by_lines(data: bytes, name: str, mechanisms: Sequence[str]) -> Integers:
    """Which of the fingerprints ``mechanisms`` each line names: ndarray, integer, 0 for none, -1 for a blank line. As ``read_lines``."""
    found = _done("mechanisms_of", list(mechanisms), data, name)
    return np.asarray(found.tables[0].column(0).combine_chunks().to_numpy())


def _done(function: str, given: Any, data: bytes, name: str) -> Returned:
    """What a function of this module makes of the lines; what it is to know stands before them, however much that is."""
    head = json.dumps(given).encode()
    asked = {"name": name[-500:], "head": len(head)}
    try:
        return bounded(f"{__name__}:{function}", head + data, asked, what=f"Reading '{name[-100:]}'", action=_LESS)
    except CrashedError:
        raise InputError(f"The file '{name[-100:]}' cannot be read: choose the answers as the form saved them.") from None


def lines_of(content: memoryview, *, report: Report, name: str, head: int) -> tuple[Any, tuple[Any, ...]]:
    """In that process: codes in one table; numbers and receipts in another; unrandomised answers in the last; why lines are left out."""
    mechanism, asked = json.loads(bytes(content[:head]))
    questions = [Question(*each) for each in asked]
    codes, numbers, receipts = array("i"), array("q"), list[str | None]()
    beside: dict[str, list[str | None]] = {}
    rejected: dict[str, list[int]] = {}
    for number, line in _lines(content[head:], name, report):
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
    whole = np.array(codes, np.int32).reshape(-1, len(questions)).astype(kind)
    columns = pa.table([pa.array(column) for column in whole.T], names=[str(i) for i in range(len(questions))])
    about = pa.table({"number": pa.array(np.array(numbers, np.int64)), "receipt": pa.array(receipts, pa.large_string())})
    texts = pa.table({key: pa.array(column, pa.large_string()) for key, column in beside.items()})
    return [[reason, *counts] for reason, counts in rejected.items()], (columns, about, texts)


def mechanisms_of(content: memoryview, *, report: Report, name: str, head: int) -> tuple[Any, tuple[Any, ...]]:
    """In that process: which fingerprint each line names."""
    place = {mechanism: i for i, mechanism in enumerate(json.loads(bytes(content[:head])))}
    found = array("h")
    for _, line in _lines(content[head:], name, report):
        try:
            record = parse(line, LINE) if line.strip() else None
        except DocumentError:
            record = {}
        named = record.get("mechanism") if isinstance(record, dict) else None
        found.append(place.get(named, 0) if isinstance(named, str) else 0 if line.strip() else -1)
    return None, (pa.table({"0": pa.array(np.array(found, np.int16))}),)


def _lines(content: memoryview, name: str, report: Report) -> Iterator[tuple[int, str]]:
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
        record = parse(line, LINE)
    except DocumentError:
        return [], None, {}, "a line that is not JSON, or gives a field twice"
    fields = set(record) - _SENT - {UNRANDOMISED} if isinstance(record, dict) else set()
    if fields != {"mechanism", "answers"} or not isinstance(record["answers"], dict):
        return [], None, {}, _NO_ANSWER
    if not all(isinstance(record[field], str) and _HEX.fullmatch(record[field]) for field in _SENT & set(record)):
        return [], None, {}, _NO_ANSWER
    if record["mechanism"] != mechanism:
        return [], None, {}, OTHER_FILE
    answers = record["answers"]
    if set(answers) - {question.name for question in questions}:
        return [], None, {}, "answers to questions that the mechanism file does not have"
    known = record.get(UNRANDOMISED, {})
    if not _are_texts(known) or set(known) & {question.name for question in questions}:
        return [], None, {}, _NO_ANSWER
    row = []
    for question in questions:
        answer = answers.get(question.name)
        if answer is None:
            return [], None, {}, f"no answer to '{question.name}'"
        if not isinstance(answer, str) or answer not in question.codes:
            return [], None, {}, question.unknown
        row.append(question.codes[answer])
    return row, record.get("receipt"), known, ""


def _are_texts(found: object) -> bool:
    """Whether ``found`` is answers by the names of their questions, as they can be in a survey."""
    if not isinstance(found, dict) or len(found) > MAX_UNRANDOMISED:
        return False
    return all(isinstance(text, str) and 0 < len(text) <= MAX_TEXT for pair in found.items() for text in pair)
